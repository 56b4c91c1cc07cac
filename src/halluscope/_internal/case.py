"""A case: what was asked, what the model said, and the context it was given."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from .conversation import CONTEXT_FROM, Conversation, read_conversation
from .errors import CaseError
from .plumbing.public import public

_UNREADABLE = re.compile("[\ud800-\udfff\x00]")
"""Lone surrogates cannot be encoded and NUL bytes end strings in half of all software: both are
replaced one for one, so that every place in the text stays where it was."""

_DOCUMENT_KEYS = ("text", "content", "page_content", "document", "passage")


@public
class Case(Struct, frozen=True, kw_only=True):
    """One output to be judged. Make one with `Case.of`, which cleans what it is given.

    `context` is None where no context was given and empty where one was given and held nothing:
    the first cannot be judged, the second supports no claim.
    `notes` say what was done to the texts on their way in.
    """

    output: str
    context: tuple[str, ...] | None = None
    input: str | None = None
    id: str = ""
    metadata: dict[str, Any] = {}
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        output: object,
        context: object = None,
        input: object = None,
        *,
        id: object = None,
        metadata: Mapping[str, Any] | None = None,
        context_from: Iterable[str] = CONTEXT_FROM,
    ) -> Case:
        """A case from whatever the caller has: strings, lists, documents, structured output, a conversation.

        Of a conversation (messages as the output, or as the input, before it) the last answer is judged. Where no
        context is given it is what the conversation held: `context_from` says which parts of it count, of "tools",
        "documents", "system", "user" (what the user said earlier), "question" and "assistant" (earlier answers).
        """
        notes: list[str] = []
        talk = _conversation(output, input, context_from)
        if talk is not None:
            notes.append(talk.note(with_context=context is None))
            output, input = talk.answer, input if isinstance(input, str) else talk.question
            context = talk.context if context is None else context
        said = _text("output", output, notes) if output is not None else ""
        asked = _text("input", input, notes) if input is not None else None
        passages = _passages(context, notes)
        return cls(
            output=said,
            context=passages,
            input=asked,
            id=content_id(said, passages, asked) if id is None or id == "" else clean(str(id)),
            metadata=_metadata(metadata),
            notes=tuple(notes),
        )

    @property
    def passages(self) -> tuple[tuple[int, str], ...]:
        """The passages that hold text, each with its index in `context`."""
        return tuple((i, text) for i, text in enumerate(self.context or ()) if text.strip())

    @property
    def named(self) -> bool:
        """Whether the id says which case it is; one made from the texts says only what they are."""
        return self.id != content_id(self.output, self.context, self.input)


def _conversation(output: object, input: object, context_from: Iterable[str]) -> Conversation | None:
    """The conversation that output and input are, None where they are texts or data."""
    if isinstance(input, str) or input is None:
        return (
            None if isinstance(output, str) or output is None else read_conversation(output, context_from=context_from)
        )
    return read_conversation(input, "" if output is None else output, context_from=context_from)


def content_id(output: str, context: Sequence[str] | None, input: str | None) -> str:
    """A short id that is the same for the same texts."""
    return hashlib.sha256(msgspec.msgpack.encode((output, context, input))).hexdigest()[:16]


def clean(text: str) -> str:
    """The text without characters that cannot be encoded, of the same length."""
    if text.isascii() and "\0" not in text:  # most texts, told twenty times as fast as by looking at each character
        return text
    return _UNREADABLE.sub("\ufffd", text)


def _text(name: str, value: object, notes: list[str]) -> str:
    if isinstance(value, str):
        text = clean(value)
        if text != value:
            notes.append(f"unreadable characters in the {name} were replaced")
        return text
    if isinstance(value, (dict, list, tuple, int, float)) and not isinstance(value, bool):
        notes.append(f"the {name} was given as data and is judged as JSON text")
        return clean(_json(name, value))
    raise CaseError(f"the {name} is a {type(value).__name__}: pass a string, or data that JSON can hold.")


def _json(name: str, value: object) -> str:
    try:
        return msgspec.json.encode(value, enc_hook=str).decode()
    except UnicodeEncodeError:
        import json

        return json.dumps(value, ensure_ascii=True, default=str)
    except (TypeError, ValueError, RecursionError) as error:
        raise CaseError(f"the {name} cannot be written as JSON ({error}): pass a string.") from error


def _metadata(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The metadata as JSON holds it, so that a result can be written down and read back as it was."""
    if not given:
        return {}
    if not isinstance(given, Mapping):
        raise CaseError(f"the metadata is a {type(given).__name__}: pass a dictionary.")
    try:
        return {clean(str(key)): _plain(value) for key, value in given.items()}
    except RecursionError as error:
        raise CaseError("the metadata holds itself: pass data that JSON can hold.") from error


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if -(2**63) <= value < 2**64 else _digits(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {clean(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    if callable(getattr(value, "tolist", None)):
        return _plain(value.tolist())
    return clean(str(value))


def _digits(number: int) -> str:
    try:
        return str(number)
    except ValueError:  # Python refuses to write out thousands of digits, which takes long
        return hex(number)


def _passages(context: object, notes: list[str]) -> tuple[str, ...] | None:
    if context is None:
        return None
    if isinstance(context, (str, Mapping)):
        context = [context]
    if not isinstance(context, Iterable) or isinstance(context, (bytes, bytearray)):
        raise CaseError(f"the context is a {type(context).__name__}: pass a string or a list of passages.")
    return tuple(_passage(passage, notes) for passage in context)


def _passage(passage: object, notes: list[str]) -> str:
    if passage is None:
        return ""
    if isinstance(passage, Mapping):
        for key in _DOCUMENT_KEYS:
            if isinstance(passage.get(key), str):
                return _text("context", passage[key], notes)
        return _text("context", dict(passage), notes)
    held = getattr(passage, "page_content", None)
    return _text("context", held if isinstance(held, str) else passage, notes)
