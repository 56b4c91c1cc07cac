"""Which parts of a sentence can be taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ....text import STOP_WORDS, Span
from ....text.taking_out import removal
from ....text.verb_forms import BASES, BE
from ..claims.grammar import finite_verb, starts_with_verb, subject_of
from ..network.model import Place
from ..quantities.alignment import prepare
from .candidate import Candidate
from .phrases import INSIDE, MODAL, NARROWED, is_phrase, is_set_in
from .remainders import COLON, YES, end_of, keeping_subject, left_of, loses_name, reads_well

_OPENS = re.compile(
    r",\s+(?=\w)|;\s+|\s+[–—]\s+|\s+(?=\()|\s+(?=(?:(?:\w+ly|just|long|soon)\s+(?:after|before|in|on|at|by|for|from))\b)"
    r"|\s+(?=(?:and|but|or|because|since|as|so|after|before|until|when|where|while|whereas"
    r"|which|who|although|though|if|unless|provided|due|owing|thanks|for|by|on|in|at|from|with|without|to|under|within"
    r"|during|over|through|throughout|against|despite|including|as|that)\b)",
    re.IGNORECASE,
)
_OF_NAMED = re.compile(r"(?<=\w)(?<!of)\s+(?=of\s+[A-Z])")
"""What may be missed after a name: "Ann Berg of Oslo"."""
_CAPITAL_LAST = re.compile(r"\b[A-Z][\w'’-]*$")
_SLACK = 2
"""Characters between a marked stretch and a border of a phrase that are no words."""
_MOST, _HALF, _CLAUSE_MARKED = 0.75, 0.5, 0.3
"""Shares of the marked words that a cut takes out at least."""
_UNIVERSAL = re.compile(r"\b(?:all|both|every|each|everyone|everybody|everything|always)\b", re.IGNORECASE)
_COORDINATE = re.compile(r",?\s+(?:and|but)\s+(?:also\s+)?")
_LAST_WORD = re.compile(r"\b([\w'’]+) $")
_NEXT = re.compile(r" ([a-z]\w+)")
_HALVES = re.compile(r"\s*and\s+(?:a\s+|one\s+|three\s+)?(?:half|quarters?)\b")


def cuts(output: str, sentence: Span, claim: Place, marks: Sequence[Place]) -> list[Candidate]:
    """Parts of a sentence that hold what is wrong and can be missed, the shortest first."""
    found = _parts(output, sentence, claim, marks)
    if not marks:  # nothing tells which part is wrong
        return sorted(found, key=lambda one: one.end - one.start)
    kept = [one for one in found if _takes_error(one, output, sentence, marks)]
    return sorted(kept, key=lambda one: _badness(one, marks))


def weakening_cuts(output: str, sentence: Span, claim: Place, marks: Sequence[Place]) -> list[Candidate]:
    """Smaller parts of a sentence than those that hold what is marked, the shortest first.

    What is left must follow from the sentence: one with a negation or an "all" would claim more without a phrase.
    """
    if not marks:
        return []
    said = sentence.of(output)
    smaller = [one for one in _parts(output, sentence, claim, ()) if not _takes_error(one, output, sentence, marks)]
    if NARROWED.search(said):
        smaller = [one for one in smaller if _adds_a_clause(output[one.start : one.end])]
    elif _UNIVERSAL.search(said):
        # "All went home by bus": all went home, but "all of the guests from Oslo" are not all of the guests
        verb = finite_verb(said)
        safe = sentence.end if verb is None else sentence.start + verb.end
        smaller = [one for one in smaller if one.start >= safe]
    return sorted(smaller, key=lambda one: one.end - one.start)


def _adds_a_clause(part: str) -> bool:
    """Whether a part says another thing beside a first one: "and has two rooms"."""
    return _COORDINATE.match(part) is not None and finite_verb(part) is not None


def _is_coordinate(part: str) -> bool:
    """Whether a part is a main clause beside another one: "and it was built in May"."""
    joined = _COORDINATE.match(part)
    return joined is not None and subject_of(part[joined.end() :]) is not None


def _parts(output: str, sentence: Span, claim: Place, marks: Sequence[Place]) -> list[Candidate]:
    """Parts that touch what is wrong and leave a sentence."""
    said = sentence.of(output)
    end = end_of(said)
    origins = [
        match.start() for match in _OF_NAMED.finditer(said, 0, end) if _CAPITAL_LAST.search(said, 0, match.start())
    ]
    edges = sorted({0, end, *origins, *(match.start() for match in _OPENS.finditer(said, 0, end))})
    wrong = list(marks) or [claim]
    parts = (*_modifiers(output, marks), *_predicates(said, sentence.start))
    found = {(one.start, one.end, one.after): one for one in parts}
    for first, start in enumerate(edges):
        for stop in edges[first + 1 :]:
            low, high = sentence.start + start, sentence.start + stop
            if (start, stop) == (0, end) or not any(low < b and a < high for a, b in wrong):
                continue
            if _HALVES.match(said, start) or _HALVES.match(said, stop):
                continue
            exact = any(_meets((low, high), mark) for mark in marks)
            if not is_phrase(said, start, stop, end, marked=exact):
                continue
            high += start > 0 and stop < end and is_set_in(said, start, stop)
            cut = keeping_subject(output, sentence, removal(output, low, high))
            made = left_of(output, sentence, cut)
            if loses_name(made, said) or YES.fullmatch(said, start, stop):
                continue
            coordinate = _is_coordinate(said[start:stop])
            between = said[start] == said[stop : stop + 1] == ","
            listed = between or starts_with_verb(said[start:stop].lstrip(" ,")) is not None
            if reads_well(made, said, listed=listed, coordinate=coordinate):
                found[cut] = Candidate(*cut, "remove")
    return list(found.values())


def _meets(place: Place, mark: Place) -> bool:
    """Whether a stretch is what is marked, but for the blanks and commas around it."""
    return abs(place[0] - mark[0]) <= _SLACK and abs(place[1] - mark[1]) <= _SLACK


def _takes_error(cut: Candidate, output: str, sentence: Span, wrong: Sequence[Place]) -> bool:
    """Whether a cut takes out what is marked: otherwise the right part would go and the wrong one stay.

    Where nearly all is marked, half of a statement would claim something else, but one of two clauses may be right.
    """
    clause = finite_verb(output[cut.start : cut.end].strip(" ,;")) is not None
    least = _CLAUSE_MARKED if clause else _MOST if _size(wrong) > _MOST * len(sentence.of(output)) else _HALF
    return _gone(cut, wrong) >= least * _size(wrong)


def _predicates(said: str, at: int) -> Iterator[Candidate]:
    """The first of two things that are said of a subject: "is old and has two rooms", "may enter and take pictures"."""
    begun = max((match.end() for match in COLON.finditer(said)), default=0)
    verb = finite_verb(said, begun)
    if verb is None or verb.start == begun:
        return
    for joint in _COORDINATE.finditer(said, verb.end):
        rest = said[joint.end() :]
        word = rest.partition(" ")[0]
        if verb.text.lower() in MODAL and (word in BASES or word in ("do", "be", "have")):
            following = finite_verb(rest, len(word))
            if following is not None and not INSIDE.search(rest[: following.start]):
                continue  # "may not enter, and travel costs are paid"
            yield Candidate(at + verb.end + 1, at + joint.end(), "", "remove")
        elif starts_with_verb(rest):
            yield Candidate(at + verb.start, at + joint.end(), "", "remove")


def _modifiers(output: str, marks: Sequence[Place]) -> Iterator[Candidate]:
    """The marked words themselves where they only describe what follows: "the coated paper"."""
    for low, high in marks:
        words, before, after = output[low:high].split(), _LAST_WORD.search(output, 0, low), _NEXT.match(output, high)
        if not 0 < len(words) <= 2 or before is None or after is None or after[1] in STOP_WORDS:
            continue
        if before[1] in ("a", "an") and (before[1] == "an") != (after[1][0] in "aeiou"):
            continue
        if prepare(output[low:high]).placed or (before[1] in BE and not words[0].endswith("ly")):
            continue
        compared = any(word.endswith(("er", "est")) for word in words)  # "the larger part" is not "the part"
        if not compared and all(word.isalpha() and word.islower() and word not in STOP_WORDS for word in words):
            yield Candidate(low, high + 1, "", "remove")


def _badness(cut: Candidate, wrong: Sequence[Place]) -> tuple[float, int]:
    """Characters that are right and would go, with half of those that are wrong and would stay.

    Marks reach too far more often than too short, and what stays is judged again.
    """
    gone = _gone(cut, wrong)
    return (cut.end - cut.start - gone) + (_size(wrong) - gone) / 2, cut.end - cut.start


def _gone(cut: Candidate, places: Sequence[Place]) -> int:
    return sum(max(0, min(cut.end, high) - max(cut.start, low)) for low, high in places)


def _size(places: Sequence[Place]) -> int:
    return sum(high - low for low, high in places)
