"""Exact confidence intervals of a rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ..core.errors import InputError
from .arrays import Floats
from .interval import Interval


def binomial_tails(n: int, rate: float) -> Floats:
    """Return the probability of k or more successes in n trials, for every k from 0 to n."""
    if not 0 <= rate <= 1:
        raise InputError(f"a rate lies between 0 and 1, {rate:g} does not.")
    if rate in (0, 1):
        return np.array([1.0] + [float(rate)] * n)
    k = np.arange(n + 1)
    terms = np.exp(_log_choices(n) + k * math.log(rate) + (n - k) * math.log1p(-rate))
    tails: Floats = np.minimum(1.0, np.cumsum(terms[::-1])[::-1])
    return tails


def binomial_lower(k: int, n: int, confidence: float = 0.95) -> float:
    """Return the lower bound of the rate (one-sided Clopper-Pearson)."""
    if n < 1 or not 0 <= k <= n:
        raise InputError(f"{k} out of {n} is not a count out of a number of cases.")
    if not 0 < confidence < 1:
        raise InputError(f"a confidence lies between 0 and 1, {confidence:g} does not.")
    return 0.0 if k == 0 else _solve(lambda rate: float(binomial_tails(n, rate)[k]) - (1 - confidence))


def binomial_interval(k: int, n: int, confidence: float = 0.95) -> Interval:
    """Return the confidence interval of the rate (Clopper-Pearson)."""
    one_sided = (1 + confidence) / 2
    return Interval(binomial_lower(k, n, one_sided), 1.0 - binomial_lower(n - k, n, one_sided))


@lru_cache(maxsize=64)
def _log_choices(n: int) -> Floats:
    """Return the logarithms of the binomial coefficients of n."""
    factorials = np.r_[0.0, np.cumsum(np.log(np.arange(1, n + 1)))]
    found = factorials[n] - factorials - factorials[::-1]
    found.flags.writeable = False
    return np.asarray(found, dtype=np.float64)


def _solve(rises: Callable[[float], float]) -> float:
    """Return the rate at which an increasing function is 0."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if rises(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
