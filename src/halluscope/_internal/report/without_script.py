"""The totals as a plain table, for readers whose browser runs no script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..case import clean
from .totals import Figure, MetricTotals


def table(name: str, totals: Sequence[MetricTotals]) -> str:
    """Markup; every text in it is escaped."""
    rows = "".join(
        f"<tr><th>{escape(clean(metric.name))}</th><td>{_figure(metric.mean)}</td>"
        f"<td>{_figure(metric.passed)}</td><td>{metric.scored} of {metric.results}</td></tr>"
        for metric in totals
    )
    return (
        f"<h1>{escape(clean(name))}</h1>"
        "<p>The cases are shown by a script, which this viewer does not run. The totals:</p>"
        "<table><tr><th>metric</th><th>mean (95 % interval)</th><th>share passed</th><th>scored</th></tr>"
        f"{rows}</table>"
    )


def _figure(figure: Figure | None) -> str:
    if figure is None:
        return "–"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} ({figure.low:.3f} to {figure.high:.3f})"
