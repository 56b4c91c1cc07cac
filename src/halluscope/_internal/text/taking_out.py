"""Taking a stretch out of a text so that what is left still reads well.

Whole sentences go with the marks of citation behind them, items with their list marker. Inside a sentence, the comma
or conjunction that joined the stretch goes too, and a sentence that loses its beginning gets a capital.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .citation_marks import citation_marks
from .sentences import Span, sentences
from .verb_forms import AUXILIARY, SURE_PASTS, SURE_THIRDS

__all__ = ["Removal", "removal", "sentences_around", "uncited"]

_JOINT = r"(?:and|but|so|yet|while|whereas|plus|or|then|with)"
_JOINT_BEFORE = re.compile(rf"(?:[\s,;:–—-]|(?<=[\s,;]){_JOINT}(?=[\s,]*$))+$", re.IGNORECASE)
_JOINT_AFTER = re.compile(rf"(?:[\s,;:–—-]+|{_JOINT}\b)+", re.IGNORECASE)
_LAST_ITEM = re.compile(r"(?:and|or)\b")
_VERBS = AUXILIARY | SURE_PASTS | SURE_THIRDS
_END = re.compile(r"(?:\s*\[[\d,; –-]+\])*[.!?…]+[\"'”’»)\]*_]*$")
_WORD = re.compile(r"[^\W_]")
_LINE_START = re.compile(
    r"(?:^|\n)[ \t]*(?:>[ \t]?)*(?:(?:[-*+•·‣◦▪●○–—]|\(?(?:\d{1,3}|[a-zA-Z])[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?$"
)
_MARKUP = "*_`~"
_EMPTY = re.compile(r"\W*(?:yes|no|and|but|so|also|in addition|however|moreover)?\W*", re.IGNORECASE)


class Removal(NamedTuple):
    """`text[start:end]` is replaced by `after`."""

    start: int
    end: int
    after: str = ""

    def applied(self, text: str) -> str:
        return text[: self.start] + self.after + text[self.end :]


def sentences_around(text: str, start: int, end: int) -> Span:
    """The sentence or sentences that a stretch lies in."""
    touched = [span for span in sentences(text) if span.start < end and span.end > start]
    return Span(touched[0].start, touched[-1].end) if touched else Span(start, end)


def removal(text: str, start: int, end: int) -> Removal:
    """What to take out so that `text[start:end]` is gone."""
    sentence = sentences_around(text, start, end)
    left, right = text[sentence.start : start], text[end : sentence.end]
    if _EMPTY.fullmatch(uncited(left)) and _EMPTY.fullmatch(uncited(right)):
        return _whole(text, sentence)
    end = min(end, sentence.start + len(_END.sub("", sentence.of(text))))  # the full stop and its citation stay
    return _inside(text, sentence, start, end)


def uncited(text: str) -> str:
    """The text without its marks of citation."""
    for mark in reversed(list(citation_marks(text))):
        text = text[: mark.start()] + text[mark.end() :]
    return text


def _whole(text: str, sentence: Span) -> Removal:
    start, end = sentence
    for mark in citation_marks(text):
        if mark.start() >= end and not text[end : mark.start()].strip():
            end = mark.end()
    while start and end < len(text) and text[start - 1] in _MARKUP and text[end] == text[start - 1]:
        start, end = start - 1, end + 1
    begin = _LINE_START.search(text, 0, start)
    line_end = text.find("\n", end)
    rest = text[end : len(text) if line_end < 0 else line_end]
    if begin is not None and not rest.strip():  # nothing else stands on the line
        start = begin.start()
        end = len(text) if line_end < 0 else line_end
        if start == 0:
            end += len(text[end:]) - len(text[end:].lstrip("\n"))
        return Removal(start, end)
    if begin is not None:
        return Removal(start, end + len(rest) - len(rest.lstrip()))
    return Removal(start - (len(text[:start]) - len(text[:start].rstrip(" \t"))), end)


def _inside(text: str, sentence: Span, start: int, end: int) -> Removal:
    left, right = text[sentence.start : start], text[end : sentence.end]
    if not _WORD.search(uncited(left)):
        skipped = _JOINT_AFTER.match(right)
        end += skipped.end() if skipped else 0
        first = text[end : end + 1]
        return Removal(start, end + len(first), first.upper())
    if not _WORD.search(uncited(right)):
        while right[:1] == "," or (right[:1].isspace() and right.lstrip()[:1] in ".!?"):
            end, right = end + 1, right[1:]
        joint = _JOINT_BEFORE.search(left)
        start -= len(left) - joint.start() if joint else 0
        mark = next(citation_marks(right), None)
        return Removal(start, end, " " if mark and mark.start() == 0 else "")
    return _between(left, right, start, end)


def _between(left: str, right: str, start: int, end: int) -> Removal:
    """A stretch with words on both sides: one blank, and one comma at most, is left between them."""
    before, after = left.rstrip(), right.lstrip()
    start -= len(left) - len(before)
    end += len(right) - len(after)
    if before.endswith((",", ";", "(")) and after[:1] in (",", ";", ")"):
        rest = after[1:].lstrip()
        word = re.match(r"[\w'’]*", rest)
        verb = word is not None and word.group() in _VERBS
        start, end = start - 1, end + 1 + len(after) - 1 - len(rest)
        # An item of a list leaves one comma behind; what stands between a subject and its verb leaves none.
        return Removal(start, end, " " if verb or before[-1] == "(" or _LAST_ITEM.match(rest) else f"{before[-1]} ")
    if before.endswith(",") and _LAST_ITEM.match(after):
        start -= 1
    return Removal(start, end, "" if after[:1] in ".,;:!?)" else " ")
