"""Wording that changes what a sentence asserts: opinions, negations and words that turn it round."""

from __future__ import annotations

import re
from functools import lru_cache

from ...text import Span, content_stems, content_words, sentences, stem
from ...text.caseless import Caseless

__all__ = ["is_subjective", "negations", "polarity_conflict"]

_OPINION = Caseless(
    r"\b(?:i|we)\s+(?:think|believe|feel|find|love|like|hate|recommend|prefer)\b|\bin\s+my\s+(?:opinion|view)\b"
    r"|\b(?:admired|amazing|attractive|awesome|beautiful|beloved|boring|brilliant|captivating|charming|delicious"
    r"|delightful|deserves?|disappointing|elegant|excellent|exceptional|extraordinary|fantastic|generous|great|iconic"
    r"|ideal|impressive|incredible|influential|innovative|inspiring|legendary|lovely|magnificent|outstanding|perfect"
    r"|pioneering|pleasant|prestigious|remarkable|renowned|respected|revolutionary|stunning|stylish|superb|terrible|terrific"
    r"|unfortunately|surprisingly|vibrant|wonderful|world-class|worthwhile|role\s+model|good\s+value|value\s+for\s+money)\b"
    r"|\b(?:one\s+of|among)\s+the\s+(?:most|best|finest|greatest|leading|top|worst|least)\b"
    r"|\bthe\s+(?:best|worst|finest|greatest|most\s+\w+(?:ful|ing|ive|ous|ant|ent|able))\b"
)

_NEGATION = Caseless(
    r"\b(?:not|never|no|none|nobody|nothing|nowhere|neither|nor|cannot|without|unable|fail(?:s|ed|ing)?\s+to|lack(?:s"
    r"|ed|ing)?|refus(?:e|es|ed|ing)\s+to|hardly|barely|rarely|no\s+longer)\b|\b\w+n['’]t\b"
)
_NO_LONGER_THAN = re.compile(r"\s+(?:more|less|fewer|later|earlier|longer|only)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\.\s*\d")


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
above over exceed / below under
before earlier precede / after later follow
start begin launch open / end finish close stop cease
first / last
approve accept pass grant allow permit / reject refuse deny veto ban prohibit forbid
agree support back favour favor / oppose disagree object
include contain / exclude omit
win beat defeat / lose
always / never
all every / none no
true correct right / false incorrect wrong
present / absent
fast quick faster quicker / slow slower
hot warm warmer / cold cool colder
north northern / south southern
east eastern / west western
left / right
buy purchase acquire / sell
arrive arrival / depart departure leave
early / late
improve better / worsen worse
large larger big bigger / small smaller
long longer / short shorter
paid / free unpaid
""".strip()


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


def polarity_conflict(claim: str, evidence: str) -> str | None:
    """What turns a claim against the sentence of the evidence that is nearest to it, in words, or None.

    Most content words of the claim have to be in that sentence, and its own turning word must not be:
    only then do the two speak of the same matter.
    """
    mine = [stem(word) for word in content_words(claim)]
    if not mine:
        return None
    shares = [(sum(word in theirs for word in mine) / len(mine), said) for said, theirs in _sentence_stems(evidence)]
    most, nearest = max(shares, key=lambda share: share[0], default=(0.0, ""))
    return _flip(claim, nearest, denial=most >= _ENOUGH_TO_DENY) if most >= _ENOUGH_SHARED else None


@lru_cache(maxsize=64)  # in a short context all claims have the same evidence
def _sentence_stems(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((span.of(text), content_stems(span.of(text))) for span in sentences(text))


def _flip(claim: str, sentence: str, *, denial: bool) -> str | None:
    """The words that turn one sentence against the other; a denial on both sides turns it back."""
    mine, theirs = negations(claim), negations(sentence)
    flipped = _opposite_words(claim, sentence)
    if flipped is not None:  # "never" against "always" is the flip itself, not a denial of it
        said, known = flipped
        denials = sum(span != said for span in mine) + sum(span != known for span in theirs)
        return None if denials % 2 else f"the claim says “{said.of(claim)}”, the context says “{known.of(sentence)}”"
    if not denial or (mine and theirs) or (len(mine) + len(theirs)) % 2 == 0:
        return None
    if mine:
        return f"the claim says “{mine[0].of(claim)}”, the context does not"
    return f"the context says “{theirs[0].of(sentence)}”, the claim does not"


def _opposite_words(claim: str, evidence: str) -> tuple[Span, Span] | None:
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
                return Span(*match.span()), theirs[opposite]
    return None
