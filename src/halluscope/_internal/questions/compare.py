"""Does the output contradict each passage of the context?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct, structs

from ..errors import ReplyError
from ..plumbing.public import public_in
from ..prompt import Material
from ..text.windows import cut
from ..verdict import Evidence, Verdict, Vote
from .question import Passage, Question, listed, packed, text_in, verdicts_schema, word_of

AGREES, CONTRADICTS = "yes", "no"


@public_in("halluscope.metrics")
class PassageVerdict(Struct, frozen=True):
    """Whether the output agrees with one passage; `judge` and `votes` as in a `Verdict`."""

    passage: int
    agrees: bool
    reason: str | None = None
    confidence: float | None = None
    evidence: tuple[Evidence, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    judge: str | None = None
    votes: tuple[Vote, ...] = ()
    notes: tuple[str, ...] = ()


@public_in("halluscope.metrics")
class ComparePassages(Question[tuple[PassageVerdict, ...]], frozen=True, kw_only=True):
    """Yes where the output agrees with the passage, no where it contradicts it. Some may be missing."""

    kind: ClassVar[str] = "compare"
    counts_in_part: ClassVar[bool] = True
    answer_type: ClassVar[Any] = tuple[PassageVerdict, ...]

    output: str
    passages: tuple[Passage, ...]
    input: str | None = None

    def slots(self) -> Mapping[str, str | Material]:
        return {
            "output": Material(self.output),
            "context": Material([{"id": p.label, "text": p.text} for p in self.passages]),
            "count": str(len(self.passages)),
        }

    def schema(self) -> dict[str, Any]:
        properties: dict[str, Any] = {
            "id": {"type": "string", "enum": [p.label for p in self.passages]},
            "reason": {"type": "string"},
            "verdict": {"type": "string", "enum": [AGREES, CONTRADICTS]},
        }
        return verdicts_schema(properties)

    def read(self, data: Any) -> tuple[PassageVerdict, ...]:
        """One verdict per passage, by id, or by place in a complete list without ids."""
        items = [item for item in listed(data, "verdicts", "results") if isinstance(item, dict)]
        by_order = len(items) == len(self.passages) and not any(item.get("id") for item in items)
        labels = {p.label: p.index for p in self.passages}
        found: dict[int, PassageVerdict] = {}
        conflicting: set[int] = set()
        for place, item in enumerate(items):
            index = self.passages[place].index if by_order else labels.get(text_in(item.get("id")))
            word = word_of(item.get("verdict"), (AGREES, CONTRADICTS))
            if index is None or word is None:
                continue
            verdict = PassageVerdict(index, word == AGREES, text_in(item.get("reason")) or None)
            if index in found and found[index].agrees != verdict.agrees:
                conflicting.add(index)
            found.setdefault(index, verdict)
        kept = tuple(verdict for index, verdict in sorted(found.items()) if index not in conflicting)
        if not kept:
            raise ReplyError('no verdict in the reply can be used: give each passage id a "yes" or "no"')
        return kept

    @property
    def size(self) -> int:
        return len(self.output) + sum(len(p.text) for p in self.passages)

    def split(self, limit: int) -> tuple[ComparePassages, ...]:
        room = max(1, limit // 2)
        pieces = [self.output[start:end] for start, end in cut(self.output, room)]
        groups = [group for part in packed(self.passages, room) for group in _one_piece_each(part)]
        return tuple(structs.replace(self, output=said, passages=g) for said in pieces for g in groups)

    def merge(
        self, parts: Sequence[Question[tuple[PassageVerdict, ...]]], answers: Sequence[tuple[PassageVerdict, ...]]
    ) -> tuple[PassageVerdict, ...]:
        """The output contradicts a passage if any piece of it contradicts any piece of the passage.

        It agrees only if all of them do: a passage with a piece that got no verdict has none.
        """
        asked = Counter(p.index for part in parts if isinstance(part, ComparePassages) for p in part.passages)
        given = Counter(verdict.passage for answer in answers for verdict in answer)
        merged: dict[int, PassageVerdict] = {}
        for verdict in (verdict for answer in answers for verdict in answer):
            known = merged.get(verdict.passage)
            if known is None or (known.agrees and not verdict.agrees):
                merged[verdict.passage] = verdict
        settled = (i for i in sorted(merged) if not merged[i].agrees or given[i] >= asked[i])
        return tuple(merged[index] for index in settled)


def _one_piece_each(group: tuple[Passage, ...]) -> list[tuple[Passage, ...]]:
    """Two pieces of one passage would carry the same id: they go into groups of their own."""
    groups: list[list[Passage]] = []
    for piece in group:
        home = next((g for g in groups if all(p.index != piece.index for p in g)), None)
        if home is None:
            groups.append([piece])
        else:
            home.append(piece)
    return [tuple(g) for g in groups]
