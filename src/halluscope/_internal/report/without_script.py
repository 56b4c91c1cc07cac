"""The totals as a plain table, for readers whose browser runs no script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..case import clean
from ..figures.summary import MetricSummary
from ..stats.interval import Interval


def table(name: str, figures: Sequence[MetricSummary]) -> str:
    """Markup; every text in it is escaped."""
    rows = "".join(
        f"<tr><th>{escape(clean(metric.metric))}</th><td>{_figure(metric.mean, metric.interval)}</td>"
        f"<td>{_figure(metric.pass_rate, metric.pass_interval)}</td><td>{metric.scored} of {metric.results}</td></tr>"
        for metric in figures
    )
    return (
        f"<h1>{escape(clean(name))}</h1>"
        "<p>The cases are shown by a script, which this viewer does not run. The totals:</p>"
        "<table><tr><th>metric</th><th>mean (95 % interval)</th><th>share passed</th><th>scored</th></tr>"
        f"{rows}</table>"
    )


def _figure(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" + ("" if interval is None else f" ({interval.low:.3f} to {interval.high:.3f})")
