"""Questions that take a text apart: the claims of an output, the truths of a context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import structs

from ..errors import ReplyError
from ..prompt import Data
from ..text.quotes import folded, locate, related, resemblance
from ..text.windows import cut
from ..verdict import Claim
from .base import Passage, Question, listed, packed, text_of

_BARE = 3
"""Words: an answer this short ("Yes.") states what was asked, in the words of the question."""


def numbered(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims with the ids c1, c2, … in order."""
    return tuple(structs.replace(claim, id=f"c{i}") for i, claim in enumerate(claims, start=1))


class ExtractClaims(Question[tuple[Claim, ...]], frozen=True, kw_only=True):
    """Which statements does the output make? `offset` is where this piece of the output starts."""

    kind: ClassVar[str] = "extract"
    answer_type: ClassVar[Any] = tuple[Claim, ...]

    output: str
    input: str | None = None
    offset: int = 0

    def slots(self) -> Mapping[str, str | Data]:
        return {"output": Data(self.output), "input": Data(self.input)}

    def schema(self) -> dict[str, Any]:
        return _list_schema("claims")

    def read(self, data: Any) -> tuple[Claim, ...]:
        """The claims, each with its place in the output; what the output never says is left out."""
        texts = _distinct(listed(data, "claims", "statements"))
        bare = self.input if len(self.output.split()) <= _BARE else None
        said = [text for text in texts if related(text, self.output) or (bare and related(text, bare))]
        if texts and not said:
            raise ReplyError("none of the claims in the reply is made by the text")
        return numbered([self._placed(text) for text in said])

    def _placed(self, text: str) -> Claim:
        place = locate(text, self.output) or _closest_sentence(text, self.output)
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


class ExtractTruths(Question[tuple[str, ...]], frozen=True, kw_only=True):
    """Which facts does the context state? At most `limit` of them, where there is a limit."""

    kind: ClassVar[str] = "truths"
    answer_type: ClassVar[Any] = tuple[str, ...]

    passages: tuple[Passage, ...]
    limit: int | None = None

    def slots(self) -> Mapping[str, str | Data]:
        wanted = "all facts" if self.limit is None else f"the {self.limit} most important facts"
        return {"context": Data([p.text for p in self.passages]), "wanted": wanted}

    def schema(self) -> dict[str, Any]:
        return _list_schema("truths")

    def read(self, data: Any) -> tuple[str, ...]:
        texts = _distinct(listed(data, "truths", "facts", "claims"))
        stated = [text for text in texts if any(related(text, p.text) for p in self.passages)]
        if texts and not stated:
            raise ReplyError("none of the facts in the reply is stated by the context")
        return tuple(stated)[: self.limit]

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


def _distinct(items: Sequence[Any]) -> list[str]:
    texts: dict[str, str] = {}
    for item in items:
        if isinstance(item, dict):
            item = next((item[key] for key in ("claim", "statement", "text", "truth") if key in item), item)
        text = text_of(item)
        if text:
            texts.setdefault(folded(text), text)
    if items and not texts:
        raise ReplyError("the list in the reply holds no text")
    return list(texts.values())


def _closest_sentence(claim: str, output: str) -> tuple[int, int] | None:
    from ..text.sentences import sentences

    best, best_score = None, 0.5
    for span in sentences(output):
        score = resemblance(claim, output[span.start : span.end])
        if score > best_score:
            best, best_score = (span.start, span.end), score
    return best
