"""Questions that take a text apart: the claims of an output, the truths of a context."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from msgspec import structs

from ..errors import ReplyError
from ..plumbing.public import public_in
from ..prompt import Material
from ..text.quotes import folded, locate, word_set
from ..text.windows import cut
from ..verdict import Claim
from .question import Passage, Question, listed, packed, text_in


def numbered(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims with the ids c1, c2, … in order."""
    return tuple(structs.replace(claim, id=f"c{i}") for i, claim in enumerate(claims, start=1))


@public_in("halluscope.metrics")
class ExtractClaims(Question[tuple[Claim, ...]], frozen=True, kw_only=True):
    """Which statements does the output make? `offset` is where this piece of the output starts."""

    kind: ClassVar[str] = "extract"
    answer_type: ClassVar[Any] = tuple[Claim, ...]

    output: str
    input: str | None = None
    offset: int = 0

    def slots(self) -> Mapping[str, str | Material]:
        return {"output": Material(self.output), "input": Material(self.input)}

    def schema(self) -> dict[str, Any]:
        return _list_schema("claims")

    def read(self, data: Any) -> tuple[Claim, ...]:
        """The claims, each with its place in the output where it has one.

        All of them: one in other words than the output's may be in another language, and is judged like the others.
        """
        texts = _distinct(listed(data, "claims", "statements"), self.output)
        closest = _closest_sentence(self.output)
        return numbered([self._placed(text, closest) for text in texts])

    def _placed(self, text: str, closest: Callable[[str], tuple[int, int] | None]) -> Claim:
        place = locate(text, self.output) or closest(text)
        if place is None:
            return Claim("", text)
        return Claim("", text, place[0] + self.offset, place[1] + self.offset)

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
        """Claims repeated in several parts are one claim, as they are within a part."""
        once: dict[str, Claim] = {}
        for claim in (claim for claims in answers for claim in claims):
            once.setdefault(folded(claim.text), claim)
        return numbered(list(once.values()))


@public_in("halluscope.metrics")
class ExtractTruths(Question[tuple[str, ...]], frozen=True, kw_only=True):
    """Which facts does the context state? At most `limit` of them, where there is a limit."""

    kind: ClassVar[str] = "truths"
    answer_type: ClassVar[Any] = tuple[str, ...]

    passages: tuple[Passage, ...]
    limit: int | None = None

    def slots(self) -> Mapping[str, str | Material]:
        wanted = "all facts" if self.limit is None else f"the {self.limit} most important facts"
        return {"context": Material([p.text for p in self.passages]), "wanted": wanted}

    def schema(self) -> dict[str, Any]:
        return _list_schema("truths")

    def read(self, data: Any) -> tuple[str, ...]:
        return tuple(_distinct(listed(data, "truths", "facts", "claims"), self.material))[: self.limit]

    @property
    def size(self) -> int:
        return sum(len(p.text) for p in self.passages)

    def split(self, limit: int) -> tuple[ExtractTruths, ...]:
        return tuple(structs.replace(self, passages=group) for group in packed(self.passages, max(1, limit)))

    def merge(self, parts: Sequence[Question[tuple[str, ...]]], answers: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(_distinct([truth for truths in answers for truth in truths]))[: self.limit]


def _list_schema(key: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {key: {"type": "array", "items": {"type": "string"}}},
        "required": [key],
        "additionalProperties": False,
    }


def _distinct(items: Sequence[Any], material: str = "") -> list[str]:
    """The texts in a list, each once. An item that is no text is asked for again rather than dropped; a number is
    one where the judged text holds it."""
    texts: dict[str, str] = {}
    for item in items:
        if isinstance(item, dict):
            item = next((item[key] for key in ("claim", "statement", "text", "truth") if key in item), item)
        if isinstance(item, (list, dict, bool)) or (isinstance(item, (int, float)) and str(item) not in material):
            raise ReplyError("the list in the reply must hold texts alone")
        text = text_in(item)
        if text:
            texts.setdefault(folded(text) or text, text)
    if items and not texts:
        raise ReplyError("the list in the reply holds no text")
    return list(texts.values())


def _closest_sentence(output: str) -> Callable[[str], tuple[int, int] | None]:
    """Finds the sentence that has most words in common with a claim; the output is taken apart once, if at all."""
    taken_apart: list[tuple[int, int, frozenset[str]]] = []

    def closest(claim: str) -> tuple[int, int] | None:
        from ..text.sentences import sentences

        if not taken_apart:
            taken_apart.extend((s.start, s.end, word_set(output[s.start : s.end])) for s in sentences(output))
        words = word_set(claim)
        best, most = None, 0.5
        for start, end, spoken in taken_apart:
            shared = len(words & spoken) / (min(len(words), len(spoken)) or 1)
            if shared > most:
                best, most = (start, end), shared
        return best

    return closest
