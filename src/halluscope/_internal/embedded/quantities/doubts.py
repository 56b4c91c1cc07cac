"""How likely a number of a claim is wrong, from how it stands to the numbers of the context.

A few signs are weighed by logistic regression. The weights stand in `quantities.json` and are fitted by
`python -m training.fit_quantities DATA_FOLDER` on answers whose wrong places are marked.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from .alignment import Placed, Prepared
from .counterparts import Counterpart, Pairing
from .operations import NEIGHBOUR
from .reckoning import BY_CONSTANTS, Reached
from .tolerance import same_value
from .written.bounds import LIMITS, ROUGHLY
from .written.quantity import Quantity
from .written.units import unit_of

__all__ = ["doubt", "replaces", "signs"]

_BITS = 4.0
_COUNTED = 12.0
_RECKONS = re.compile(
    r"\b(?:more|less|fewer|longer|shorter|older|younger|higher|lower|larger|smaller|later|earlier|ahead|behind|faster"
    r"|slower|heavier|lighter|cheaper|further|extra|additional|difference|gap|total\w*|altogether|together|combined"
    r"|in\s+all|overall|averag\w+|mean|each|per|remain\w*|rest|left|apart|between|sum|share|still|except|without"
    r"|margin|twice|by\s+the\s+time|sav\w+|gain\w*|doubl\w+|halv\w+|adds?|added|makes?|comes?\s+to|reduc\w+|rose|fell"
    r"|drop\w*|grew|up\s+by|down\s+by|which\s+is|that\s+is)\b|[=×+]",
    re.IGNORECASE,
)
"""Words that reckon: such a claim gives numbers that the context need not hold."""
_SUPPOSES = re.compile(r"\b(?:if|suppose|say|would|could|someone|anyone|whoever|when|such\s+as)\b", re.IGNORECASE)
_RATE = re.compile(
    r"\b(?:per\s+(\w+)|(?:an?|each|every)\s+(second|minute|hour|day|night|week|month|quarter|year))\b", re.IGNORECASE
)
_PERIOD = re.compile(r"\b(?:hour|day|daily|week|month|quarter|year|annual)", re.IGNORECASE)
_NEXT_DAY = re.compile(
    r"\b(?:next|following|previous|eve|tomorrow|yesterday|overnight|before|after|until|till|by|later|earlier|ends?|ended"
    r"|expires?|starts?|from)\b",
    re.IGNORECASE,
)
_CLEARLY, _OPEN = 0.8, 0.45
"""How much better another number must fit for one that is stated to be wrong; else the doubt is this at most."""
_BEHIND = 26
_IN_PLACE = 0.6
"""How well the words beside two numbers must fit for the one to stand in the other's place."""
_MULTIPLE = 0.1
"""And where the one is twice the other, or twelve times, which nearly every round number is of some other."""


def doubt(found: Mapping[str, float]) -> float:
    """The chance, from 0 to 1, that a number with these signs is wrong."""
    weights = _weights()["stated" if "stated" in found else "unstated"]
    score = sum(weights.get(name, 0.0) * value for name, value in found.items())
    chance = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))
    even = "stated" in found and found.get("another nearer", 0.0) + found.get("another around", 0.0) <= _CLEARLY
    return min(chance, _OPEN) if even else chance


@lru_cache(maxsize=1)
def _weights() -> dict[str, dict[str, float]]:
    text = (files(__package__) / "quantities.json").read_text(encoding="utf-8")
    loaded: dict[str, dict[str, float]] = json.loads(text)
    return loaded


def signs(pairing: Pairing, reached: Reached, said: Prepared, known: Prepared) -> dict[str, float]:
    """What speaks for and against a number; `reached` counts where the context does not state it."""
    quantity, match, other = pairing.item.quantity, pairing.agreeing, pairing.differing
    sentence = said.spans[pairing.item.sentence].of(said.text)
    reckons = float(_RECKONS.search(sentence) is not None)
    found = {"one": 1.0}
    if match is not None:
        found |= _stated(quantity, match, other)
    elif reached.level is None:
        found |= {f"not reached: {_sort(quantity)}": 1.0, "not reached, reckons": reckons}
    else:
        told = min(_BITS, -math.log(max(reached.chance, 1e-3)))
        found |= {
            f"reached {reached.level}": 1.0,
            "reached plainly, tells": told if reached.level < 2 else 0.0,
            "reached otherwise, tells": told if reached.level >= 2 else 0.0,
            "reached, reckons": reckons,
            "reached, a count": float(_sort(quantity) == "count"),
        }
    found |= {
        "supposes": float(_SUPPOSES.search(sentence) is not None),
        "exactly": float(quantity.bound == "exactly"),
        "roughly": float(quantity.bound in ROUGHLY),
        "round": float(quantity.date is None and quantity.step >= 0.099 * abs(quantity.low)),
        "in words": float(quantity.in_words),
    }
    if other is None:
        return found | {"no other": 1.0}
    theirs = other.placed.quantity
    return found | {
        "near": other.near,
        "around": other.around,
        "near and around": other.near * other.around,
        "same digits": float(other.relation.swapped),
        "both limits": float(quantity.bound in LIMITS and theirs.bound in LIMITS),
        "other rate": float(_rate(quantity, said) != _rate(theirs, known)),
        "loose": float(other.relation.loose),
    }


def replaces(pairing: Pairing, reached: Reached, said: Prepared, known: Prepared) -> bool:
    """Whether a number was worked out from nothing but the one whose place it takes: 256 GB from 512 GB.

    Where no word reckons, that is another number and not half of it.
    """
    other, mine = pairing.differing, pairing.item
    if reached.words.startswith(NEIGHBOUR):
        return not _next_day(reached.operands[0], mine, said, known)
    fit = _MULTIPLE if reached.level == BY_CONSTANTS else _IN_PLACE
    if other is None or reached.operands != (other.placed.index,) or other.near < fit:
        return False
    here, there = said.spans[mine.sentence].of(said.text), known.spans[other.placed.sentence].of(known.text)
    if _RECKONS.search(here) or _periods(here) != _periods(there):
        return False
    return _rate(mine.quantity, said) == _rate(other.placed.quantity, known)


def _next_day(operand: int, mine: Placed, said: Prepared, known: Prepared) -> bool:
    """Whether a text speaks of the day before or after the one it names: of itself 15 May says nothing of the 16th."""
    sentences = [said.spans[mine.sentence].of(said.text)]
    if operand >= 0:
        there = known.placed[operand].sentence
        sentences += [span.of(known.text) for span in known.spans[there : there + 2]]
    return any(_NEXT_DAY.search(sentence) for sentence in sentences)


def _periods(sentence: str) -> set[str]:
    """The spans of time that a sentence speaks of: what a year costs follows from what a month does."""
    return {word.lower() for word in _PERIOD.findall(sentence)}


def _sort(quantity: Quantity) -> str:
    """What a number is, for how much its absence tells."""
    if quantity.date is not None:
        return "date" if quantity.date.years else "day" if quantity.date.day else "month"
    if quantity.kind in ("time", "weekday", "ordinal"):
        return quantity.kind
    small = quantity.figure == int(quantity.figure) and abs(quantity.figure) <= _COUNTED
    unit = unit_of(quantity.unit) if quantity.unit else None
    whole = unit is None or quantity.low == quantity.figure * unit.factor  # seven hours and twenty minutes are no count
    if small and whole and quantity.dimension in ("", "duration", "times"):
        return "count"
    return "share" if quantity.kind == "percent" else "amount"


def _stated(quantity: Quantity, match: Counterpart, other: Counterpart | None) -> dict[str, float]:
    return {
        "stated": 1.0,
        "stated exactly": float(same_value(quantity, match.placed.quantity)),
        "stated near": match.near,
        "stated around": match.around,
        "another nearer": max(0.0, other.near - match.near) if other else 0.0,
        "another around": max(0.0, other.around - match.around) if other else 0.0,
    }


def _rate(quantity: Quantity, text: Prepared) -> str:
    """What an amount is for one of: "612 kg of CO2 per tonne", "39 pounds a month"."""
    found = _RATE.search(text.text, quantity.end, quantity.end + _BEHIND)
    return (found.group(1) or found.group(2)).lower().rstrip("s") if found else ""
