"""From an output to its claims: statements that can be read, and judged, alone.

The output is read as it is judged (without mark-up and marks of citation): sentences first; then the
statements inside a sentence, where the cut is safe; then the subject is carried into each. Rules that are
not sure leave the sentence as it is: a statement cut wrongly is judged wrongly, a sentence left whole is only
judged less finely. Nothing that states something is left out, whatever it is dressed as.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....core.verdict import Claim
from ....text import Span, content_stems, sentences
from ....text.kinds import classify
from ..phrases import pattern
from ..reading.judged_text import JudgedText, judged
from ..reading.language import is_dense_code
from ..reading.readable import Statement, structures
from .absence import speaks_of_absence
from .bare_answers import with_question
from .clauses import Stated, clauses, finished
from .grammar import Subject, finite_verb, resolve, subject_of

_COLON_LAST = re.compile(r":[\s*_]*$")


def extract(output: str, input: str | None = None) -> list[Claim]:
    """The claims of an output, in order, with ids c1, c2, …

    Each `text` can be read alone; `start`:`end` is the stretch of the output it was taken from. Stretches lie
    in order and do not overlap. A bare short answer is joined with the question it answers. Sentences that say what
    the context does not hold are claims too (see `speaks_of_absence`): whether they are true, the context decides.
    """
    read = judged(output)
    found = _statements(read, input)
    if input:
        found = with_question(found, input)
    return [Claim(f"c{n}", text, *read.in_source(start, end)) for n, (text, start, end) in enumerate(found, start=1)]


def unread(output: str) -> tuple[Span, ...]:
    """The stretches of an output that are program code, which is not judged."""
    read = judged(output)
    return tuple(read.in_source(*span) for span in read.code)


def _statements(read: JudgedText, question: str | None) -> list[Stated]:
    """The statements of the text: rows and records as such, everything else sentence by sentence."""
    found: list[Stated] = []
    prose_from = 0
    if "|" in read.text or "{" in read.text:
        for span, made in structures(read.text):
            found += _in_prose(read, Span(prose_from, span.start), question)
            found += _in_order(made)
            prose_from = span.end
    found += _in_prose(read, Span(prose_from, len(read.text)), question)
    return found


def _in_order(made: list[Statement]) -> Iterator[Stated]:
    """Rows and records with the characters their values stand at. A record ends where one inside it begins."""
    placed = sorted((one.pieces[0].source.start, one.pieces[-1].source.end, one.text) for one in made)
    done = 0
    for number, (start, end, text) in enumerate(placed):
        if number + 1 < len(placed):
            end = min(end, placed[number + 1][0])
        if max(start, done) < end:
            yield Stated(text, max(start, done), end)
            done = end


def _in_prose(read: JudgedText, part: Span, question: str | None) -> Iterator[Stated]:
    text = read.text
    spans = [Span(part.start + s.start, part.start + s.end) for s in sentences(text[part.start : part.end])]
    subject: Subject | None = None
    lead: str | None = None
    for index, span in enumerate(spans):
        sentence = span.of(text)
        kind = classify(sentence)
        told = presupposed(sentence) if kind == "question" else None
        if told is not None:
            span = Span(span.start + told.start, span.start + told.end)
            sentence = span.of(text)
        elif kind == "refusal" and speaks_of_absence(sentence):
            yield Stated(sentence, *span)
            continue
        elif kind != "claim":
            lead = None if kind == "lead_in" else lead
            continue
        label = LABEL.match(sentence)
        if label and (subject_of(sentence[label.end() :]) is not None or question is not None):
            span = Span(span.start + label.end(), span.end)
            sentence = span.of(text)
        elif is_dense_code(sentence):
            continue
        elif is_heading(text, spans, index, bold=_is_bold(read, span)) and not (
            index == 0 and question is not None and _names_answer(sentence, question)
        ):
            lead, subject = None, None
            continue
        # Items, rows or a record may come next.
        opens = is_item(text, spans[index + 1].start) if index + 1 < len(spans) else part.end < len(text)
        if opens and _COLON_LAST.search(sentence):
            opening = _COLON_LAST.sub("", sentence)
            lead = opening if subject_of(opening) else None
            subject = subject_of(opening) or subject
            if lead and tells(opening):
                yield Stated(finished(opening), span.start, span.start + len(opening))
            continue
        if not is_item(text, span.start):
            lead = None
        elif lead and not subject_of(sentence):
            yield Stated(f"{lead}: {sentence}", *span)
            continue
        for piece in clauses(sentence):
            stated, subject = resolve(finished(piece.text) if told else piece.text, subject)
            yield Stated(stated, span.start + piece.start, span.start + piece.end)


def _is_bold(read: JudgedText, span: Span) -> bool:
    start, end = read.in_source(*span)
    return read.source[max(0, start - 2) : start] in ("**", "__") or read.source[end : end + 2] == "**"


_GENERIC = re.compile(rf"(?:{pattern('section_adjectives')}\s+)?{pattern('section_names')}\b", re.IGNORECASE)


def _names_answer(line: str, question: str) -> bool:
    """Whether what looks like a heading is the answer ("**Paris**"): no section's name, no echo of the question."""
    echo = content_stems(line) <= content_stems(question)
    return not line.endswith(":") and _GENERIC.match(line) is None and not echo and "?" in question


_HEADING_WORDS = 9
_END = re.compile(r"[.!?…:;]['\"”’)\]]*$")
_MARKED = re.compile(r"(?:^|\n)[ \t]*(?:[-*+•·‣◦▪●○–—]|\(?(?:\d{1,3}|[a-zA-Z])[.)])[ \t]+(?:\[[ xX]\][ \t]+)?$")
_UNDERLINED = re.compile(r"[ \t]*\n[ \t]*(?:=+|-{2,})[ \t]*(?:\n|$)")
LABEL = re.compile(
    rf"(?:the\s+)?(?:{pattern('label_adjectives')}\s+)?{pattern('labels')}\s*(?::|\s[–—-])\s+(?=\S)", re.IGNORECASE
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


_ANNOUNCED = re.compile(rf"\b{pattern('announcing')}\b|\b{pattern('breaking_off')}\W*$", re.IGNORECASE)


def tells(opening: str) -> bool:
    """Whether the line that opens a list says something itself: "It sells three things" does, "It has" does not."""
    verb = finite_verb(opening)
    return verb is not None and len(opening[verb.end :].split()) >= 2 and _ANNOUNCED.search(opening) is None


_KNOWN = re.compile(
    r"(?:and|so|but)?\s*(?:(?:did|do|have|had)(?:n['’]t)?\s+you\s+(?:know|realise|realize|remember|hear|heard|notice)"
    r"|(?:is|was)(?:n['’]t)?\s+it\s+(?:true|a\s+fact|interesting|amazing|remarkable|surprising))(?P<that>\s+that)?\s+",
    re.IGNORECASE,
)
_ASKING = re.compile(rf"{pattern('asking_first')}\b", re.IGNORECASE)
_TAG = re.compile(pattern("question_tags"), re.IGNORECASE)


def presupposed(question: str) -> Span | None:
    """The statement inside a question that does not ask for it: "Did you know that …?", "…, isn't it?"."""
    if known := _KNOWN.match(question):
        rest = question[known.end() :]
        told = not _ASKING.match(rest) and (known["that"] or subject_of(rest) is not None)
        return Span(known.end(), len(question.rstrip("?!\"'”’) "))) if told else None
    tag = _TAG.search(question)
    return Span(0, tag.start()) if tag and subject_of(question[: tag.start()]) is not None else None
