"""A run as HTML for a notebook: its statistics, and the first cases with their problems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

from ..core.counting import count_of
from ..core.result import Result, threshold_in_words
from ..core.result.in_words import short
from ..core.result.result_html import BAD, GOOD, NEITHER, badge
from .run_summary import Summary
from .store import Entry

MAX_CASES = 10
_CELL = 'style="text-align:left;padding:.15em .9em .15em 0;vertical-align:top"'


def run_card(summary: Summary, entries: Iterable[Entry]) -> str:
    """Return the statistics of a run and its first cases."""
    figures = [
        (
            metric.metric,
            "–" if metric.mean is None else f"{metric.mean:.3f}",
            "–" if metric.interval is None else f"{metric.interval.low:.3f} to {metric.interval.high:.3f}",
            f"{metric.passed} of {metric.scored} ({threshold_in_words(metric.direction, metric.threshold)})",
            f"{metric.scored} of {summary.cases + summary.bad_rows}",
        )
        for metric in summary.metrics
    ]
    names = [metric.metric for metric in summary.metrics]
    shown = list(islice(entries, MAX_CASES))
    rows = [
        (
            escape(entry.case.id),
            *(_score(next((r for r in entry.results if r.metric == name), None)) for name in names),
            "<br>".join(escape(line) for line in problems_in_words(entry.results)),
        )
        for entry in shown
    ]
    left = summary.cases - len(shown)
    more = f"<div style=\"opacity:.65\">and {left} more; run.report('report.html') shows all</div>" if left > 0 else ""
    cases = count_of(summary.cases, "case")
    head = f"<b>{escape(summary.run)}</b> {escape(summary.state)}, {cases} in {summary.seconds:.1f} s"
    titles = ("metric", "mean", "95 % interval", "passed", "scored")
    return (
        '<div style="font-family:system-ui,sans-serif;line-height:1.45">'
        f"<div>{head}</div>{_table(titles, [[escape(cell) for cell in row] for row in figures])}"
        f"{_table(('case', *names, 'what is wrong'), rows)}{more}</div>"
    )


def problems_in_words(results: Sequence[Result]) -> list[str]:
    """Describe each claim that fails, once, with the reason; or why there is no score."""
    reasons: dict[str, str] = {}
    for verdict in (v for result in results for v in result.failing):
        if verdict.passage is not None:
            claim = f"passage {verdict.passage + 1} is contradicted"
        else:
            claim = f"{verdict.support.value}: “{short(verdict.claim.text)}”"
        why = f" – {short(verdict.reason)}" if verdict.reason else ""
        if len(why) > len(reasons.get(claim, "")) or claim not in reasons:
            reasons[claim] = why
    if reasons:
        return [claim + why for claim, why in reasons.items()]
    return [next((result.reason for result in results if result.score is None and result.reason), "")]


def _score(result: Result | None) -> str:
    if result is None or result.score is None:
        return badge("–", NEITHER)
    return badge(f"{result.score:.2f}", GOOD if result.passed else BAD)


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th {_CELL}>{escape(title)}</th>" for title in titles)
    body = "".join(f"<tr>{''.join(f'<td {_CELL}>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<table style="border-collapse:collapse;margin:.4em 0"><tr>{head}</tr>{body}</table>'
