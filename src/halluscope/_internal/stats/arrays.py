"""Converting arguments to arrays, and validating them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InputError

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Numbers = Union[Sequence[float], Sequence[bool], NDArray[Any]]


def as_bools(name: str, values: Numbers) -> Bools:
    """Return one boolean per case."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"`{name}` must be a flat list of truth values.")
    if array.dtype != np.bool_ and not np.isin(array, (0, 1)).all():
        raise InputError(f"`{name}` must hold only 0 and 1 (or False and True).")
    return array.astype(np.bool_)


def as_floats(name: str, values: Numbers) -> Floats:
    """Return one finite number per case."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InputError(f"`{name}` must be a flat list of numbers.")
    if not np.isfinite(array).all():
        raise InputError(f"`{name}` holds a value that is not a finite number: leave out cases without a score.")
    return array


def as_probabilities(name: str, values: Numbers) -> Floats:
    """Return one number from 0 to 1 per case."""
    array = as_floats(name, values)
    if ((array < 0) | (array > 1)).any():
        raise InputError(f"`{name}` holds a value outside 0 to 1: map scores to probabilities first.")
    return array


def as_weights(weights: Numbers | None, n: int) -> Floats:
    """Return the weight of each case, by default 1."""
    if weights is None:
        return np.ones(n)
    array = as_floats("weights", weights)
    if len(array) != n or (array < 0).any():
        raise InputError("`weights` must hold one number per case, none of them negative.")
    return array


def same_length(**named: NDArray[Any]) -> int:
    """Return the number of cases. Raises `InputError` if the arrays have different lengths."""
    sizes = {name: len(array) for name, array in named.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"`{name}` has {size}" for name, size in sizes.items())
        raise InputError(f"one value per case is needed in each list: {told}.")
    return next(iter(sizes.values()))


def ratio(part: float, whole: float) -> float:
    """Return a ratio, NaN if the denominator is 0."""
    return float(part / whole) if whole else float("nan")
