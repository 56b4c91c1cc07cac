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
from ..reading.judged_text import judged, literal_words, shortened
from .signals import ClaimProbabilities, Measured, logit, measure, shipped

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


def verdicts_on(
    claims: Sequence[Claim],
    context: ReadContext,
    literals: frozenset[str],
    question: str | None = None,
    output: str | None = None,
) -> list[Verdict]:
    """One verdict per claim. `literals` are the words of the context that are compared letter by letter."""
    measured = measure(claims, context, load(), question, output)
    return [_verdict(claim, item, context, literals, output) for claim, item in zip(claims, measured, strict=True)]


def fingerprint() -> str:
    """Names the model."""
    return f"local {settings()['name']}"


def _verdict(
    claim: Claim, item: Measured, context: ReadContext, literals: frozenset[str], output: str | None
) -> Verdict:
    chances = shipped().judge_claim(item.signals)
    confidence = max(chances.supported, 1 - chances.supported)
    deciding = context.deciding(item.view.evidence)
    instruction = _is_instruction(item.stated, context)
    quotations = () if instruction else _evidence(item, deciding, chances.supported >= THRESHOLD, context)
    quote = " and ".join(map(_quote, quotations))
    clashing = [one.claim for one in item.numbers if one.status == "conflicts" and one.doubt >= _LIKELY]
    marks = _marks(item, chances.supported, output)
    support = _support(item, chances, instruction, bool(quotations), bool(clashing), deciding)
    strange = next((word for word in literal_words(claim.text) if word not in literals), None)
    if support is Support.SUPPORTED and strange:
        support, confidence = Support.UNSUPPORTED, 1.0
        reason = f"The context does not have “{shortened(strange)}”."
    elif support is Support.NOT_A_CLAIM:
        reason = "The context does not tell it, as the output says."
    elif support is Support.SUPPORTED:
        reason = f"The context says {quote or 'so'}."
    elif instruction:
        reason = "This is an instruction and states nothing that a context could support."
    else:
        doubted = [(output or "")[start:end] for start, end in marks]
        if sum(map(len, doubted)) >= _MOST_OF_IT * len(item.said):
            doubted = []
        conflicts = [claim.text[with_bound(claim.text, place.start) : place.end] for place in clashing]
        missing = list(dict.fromkeys(one.claim.of(claim.text) for one in item.numbers if one.status in UNTOLD))
        if support is Support.UNSUPPORTED:
            unsaid = _unsaid(item.stated, quote and (missing or list(_unmentioned(doubted, context))), doubted)
            reason = f"{unsaid}{f'; the closest it says is {quote}' if quote else ''}."
        elif item.signals.absence:
            reason = f"The context does tell it: {quote}."
        else:
            failing = _quoted([said for said in conflicts or missing or doubted if _shortened(said) not in quote])
            reason = f"The context says {quote}{f', not {failing}' if failing else ''}."
    evidence = (part for quotation in quotations for part in quotation)
    if not support.holds:
        evidence = (structs.replace(part, stance="against") for part in evidence)
    return Verdict(claim, support, reason=reason, confidence=confidence, evidence=tuple(evidence), marks=marks)


def _support(
    item: Measured,
    chances: ClaimProbabilities,
    instruction: bool,
    quoted: bool,
    clashing: bool,
    deciding: Sequence[Quotable],
) -> Support:
    """Whether a claim holds, and if it does not, in which way.

    What is not supported and clashes with the context by rule (a number) is contradicted, even where the rest of the
    claim is not in the context at all; what is likeliest made up is not, nor what nothing of the context goes against.
    That the context does not tell something is no claim where it is so, and a wrong one where the context tells it.
    """
    absence = item.signals.absence
    if absence and not quoted:
        return Support.NOT_A_CLAIM
    if instruction:
        return Support.UNSUPPORTED
    if chances.supported >= THRESHOLD:
        return Support.NOT_A_CLAIM if absence else Support.SUPPORTED
    invented = max(zip(item.error.kinds, KINDS, strict=True))[1] == "invented"
    clashes = clashing or absence or (chances.contradicted >= chances.unsupported and not invented)
    # A sentence that is copied from the context is not read by the network.
    found = not deciding or deciding[0].probability >= _FOUND
    return Support.CONTRADICTED if quoted and found and clashes else Support.UNSUPPORTED


def _unsaid(stated: str, unmentioned: Sequence[str], doubted: Sequence[str]) -> str:
    if is_subjective(stated):
        return "This is an opinion that the context does not state"
    if unmentioned:
        return f"The context does not mention {_quoted(unmentioned)}"
    return f"The context does not say {_quoted(doubted) or 'this'}"


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


def hallucination_probability(verdicts: Sequence[Verdict]) -> float:
    """That of the least supported claim: an output with one wrong claim is wrong."""
    return max(
        ((1 - (v.confidence or 0.0)) if v.support.holds else (v.confidence or 0.0) for v in verdicts), default=0.0
    )


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
