"""How far raters agree beyond what chance would give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import product

from ..errors import InputError
from ..plumbing.public import public
from .arrays import ratio


@public
def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Two raters on the same cases: 1 is agreement, 0 is chance. NaN where both only ever say one thing."""
    if len(first) != len(second):
        raise InputError(f"kappa needs both raters on the same cases: {len(first)} and {len(second)} were given.")
    n = len(first)
    if not n:
        return float("nan")
    agreed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    said, also_said = Counter(first), Counter(second)
    by_chance = sum(said[word] * also_said[word] for word in said) / n**2
    return ratio(agreed - by_chance, 1 - by_chance)


@public
def krippendorff_alpha(units: Sequence[Sequence[Hashable | None]], *, interval: bool = False) -> float:
    """Any number of raters, with gaps: each unit lists what its raters said, None for one who did not.

    Values are names without order; with `interval` they are numbers, and far apart is worse than near.
    NaN where there is nothing to compare, or only one value was ever used.
    """
    together: Counter[tuple[Hashable, Hashable]] = Counter()
    totals: Counter[Hashable] = Counter()
    for unit in units:
        given = Counter(value for value in unit if value is not None)
        size = sum(given.values())
        if size < 2:
            continue
        totals.update(given)
        for a, b in product(given, given):
            pairs = given[a] * (given[b] - (a == b))
            together[a, b] += pairs / (size - 1)  # type: ignore[assignment]
    n = sum(totals.values())
    observed = sum(count * _distance(a, b, interval) for (a, b), count in together.items())
    expected = sum(totals[a] * totals[b] * _distance(a, b, interval) for a, b in product(totals, totals))
    return 1 - ratio((n - 1) * observed, expected)


def _distance(a: Hashable, b: Hashable, interval: bool) -> float:
    if not interval:
        return float(a != b)
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
        raise InputError("alpha by interval needs numbers; leave `interval` out for names.")
    return float((a - b) ** 2)
