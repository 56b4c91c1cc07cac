"""What every question has in common."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec import Struct

from ..errors import JudgeRefused, ReplyError, ReplyTruncated
from ..plumbing.public import public_in
from ..prompt import Material, Prompt, render
from ..text.lenient_json import NoJson, Unreadable, parse_json
from ..text.windows import cut

T = TypeVar("T")

_REFUSAL = re.compile(
    r"\s*(?:I(?:'|’)?m (?:very )?sorry|I am sorry|sorry,|I (?:can(?:no|')t|can’t|am unable to|won(?:'|’)t) )",
    re.IGNORECASE,
)


@public_in("halluscope.metrics")
class Passage(Struct, frozen=True):
    """A context passage, or a piece of one: `offset` is where the piece starts in passage `index`."""

    index: int
    text: str
    offset: int = 0

    @property
    def label(self) -> str:
        """The passage's id on the wire."""
        return f"p{self.index + 1}"


@public_in("halluscope.metrics")
class Question(Struct, Generic[T], frozen=True, kw_only=True, dict=True):
    """Something a metric asks a judge. `T` is the type of the answer.

    A chat judge renders the question as a prompt and reads the reply with `read`; a judge with a
    model of its own looks at the fields. `template` is the metric's prompt for it, `examples` are
    cases with their right answers, shown to judges that learn from examples.
    """

    kind: ClassVar[str]
    answer_type: ClassVar[Any]
    repairs: ClassVar[int | None] = None
    """How often an unusable reply is worth asking for again, where that is less than for others."""
    counts_in_part: ClassVar[bool] = False
    """Whether a reply that was cut off counts with what is whole of it: what it lacks is then asked for again."""

    template: str = ""
    examples: tuple[dict[str, Any], ...] = ()

    def slots(self) -> Mapping[str, str | Material]:
        """What fills the template."""
        return {}

    def schema(self) -> dict[str, Any]:
        """The JSON schema of the reply."""
        raise NotImplementedError

    def read_reply(self, text: str, truncated: bool = False) -> T:
        """The answer in a reply, or the error that says what is wrong with it."""
        if not text.strip():
            raise ReplyError("the reply is empty", reply=text)
        try:
            data, cut_off = parse_json(text, self.code, lambda: self.material)
        except NoJson:
            if _REFUSAL.match(text):
                raise JudgeRefused("the judge declined to answer", body=text) from None
            if truncated:
                raise ReplyTruncated("the reply stops before its end", reply=text) from None
            return self.read_text(text)
        except Unreadable as error:
            wanted = "it must be one JSON object, with the code it was asked for"
            raise ReplyError(f"{error}; {wanted}", reply=text) from None
        short = cut_off or truncated
        if short and not self.counts_in_part:
            raise ReplyTruncated("the reply stops before its end", reply=text)
        try:
            return self.read(data)
        except ReplyError as error:
            if short:
                raise ReplyTruncated("the reply stops before its end", reply=text) from error
            error.reply = error.body = text
            raise

    def read(self, data: Any) -> T:
        """The answer in a decoded reply; `ReplyError` says what is wrong with it."""
        raise NotImplementedError

    def read_text(self, text: str) -> T:
        """The answer in a reply that holds no JSON: for most questions there is none."""
        raise ReplyError("the reply holds no JSON object", reply=text)

    def render(self) -> Prompt:
        """The question as a prompt."""
        examples = Material(list(self.examples)) if self.examples else "(none)"
        return render(self.template, {"examples": examples, **self.slots()})

    @cached_property
    def prompt(self) -> Prompt:
        """What `render` makes of the question, made once."""
        return self.render()

    @property
    def code(self) -> str:
        """The word that a reply to this question should carry, and that the judged text does not hold."""
        return self.prompt.code

    @property
    def material(self) -> str:
        """The judged text, which a reply may quote."""
        return "\n".join(_strings([slot.value for slot in self.slots().values() if isinstance(slot, Material)]))

    @property
    def size(self) -> int:
        """How many characters of judged text the question carries."""
        raise NotImplementedError

    def split(self, limit: int) -> tuple[Question[T], ...]:
        """The question in parts of about `limit` characters, for a judge with a small window."""
        return (self,)

    def merge(self, parts: Sequence[Question[T]], answers: Sequence[T]) -> T:
        """One answer from those to the parts of `split`. What one part left out is missing from the whole."""
        return answers[0]

    def fingerprint(self) -> str:
        """Names the question by content: the same words asked the same way have the same name."""
        return hashlib.sha256(msgspec.msgpack.encode((self.kind, self))).hexdigest()


def _strings(value: Any) -> Iterator[str]:
    """Every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _strings(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _strings(item)


def listed(data: Any, *keys: str) -> list[Any]:
    """The list that a reply holds under one of `keys`, or that the reply is."""
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


def verdicts_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of a list of verdicts, every field of each required."""
    item = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {
        "type": "object",
        "properties": {"verdicts": {"type": "array", "items": item}},
        "required": ["verdicts"],
        "additionalProperties": False,
    }


def text_in(value: Any) -> str:
    """A text the reply holds, whether it wrote a string, a number or a list of strings there."""
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
    """The vocabulary's word that a reply holds, None for anything else."""
    said = text_in(value).strip(" .!\"'`*").casefold()
    return said if said in words else None


def distinct(texts: Sequence[tuple[int, str]]) -> tuple[Passage, ...]:
    """The passages without those that repeat another word for word."""
    seen: dict[str, Passage] = {}
    for index, text in texts:
        seen.setdefault(text.strip(), Passage(index, text))
    return tuple(seen.values())


def packed(passages: Sequence[Passage], limit: int) -> list[tuple[Passage, ...]]:
    """The passages in groups of at most `limit` characters, long ones cut into pieces."""
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
