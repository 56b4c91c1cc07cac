"""Gates: conditions on a run, such as `hallucination <= 0.1`, `faithfulness.mean >= 0.9` or `coverage >= 0.98`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable

from msgspec import Struct

from ..core.counting import count_of
from ..core.errors import InputError
from ..runs import MetricSummary, Run, Summary

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}

OF_A_METRIC: dict[str, Callable[[MetricSummary], float | None]] = {
    "mean": lambda metric: metric.mean,
    "median": lambda metric: metric.median,
    "min": lambda metric: metric.lowest,
    "max": lambda metric: metric.highest,
    "low": lambda metric: metric.interval.low if metric.interval else None,
    "high": lambda metric: metric.interval.high if metric.interval else None,
    "pass_rate": lambda metric: metric.pass_rate,
    "coverage": lambda metric: metric.coverage,
    "failed": lambda metric: metric.outcomes.get("failed", 0) + metric.outcomes.get("incomplete", 0),
}
"""The statistics of a metric. `low` and `high` are the ends of the confidence interval of the mean."""

OF_THE_RUN: dict[str, Callable[[Summary], float | None]] = {
    "coverage": lambda summary: summary.coverage,
    "bad_rows": lambda summary: summary.bad_rows,
    "cases": lambda summary: summary.cases,
    "failed": lambda summary: sum(OF_A_METRIC["failed"](metric) or 0 for metric in summary.metrics),
    "cost": lambda summary: summary.usage.cost,
}
"""The statistics of a run."""

_GATE = re.compile(
    r"\s*([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))?\s*(<=|>=|==|!=|<|>)\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(%?)\s*"
)


class Gate(Struct, frozen=True):
    text: str
    metric: str | None
    figure: str
    operator: str
    bound: float

    @classmethod
    def parse(cls, text: str, metrics: Iterable[str]) -> Gate:
        """Parse a condition on a run with these metrics."""
        match = _GATE.fullmatch(text)
        if not match:
            raise InputError(f"the gate {text!r} cannot be read: write it like 'hallucination <= 0.1'.")
        name, figure, compared, number, percent = match.groups()
        try:
            bound = float(number) / (100 if percent else 1)
        except ValueError:
            raise InputError(f"the gate {text!r} compares with {number!r}, which is not a number.") from None
        metrics = list(metrics)
        if figure is None and name in OF_THE_RUN and name not in metrics:
            return cls(text.strip(), None, name, compared, bound)
        if name not in metrics:
            known = ", ".join([*metrics, *OF_THE_RUN])
            raise InputError(f"the gate {text!r} is about {name!r}, which this run does not have; it has: {known}.")
        figure = figure or "mean"
        if figure not in OF_A_METRIC:
            raise InputError(f"the gate {text!r} asks for {figure!r}; a metric has: {', '.join(OF_A_METRIC)}.")
        return cls(text.strip(), name, figure, compared, bound)

    def check(self, summary: Summary) -> Checked:
        """Check the condition. It fails if the statistic does not exist."""
        if self.metric is None:
            value = OF_THE_RUN[self.figure](summary)
        else:
            value = OF_A_METRIC[self.figure](summary[self.metric])
        if value is None:
            return Checked(self.text, False, None, "nothing was scored")
        met = OPERATORS[self.operator](value, self.bound)
        return Checked(self.text, met, value, f"it is {value:.4g}")


class Checked(Struct, frozen=True):
    """A checked condition, with the value of the statistic."""

    gate: str
    met: bool
    value: float | None
    reason: str


def no_worse(run: Run, than: Run) -> list[Checked]:
    """Check for each common metric that it is not significantly worse, on the cases that both runs scored."""
    compared = run.compare(than)
    checked = []
    for metric in compared.metrics:
        gate = f"{metric.metric} no worse than {than.name}"
        if metric.difference is None:
            checked.append(Checked(gate, False, None, "no case has a score in both runs"))
            continue
        interval = "" if metric.interval is None else f" ({metric.interval.low:+.3f} to {metric.interval.high:+.3f})"
        reason = f"{metric.change}: {metric.difference:+.3f}{interval} on {count_of(metric.cases, 'case')}"
        if not metric.comparable:
            reason += "; another judge or another version of the metric"
        checked.append(Checked(gate, metric.change != "worse", metric.difference, reason))
    return checked
