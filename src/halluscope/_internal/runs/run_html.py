"""A run as HTML for a notebook: its figures, and the first cases with what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

from ..result import Result, bar
from ..result.in_words import short
from ..result.result_html import BAD, GOOD, NEITHER, badge
from ..store import Entry
from ..text.counting import count_of
from .run_summary import Summary

MOST = 10
_CELL = 'style="text-align:left;padding:.15em .9em .15em 0;vertical-align:top"'


def run_card(summary: Summary, entries: Iterable[Entry]) -> str:
    """The figures of a run, and its first cases."""
    figures = [
        (
            metric.metric,
            "–" if metric.mean is None else f"{metric.mean:.3f}",
            "–" if metric.interval is None else f"{metric.interval.low:.3f} to {metric.interval.high:.3f}",
            f"{metric.passed} of {metric.scored} ({bar(metric.direction, metric.threshold)})",
            f"{metric.scored} of {summary.cases + summary.bad_rows}",
        )
        for metric in summary.metrics
    ]
    names = [metric.metric for metric in summary.metrics]
    shown = list(islice(entries, MOST))
    rows = [
        (
            escape(entry.case.id),
            *(_score(next((r for r in entry.results if r.metric == name), None)) for name in names),
            "<br>".join(escape(line) for line in wrong_in_words(entry.results)),
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


def wrong_in_words(results: Sequence[Result]) -> list[str]:
    """Each claim that does not hold, once, with what it is and why; or why there is no score."""
    told: dict[str, str] = {}
    for verdict in (v for result in results for v in result.failing):
        if verdict.passage is not None:
            claim = f"passage {verdict.passage + 1} is contradicted"
        else:
            claim = f"{verdict.support.value}: “{short(verdict.claim.text)}”"
        why = f" – {short(verdict.reason)}" if verdict.reason else ""
        if len(why) > len(told.get(claim, "")) or claim not in told:
            told[claim] = why
    if told:
        return [claim + why for claim, why in told.items()]
    return [next((result.reason for result in results if result.score is None and result.reason), "")]


def _score(result: Result | None) -> str:
    if result is None or result.score is None:
        return badge("–", NEITHER)
    return badge(f"{result.score:.2f}", GOOD if result.passed else BAD)


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th {_CELL}>{escape(title)}</th>" for title in titles)
    body = "".join(f"<tr>{''.join(f'<td {_CELL}>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<table style="border-collapse:collapse;margin:.4em 0"><tr>{head}</tr>{body}</table>'
