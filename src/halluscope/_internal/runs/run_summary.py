"""The statistics of a stored run."""

from __future__ import annotations

from itertools import islice

from msgspec import Struct

from ..core.counting import count_of
from ..core.errors import UnknownName
from ..core.plumbing.public import public
from ..core.repair import Repaired
from ..core.result import Usage
from .statistics.summary import MetricSummary, RepairCounts, metric_summary
from .store import RunInfo, Store
from .store.run_reader import conversations, entries, scores_of, tally, usage_of_run
from .store.run_writer import REPAIRED

_FIRST = 100


@public
class Summary(Struct, frozen=True, kw_only=True):
    """The statistics of a run.

    Attributes:
        run: Name of the run.
        state: `finished`, `running`, `stopped`, `interrupted` or `failed`.
        note: Why the run is not finished.
        data: Name of the data.
        cases: The number of rows that could be read.
        bad_rows: The number of rows that could not be read.
        coverage: The share of rows and metrics with a score.
        metrics: The statistics of each metric. `summary["hallucination"]` returns one of them.
        usage: Calls, tokens and cost.
        seconds: Duration of the run.
    """

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
            talks = f", {m.conversations_passed} of {count_of(m.conversations, 'conversation')} passed"
            passed = f"{m.passed} of {m.scored} passed{talks if m.conversations else ''}"
            lines.append(f"  {m.metric}: {mean}, {passed}, coverage {m.coverage:.1%}")
            if m.repairs is not None:
                lines.append(f"  {m.repairs}")
        return "\n".join(lines)


def summarised(store: Store, info: RunInfo) -> Summary:
    """Compute the statistics of a run."""
    rows = info.cases + info.bad_rows
    flagged, repairs = _flagged_from(store, info.id), _repairs(store, info)
    metrics = []
    for scorer in info.scorers:
        metric = scorer.metric
        outcomes, passed = tally(store, info.id, metric)
        talks, talks_passed = conversations(store, info.id, metric)
        metrics.append(
            metric_summary(
                metric,
                scorer.judge,
                scorer.direction,
                scorer.threshold,
                outcomes=outcomes,
                passed=passed,
                scores=scores_of(store, info.id, metric),
                rows=rows,
                repairs=repairs.get(metric),
                flagged_from=flagged.get(metric),
                conversations=talks,
                conversations_passed=talks_passed,
            )
        )
    possible = rows * len(metrics)
    return Summary(
        run=info.name,
        state=info.state,
        note=info.note,
        data=info.data,
        cases=info.cases,
        bad_rows=info.bad_rows,
        coverage=sum(metric.scored for metric in metrics) / possible if possible else 0.0,
        metrics=tuple(metrics),
        usage=usage_of_run(store, info.id),
        seconds=info.seconds,
    )


def _repairs(store: Store, info: RunInfo) -> dict[str, RepairCounts]:
    """Return the results of repairs, by metric. Only runs with repairs are read."""
    found: dict[str, list[Repaired]] = {s.metric: [] for s in info.scorers if s.version.endswith(REPAIRED)}
    for entry in entries(store, info.id) if found else ():
        for result in entry.results:
            if result.repair is not None and result.metric in found:
                found[result.metric].append(result.repair)
    return {metric: RepairCounts.of(repairs) for metric, repairs in found.items()}


def _flagged_from(store: Store, run: int) -> dict[str, float]:
    """Return the threshold of the profile that was used, by metric. Every score has it, so the first one is enough."""
    first = (result for entry in islice(entries(store, run), _FIRST) for result in entry.results)
    scored = next((result for result in first if result.score is not None), None)
    if scored is None or "flagged_from" not in scored.figures:
        return {}
    return {scored.metric: scored.figures["flagged_from"]}
