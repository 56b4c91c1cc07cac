"""The question whether the output contradicts each passage of the context."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from msgspec import structs

from ...core.plumbing.public import public_in
from ...core.prompt import Material
from ...core.verdict import Claim, Support, Verdict
from ...text.windows import cut
from .question import Passage, list_schema, object_schema, packed, probability_in, text_in
from .verify import VerdictQuestion, Verification

AGREES, CONTRADICTS = "yes", "no"


@public_in("halluscope.metrics")
class ComparePassages(VerdictQuestion, frozen=True, kw_only=True):
    """Asks for each passage whether the output agrees with it or contradicts it.

    Attributes:
        output: The output, or a piece of it.
        passages: The passages to compare it with.
        input: The question that the output answers.
    """

    kind: ClassVar[str] = "compare"
    noun: ClassVar[str] = "passage"
    reads_output: ClassVar[bool] = True
    strongest_last: ClassVar[tuple[Support, ...]] = (
        Support.NOT_A_CLAIM,
        Support.SUPPORTED,
        Support.UNSUPPORTED,
        Support.CONTRADICTED,
    )

    output: str
    passages: tuple[Passage, ...]
    input: str | None = None

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return (AGREES, CONTRADICTS)

    @property
    def asked(self) -> tuple[Claim, ...]:
        return tuple(Claim(label, self.output) for label in dict.fromkeys(p.label for p in self.passages))

    def verdict(self, passage: Passage, agrees: bool, **more: Any) -> Verdict:
        """A verdict on one of the passages.

        Args:
            passage: The passage.
            agrees: Whether the output agrees with it.
            **more: Further fields of the verdict.
        """
        support, word = (Support.SUPPORTED, AGREES) if agrees else (Support.CONTRADICTED, CONTRADICTS)
        return Verdict(Claim(passage.label, self.output), support, word=word, passage=passage.index, **more)

    def slots(self) -> Mapping[str, str | Material]:
        return {
            "output": Material(self.output),
            "context": Material([{"id": p.label, "text": p.text} for p in self.passages]),
            "count": str(len(self.passages)),
        }

    def schema(self) -> dict[str, Any]:
        verdict = object_schema(
            id={"type": "string", "enum": [p.label for p in self.passages]},
            reason={"type": "string"},
            verdict={"type": "string", "enum": [AGREES, CONTRADICTS]},
        )
        return list_schema("verdicts", verdict)

    def _verdict(self, claim: Claim, word: str, item: dict[str, Any]) -> Verdict:
        passage = next(p for p in self.passages if p.label == claim.id)
        reason = text_in(item.get("reason")) or None
        return self.verdict(passage, word == AGREES, reason=reason, confidence=probability_in(item, (word,)))

    def narrowed(self, items: Collection[str]) -> ComparePassages:
        return structs.replace(self, passages=tuple(p for p in self.passages if p.label in items))

    def typical_answer(self) -> Verification:
        return Verification(tuple(self.verdict(passage, True) for passage in self.passages))

    @property
    def size(self) -> int:
        return len(self.output) + sum(len(p.text) for p in self.passages)

    def split(self, limit: int) -> tuple[ComparePassages, ...]:
        room = max(1, limit // 2)
        pieces = [self.output[start:end] for start, end in cut(self.output, room)]
        groups = [group for part in packed(self.passages, room) for group in _one_piece_each(part)]
        return tuple(structs.replace(self, output=said, passages=g) for said in pieces for g in groups)


def _one_piece_each(group: tuple[Passage, ...]) -> list[tuple[Passage, ...]]:
    """Separate pieces of the same passage: in one question they would have the same id."""
    groups: list[list[Passage]] = []
    for piece in group:
        home = next((g for g in groups if all(p.index != piece.index for p in g)), None)
        if home is None:
            groups.append([piece])
        else:
            home.append(piece)
    return [tuple(g) for g in groups]
