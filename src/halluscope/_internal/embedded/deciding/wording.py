"""Wording that changes what a sentence asserts: hedges, opinions, negations and words that turn it round."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ...text import Span, content_stems, content_words, sentences, stem
from ...text.caseless import Caseless

__all__ = ["PolarityConflict", "hedges", "is_subjective", "negations", "polarity_conflict"]

_HEDGE = Caseless(
    r"\b(?:might|may|could|possibly|perhaps|maybe|probably|likely|unlikely|presumably|apparently|seemingly|supposedly"
    r"|allegedly|reportedly|potentially|conceivably|arguably|seems?|seemed|appears?\s+to|appeared\s+to"
    r"|suggests?\s+that"
    r"|suspected|believed\s+to|thought\s+to|said\s+to|rumou?red|expected\s+to|estimated\s+to|tends?\s+to"
    r"|(?:it\s+is|it['’]s)\s+(?:possible|likely|probable|unclear)|as\s+far\s+as\s+\w+\s+know|i\s+(?:guess|suppose))\b"
)
_OF_MAY = re.compile(r"\s+(?:\d|is\b|was\b)")
_MONTH_MAY = re.compile(r"\b(?:in|of|by|since|until|early|late|mid|last|next|\d{1,2})\s*-?$", re.IGNORECASE)

_OPINION = Caseless(
    r"\b(?:i|we)\s+(?:think|believe|feel|find|love|like|hate|recommend|prefer)\b|\bin\s+my\s+(?:opinion|view)\b"
    r"|\b(?:amazing|awesome|beautiful|best-known\s+for\s+its\s+charm|breathtaking|brilliant|captivating"
    r"|charming|delicious"
    r"|delightful|disappointing|dreadful|elegant|excellent|exceptional|exciting|extraordinary|fabulous"
    r"|fantastic|fascinating"
    r"|gorgeous|great|horrible|iconic|impressive|incredible|innovative|inspiring|legendary|lovely|magnificent"
    r"|marvel+ous"
    r"|must-see|outstanding|perfect|pleasant|prestigious|remarkable|renowned|revolutionary|spectacular"
    r"|splendid|stunning"
    r"|stylish|superb|terrible|terrific|thrilling|tragic|ugly|underrated|overrated|unforgettable|unmatched|unrivalled"
    r"|vibrant|wonderful|world-class|worthwhile|top-notch|state-of-the-art|cutting-edge|pioneer(?:ing)?|role\s+model"
    r"|model\s+for|generous|attractive|respected|admired|influential|beloved|masterpiece|groundbreaking|game-changer"
    r"|boring|annoying|ideal|well-deserved|deserves?|sadly|unfortunately|fortunately|luckily|surprisingly)\b"
    r"|\b(?:one\s+of|among)\s+the\s+(?:most|best|finest|greatest|leading|top|worst|least)\b"
    r"|\bthe\s+(?:best|worst|finest|greatest|nicest|coolest|most\s+(?:\w+ful|\w+ing|\w+ive|\w+ous|\w+ant"
    r"|\w+ent|\w+able|respected|admired))\b"
    r"|\b(?:should\s+be\s+proud|makes?\s+history|made\s+history|set\s+an\s+example|second\s+to\s+none"
    r"|good\s+value|value\s+for\s+money)\b"
)

_NEGATION = Caseless(
    r"\b(?:not|never|no|none|nobody|nothing|nowhere|neither|nor|cannot|without|unable|fail(?:s|ed|ing)?\s+to"
    r"|lack(?:s|ed|ing)?"
    r"|refus(?:e|es|ed|ing)\s+to|hardly|barely|rarely|no\s+longer)\b|\b\w+n['’]t\b"
)
_NO_LONGER_THAN = re.compile(r"\s+(?:more|less|fewer|later|earlier|longer|only)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\.\s*\d")


def hedges(text: str) -> list[Span]:
    """The places of speculative words: might, possibly, seems, is believed to, …"""
    found = []
    for match in _HEDGE.finditer(text):
        span = Span(*match.span())
        if span.of(text) == "May" and (span.start > 0 or _OF_MAY.match(text, span.end)):
            continue  # the month, unless it opens the sentence
        if match.group().lower() == "may" and _MONTH_MAY.search(text, max(0, span.start - 8), span.start):
            continue
        found.append(span)
    return found


def is_subjective(text: str) -> bool:
    """Whether the text voices a taste, an opinion or praise rather than a fact."""
    return _OPINION.search(text) is not None


def negations(text: str) -> list[Span]:
    """The places of negating words. "No. 5", "not only" and "no more than 5" negate nothing."""
    found = []
    for match in _NEGATION.finditer(text):
        word = match.group().lower()
        if word == "no" and _NUMBERED.match(text, match.end()):
            continue
        if word in ("not", "no") and _NO_LONGER_THAN.match(text, match.end()):
            continue
        found.append(Span(*match.span()))
    return found


# Pairs of words that cannot both hold of the same thing. Each side may list forms; stems are compared.
_OPPOSITES = """
increase rise grow climb jump soar gain surge expand / decrease fall drop decline shrink plunge lose reduce lower
raise / lower cut reduce
more / fewer less
most / fewest
above over exceed / below under
before earlier precede / after later follow
start begin launch open / end finish close stop cease
first / last
approve accept pass grant allow permit / reject refuse deny veto ban prohibit forbid
agree support back favour favor / oppose disagree object
include contain / exclude omit
win beat defeat / lose
success succeed / failure fail
always / never
all every / none no
required mandatory compulsory must / optional voluntary
possible / impossible
legal lawful / illegal unlawful
true correct right / false incorrect wrong
present / absent
presence / absence
positive / negative
strong strengthen / weak weaken
fast quick faster quicker / slow slower
hot warm warmer / cold cool colder
north northern / south southern
east eastern / west western
left / right
male men man / female women woman
buy purchase acquire / sell
import / export
arrive arrival / depart departure leave
upper / lower
maximum / minimum
early / late
public / private
safe / dangerous unsafe
cause / prevent
improve better / worsen worse
enable enabled / disable disabled
available / unavailable
same identical / different
young younger / old older
large larger big bigger / small smaller
long longer / short shorter
expensive / cheap cheaper
majority / minority
internal / external
active / inactive
paid / free unpaid
guilty convicted / innocent acquitted
alive / dead
""".strip()


@dataclass(frozen=True, slots=True)
class PolarityConflict:
    """A word of the claim and a word of the evidence that turn the statement round."""

    claim: Span
    evidence: Span
    reason: str


def _table() -> dict[str, set[str]]:
    opposites: dict[str, set[str]] = {}
    for line in _OPPOSITES.splitlines():
        left, right = (side.split() for side in line.split("/"))
        for word in left:
            opposites.setdefault(stem(word), set()).update(stem(other) for other in right)
        for word in right:
            opposites.setdefault(stem(word), set()).update(stem(other) for other in left)
    return opposites


_OPPOSITE_OF = _table()
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ENOUGH_SHARED = 0.6
_ENOUGH_TO_DENY = 0.75


def polarity_conflict(claim: str, evidence: str) -> PolarityConflict | None:
    """A flip between a claim and the sentence of the evidence that is nearest to it, or None.

    Most content words of the claim have to be in that sentence, and its own turning word must not be:
    only then do the two speak of the same matter.
    """
    mine = [stem(word) for word in content_words(claim)]
    if not mine:
        return None
    best: Span | None = None
    most = 0.0
    for span, theirs in _sentence_stems(evidence):
        share = sum(word in theirs for word in mine) / len(mine)
        if share > most:
            best, most = span, share
    if best is None or most < _ENOUGH_SHARED:
        return None
    found = _flip(claim, best.of(evidence), denial=most >= _ENOUGH_TO_DENY)
    if found is None:
        return None
    place = Span(best.start + found.evidence.start, best.start + found.evidence.end)
    return PolarityConflict(found.claim, place, found.reason)


@lru_cache(maxsize=64)  # in a short context all claims have the same evidence
def _sentence_stems(text: str) -> tuple[tuple[Span, frozenset[str]], ...]:
    return tuple((span, content_stems(span.of(text))) for span in sentences(text))


def _flip(claim: str, sentence: str, *, denial: bool) -> PolarityConflict | None:
    """The words that turn one sentence against the other; a denial on both sides turns it back."""
    flipped = _opposite_words(claim, sentence)
    mine, theirs = negations(claim), negations(sentence)
    if flipped:  # "never" against "always" is the flip itself, not a denial of it
        mine = [span for span in mine if span != flipped.claim]
        theirs = [span for span in theirs if span != flipped.evidence]
    odd = (len(mine) + len(theirs)) % 2 == 1
    if flipped:
        return None if odd else flipped
    if not (odd and denial) or (mine and theirs):
        return None
    if mine:
        reason = f"the claim says “{mine[0].of(claim)}”, the context does not"
        return PolarityConflict(mine[0], Span(0, len(sentence)), reason)
    reason = f"the context says “{theirs[0].of(sentence)}”, the claim does not"
    return PolarityConflict(Span(0, len(claim)), theirs[0], reason)


def _opposite_words(claim: str, evidence: str) -> PolarityConflict | None:
    said = [(stem(match.group().lower()), match) for match in _WORD.finditer(claim)]
    turning = [(word, match) for word, match in said if word in _OPPOSITE_OF]
    if not turning:
        return None
    own = {word for word, _ in said}
    theirs: dict[str, Span] = {}
    for match in _WORD.finditer(evidence):
        theirs.setdefault(stem(match.group().lower()), Span(*match.span()))
    for word, match in turning:
        if word in theirs:
            continue
        for opposite in sorted(_OPPOSITE_OF[word]):
            if opposite in theirs and opposite not in own:
                place = theirs[opposite]
                return PolarityConflict(
                    Span(*match.span()), place,
                    f"the claim says “{match.group()}”, the context says “{place.of(evidence)}”",
                )  # fmt: skip
    return None
