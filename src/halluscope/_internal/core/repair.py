"""A repaired text: what was changed, why, and what could not be repaired."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from .plumbing.public import public_in
from .verdict import Evidence, Verdict

EditKind = Literal["replace", "remove", "soften"]


@public_in("halluscope.runs")
class RepairEdit(Struct, frozen=True, kw_only=True):
    """One change of a text.

    Attributes:
        kind: "replace" a wrong value, "remove" what the context does not support, or "soften" an over-general claim.
        start: Where the change begins in the original text.
        end: Where it ends there.
        before: The characters that were there.
        after: The characters that are there now.
        why: What was wrong, as the judge says it.
        evidence: Quotations from the context that the change rests on.
        claim: Id of the claim.
    """

    kind: EditKind
    start: int
    end: int
    before: str
    after: str
    why: str
    evidence: tuple[Evidence, ...] = ()
    claim: str = ""

    @property
    def span(self) -> tuple[int, int]:
        """The changed characters of the original text."""
        return self.start, self.end


@public_in("halluscope.runs")
class Repaired(Struct, frozen=True, kw_only=True):
    """A text after its repair, as it is kept with a result.

    Attributes:
        text: The repaired text. The original if nothing was changed.
        edits: The changes, in the order of the original text.
        unresolved: Verdicts on what is still wrong, with their places in `text`.
        score: Score of the repaired text, None if it has none.
        passed: Whether the repaired text passes.
        abstained: Whether nothing of the original was left, so that `text` is the abstention.
        notes: Why there are no edits, if the judge failed.
    """

    text: str
    edits: tuple[RepairEdit, ...] = ()
    unresolved: tuple[Verdict, ...] = ()
    score: float | None = None
    passed: bool | None = None
    abstained: bool = False
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything was changed."""
        return bool(self.edits)
