"""What a line of an output is beside its words: an item, a heading, a labelled answer, a question that tells."""

from __future__ import annotations

import re

from ...text import Span
from .subjects import subject_of
from .verbs import finite_verb

_HEADING_WORDS = 9
_END = re.compile(r"[.!?…:;]['\"”’)\]]*$")
_MARKED = re.compile(r"(?:^|\n)[ \t]*(?:[-*+•·‣◦▪●○–—]|\(?(?:\d{1,3}|[a-zA-Z])[.)])[ \t]+(?:\[[ xX]\][ \t]+)?$")
_UNDERLINED = re.compile(r"[ \t]*\n[ \t]*(?:=+|-{2,})[ \t]*(?:\n|$)")
LABEL = re.compile(
    r"(?:the\s+)?(?:(?:final|short|direct|correct|quick|brief|long|fun|key|main|important)\s+)?(?:answer|conclusion"
    r"|verdict|result|response|note|fact|summary|in\s+short|in\s+summary|tl;?dr|point|takeaway|important|warning"
    r"|reminder|caution|tip|nb|n\.b\.)\s*(?::|\s[–—-])\s+(?=\S)",
    re.IGNORECASE,
)
"""A label such as "Answer:", which announces a statement."""
_VALUED = re.compile(r"^[^:]{2,60}:\s+\S")


def is_item(text: str, start: int) -> bool:
    """Whether a list marker stands right before this place."""
    return _MARKED.search(text, max(0, start - 16), start) is not None


def states(sentence: str) -> bool:
    """Whether a line says something: has a subject and a verb, ends as a sentence does, or gives a label its value."""
    if subject_of(sentence) is not None or _VALUED.match(sentence):
        return True
    return len(sentence.split()) >= 4 and re.search(r"[.!]['\"”’)\]]*$", sentence) is not None


def is_heading(text: str, spans: list[Span], index: int, *, bold: bool) -> bool:
    """A short line of its own that states nothing and has something below it."""
    span = spans[index]
    line = span.of(text)
    line_start = text.rfind("\n", 0, span.start) + 1
    before = text[line_start : span.start].strip()
    marked = before.startswith("#") or (not before and _UNDERLINED.match(text, span.end) is not None)
    if marked:
        return not states(line)
    last = index + 1 == len(spans)
    if last or before or line.startswith("|") or len(line.split()) > _HEADING_WORDS or states(line):
        return False
    gap = text[span.end : spans[index + 1].start]
    return "\n" in gap and (line.rstrip().endswith(":") or bold or ("\n\n" in gap and not _END.search(line)))


_ANNOUNCED = re.compile(
    r"\b(?:following|follows|these|below|namely|here|such\s+as|including|like)\b"
    r"|\b(?:by|of|to|for|from|with|in|on|at|as|via|through|and|or|the|an?)\W*$",
    re.IGNORECASE,
)


def tells(opening: str) -> bool:
    """Whether the line that opens a list says something itself: "It sells three things" does, "It has" does not."""
    verb = finite_verb(opening)
    return verb is not None and len(opening[verb.end :].split()) >= 2 and _ANNOUNCED.search(opening) is None


_KNOWN = re.compile(
    r"(?:and|so|but)?\s*(?:(?:did|do|have|had)(?:n['’]t)?\s+you\s+(?:know|realise|realize|remember|hear|heard|notice)"
    r"|(?:is|was)(?:n['’]t)?\s+it\s+(?:true|a\s+fact|interesting|amazing|remarkable|surprising))(?P<that>\s+that)?\s+",
    re.IGNORECASE,
)
_ASKING = re.compile(r"(?:who|what|when|where|why|which|whose|how|whether|if|of|about|any|to)\b", re.IGNORECASE)
_TAG = re.compile(
    r",\s*(?:right|correct|yes|no|ok(?:ay)?|huh|eh|innit|(?:is|are|was|were|do|does|did|has|have|had|can|could|will"
    r"|would|should)(?:n['’]t)?\s+(?:it|he|she|they|we|you|i|there|that))\s*\?\W*$",
    re.IGNORECASE,
)


def presupposed(question: str) -> Span | None:
    """The statement inside a question that does not ask for it: "Did you know that …?", "…, isn't it?"."""
    if known := _KNOWN.match(question):
        rest = question[known.end() :]
        told = not _ASKING.match(rest) and (known["that"] or subject_of(rest) is not None)
        return Span(known.end(), len(question.rstrip("?!\"'”’) "))) if told else None
    tag = _TAG.search(question)
    return Span(0, tag.start()) if tag and subject_of(question[: tag.start()]) is not None else None
