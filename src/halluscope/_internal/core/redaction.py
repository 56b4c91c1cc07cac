"""Removing API keys and other secrets from texts.

Servers repeat keys in their errors: completely or in part, and encoded as JSON, HTML, URLs or base64. Every text from
elsewhere that halluscope shows or stores passes through `redacted`.
"""

from __future__ import annotations

import base64
import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

SHOWN = "[redacted]"
_SHORTEST = 8
"""Minimum length. A shorter key, such as "EMPTY" or "none", is no secret and would match ordinary words."""
_PART = 12
"""Length from which a substring counts as a part of a secret; of a very long secret, an eighth."""
_NAMED = re.compile(r"key|token|secret|password|credential|authorization|cookie", re.IGNORECASE)
_VARIABLES = re.compile(r"_(?:API_KEY|KEY|TOKEN|SECRET|SECRET_ACCESS_KEY|PASSWORD)$")

_BACKSLASHES = r"""\\{1,16}(?:u00(?P<json>[0-9a-fA-F]{2}) | x(?P<hex>[0-9a-fA-F]{2}) | (?P<char>[^\w\s]))"""
_BACKSLASHED = re.compile(_BACKSLASHES, re.VERBOSE)
_ESCAPED = re.compile(
    _BACKSLASHES
    + r"""
      | %(?:25){0,4}(?P<url>[0-9a-fA-F]{2})
      | &(?:amp;){0,4}(?:\#0{0,4}(?P<decimal>\d{1,3}) | \#[xX]0{0,4}(?P<html>[0-9a-fA-F]{1,2})
        | (?P<name>amp|apos|equals|gt|lowbar|lt|period|plus|quot|sol));""",
    re.VERBOSE,
)
"""One escaped character, in JSON, source code, URLs or HTML, possibly escaped several times."""
_ENTITIES = dict(zip("amp apos equals gt lowbar lt period plus quot sol".split(), "&'=>_<.+\"/", strict=True))
_DEEPEST = 4
"""Maximum number of nested encodings."""


class _Secret:
    """A secret, with pieces of it to find its parts."""

    def __init__(self, text: str, shortest: int) -> None:
        self.text = text
        self.shortest = min(shortest, len(text))
        size = (self.shortest + 1) // 2
        starts = range(
            0, len(text) - size + 1, self.shortest - size + 1
        )  # every long enough part contains one of these
        self._pieces = [(start, text[start : start + size]) for start in starts]

    def found_in(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the positions of the secret, or of parts of it."""
        for start, piece in self._pieces:
            place = text.find(piece)
            while place >= 0:
                begin, end = self._extended(text, place, start, len(piece))
                if end - begin >= self.shortest:
                    yield begin, end
                place = text.find(piece, place + 1)

    def _extended(self, text: str, place: int, start: int, size: int) -> tuple[int, int]:
        """Extend a match of a piece as far as the text equals the secret."""
        before = after = 0
        while before < min(place, start) and text[place - before - 1] == self.text[start - before - 1]:
            before += 1
        place, start = place + size, start + size
        most = min(len(text) - place, len(self.text) - start)
        while after < most and text[place + after] == self.text[start + after]:
            after += 1
        return place - size - before, place + after


_secrets: dict[str, _Secret] = {}


def keep_secret(*values: str | None) -> None:
    """Remove these values from all messages and records from now on."""
    for value in values:
        if not value or len(value) < _SHORTEST or value in _secrets:
            continue
        half, part = len(value) // 2, max(_PART, len(value) // 8)
        whole = half < _SHORTEST or " " in value  # its parts are ordinary words
        for form in (value, _unescaped(value)[0]):
            _secrets[form] = _Secret(form, len(form) if whole else min(half, part))
        for form in _in_base64(value):
            _secrets[form] = _Secret(form, max(_PART, len(form) // 3))


def keep_user_secret(user: str, password: str) -> None:
    """The same for a password, also as it appears in a Basic header."""
    keep_secret(password)
    if password:
        keep_secret(base64.b64encode(f"{user}:{password}".encode(errors="replace")).decode())


def keep_headers_secret(headers: Mapping[str, str]) -> None:
    """The same for the values of headers, with and without a scheme such as "Bearer"."""
    for name, value in headers.items():
        if _NAMED.search(name) or _NAMED.search(value):
            keep_secret(value, value.rpartition(" ")[2])


def keep_attributes_secret(held: Mapping[str, Any], levels: int = 20) -> None:
    """The same for options and attributes whose names suggest a secret.

    Values more than `levels` levels deep are ignored; a mapping may contain itself.
    """
    for name, value in held.items():
        if isinstance(value, str) and _NAMED.search(name):
            keep_secret(value)
        elif isinstance(value, Mapping) and levels:
            keep_attributes_secret(value, levels - 1)


def keep_environment_secret() -> None:
    """The same for API keys in environment variables, which libraries read themselves."""
    keep_secret(*(value for name, value in os.environ.items() if _VARIABLES.search(name)))


def redacted(text: str) -> str:
    """Remove all secrets from a text, including parts of them and encoded forms."""
    if not _secrets:
        return text
    kept: list[str] = []
    last = 0
    for start, end in sorted(_found(text, _DEEPEST)):
        if start > last or not kept:
            kept += [text[last:start], SHOWN]
        last = max(last, end)
    return "".join([*kept, text[last:]])


def as_cause(error: BaseException) -> BaseException | None:
    """Return the error for `raise … from`, or None if it or one of its causes contains a secret."""
    chain: BaseException | None = error if _secrets else None
    while chain is not None:
        text = f"{chain} {chain!r} {getattr(chain, '__notes__', '')}"
        if redacted(text) != text:
            return None
        chain = chain.__cause__ or chain.__context__
    return error


def _found(text: str, deepest: int) -> Iterator[tuple[int, int]]:
    """Yield the positions of secrets in a text and, up to `deepest` times, in its decoded form."""
    for secret in list(_secrets.values()):
        yield from secret.found_in(text)
    plain, ends = _unescaped(text) if deepest else (text, [])
    if ends:
        yield from (_in_original(span, ends) for span in _found(plain, deepest - 1))


def _in_base64(value: str) -> Iterator[str]:
    """Yield the value as it appears inside a longer base64 text, for each of the three alignments."""
    content = value.encode(errors="replace")
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + content).decode()
        inner = encoded[-(-before * 8 // 6) : (before + len(content)) * 8 // 6]
        yield from {inner, inner.replace("+", "-").replace("/", "_")}


def _unescaped(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Decode escapes. Returns the new text, and the end of each escape in the new and in the old text."""
    ends: list[tuple[int, int]] = []
    shorter = 0

    def character(escape: re.Match[str]) -> str:
        nonlocal shorter
        kind, value = escape.lastgroup, escape[escape.lastgroup or 0]
        if kind == "name":
            found = _ENTITIES[value]
        elif kind == "char":
            found = value
        else:
            found = chr(int(value, 10 if kind == "decimal" else 16))
        shorter += len(escape[0]) - 1
        ends.append((escape.end() - shorter, escape.end()))
        return found

    if "%" in text or "&" in text:
        return _ESCAPED.sub(character, text), ends
    return _BACKSLASHED.sub(character, text), ends


def _in_original(span: tuple[int, int], ends: list[tuple[int, int]]) -> tuple[int, int]:
    """Convert a position in the decoded text to the original text."""

    def place(at: int) -> int:
        before = bisect_right(ends, (at, len(ends) and ends[-1][1])) - 1
        return at if before < 0 else ends[before][1] + at - ends[before][0]

    return place(span[0]), place(span[1])
