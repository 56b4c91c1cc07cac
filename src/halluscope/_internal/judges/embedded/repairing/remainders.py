"""What a cut leaves of a sentence, and whether that is a sentence."""

from __future__ import annotations

import re
from itertools import pairwise

from ....text import STOP_WORDS, Span
from ....text.citation_marks import citation_marks
from ....text.taking_out import Removal
from ....text.verb_forms import BASES
from ..claims.grammar import Subject, finite_verb, resolve, starts_with_verb, subject_of

_END = re.compile(r"[\s.!?]*$")
COLON = re.compile(r":\s+")
_NAME_FIRST = re.compile(r"[A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+){0,2}(?=\s+[a-z]+(?:ed|s)\b)")
_PRONOUN_FIRST = re.compile(r"(?:he|she|it|they|his|her|its|their|this|these|those|such)\b", re.IGNORECASE)
_SAME_ONE = {
    word: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in ("he|him|his", "she|her|hers", "it|its", "they|them|their")
    for word in words.split("|")
}
"""For each pronoun, those that may stand for the same one."""
_DANGLING = re.compile(
    r"(?:\b(?:and|or|but|of|to|the|a|an|because|since|that|which|who|with|by|for|from|in|on|at|as|is|are|was|were|has|have"
    r"|had|not|mainly|mostly|only|just|even|partly|largely|especially|also|please|its|their|his|her|than|if|when|while"
    r"|where|into|onto|between|per|without|until|as\s+(?:well|much|many|long|soon|far))"
    r"|[,;:–—(-])\s*(?:\[[\d, ]+\]\s*)?[.!?]?\s*$",
    re.IGNORECASE,
)
_OPENS_INNER = r"(?:which|who|whose|where|because|since|that|what|when|while)"
_ASIDE = re.compile(rf",\s+{_OPENS_INNER}\b[^,]*")
SUBORDINATE = re.compile(rf"\s{_OPENS_INNER}\s")
YES = re.compile(r"\s*(?:yes|no)\b[,.;:]?\s*", re.IGNORECASE)
_OPENING = re.compile(
    r"(?:once|because|since|when|while|if|as|after|before|although|though|until|unless|where|that|which|who)\b",
    re.IGNORECASE,
)
_PLACED_FIRST = re.compile(
    r"(?:after|before|in|on|at|by|for|from|with|without|under|during|since|until|according|besides?|despite|instead"
    r"|apart|like|unlike|along|through|throughout|given|due|thanks|because|as)\b",
    re.IGNORECASE,
)
_JOINS_NOTHING = re.compile(r"\b(?:and|but|or|so|because|that|which),")
_COMMA = re.compile(r",\s+")
_BAD_START = re.compile(r"(?:which|who|whom|because|that|of|than|is|are|was|were|has|have|had)\b", re.IGNORECASE)


def left_of(output: str, sentence: Span, cut: Removal) -> str:
    """What a cut leaves of a sentence."""
    return cut.applied(output)[sentence.start : sentence.end - (cut.end - cut.start) + len(cut.after)]


def end_of(said: str) -> int:
    """Where a sentence ends without the marks of citation and the full stop behind it."""
    for mark in reversed(list(citation_marks(said))):
        if not said[mark.end() :].strip(" .!?"):
            said = said[: mark.start()]
    return len(_END.sub("", said))


def loses_name(made: str, before: str) -> bool:
    """Whether what is left begins with a pronoun whose name went."""
    return _PRONOUN_FIRST.match(made) is not None and _PRONOUN_FIRST.match(before) is None


def keeping_subject(output: str, sentence: Span, cut: Removal) -> Removal:
    """A cut after which a sentence that begins with "it" or "its" begins with the name that went."""
    made = left_of(output, sentence, cut)
    pronoun = _PRONOUN_FIRST.match(made)
    if cut.start != sentence.start or cut.end >= sentence.end or pronoun is None:
        return cut
    gone = _main(output[cut.start : cut.end])
    same = _SAME_ONE.get(pronoun.group().lower())
    # what the pronoun stands for is not the subject: "Ann taught him, and he", "Ann sold it, and it"
    if same is None or same.search(gone[: len(gone) - len(pronoun.group())]):
        return cut
    name = _NAME_FIRST.match(gone)
    named, _ = resolve(made, subject_of(gone) or (Subject(name.group(), plural=False, named=True) if name else None))
    after = named[: len(named) - (len(made) - pronoun.end())]
    return cut if named == made else Removal(cut.start, cut.end + pronoun.end() - len(cut.after), after)


def reads_well(made: str, before: str, *, listed: bool = False, coordinate: bool = False) -> bool:
    """Whether what is left of a sentence is one.

    Args:
        made: What is left.
        before: The sentence.
        listed: Whether what was cut began with a verb, as its neighbours may.
        coordinate: Whether what was cut was a main clause beside another one.
    """
    main = _main(made)
    if not _has_main_verb(main) and _has_main_verb(_main(before)) and not coordinate:
        return False
    if _PLACED_FIRST.match(made) and "," not in made and finite_verb(made) is None and may_be_verb(before):
        return False
    tail, whole = _after_colon(made), _after_colon(before)
    if tail and whole and finite_verb(tail) is None and finite_verb(whole) is not None and "," in tail:
        return False
    if not before.startswith(made[:12]) and not _has_main_verb(main) and not coordinate:
        return False
    if not before.startswith(made[:12]) and subject_of(main) is None and subject_of(_main(before)) is not None:
        return False
    if starts_with_verb(made[:1].lower() + made[1:]) and not starts_with_verb(before[:1].lower() + before[1:]):
        return False
    for comma in () if listed else _COMMA.finditer(made):  # "broke the rule, stayed inside it"
        if starts_with_verb(made[comma.end() :]) and made[max(0, comma.start() - 15) : comma.end() + 5] not in before:
            return False
    if _JOINS_NOTHING.search(made) and not _JOINS_NOTHING.search(before):
        return False
    if _DANGLING.search(made) or _BAD_START.match(main) or (_BAD_START.match(made) and not _BAD_START.match(before)):
        return False
    bare = finite_verb(before) is None and re.search(r"\d", made) is not None
    return len(made.split()) >= (1 if bare else 2 if tail else 3) and made.count("(") == made.count(")")


def _main(sentence: str) -> str:
    """A sentence without a clause that it opens with."""
    sentence = YES.sub("", sentence)
    return sentence.partition(",")[2].strip() if _OPENING.match(sentence) else sentence


def _has_main_verb(sentence: str) -> bool:
    """Whether a sentence has a finite verb besides that of a clause inside it: "a tenant who disagrees may call"."""
    sentence = _ASIDE.sub("", sentence)
    verb = finite_verb(sentence)
    inner = SUBORDINATE.search(sentence)
    if verb is None or inner is None or verb.start < inner.start():
        return verb is not None
    return finite_verb(sentence, verb.end) is not None


def _after_colon(sentence: str) -> str:
    """What follows the last colon of a sentence, "" if it has none."""
    return COLON.split(sentence)[-1] if COLON.search(sentence) else ""


def may_be_verb(phrase: str) -> bool:
    """Whether a phrase has a word that may be the verb of its sentence."""
    words = re.findall(r"[\w'’-]+", phrase.lower())
    return any(word in BASES and before not in STOP_WORDS for before, word in pairwise(words))
