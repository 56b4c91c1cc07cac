"""The base class of questions, and helpers to read replies."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec import Struct

from ...core.counting import count_of
from ...core.errors import JudgeRefused, ReplyError, ReplyTruncated
from ...core.plumbing.public import public_in
from ...core.prompt import Material, Prompt, render
from ...core.verdict import Claim, Verdict
from ...text.lenient_json import NoJson, Unreadable, parse_json
from ...text.windows import cut

T = TypeVar("T")

WordProbabilities = tuple[str, dict[str, float]]
"""A word of a verdict, and the probabilities of all words of the vocabulary in its place."""

CHARACTERS_PER_TOKEN = 4.0
"""A rule of thumb for English."""
TOKENS_PER_VERDICT, TOKENS_PER_ANSWER = 70, 90
"""Typical length of a verdict in a reply, and of a reply that is a label or a reason."""

_PROBABILITIES = "probabilities"
"""The key under which the probabilities of words are added to a decoded verdict."""

_HEADED_EXAMPLES = re.compile(r"^[^\n{}]*:\n\{\{examples\}\}\n\n", re.MULTILINE)
"""A heading with the examples below it. Without examples, both are left out."""

_REFUSAL = re.compile(
    r"\s*(?:I(?:'|’)?m (?:very )?sorry|I am sorry|sorry,|I (?:can(?:no|')t|can’t|am unable to|won(?:'|’)t) )",
    re.IGNORECASE,
)


@public_in("halluscope.metrics")
class Passage(Struct, frozen=True):
    """A context passage, or a piece of one.

    Attributes:
        index: Number of the passage in the context, from 0.
        text: Text of the piece.
        offset: Where the piece starts in the passage.
    """

    index: int
    text: str
    offset: int = 0

    @property
    def label(self) -> str:
        """The id of the passage in prompts and replies."""
        return f"p{self.index + 1}"


@public_in("halluscope.metrics")
class Question(Struct, Generic[T], frozen=True, kw_only=True, dict=True):
    """A request from a metric to a judge. `T` is the type of the answer.

    A chat judge renders the question as a prompt and reads the reply with `read_reply`. Other judges use the fields.

    Attributes:
        template: The metric's prompt, with `{{slots}}`.
        examples: Few-shot examples: cases with their correct answers.
    """

    kind: ClassVar[str]
    answer_type: ClassVar[Any]
    noun: ClassVar[str] = ""
    """What an item is called. Empty if the answer is about the whole output."""
    repairs: ClassVar[int | None] = None
    """Most repairs of an unusable reply, if fewer than the retry policy allows."""
    counts_in_part: ClassVar[bool] = False
    """Whether the complete part of a truncated reply can be used."""
    reads_output: ClassVar[bool] = False
    """Whether the judge itself divides the output into claims."""
    reads_text: ClassVar[bool] = True
    """Whether a judge has to read the judged text. If not, the fields of the question are enough for an answer."""

    template: str = ""
    examples: tuple[dict[str, Any], ...] = ()

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The words of a verdict."""
        return ()

    def slots(self) -> Mapping[str, str | Material]:
        """The values for the slots of the template."""
        return {}

    def schema(self) -> dict[str, Any]:
        """The JSON schema of the reply."""
        raise NotImplementedError

    def read_reply(self, text: str, truncated: bool = False, probabilities: Sequence[WordProbabilities] = ()) -> T:
        """Read the answer from the text of a reply.

        Args:
            text: The reply.
            truncated: Whether the reply was cut off.
            probabilities: The verdicts in the reply, in order, with the probabilities of the words.

        Raises:
            ReplyError: If the reply cannot be used. The message says what is wrong, for the judge to correct.
            JudgeRefused: If the judge declines to answer.
        """
        if not text.strip():
            raise ReplyError("the reply is empty", reply=text)
        try:
            data, cut_off = parse_json(text, self.code)
        except NoJson:
            if _REFUSAL.match(text):
                raise JudgeRefused("the judge declined to answer", body=text) from None
            if truncated:
                raise ReplyTruncated("the reply stops before its end", reply=text) from None
            word = word_of(text, self.vocabulary)
            if word is None or not probabilities:
                return self.read_text(text)
            data, cut_off = {"verdict": word}, False
        except Unreadable as error:
            if truncated:
                raise ReplyTruncated("the reply stops before its end", reply=text) from None
            wanted = "it must be one JSON object, with the code it was asked for"
            raise ReplyError(f"{error}; {wanted}", reply=text) from None
        short = cut_off or truncated
        if short and not self.counts_in_part:
            raise ReplyTruncated("the reply stops before its end", reply=text)
        _add_probabilities(data, () if short else probabilities)
        try:
            return self.read(data)
        except ReplyError as error:
            if short:
                raise ReplyTruncated("the reply stops before its end", reply=text) from error
            error.reply = error.body = text
            raise

    def read(self, data: Any) -> T:
        """Read the answer from a decoded JSON reply; raise `ReplyError` if it cannot be used."""
        raise NotImplementedError

    def read_text(self, text: str) -> T:
        """Read the answer from a reply without JSON. Most questions refuse it."""
        raise ReplyError("the reply contains no JSON object", reply=text)

    def render(self) -> Prompt:
        """Fill the template."""
        examples = Material(list(self.examples)) if self.examples else "(none)"
        template = self.template if self.examples else _HEADED_EXAMPLES.sub("", self.template)
        return render(template, {"examples": examples, **self.slots()})

    @cached_property
    def prompt(self) -> Prompt:
        """The rendered prompt, cached."""
        return self.render()

    @property
    def code(self) -> str:
        """A word that a reply should carry and that the judged text does not contain."""
        return self.prompt.code

    @property
    def size(self) -> int:
        """Number of characters of judged text in the question."""
        raise NotImplementedError

    def split(self, limit: int) -> tuple[Question[T], ...]:
        """Split the question into parts of about `limit` characters, for a judge with a small window."""
        return (self,)

    def merge(self, parts: Sequence[Question[T]], answers: Sequence[T]) -> T:
        """Merge the answers to the parts that `split` returned. What the answers leave out stays missing."""
        return answers[0]

    def items(self) -> tuple[str, ...]:
        """Ids of what is judged one by one. Empty if the answer cannot be combined from several judges."""
        return ()

    def items_in_words(self, count: int) -> str:
        """A number of items in words, such as "3 claims"."""
        return count_of(count, self.noun) if self.noun else "the answer"

    def narrowed(self, items: Collection[str]) -> Question[T]:
        """The same question about some of its items."""
        return self

    def judgements(self, answer: T) -> dict[str, Any]:
        """The part of an answer that is about each item. Items without an answer are absent."""
        return {}

    def joined(self, judgements: Sequence[Any], refused: Sequence[str] = ()) -> T:
        """Combine judgements into an answer: the reverse of `judgements`."""
        raise NotImplementedError

    def refused(self, answer: Any) -> tuple[str, ...]:
        """Descriptions of the verdicts in an answer that were refused."""
        return ()

    def claims_in(self, answer: T) -> tuple[Claim, ...] | None:
        """The claims in an answer, None for questions that are not about extracting claims."""
        return None

    def verdicts_in(self, answer: T) -> tuple[Verdict, ...] | None:
        """The verdicts in an answer, None for questions that are not about verifying claims."""
        return None

    def typical_answer(self) -> T:
        """An answer of typical size, to estimate the cost of a run."""
        raise NotImplementedError

    def typical_reply_tokens(self) -> int:
        """Number of tokens in a typical reply."""
        return TOKENS_PER_ANSWER

    def fingerprint(self) -> str:
        """A hash of the question. Equal questions have equal fingerprints."""
        return hashlib.sha256(msgspec.msgpack.encode((self.kind, self))).hexdigest()


def listed(data: Any, *keys: str) -> list[Any]:
    """The list in a reply: the reply itself, or its value under one of `keys`."""
    if isinstance(data, dict):
        for key in keys:
            if isinstance(data.get(key), list):
                return list(data[key])
        if isinstance(data.get(keys[0]), (str, dict)):
            return [data[keys[0]]]
        raise ReplyError(f'the reply must be an object with a list under "{keys[0]}"')
    if isinstance(data, list):
        return data
    raise ReplyError(f"the reply must be an object, not {type(data).__name__}")


def object_schema(**properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object whose fields are all required."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def list_schema(key: str, item: dict[str, Any]) -> dict[str, Any]:
    return object_schema(**{key: {"type": "array", "items": item}})


def text_in(value: Any) -> str:
    """The text of a JSON value: a string, a number, or strings in a list or object."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return " ".join(text for text in map(text_in, value) if text)
    if isinstance(value, dict):
        return next((text for text in map(text_in, value.values()) if text), "")
    return str(value)


def word_of(value: Any, words: Iterable[str]) -> str | None:
    """The word of a vocabulary that a text consists of, None for any other text.

    A word inside a sentence does not count, because the sentence may deny it ("far from factual").
    """
    said = value.strip(" \n.!\"'`*").casefold() if isinstance(value, str) else ""
    return said if said in words else None


def _add_probabilities(data: Any, found: Sequence[WordProbabilities]) -> None:
    """Add the probabilities to the verdicts in a decoded reply. What the reply itself says about them is removed.

    Verdicts that a model drafts before its reply do not count. Unless the words agree one by one, none are added.
    """
    whole = data["verdicts"] if isinstance(data, dict) and isinstance(data.get("verdicts"), list) else data
    items = [item for item in (whole if isinstance(whole, list) else [whole]) if isinstance(item, dict)]
    for item in items:
        item.pop(_PROBABILITIES, None)
    last = found[-len(items) :] if items else ()
    words = [word_of(item.get("verdict", item.get("label")), [said]) for item, (said, _) in zip(items, last)]  # noqa: B905
    if len(last) == len(items) and words == [said for said, _ in last]:
        for item, (_, by_word) in zip(items, last, strict=True):
            item[_PROBABILITIES] = by_word


def probability_in(item: Mapping[str, Any], words: Collection[str]) -> float | None:
    """The probability that a verdict of a reply is one of these words, None if it is not known."""
    by_word = item.get(_PROBABILITIES)
    return None if by_word is None else sum(by_word.get(word, 0.0) for word in words)


def distinct(texts: Sequence[tuple[int, str]]) -> tuple[Passage, ...]:
    """The passages, without exact repetitions."""
    seen: dict[str, Passage] = {}
    for index, text in texts:
        seen.setdefault(text.strip(), Passage(index, text))
    return tuple(seen.values())


def packed(passages: Sequence[Passage], limit: int) -> list[tuple[Passage, ...]]:
    """Group the passages into at most `limit` characters each, cutting long passages into pieces."""
    groups: list[tuple[Passage, ...]] = []
    group: list[Passage] = []
    room = limit
    for passage in passages:
        for start, end in cut(passage.text, limit):
            piece = Passage(passage.index, passage.text[start:end], passage.offset + start)
            if group and len(piece.text) > room:
                groups.append(tuple(group))
                group, room = [], limit
            group.append(piece)
            room -= len(piece.text)
    if group:
        groups.append(tuple(group))
    return groups
