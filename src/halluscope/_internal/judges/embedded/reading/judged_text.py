"""A text as it is judged: without mark-up, marks of citation and odd letters, every place kept.

Whoever judges reads `text`; whoever shows a verdict needs places in the text as it was given. One value has
both, so that the claims, the rules and the network speak of the same characters.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from html import unescape

from ....text import Span
from ....text.citation_marks import citation_marks
from ..phrases import pattern
from .language import is_code

_SHORT = 20_000
"""Characters of a text that may be kept for the next reader of it."""


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A text as given (`source`) and as it is judged (`text`), with the way from each to the other.

    Headings, list markers and line breaks stay in `text`: they are the layout that sentences are found by.
    `code` are the places in `text` of fenced program code, which is not judged.
    """

    source: str
    text: str
    code: tuple[Span, ...] = ()
    _starts: array[int] | None = None
    _ends: array[int] | None = None

    def in_source(self, start: int, end: int) -> Span:
        """The characters as given that `start`:`end` of `text` were read from."""
        if self._starts is None or self._ends is None:
            return Span(start, end)
        if start >= end:
            place = self._starts[start] if start < len(self._starts) else len(self.source)
            return Span(place, place)
        return Span(self._starts[start], self._ends[end - 1])

    def in_text(self, start: int, end: int) -> Span:
        """The characters of `text` that were read from `start`:`end` of what was given; none if all were left out."""
        if self._starts is None or self._ends is None:
            return Span(start, end)
        first = bisect_right(self._ends, start)
        last = bisect_left(self._starts, end)
        return Span(first, max(first, last))

    def _edited(self, edits: Iterable[Edit]) -> JudgedText:
        """The same with parts of `text` replaced. Edits come in order; one that overlaps the one before is left out."""
        made = list(edits)
        if not made:
            return self
        parts: list[str] = []
        starts, ends = array("L"), array("L")
        old_starts = self._starts if self._starts is not None else array("L", range(len(self.text)))
        old_ends = self._ends if self._ends is not None else array("L", range(1, len(self.text) + 1))
        done = 0
        for start, end, text in made:
            if start < done or start >= end:
                continue
            parts += (self.text[done:start], text)
            starts += old_starts[done:start]
            ends += old_ends[done:start]
            if text:
                starts.extend([old_starts[start]] * len(text))
                ends.extend([old_ends[end - 1]] * len(text))
            done = end
        parts.append(self.text[done:])
        starts += old_starts[done:]
        ends += old_ends[done:]
        return JudgedText(self.source, "".join(parts), (), starts, ends)


def judged(text: str) -> JudgedText:
    """The text as it is judged."""
    return _kept(text) if len(text) <= _SHORT else _judged(text)


@lru_cache(maxsize=64)  # claims, rules and network each ask for the same answer
def _kept(text: str) -> JudgedText:
    return _judged(text)


def _judged(text: str) -> JudgedText:
    read = JudgedText(text, text)
    # Letters first: a zero-width space hides a mark. Citations before mark-up: "<sup>1</sup>" is one mark.
    for edits in (_turned_round, _odd_letters, _spaced_out, _citations, markup):
        read = read._edited(edits(read.text))
    return replace(read, code=tuple(code_blocks(read.text)))


# What Unicode tells programs not to show, and stand-ins for objects.
_HIDDEN = (
    "\u00ad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff0-\ufffc\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Letters and signs that show as nothing but a gap.
_BLANK = "\u115f\u1160\u1680\u2800\u3164\uffa0\U0001d159"
# Blanks, and what else has one plain reading. Fractions, powers and circled numbers mean something by their form.
_COMPATIBLE = (
    "\u00a0\u2000-\u200a\u202f\u205f\u3000"
    "\uff01-\uff5e\uffe0-\uffe6\ufb00-\ufb06\u2160-\u217f\u24b6-\u24e9\U0001d400-\U0001d7ff\U0001f130-\U0001f149"
)
_LOOK_LIKE_LETTERS = (
    "\u0262\u026a\u0274\u0276\u0280\u028f\u0299\u029c\u029f\u1d00-\u1d22\ua730\ua731\ua7af"  # small capitals
    "\u249c-\u24b5\U0001f110-\U0001f129\U0001f150-\U0001f169\U0001f170-\U0001f189"  # in brackets, circles, squares
)
_OF_FLAG = "[\U0001f1e6-\U0001f1ff]"  # two of them are a flag
_RAISED_LETTERS = "\u02b0-\u02b8\u02e0-\u02e4\u1d2c-\u1d6a\u1d9b-\u1dbf\u2071\u207f\u2090-\u209c\u2c7c\u2c7d"
_RAISED_DIGITS = "\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089"
_ACCENTS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_ODD = re.compile(
    rf"""(?P<hidden>[{_HIDDEN}]+)
    | (?P<blank>[{_BLANK}])
    | (?P<braille>[\u2801-\u28ff]{{2,}})
    | (?P<letter>[{_LOOK_LIKE_LETTERS}]|(?<!{_OF_FLAG}){_OF_FLAG}(?:{_OF_FLAG}{{2,}}|(?!{_OF_FLAG})))
    | [{_COMPATIBLE}]
    | [^\W_][{_ACCENTS}]+
    | (?P<accent>[{_ACCENTS}]+)
    | [{_RAISED_LETTERS}]{{2,}}
    # Raised digits that are no power and no mark of a footnote: a number of their own, or a part of one.
    | (?P<digits>(?:(?<=[^\W\d_]\ )|(?<=[$€£(])|(?<![\w{_RAISED_DIGITS}])(?=[{_RAISED_DIGITS}]{{3}})
        |(?<!\d)(?=[{_RAISED_DIGITS}]{{4}}))[{_RAISED_DIGITS}]+|[{_RAISED_DIGITS}]+(?=\d))
    """,
    re.VERBOSE,
)

_BRAILLE = {
    **dict(zip("⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵", "abcdefghijklmnopqrstuvwxyz", strict=True)),
    **dict(zip("⠲⠂⠠⠤⠼", (".", ",", "", "-", "#"), strict=True)),
}
"""Letters and signs of uncontracted braille. One cell alone is more often an ornament."""


def _odd_letters(text: str) -> Iterator[Edit]:
    """What looks like plain letters, digits and blanks and is not, and what is hidden between them."""
    for match in () if text.isascii() else _ODD.finditer(text):
        found, kind = match.group(), match.lastgroup
        if kind in ("hidden", "accent"):
            plain = ""
        elif kind == "blank":
            plain = " "
        elif kind == "letter":
            plain = "".join(unicodedata.name(char).rsplit(" ", 1)[-1] for char in found)
        elif kind == "braille":
            plain = "".join(_BRAILLE.get(char, char) for char in found)
        else:
            plain = _WITHOUT_ACCENTS.sub("", unicodedata.normalize("NFKC", found))
        if kind == "digits" and text[match.start() - 1 : match.start()].isalpha():
            plain = f" {plain}"
        if plain != found:
            yield *match.span(), plain


_WITHOUT_ACCENTS = re.compile(f"[{_ACCENTS}]+")
"""Those that no letter has for its own: rings, strokes and heaps of marks."""

_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069\n]")
_OVERRIDE = "\u202e"
_ENDS_DIRECTION = "\u202c\u2069"


def _turned_round(text: str) -> Iterator[Edit]:
    """Letters that a mark of direction shows from right to left, in the order in which they are read."""
    if _OVERRIDE not in text:
        return
    open_marks: list[str] = []
    start = 0
    for mark in (*_DIRECTION.finditer(text), None):
        end = mark.start() if mark else len(text)
        if open_marks and open_marks[-1] == _OVERRIDE and end - start > 1:
            yield start, end, text[start:end][::-1]
        if mark is None:
            return
        start = mark.end()
        if mark.group() == "\n":
            open_marks.clear()
        elif mark.group() not in _ENDS_DIRECTION:
            open_marks.append(mark.group())
        elif open_marks:
            open_marks.pop()


_SPACED_OUT = re.compile(r"(?<!\S)(?:[^\W\d_] {1,4}){7,}(?:[^\W\d_]|[.!?])(?!\S)")
_GAP = re.compile(r"(?<=\S) {1,4}(?=\S)")


def _spaced_out(text: str) -> Iterator[Edit]:
    """L e t t e r s with blanks between them: each word as one."""
    for match in _SPACED_OUT.finditer(text):
        for gap in _GAP.finditer(text, *match.span()):
            yield *gap.span(), "" if len(gap.group()) == 1 else " "


_LEANING = re.compile(r"\b(?:to|in|by|from|see|per|of|with|and|than|source|both)\s*$", re.IGNORECASE)
_BEGINS = re.compile(r"(?:(?P<sentence>^|[.!?\n])|[;:,]|\b(?:and|but|while|whereas|that))\s*$", re.IGNORECASE)
_SPEAKS = re.compile(rf"\s+(?:also\s+|only\s+)?{pattern('saying')}\b")


def _citations(text: str) -> Iterator[Edit]:
    """Marks of citation, which state nothing. One that a sentence leans on ("shown in [2]", "[2] says") becomes "the
    source"."""
    done = 0
    for match in citation_marks(text):
        start, end = match.span()
        before = text[max(0, start - 40) : start]
        after = text[end : end + 1]
        speaks = _BEGINS.search(before) if _SPEAKS.match(text, end) else None
        leaning = _LEANING.search(before) and (not after or after in " .,;:)\n")
        if match["bracket"] and (speaks or leaning):
            yield start, end, "The source" if speaks and speaks["sentence"] is not None else "the source"
        else:
            while start > done and text[start - 1] in " \t" and (not after or after in " \t.,;:!?)\n[(<"):
                start -= 1
            if (not start or text[start - 1] == "\n") and after == " ":
                end += 1
            yield start, end, ""
        done = end


_LITERAL = re.compile(r"[^\W_]{32,}|\d{16,}")
_OTHER_LETTER = r"[^\W\d_\u0000-\u01dc\u01de-\u024f\u1e00-\u1eff\u2c60-\u2c7f\ua722-\ua7ff\ufb00-\ufb06]"
_OTHER_LETTERS = re.compile(rf"[^\W_]*{_OTHER_LETTER}[^\W_]*")
_SHOWN = 12


def literal_words(text: str) -> list[str]:
    """Words of which the network sees little, so that they are compared letter by letter.

    Hashes, keys and long numbers, and words with letters that are not Latin or stand on their heads. A sign such as
    "µg" or "kΩ" is none.
    """
    read = judged(text).text
    found = _LITERAL.findall(read)
    return found if read.isascii() else [*found, *(word for word in _OTHER_LETTERS.findall(read) if len(word) > 2)]


def shortened(word: str) -> str:
    """A long word as it can be shown in a sentence."""
    return f"{word[:_SHOWN]}…{word[-_SHOWN:]}"


_EMOJI = r"[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]"
_MARK = re.compile(
    rf"""
      (?P<fence>(?:^|(?<=\n))[ \t>]{{0,8}}(?P<ticks>```+|~~~+)[^\n`]{{0,60}}(?=\n|$))
    | (?P<comment><!--(?:[^<-]|-(?!->)|<(?!!--)){{0,2000}}-->)
    | (?P<inline></?{pattern("inline_tags")}\b[^<>]{{0,300}}>)
    | (?P<block></?{pattern("block_tags")}\b[^<>]{{0,300}}>)
    | (?P<auto><(?P<address>(?:https?://|mailto:)[^\s<>]{{1,400}})>)
    | (?P<link>!?\[(?P<shown>[^\[\]\n]{{1,300}})\]\((?:[^()\s]|\([^()\s]{{0,80}}\)){{0,400}}(?:\s+"[^"\n]{{0,200}}")?\))
    | (?P<escape>\\(?=[*_#\[\](){{}}`~>|.!+-]))
    | (?P<ticked>`{{1,3}})
    | (?P<star>\*+)
    | (?P<tilde>~~)
    | (?P<under>(?<![\w_])_{{1,3}}(?=[^\s_])|(?<=[^\s_])_{{1,3}}(?![\w_]))
    | (?P<entity>&(?:[a-zA-Z]{{2,8}}|\#\d{{1,6}}|\#x[0-9a-fA-F]{{1,6}});)
    | (?P<sign>(?:^|(?<=\n))[ \t]{{0,8}}(?:[-*+][ \t]+)?(?P<emoji>{_EMOJI}+)[ \t]+(?=\w))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CELL_TAG = re.compile(r"</?t[dh]\b", re.IGNORECASE)
_POSSIBLE = re.compile(r"[*_`~<&\[\\\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]")
_FENCED = re.compile(r"^[ \t>]{0,8}(?P<ticks>```|~~~)(?P<more>[`~]*)(?P<language>[^\n`]*)$", re.MULTILINE)


Edit = tuple[int, int, str]
"""The start and end of characters, and what stands there instead."""


def markup(text: str) -> Iterator[Edit]:
    """Edits that take the mark-up out, in order. Fences round program code stay, and what is in them."""
    if _POSSIBLE.search(text) is None:
        return
    blocks = code_blocks(text)
    number = 0
    position = 0
    while (match := _MARK.search(text, position)) is not None:
        while number < len(blocks) and blocks[number].end <= match.start():
            number += 1
        if number < len(blocks) and blocks[number].start <= match.start():
            position = blocks[number].end
            continue
        position = match.end()
        yield from _edits(text, match)


def _edits(text: str, match: re.Match[str]) -> Iterator[Edit]:
    kind, found, (start, end) = match.lastgroup, match.group(), match.span()
    if kind == "link":
        yield start, match.start("shown"), ""
        yield match.end("shown"), end, ""
    elif kind == "entity":
        plain = unescape(found).replace("\xa0", " ")
        if plain != found:
            yield start, end, plain
    elif kind == "block":
        yield start, end, " " if _CELL_TAG.match(found) else "\n"
    elif kind == "sign":
        yield match.start("emoji"), end, ""
    elif kind != "star" or _is_emphasis(text, start, end):
        yield start, end, match["address"] or ""


def _is_emphasis(text: str, start: int, end: int) -> bool:
    """Stars that open or close bold or italic words, also inside a word; not a bullet, a product or a power."""
    before, after = text[start - 1 : start], text[end : end + 1]
    opens, closes = bool(after) and not after.isspace(), bool(before) and not before.isspace()
    if not (opens or closes):
        return False
    if opens and closes and before.isalnum() and after.isalnum():
        inside = text[max(0, start - 2) : start], text[end : end + 2]
        return not (before.isdigit() or after.isdigit()) and all(len(part) == 2 for part in inside)
    return True


def code_blocks(text: str) -> list[Span]:
    """Fenced blocks that hold program code. A fence round prose is no reason to leave the prose unread."""
    if "```" not in text and "~~~" not in text:
        return []
    found: list[Span] = []
    opened: re.Match[str] | None = None
    for fence in _FENCED.finditer(text):
        if opened is None:
            opened = fence
        elif fence["ticks"] == opened["ticks"] and not fence["language"].strip():
            if is_code(text[opened.end() : fence.start()], opened["language"].strip()):
                found.append(Span(opened.start(), fence.end()))
            opened = None
    if opened is not None and is_code(text[opened.end() :], opened["language"].strip()):
        found.append(Span(opened.start(), len(text)))
    return found
