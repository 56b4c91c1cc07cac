"""The figures of a kept run."""

from __future__ import annotations

from itertools import islice

from msgspec import Struct, structs

from ..errors import UnknownName
from ..figures.summary import Counted, MetricSummary
from ..plumbing.public import public
from ..result import Usage
from ..store import RunInfo, Store
from ..store.run_reader import entries, scores_of, tally, usage_of_run
from ..text.counting import count_of

_FIRST = 100


@public
class Summary(Struct, frozen=True, kw_only=True):
    """The figures of a run. `cases` are the rows that could be read."""

    run: str
    state: str
    note: str
    data: str
    cases: int
    bad_rows: int
    coverage: float
    metrics: tuple[MetricSummary, ...]
    usage: Usage
    seconds: float

    def __getitem__(self, metric: str) -> MetricSummary:
        for summary in self.metrics:
            if summary.metric == metric:
                return summary
        raise UnknownName("metric in this run called", metric, (summary.metric for summary in self.metrics))

    def __str__(self) -> str:
        lines = [f"run {self.run}: {self.state}, {count_of(self.cases, 'case')}, {count_of(self.bad_rows, 'bad row')}"]
        for m in self.metrics:
            mean = "no score" if m.mean is None else f"mean {m.mean:.3f}"
            if m.interval is not None:
                mean += f" ({m.interval.low:.3f} to {m.interval.high:.3f})"
            lines.append(f"  {m.metric}: {mean}, {m.passed} of {m.scored} passed, coverage {m.coverage:.1%}")
        return "\n".join(lines)


def summarised(store: Store, info: RunInfo) -> Summary:
    """The figures of a run."""
    rows = info.cases + info.bad_rows
    metrics = tuple(
        Counted(*tally(store, info.id, scorer.metric), scores_of(store, info.id, scorer.metric)).summary(
            scorer.metric, scorer.judge, scorer.direction, scorer.threshold, rows
        )
        for scorer in info.scorers
    )
    flagged = _flagged_from(store, info.id)
    metrics = tuple(structs.replace(metric, flagged_from=flagged.get(metric.metric)) for metric in metrics)
    possible = rows * len(metrics)
    return Summary(
        run=info.name,
        state=info.state,
        note=info.note,
        data=info.data,
        cases=info.cases,
        bad_rows=info.bad_rows,
        coverage=sum(metric.scored for metric in metrics) / possible if possible else 0.0,
        metrics=metrics,
        usage=usage_of_run(store, info.id),
        seconds=info.seconds,
    )


def _flagged_from(store: Store, run: int) -> dict[str, float]:
    """The threshold of the profile that judged, by its metric: it stands beside every score, so the first one tells."""
    first = (result for entry in islice(entries(store, run), _FIRST) for result in entry.results)
    scored = next((result for result in first if result.score is not None), None)
    if scored is None or "flagged_from" not in scored.figures:
        return {}
    return {scored.metric: scored.figures["flagged_from"]}
