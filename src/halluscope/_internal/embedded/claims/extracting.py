"""From an output to its claims: statements that can be read, and judged, alone.

Sentences first; then the independent statements inside a sentence, where the split is safe; then the
subject is carried into each. Rules that are not sure leave the sentence as it is: a statement cut wrongly is
judged wrongly, a sentence left whole is only judged less finely.
"""

from __future__ import annotations

import re

from ...text import Span, sentences
from ...text.kinds import classify
from ...verdict import Claim
from .bare_answers import joined
from .clauses import Subject, clauses, resolve, subject_of

__all__ = ["extract"]

_HEADING_WORDS = 9
_LEAD = re.compile(r"[:\s*_]+$")
_END = re.compile(r"[.!?…:;]['\"”’)\]*_]*$")
_SHORT = 9
_NO_VERB_NEEDED = re.compile(r"^\W*(?:yes|no|true|false|correct|incorrect)\b", re.IGNORECASE)


def extract(output: str, input: str | None = None) -> list[Claim]:
    """The claims of an output, in order, with ids c1, c2, …

    Each `text` can be read alone; `start`:`end` is the stretch of the output it was taken from. A bare
    short answer is joined with the question it answers.
    """
    spans = sentences(output)
    answer = _bare_answer(output, spans, input)
    if answer is not None:
        return [answer]
    found: list[tuple[str, int, int]] = []
    subject: Subject | None = None
    lead: str | None = None
    for index, span in enumerate(spans):
        sentence = span.of(output)
        kind = classify(sentence)
        if kind == "claim" and _is_heading(output, spans, index):
            lead, subject = None, None
            continue
        if kind != "claim":
            if kind == "lead_in":
                lead = None
            continue
        if _END.search(sentence) and sentence.rstrip("*_ ").endswith(":"):
            opening = _LEAD.sub("", sentence)
            followed = index + 1 < len(spans) and _is_item(output, spans[index + 1].start)
            if followed:
                lead = opening if subject_of(opening) else None
                subject = subject_of(opening) or subject
                continue
        if _is_item(output, span.start):
            if lead and not subject_of(sentence):
                found.append((f"{lead}: {sentence}", span.start, span.end))
                continue
        else:
            lead = None
        parts = clauses(sentence)
        for part in parts:
            text, subject = resolve(part, subject)
            found.append((text, span.start + part.start, span.start + part.end))
    return [Claim(f"c{number}", text, start, end) for number, (text, start, end) in enumerate(found, start=1)]


def _bare_answer(output: str, spans: list[Span], question: str | None) -> Claim | None:
    """One claim for an answer such as "Paris" or "42", which says nothing without its question."""
    if question is None or len(spans) != 1:
        return None
    span = spans[0]
    text = span.of(output)
    if classify(text) != "claim" or "?" not in question:
        return None
    short = len(text.split()) <= _SHORT and subject_of(text) is None
    if not (short or (_NO_VERB_NEEDED.match(text) and len(text.split()) <= 4)):
        return None
    return Claim("c1", joined(question, text), span.start, span.end)


_MARKED = re.compile(r"(?:^|\n)[ \t]*(?:[-*+•·‣◦▪●○–—]|\(?(?:\d{1,3}|[a-zA-Z])[.)])[ \t]+(?:\[[ xX]\][ \t]+)?$")


def _is_item(output: str, start: int) -> bool:
    """Whether a list marker stands right before this place."""
    return _MARKED.search(output, max(0, start - 16), start) is not None


def _is_heading(output: str, spans: list[Span], index: int) -> bool:
    """A short line of its own that states nothing and has something below it."""
    span = spans[index]
    text = span.of(output)
    line_start = output.rfind("\n", 0, span.start) + 1
    marked = output[line_start : span.start].lstrip().startswith("#")
    if marked:
        return True
    if index + 1 >= len(spans) or _is_item(output, span.start) or text.startswith("|"):
        return False
    if len(text.split()) > _HEADING_WORDS or subject_of(text) is not None:
        return False
    gap = output[span.end : spans[index + 1].start]
    before = output[line_start : span.start].strip()
    colon = text.rstrip("*_ ").endswith(":")
    bold = text.startswith(("**", "__")) and text.endswith(("**", "__", ":"))
    return not before and "\n" in gap and (colon or bold or ("\n\n" in gap and not _END.search(text)))
