"""From a judge's answers to its figures, each with its interval."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from ...plumbing.public import public
from ...stats.arrays import Bools, Floats, Ints
from ...stats.bootstrap import bootstrap_all
from ...stats.calibration import Bin, Calibration, calibration_curve
from ...stats.confusion import Confusion, Counting, confusion
from ...stats.interval import Interval
from ...stats.ranking import Ranking, auroc
from ...stats.spans import span_counts
from ..labelled_case import LabelledCase
from .baselines import Baseline
from .by_kind import KindFigures, by_kind
from .judge_run import Judged, JudgeRun

LEAST_CONTEXTS = 20
"""From so many contexts on, the bootstrap draws contexts; of fewer it would say too little."""

FIGURES = ("balanced_accuracy", "precision", "recall", "f1", "auroc", "average_precision", "ece", "brier", "span_f1")


@public
class Figures(Struct, frozen=True, kw_only=True):
    """The figures of one judge on one set. A figure that is not defined, or does not apply, is None.

    All but `coverage` and `failures` are over the scored cases: a case without a verdict is not a wrong verdict.
    """

    judge: str
    metric: str | None
    n: int
    hallucinated: int
    scored: int
    coverage: float
    confusion: dict[str, int]
    balanced_accuracy: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    auroc: float | None
    average_precision: float | None
    ece: float | None
    brier: float | None
    span_f1: float | None
    intervals: dict[str, tuple[float, float] | None]
    calibration: tuple[Bin, ...] = ()
    failures: dict[str, int] = {}
    groups: dict[str, dict[str, float | int | None]] = {}
    mean_balanced_accuracy: float | None = None
    kinds: tuple[KindFigures, ...] = ()
    graded: bool = True
    seconds: float | None = None
    cases_per_second: float | None = None
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    cached: int = 0
    profile: str | None = None


def measure(run: JudgeRun, *, resamples: int = 1000, seed: int = 0) -> Figures:
    """The figures of a judge."""
    scored = run.scored
    probabilities = [j.probability if j.probability is not None else float(bool(j.flagged)) for j in scored]
    parts = _figures(
        [j.item for j in scored],
        np.array(probabilities, dtype=np.float64),
        np.array([bool(j.flagged) for j in scored], dtype=np.bool_),
        spans=[j.spans for j in scored],
        calibrated=True,
        resamples=resamples,
        seed=seed,
    )
    return Figures(
        judge=run.judge,
        metric=run.metric,
        n=len(run.judged),
        hallucinated=sum(j.item.hallucinated for j in run.judged),
        scored=len(scored),
        coverage=len(scored) / len(run.judged) if run.judged else 0.0,
        failures=dict(Counter(j.outcome for j in run.judged if j.flagged is None)),
        graded=any(0 < p < 1 for p in probabilities),
        seconds=round(run.seconds, 4),
        cases_per_second=round(len(run.judged) / run.seconds, 3) if run.seconds else None,
        calls=run.usage.calls,
        input_tokens=run.usage.input_tokens,
        output_tokens=run.usage.output_tokens,
        cost=run.usage.cost,
        cached=run.cached,
        profile=run.profile,
        **parts,
    )


def measure_baseline(
    baseline: Baseline, cases: Sequence[LabelledCase], *, resamples: int = 1000, seed: int = 0
) -> Figures:
    """The figures of a trivial judge. Its scores are no probabilities: there is nothing to calibrate."""
    parts = _figures(
        cases,
        np.array(baseline.scores),
        np.array(baseline.flagged, dtype=np.bool_),
        spans=None,
        calibrated=False,
        resamples=resamples,
        seed=seed,
    )
    return Figures(
        judge=baseline.name,
        metric=None,
        n=len(cases),
        hallucinated=sum(item.hallucinated for item in cases),
        scored=len(cases),
        coverage=1.0,
        **parts,
    )


def worst_mistakes(run: JudgeRun, most: int = 5) -> list[Judged]:
    """The cases where the judge was wrong and surest."""

    def sureness(j: Judged) -> float:
        p = 0.5 if j.probability is None else j.probability
        return p if j.flagged else 1 - p

    wrong = [j for j in run.scored if j.flagged != j.item.hallucinated]
    return sorted(wrong, key=lambda j: (-sureness(j), j.item.case.id))[:most]


def _figures(
    cases: Sequence[LabelledCase],
    scores: Floats,
    flagged: Bools,
    *,
    spans: Sequence[tuple[tuple[int, int], ...] | None] | None,
    calibrated: bool,
    resamples: int,
    seed: int,
) -> dict[str, Any]:
    truth = np.array([item.hallucinated for item in cases], dtype=np.bool_)
    named = _named(cases, truth, scores, flagged, spans, calibrated)
    clusters = _clusters(cases)
    intervals = bootstrap_all(named, len(cases), clusters=clusters, resamples=resamples, seed=seed)
    counts = confusion(truth, flagged)
    ones = np.ones(len(cases))
    groups = _groups(cases, truth, scores, flagged)
    means = [g["balanced_accuracy"] for g in groups.values() if g["balanced_accuracy"] is not None]
    return {
        "confusion": {side: int(getattr(counts, side)) for side in ("tp", "fp", "fn", "tn")},
        **{name: _known(named[name](ones)) if name in named else None for name in FIGURES},
        "intervals": {name: _pair(intervals.get(name)) for name in FIGURES if name in named},
        "calibration": calibration_curve(truth, scores) if calibrated and len(cases) else (),
        "groups": groups,
        "mean_balanced_accuracy": float(np.mean(means)) if means else None,
        "kinds": by_kind(cases, flagged),
    }


def _clusters(cases: Sequence[LabelledCase]) -> Ints | None:
    """The number of each case's context: a judge that misreads a text errs on all answers about it."""
    known: dict[object, int] = {}
    numbers = [known.setdefault(item.case.context or item.case.id, len(known)) for item in cases]
    return np.array(numbers, dtype=np.int64) if len(known) >= LEAST_CONTEXTS else None


def _named(
    cases: Sequence[LabelledCase],
    truth: Bools,
    scores: Floats,
    flagged: Bools,
    spans: Sequence[tuple[tuple[int, int], ...] | None] | None,
    calibrated: bool,
) -> dict[str, Callable[[Floats], float]]:
    """Each figure as a function of how often each case counts."""

    def counted(read: Callable[[Confusion], float]) -> Callable[[Floats], float]:
        return lambda weights: read(counting(weights))

    counting, ranking = Counting(truth, flagged), Ranking(truth, scores)
    named: dict[str, Callable[[Floats], float]] = {
        "balanced_accuracy": counted(lambda c: c.balanced_accuracy),
        "precision": counted(lambda c: c.precision),
        "recall": counted(lambda c: c.recall),
        "f1": counted(lambda c: c.f1),
        "auroc": ranking.auroc,
        "average_precision": ranking.average_precision,
    }
    if calibrated:
        calibration = Calibration(truth, scores)
        named["ece"], named["brier"] = calibration.error, calibration.brier
    marked = [(item, said) for item, said in zip(cases, spans or [], strict=False) if item.spans is not None]
    if marked and any(said is not None for _, said in marked):
        pairs = zip(cases, spans or [], strict=True)
        rows = ((i.spans or (), (s or ()) if i.spans is not None else (), len(i.case.output)) for i, s in pairs)
        named["span_f1"] = span_counts(rows).f1
    return named


def _groups(
    cases: Sequence[LabelledCase], truth: Bools, scores: Floats, flagged: Bools
) -> dict[str, dict[str, float | int | None]]:
    """The main figures for each part of a set that has several."""
    names = sorted({item.group for item in cases if item.group})
    if len(names) < 2:
        return {}
    found: dict[str, dict[str, float | int | None]] = {}
    for name in names:
        inside = np.array([item.group == name for item in cases])
        counts = confusion(truth[inside], flagged[inside])
        found[name] = {
            "n": int(inside.sum()),
            "balanced_accuracy": _known(counts.balanced_accuracy),
            "f1": _known(counts.f1),
            "auroc": _known(auroc(truth[inside], scores[inside])),
        }
    return found


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _pair(interval: Interval | None) -> tuple[float, float] | None:
    return None if interval is None else (interval.low, interval.high)
