"""Metrics by name: those of the package, and those that a user registers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Union

from ..errors import InputError, UnknownName
from ..metric import Metric
from ..plumbing.public import public_in
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
    """Make a metric of your own known by its name; usable as a class decorator."""
    if METRICS.get(metric.name, metric) is not metric:
        raise InputError(f"there is already a metric {metric.name!r}: give yours another name.")
    METRICS[metric.name] = metric
    return metric


@public_in("halluscope.metrics")
def resolve(spec: MetricSpec, **options: Any) -> Metric:
    """The metric that a name, a class or an instance means."""
    if isinstance(spec, Metric):
        if options:
            raise InputError(f"metric options ({', '.join(options)}) go with a metric's name; set them on the metric.")
        return spec
    if isinstance(spec, str):
        if spec not in METRICS:
            raise UnknownName("metric", spec, METRICS)
        spec = METRICS[spec]
    if not (isinstance(spec, type) and issubclass(spec, Metric)):
        what = spec.__name__ if isinstance(spec, type) else type(spec).__name__
        raise InputError(f"a metric is named by text, or is a Metric; {what} is neither. Known: {', '.join(METRICS)}.")
    unknown = [name for name in options if name not in spec.__struct_fields__]
    if unknown:
        known = ", ".join(spec.__struct_fields__)
        raise InputError(f"metric {spec.name!r} has no option {unknown[0]!r}; it takes: {known}.")
    return spec(**options)


def split_options(metric: MetricSpec, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options that are the metric's, and the others, which are the judge's."""
    kind = METRICS.get(metric) if isinstance(metric, str) else metric
    fields = getattr(kind, "__struct_fields__", ())
    mine = {name: value for name, value in options.items() if name in fields}
    return mine, {name: value for name, value in options.items() if name not in mine}
