"""Is the output as a whole factual or hallucinated?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct, structs

from ..errors import ReplyError
from ..plumbing.public import public_in
from ..prompt import Material
from ..text.quotes import word_set
from ..text.windows import cut
from ..verdict import Verdict, Vote
from .question import Passage, Question, packed, text_in, word_of

FACTUAL, HALLUCINATED = "factual", "hallucinated"
WORDS = (FACTUAL, HALLUCINATED)
_SAID = re.compile(r"\b(factual|hallucinated)\b", re.IGNORECASE)


@public_in("halluscope.metrics")
class Labelled(Struct, frozen=True):
    """The label, why, and the probability that the output is hallucinated where the judge gives one.

    `verdicts` are those of single claims, where the judge looked at them. Where it asked others,
    `judge` is the one that decided and `votes` are all that were given. `listed`: the reasons came
    as a list.
    """

    label: str
    reasons: tuple[str, ...] = ()
    probability: float | None = None
    verdicts: tuple[Verdict, ...] = ()
    judge: str | None = None
    votes: tuple[Vote, ...] = ()
    notes: tuple[str, ...] = ()
    listed: bool = False


@public_in("halluscope.metrics")
class LabelAnswer(Question[Labelled], frozen=True, kw_only=True):
    """Factual or hallucinated? `passages` is None where the caller gave no context at all."""

    kind: ClassVar[str] = "label"
    answer_type: ClassVar[Any] = Labelled

    output: str
    passages: tuple[Passage, ...] | None = None
    input: str | None = None

    def slots(self) -> Mapping[str, str | Material]:
        passages = self.passages
        return {
            "input": Material(self.input),
            "context": Material(None if passages is None else [{"id": p.label, "text": p.text} for p in passages]),
            "output": Material(self.output),
        }

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {
                "reason": {"type": "array", "items": {"type": "string"}},
                "verdict": {"type": "string", "enum": list(WORDS)},
            },
            "required": ["reason", "verdict"],
            "additionalProperties": False,
        }

    def read(self, data: Any) -> Labelled:
        if isinstance(data, list) and len(data) == 1:
            data = data[0]
        if not isinstance(data, dict):
            raise ReplyError('the reply must be an object with "verdict" and "reason"')
        said = data.get("verdict", data.get("label"))
        label = word_of(said, WORDS)
        if label is None:
            raise ReplyError(f'"verdict" must be "factual" or "hallucinated", not {text_in(said)!r}')
        reasons = data.get("reason", data.get("explanation"))
        listed = reasons if isinstance(reasons, list) else [reasons]
        texts = tuple(text for text in map(text_in, listed) if text)
        return Labelled(label, texts, listed=isinstance(reasons, list))

    def read_text(self, text: str) -> Labelled:
        """A reply of one word, or one that says one of the two and is sure not to quote it from what is judged."""
        word = word_of(text, WORDS)
        if word is not None:
            return Labelled(word)
        if _SAID.search(self.material):
            raise ReplyError('the reply must be the JSON object, or one of "factual" and "hallucinated"', reply=text)
        said = set(_SAID.findall(text.casefold()))
        negated = re.search(r"\bnot\s+(?:\w+\s+)?(?:factual|hallucinated)\b", text, re.IGNORECASE)
        if len(said) != 1 or negated:
            raise ReplyError('the reply must name one of "factual" and "hallucinated"', reply=text)
        return Labelled(said.pop(), (text.strip(),))

    @property
    def size(self) -> int:
        return len(self.output) + sum(len(p.text) for p in self.passages or ())

    def split(self, limit: int) -> tuple[LabelAnswer, ...]:
        """Pieces of the output, each with those parts of the context that share most words with it.

        Pieces of the context would not do: an output whose sentences rest on different pieces is
        factual, and hallucinated by each piece alone.
        """
        room = max(1, limit // 2)
        parts = []
        for start, end in cut(self.output, room):
            said = self.output[start:end]
            parts.append(structs.replace(self, output=said, passages=_nearest(said, self.passages, room)))
        return tuple(parts)

    def merge(self, parts: Sequence[Question[Labelled]], answers: Sequence[Labelled]) -> Labelled:
        wrong = [a for a in answers if a.label == HALLUCINATED]
        chosen = wrong or list(answers)
        known = [a.probability for a in answers if a.probability is not None]
        return Labelled(
            HALLUCINATED if wrong else FACTUAL,
            tuple(reason for answer in chosen for reason in answer.reasons),
            max(known) if len(known) == len(answers) else None,
            verdicts=tuple(verdict for answer in answers for verdict in answer.verdicts),
        )


def _nearest(said: str, passages: tuple[Passage, ...] | None, room: int) -> tuple[Passage, ...] | None:
    if passages is None or sum(len(p.text) for p in passages) <= room:
        return passages
    spoken = word_set(said)
    pieces = [p for group in packed(passages, max(1, room // 4)) for p in group]
    ranked = sorted(pieces, key=lambda p: -len(word_set(p.text) & spoken))
    kept: list[Passage] = []
    for piece in ranked:
        if len(piece.text) <= room:
            kept.append(piece)
            room -= len(piece.text)
    return tuple(sorted(kept, key=lambda p: (p.index, p.offset)))
