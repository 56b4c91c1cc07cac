"""The question whether the output as a whole is factual or hallucinated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct, structs

from ...core.errors import ReplyError
from ...core.plumbing.public import public_in
from ...core.prompt import Material
from ...core.verdict import Support, Verdict, Vote
from ...text.quotes import word_set
from ...text.windows import cut
from .question import Passage, Question, object_schema, packed, probability_in, text_in, word_of

FACTUAL, HALLUCINATED = "factual", "hallucinated"
WORDS = (FACTUAL, HALLUCINATED)
_WHOLE = "answer"


@public_in("halluscope.metrics")
class Labelled(Struct, frozen=True):
    """The label of an output.

    Attributes:
        label: "factual" or "hallucinated".
        reasons: The judge's explanation.
        probability: Probability that the output is hallucinated, if the judge gives one.
        verdicts: Verdicts on single claims, if the judge gives them.
        judge: The judge that decided, where several were asked.
        votes: The votes of all judges that were asked.
        notes: Notes for the result.
        listed: Whether the judge gave its reasons as a list.
    """

    label: str
    reasons: tuple[str, ...] = ()
    probability: float | None = None
    verdicts: tuple[Verdict, ...] = ()
    judge: str | None = None
    votes: tuple[Vote, ...] = ()
    notes: tuple[str, ...] = ()
    listed: bool = False

    @property
    def support(self) -> Support:
        return Support.UNSUPPORTED if self.label == HALLUCINATED else Support.SUPPORTED

    @property
    def confidence(self) -> float | None:
        """Probability that the label is right, None if the judge gives none."""
        wrong = self.label == HALLUCINATED
        return self.probability if wrong or self.probability is None else 1.0 - self.probability


@public_in("halluscope.metrics")
class LabelAnswer(Question[Labelled], frozen=True, kw_only=True):
    """Asks whether an output is factual or hallucinated.

    Attributes:
        output: The output, or a piece of it.
        passages: The context, None if none was given.
        input: The question that the output answers.
    """

    kind: ClassVar[str] = "label"
    answer_type: ClassVar[Any] = Labelled
    reads_output: ClassVar[bool] = True

    output: str
    passages: tuple[Passage, ...] | None = None
    input: str | None = None

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return WORDS

    def slots(self) -> Mapping[str, str | Material]:
        passages = self.passages
        return {
            "input": Material(self.input),
            "context": Material(None if passages is None else [p.text for p in passages]),
            "output": Material(self.output),
        }

    def schema(self) -> dict[str, Any]:
        reasons = {"type": "array", "items": {"type": "string"}}
        return object_schema(reason=reasons, verdict={"type": "string", "enum": list(WORDS)})

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
        return Labelled(label, texts, probability_in(data, (HALLUCINATED,)), listed=isinstance(reasons, list))

    def read_text(self, text: str) -> Labelled:
        """Read the label from a reply that is a single word."""
        word = word_of(text, WORDS)
        if word is None:
            raise ReplyError(
                'the reply must be the JSON object, or the one word "factual" or "hallucinated"', reply=text
            )
        return Labelled(word)

    def items(self) -> tuple[str, ...]:
        return (_WHOLE,)

    def judgements(self, answer: Labelled) -> dict[str, Labelled]:
        return {_WHOLE: answer}

    def joined(self, judgements: Sequence[Labelled], refused: Sequence[str] = ()) -> Labelled:
        return judgements[0]

    def typical_answer(self) -> Labelled:
        return Labelled(FACTUAL)

    @property
    def size(self) -> int:
        return len(self.output) + sum(len(p.text) for p in self.passages or ())

    def split(self, limit: int) -> tuple[LabelAnswer, ...]:
        """Split the output, and show with each piece the parts of the context that share most words with it.

        Splitting the context instead would be wrong: an output whose sentences are supported by different pieces of it
        is factual, but not supported by any single piece.
        """
        room = max(1, limit // 2)
        parts = []
        for start, end in cut(self.output, room):
            piece = self.output[start:end]
            parts.append(structs.replace(self, output=piece, passages=nearest(piece, self.passages, room)))
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


def nearest(output: str, passages: tuple[Passage, ...] | None, room: int) -> tuple[Passage, ...] | None:
    """The pieces of the passages that share most words with the output, at most `room` characters of them."""
    if passages is None or sum(len(p.text) for p in passages) <= room:
        return passages
    words = word_set(output)
    pieces = [p for group in packed(passages, max(1, room // 4)) for p in group]
    ranked = sorted(pieces, key=lambda p: -len(word_set(p.text) & words))
    kept: list[Passage] = []
    for piece in ranked:
        if len(piece.text) <= room:
            kept.append(piece)
            room -= len(piece.text)
    return tuple(sorted(kept, key=lambda p: (p.index, p.offset)))
