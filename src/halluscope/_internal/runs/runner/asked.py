"""Metrics and profiles from the arguments of a caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError
from ...engine import metrics as metric_registry
from ...engine.metric import Metric
from ...engine.metrics import MetricSpec, split_options

if TYPE_CHECKING:
    from ..profile import Profile


def metrics_of(
    given: MetricSpec | Sequence[MetricSpec], options: Mapping[str, Any]
) -> tuple[list[Metric], dict[str, Any]]:
    """Return the metrics, and the options that do not belong to them."""
    specs = [given] if isinstance(given, (str, Metric, type)) else list(given)
    if not specs:
        raise InputError("name at least one metric.")
    made: list[Metric] = []
    taken: set[str] = set()
    for spec in specs:
        own = {} if isinstance(spec, Metric) else split_options(spec, options)[0]
        taken |= set(own)
        made.append(metric_registry.resolve(spec, **own))
    names = [metric.name for metric in made]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"the metric {twice[0]!r} is named twice: a run has each metric once.")
    return made, {name: value for name, value in options.items() if name not in taken}


def profile_for(name: str | None, metrics: Sequence[Metric]) -> Profile | None:
    """Load a profile. Raises `InputError` if it is for another metric."""
    if name is None:
        return None
    from ..profile import Profile

    found = Profile.load(name)
    for metric in metrics:
        found.check_metric(metric.name)
    return found
