"""Where the sentences of a text are.

Offsets, not strings: whatever is said about a sentence later is shown in the text it came from. The
splitter is deliberately shy. A sentence left whole costs a little precision; one cut in half turns a
true statement into nonsense.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .patterns import word_list
from .words import STOP_WORDS


class Span(NamedTuple):
    """A stretch of a text: `text[start:end]`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The characters it stands for."""
        return text[self.start : self.end]


# Never the end of a sentence, whatever follows.
_TITLES = frozenset(word_list("titles"))
# May end a sentence: decided by what follows.
_ABBREVIATIONS = frozenset(word_list("abbreviations"))
# A capitalised word that hardly ever follows an abbreviation inside a sentence.
_STARTERS = frozenset(word_list("sentence_starters"))

_SHORT = 2_000
"""Characters of a text whose sentences may be kept for the next time."""

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*$", re.MULTILINE)
_LINE = re.compile(r"[^\n\r\u2028\u2029]+")
_MARKER = re.compile(
    r"[ \t]*(?:>[ \t]?)*[ \t]*(?:"
    r"(?:[-*+•·‣◦▪●○–—][ \t]+(?:\[[ xX]\][ \t]+)?)"  # bullets and task boxes
    r"|(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)](?:[ \t]+|$))"  # 1.  2)  (a)  iv.
    r"|(?:#{1,6}[ \t]+)"
    r")?[ \t]*"
)
_LETTERED = re.compile(r"[ \t]*(?:[A-Z]|[IVX]{1,5})\.[ \t]")
_RULE = re.compile(r"[ \t]*(?:[-=_*~][ \t]*){3,}$")
_BREAK = re.compile(r"(?:[.!?…]+|[。！？｡]+)[\"'”’»)\]*_]*")
_NEXT_WORD = re.compile(r"[\"'“‘«(\[*_]*([^\W_]+(?:['’.][^\W_]+)*)")
_LAST_TOKEN = re.compile(r"[^\s\"'“‘«(\[*_]*$")
_INITIALS = re.compile(r"(?:[A-Z]\.)*[A-Z]$")
_CLOSED = re.compile(r"[.!?:;…。！？][\"'”’»)\]*_]*\s*$")


def sentences(text: str) -> list[Span]:
    """The sentences of a text, in order, without the white space and list markers between them.

    A list item, a heading, a table row and a fenced block of code are each at least one sentence of
    their own. A line break inside a wrapped paragraph does not end a sentence.
    """
    return list(_kept_sentences(text)) if len(text) <= _SHORT else _sentences(text)


@lru_cache(maxsize=128)  # a claim and its evidence are each taken apart by several readers
def _kept_sentences(text: str) -> tuple[Span, ...]:
    return tuple(_sentences(text))


def _sentences(text: str) -> list[Span]:
    return [sentence for block in blocks(text) for sentence in sentences_in(text, block)]


def sentences_in(text: str, block: Span, since: int = 0) -> Iterator[Span]:
    """The sentences of one of the text's blocks, those from `since` on, where one of them has ended."""
    if text.startswith(("```", "~~~", "|"), block.start):
        if block.start >= since:
            yield block  # code and table rows: a dot in them ends nothing
    else:
        yield from _split(text, Span(max(block.start, _skip_space(text, since, block.end)), block.end))


def blocks(text: str) -> Iterator[Span]:
    """Paragraphs, list items, rows, headings and fenced code, each without its marker."""
    position = 0
    for opened, closed in _fences(text):
        if closed is None:
            break
        yield from _paragraphs(text, position, opened.start())
        yield Span(opened.start(1), closed.start() + len(closed.group().rstrip()))
        position = closed.end()
    yield from _paragraphs(text, position, len(text))


def open_fence(text: str) -> int | None:
    """Where a block of code begins that has no end yet."""
    return next((opened.start() for opened, closed in _fences(text) if closed is None), None)


def _fences(text: str) -> Iterator[tuple[re.Match[str], re.Match[str] | None]]:
    """The lines that open a block of code, each with the one that closes it, None where none does."""
    lines = _FENCE.finditer(text)
    for opened in lines:
        mark = opened.group(1)[0] * 3
        yield opened, next((line for line in lines if line.group(1).startswith(mark)), None)


def _paragraphs(text: str, start: int, end: int) -> Iterator[Span]:
    current: Span | None = None
    previous_line_end = start
    for line in _LINE.finditer(text, start, end):
        blank_between = _blank_between(text, previous_line_end, line.start())
        previous_line_end = line.end()
        raw = line.group()
        content = raw.strip()
        if not content or _RULE.match(raw):
            if current:
                yield current
            current = None
            continue
        marker = _MARKER.match(raw)
        marked = bool(marker and marker.group().strip()) and not _is_initial(raw, marker)
        offset = marker.end() if marker and marked else len(raw) - len(raw.lstrip())
        if not raw[offset:].strip():
            offset = len(raw) - len(raw.lstrip())  # a line that is nothing but a marker: keep it
        row = content.startswith("|") or "\t" in content
        heading = raw.lstrip().startswith("#")
        offset += len(raw[offset:]) - len(raw[offset:].lstrip())
        body = Span(line.start() + offset, line.start() + len(raw.rstrip()))
        if current and not (blank_between or marked or row) and _continues(text, current, body):
            current = Span(current.start, body.end)
        else:
            if current:
                yield current
            current = body
        if row or heading:
            yield current
            current = None
    if current:
        yield current


def _blank_between(text: str, start: int, end: int) -> bool:
    gap = text[start:end]
    return gap.count("\n") > 1 or (("\r" in gap) and gap.replace("\r\n", "\n").count("\r") > 1)


def _is_initial(raw: str, marker: re.Match[str] | None) -> bool:
    """ "J. Smith wrote" starts with an initial, not with item J of a list."""
    return bool(marker and _LETTERED.match(raw) and marker.group().strip() not in ("A.", "B.", "I.", "II."))


def _continues(text: str, current: Span, body: Span) -> bool:
    """Whether a line goes on with the paragraph before it rather than starting something new."""
    tail = text[max(current.start, current.end - 200) : current.end]
    first = text[body.start]
    if _CLOSED.search(tail):
        # A full line that ends a sentence: the next one is its own sentence either way.
        return False
    last_line = tail.rsplit("\n", 1)[-1].strip()
    last_word = last_line.rsplit(None, 1)[-1].lower() if last_line else ""
    if first.islower() or first in ",;)]%":
        return True
    if last_word in STOP_WORDS or last_word in ("mr.", "dr.", "mrs.", "prof."):
        return True
    return len(last_line) >= 45 and (last_word.endswith((",", "-", "–")) or first.isdigit() or len(last_line) >= 68)


def _split(text: str, block: Span) -> Iterator[Span]:
    start = block.start
    for match in _BREAK.finditer(text, block.start, block.end):
        end = match.end()
        if end >= block.end:
            break
        if not _ends_here(text, start, match, block.end):
            continue
        yield Span(start, end)
        start = end
        while start < block.end and text[start].isspace():
            start += 1
    if start < block.end:
        yield Span(start, block.end)


def _ends_here(text: str, start: int, match: re.Match[str], limit: int) -> bool:
    mark = match.group()
    end = match.end()
    if mark[0] in "。！？｡":
        return True
    if not text[end].isspace():
        return False
    if match.start() > start and text[match.start() - 1].isspace():
        return True  # text that was split into words: a dot that stands alone is a full stop
    following = _NEXT_WORD.match(text, _skip_space(text, end, limit))
    word = following.group(1) if following and following.start() < limit else ""
    # What goes on in lower case is still the same sentence: '"Stop!" he said', "approx. twelve".
    if word and word[0].islower() and not word[:1].isdigit():
        return bool(mark[0] in "!?" and len(mark) == 1 and word in ("i",))
    if mark[0] != ".":
        return True
    token_match = _LAST_TOKEN.search(text, max(start, match.start() - 40), match.start())
    token = token_match.group() if token_match else ""
    return _full_stop(token, mark, word, only_token=match.start() - len(token) <= start)


def _full_stop(token: str, mark: str, following: str, *, only_token: bool) -> bool:
    """Whether a dot after `token` ends the sentence, given the word that follows."""
    lowered = token.lower().rstrip(".")
    starter = following.lower() in _STARTERS
    if mark.startswith("..."):
        return bool(following)
    if len(mark.rstrip("\"'”’»)]*_")) > 1:
        return True
    if lowered in _TITLES and not (token.isupper() and len(token) > 1):
        # "No." is an answer when it stands alone, an abbreviation before a number.
        return lowered == "no" and not following[:1].isdigit()
    if _INITIALS.match(token):
        # One letter is a person's initial ("J. Smith"); several are an abbreviation ("U.S.").
        return starter if len(token) > 1 or token == "I" else starter and not only_token
    if lowered in _ABBREVIATIONS or (token == "v" and following[:1].isupper()):  # "Harlan v. Board of Trade"
        return starter
    if token in ("c", "b", "d") and following[:1].isdigit():  # "c. 1491", "b. 1903"
        return False
    # "1." before its item, when the list runs on inside a paragraph.
    return not (only_token and token.isdigit() and len(token) <= 3)


def _skip_space(text: str, position: int, limit: int) -> int:
    while position < limit and text[position].isspace():
        position += 1
    return position
