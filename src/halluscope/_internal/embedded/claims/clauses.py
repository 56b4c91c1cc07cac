"""The statements inside one sentence, each with its place and the words it shares with the others.

"It was built in 1990 and opened by the king" says two things of one subject. A sentence is cut only where
each part stands as a statement of its own; where that is not sure, it stays whole. Parts lie in order and
do not overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...text.caseless import Caseless
from ...text.verb_forms import BASES
from .phrases import Stated, phrases
from .subjects import DETERMINED, FOR_MANY, FOR_ONE, NAME, Subject, goes_on_after, subject_of
from .verbs import finite_verb, is_participle, starts_with_verb


class _Part(NamedTuple):
    """A stretch of the sentence and the words to read before it."""

    lead: str
    start: int
    end: int
    subject: Subject | None


_LONGEST = 1500
_REACH = 240
"""Characters after a joint that tell whether a clause begins there."""
_JOINT = re.compile(r";\s+|,\s+(?:and|but|while|whereas|yet|so)\s+|\s+(?:and|but)\s+|,\s+then\s+")
# After these, what follows is only supposed, asked or said by someone.
_SUPPOSED = Caseless(
    r"\b(?:if|unless|whether|that|how|why|what|so\s+that|in\s+case|provided|suppose|as\s+though|as\s+if|not\s+only"
    r"|once|rather\s+than|would)\b"
    # A pair that has not had its second half yet.
    r"|\b(?:between|both)\b(?!.*\sand\s)|\b(?:either|whether)\b(?!.*\sor\s)|\bneither\b(?!.*\snor\s)"
)
# These open a clause only where a verb follows; else they are prepositions.
_MAY_SUBORDINATE = Caseless(r"\b(?:because|although|though|when|whenever|since|before|after|until|as|where|while)\b")
_RELATIVE = Caseless(r"\b(?:which|who|whom|whose)\b")
# What follows a verb of saying is part of what is said.
_REPORTED = Caseless(
    r"\b(?:says?|said|saying|claims?|claimed|believes?|believed|argues?|argued|reports?|reported|warns?|warned|tells?"
    r"|told|states?|stated|notes?|noted|explains?|explained|suggests?|suggested|thinks?|thought|feels?|felt|knows?|knew"
    r"|shows?|showed|found|finds?|hopes?|hoped|announces?|revealed|reveals|confirmed|confirms|added|according\s+to"
    r"|expects?|expected|denied|denies|suspects?|means?)\b"
)


def clauses(sentence: str) -> list[Stated]:
    """The statements of a sentence, in order; one when nothing is safe to cut."""
    if len(sentence) > _LONGEST or '"' in sentence or "“" in sentence or "|" in sentence:
        return [Stated(sentence, 0, len(sentence))]
    found = _between(sentence) or _fronted(sentence)
    if found is None:
        return _main(sentence)
    text, end, subject, rest = found
    return [
        *_placed(_main(text), 0, end - len(text)),
        *_placed(_main(subject + sentence[rest:]), rest, rest - len(subject)),
    ]


def _placed(found: list[Stated], first: int, shift: int) -> Iterator[Stated]:
    """The clauses where they stand in the sentence; words put in front of the first stand nowhere."""
    for one in found:
        yield Stated(finished(one.text), max(first, one.start + shift), one.end + shift)


def _main(sentence: str) -> list[Stated]:
    """The statements of a sentence without participles beside it."""
    made = [clause for part in _parts(sentence) for clause in _finer(sentence, part)]
    return made if len(made) > 1 else [Stated(sentence, 0, len(sentence))]


def _parts(sentence: str) -> Iterator[_Part]:
    """The sentence cut between its clauses."""
    subject = subject_of(sentence)
    start, lead = 0, ""
    for joint in _JOINT.finditer(sentence):
        left = sentence[start : joint.start()]
        if len(left.split(None, 3)) < (2 if start else 3) or (not start and finite_verb(left) is None):
            continue
        made = _right_side(
            joint.group().strip(" ,"), lead + left, sentence[joint.end() :], subject, joint.group()[0] == ","
        )
        if made is None:
            continue
        yield _Part(lead, start, joint.start(), subject)
        start = joint.end()
        subject, lead = made
    yield _Part(lead, start, len(sentence), subject)


_LAST_STRETCH = re.compile(r"[^,;:()–—]*$")
_PLAIN_SUBJECTS = frozenset("he she it they there you we i this".split())


def _right_side(joint: str, left: str, right: str, subject: Subject | None, comma: bool) -> tuple[Subject, str] | None:
    """The subject of what follows a joint and the words it shares, or None when it should not be cut there."""
    if len(right.split(None, 3)) < 3:
        return None
    own = subject_of(right[:_REACH])
    if joint == ";":
        return (own, "") if own is not None and not _MAY_SUBORDINATE.match(right[:20]) else None
    if _SUPPOSED.search(left) or _REPORTED.search(left):
        return None
    if own is not None and joint != "then":
        clear = NAME.match(own.text) or DETERMINED.match(own.text) or own.text.lower() in _PLAIN_SUBJECTS
        # Without a comma, "won prizes and friends he kept" is still possible: the subject has to be a plain one.
        # And what stands before it must have a verb: "oak: the frames and the deck are".
        plain = comma or (len(own.text.split()) <= 5 and finite_verb(_LAST_STRETCH.findall(left)[0]) is not None)
        # A comma before the joint ends most clauses inside the left side.
        return (own, "") if clear and plain and (comma or not _opens_clause(left)) else None
    if subject is None or _opens_clause(left):
        return None
    lead = _shared(left, right, subject) if joint in ("and", "but", "then") else ""
    return (subject, lead) if lead else None


def _opens_clause(left: str) -> bool:
    """Whether a clause inside the left side may still be going on."""
    opening = any(finite_verb(left, match.end()) is not None for match in _MAY_SUBORDINATE.finditer(left))
    return opening or _RELATIVE.search(left) is not None


_INTRANSITIVE = frozenset(
    "died lived moved returned remained arrived appeared stayed retired resigned grew went came fell rose began".split()
)
_AFTER_PARTICIPLE = re.compile(
    r"(?:by|in|on|at|to|from|with|for|as|until|after|before|within|under|into|over|through|during|since|again|only|out"
    r"|up|down|off|back|every|twice|once|\w+ly)\b|\d"
)
_FIRST_WORD = re.compile(r"(?:(?:also|then|later|not|never|still|\w+ly)\s+)?([\w'’-]+)\s*(\S*)")
_NEGATED = re.compile(r"n['’]t\b|\b(?:not|never|no|cannot)\b")


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
    modal = _MODAL.match(left, verb.start)
    if modal is not None and word in BASES and not _NEGATED.search(left):
        return f"{subject.text} {modal[1]} " if len(left[modal.end() :].split()) >= 2 else ""
    started = starts_with_verb(right)
    if started is None or (re.match(r"(?:also\s+)?(?:have|do|had)\b(?!\s+(?:been|a|an|the|no|\d))", right) and modal):
        return ""
    # Where the verb on the left shows that its subject is one or many, the next must agree with it.
    shown = verb.text in FOR_ONE or verb.text in FOR_MANY or verb.text.endswith("s")
    other = started.text in (FOR_ONE if subject.plural else FOR_MANY)
    return "" if shown and other else f"{subject.text} "


_MODAL = re.compile(
    r"((?:will|can|must|may|should|would|could|shall|might)(?:\s+(?:also|now|only|still))?)\s+(?=[a-z])(?!be\b|have\b)"
)
_BEING = re.compile(r"\bbeing\s+(?:\w+ly\s+)?([\w-]+)")
_HELPED = re.compile(
    r"((?:(?:will|can|must|may|should|would|could|shall|might)\s+(?:\w+ly\s+|also\s+|not\s+|only\s+)?(?:be|have\s+been)"
    r"|(?:has|have|had)\s+(?:also\s+|not\s+|never\s+)?been|is|are|was|were|isn['’]t|aren['’]t|wasn['’]t|weren['’]t)"
    r"(?:\s+(?:also|not|never|only|being))?)\s+(?:\w+ly\s+)?([\w-]+)\b"
)


# --- participles beside a sentence --------------------------------------------------------------------

_Aside = tuple[str, int, str, int]
"""What a participle says and its end in the sentence; the words to read before the rest, and where that begins."""
_LASTING = frozenset("located situated headquartered priced known owned".split())
"""Participles that say how a thing is, not what once happened to it."""
_ONCE = frozenset(
    """
    acquired announced appointed approved awarded born bought built commissioned completed composed constructed created
    dedicated designed destroyed developed directed discovered elected established filmed formed founded hired
    inaugurated introduced invented launched named opened organised organized painted passed produced published
    rebuilt recorded released renamed renovated restored signed sold unveiled written
    """.split()
)
"""Participles that are never only a circumstance ("compared with last year", "asked by a reporter")."""
_PARTICIPLES = _ONCE | _LASTING
_PHRASE = r"((?:first\s+|\w+ly\s+)?([\w-]+)\s+(?:in|by|on|at|from|near|as|for|to|after|between)\s[^,;:()]*)"
_BETWEEN = re.compile(rf"([^,;:()]{{2,80}}),\s+{_PHRASE},\s+")
_FRONTED = re.compile(rf"{_PHRASE},\s+")


def _between(sentence: str) -> _Aside | None:
    """ "The mill, built in 1890, is closed": what is said between a subject and its verb."""
    match = _BETWEEN.match(sentence)
    if match is None or match[3] not in _PARTICIPLES:
        return None
    head, rest = match[1], sentence[match.end() :]
    subject = subject_of(f"{head} {rest}") if goes_on_after(head, rest) else None
    if subject is None or subject.text != head:
        return None
    return f"{head} {_was(match[3], subject)} {match[2]}", match.end(2), f"{head} ", match.end()


def _fronted(sentence: str) -> _Aside | None:
    """ "Founded in 1995, it grew": what is said before the subject."""
    match = _FRONTED.match(sentence)
    if match is None or match[2].lower() not in _PARTICIPLES:
        return None
    subject = subject_of(sentence[match.end() :])
    if subject is None or not sentence.startswith(subject.text, match.end()):
        return None
    phrase = match[1][0].lower() + match[1][1:]
    text = f"{subject.text} {_was(match[2].lower(), subject)} {phrase}"
    return text[0].upper() + text[1:], match.end(1), "", match.end()


def _was(participle: str, subject: Subject) -> str:
    if participle in _LASTING:
        return "are" if subject.plural else "is"
    return "were" if subject.plural else "was"


# --- inside one clause ------------------------------------------------------------------------------


def _finer(sentence: str, part: _Part) -> Iterator[Stated]:
    """The part cut at its relative clause, its objects and its agent, and finished as sentences."""
    full = part.lead + sentence[part.start : part.end].rstrip()
    offset = part.start - len(part.lead)
    for text, start, end in _relative(full) or [(full, 0, len(full))]:
        whole = start == 0 and end == len(text)
        cut = phrases(text) if whole and part.subject is not None else None
        for piece, low, high in cut or [Stated(text, start, end)]:
            yield Stated(finished(piece), max(part.start, offset + low), offset + high)


def finished(text: str) -> str:
    """The words with a capital and a full stop, where they have neither."""
    made = text.strip().rstrip(",;")
    if made and made[0].islower() and not re.match(r"[a-z]{1,2}[A-Z]", made):
        made = made[0].upper() + made[1:]
    return made + "." if made and made[-1].isalnum() else made


_COMPLEMENT = frozenset("is was are were in at near called named from to visited by with".split())
_WHICH = re.compile(r",\s+(which|who)\s+([^,;]+?)(,\s+|[.!]?$)")
_NAMED_LAST = re.compile(r"(?<!\S)(?:(?:the|a|an|its|his|her|their)\s+)?[A-Z][\w'’.-]*(?:\s+[A-Z][\w'’.-]*)*$")


def _relative(sentence: str) -> list[tuple[str, int, int]] | None:
    """ "The parade, which began in 1920, draws crowds": two statements about the parade."""
    match = _WHICH.search(sentence)
    if match is None or _SUPPOSED.search(match.group(2)) or starts_with_verb(match.group(2)) is None:
        return None
    head = sentence[: match.start()]
    if match.group(3).startswith(","):
        # Between commas: the clause belongs to the subject that stands before it.
        rest = sentence[match.end() :]
        if not goes_on_after(head, rest):
            return None
        return [(f"{head} {match.group(2).strip()}", 0, match.end(2)), (f"{head} {rest}", match.end(), len(sentence))]
    name = _NAMED_LAST.search(head)
    if name is None or subject_of(head) is None or name.start() == 0 or re.match(r"an?\s", name.group()):
        return None
    if match.group(1) == "which" and head[: name.start()].split()[-1].lower() not in _COMPLEMENT:
        return None
    return [(head, 0, match.start()), (f"{name.group()} {match.group(2).strip()}", match.start(1), match.end(2))]
