"""The statements inside one sentence, each with its place and the words it shares with the others.

"It was built in 1990 and opened by the king" says two things of one subject. A sentence is cut only where
each part stands as a statement of its own; where that is not sure, it stays whole. Parts lie in order and
do not overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ....text.caseless import Caseless
from ....text.verb_forms import BE, PASTS
from ..phrases import pattern, words
from .grammar import (
    DETERMINED,
    FOR_MANY,
    FOR_ONE,
    NAME,
    Subject,
    finite_verb,
    goes_on_after,
    is_participle,
    starts_with_verb,
    subject_of,
)


class Stated(NamedTuple):
    """The words of a statement, and the stretch of the text around it (sentence, clause or output) that is its own."""

    text: str
    start: int
    end: int


_LONGEST = 1500
_REACH = 240
"""Characters after a joint that tell whether a clause begins there."""
_JOINT = re.compile(
    r";\s+|,\s+(?:and|but|while|whereas|so)\s+|\s+(?:and|but)\s+(?!(?:a|one)\s+(?:half|third|quarter)\b)"
)
# After these, what follows is only supposed, asked or said by someone.
_SUPPOSED = Caseless(
    rf"\b{pattern('supposing')}\b"
    # A pair that has not had its second half yet.
    r"|\b(?:between|both)\b(?!.*\sand\s)|\b(?:either|whether)\b(?!.*\sor\s)|\bneither\b(?!.*\snor\s)"
)
# These open a clause only where a verb follows; else they are prepositions.
_MAY_SUBORDINATE = Caseless(r"\b(?:because|although|though|when|whenever|since|before|after|until|as|where|while)\b")
_RELATIVE = Caseless(r"\b(?:which|who|whom|whose)\b")
# What follows a verb of saying is part of what is said.
_REPORTED = Caseless(rf"\b{pattern('reporting')}\b")


def clauses(sentence: str) -> list[Stated]:
    """The statements of a sentence, in order; one when nothing is safe to cut."""
    whole = [Stated(sentence, 0, len(sentence))]
    if len(sentence) > _LONGEST or any(mark in sentence for mark in '"“|'):
        return whole
    made = list(_split(whole[0]))
    return [Stated(finished(text), start, end) for text, start, end in made] if len(made) > 1 else whole


def finished(text: str) -> str:
    """The words with a capital and a full stop, where they have neither."""
    made = text.strip().rstrip(",;")
    if made and made[0].islower() and not re.match(r"[a-z]{1,2}[A-Z]", made):
        made = made[0].upper() + made[1:]
    return made + "." if made and made[-1].isalnum() else made


def _split(whole: Stated) -> Iterator[Stated]:
    """The statements inside one, whose words end where its stretch ends; words put before them stand nowhere."""
    text = whole.text
    parts = _added(text) or _coordinated(text) or _objects(text)
    if not parts:
        yield whole
        return
    shift = whole.end - len(text)
    for part in parts:
        start = max(whole.start, part.start + shift) if part.start else whole.start
        yield from _split(Stated(part.text, start, part.end + shift))


def _coordinated(sentence: str) -> list[Stated]:
    """The sentence cut between its clauses, if it has several; one without a subject is read with that of the last."""
    made: list[Stated] = []
    subject = subject_of(sentence)
    start, lead = 0, ""
    for joint in _JOINT.finditer(sentence):
        left = sentence[start : joint.start()]
        if len(left.split(None, 3)) < (2 if start else 3) or (not start and finite_verb(left) is None):
            continue
        shared = _right_side(joint.group(), lead + left, sentence[joint.end() :], subject)
        if shared is not None:
            made.append(Stated(lead + left, start, joint.start()))
            start, (subject, lead) = joint.end(), shared
    return [*made, Stated(lead + sentence[start:], start, len(sentence))] if made else []


_LAST_STRETCH = re.compile(r"[^,;:()–—]*$")
_PLAIN_SUBJECTS = frozenset("he she it they there you we i this".split())


def _right_side(joint: str, left: str, right: str, subject: Subject | None) -> tuple[Subject, str] | None:
    """The subject of what follows a joint and the words it shares, or None when it should not be cut there."""
    if len(right.split(None, 3)) < 3:
        return None
    own = subject_of(right[:_REACH])
    if joint[0] == ";":
        return (own, "") if own is not None and not _MAY_SUBORDINATE.match(right[:20]) else None
    if _SUPPOSED.search(left) or _REPORTED.search(left):
        return None
    comma = joint[0] == ","
    if own is not None:
        clear = NAME.match(own.text) or DETERMINED.match(own.text) or own.text.lower() in _PLAIN_SUBJECTS
        # Without a comma, "won prizes and friends he kept" is still possible: the subject has to be a plain one.
        # And what stands before it must have a verb: "oak: the frames and the deck are".
        plain = comma or (len(own.text.split()) <= 5 and finite_verb(_LAST_STRETCH.findall(left)[0]) is not None)
        # A comma before the joint ends most clauses inside the left side.
        return (own, "") if clear and plain and (comma or not _opens_clause(left)) else None
    if subject is None or _opens_clause(left):
        return None
    lead = _shared(left, right, subject) if joint.strip(" ,") in ("and", "but") else ""
    return (subject, lead) if lead else None


def _opens_clause(left: str) -> bool:
    """Whether a clause inside the left side may still be going on."""
    opening = any(finite_verb(left, match.end()) is not None for match in _MAY_SUBORDINATE.finditer(left))
    return opening or _RELATIVE.search(left) is not None


_INTRANSITIVE = words("intransitive")
_AFTER_PARTICIPLE = re.compile(rf"{pattern('after_participles')}\b|\d")
_FIRST_WORD = re.compile(r"(?:(?:also|then|later|not|never|still|\w+ly)\s+)?([\w'’-]+)\s*(\S*)")
_MODALS = frozenset("will can must may should would could shall might".split())
_BEING = re.compile(r"\bbeing\s+(?:\w+ly\s+)?([\w-]+)")
_HELPED = re.compile(
    rf"({pattern('passive_auxiliaries')}(?:\s+(?:also|not|never|only|being))?)\s+(?:\w+ly\s+)?([\w-]+)\b"
)


def _shared(left: str, right: str, subject: Subject) -> str:
    """The words of the left side that a right side without subject is read with; "" when it has no verb to lean on."""
    verb = finite_verb(left)
    first = _FIRST_WORD.match(right)
    if verb is None or first is None or subject.text not in left:
        return ""
    word, following = first[1], first[2]
    helped = _HELPED.match(left, verb.start)
    passive = helped and is_participle(helped[2]) and is_participle(word) and word not in _INTRANSITIVE
    if helped and passive and _AFTER_PARTICIPLE.match(following):
        # "was designed and built by Smith": the left side has no end of its own.
        return f"{subject.text} {helped[1]} " if len(left[helped.start(2) :].split()) >= 2 else ""
    being = _BEING.search(left)
    if being is not None and is_participle(being[1]) and is_participle(word):
        return ""  # "led to shops being shut in May and moved to Bonn": the shops were moved
    started = starts_with_verb(right)
    if started is None or (verb.text in _MODALS and started.text in FOR_MANY):
        return ""
    # Where the verb on the left shows that its subject is one or many, the next must agree with it.
    shown = verb.text in FOR_ONE or verb.text in FOR_MANY or verb.text.endswith("s")
    other = started.text in (FOR_ONE if subject.plural else FOR_MANY)
    return "" if shown and other else f"{subject.text} "


_ADDED = re.compile(
    r",\s+(?P<said>(?P<relative>which|who)\s+[^,;]+?|(?:an?|the|one\s+of\s+the)\s[^,;:()]{3,160}?"
    rf"|(?P<participle>{pattern('participles')})\s+(?:in|by|on|at|from|near|as|for|to|after|between)\s[^,;:()]*?)"
    r"(?:,\s+|[.!]?$)"
)
_LASTING = words("lasting")
"""Participles that say how a thing is, not what once happened to it."""
_COMPLEMENT = frozenset("is was are were in at near called named from to visited by with".split())
_NAMED_LAST = re.compile(r"(?<!\S)(?:(?:the|its|his|her|their)\s+)?[A-Z][\w'’.-]*(?:\s+[A-Z][\w'’.-]*)*$")
_MOMENT_LAST = re.compile(rf"(?:{pattern('months')}|\w+day|\d)$")


def _added(sentence: str) -> list[Stated]:
    """ "The parade, which began in 1920, draws crowds", "He came from Lund, a town in Sweden": two statements each."""
    match = _ADDED.search(sentence)
    if match is None:
        return []
    head, rest, relative = sentence[: match.start()], sentence[match.end() :], match["relative"]
    said = match["said"][len(relative or "") :].strip()
    if relative:
        fits = starts_with_verb(said) is not None
    else:
        fits = (match["participle"] or finite_verb(said) is None) and re.search("[,;:()]", head) is None
    if not fits or _SUPPOSED.search(said):
        return []
    if rest:
        subject = subject_of(f"{head} {rest}") if goes_on_after(head, rest) else None
        if subject is None or subject.text != head:
            return []
        being = "" if relative else _being(rest, match["participle"], subject.plural)
        return [
            Stated(f"{head} {being}{said}", 0, match.end("said")),
            Stated(f"{head} {rest}", match.end(), len(sentence)),
        ]
    name = _NAMED_LAST.search(head)
    if name is None or not name.start() or match["participle"] or _MOMENT_LAST.search(head) or not subject_of(head):
        return []
    if relative == "which" and head[: name.start()].split()[-1].lower() not in _COMPLEMENT:
        return []
    being = "" if relative else _being(head)
    return [Stated(head, 0, len(head)), Stated(f"{name.group()} {being}{said}", match.start("said"), match.end("said"))]


def _being(clause: str, participle: str | None = None, plural: bool = False) -> str:
    """ "was" beside a clause in the past, which may be about something that is no more, else "is"."""
    verb = finite_verb(f"It {clause}") if starts_with_verb(clause) else finite_verb(clause)
    past = verb is not None and (verb.text in PASTS or verb.text in ("was", "were", "had"))
    if participle:
        past = participle not in _LASTING
    elif plural:
        return "are "
    return ("were " if plural else "was ") if past else ("are " if plural else "is ")


# What is said of the things together cannot be said of each.
_TOGETHER = Caseless(rf"\b{pattern('together')}\b")
_COUNTED = re.compile(pattern("counted"))
_DETERMINED = re.compile(
    r"(?:an?|the|its|his|her|their)\s+(?!(?:half|quarter|third|few|little|bit|lot|while|day|year)\b)"
)
_LIST_JOINT = re.compile(r",?\s+(?:and|plus|as\s+well\s+as)\s+(?:also\s+)?|,\s+")
_AFTER_VERB = re.compile(r"\s+(?:(?:also|now|only|still|already)\s+)?(?:with\s+)?")
_ATTACHED = re.compile(
    r"\b(of|in|to|with|for|from|by|on|at|into|about|against|under|over|near)\s+(?:an?|the|its|his|her|their|[A-Z]|\d)"
)
_MEASURE = re.compile(rf"\W*(?:[\d.,]+|\w+)\s+{pattern('measured_units')}\b")


def _objects(clause: str) -> list[Stated]:
    """ "has 16 GB of RAM and a 256 GB SSD" says two things of what it has."""
    verb = finite_verb(clause) if subject_of(clause) and not _TOGETHER.search(clause) else None
    gap = _AFTER_VERB.match(clause, verb.end) if verb else None
    if verb is None or gap is None or (verb.text in BE and not re.match(r"an?\s", clause[gap.end() :])):
        return []
    joints = list(_LIST_JOINT.finditer(clause, gap.end()))
    starts = [gap.end(), *(joint.end() for joint in joints)]
    ends = [*(joint.start() for joint in joints), len(clause)]
    things = [clause[start:end] for start, end in zip(starts, ends, strict=True)]
    if not joints or joints[-1].group() == ", " or not all(map(_is_thing, things)):
        return []
    if any(_MEASURE.match(thing) or _takes_more(thing) for thing in things[:-1]):
        return []
    lead = clause[: gap.end()]
    others = zip(things[1:], starts[1:], ends[1:], strict=True)
    return [Stated(lead + things[0], 0, ends[0]), *(Stated(lead + thing, start, end) for thing, start, end in others)]


def _is_thing(phrase: str) -> bool:
    """Whether a noun phrase says by itself how many or which of them are meant."""
    begins = _COUNTED.match(phrase) or _DETERMINED.match(phrase)
    named = re.search(r"[^\W\d_]{2,}", phrase)
    return begins is not None and named is not None and len(phrase.split()) > 1 and finite_verb(phrase) is None


def _takes_more(phrase: str) -> bool:
    """Whether the phrase may take the next noun along: "to a man and a woman". "16 GB of RAM" does not."""
    return any(tie[1] != "of" or not _COUNTED.match(phrase) for tie in _ATTACHED.finditer(phrase))
