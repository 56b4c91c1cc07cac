"""Metrics by name: those of the package and those that users register."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Union

from ...core.errors import InputError, UnknownName, did_you_mean
from ...core.plumbing.public import public_in
from ..metric import Metric
from .citations import Citations
from .contradiction import Contradiction
from .faithfulness import Faithfulness, TruthFaithfulness
from .hallucination import Hallucination
from .label import Label

METRICS: dict[str, type[Metric]] = {
    metric.name: metric for metric in (Hallucination, Faithfulness, TruthFaithfulness, Label, Contradiction, Citations)
}

MetricSpec = Union[str, Metric, type[Metric]]


@public_in("halluscope.metrics")
def register(metric: type[Metric]) -> type[Metric]:
    """Register a metric under its name. Can be used as a class decorator.

    Args:
        metric: The metric class.

    Returns:
        The class.

    Raises:
        InputError: If there is another metric of that name.

    Example:
        >>> @register
        ... class Length(Metric, frozen=True, kw_only=True):
        ...     name = "length"
    """
    if METRICS.get(metric.name, metric) is not metric:
        raise InputError(f"there is already a metric {metric.name!r}: give yours another name.")
    METRICS[metric.name] = metric
    return metric


@public_in("halluscope.metrics")
def resolve(spec: MetricSpec, **options: Any) -> Metric:
    """Create the metric that a name, a class or an instance stands for.

    Args:
        spec: Name, class or instance of a metric.
        **options: Options of the metric, for a name or class.

    Returns:
        The metric.

    Raises:
        UnknownName: If there is no metric of that name.
        InputError: If an option is unusable.

    Example:
        >>> resolve("faithfulness", threshold=0.9).threshold
        0.9
    """
    if isinstance(spec, Metric):
        if options:
            raise InputError(
                f"pass the options ({', '.join(options)}) where the metric is created, or pass the metric by name."
            )
        return spec
    if isinstance(spec, str):
        if spec not in METRICS:
            raise UnknownName("metric", spec, METRICS)
        spec = METRICS[spec]
    if not (isinstance(spec, type) and issubclass(spec, Metric)):
        what = spec.__name__ if isinstance(spec, type) else type(spec).__name__
        raise InputError(f"{what} is not a metric: pass a Metric, or one of the names {', '.join(METRICS)}.")
    unknown = [name for name in options if name not in spec.__struct_fields__]
    if unknown:
        fields = spec.__struct_fields__
        more = did_you_mean(unknown[0], fields) or f"; it takes: {', '.join(fields)}."
        raise InputError(f"metric {spec.name!r} has no option {unknown[0]!r}{more}")
    return spec(**options)


def split_options(metric: MetricSpec, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split options into those of the metric and those of the judge."""
    kind = METRICS.get(metric) if isinstance(metric, str) else metric
    fields = getattr(kind, "__struct_fields__", ())
    mine = {name: value for name, value in options.items() if name in fields}
    others = {name: value for name, value in options.items() if name not in mine}
    for name in others:
        if meant := did_you_mean(name, fields):
            raise InputError(f"there is no option {name!r}{meant}")
    return mine, others
