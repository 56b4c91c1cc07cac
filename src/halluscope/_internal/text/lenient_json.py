"""Find the JSON value in a judge's reply.

A judge may quote the text it was given, and that text may contain JSON. So there are two ways for a value to count:

- The reply is one JSON value and nothing else, except a thinking block before it or a code fence around it.
- The value carries the code that was sent with the question. The judged text cannot contain that code.

Everything else is refused, and the judge is asked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..core.case import clean
from ..core.plumbing.json_values import TOO_DEEP, too_deep

CODE = "code"
"""The key under which a reply carries the code it was asked for."""

_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>\s*", re.IGNORECASE | re.DOTALL)
_THINKING_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*")
_HOLDS_JSON = re.compile(r"""\A(?:```|\{)|[{\[]\s*["']""")
_MARKS = re.compile(r'[\[\]{}"\\]')
_PIECES = re.compile(r"""("[^"\\]*(?:\\.[^"\\]*)*")|'([^'\\]*(?:\\.[^'\\]*)*)'|(["']|(?:[^"'\\]|\\.?)+)""", re.DOTALL)
"""A string in double quotes, the inside of one in single quotes, or what stands between strings."""
_SINGLE_QUOTED = re.compile(r"""\\.|\"""", re.DOTALL)
_HEX_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|.)", re.DOTALL)
"""An escape, of which Python has one that JSON has not."""
_ESCAPES = {"\\'": "'", '"': '\\"'}
_WORDS = {"True": "true", "False": "false", "None": "null"}
_PYTHON_WORDS = re.compile(r"\b(?:True|False|None)\b")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_MISSING = object()
"""Stands for "no value": None is a value."""


class Unreadable(ValueError):
    """The reply has no JSON value that can be trusted; the message says why."""


class NoJson(Unreadable):
    """The reply is prose: there is no JSON in it at all."""


def parse_json(text: str, code: str = "") -> tuple[Any, bool]:
    """Return the JSON value of a reply and whether the reply was cut off before the end of the value.

    Of a value that was cut off, only what is complete is returned. `code` is the code that was sent with the question.
    """
    text = text.lstrip("\ufeff").strip()
    body = _unwrapped(text)
    value = _value(body)
    if isinstance(value, str):  # JSON inside a JSON string, or a word in quotation marks
        value = _value(value.strip())
    if value is not _MISSING and not isinstance(value, str):
        return _without_code(value, code), False
    if code and code in text:
        for part in (text[_end_of_thinking(text) :], text):
            found = _with_code(part, code)
            if found is not None:
                return found
    if body[:1] in ("{", "[") and _closing(body, 0) is None:
        return _complete_items(body, code), True
    if _HOLDS_JSON.search(body):
        raise Unreadable("the reply is not one JSON value")
    raise NoJson("there is no JSON value in the reply")


def _unwrapped(text: str) -> str:
    """The text without a thinking block at its start and without a code fence around it."""
    thinking = _THINKING.match(text)
    body = text[thinking.end() :] if thinking else text
    fence = _FENCE.match(body)
    return body[fence.end() :].strip().removesuffix("```").strip() if fence else body


def _end_of_thinking(text: str) -> int:
    return max((match.end() for match in _THINKING_END.finditer(text)), default=0)


def _value(text: str) -> Any:
    """The value that all of the text is, `_MISSING` where it is not valid JSON."""
    value = _decoded(text)
    if value is _MISSING and text[:1] in ("{", "["):
        value = _decoded(as_json(text))
    return value


def as_json(text: str) -> str:
    """Return almost-JSON as JSON: Python's strings and words, and commas before a closing bracket."""
    return "".join(map(_as_json, _PIECES.finditer(text)))


def _decoded(text: str) -> Any:
    try:
        value = json.loads(text, strict=False, object_pairs_hook=_unique)
    except RecursionError:
        raise Unreadable(TOO_DEEP) from None
    except ValueError:
        return _MISSING
    if too_deep(value):
        raise Unreadable(TOO_DEEP)
    return _cleaned(value)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    held = {clean(key): value for key, value in pairs}
    if len(held) < len(pairs):
        raise ValueError("a key comes twice")
    return held


def _as_json(piece: re.Match[str]) -> str:
    """A piece of almost-JSON as JSON.

    Nothing is guessed. An unescaped quotation mark inside a string stays an error: a judge that quotes without
    escaping would otherwise let the quoted text write the verdict.
    """
    double, single, other = piece.groups()
    if double is not None:
        return _HEX_ESCAPE.sub(_as_unicode_escape, double)
    if single is not None:
        text = _SINGLE_QUOTED.sub(lambda mark: _ESCAPES.get(mark.group(), mark.group()), single)
        return f'"{_HEX_ESCAPE.sub(_as_unicode_escape, text)}"'
    return _TRAILING_COMMA.sub(r"\1", _PYTHON_WORDS.sub(lambda word: _WORDS[word.group()], other))


def _as_unicode_escape(escape: re.Match[str]) -> str:
    return f"\\u00{escape[1]}" if escape[1] else escape[0]


def _cleaned(value: Any) -> Any:
    """The value without lone surrogates, which cannot be encoded."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {key: _cleaned(item) for key, item in value.items()}
    return value


def _without_code(value: Any, code: str) -> Any:
    """The value without its code; a value with another code answers another question."""
    if not isinstance(value, dict) or CODE not in value or not code:
        return value
    if value[CODE] != code:
        raise Unreadable("the code in the reply is not the one it was asked for")
    return {key: item for key, item in value.items() if key != CODE}


def _with_code(text: str, code: str) -> tuple[Any, bool] | None:
    """The object that begins with the code, None where there is none. Several must all say the same."""
    begins = re.compile(
        r"\{\s*[\"']" + CODE + r"[\"']\s*:\s*[\"']" + re.escape(code) + r"[\"'](?!\s*,?\s*(?:…|\.\.\.))"
    )
    found: list[tuple[Any, bool]] = []
    after = 0
    for match in begins.finditer(text):
        if match.start() < after:  # the object quotes itself
            continue
        end = _closing(text, match.start())
        if end is None:
            found.append((_complete_items(text[match.start() :], code), True))
            break
        value = _value(text[match.start() : end])
        if value is _MISSING:
            raise Unreadable("the reply is not valid JSON")
        found.append((_without_code(value, code), False))
        after = end
    if any(other != found[0] for other in found):
        raise Unreadable("the reply holds several answers that differ")
    return found[0] if found else None


def _complete_items(text: str, code: str) -> Any:
    """What is complete of a value that was cut off: the objects in its list."""
    open_brackets: list[str] = []
    end = 0
    for place, mark in _brackets(text, 0):
        if mark in "{[":
            open_brackets.append(mark)
        elif open_brackets:
            open_brackets.pop()
            if open_brackets[-1:] == ["["] and len(open_brackets) <= 2 and mark == "}":
                end = place + 1
    closing = "".join("]" if mark == "[" else "}" for mark in reversed(open_brackets[:2]))
    value = _value(text[:end] + closing) if end else _MISSING
    return {} if value is _MISSING else _without_code(value, code)


def _closing(text: str, start: int) -> int | None:
    """Where the value that opens at `start` ends, None where it never does."""
    depth = 0
    for place, mark in _brackets(text, start):
        depth += 1 if mark in "{[" else -1
        if depth <= 0:
            return place + 1
    return None


def _brackets(text: str, start: int) -> Iterator[tuple[int, str]]:
    """The brackets outside strings, each with its place."""
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
