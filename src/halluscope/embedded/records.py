"""Pairs of key and value in a text, by record: flattened JSON and tables, `key: value` lines, plain settings.

Prose has colons too. A pair counts only among its like: two or more in a line, or in lines one below the other,
and never where the word before the colon is somebody who speaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .stance import tokens

__all__ = ["SHORT", "Pair", "pairs"]

SHORT = 6
"""Words of a value that may still be a name or a state; a longer one is a sentence."""

_LONGEST_KEY = 60
_KEY_WORDS = 7
_SPLIT = re.compile(r";\s+|\s+[|·]\s+")
_LINE = re.compile(r"[^\n]+")
_BULLET = re.compile(r"\s*(?:[-*+•–>]\s+)*")
_COMMENT = re.compile(r"\s+(?:#|//)\s.*")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
_QUOTES = "*`\"' "
_NOT_IN_A_KEY = frozenset(
    """he she it they we i you the a an and but or that this which who if there had was were be been said says will
    would should my his her their our your""".split()
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A key in words, its value, and the place of both in the text."""

    key: tuple[str, ...]
    value: str
    start: int
    end: int
    record: int = 0
    """Pairs with the same number say something of the same thing."""
    owner: str = ""
    """What stands before the first key: the name of the record."""


def pairs(text: str) -> tuple[list[Pair], list[str]]:
    """Every pair of a text in order, and what of it is sentences."""
    found: list[Pair] = []
    prose: list[str] = []
    block: list[Pair] = []
    parents: list[tuple[int, tuple[str, ...]]] = []
    speakers = _speakers(text) if "\n" in text else frozenset()
    record = 0
    for match in _LINE.finditer(text):
        line = match.group()
        pieces = _pieces(line, match.start()) if ":" in line or "=" in line else []
        made = [pair for piece, start in pieces if (pair := _pair(piece, start))]
        alone = len(pieces) == 1 and len(made) == 1 and made[0].key[-1] not in speakers
        if alone and not made[0].owner:
            indent = len(line) - len(line.lstrip())
            while parents and parents[-1][0] >= indent:
                parents.pop()
            if made[0].value:
                above = tuple(word for _, key in parents for word in key)
                block.append(replace(made[0], key=above + made[0].key, record=record))
            else:
                parents.append((indent, made[0].key))
        else:
            found += _settled(block)
            block, record = [], record + 1
            if len(made) > 1 and len(made) * 2 >= len(pieces):
                found += [replace(pair, record=record, owner=made[0].owner) for pair in made]
                record += 1
            else:
                prose.append(line)
    found += _settled(block)
    prose += [pair.value for pair in found if len(pair.value.split()) > SHORT]
    return found, prose


def _settled(block: list[Pair]) -> list[Pair]:
    return block if len({pair.key for pair in block}) > 1 else []


def _pieces(line: str, offset: int) -> list[tuple[str, int]]:
    found, place = [], 0
    for cut in _SPLIT.finditer(line):
        found.append((line[place : cut.start()], offset + place))
        place = cut.end()
    found.append((line[place:], offset + place))
    return [(piece, start) for piece, start in found if piece]


def _pair(piece: str, start: int) -> Pair | None:
    """One pair. "Finch attributes: Parking lot: yes": all but the last key name the record."""
    bullet = _BULLET.match(piece)
    low = bullet.end() if bullet else 0
    body = (_COMMENT.sub("", piece) if "#" in piece or "//" in piece else piece).rstrip()
    cuts = list(_cuts(body, low))
    if not cuts:
        return None
    key_end, value_start = cuts[-1]
    key_start = cuts[-2][1] if len(cuts) > 1 else low
    words = tuple(token.text for token in tokens(body[key_start:key_end]) if token.text[0].isalnum())
    if not words:
        return None
    owner = body[low : cuts[-2][0]] if len(cuts) > 1 else ""
    return Pair(words, body[value_start:].strip(_QUOTES + ","), start + key_start, start + len(body), owner=owner)


def _cuts(body: str, low: int) -> Iterator[tuple[int, int]]:
    """The ends of the keys at the head of a piece, each with the start of what follows it."""
    mark = ":" if ":" in body else "="
    while True:
        place = body.find(mark, low, low + _LONGEST_KEY)
        while 0 <= place < len(body) - 1 and body[place + 1] not in " *\t\"":
            place = body.find(mark, place + 1, low + _LONGEST_KEY)  # 12:30, https://, ==
        if place < 0 or not _is_key(body[low:place]):
            return
        value = place + 1
        while value < len(body) and body[value] in " \t":
            value += 1
        yield place, value
        low = value


def _is_key(text: str) -> bool:
    key = text.strip(_QUOTES)
    words = key.replace("_", " ").lower().split()
    return (
        0 < len(words) <= _KEY_WORDS
        and key[0].isalpha()
        and not _SENTENCE_END.search(key)
        and _NOT_IN_A_KEY.isdisjoint(words)
    )


_SPEAKER = re.compile(r"^\W*([^\W\d_][\w .()-]{0,30}):[ \t]+(\S[^\n]*)$", re.MULTILINE)


def _speakers(text: str) -> frozenset[str]:
    """Last words before a colon that a sentence follows: those who speak in a conversation, not keys."""
    found = set()
    for name, said in _SPEAKER.findall(text):
        if ";" not in said and (said.endswith((".", "!", "?")) or len(said.split()) > SHORT):
            found.update(token.text for token in tokens(name)[-1:])
    return frozenset(found)
