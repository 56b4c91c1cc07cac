"""The verdict on a claim, its evidence, a reason in words, and the doubtful words of the output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from msgspec import structs

from ....core.verdict import Claim, Evidence, Support, Verdict
from ....text.caseless import Caseless
from ....text.verb_forms import BASES
from ..network.model import KINDS, Place, load, settings
from ..phrases import pattern, words
from ..quantities.quantity import UNTOLD, with_bound
from ..reading.evidence import STOP_WORDS, Quotable, ReadContext, content_words, stem
from ..reading.judged_text import judged
from .signals import Measured, logit, measure, shipped

_LIKELY = 0.5
"""From this strength on a number is said to be at odds with the context."""
_FOUND = 0.2
"""Below this probability nothing in the context decides the claim."""
_DECIDES_TOO = 0.85
"""From this probability on a second sentence is quoted beside the likeliest."""
_MOST_OF_IT = 0.7
"""Where more of a claim is marked, there is nothing to point at."""


Quotation = tuple[Evidence, ...]
"""A sentence or a record; for the row of a table, the row and its header."""


@dataclass(frozen=True, slots=True)
class ClaimReading:
    """Probabilities for one claim, and what they rest on."""

    supported: float
    contradicted: float
    unsupported: float
    evidence: tuple[Quotation, ...]
    """What the context says of it: the sentence or record that decides, and a second one where it decides too."""
    found: bool
    """Whether something in the context decides the claim."""
    conflicts: tuple[str, ...]
    """Numbers and dates of the claim that clash with the context."""
    missing: tuple[str, ...]
    """Numbers that the context does not have."""
    unmentioned: tuple[str, ...]
    """Numbers and words of the claim that the context does not have, where it shares any word with the claim."""
    doubted: tuple[str, ...]
    """The words of the output that fail, if they are not all of the claim."""
    stated: str
    """The claim without the question that a bare answer was joined with."""
    absence: bool
    """Whether it says that the context does not tell something."""
    instruction: bool
    """Whether it tells a judge what to say ("Mark this as supported") instead of stating something."""
    invented: bool
    """Whether it is likeliest made up as a whole, if it is wrong."""
    marks: tuple[Place, ...]
    """The doubtful characters of the output, for a claim that stands there."""

    def evidence_for(self, support: Support) -> tuple[Evidence, ...]:
        """The evidence as it speaks for or against the claim."""
        parts = (part for quotation in self.evidence for part in quotation)
        return tuple(part if support.holds else structs.replace(part, stance="against") for part in parts)


def read_claims(
    claims: Sequence[Claim], context: ReadContext, question: str | None = None, output: str | None = None
) -> list[ClaimReading]:
    """One reading per claim."""
    measured = measure(claims, context, load(), question, output)
    return [_read(claim.text, item, context, output) for claim, item in zip(claims, measured, strict=True)]


def fingerprint() -> str:
    """Names the model."""
    return f"local {settings()['name']}"


def _read(claim: str, item: Measured, context: ReadContext, output: str | None) -> ClaimReading:
    fused = shipped().judge_claim(item.signals)
    marks = _marks(item, fused.supported, output)
    words = tuple((output or "")[start:end] for start, end in marks)
    doubted = words if sum(map(len, words)) < _MOST_OF_IT * len(item.said) else ()
    clashing = [one for one in item.numbers if one.status == "conflicts" and one.doubt >= _LIKELY]
    absent = tuple(dict.fromkeys(found.claim.of(claim) for found in item.numbers if found.status in UNTOLD))
    deciding = context.deciding(item.view.evidence)
    instruction = _is_instruction(item.stated, context)
    return ClaimReading(
        supported=fused.supported,
        contradicted=fused.contradicted,
        unsupported=fused.unsupported,
        evidence=() if instruction else _evidence(item, deciding, fused.supported >= THRESHOLD, context),
        found=_is_found(deciding),
        conflicts=tuple(claim[with_bound(claim, one.claim.start) : one.claim.end] for one in clashing),
        missing=absent,
        instruction=instruction,
        unmentioned=absent or tuple(_unmentioned(doubted, context) or _unmentioned([item.stated], context)),
        doubted=doubted,
        stated=item.stated,
        absence=item.signals.absence,
        invented=max(zip(item.error.kinds, KINDS, strict=True))[1] == "invented",
        marks=marks,
    )


def _evidence(
    item: Measured, deciding: Sequence[Quotable], supported: bool, context: ReadContext
) -> tuple[Quotation, ...]:
    """What to quote: what decides by the network, else what comes nearest in words or the numbers of a sum.

    Nothing is quoted against a claim that shares no word with the context.
    """
    if deciding and (supported or item.selection.best is not None):
        chosen = [deciding[0], *(unit for unit in deciding[1:2] if unit.probability >= _DECIDES_TOO)]
        return tuple(context.quote(unit) for unit in chosen)
    if item.selection.best is not None:
        return (context.quoted(item.selection.best),)
    followed = [found.evidence[0] for found in item.numbers if found.status == "follows" and found.evidence]
    window = context.window_of_number(followed[0]) if followed else None
    return (context.quoted(window),) if window else ()


def _is_found(deciding: Sequence[Quotable]) -> bool:
    # A sentence that is copied from the context is not read by the network.
    return not deciding or deciding[0].probability >= _FOUND


def _unmentioned(texts: Sequence[str], context: ReadContext) -> Iterator[str]:
    """The stretches of words that the context does not have in any form."""
    for text in texts:
        start = end = 0
        for word in _WORD.finditer(text):
            if word.group().lower() in STOP_WORDS or context.mentions(word.group()):
                if end > start:
                    yield text[start:end]
                start = end = word.end()
            else:
                start, end = (start if end > start and text[end : word.start()] == " " else word.start()), word.end()
        if end > start:
            yield text[start:end]


def _marks(item: Measured, supported: float, output: str | None) -> tuple[Place, ...]:
    if output is None or item.place is None or supported >= THRESHOLD:
        return ()
    marking, read, start = shipped_marking(), judged(output), item.place[0]
    doubtful = (token for token in tokens(item) if marking.score(token, supported) >= 0)
    spans = (read.in_source(start + token.start, start + token.end) for token in doubtful)
    return tuple(marking.stretches((span.start, span.end) for span in spans))


THRESHOLD = 0.5
"""A claim is supported from this probability on; probabilities are calibrated so that it is the same for all."""
_LONGEST = 160
_MOST_QUOTED = 3
_OPINION = Caseless(rf"\b{pattern('opinions')}\b")


_TO_THE_JUDGE = Caseless(rf"\b{pattern('said_to_judges')}\b")


def decide(reading: ClaimReading) -> tuple[Support, float]:
    """The verdict on a claim and the probability that it is right.

    What is not supported and clashes with the context by rule (a number) is contradicted, even where the rest of the
    claim is not in the context at all; what is likeliest made up is not, nor what nothing of the context goes against.
    That the context does not tell something is no claim where it is so, and a wrong one where the context tells it.
    """
    if reading.absence and not reading.evidence:
        return Support.NOT_A_CLAIM, max(reading.supported, 1 - reading.supported)
    if reading.instruction:
        return Support.UNSUPPORTED, max(reading.supported, 1 - reading.supported)
    if reading.supported >= THRESHOLD:
        return Support.NOT_A_CLAIM if reading.absence else Support.SUPPORTED, reading.supported
    clashes = reading.contradicted >= reading.unsupported and not reading.invented
    wrong = reading.evidence and reading.found and (reading.absence or clashes or reading.conflicts)
    return Support.CONTRADICTED if wrong else Support.UNSUPPORTED, 1 - reading.supported


def hallucination_probability(verdicts: Sequence[Verdict]) -> float:
    """That of the least supported claim: an output with one wrong claim is wrong."""
    return max(
        ((1 - (v.confidence or 0.0)) if v.support.holds else (v.confidence or 0.0) for v in verdicts), default=0.0
    )


def reason_of(reading: ClaimReading, support: Support) -> str:
    """Why, in a plain sentence that quotes what decided."""
    quote = " and ".join(map(_quote, reading.evidence))
    if support is Support.NOT_A_CLAIM:
        return "The context does not tell it, as the output says."
    if support is Support.SUPPORTED:
        return f"The context says {quote or 'so'}."
    if support is Support.UNSUPPORTED:
        return f"{_unsaid(reading)}{f'; the closest it says is {quote}' if quote else ''}."
    if reading.absence:
        return f"The context does tell it: {quote}."
    failing = _quoted(
        [words for words in reading.conflicts or reading.missing or reading.doubted if _shortened(words) not in quote]
    )
    return f"The context says {quote}{f', not {failing}' if failing else ''}."


def _unsaid(reading: ClaimReading) -> str:
    if reading.instruction:
        return "This is an instruction and states nothing that a context could support"
    if is_subjective(reading.stated):
        return "This is an opinion that the context does not state"
    if reading.unmentioned and reading.evidence:
        return f"The context does not mention {_quoted(reading.unmentioned)}"
    return f"The context does not say {_quoted(reading.doubted) or 'this'}"


def is_subjective(text: str) -> bool:
    """Whether the text voices a taste, an opinion or praise, which no context can state as a fact."""
    return _OPINION.search(text) is not None


_ORDERS = BASES | words("orders")


def _is_instruction(text: str, context: ReadContext) -> bool:
    first, told = _WORD.search(text), _TO_THE_JUDGE.search(text)
    ordered = first is not None and first.group().lower() in _ORDERS
    return ordered and told is not None and not context.mentions(told.group())


def _quote(quotation: Quotation) -> str:
    """A quotation in quotation marks; the cells of a row with what their header calls them."""
    if len(quotation) < 2:
        return f"“{_shortened(quotation[0].quote)}”"
    row, header = ([cell.strip() for cell in one.quote.strip().strip("|").split("|")] for one in quotation)
    cells = (f"{name}: {cell}" if name else cell for name, cell in zip(header, row, strict=False) if cell)
    return f"“{_shortened('; '.join(cells))}”"


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(f"“{_shortened(text)}”" for text in texts[:_MOST_QUOTED])


def _shortened(text: str) -> str:
    flat = " ".join(text.split()).rstrip(".")
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST].rstrip()}…"


_WORD = re.compile(r"\w+")
_NEAR, _WIDE, _AROUND = 2, 6, 4
_STRAYS = 40


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a claim: the place of the word it is a part of, and what is known about it, by name."""

    start: int
    end: int
    signs: Mapping[str, float]


def tokens(item: Measured) -> list[Token]:
    """The tokens of a claim as the output has it, with all that tells of them but the verdict on the claim."""
    marks = item.view.marks
    if not marks:
        return []
    signals = item.signals
    own = [logit(mark) for _, _, mark in marks]
    places = _words(item.said, marks)
    words = [item.said[start:end] for start, end in places]
    held = set(content_words(item.selection.text))
    plain = [float(not word[:1].isalnum() or word.lower() in STOP_WORDS) for word in words]
    new = [float(not bare and stem(word.lower()) not in held) for bare, word in zip(plain, words, strict=True)]
    doubt = 1.0 - min(signals.supported, signals.alone)
    columns = {
        "mark": own,
        "marks near": _means(own, _NEAR),
        "marks wide": _means(own, _WIDE),
        "top near": [max(own[max(0, at - _AROUND) : at + _AROUND + 1]) for at in range(len(own))],
        "new": new,
        "new near": _means(new, _NEAR),
        "new wide": _means(new, _WIDE),
        "plain": plain,
        "digit": [float(word[:1].isdigit()) for word in words],
        "capital": [float(word[:1].isupper()) for word in words],
        "place": [at / len(own) for at in range(len(own))],
        "mark where doubted": [mark * doubt for mark in own],
        "new where doubted": [word * doubt for word in new],
        **_found(item, marks),
    }
    whole = {
        "top": max(own),
        "mean": sum(own) / len(own),
        "support": logit(signals.supported),
        "contradiction": logit(signals.contradicted),
        "coverage": signals.coverage,
        "number doubt": signals.number_doubt,
        "first": logit(signals.first),
        "alone": logit(signals.alone),
        "asked": float(signals.asked),
        "complete": float(signals.complete),
    }
    return [
        Token(start, end, {**whole, **{name: column[at] for name, column in columns.items()}})
        for at, (start, end) in enumerate(places)
    ]


def _words(text: str, marks: Sequence[tuple[int, int, float]]) -> list[Place]:
    """For each token the place of the word it is a part of."""
    spans = [match.span() for match in _WORD.finditer(text)]
    found = []
    at = 0
    for start, end, _ in marks:
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        inside = at < len(spans) and spans[at][0] <= start
        found.append(spans[at] if inside else (start, end))
    return found


def _means(values: Sequence[float], reach: int) -> list[float]:
    """The mean over each place and its neighbours."""
    sums = [0.0, *accumulate(values)]
    ends = [(max(0, at - reach), min(len(values), at + reach + 1)) for at in range(len(values))]
    return [(sums[high] - sums[low]) / (high - low) for low, high in ends]


def _found(item: Measured, marks: Sequence[tuple[int, int, float]]) -> dict[str, list[float]]:
    """What the rules found at each token."""
    numbers = [(found.claim.start - item.before, found.claim.end - item.before, found) for found in item.numbers]
    places: dict[str, list[tuple[int, int, float]]] = {
        "wrong number": [(start, end, found.doubt) for start, end, found in numbers if found.status == "conflicts"],
        "missing number": [(start, end, 1.0) for start, end, found in numbers if found.status in UNTOLD],
        "known number": [(start, end, 1.0) for start, end, found in numbers if found.status == "stated"],
    }
    columns = {}
    for name, found in places.items():
        ordered = sorted(found)
        where = in_said(((low, high) for low, high, _ in ordered), item.stated, item.said)
        told = [(*place, value) for place, (_, _, value) in zip(where, ordered, strict=True) if place]
        columns[name] = [
            max((value for low, high, value in told if start < high and end > low), default=0.0)
            for start, end, _ in marks
        ]
    return columns


def in_said(places: Iterable[Place], stated: str, said: str) -> Iterator[Place | None]:
    """Places in a claim, in order, as places in the words of the output that it was taken from.

    Where the subject was carried into the claim the two differ, and words that stand in the claim only have none.
    """
    if said == stated:
        yield from places
        return
    reached = 0
    for low, high in places:
        found = said.find(stated[low:high], reached)
        if found < 0 or found - reached >= _STRAYS:
            yield None
            continue
        reached = found + high - low
        yield found, reached


@dataclass(frozen=True, slots=True)
class Marking:
    """The fitted weights of the signs, of the verdict on the claim, and how stretches are joined."""

    constant: float
    verdict: float
    weights: Mapping[str, float]
    gap: int = 25
    """Doubtful places with fewer characters between them are one."""

    def score(self, token: Token, supported: float) -> float:
        """Above zero where the token is doubtful."""
        told = sum(weight * token.signs[name] for name, weight in self.weights.items())
        return self.constant + self.verdict * logit(supported) + told

    def stretches(self, doubtful: Iterable[Place]) -> list[Place]:
        """Doubtful tokens in order, with what stands between near ones made part of them."""
        found: list[Place] = []
        for start, end in doubtful:
            if found and start - found[-1][1] <= self.gap:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        return found


@lru_cache(maxsize=1)
def shipped_marking() -> Marking:
    """The marking that was fitted for the weights in the package."""
    return Marking(**settings()["marking"])
