"""The independent statements inside one sentence, and the subject each of them is about.

There is no parser here. A small set of words that can only be finite verbs finds the subject of a clause;
where a clause does not show such a word, nothing is split and nothing is replaced.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ...text.caseless import Caseless

__all__ = ["Clause", "Subject", "clauses", "resolve", "subject_of"]

_AUXILIARY = (
    "is|are|was|were|has|have|had|will|would|can|could|may|might|must|should|shall|does|do|did|isn['’]t"
    "|aren['’]t|wasn['’]t|weren['’]t"
    "|hasn['’]t|haven['’]t|hadn['’]t|won['’]t|wouldn['’]t|can['’]t|cannot|couldn['’]t|doesn['’]t|don['’]t"
    "|didn['’]t|shouldn['’]t"
)
# Past forms and third persons that are hardly ever anything but a finite verb.
_FINITE_WORDS = (
    "became|began|came|gave|went|took|made|wrote|grew|rose|fell|won|said|told|ran|drew|spoke|chose|flew|drove"
    "|broke|kept|sold|spent|sent"
    "|bought|thought|taught|brought|caught|fought|met|paid|held|stood|understood|lay|knew|saw|ate|sang|sank"
    "|shook|stole|swam|threw|wore|woke|built|lost|left|led"
    "|becomes|begins|comes|gives|goes|takes|makes|writes|grows|says|tells|runs|includes|contains|consists"
    "|provides|offers|requires|allows|employs|owns|operates|serves"
    "|belongs|covers|features|produces|remains|lies|sits|stands|measures|weighs|costs|lasts|lives|works|plays"
    "|uses|has|holds|leads|supports|describes|explains|argues"
    "|believes|claims|suggests|shows|states|reports|notes|means|needs|wants|keeps|helps|causes|affects"
    "|receives|pays|sells|buys|carries|connects|occurs|happens|depends"
    "|won|died|lived|worked|played|announced|introduced|founded|joined|moved|launched|opened|closed|published"
    "|released|received|studied|married|graduated|served|started|ended|finished"
    "|increased|decreased|reached|remained|returned|retired|signed|scored|helped|added|argued|agreed|denied"
    "|claimed|reported|explained|noted|revealed|confirmed|warned|decided|refused|rejected|approved"
    "|revolutionized|revolutionised|demonstrated|discovered|developed|designed|directed|produced|created"
    "|established|employed|owned|acquired|sold|served|used|wanted|called|asked|tried|failed|managed|continued"
    "|covered|contained|included|required|offered|provided|allowed|caused|earned|gained|hosted|attended"
    "|appeared|occurred|happened"
).replace("||", "|")
_FINITE = re.compile(rf"\b(?:{_AUXILIARY}|{_FINITE_WORDS})\b")
# Forms that are also participles or nouns: finite only when a subject stands right before them.
_SIMPLE = re.compile(rf"\b(?:{_AUXILIARY})\b")

Sort = Literal["he", "she", "it", "they", "any"]


@dataclass(frozen=True, slots=True)
class Subject:
    """The words a clause is about."""

    text: str
    plural: bool
    named: bool


@dataclass(frozen=True, slots=True)
class Clause:
    """A statement inside a sentence: its place there, and its words when they were put together anew."""

    text: str
    start: int
    end: int


_INTRO = re.compile(
    r"^(?:(?:based|given|in|on|at|by|since|during|after|before|from|until|according|despite|as|with|for|under"
    r"|through|following|prior|around|between|among|within|throughout|upon|over|additionally"
    r"|however|moreover|furthermore|also|meanwhile|later|then|today|now|currently|eventually|finally|first"
    r"|second|third|next|overall|similarly|therefore|thus|instead|notably|specifically|unfortunately"
    r"|interestingly|in\s+addition)"
    r"\b[^,;:.]{0,80},\s+)",
    re.IGNORECASE,
)
_NOUN_PHRASE_STOP = Caseless(
    r"[,;:()\[\]\"“”]|\b(?:that|which|who|whom|whose|where|when|if|because|while|although|though|to|and\s+then"
    r"|but|not)\b"
)
_NAME = re.compile(r"^(?:The\s+|the\s+)?[A-Z][\w'’.-]*(?:\s+(?:of|the|de|van|von|and|&|[A-Z0-9][\w'’.-]*))*$")
_DETERMINED = re.compile(
    r"^(?:the|a|an|this|that|these|those|its|his|her|their|our|my|your|each|every|all|some|most|many|several"
    r"|both|two|three|four|five)\s+[\w'’ -]{2,80}$",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"^(he|she|it|they|this|these|that|those|we|i|you|there|who|one|both|some|many|all|each|others?|such|his"
    r"|her|its|their)\b",
    re.IGNORECASE,
)
_DETERMINERS = frozenset("this that these those his her its their each some many all both one such".split())
_MAX_SUBJECT_WORDS = 9
# A phrase that ends in a preposition or an article has not ended; one with a pronoun inside holds a clause.
_UNFINISHED = re.compile(
    r"\b(?:a|an|the|of|in|on|at|by|for|from|with|to|as|its|their|his|and|or)$|\s(?:he|she|it|they|we|you|I)$",
    re.IGNORECASE,
)


@lru_cache(maxsize=64)  # splitting a sentence and carrying its subject along ask for the same ones
def subject_of(clause: str) -> Subject | None:
    """The subject of a clause: the words before its first finite verb, where they look like one."""
    intro = _INTRO.match(clause)
    start = intro.end() if intro else 0
    found = _subject_place(clause, start)
    if found is None:
        return None
    text = clause[found[0] : found[1]].strip()
    verb = _FINITE.search(clause, found[1])
    return _subject(text, verb.group() if verb else "")


_ONE = frozenset("is was has does isn't wasn't hasn't doesn't".split())
_MANY = frozenset("are were have do aren't weren't haven't don't".split())


def _subject(text: str, verb: str) -> Subject:
    first = text.split(None, 1)[0].lower()
    head = re.split(r"\s+(?:of|in|for|from|at|on|with|by)\s+", text)[0]
    last = head.split()[-1].strip("'’").lower() if head.split() else ""
    agreed = verb.replace("’", "'")
    if agreed in _ONE or agreed in _MANY:
        return Subject(text, agreed in _MANY, bool(_NAME.match(text)))
    plural = (
        " and " in head
        or first
        in ("these", "those", "both", "many", "several", "most", "some", "they", "two", "three", "four", "five", "all")
        or (last.endswith("s") and not last.endswith(("ss", "us", "is")) and not _NAME.match(head))
    )
    return Subject(text, plural, bool(_NAME.match(text)))


def _subject_place(clause: str, start: int) -> tuple[int, int] | None:
    verb = _FINITE.search(clause, start)
    if verb is None or verb.start() <= start:
        return None
    text = clause[start : verb.start()].rstrip()
    bare = re.sub(
        r"\s+(?:also|then|later|first|only|never|always|often|now|still|soon|once|usually|originally|currently"
        r"|previously|recently|eventually|initially|subsequently|officially|reportedly|successfully|quickly)$",
        "",
        text,
    )
    if not bare or len(bare.split()) > _MAX_SUBJECT_WORDS or _NOUN_PHRASE_STOP.search(bare):
        return None
    if _UNFINISHED.search(bare):
        return None
    if _PRONOUN.match(bare) and len(bare.split()) > 1 and bare.split()[0].lower() not in _DETERMINERS:
        return None
    if not (_NAME.match(bare) or _DETERMINED.match(bare) or _PRONOUN.match(bare) or bare[0].isupper()):
        return None
    return start, start + len(bare)


# --- splitting --------------------------------------------------------------------------------------

_SPLIT = re.compile(r";\s+|,\s+(?:and|but|while|whereas|yet)\s+|\s+and\s+|,\s+(?=which\b|who\b)")
_RELATIVE = re.compile(r"^(which|who)\s+")
_OBJECT = re.compile(r"(?:a|an|the|its|his|her|their|this|that|two|three|many|several|some|all|no)\b|[\d$€£A-Z]")
_SHARED_START = re.compile(
    rf"^(?:also\s+|later\s+|then\s+|now\s+|still\s+|subsequently\s+|eventually\s+)?(?:{_AUXILIARY}|{_FINITE_WORDS})\b"
    r"(?!\s+of\b|\s+and\b|[,.;])"
    # "and established writers" is a noun with its adjective; "and established a school" a statement.
    r"(?:(?<!ed)|(?=\s+(?:(?:a|an|the|its|his|her|their|this|two|three|many|several|some|all|no|in|to|from|at"
    r"|on|as|for|with|until|by)\b|[\d$€£A-Z])))"
)
_PARTICIPLE = re.compile(r"^(?:also\s+|later\s+|then\s+)?\w+(?:ed|en|wn|ght|lt|pt|de|ld|id)\b")
_SUBORDINATE = Caseless(
    r"\b(?:if|unless|because|although|though|when|whenever|that|whether|since|so\s+that|before|after|until|as"
    r"|where|while|how|why|what)\b"
)


# What follows a verb of saying is part of what is said.
_REPORTED = Caseless(
    r"\b(?:says?|said|saying|claims?|claimed|believes?|believed|argues?|argued|reports?|reported|warns?|warned"
    r"|tells?|told"
    r"|states?|stated|notes?|noted|explains?|explained|suggests?|suggested|thinks?|thought|feels?|felt|knows?"
    r"|knew|shows?|showed"
    r"|found|finds?|hopes?|hoped|announces?|revealed|reveals|confirmed|confirms|added|according\s+to)\b"
)


def clauses(sentence: str) -> list[Clause]:
    """The independent statements of a sentence with their places in it; one when nothing is safe to split."""
    whole = [Clause(sentence, 0, len(sentence))]
    if len(sentence) > 1500 or sentence.count('"') or "“" in sentence or "|" in sentence:
        return whole
    main = subject_of(sentence)
    if main is None:
        return _relative(sentence) or whole
    pieces: list[Clause] = []
    start = 0
    subject = main
    for match in _SPLIT.finditer(sentence):
        if match.start() < start:
            continue
        right = sentence[match.end() :]
        left = sentence[start : match.start()]
        made = _right_side(match.group().strip(" ,"), left, right, subject)
        if made is None or not _stands(left, start, pieces):
            continue
        pieces.append(_piece(sentence, start, match.start(), subject, pieces))
        start = match.end()
        subject = made
    if not pieces:
        return _relative(sentence) or whole
    pieces.append(_piece(sentence, start, len(sentence), subject, pieces))
    return pieces


def _stands(left: str, start: int, pieces: list[Clause]) -> bool:
    """Whether what is left of a split is a statement by itself."""
    if start and pieces:
        return len(left.split()) >= 2
    return subject_of(left) is not None and len(left.split()) >= 3


def _right_side(joint: str, left: str, right: str, subject: Subject) -> Subject | None:
    """The subject of what follows a joint, or None when it should not be split there."""
    if len(right.split()) < 3 or _SUBORDINATE.search(left) or _REPORTED.search(left):
        return None
    own = subject_of(right)
    if joint == ";":
        return own if own is not None and not _SUBORDINATE.match(right) else None
    if joint in ("and", "but", "while", "whereas", "yet") and own is not None:
        clear = _NAME.match(own.text) or _DETERMINED.match(own.text) or own.text.lower() in ("he", "she", "it", "they")
        return own if clear and _own_clause(right, own) else None
    if joint in ("and", "but") and _SHARED_START.match(right):
        nested = re.search(r"\b(?:who|which|whom|whose)\b", left)
        return subject if nested is None and _same_voice(left, right) else None
    return None


def _own_clause(right: str, own: Subject) -> bool:
    """Whether the words after a joint are a subject with its verb rather than one more object.

    "sold bread and the bakery was closed" splits; "won prizes and friends he kept" does not: the verb has to
    follow its subject at once.
    """
    rest = right[right.find(own.text) + len(own.text) :].lstrip()
    verb = re.match(r"(?:\w+ly\s+|also\s+|then\s+|never\s+|still\s+)?(\S+)\s*(\S*)", rest)
    if verb is None or _FINITE.fullmatch(verb.group(1)) is None:
        return False
    if _SIMPLE.fullmatch(verb.group(1)) or verb.group(1).endswith("s"):
        return True
    # "the service provided by the owners" is no clause; "the company announced a deal" is one.
    return _OBJECT.match(verb.group(2)) is not None or _PARTICIPLE.match(verb.group(1)) is None


def _same_voice(left: str, right: str) -> bool:
    """Whether a verb without subject can take over the subject of the first clause.

    After "was built" a participle may lean on the auxiliary ("and opened by the king"), and a sentence
    with an object clause has two subjects to choose from; both are left alone.
    """
    verb = _FINITE.search(left)
    if verb is None:
        return False
    if _SIMPLE.match(right):
        return True
    leaning = _SIMPLE.fullmatch(verb.group()) is not None
    return not (leaning and _PARTICIPLE.match(right))


def _piece(sentence: str, start: int, end: int, subject: Subject, before: list[Clause]) -> Clause:
    raw = sentence[start:end].strip()
    text = raw
    if before and subject_of(raw) is None:
        text = f"{subject.text} {raw}"
    if text and text[0].islower() and not re.match(r"[a-z]{1,2}[A-Z]", text):
        text = text[0].upper() + text[1:]
    if text and text[-1].isalnum():
        text += "."
    return Clause(text, start, start + len(sentence[start:end].rstrip()))


_COMPLEMENT = frozenset("is was are were in at near called named from to visited".split())
_WHICH = re.compile(r",\s+(which|who)\s+([^,;]+?)(,\s+|[.!]?$)")


def _relative(sentence: str) -> list[Clause] | None:
    """ "The parade, which began in 1920, draws crowds": two statements about the parade."""
    match = _WHICH.search(sentence)
    if match is None or _SUBORDINATE.search(match.group(2)) or not _SHARED_START.match(match.group(2)):
        return None
    head = sentence[: match.start()]
    closing = match.group(3).startswith(",")
    if closing:
        # Between commas: the clause belongs to the subject that stands before it.
        if not (_NAME.match(head) or _DETERMINED.match(head)) or len(head.split()) > _MAX_SUBJECT_WORDS:
            return None
        antecedent, rest = head, sentence[match.end() :]
        if not (_SHARED_START.match(rest) or re.match(r"\w+(?:s|ed)\s", rest)):
            return None
        main_text = f"{head} {rest}"
    else:
        name = re.search(r"(?<!\S)(?:(?:the|a|an|its|his|her|their)\s+)?[A-Z][\w'’.-]*(?:\s+[A-Z][\w'’.-]*)*$", head)
        if name is None or subject_of(head) is None or name.start() == 0 or re.match(r"an?\s", name.group()):
            return None
        before = head[: name.start()].split()[-1].lower()
        if match.group(1) == "which" and before not in _COMPLEMENT:
            return None
        antecedent, main_text = name.group(), head + "."
    added = f"{antecedent[0].upper()}{antecedent[1:]} {match.group(2).strip()}"
    if added[-1].isalnum():
        added += "."
    main = Clause(main_text, 0, len(sentence) if closing else match.start())
    return [main, Clause(added, match.start(1), match.end(2))]


# --- carrying the subject along ---------------------------------------------------------------------

_EXPLETIVE = re.compile(
    r"^it\s+(?:is|was|has\s+been|will\s+be|would\s+be|seems|appears|takes|took)\s+(?:\w+ly\s+)?(?:important"
    r"|likely|unlikely|possible|impossible|clear|unclear|known|believed|estimated|thought|said|reported|worth"
    r"|necessary|recommended|difficult"
    r"|easy|common|true|not\s+(?:until|clear|known|possible)|also\s+(?:important|worth|possible)|that|expected"
    r"|noted|unknown|\w+\s+(?:that|to)\b)|^it\s+(?:seems|appears|takes|took|follows|turns)\b",
    re.IGNORECASE,
)
_ORGANISATION = re.compile(
    r"\b(?:inc|ltd|corp|company|university|institute|bank|association|party|council|team|band|group|agency"
    r"|committee|department|museum|hospital|school|army|church|club|organi[sz]ation)\b",
    re.IGNORECASE,
)


def resolve(clause: Clause, last: Subject | None) -> tuple[str, Subject | None]:
    """The clause with a pronoun subject replaced by the last named one, and the subject to carry on.

    Replaced only where number and sort fit; "it is likely that" refers to nothing and is left alone.
    """
    intro = _INTRO.match(clause.text)
    start = intro.end() if intro else 0
    rest = clause.text[start:]
    pronoun = re.match(r"(he|she|it|they|his|her|its|their)\b", rest, re.IGNORECASE)
    if pronoun is None:
        subject = subject_of(clause.text)
        if subject is None or _PRONOUN.match(subject.text):
            return clause.text, last if subject is not None and _keeps(subject) else None
        # Two clauses that were not split may have two subjects: neither is safe to carry on.
        return clause.text, None if ";" in clause.text else subject
    word = pronoun.group(1).lower()
    if last is None or _EXPLETIVE.match(rest) or not _fits(word, last):
        return clause.text, last
    possessive = word in ("his", "its", "their") or (word == "her" and _possessive_her(rest))
    if word == "her" and not possessive:
        return clause.text, last
    if not possessive and subject_of(rest) is None:
        return clause.text, last
    name = last.text if not start else _lowered(last.text)
    if possessive:
        name += "'" if last.plural and name.endswith("s") else "'s"
    return clause.text[:start] + name + rest[pronoun.end() :], last


def _keeps(subject: Subject) -> bool:
    """A clause about "this discovery" does not change what "he" will mean after it, but "they" might."""
    return subject.text.split()[0].lower() in ("this", "that", "his", "her", "its", "their", "there", "i", "we", "you")


def _possessive_her(rest: str) -> bool:
    return re.match(r"her\s+[a-z]+\s+", rest, re.IGNORECASE) is not None


def _lowered(text: str) -> str:
    return text[0].lower() + text[1:] if re.match(r"(?:The|A|An|This|Its|His|Her|Their)\b", text) else text


def _fits(word: str, subject: Subject) -> bool:
    organisation = bool(_ORGANISATION.search(subject.text)) or subject.text.lower().startswith("the ")
    if word in ("they", "their"):
        return subject.plural or (subject.named and bool(_ORGANISATION.search(subject.text)))
    if subject.plural:
        return False
    if word in ("he", "his", "she", "her"):
        return subject.named and not organisation and len(subject.text.split()) <= 4
    return True
