"""Measures, and the two trivial judges every figure is shown next to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

Spans = Iterable[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Scored:
    """One output: whether it is wrong, and how wrong a judge holds it to be (from a half on: wrong)."""

    wrong: bool
    doubt: float


def balanced_accuracy(scored: Sequence[Scored], threshold: float = 0.5) -> float:
    """The mean of the part of wrong outputs found and the part of right ones let through."""
    wrong = [item.doubt > threshold for item in scored if item.wrong]
    right = [item.doubt <= threshold for item in scored if not item.wrong]
    return (float(np.mean(wrong)) + float(np.mean(right))) / 2 if wrong and right else float("nan")


def f1(scored: Sequence[Scored], threshold: float = 0.5) -> float:
    """F1 of the wrong outputs."""
    hit = sum(item.wrong and item.doubt > threshold for item in scored)
    called = sum(item.doubt > threshold for item in scored)
    return 2 * hit / max(1, called + sum(item.wrong for item in scored))


def area(scored: Sequence[Scored]) -> float:
    """The area under the curve: how often a wrong output is held to be worse than a right one."""
    doubts = np.array([item.doubt for item in scored])
    wrong = np.array([item.wrong for item in scored])
    ranks = np.array([np.mean(np.flatnonzero(np.sort(doubts) == value)) + 1 for value in doubts])
    bad = int(wrong.sum())
    return float((ranks[wrong].sum() - bad * (bad + 1) / 2) / (bad * (len(wrong) - bad)))


def best(scored: Sequence[Scored], measure: str) -> float:
    """A measure at the threshold that suits it most, in either direction: a favour done to the trivial judges."""
    function = balanced_accuracy if measure == "balanced accuracy" else f1
    found = 0.0
    for sign in (1, -1):
        turned = [Scored(item.wrong, sign * item.doubt) for item in scored]
        cuts = np.quantile([item.doubt for item in turned], np.linspace(0, 1, 101))
        found = max(found, *(function(turned, float(cut)) for cut in cuts))
    return found


def calibration_error(scored: Sequence[Scored], bins: int = 10) -> float:
    """The expected calibration error of the probability of being wrong, classes weighing the same."""
    weights = {wrong: 0.5 / max(1, sum(item.wrong == wrong for item in scored)) for wrong in (True, False)}
    error = 0.0
    for number in range(bins):
        low, high = number / bins, (number + 1) / bins
        inside = [item for item in scored if low <= item.doubt < high or (number == bins - 1 and item.doubt == 1)]
        mass = sum(weights[item.wrong] for item in inside)
        if mass:
            seen = sum(weights[item.wrong] for item in inside if item.wrong) / mass
            said = sum(weights[item.wrong] * item.doubt for item in inside) / mass
            error += mass * abs(seen - said)
    return error


def span_f1(pairs: Iterable[tuple[Spans, Spans]]) -> float:
    """F1 over characters, all outputs together; each pair is (true, called)."""
    hit = called = true = 0
    for real, found in pairs:
        a = {place for start, end in real for place in range(start, end)}
        b = {place for start, end in found for place in range(start, end)}
        hit, called, true = hit + len(a & b), called + len(b), true + len(a)
    return 2 * hit / max(1, called + true)
