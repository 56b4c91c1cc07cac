"""Reading a conversation: its answers and tool calls, and the question and context before each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, get_args

from msgspec import UNSET, Struct, structs

from ..errors import CaseError
from ..plumbing.json_values import TOO_DEEP, json_text, too_deep
from .messages import ASSISTANT, SYSTEM, TOOL, TYPED_ITEMS, USER, messages_of, parts_of, passages_in, plain, text_of
from .prompt_context import PromptParts, read_prompt
from .tool_results import ToolCall, extract_tool_results, tool_calls

Source = Literal["tools", "documents", "prompt", "system", "user", "question", "assistant"]
SOURCES: tuple[Source, ...] = get_args(Source)
"""Parts of a conversation that can be context: results of tools, attached documents, context inside messages, the rest
of system messages and of earlier messages of the user, the question, and earlier answers of the assistant."""

CONTEXT_FROM: tuple[Source, ...] = ("tools", "documents", "prompt", "system", "user")
"""The default. Questions may contain false statements and earlier answers may be hallucinated, so they do not count."""

_ROLES = ASSISTANT | USER | SYSTEM | TOOL
_SPOKEN_IN = ("content", "parts", "tool_calls", "toolInvocations", "tool_invocations", "function_call")


class Conversation(Struct, frozen=True):
    """One answer or tool call, in the message with this index, the question before it, and the context known by then.

    `found` counts the passages by source; `details` are for the notes.
    """

    answer: str
    question: str | None
    context: tuple[str, ...] | None
    found: dict[str, int] = {}
    details: tuple[str, ...] = ()
    message: int = -1
    call: ToolCall | None = None

    def notes(self, what: str, *, with_context: bool) -> list[str]:
        """Say what was read from the conversation, and against what it is judged if its context is used."""
        parts = [f"{n} {_NAMES[source][n != 1]}" for source, n in self.found.items()]
        held = f", against {', '.join(parts)}" if parts and with_context else ""
        return [f"{what}{held}", *(self.details if with_context else ())]


_NAMES = {
    "tools": ("passage from tools", "passages from tools"),
    "documents": ("attached document", "attached documents"),
    "prompt": ("passage inside a prompt", "passages inside a prompt"),
    "system": ("system message", "system messages"),
    "user": ("earlier turn of the user", "earlier turns of the user"),
    "question": ("question", "questions"),
    "assistant": ("earlier answer", "earlier answers"),
}


def read_conversation(
    messages: Any, answer: Any = None, *, context_from: Iterable[str] = CONTEXT_FROM
) -> Conversation | None:
    """Read a list of messages, a request or a response, with the answer if it stands apart. None for anything else."""
    found = _talk(messages, answer, context_from)
    if found is None:
        return None
    talk, first = found
    spoken = [place for place in talk.answers if place >= first]
    return talk.read(spoken[-1] if spoken else None)


def read_turns(
    messages: Any, answer: Any = None, *, context_from: Iterable[str] = CONTEXT_FROM, since_user: bool = False
) -> Iterator[Conversation] | None:
    """Every answer and tool call of the assistant (`since_user`: after the user's last message), as known by then."""
    found = _talk(messages, answer, context_from)
    if found is None:
        return None
    talk, _ = found
    return talk.steps(talk.asked(talk.turns) if since_user else 0)


class _Talk:
    """The messages of a conversation, with the context that is written into them."""

    def __init__(self, turns: list[dict[str, Any]], wanted: frozenset[str]) -> None:
        self.turns = turns
        self.wanted = wanted
        self.texts = [text_of(turn) for turn in turns]
        self.answers = dict.fromkeys(
            i for i, turn in enumerate(turns) if _is(turn, ASSISTANT) and self.texts[i].strip()
        )
        self.prompts: dict[int, PromptParts] = {}
        for place, turn in enumerate(turns if "prompt" in wanted else ()):
            parts = read_prompt(self.texts[place], instructions=_is(turn, SYSTEM)) if _is(turn, USER | SYSTEM) else None
            if parts is not None:
                self.prompts[place] = parts

    def asked(self, until: Sequence[dict[str, Any]]) -> int:
        """The index of the last message of the user, -1 if there is none."""
        return max((i for i, turn in enumerate(until) if _is(turn, USER) and self.texts[i].strip()), default=-1)

    def rest(self, place: int) -> str:
        """The text of a message without the context that is written into it."""
        return self.prompts[place].rest if place in self.prompts else self.texts[place]

    def steps(self, first: int) -> Iterator[Conversation]:
        """The answers and tool calls from this message on."""
        known: set[str] = set()
        for place, turn in enumerate(self.turns):
            calls = [call for call in tool_calls(turn) if call.tool_call_id is None or call.tool_call_id not in known]
            known.update(call.tool_call_id for call in calls if call.tool_call_id is not None)
            if place < first:
                continue
            made = (self.call(place, number, calls) for number in range(len(calls)))
            said = (self.read(place) for _ in range(place in self.answers))
            calls_first = any(call.result is not UNSET for call in calls)
            yield from chain(made, said) if calls_first else chain(said, made)

    def read(self, last: int | None) -> Conversation:
        """The answer in a message, or without one what the conversation holds."""
        until = len(self.turns) if last is None else last + 1
        place = -1 if last is None else last
        return self._step("" if last is None else self.texts[last], self.turns[:until], place, self.wanted)

    def call(self, place: int, number: int, calls: Sequence[ToolCall]) -> Conversation:
        """A tool call in a message. It was made before its result was known; the question says what it is for."""
        step = self._step(str(calls[number]), self.turns[:place], place, self.wanted | {*CONTEXT_FROM, "question"})
        inner = [text for call in calls[:number] if call.result is not UNSET for text in passages_in(call.result)]
        if inner:
            found = {**step.found, "tools": step.found.get("tools", 0) + len(inner)}
            step = structs.replace(step, context=(*(step.context or ()), *inner), found=found)
        return structs.replace(step, call=calls[number])

    def _step(self, answer: str, until: list[dict[str, Any]], last: int, wanted: frozenset[str]) -> Conversation:
        asked = self.asked(until)
        passages: list[str] = []
        found: dict[str, int] = {}
        details = [f"the context was found {self.prompts[i].where}" for i in range(len(until)) if i in self.prompts]
        for source in SOURCES:
            if source in wanted and (texts := list(self._texts(source, until, asked, last, details))):
                passages += texts
                found[source] = len(texts)
        return Conversation(
            answer=answer,
            question=None if asked < 0 else self.rest(asked),
            context=tuple(passages) if found else None,
            found=found,
            details=tuple(dict.fromkeys(details)),
            message=last,
        )

    def _texts(
        self, source: Source, until: list[dict[str, Any]], asked: int, last: int, details: list[str]
    ) -> Iterable[str]:
        """The passages from one source, in the messages up to an answer or call."""
        if source == "tools":
            return _returned(until, details)
        if source == "documents":
            return _documents(until)
        if source == "prompt":
            return chain.from_iterable(self.prompts[i].passages for i in range(len(until)) if i in self.prompts)
        roles, places = {
            "system": (SYSTEM, range(len(until))),
            "user": (USER, range(asked)),
            "question": (USER, range(max(0, asked), asked + 1)),
            "assistant": (ASSISTANT, range(last)),
        }[source]
        return [text for i in places if _is(self.turns[i], roles) and (text := self.rest(i)).strip()]


def _talk(messages: Any, answer: Any, context_from: Iterable[str]) -> tuple[_Talk, int] | None:
    """The conversation, and the message with which the answer begins."""
    wanted = checked_sources(context_from)
    if too_deep((messages, answer)):
        raise CaseError(f"the messages cannot be read: {TOO_DEEP}.")
    turns = _turns(messages)
    if turns is None:
        return None
    turns, first = (turns, 0) if answer is None else _with_answer(turns, answer)
    return _Talk(turns, wanted), first


def checked_sources(context_from: Iterable[str]) -> frozenset[str]:
    named = [context_from] if isinstance(context_from, str) else list(context_from)
    for source in named:
        if source not in SOURCES:
            raise CaseError(f"no context comes from {source!r}: it comes from {', '.join(SOURCES)}.")
    return frozenset(named)


def _turns(value: Any) -> list[dict[str, Any]] | None:
    """The messages, with the instructions of a request. Stricter than `messages_of`: data may have a "role" too."""
    if value is None or isinstance(value, (str, bytes, int, float)):
        return None
    messages = messages_of(value)
    if not messages or not all(_is_turn(message) for message in messages):
        return None
    held = None if isinstance(value, (list, tuple)) else plain(value)
    instructions = (held or {}).get("system") or (held or {}).get("instructions")
    return [{"role": "system", "content": instructions}, *messages] if instructions else messages


def _is_turn(message: Mapping[str, Any]) -> bool:
    role = message.get("role")
    if role is None:
        return TYPED_ITEMS.get(str(message.get("type")), "") in message
    return role in _ROLES and any(key in message for key in _SPOKEN_IN)


def _is(turn: Mapping[str, Any], roles: frozenset[str]) -> bool:
    return turn.get("role") in roles


def _with_answer(turns: list[dict[str, Any]], answer: Any) -> tuple[list[dict[str, Any]], int]:
    """Append the answer, unless the turns end with it. Returns the turns and the index of the answer."""
    said = _turns(answer) or [
        {"role": "assistant", "content": answer if isinstance(answer, str) else json_text(answer)}
    ]
    known = max(0, len(turns) - len(said))
    if [text_of(turn) for turn in turns[known:]] == [text_of(turn) for turn in said] and _is(turns[-1], ASSISTANT):
        return turns, known
    return [*turns, *said], len(turns)


def _returned(until: list[dict[str, Any]], details: list[str]) -> Iterator[str]:
    """What tools returned. A later result of the same call takes the place of an earlier one."""
    results = extract_tool_results(until)
    latest: dict[str, int] = {}
    for place, result in enumerate(results):
        if result.args is not None and not result.is_error:
            latest[json_text((result.tool_name, result.args))] = place
    for place, result in enumerate(results):
        if result.args is not None and latest.get(json_text((result.tool_name, result.args)), place) > place:
            details.append(f"an earlier result of {result.tool_name} was left out: a later call returned a newer one")
        else:
            yield from passages_in(result.result)


def _documents(until: list[dict[str, Any]]) -> Iterator[str]:
    """Documents and search results in the format of Anthropic."""
    for turn in until:
        for part in parts_of(turn):
            if part.get("type") == "document":
                source = plain(part.get("source")) or {}
                text = source.get("data") if source.get("type") == "text" else text_of(source)
            elif part.get("type") == "search_result":
                text = text_of(part)
            else:
                continue
            if isinstance(text, str) and text.strip():
                yield text
