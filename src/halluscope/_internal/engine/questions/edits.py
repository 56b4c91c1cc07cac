"""The question how to repair the claims of an output that the context does not support."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, cast

from msgspec import Struct, structs

from ...core.errors import ReplyError
from ...core.plumbing.public import public_in
from ...core.prompt import Material
from ...core.repair import EditKind
from ...core.verdict import Evidence, Verdict
from ...text.quotes import word_set
from ...text.taking_out import removal, sentences_around
from .label_answer import nearest
from .question import CHARACTERS_PER_TOKEN, Passage, Question, list_schema, listed, object_schema, text_in, word_of
from .verify import quoted_in

ACTIONS = ("replace", "remove", "soften")
_TELLING = re.compile(r"\w*\d\w*|\b[A-Z]\w+")
"""Numbers and names: what an edit must not bring in from elsewhere."""


@public_in("halluscope.metrics")
class ProposedEdit(Struct, frozen=True, kw_only=True):
    """An edit of the output: `output[start:end]` is replaced by `after`.

    Attributes:
        claim: Id of the claim that it repairs.
        kind: "replace", "remove" or "soften".
        start: Where it begins in the output.
        end: Where it ends.
        after: The new characters.
        evidence: Quotations that it rests on.
    """

    claim: str
    kind: EditKind
    start: int
    end: int
    after: str = ""
    evidence: tuple[Evidence, ...] = ()


@public_in("halluscope.metrics")
class ProposeEdits(Question[tuple[ProposedEdit, ...]], frozen=True, kw_only=True):
    """Asks for one edit for each claim that the context does not support.

    Attributes:
        output: The output.
        passages: The context.
        verdicts: The verdicts on the wrong claims, which have places in the output.
        input: The question that the output answers.
        tried: Edits that did not help, as pairs of characters before and after.
    """

    kind: ClassVar[str] = "edits"
    answer_type: ClassVar[Any] = tuple[ProposedEdit, ...]

    output: str
    passages: tuple[Passage, ...]
    verdicts: tuple[Verdict, ...]
    input: str | None = None
    tried: tuple[tuple[str, str], ...] = ()

    def slots(self) -> Mapping[str, str | Material]:
        wrong = [
            {"id": v.claim.id, "statement": v.claim.text, "sentence": self._sentence(v), "problem": v.reason or ""}
            for v in self.verdicts
        ]
        return {
            "context": Material([{"id": p.label, "text": p.text} for p in self.passages]),
            "input": Material(self.input),
            "output": Material(self.output),
            "wrong": Material(wrong),
            "tried": Material([{"before": before, "after": after} for before, after in self.tried]),
        }

    def schema(self) -> dict[str, Any]:
        edit = object_schema(
            id={"type": "string", "enum": [v.claim.id for v in self.verdicts]},
            action={"type": "string", "enum": list(ACTIONS)},
            before={"type": "string"},
            after={"type": "string"},
            evidence={"type": "string"},
        )
        return list_schema("edits", edit)

    def read(self, data: Any) -> tuple[ProposedEdit, ...]:
        """Read the edits. One for an unknown claim, elsewhere in the output or without evidence is refused."""
        found: list[ProposedEdit] = []
        refused: list[str] = []
        for item in listed(data, "edits"):
            try:
                found.append(self._edit(item if isinstance(item, dict) else {}))
            except ReplyError as error:
                refused.append(str(error))
        if not found:
            raise ReplyError(f"the reply contains no usable edit: {'; '.join(refused) or 'there is none'}")
        return tuple(found)

    def _edit(self, item: dict[str, Any]) -> ProposedEdit:
        id, kind = text_in(item.get("id")), word_of(item.get("action"), ACTIONS)
        verdict = next((v for v in self.verdicts if v.claim.id == id), None)
        if verdict is None or kind is None:
            raise ReplyError(f"{id!r} with the action {text_in(item.get('action'))!r} was not asked for")
        before, after = item.get("before"), item.get("after")
        sentence = self._place(verdict)
        said = self.output[sentence.start : sentence.end]
        if not isinstance(before, str) or not before.strip() or said.count(before) != 1:
            raise ReplyError(f"the text before the edit of {id} must occur exactly once in its sentence")
        start = sentence.start + said.index(before)
        if kind == "remove":
            cut = removal(self.output, start, start + len(before))
            return ProposedEdit(claim=id, kind="remove", start=cut.start, end=cut.end, after=cut.after)
        evidence = quoted_in(self.passages, text_in(item.get("evidence")))
        if not isinstance(after, str) or not after.strip() or after == before or not evidence:
            raise ReplyError(f"the edit of {id} needs other words, and evidence copied from the context")
        known = {word for p in self.passages for word in word_set(p.text)} | word_set(said) | word_set(self.input or "")
        if new := [word for word in _TELLING.findall(after) if not word_set(word) <= known]:
            raise ReplyError(f"the edit of {id} adds {new[0]!r}, which is not in the context")
        end = start + len(before)
        return ProposedEdit(
            claim=id, kind=cast("EditKind", kind), start=start, end=end, after=after, evidence=(evidence,)
        )

    def _place(self, verdict: Verdict) -> Any:
        return sentences_around(self.output, verdict.claim.start or 0, verdict.claim.end or 0)

    def _sentence(self, verdict: Verdict) -> str:
        place = self._place(verdict)
        return self.output[place.start : place.end]

    def typical_answer(self) -> tuple[ProposedEdit, ...]:
        return ()

    def typical_reply_tokens(self) -> int:
        return sum(round((60 + len(self._sentence(v))) / CHARACTERS_PER_TOKEN) for v in self.verdicts)

    @property
    def size(self) -> int:
        return len(self.output) + sum(len(p.text) for p in self.passages)

    def split(self, limit: int) -> tuple[ProposeEdits, ...]:
        """The same question with the parts of the context that share most words with the wrong claims."""
        said = " ".join(self._sentence(v) for v in self.verdicts)
        room = max(1, limit - len(self.output))
        return (structs.replace(self, passages=nearest(said, self.passages, room) or ()),)
