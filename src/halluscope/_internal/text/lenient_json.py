"""Reading JSON as language models write it: fenced, wrapped in prose, nearly valid, cut short.

A reply may quote what it was asked about, and that text may hold JSON, fences and tags of its own. So nothing is
taken that could be such a quotation: a reply counts where all of it is one value, or where the value carries the
code that was given out with the question and that the judged text cannot know. A value between sentences and
without the code counts only if all values there are say the same, and the judged text does not hold it.
Where two say different things, well written or not, neither is taken: the judge is asked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from ..case import clean

CODE = "code"
"""The key under which a reply carries the code it was asked for."""

_FENCE = re.compile(r"```[\w-]*")
_THOUGHT_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_MARKS = re.compile(r'[\[\]{}"\\]')
_MOST_VALUES = 20
_MOST_MENDED = 4_000
"""Characters: the time that mending takes grows with their square."""
_STEERS = re.compile(r"""["“”{}\[\]\\]|['‘’`]\s*[,:]|[,:]\s*['‘’`]""")
"""What in the judged text could steer the mending of a reply that quotes it without escaping it."""
_NOT_LETTERS = re.compile(r"[\W_]+")


class Unreadable(ValueError):
    """There is no JSON value in the text that can be taken for the reply; the message says why."""


class NoJson(Unreadable):
    """There is no JSON value in the text at all."""


def parse_json(text: str, code: str = "", material: Callable[[], str] = str) -> tuple[Any, bool]:
    """The JSON value in `text`, and whether it was cut off before its end, with what was whole of it.

    `code` is what the value should carry, `material` gives the judged text, which the reply may quote.
    """
    text = text.lstrip("\ufeff").strip()
    opened = _FENCE.match(text)
    for whole in (text, text[opened.end() : -3].strip() if opened and text.endswith("```") else ""):
        value = _whole(whole)
        if isinstance(value, str):  # the JSON was written as a JSON string once more, or it is a word in quotes
            value = _whole(value.strip())
        if value is not _NONE and not isinstance(value, str):
            return _of_this_call(value, code), False
    judged = material()
    found = _carrying(text, code, judged) if code and code in text else None
    return found or _without_code(text, code, judged)


_NONE = object()
"""Where there is no value: None is one."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    held = {clean(key): value for key, value in pairs}
    if len(held) < len(pairs):
        raise ValueError("a key comes twice: which of the two is meant is anybody's guess")
    return held


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_once)


def _value_at(text: str, start: int) -> tuple[Any, int] | None:
    """The value that starts here, and where it ends."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return _cleaned(value), end


def _whole(text: str) -> Any:
    found = _value_at(text, 0)
    return found[0] if found and found[1] == len(text) else _NONE


def _of_this_call(value: Any, code: str) -> Any:
    """The value without its code; one with another code was made for something else."""
    if not isinstance(value, dict) or CODE not in value or not code:
        return value
    if value[CODE] != code:
        raise Unreadable("the code in the reply is not the one it was asked for")
    return {key: item for key, item in value.items() if key != CODE}


def _carrying(text: str, code: str, material: str) -> tuple[Any, bool] | None:
    """The object that begins with the code: whatever else stands in the reply, the model wrote this one itself."""
    begins = re.compile(r"\{\s*[\"']" + CODE + r"[\"']\s*:\s*[\"']" + re.escape(code) + r"[\"']")
    starts = [match.start() for match in begins.finditer(text)][:_MOST_VALUES]
    values: list[tuple[int, Any]] = []
    after = 0
    for start in starts:
        found = _value_at(text, start) if start >= after else None  # else it quotes itself
        if found is not None:
            values.append((start, _of_this_call(found[0], code)))
            after = found[1]
    if starts and not values:
        end = _closing(text, starts[-1])
        value = _mended(text[starts[-1] : end], material) if end else _whole_items(text, starts[-1])
        if value is None:
            raise Unreadable("the reply is not valid JSON")
        return _of_this_call(value, code), end is None
    # A model that thinks aloud may draft its answer first.
    last = _last_thought(text)
    for since in (0, last):
        answers = [value for start, value in values if start >= since]
        if answers and all(value == answers[0] for value in answers):
            badly_written = [start for start in starts if start >= since and _value_at(text, start) is None]
            _refuse_others(answers[0], text, badly_written, material)
            return answers[0], False
    if values:
        raise Unreadable("the reply holds several answers that differ")
    return None


def _without_code(text: str, code: str, material: str) -> tuple[Any, bool]:
    last = _last_thought(text)
    starts = (0, last) if last else (0,)
    for start in starts:
        found, broken = _objects(text, start)
        if found and all(value == found[0][0] for value, _ in found):
            value, end = found[0]
            _refuse_others(value, text, broken, material)
            if _could_be_quoted(value, text[:end], material):
                raise Unreadable("the only JSON object in the reply may be quoted from the text that is judged")
            return _of_this_call(value, code), False
        if found and start == starts[-1]:
            raise Unreadable("the reply holds several JSON objects that differ")
    opened = _FENCE.match(text)
    body = text[opened.end() :].strip() if opened else text
    start = 0 if body[:1] in ("{", "[") else _only_brace(body, _last_thought(body))
    closed = _closing(body, start)
    mended = _mended(body[start:closed], material) if closed else _whole_items(body, start)
    if mended is None:
        raise NoJson("there is no valid JSON in the reply")
    if closed:
        _refuse_others(mended, body, _openings(body, closed), material)
    return _of_this_call(mended, code), closed is None


def _last_thought(text: str) -> int:
    """Where the last thinking tag ends, 0 where there is none."""
    return max((match.end() for match in _THOUGHT_END.finditer(text)), default=0)


def _only_brace(text: str, start: int) -> int:
    """Where nearly valid JSON may begin between sentences: it is looked for at one place only."""
    place = text.find("{", start)
    if place < 0:
        raise NoJson("there is no JSON value in the reply")
    return place


def _objects(text: str, start: int) -> tuple[list[tuple[dict[str, Any], int]], list[int]]:
    """The valid objects in the text, none of them inside another, each with where it ends; and where others begin."""
    found: list[tuple[dict[str, Any], int]] = []
    broken: list[int] = []
    for _ in range(_MOST_VALUES):
        start = text.find("{", start)
        if start < 0:
            break
        value = _value_at(text, start)
        if value is None:
            broken.append(start)
        elif isinstance(value[0], dict) and value[0]:
            found.append((value[0], value[1]))
        end = value[1] if value else _closing(text, start)
        if end is None:
            break
        start = end
    return found, broken


def _openings(text: str, start: int) -> list[int]:
    """Where other values may begin after one that ended at `start`."""
    return [place for place, mark in _brackets(text, start) if mark in "{["][:_MOST_VALUES]


def _refuse_others(value: Any, text: str, starts: list[int], material: str) -> None:
    """Refuse the reply where a value at one of `starts` says something else than `value`, however it is written."""
    for start in starts:
        found, end = _value_at(text, start), _closing(text, start)
        mended = _mended(text[start:end], material) if found is None and end else None
        other = found[0] if found else mended
        if isinstance(value, dict) and isinstance(other, dict):
            differs = any(other[key] != value[key] for key in other.keys() & value.keys() - {CODE})
        elif isinstance(value, dict):  # prose in braces, or a second answer that cannot be mended
            raw = text[start:end] if other is None else ""
            differs = any(re.search(rf"\b{re.escape(key)}\b\W?\s*:", raw) for key in value if key != CODE)
        else:
            differs = (
                isinstance(other, list) and other != value and any(isinstance(item, (str, dict)) for item in other)
            )
        if differs:
            raise Unreadable("the reply holds several answers that differ")


def _could_be_quoted(value: Any, written: str, material: str) -> bool:
    """Whether the judged text holds all that the value says, in this order, whatever the marks between the words."""
    if not material:
        return False
    held = _letters(material)
    return _letters(" ".join(_texts(value))) in held or _letters(written[written.find("{") :]) in held


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text).casefold()


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *_texts(item))]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [str(value)]


def _mended(text: str, material: str) -> Any:
    """The value after repairs (commas, quotes), None where there is none to be had.

    What is mended is a guess about which quotation mark ends a text. Where the judged text holds marks that could
    lead the guess, asking again is better.
    """
    from json_repair import repair_json

    if len(text) > _MOST_MENDED or _STEERS.search(material):
        return None
    try:
        value = repair_json(text, return_objects=True)
    except (RecursionError, ValueError):
        return None
    return (_cleaned(value) or None) if isinstance(value, dict if text[0] == "{" else list) else None


def _cleaned(value: Any) -> Any:
    """The value without halves of surrogate pairs, which could not be written down again."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean(str(key)): _cleaned(item) for key, item in value.items()}
    return value


def _whole_items(text: str, start: int) -> Any:
    """What is whole of a value that was cut off: the items of its list that have an end."""
    depth: list[str] = []
    end = 0
    for place, mark in _brackets(text, start):
        if mark in "{[":
            depth.append(mark)
        elif depth:
            depth.pop()
            if depth[-1:] == ["["] and len(depth) <= 2 and mark == "}":
                end = place + 1
    closing = "".join("]" if mark == "[" else "}" for mark in reversed(depth[:2]))
    found = _whole(text[start:end] + closing) if end else _NONE
    return None if found is _NONE else found


def _closing(text: str, start: int) -> int | None:
    """Where the value that opens at `start` ends, None where it never does."""
    depth = 0
    for place, mark in _brackets(text, start):
        depth += 1 if mark in "{[" else -1
        if depth <= 0:
            return place + 1
    return None


def _brackets(text: str, start: int) -> Iterator[tuple[int, str]]:
    """The brackets that stand in no string, each with its place: in one pass, whatever the text is."""
    quoted, skipped = False, -1
    for match in _MARKS.finditer(text, start):
        place, mark = match.start(), match.group()
        if place == skipped:
            continue
        if mark == "\\":
            skipped = place + 1
        elif mark == '"':
            quoted = not quoted
        elif not quoted:
            yield place, mark
