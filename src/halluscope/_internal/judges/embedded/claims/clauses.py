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
from ....text.verb_forms import BASES, BE, PASTS
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
    for text, start, end in _relative(full) or _apposed(full) or [(full, 0, len(full))]:
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


_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_APPOSED = re.compile(r"([^,;:()]{2,80}),\s+((?:an?|the|one\s+of\s+the)\s[^,;:()]{3,160}?)(?:,\s+|[.!]?$)")
_MOMENT_LAST = re.compile(rf"(?:{_MONTH}|\w+day|\d)$")


def _apposed(sentence: str) -> list[tuple[str, int, int]] | None:
    """ "Lund, a town in Sweden, has a harbour" and "He came from Lund, a town in Sweden": two statements."""
    match = _APPOSED.match(sentence)
    if match is None or finite_verb(match[2]) is not None or _SUPPOSED.search(match[2]):
        return None
    head, rest = match[1], sentence[match.end() :]
    if not rest:
        name = _NAMED_LAST.search(head)
        if name is None or not name.start() or _MOMENT_LAST.search(head) or subject_of(head) is None:
            return None
        return [(head, 0, match.end(1)), (f"{name.group()} {_being(head)} {match[2]}", match.start(2), match.end(2))]
    subject = subject_of(f"{head} {rest}") if goes_on_after(head, rest) else None
    if subject is None or subject.text != head:
        return None
    named = f"{head} {'are' if subject.plural else _being(rest)} {match[2]}"
    return [(named, 0, match.end(2)), (f"{head} {rest}", match.end(), len(sentence))]


def _being(clause: str) -> str:
    """ "was" beside a clause in the past, which may be about something that is no more, else "is"."""
    verb = finite_verb(f"It {clause}") if starts_with_verb(clause) else finite_verb(clause)
    return "was" if verb and (verb.text in PASTS or verb.text in ("was", "were", "had")) else "is"


class Stated(NamedTuple):
    """The words of a statement, and the stretch of the text around it (sentence, clause or output) that is its own."""

    text: str
    start: int
    end: int


def phrases(clause: str) -> list[Stated] | None:
    """The clause as statements that share its subject and verb; None when it is one."""
    if ";" in clause or _TOGETHER.search(clause):
        return None
    return _objects(clause) or _agent(clause) or _places(clause)


# What is said of the things together cannot be said of each.
_TOGETHER = Caseless(
    r"\b(?:respectively|between|both|either|neither|each|together|combined|in\s+total|altogether|from\s+\S+\s+to|mix"
    r"|mixture|combination|blend|sum|difference|choice|compar\w+|ratio|versus|vs|relationship|link|average|mean|cross"
    r"|balance|pair|couple|merge\w*|combine\w*|separat\w+|divid\w+|distinguish\w*|marri\w+|marry|exchang\w+|swap\w*"
    r"|alternat\w+|respective|or|if|that|whether|than|only|just|solely|exclusively|nothing|not|n['’]t|never|without|per"
    r"|every|same|equal\w*|difference\w*)\b"
)
_NUMBER = (
    r"(?:[$€£]\s?)?\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty)\b"
)
_ABOUT = (
    r"(?:(?:about|around|roughly|nearly|almost|over|under|at\s+least|up\s+to|another|a\s+further|a\s+total\s+of"
    r"|more\s+than|less\s+than|some|approximately|an?\s+additional)\s+)?"
)
_COUNTED = re.compile(rf"{_ABOUT}(?:{_NUMBER})")
_DETERMINED = re.compile(
    r"(?:an?|the|its|his|her|their)\s+(?!half\b|quarter\b|third\b|few\b|little\b|bit\b|lot\b|while\b|day\b|year\b)"
)
_ARTICLE = re.compile(r"an?\s")
_LIST_JOINT = re.compile(r",?\s+(?:and|plus)\s+(?:also\s+)?|,?\s+as\s+well\s+as\s+|,\s+")
_AFTER_VERB = re.compile(r"\s+(?:(?:also|now|only|still|already)\s+)?(?:with\s+)?")
# A phrase that these begin may take the next noun along: "to a man and a woman".
_ATTACHED = re.compile(
    r"\b(of|in|to|with|for|from|by|on|at|into|about|against|under|over|near)\s+(?:an?|the|its|his|her|their|[A-Z]|\d)"
)
_PREPOSITION = re.compile(r"\s(for|in|on|at|to|from|with|by|of)\s")
_MEASURE = re.compile(
    r"(?:hours?|minutes?|mins?|seconds?|secs?|days?|weeks?|months?|years?|feet|foot|inch(?:es)?|yards?|miles?|pounds?"
    r"|ounces?|lbs?|oz|stones?|dollars?|cents?|euros?|pence|h|m|s|half|halves|thirds?|quarters?|metres?|centimetres?|kg"
    r"|g|degrees?|million|thousand|hundred)\b"
)


def _objects(clause: str) -> list[Stated] | None:
    """ "has 16 GB of RAM and a 256 GB SSD" says two things of what it has."""
    verb = finite_verb(clause)
    gap = _AFTER_VERB.match(clause, verb.end) if verb else None
    if verb is None or gap is None or (verb.text in BE and not _ARTICLE.match(clause, gap.end())):
        return None
    begin = gap.end()
    cuts = _cuts(clause, begin, list(_LIST_JOINT.finditer(clause, begin)))
    if not cuts:
        return None
    made = [Stated(clause[: cuts[0].start()], 0, cuts[0].start())]
    ends = [joint.start() for joint in cuts[1:]] + [len(clause)]
    made += [Stated(clause[:begin] + clause[j.end() : end], j.end(), end) for j, end in zip(cuts, ends, strict=True)]
    return made


def _kind(clause: str, place: int) -> str | None:
    if _COUNTED.match(clause, place):
        return "counted"
    return "determined" if _DETERMINED.match(clause, place) else None


def _cuts(clause: str, begin: int, joints: list[re.Match[str]]) -> list[re.Match[str]]:
    """The joints at which a noun phrase of its own begins, if the last of all and of these is one with "and"."""
    if not joints or joints[-1].group() == ", ":
        return []
    cuts: list[re.Match[str]] = []
    left = begin
    for number, joint in enumerate(joints):
        end = joints[number + 1].start() if number + 1 < len(joints) else len(clause)
        if joint.group() == ", " and not all(_kind(clause, later.end()) for later in joints[number:]):
            continue
        if not _stands(clause[left : joint.start()], clause[joint.end() : end], clause[joint.end() :]):
            continue
        cuts.append(joint)
        left = joint.end()
    return cuts if cuts and cuts[-1].group() != ", " else []


def _stands(left: str, right: str, rest: str) -> bool:
    kinds = _kind(left, 0), _kind(right, 0)
    if None in kinds or finite_verb(rest) is not None:
        return False
    words = re.findall(r"[^\W\d_]{2,}", left)
    if not words or len(right.split()) < 2:
        return False
    if kinds == ("counted", "counted") and _MEASURE.match(words[0]) and _MEASURE.search(right):
        # "2 hours and 30 minutes" is one measure; "2 hours for boys and 3 hours for girls" are two.
        return _alike(left, right)
    if any(tie[1] != "of" or kinds[0] != "counted" for tie in _ATTACHED.finditer(left)):
        return _alike(left, right)
    return True


def _alike(left: str, right: str) -> bool:
    """Whether both go on with the same preposition, which ties what follows to each of them."""
    first, second = _PREPOSITION.search(left), _PREPOSITION.search(right)
    return first is not None and second is not None and first[1] == second[1] != "of"


_TIME = (
    rf"(?:in|on)\s+(?:(?:early|late|mid)[\s-])?(?:\d{{1,2}}\s+)?(?:{_MONTH}\s+)?(?:\d{{1,2}},?\s+)?(?:1\d{{3}}"
    rf"|20\d\d)\b"
)
_BY = r"by\s+(?!\d|the\s+(?:end|time)\b|\w+ing\b)"
_TIME_AGENT = re.compile(rf"(?P<one>{_TIME})\s+(?P<two>{_BY}[^,;:()]+)")
_AGENT_TIME = re.compile(rf"(?P<one>{_BY}[^,;:()]{{2,60}}?)\s+(?P<two>{_TIME}[^,;:()]*)")
_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|be)\s+(?:\w+ly\s+|also\s+|first\s+)?([\w-]+)\s+")


def _agent(clause: str) -> list[Stated] | None:
    """ "was founded in 1995 by John Smith" says when, and by whom."""
    for passive in _PASSIVE.finditer(clause):
        if not is_participle(passive[1]):
            continue
        match = _TIME_AGENT.match(clause, passive.end()) or _AGENT_TIME.match(clause, passive.end())
        if match is None:
            return None
        named = match["one"] if match["one"].startswith("by") else match["two"]
        if any(is_participle(word) or word in ("who", "which", "whose") for word in named.split()):
            return None  # "by a company founded in 1995": the year may be the company's
        two = match.start("two")
        return [
            Stated(clause[: match.end("one")], 0, match.end("one")),
            Stated(clause[: passive.end()] + clause[two:], two, len(clause)),
        ]
    return None


_PLACE = re.compile(
    r"(.*?\b(?:is|are|was|were|lies|sits|stands|located|based|situated|headquartered)\s+)(?:in|at|on|near)\s+[^,;:()]+"
    r"(,\s+)(?=(?:in|at|on|near|by|beside|opposite|behind)\s+(?:the|an?|its|[A-Z])[^,;:()]+$)"
)


def _places(clause: str) -> list[Stated] | None:
    """ "is in London, in the financial district" says where, and where there."""
    match = _PLACE.match(clause)
    if match is None:
        return None
    two = match.end(2)
    return [Stated(clause[: match.start(2)], 0, match.start(2)), Stated(match[1] + clause[two:], two, len(clause))]
