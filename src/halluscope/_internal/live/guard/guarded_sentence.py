"""A checked sentence: its verdicts, and what is shown in its place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, Union

from msgspec import Struct

from ...core.errors import InputError, UnknownName
from ...core.plumbing.public import public_in
from ...core.repair import RepairEdit
from ...core.verdict import Support, Verdict

Action = Literal["passed", "marked", "replaced", "repaired", "stopped"]
"""How a sentence was handled."""


@public_in("halluscope.live")
class GuardedSentence(Struct, frozen=True, kw_only=True):
    """One sentence of a guarded stream.

    Attributes:
        text: The sentence as the model wrote it.
        start: Index of its first character in the original text.
        end: Index after its last character.
        before: The text between the previous sentence and this one.
        shown: The text to show in its place.
        action: "passed", "marked", "replaced", "repaired" or "stopped".
        verdicts: The verdicts on its claims, with offsets in the original text.
        edits: The changes of a repair, with offsets in the original text.
        unchecked: Why it was not judged.
        delay_ms: Milliseconds between the end of the sentence and its output.
    """

    text: str
    start: int
    end: int
    before: str = ""
    shown: str = ""
    action: Action = "passed"
    verdicts: tuple[Verdict, ...] = ()
    edits: tuple[RepairEdit, ...] = ()
    unchecked: str | None = None
    delay_ms: float = 0.0

    @property
    def support(self) -> Support | None:
        """The worst support of its claims. None without a judged claim."""
        found = {verdict.support for verdict in self.verdicts}
        return next((support for support in _WORST_FIRST if support in found), None)

    @property
    def reason(self) -> str | None:
        """The reason of the worst verdict."""
        return next((verdict.reason for verdict in self.verdicts if verdict.support is self.support), self.unchecked)


_WORST_FIRST = (Support.CONTRADICTED, Support.UNSUPPORTED, Support.SUPPORTED, Support.NOT_A_CLAIM)

PolicyFunction = Callable[[GuardedSentence], Union[str, Awaitable[Union[str, None]], None]]
"""Returns the text to show instead of a flagged sentence, or None to stop. Asynchronous ones need an async stream."""

Policy = Union[Literal["pass", "mark", "replace", "repair", "stop"], PolicyFunction]
"""How to handle flagged sentences."""

REMOVED = "[This sentence is left out: the sources do not support it.]"


class Rules(Struct, frozen=True, kw_only=True):
    """Which sentences are flagged, and how they are handled."""

    policy: Policy
    replacement: str
    flags: frozenset[Support]
    min_confidence: float
    flag_unchecked: bool

    def is_flagged(self, sentence: GuardedSentence) -> bool:
        return (self.flag_unchecked and sentence.unchecked is not None) or any(
            verdict.support in self.flags and (verdict.confidence is None or verdict.confidence >= self.min_confidence)
            for verdict in sentence.verdicts
        )

    def decided(self, sentence: GuardedSentence, returned: object = None) -> tuple[str | None, Action]:
        """Return the text to show for a flagged sentence, or None to stop, and the name of the action.

        `returned` is what a policy function returned for it.
        """
        if callable(self.policy):
            if returned is not None and not isinstance(returned, str):
                kind = type(returned).__name__
                raise InputError(f"the policy returned a {kind}: return the text to show, or None to stop.")
            return returned, "stopped" if returned is None else "passed" if returned == sentence.text else "replaced"
        decisions: dict[str, tuple[str | None, Action]] = {
            "pass": (sentence.text, "passed"),
            "mark": (f"{sentence.text} [{sentence.support or 'unchecked'}]", "marked"),
            "replace": (self.replacement, "replaced"),
            "repair": (sentence.shown, "repaired") if sentence.edits else (self.replacement, "replaced"),
            "stop": (None, "stopped"),
        }
        if self.policy not in decisions:
            raise UnknownName("policy", str(self.policy), decisions)
        return decisions[self.policy]


def passed_on(sentence: GuardedSentence) -> str:
    """What is passed on of a sentence: of one that a repair removed, not even the list marker before it."""
    removed = sentence.action == "repaired" and not sentence.shown
    return "" if removed or sentence.action == "stopped" else sentence.before + sentence.shown
