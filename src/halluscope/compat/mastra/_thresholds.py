"""What scorers of an evaluation are held to: thresholds for their means, and gates that must not fail."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

from msgspec import Struct

from ..._internal.errors import InputError
from ..._internal.metric import is_number

Threshold = Union[float, Mapping[str, float]]
"""The least mean that passes, or {"min": …, "max": …}."""

Verdict = Literal["passed", "scored", "failed"]


class GateResult(Struct, frozen=True):
    """How a gate did: it passes where its mean is the best score there is."""

    id: str
    passed: bool
    score: float | None


class ThresholdResult(Struct, frozen=True):
    """How a scorer's mean compares with its threshold."""

    id: str
    passed: bool
    average_score: float | None
    threshold: Any


class HeldScorer(Struct, frozen=True):
    """A scorer, and what its mean is held to."""

    scorer: Any
    group: str | None = None
    threshold: Any = None

    @property
    def id(self) -> str:
        return str(self.scorer.id)


def held(scorers: Any) -> list[HeldScorer]:
    """The scorers in a list, or under {"agent": [...]}; an entry may be {"scorer": …, "threshold": …}."""
    if isinstance(scorers, Mapping):
        unknown = [name for name in scorers if name != "agent"]
        if unknown:
            raise InputError(f"scorers has no part {unknown[0]!r}: there is 'agent', with a list of scorers.")
        return [_entry(entry, "agent") for entry in _list(scorers.get("agent", ()), "scorers['agent']")]
    return [_entry(entry, None) for entry in _list(scorers, "scorers")]


def passes(score: float | None, threshold: Threshold) -> bool:
    """Whether a mean is on the right side of its threshold. None never is."""
    if score is None:
        return False
    if not isinstance(threshold, Mapping):
        return score >= threshold
    return threshold.get("min", -math.inf) <= score <= threshold.get("max", math.inf)


def gate_result(scorer: Any, mean: float | None) -> GateResult:
    """A gate's result; for a scorer whose best score is not 1, such as the share of hallucinations, that one counts."""
    best = float(getattr(scorer, "best", 1.0))
    return GateResult(scorer.id, mean is not None and math.isclose(mean, best, abs_tol=1e-9), mean)


def verdict(gates: Sequence[GateResult], thresholds: Sequence[ThresholdResult]) -> Verdict | None:
    """What they say together; None where there are none."""
    if not gates and not thresholds:
        return None
    if not all(gate.passed for gate in gates):
        return "failed"
    return "passed" if all(result.passed for result in thresholds) else "scored"


def _list(given: Any, what: str) -> Sequence[Any]:
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise InputError(f"{what} must be a list of scorers.")
    return given


def _entry(entry: Any, group: str | None) -> HeldScorer:
    if not isinstance(entry, Mapping):
        return HeldScorer(entry, group)
    unknown = [name for name in entry if name not in ("scorer", "threshold")]
    if unknown or "scorer" not in entry:
        raise InputError("a scorer's entry must look like {'scorer': …, 'threshold': …}.")
    threshold = entry.get("threshold")
    if threshold is not None:
        _check(threshold, entry["scorer"])
    return HeldScorer(entry["scorer"], group, threshold)


def _check(threshold: Any, scorer: Any) -> None:
    top = float(getattr(scorer, "scale", 1.0))
    bounds = dict(threshold) if isinstance(threshold, Mapping) else {"min": threshold}
    for name, bound in bounds.items():
        if name not in ("min", "max") or not is_number(bound) or not 0 <= bound <= top:
            raise InputError(
                f"the threshold of {scorer.id!r} must be a number between 0 and {top:g}, "
                f"or {{'min': …, 'max': …}}, not {threshold!r}."
            )
    if bounds.get("min", 0) > bounds.get("max", top):
        raise InputError(
            f"the threshold of {scorer.id!r} has min ({bounds['min']:g}) greater than max ({bounds['max']:g})."
        )
