"""Questions that divide a text into statements: the claims of an output, the facts of a context."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from msgspec import structs

from ...core.errors import ReplyError
from ...core.plumbing.public import public_in
from ...core.prompt import Material
from ...core.verdict import Claim
from ...text.quotes import folded, locate, word_set
from ...text.windows import cut
from .question import CHARACTERS_PER_TOKEN, Passage, Question, list_schema, listed, packed, text_in


def numbered(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims with the ids c1, c2, …."""
    return tuple(structs.replace(claim, id=f"c{i}") for i, claim in enumerate(claims, start=1))


@public_in("halluscope.metrics")
class ExtractClaims(Question[tuple[Claim, ...]], frozen=True, kw_only=True):
    """Asks for the claims that an output makes.

    Attributes:
        output: The output, or a piece of it.
        input: The question that the output answers.
        offset: Where the piece starts in the output.
    """

    kind: ClassVar[str] = "extract"
    answer_type: ClassVar[Any] = tuple[Claim, ...]
    reads_output: ClassVar[bool] = True

    output: str
    input: str | None = None
    offset: int = 0

    def slots(self) -> Mapping[str, str | Material]:
        return {"output": Material(self.output), "input": Material(self.input)}

    def schema(self) -> dict[str, Any]:
        return list_schema("claims", {"type": "string"})

    def read(self, data: Any) -> tuple[Claim, ...]:
        """Read all claims, each with its position in the output if it can be located.

        A claim that shares no word with the output may be a translation, so it is kept.
        """
        texts = _distinct(listed(data, "claims", "statements"), self.output)
        closest = _closest_sentence(self.output)
        claims: list[Claim] = []
        for text in texts:
            place = locate(text, self.output) or closest(text)
            span = (place[0] + self.offset, place[1] + self.offset) if place else ()
            claims.append(Claim("", text, *span))
        return numbered(claims)

    def claims_in(self, answer: tuple[Claim, ...]) -> tuple[Claim, ...]:
        return answer

    def typical_answer(self) -> tuple[Claim, ...]:
        return _sentence_claims(self.output)

    def typical_reply_tokens(self) -> int:
        return round(len(self.output) / CHARACTERS_PER_TOKEN * 1.2) + 10

    @property
    def size(self) -> int:
        return len(self.output)

    def split(self, limit: int) -> tuple[ExtractClaims, ...]:
        return tuple(
            structs.replace(self, output=self.output[start:end], offset=self.offset + start)
            for start, end in cut(self.output, max(1, limit))
        )

    def merge(
        self, parts: Sequence[Question[tuple[Claim, ...]]], answers: Sequence[tuple[Claim, ...]]
    ) -> tuple[Claim, ...]:
        """All claims, without repetitions."""
        once: dict[str, Claim] = {}
        for claim in (claim for claims in answers for claim in claims):
            once.setdefault(folded(claim.text), claim)
        return numbered(list(once.values()))


@public_in("halluscope.metrics")
class ExtractTruths(Question[tuple[str, ...]], frozen=True, kw_only=True):
    """Asks for the facts that the context states.

    Attributes:
        passages: The context.
        limit: Most facts to list, None for all.
    """

    kind: ClassVar[str] = "truths"
    answer_type: ClassVar[Any] = tuple[str, ...]

    passages: tuple[Passage, ...]
    limit: int | None = None

    def slots(self) -> Mapping[str, str | Material]:
        wanted = "all facts" if self.limit is None else f"the {self.limit} most important facts"
        return {"context": Material([p.text for p in self.passages]), "wanted": wanted}

    def schema(self) -> dict[str, Any]:
        return list_schema("truths", {"type": "string"})

    def read(self, data: Any) -> tuple[str, ...]:
        context = "\n".join(passage.text for passage in self.passages)
        return tuple(_distinct(listed(data, "truths", "facts", "claims"), context))[: self.limit]

    def typical_answer(self) -> tuple[str, ...]:
        return tuple(claim.text for p in self.passages for claim in _sentence_claims(p.text))[: self.limit]

    def typical_reply_tokens(self) -> int:
        return round(self.size / CHARACTERS_PER_TOKEN)

    @property
    def size(self) -> int:
        return sum(len(p.text) for p in self.passages)

    def split(self, limit: int) -> tuple[ExtractTruths, ...]:
        return tuple(structs.replace(self, passages=group) for group in packed(self.passages, max(1, limit)))

    def merge(self, parts: Sequence[Question[tuple[str, ...]]], answers: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(_distinct([truth for truths in answers for truth in truths]))[: self.limit]


def _sentence_claims(text: str) -> tuple[Claim, ...]:
    from ...text.sentences import sentences

    return numbered([Claim("", text[s.start : s.end], s.start, s.end) for s in sentences(text)])


def _distinct(items: Sequence[Any], material: str = "") -> list[str]:
    """The texts in a list, without repetitions. Raise `ReplyError` for items that are not text.

    A number counts as text if it occurs in `material`, the judged text.
    """
    texts: dict[str, str] = {}
    for item in items:
        if isinstance(item, dict):
            item = next((item[key] for key in ("claim", "statement", "text", "truth") if key in item), item)
        if isinstance(item, (list, dict, bool)) or (isinstance(item, (int, float)) and str(item) not in material):
            raise ReplyError("the list in the reply must contain only texts")
        text = text_in(item)
        if text:
            texts.setdefault(folded(text) or text, text)
    if items and not texts:
        raise ReplyError("the list in the reply contains no text")
    return list(texts.values())


_FEW = 50
"""Sentences. A word that more of them share says little about which of them a claim was taken from."""


def _closest_sentence(output: str) -> Callable[[str], tuple[int, int] | None]:
    """A function that finds the sentence of the output with most words in common with a claim."""
    places: list[tuple[int, int]] = []
    words_of: list[frozenset[str]] = []
    with_word: dict[str, list[int]] = {}

    def take_apart() -> None:
        from ...text.sentences import sentences

        for number, span in enumerate(sentences(output)):
            places.append((span.start, span.end))
            words_of.append(word_set(span.of(output)))
            for word in words_of[-1]:
                with_word.setdefault(word, []).append(number)

    def closest(claim: str) -> tuple[int, int] | None:
        if not places:
            take_apart()
        words = word_set(claim)
        found = [with_word[word] for word in words if word in with_word]
        telling = [numbers for numbers in found if len(numbers) <= _FEW] or [numbers[:_FEW] for numbers in found]
        best, most = None, 0.5
        for number in sorted(set().union(*telling)):
            shared = len(words & words_of[number]) / min(len(words), len(words_of[number]))
            if shared > most:
                best, most = places[number], shared
        return best

    return closest
