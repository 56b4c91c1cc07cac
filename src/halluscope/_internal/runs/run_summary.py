"""The statistics of a stored run."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from msgspec import Struct

from ..core.counting import count_of
from ..core.errors import UnknownName
from ..core.plumbing.public import public
from ..core.result import Outcome, Usage
from .statistics.summary import MetricSummary, RepairCounts, metric_summary
from .store import Entry, RunInfo, ScorerInfo, Store
from .store.run_reader import entries, light_results, usage_of_run
from .store.run_writer import REPAIRED

_FIRST = 100
_WITHOUT_VERDICT = (Outcome.FAILED.value, Outcome.INCOMPLETE.value)


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
    first = list(islice(entries(store, info.id), _FIRST))
    metrics = tuple(_metric_summary(store, info, scorer, rows, first) for scorer in info.scorers)
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


def _metric_summary(
    store: Store, info: RunInfo, scorer: ScorerInfo, rows: int, first: Sequence[Entry]
) -> MetricSummary:
    import numpy as np

    from ..stats.means import ScoreCounts

    turn_by_turn = bool(first) and first[0].case.turn is not None
    outcomes: Counter[str] = Counter()
    scores, passed = array("d"), 0
    conversations: dict[str, bool] = {}
    for result in light_results(store, info.id, scorer.metric):
        outcomes[result.outcome] += 1
        passed += bool(result.passed)
        if result.score is not None:
            scores.append(result.score)
        conversation, _, number = result.id.rpartition("/")
        if turn_by_turn and conversation and number.isdigit():  # others are rows without a conversation
            fine = result.passed is not False and result.outcome not in _WITHOUT_VERDICT
            conversations[conversation] = conversations.get(conversation, True) and fine
    return metric_summary(
        scorer.metric,
        scorer.judge,
        scorer.direction,
        scorer.threshold,
        outcomes=dict(outcomes.most_common()),
        passed=passed,
        scores=ScoreCounts.of(np.array(scores)),
        rows=rows,
        repairs=_repairs(store, info, scorer),
        flagged_from=_flagged_from(first, scorer.metric),
        conversations=len(conversations),
        conversations_passed=sum(conversations.values()),
    )


def _repairs(store: Store, info: RunInfo, scorer: ScorerInfo) -> RepairCounts | None:
    """Return the results of repairs. Only runs with repairs are read."""
    if not scorer.version.endswith(REPAIRED):
        return None
    results = (result for entry in entries(store, info.id) for result in entry.results)
    return RepairCounts.of(r.repair for r in results if r.metric == scorer.metric and r.repair is not None)


def _flagged_from(first: Sequence[Entry], metric: str) -> float | None:
    """Return the threshold of the profile that was used. Every score has it, so the first one is enough."""
    results = (result for entry in first for result in entry.results if result.metric == metric)
    scored = next((result for result in results if result.score is not None), None)
    return None if scored is None else scored.figures.get("flagged_from")
