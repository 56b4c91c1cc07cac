"""Agreement of raters, corrected for chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from ..core.errors import InputError
from ..core.plumbing.public import public
from .arrays import ratio


@public
def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return Cohen's kappa of two raters: 1 is perfect agreement, 0 is chance.

    Args:
        first: The labels of the first rater.
        second: The labels of the second rater for the same cases.

    Returns:
        Kappa. NaN if both raters use only one label.

    Raises:
        InputError: The lengths differ.

    Example:
        >>> cohen_kappa(["a", "b", "b"], ["a", "b", "a"])
        0.4
    """
    if len(first) != len(second):
        raise InputError(f"kappa needs both raters on the same cases: {len(first)} and {len(second)} were given.")
    n = len(first)
    if not n:
        return float("nan")
    agreed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    counts, other = Counter(first), Counter(second)
    by_chance = sum(counts[label] * other[label] for label in counts) / n**2
    return ratio(agreed - by_chance, 1 - by_chance)


@public
def krippendorff_alpha(units: Sequence[Sequence[Hashable | None]]) -> float:
    """Return Krippendorff's alpha of any number of raters, with missing values.

    Args:
        units: For each case, the values of its raters, with None for a missing value.

    Returns:
        Alpha. NaN if there is nothing to compare, or only one value is used.

    Example:
        >>> krippendorff_alpha([["a", "a"], ["b", "b"], ["a", None]])
        1.0
    """
    apart = 0.0
    totals: Counter[Hashable] = Counter()
    for unit in units:
        given = Counter(value for value in unit if value is not None)
        size = sum(given.values())
        if size > 1:
            totals.update(given)
            apart += sum(count * (size - count) for count in given.values()) / (size - 1)
    n = sum(totals.values())
    by_chance = sum(count * (n - count) for count in totals.values())
    return 1 - ratio((n - 1) * apart, by_chance)
