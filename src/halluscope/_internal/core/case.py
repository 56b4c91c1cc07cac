"""A case: an output, the context it should be grounded in, and the question it answers."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct, structs

from .conversation import (
    CONTEXT_FROM,
    Conversation,
    checked_sources,
    read_conversation,
    read_prompt,
    read_turns,
)
from .errors import CaseError
from .plumbing.json_values import TOO_DEEP, too_deep
from .plumbing.public import public, public_in

_UNREADABLE = re.compile("[\ud800-\udfff\x00]")
"""Lone surrogates cannot be encoded, and NUL bytes end strings in some programs. Both are replaced one for one, so that
offsets in the text stay valid."""

_DOCUMENT_KEYS = ("text", "content", "page_content", "document", "passage")


@public_in("halluscope.runs")
class Turn(Struct, frozen=True, kw_only=True):
    """The place of a case in its conversation: an answer of the assistant, or a tool call.

    Attributes:
        conversation: The id of the conversation.
        number: The number of the turn, from 1.
        of: How many turns the conversation has.
        message: The index of its message.
        tool: The name of the tool, if it is a tool call.
        arguments: The arguments of the tool call.
    """

    conversation: str
    number: int
    of: int
    message: int
    tool: str | None = None
    arguments: dict[str, Any] = {}


@public
class Case(Struct, frozen=True, kw_only=True):
    """One output to check. Create it with `Case.of`, which cleans and converts its arguments.

    Attributes:
        output: The text to check.
        context: The passages. None means that no context was given, so the case cannot be judged. An empty context
            supports no claim.
        input: The question.
        id: The id of the case. By default a hash of its texts.
        metadata: Any data, stored with the results.
        notes: How the texts were changed or converted.
        turn: The place in a conversation, if the case is one of its turns.

    Example:
        >>> Case.of("It closed in 1921.", ["The mill closed in 1921."], "When did the mill close?").output
        'It closed in 1921.'
    """

    output: str
    context: tuple[str, ...] | None = None
    input: str | None = None
    id: str = ""
    metadata: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    turn: Turn | None = None

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
        """Create a case from strings, lists, documents, structured output or a conversation.

        Args:
            output: The text to check, data that is checked as JSON, or messages whose last answer is checked.
            context: The passages: strings, documents, or a list of them. By default those in the conversation, or
                those written into `input`.
            input: The question, or the messages before the output.
            id: The id of the case. By default a hash of its texts.
            metadata: Any data, stored with the results.
            context_from: Which parts of a conversation count as context: "tools", "documents", "prompt" (context
                inside a message), "system", "user" (earlier messages of the user), "question" and "assistant"
                (earlier answers).

        Returns:
            The case. Its `notes` say what was converted.

        Raises:
            CaseError: An argument has a type that cannot be read.
        """
        notes: list[str] = []
        talk = _conversation(output, input, context_from)
        if talk is not None:
            notes += talk.notes(
                "read as a conversation, of which the last answer is judged", with_context=context is None
            )
            output, input = talk.answer, input if isinstance(input, str) else talk.question
            context = talk.context if context is None else context
        elif context is None and isinstance(input, str) and "prompt" in checked_sources(context_from):
            parts = read_prompt(input)
            if parts is not None:
                notes.append(f"the context was found {parts.where} in the input")
                context, input = parts.passages, parts.rest
        text = _text("output", output, notes) if output is not None else ""
        question = _text("input", input, notes) if input is not None else None
        passages = _passages(context, notes)
        return cls(
            output=text,
            context=passages,
            input=question,
            id=_given_id(id) or content_id(text, passages, question),
            metadata=_metadata(metadata),
            notes=tuple(notes),
        )

    @classmethod
    def of_turns(
        cls,
        output: object,
        context: object = None,
        input: object = None,
        *,
        id: object = None,
        metadata: Mapping[str, Any] | None = None,
        context_from: Iterable[str] = CONTEXT_FROM,
        since_user: bool = False,
        most: int | None = None,
    ) -> tuple[Case, ...]:
        """A case for every answer and every tool call of a conversation, with what was known at that point.

        Args:
            output: The messages, or the last answer to the messages in `input`.
            context: A context to judge all answers against, in place of what the conversation held.
            input: The messages before the answer, if it stands apart.
            id: The id of the conversation.
            metadata: Data to keep with each case.
            context_from: The parts of the conversation that count as context, as for `Case.of`.
            since_user: Take only the turns after the last message of the user.
            most: Most turns to read.

        Returns:
            The cases in order; none if `output` and `input` are no conversation or hold no answer.

        Raises:
            CaseError: If there are more than `most` turns, or a message cannot be read.
        """
        apart = input is not None and not isinstance(input, str)
        messages, answer = (input, "" if output is None else output) if apart else (output, None)
        if isinstance(messages, str):
            return ()
        read = read_turns(messages, answer, context_from=context_from, since_user=since_user) or ()
        steps = list(islice(read, None if most is None else most + 1))
        if most is not None and len(steps) > most:
            raise CaseError(f"the conversation has more than {most:,} turns: send it in parts.")
        made: list[Case] = []
        for number, step in enumerate(steps, start=1):
            call = step.call
            what = f"turn {number} of {len(steps)}, {f'a call of {call.tool_name}' if call else 'an answer'}"
            notes = step.notes(what, with_context=context is None or call is not None)
            given = step.context if context is None else _passages(context, notes)
            if call is not None and context is not None:  # the values of arguments come from the conversation
                given = (*(given or ()), *(step.context or ()))
            turn = Turn(
                conversation="",
                number=number,
                of=len(steps),
                message=step.message,
                tool=clean(call.tool_name) if call else None,
                arguments=_metadata(call.arguments) if call else {},
            )
            case = cls.of(step.answer, given, step.question, metadata=metadata, context_from=())
            made.append(structs.replace(case, notes=(*notes, *case.notes), turn=turn))
        name = _given_id(id) or _hash([(case.output, case.context, case.input) for case in made])
        for number, case in enumerate(made):
            assert case.turn is not None
            turn = structs.replace(case.turn, conversation=name)
            made[number] = structs.replace(case, id=f"{name}/{number + 1}", turn=turn)
        return tuple(made)

    @property
    def passages(self) -> tuple[tuple[int, str], ...]:
        """The passages that are not empty, each with its index in `context`."""
        return tuple((i, text) for i, text in enumerate(self.context or ()) if text.strip())

    @property
    def is_tool_call(self) -> bool:
        """Whether the case is a tool call, of which the arguments are judged."""
        return self.turn is not None and self.turn.tool is not None

    @property
    def named(self) -> bool:
        """Whether the id was given, and not made from the texts."""
        return self.id != content_id(self.output, self.context, self.input)


def _conversation(output: object, input: object, context_from: Iterable[str]) -> Conversation | None:
    """Read output and input as a conversation. Returns None if they are texts or data."""
    if isinstance(input, str) or input is None:
        apart = isinstance(output, str) or output is None
        return None if apart else read_conversation(output, context_from=context_from)
    return read_conversation(input, "" if output is None else output, context_from=context_from)


def content_id(output: str, context: Sequence[str] | None, input: str | None) -> str:
    """Return a short hash of the texts."""
    return _hash((output, context, input))


def _hash(texts: object) -> str:
    return hashlib.sha256(msgspec.msgpack.encode(texts)).hexdigest()[:16]


def _given_id(id: object) -> str:
    return "" if id is None else clean(str(id))


def clean(text: str) -> str:
    """Replace characters that cannot be encoded. The length stays the same."""
    if text.isascii() and "\0" not in text:  # twenty times as fast as the regular expression
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
    raise CaseError(f"the {name} is {_a_type(value)}: pass a string, or data that JSON can hold.")


def _json(name: str, value: object) -> str:
    try:
        if too_deep(value):
            raise ValueError(TOO_DEEP)
        return msgspec.json.encode(value, enc_hook=str).decode()
    except UnicodeEncodeError:
        import json

        return json.dumps(value, ensure_ascii=True, default=str)
    except (TypeError, ValueError, RecursionError) as error:
        raise CaseError(f"the {name} cannot be written as JSON ({error}): pass a string.") from error


def _metadata(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Convert metadata to plain JSON values, so that a stored result equals the original."""
    if not given:
        return {}
    if not isinstance(given, Mapping):
        raise CaseError(f"the metadata is {_a_type(given)}: pass a dictionary.")
    if too_deep(given):
        raise CaseError(f"the metadata cannot be stored: {TOO_DEEP}, or it contains itself.")
    return {clean(str(key)): _plain(value) for key, value in given.items()}


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
    except ValueError:  # Python limits the number of digits
        return hex(number)


def _a_type(value: object) -> str:
    name = type(value).__name__
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _passages(context: object, notes: list[str]) -> tuple[str, ...] | None:
    if context is None:
        return None
    if isinstance(context, (str, Mapping)):
        context = [context]
    if not isinstance(context, Iterable) or isinstance(context, (bytes, bytearray)):
        raise CaseError(f"the context is {_a_type(context)}: pass a string or a list of passages.")
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
