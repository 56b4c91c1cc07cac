"""What a run is asked for, from the names and options that a caller gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import metrics as metric_registry
from ..errors import InputError
from ..metric import Metric
from ..metrics import MetricSpec, split_options

if TYPE_CHECKING:
    from ..measuring.calibration.profile import Profile


def metrics_of(
    given: MetricSpec | Sequence[MetricSpec], options: Mapping[str, Any]
) -> tuple[list[Metric], dict[str, Any]]:
    """The metrics, and the options that are none of theirs."""
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
    """The profile, refused before anything is paid where it is not for these metrics."""
    if name is None:
        return None
    from ..measuring.calibration.profile import Profile

    found = Profile.load(name)
    for metric in metrics:
        found.check_metric(metric.name)
    return found
