"""Reading JSON as language models write it: fenced, wrapped in prose, nearly valid, cut short."""

from __future__ import annotations

import re
from typing import Any

import msgspec

_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_OPENING = re.compile(r"[\[{]")


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
        return msgspec.json.decode(text), False
    except (msgspec.DecodeError, UnicodeEncodeError):
        pass
    body = _THINKING.sub("", text).strip()
    fenced = _FENCE.search(body)
    if fenced and _OPENING.search(fenced.group(1)):
        body = fenced.group(1).strip()
    opening = _OPENING.search(body)
    if not opening:
        raise Unreadable("no JSON value in the reply")
    body = body[opening.start() :]
    end = _closing(body)
    candidate = body if end is None else body[:end]
    try:
        return msgspec.json.decode(candidate), end is None
    except (msgspec.DecodeError, UnicodeEncodeError):
        return _mended(candidate), end is None


def _mended(text: str) -> Any:
    from json_repair import repair_json

    value = repair_json(text, return_objects=True)
    if not isinstance(value, (dict, list)):
        raise Unreadable("the reply is not valid JSON and could not be mended")
    return value


def _closing(text: str) -> int | None:
    """Where the value that opens `text` ends, None where it never does."""
    depth = 0
    quoted = escaped = False
    for place, char in enumerate(text):
        if quoted:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                quoted = False
        elif char == '"':
            quoted = True
        elif char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
            if depth == 0:
                return place + 1
    return None
