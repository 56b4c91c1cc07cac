"""Pairs of key and value in a text, by record: flattened JSON and tables, `key: value` lines, plain settings.

Prose has colons too. A pair counts only among its like: two or more in a line, or in lines one below the other,
and never where the word before the colon is somebody who speaks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

from .evidence import STOP_WORDS
from .keywords import VALUES, root
from .stance import tokens

_SHORT = 6
"""Words of a value that may still be a name or a state; a longer one is a sentence."""

_LONGEST_KEY = 60
_KEY_WORDS = 7
_SPLIT = re.compile(r";\s+|\s[|·]\s")
_LINE = re.compile(r"[^\n]+")
_BULLET = re.compile(r"^\s*(?:[-*+•–>]\s+)*")
_COMMENT = re.compile(r"\s(?:#|//)\s.*")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
_COLON = re.compile(r":(?=[ *\t\"]|$)[ \t]*")  # neither 12:30 nor https://
_EQUALS = re.compile(r"=(?=[ *\t\"]|$)[ \t]*")
_QUOTES = "*`\"' "
_NOT_IN_A_KEY = frozenset(
    """he she it they we i you the a an and but or that this which who if there had was were be been said says will
    would should my his her their our your""".split()
)


@dataclass(slots=True)
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
    table: tuple[tuple[str, ...], ...] = ()
    """All keys of the line: lines with the same ones are rows of a table."""
    kind: object = None
    """Records of the same kind are told apart by their names: members of a list, rows of a table, lists of facts."""
    flat: bool = False
    """Read from a line of pairs joined by semicolons, as JSON is when it is flattened: `none` was a null there."""
    heading: str = ""
    """The words of the key that do not stand at `start`:`end`: the head of a row, the keys above."""


def pairs(text: str) -> tuple[list[Pair], list[str]]:
    """Every pair of a text in order, and what of it is sentences."""
    blocks: list[list[Pair]] = []
    block: list[Pair] = []
    prose: list[str] = []
    parents: list[tuple[int, tuple[str, ...]]] = []
    speakers = _speakers(text) if "\n" in text else frozenset()
    title = ""
    for match in _LINE.finditer(text):
        line = match.group()
        pieces = _pieces(line, match.start()) if ":" in line or "=" in line else []
        made = [pair for piece, start in pieces if (pair := _pair(piece, start))]
        alone = len(pieces) == 1 and len(made) == 1 and made[0].key[-1] not in speakers
        if alone and not made[0].owner:
            made[0].owner = title
            _below(made[0], line, parents, block)
            continue
        blocks.append(block)
        block, title = [], ""
        if alone or (len(made) > 1 and len(made) * 2 >= len(pieces)):
            _in_a_line(made, line, pieces[0])
            blocks.append(made)
        else:
            prose.append(line)
            title = line if len(line.split()) <= _SHORT and not _SENTENCE_END.search(line) else ""
    blocks.append(block)
    found = _settled(blocks, single="\n" not in text.strip())
    prose += [pair.value for pair in found if len(pair.value.split()) > _SHORT]
    return _turned(found, len(blocks)), prose


def _in_a_line(made: list[Pair], line: str, first: tuple[str, int]) -> None:
    """Pairs in one line are one record; a first cell without a heading names its row."""
    heads, flat = tuple(pair.key for pair in made), "|" not in line
    row = first[0] if made[0].start > first[1] + len(first[0]) else ""
    owner = made[0].owner or row
    kind = heads if row and not made[0].owner else owner
    for pair in made:
        pair.owner, pair.table, pair.kind, pair.flat = owner, heads, kind, flat


def _settled(blocks: list[list[Pair]], *, single: bool) -> list[Pair]:
    """The pairs of blocks that are records. A lone pair is one only beside records, or where it is the whole text."""
    full = [len({pair.key for pair in block}) > 1 for block in blocks]
    flat = single or any(block[0].flat for block, kept in zip(blocks, full, strict=True) if kept)
    found: list[Pair] = []
    for number, (block, kept) in enumerate(zip(blocks, full, strict=True)):
        if kept or flat:
            for pair in block:
                pair.record = number
            found += block
    return found


def _below(pair: Pair, line: str, parents: list[tuple[int, tuple[str, ...]]], block: list[Pair]) -> None:
    """A pair with a line of its own goes to those above it; one without a value heads those further in below it."""
    indent = len(line) - len(line.lstrip())
    while parents and parents[-1][0] >= indent:
        parents.pop()
    if pair.value:
        above = tuple(word for _, key in parents for word in key)
        pair.key, pair.heading = above + pair.key, " ".join(above)
        block.append(pair)
    else:
        parents.append((indent, pair.key))


def _turned(found: list[Pair], record: int) -> list[Pair]:
    """Rows that compare several things get the things as their records: `Insurance; Bank A: no; Bank B: yes`.

    Which way a table is to be read shows where its yes and no stand: in one row all over, or in one column.
    """
    made: list[Pair] = []
    for _, table in groupby(found, key=lambda pair: pair.table):
        rows = [list(row) for _, row in groupby(table, key=lambda pair: pair.record)]
        if len(rows) < 2 or not rows[0][0].table:
            made += [pair for row in rows for pair in row]
            continue
        spoken = Counter(pair.key for row in rows for pair in row if pair.value.lower() in VALUES)
        for row in rows:
            label = row[0].owner or row[0].value
            cells = row if row[0].owner else row[1:]
            plain = [pair for pair in cells if pair.value.lower() in VALUES]
            across = 2 * len(plain) > len(cells) > 1 and all(2 * spoken[pair.key] <= len(rows) for pair in plain)
            key = words_of(label) if across and _is_key(label) else ()
            for place, pair in enumerate(row):
                if key and place >= len(row) - len(cells):
                    owner = " ".join(pair.key)
                    pair = replace(
                        pair, key=key, owner=owner, record=record + place, heading=label, kind=(pair.table, "column")
                    )
                made.append(pair)
        record += len(rows[0])
    return made


def words_of(key: str) -> tuple[str, ...]:
    """A key in words."""
    return tuple(token.text for token in tokens(key) if token.text[0].isalnum())


def _pieces(line: str, offset: int) -> list[tuple[str, int]]:
    found, place = [], 0
    for cut in _SPLIT.finditer(line):
        found.append((line[place : cut.start()], offset + place))
        place = cut.end()
    found.append((line[place:], offset + place))
    return [(piece, start) for piece, start in found if piece]


def _pair(piece: str, start: int) -> Pair | None:
    """One pair. "Finch attributes: Parking lot: yes": all but the last key name the record."""
    low = len(piece) - len(_BULLET.sub("", piece, count=1))
    body = _COMMENT.sub("", piece).rstrip()
    cuts = list(_cuts(body, low))
    if not cuts:
        return None
    owner_end, key_start = cuts[-2] if len(cuts) > 1 else (low, low)
    key_end, value_start = cuts[-1]
    value = body[value_start:].strip(_QUOTES + ",")
    words = words_of(body[key_start:key_end])
    return Pair(words, value, start + key_start, start + len(body), owner=body[low:owner_end]) if words else None


def _cuts(body: str, low: int) -> Iterator[tuple[int, int]]:
    """The ends of the keys at the head of a piece, each with the start of what follows it."""
    for mark in (_COLON if ":" in body else _EQUALS).finditer(body, low):
        if mark.start() - low >= _LONGEST_KEY or not _is_key(body[low : mark.start()]):
            return
        yield mark.span()
        low = mark.end()


def _is_key(text: str) -> bool:
    key = text.strip(_QUOTES)
    words = key.replace("_", " ").lower().split()
    return (
        0 < len(words) <= _KEY_WORDS
        and key[0].isalpha()
        and not _SENTENCE_END.search(key)
        and _NOT_IN_A_KEY.isdisjoint(words)
    )


_SPEAKER = re.compile(r"^[^\w\n]*([^\W\d_][\w .()-]{0,30}):[ \t]+(\S[^\n]*)$", re.MULTILINE)


def _speakers(text: str) -> frozenset[str]:
    """Last words before a colon that a sentence follows: those who speak in a conversation, not keys."""
    found: set[str] = set()
    for name, said in _SPEAKER.findall(text):
        if ";" not in said and (said.endswith((".", "!", "?")) or len(said.split()) > _SHORT):
            found.update(token.text for token in tokens(name)[-1:])
    return frozenset(found)


# --- telling records apart ----------------------------------------------------------------------------

_POSTINGS = 200
"""Records looked at for one word of a claim: in ten thousand alike it tells none of them apart."""
_NAMING = frozenset("name title id label key model product item code sku who".split())
_NAME, _WORD, _NUMBER = 100, 10, 1
"""What a value is worth for telling which record is meant: one name more than any number of numbers."""

_Label = tuple[frozenset[str], int]


class Siblings:
    """Records of one kind, and what names each of them."""

    def __init__(self, members: dict[int, list[Pair]]) -> None:
        self._members = members
        self._values: dict[tuple[str, ...], list[str]] = {}
        for pairs in members.values():
            for key, value in {pair.key: pair.value.lower() for pair in pairs}.items():
                self._values.setdefault(key, []).append(value)

    def differ(self, pair: Pair) -> bool:
        """Whether others of the kind have another value for a key, or none."""
        values = self._values[pair.key]
        if len(set(values)) > 1:
            return True
        return len(values) < len(self._members) and any(
            len(self._values[other.key]) > 1 for other in self._members[pair.record]
        )

    @cached_property
    def _held(self) -> dict[str, list[tuple[int, _Label]]]:
        """Where each word of a name occurs; one that most records have tells nothing."""
        labels = {record: list(_labels(members)) for record, members in self._members.items()}
        common = Counter(word for found in labels.values() for word in {word for words, _ in found for word in words})
        held: dict[str, list[tuple[int, _Label]]] = {}
        for record, found in labels.items():
            for words, weight in found:
                own = frozenset(word for word in words if common[word] == 1 or 2 * common[word] <= len(labels))
                for word in own:
                    held.setdefault(word, []).append((record, (own, weight)))
        return held

    def named(self, words: Iterable[str]) -> frozenset[int]:
        """The records that a claim with these words names best; at least half the words of a name make it one."""
        hits: Counter[tuple[int, _Label]] = Counter()
        for word in words:
            hits.update(self._held.get(word, ())[:_POSTINGS])
        counts: Counter[int] = Counter()
        for (record, (label, weight)), count in hits.items():
            if 2 * count >= len(label):
                counts[record] += weight
        most = max(counts.values(), default=0)
        return frozenset(record for record, count in counts.items() if count == most)


def siblings(records: dict[int, list[Pair]]) -> dict[int, Siblings]:
    """The records like it, for every record that has such."""
    kinds: dict[object, dict[int, list[Pair]]] = {}
    for number, members in records.items():
        kinds.setdefault(members[0].kind, {})[number] = members
    found: dict[int, Siblings] = {}
    for alike in kinds.values():
        if len(alike) > 1:
            found |= dict.fromkeys(alike, Siblings(alike))
    return found


def _labels(members: Sequence[Pair]) -> Iterator[_Label]:
    """What may name a record: its owner and its short values, as words with a weight; `offer: B` is "offer B"."""
    if owner := frozenset(_content(members[0].owner)):
        yield owner, _NAME
    for pair in members:
        if (pair.value.lower() in VALUES and pair is not members[0]) or len(pair.value.split()) > _SHORT:
            continue
        words = words_of(pair.value)
        short = "".join(words)
        if len(short) <= 3 and not short.isdigit() and (len(short) < 3 or not short.isalpha()):
            yield frozenset({root(pair.key[-1] + short) if short.isalpha() else short}), _NAME
        elif named := frozenset(_content(pair.value)):
            is_name = pair.key[-1] in _NAMING or (pair is members[0] and not pair.owner)
            yield named, _NAME if is_name else _NUMBER if all(map(str.isdigit, words)) else _WORD


def _content(text: str) -> Iterator[str]:
    return (root(word) for word in words_of(text) if word not in STOP_WORDS and (len(word) > 2 or word.isdigit()))
