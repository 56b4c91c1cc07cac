"""What a count out of n says about the rate behind it, exactly and without assumptions."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..errors import InputError
from .bootstrap import Interval


def binomial_tail(k: int, n: int, rate: float) -> float:
    """The probability of k or more successes in n trials."""
    if k <= 0:
        return 1.0
    if k > n or rate <= 0:
        return 0.0
    if rate >= 1:
        return 1.0
    log_rate, log_rest, log_all = math.log(rate), math.log1p(-rate), math.lgamma(n + 1)
    terms = (
        math.exp(log_all - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * log_rate + (n - i) * log_rest)
        for i in range(k, n + 1)
    )
    return min(1.0, math.fsum(terms))


def binomial_lower(k: int, n: int, confidence: float = 0.95) -> float:
    """The rate is at least this, with the given confidence (one-sided Clopper-Pearson)."""
    _check(k, n, confidence)
    if k == 0:
        return 0.0
    return _solve(lambda rate: binomial_tail(k, n, rate) - (1 - confidence))


def binomial_upper(k: int, n: int, confidence: float = 0.95) -> float:
    """The rate is at most this, with the given confidence (one-sided Clopper-Pearson)."""
    return 1.0 - binomial_lower(n - k, n, confidence)


def binomial_interval(k: int, n: int, confidence: float = 0.95) -> Interval:
    """The rate lies here with the given confidence (Clopper-Pearson)."""
    one_sided = (1 + confidence) / 2
    return Interval(binomial_lower(k, n, one_sided), binomial_upper(k, n, one_sided))


def _check(k: int, n: int, confidence: float) -> None:
    if n < 1 or not 0 <= k <= n:
        raise InputError(f"{k} out of {n} is not a count out of a number of cases.")
    if not 0 < confidence < 1:
        raise InputError(f"a confidence lies between 0 and 1, {confidence:g} does not.")


def _solve(rises: Callable[[float], float]) -> float:
    """The rate at which a rising function crosses 0."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if rises(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
