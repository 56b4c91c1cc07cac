"""How likely a differing number is the true counterpart of a number of the claim, and so contradicts it."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from ..deciding.wording import negations
from .alignment import Prepared
from .arithmetic import RECKONING, follows
from .counterparts import Counterpart, Pairing
from .tolerance import same_value
from .written.quantity import Quantity

__all__ = ["Weighed", "conflict", "one_denies", "rate", "signs"]

_BEHIND = 26
_LIMITS = ("over", "under", "at least", "at most")
_SUPPOSED = re.compile(r"(?:An?|Someone|Anyone|If|Suppose|With)\b|.*\b(?:would|could|if|say|such\s+as)\b", re.DOTALL)
_PER = re.compile(
    r"\b(?:per\s+(\w+)|(?:an?|each|every)\s+(second|minute|hour|day|night|week|month|quarter|year))\b", re.IGNORECASE
)

# Fitted on labelled claims by logistic regression, passages apart.
_BIAS = -1.3
_WEIGHTS = {
    "near": 1.43, "around": 1.41, "near and around": 1.9, "near back": 2.56, "around back": -1.62,
    "only one beside": 0.87, "best sentence": 0.82, "part known": -0.41, "known bare": -5.03, "anchored": 0.4,
    "same event": 0.64, "other event": -1.31, "other rate": -1.31, "ratio": -0.25, "one denies": -0.3,
    "supposes": -0.87, "agrees": -2.04, "agrees exactly": 0.26, "agreeing near": -3.93, "agreeing around": -1.04,
    "agreeing near back": -2.15, "agreeing field": -2.33, "agrees less": 1.9, "derived": -0.94,
    "derived and large": -1.19, "derived here near": -2.6, "reckons": -0.47, "reckons here": -0.79, "loose": -2.58,
    "loose field": 2.37, "swapped": 2.78, "slight": -1.12, "counts another thing": -0.96,
    "order of another thing": -2.62, "same unit": -0.35, "date": -0.66, "time": -1.31, "money": -1.64,
    "percent": -0.58, "order": -1.18, "in words": -0.58, "both limits": 1.63, "exactly": 1.52,
}  # fmt: skip


class Weighed(NamedTuple):
    """The chance, from 0 to 1, that two numbers conflict, and whether the claim's may have been worked out."""

    chance: float
    derived: bool


def conflict(pairing: Pairing, differing: Counterpart, said: Prepared, known: Prepared) -> Weighed:
    """How likely the number of the claim conflicts with the differing one."""
    found = signs(pairing, differing, said, known)
    score = _BIAS + sum(weight * found[name] for name, weight in _WEIGHTS.items())
    return Weighed(1.0 / (1.0 + math.exp(-score)), found["derived"] > 0)


def signs(pairing: Pairing, differing: Counterpart, said: Prepared, known: Prepared) -> dict[str, float]:
    """What speaks for and against a differing number being the counterpart."""
    item, match = pairing.item, pairing.agreeing
    mine, theirs = item.quantity, differing.placed.quantity
    here, there = said.spans[item.sentence].of(said.text), known.spans[differing.placed.sentence].of(known.text)
    ratio = abs(math.log(abs(mine.low / theirs.low))) if mine.low and theirs.low and mine.date is None else 0.0
    return {
        "near": differing.near,
        "around": differing.around,
        "near and around": differing.near * differing.around,
        "near back": differing.near_back,
        "around back": differing.around_back,
        "only one beside": float(pairing.rivals_beside == 1),
        "best sentence": differing.around / pairing.best_sentence if pairing.best_sentence else 0.0,
        "part known": pairing.part_known,
        "known bare": float(pairing.known_bare),
        "anchored": float(pairing.anchored),
        "same event": float(item.event == differing.placed.event != ""),
        "other event": float("" != item.event != differing.placed.event != ""),
        "other rate": float(rate(mine, said) != rate(theirs, known)),
        "ratio": min(ratio, 4.0),
        "one denies": float(one_denies(here, there)),
        "supposes": float(_SUPPOSED.match(here) is not None),
        **_agreeing(mine, match, differing),
        **_reckoned(mine, theirs, match is None, differing, said, known, (here, there)),
        **_kinds(mine, theirs, differing),
    }


def _agreeing(mine: Quantity, match: Counterpart | None, differing: Counterpart) -> dict[str, float]:
    """How well the number fits that agrees."""
    if match is None:
        return dict.fromkeys(_AGREEING, 0.0)
    closer = differing.near + differing.near_back - match.near - match.near_back
    values = (
        1.0,
        float(same_value(mine, match.placed.quantity)),
        match.near,
        match.around,
        match.near_back,
        match.field,
        max(0.0, closer),
    )
    return dict(zip(_AGREEING, values, strict=True))


_AGREEING = (
    "agrees", "agrees exactly", "agreeing near", "agreeing around", "agreeing near back", "agreeing field",
    "agrees less",
)  # fmt: skip


def _reckoned(
    mine: Quantity,
    theirs: Quantity,
    unmatched: bool,
    differing: Counterpart,
    said: Prepared,
    known: Prepared,
    sentences: tuple[str, str],
) -> dict[str, float]:
    """Whether the number may have been worked out from others."""
    place = differing.placed.sentence
    derived = unmatched and follows(mine, [placed.quantity for placed in known.placed])
    beside = [placed.quantity for placed in known.placed if abs(placed.sentence - place) <= 1] if derived else []
    behind = said.text[mine.end : mine.end + _BEHIND], known.text[theirs.end : theirs.end + _BEHIND]
    return {
        "derived": float(derived),
        "derived and large": float(derived and mine.low >= 20 * mine.step),
        "derived here near": differing.near if derived and follows(mine, beside) else 0.0,
        "reckons": float(_reckons(sentences[0]) and not _reckons(sentences[1])),
        "reckons here": float(_reckons(behind[0]) and not _reckons(behind[1])),
    }


def _kinds(mine: Quantity, theirs: Quantity, differing: Counterpart) -> dict[str, float]:
    """What sort of numbers they are."""
    counted = bool(set(mine.nouns) & set(theirs.nouns))
    loose = float(differing.relation.loose)
    return {
        "loose": loose,
        "loose field": loose * differing.field,
        "swapped": float(differing.relation.swapped),
        "slight": float(mine.slight),
        "counts another thing": float(mine.kind == "number" and not mine.dimension and not counted),
        "order of another thing": float(mine.kind == "ordinal" and not counted),
        "same unit": float(bool(mine.unit) and mine.unit.rstrip("s") == theirs.unit.rstrip("s")),
        "date": float(mine.kind == "date"),
        "time": float(mine.kind == "time"),
        "money": float(mine.kind == "money"),
        "percent": float(mine.kind == "percent"),
        "order": float(mine.kind in ("ordinal", "weekday")),
        "in words": float(mine.in_words),
        "both limits": float(mine.bound in _LIMITS and theirs.bound in _LIMITS),
        "exactly": float(mine.bound == "exactly"),
    }


def one_denies(claim: str, evidence: str) -> bool:
    """Where only one side says "not", both numbers may be right: three found none, two found some."""
    return (len(negations(claim)) + len(negations(evidence))) % 2 == 1


def rate(quantity: Quantity, text: Prepared) -> str:
    """What an amount is for one of: "612 kg of CO2 per tonne", "39 pounds a month"."""
    found = _PER.search(text.text, quantity.end, quantity.end + _BEHIND)
    return (found.group(1) or found.group(2)).lower().rstrip("s") if found else ""


def _reckons(text: str) -> bool:
    return RECKONING.search(text) is not None
