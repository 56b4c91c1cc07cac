"""Reading JSON as language models write it: fenced, wrapped in prose, nearly valid, cut short."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from ..case import clean

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
"""Some servers keep the opening tag and send only the closing one."""
_FENCE = re.compile(r"```[\w-]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_OPENING = re.compile(r"[\[{]")
_MARKS = re.compile(r'[\[\]{}]|"(?:[^"\\]|\\.)*(?:"|\Z)', re.DOTALL)
"""Brackets, and strings, whose brackets do not count."""
_MOST_VALUES = 20
_MOST_MENDED = 50_000
"""Characters: the time that mending takes grows with their square."""
_DEEPEST = re.compile(r"(?:[\[{][^\[\]{}]*){60}")
"""No reply of ours is nested like this; reading it would cost more than asking again."""
_NOT_JSON = (msgspec.DecodeError, UnicodeEncodeError, RecursionError)


class Unreadable(ValueError):
    """There is no JSON value in the text."""


def parse_json(text: str) -> tuple[Any, bool]:
    """The JSON value in `text`, and whether it was cut off before its end.

    Valid JSON is read as it is. Otherwise the value is looked for behind thinking tags, inside
    code fences and after prose, and mended where that needs no guess about its meaning (commas,
    quotes, a missing bracket). A bare word or sentence is no value.
    """
    text = text.lstrip("\ufeff").strip()
    try:
        value = msgspec.json.decode(text)
    except _NOT_JSON:
        return _found(text)
    if isinstance(value, str):
        # The JSON was written as a JSON string once more, or it is a word in quotes.
        return _found(value)
    return value, False


def _found(text: str) -> tuple[Any, bool]:
    body = _THOUGHT_END.sub("", _THOUGHT.sub("", text)).strip()
    if _DEEPEST.search(body):
        raise Unreadable("the reply is nested too deep")
    fenced = _FENCE.search(body)
    if fenced and _OPENING.search(fenced.group(1)):
        body = fenced.group(1).strip()
    place = 0
    written: list[tuple[int, Any]] = []
    broken: list[tuple[str, bool]] = []
    for _ in range(_MOST_VALUES):
        opening = _OPENING.search(body, place)
        if not opening:
            break
        end = _closing(body, opening.start())
        candidate = body[opening.start() : end]
        try:
            written.append((len(candidate), msgspec.json.decode(candidate)))
        except _NOT_JSON:
            # In a sentence "[sic]" is no value; a reply that is a list from its start may be one.
            if candidate[0] == "{" or opening.start() == 0:
                broken.append((candidate, end is None))
        if end is None:
            break
        place = end
    objects = [found for found in written if isinstance(found[1], dict)]
    lists = [found for found in written if isinstance(found[1], list) and _holds_text(found[1])]
    for found in (objects, lists):
        if found:
            return max(found, key=lambda pair: pair[0])[1], False
    for candidate, cut_off in sorted(broken, key=lambda pair: -len(pair[0])):
        value = _mended(candidate)
        if value:
            return value, cut_off
    raise Unreadable("no JSON value in the reply")


def _holds_text(value: list[Any]) -> bool:
    """Whether a list can be a reply: a mark such as [1] in a sentence cannot."""
    return not value or any(isinstance(item, (str, dict)) for item in value)


def _mended(text: str) -> Any:
    """The value after repairs, None where there is none to be had."""
    from json_repair import repair_json

    if len(text) > _MOST_MENDED:
        return None
    try:
        value = repair_json(text, return_objects=True)
    except (RecursionError, ValueError):
        return None
    return _cleaned(value) if isinstance(value, dict if text[0] == "{" else list) else None


def _cleaned(value: Any) -> Any:
    """The value without halves of surrogate pairs, which could not be written down again."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean(str(key)): _cleaned(item) for key, item in value.items()}
    return value


def _closing(text: str, start: int) -> int | None:
    """Where the value that opens at `start` ends, None where it never does."""
    depth = 0
    for mark in _MARKS.finditer(text, start):
        char = mark.group()
        if char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
            if depth == 0:
                return mark.end()
    return None
