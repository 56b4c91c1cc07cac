"""Measures of a judge, with confidence intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct, structs

from ...core.plumbing.public import public_in
from ...runs.labelled_case import LabelledCase
from ...stats.arrays import Bools, Floats, Ints, ratio
from ...stats.binomial import binomial_interval
from ...stats.bootstrap import percentiles, replicates
from ...stats.calibration import Bin, Calibration
from ...stats.confusion import Counting
from ...stats.interval import Interval
from ...stats.ranking import Ranking
from ...stats.spans import SpanCounts
from .judge_run import Judged, JudgeRun

LEAST_CONTEXTS = 20
"""Minimum number of contexts to draw contexts, instead of cases, in the bootstrap."""

FIGURES = {
    "balanced_accuracy": "balanced accuracy",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1 of hallucinated",
    "auroc": "AUROC",
    "average_precision": "average precision",
    "ece": "calibration error",
    "brier": "Brier score",
    "span_f1": "span F1",
    "evidence": "quotes the evidence",
}
"""The measures, with their titles."""


@public_in("halluscope.proof")
class KindFigures(Struct, frozen=True, kw_only=True):
    """The accuracy on one kind of answer.

    Attributes:
        kind: The kind.
        hallucinated: Whether answers of this kind are hallucinated.
        n: The number of answers.
        right: The number of correct verdicts.
        rate: The share of correct verdicts.
        interval: Its exact 95 % interval.
    """

    kind: str
    hallucinated: bool
    n: int
    right: int
    rate: float
    interval: tuple[float, float]


def by_kind(cases: Sequence[LabelledCase], flagged: Bools) -> tuple[KindFigures, ...]:
    """Return the accuracy by kind: hallucinated kinds first, then by frequency. Empty if the dataset has no kinds."""
    called: dict[tuple[str, bool], list[bool]] = {}
    for item, said in zip(cases, flagged, strict=True):
        if item.kind is not None:
            called.setdefault((item.kind, item.hallucinated), []).append(bool(said) == item.hallucinated)
    order = sorted(called.items(), key=lambda entry: (not entry[0][1], -len(entry[1]), entry[0][0]))
    return tuple(
        KindFigures(
            kind=kind,
            hallucinated=wrong,
            n=len(hits),
            right=sum(hits),
            rate=sum(hits) / len(hits),
            interval=structs.astuple(binomial_interval(sum(hits), len(hits))),
        )
        for (kind, wrong), hits in order
    )


@public_in("halluscope.proof")
class Figures(Struct, frozen=True, kw_only=True):
    """The measures of one judge on one dataset. A measure that is undefined or does not apply is None.

    All but `coverage` and `failures` are computed from the scored cases. A case without a verdict is not an error.

    Attributes:
        judge: Name of the judge.
        metric: Name of the metric.
        n: The number of cases.
        hallucinated: How many of them are hallucinated.
        scored: The number of cases with a verdict.
        coverage: The share of cases with a verdict.
        confusion: The confusion matrix: tp, fp, fn and tn. Positive is hallucinated.
        balanced_accuracy: The mean of recall and specificity.
        precision: Precision.
        recall: Recall.
        f1: F1 of hallucinated cases.
        auroc: Area under the ROC curve.
        average_precision: Area under the precision-recall curve.
        ece: Expected calibration error.
        brier: Brier score.
        span_f1: F1 over marked characters.
        evidence: The share of correct verdicts that quote the gold evidence.
        intervals: The 95 % bootstrap interval of each measure.
        calibration: The calibration curve.
        failures: The number of cases without a verdict, by outcome.
        groups: The main measures for each part of the dataset.
        mean_balanced_accuracy: The mean over these parts.
        kinds: The accuracy by kind of error.
        graded: Whether the judge gives probabilities other than 0 and 1.
        seconds: Duration.
        cases_per_second: Cases per second.
        calls: Judge calls.
        input_tokens: Tokens of the prompts.
        output_tokens: Tokens of the replies.
        cost: The cost in US dollars, None if unknown.
        cached: The number of cached replies.
        profile: Name of the profile, if one was used.
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
    evidence: float | None = None
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


def measure(run: JudgeRun, *, baseline: bool = False, resamples: int = 1000, seed: int = 0) -> Figures:
    """Compute the measures of a run.

    The scores of a baseline are no probabilities, and its quotations count whatever its verdicts are.
    """
    scored = run.scored
    cases = [j.item for j in scored]
    truth = np.array([item.hallucinated for item in cases], dtype=np.bool_)
    flagged = np.array([bool(j.flagged) for j in scored], dtype=np.bool_)
    scores = np.array([_score(j) for j in scored], dtype=np.float64)
    measures = _measures(scored, truth, flagged, scores, baseline)
    values = {name: _known(value) for name, value in measures(np.ones(len(scored))).items()}
    intervals: dict[str, tuple[float, float] | None] = dict.fromkeys(values)
    if scored:
        drawn = replicates(
            lambda weights: list(measures(weights).values()),
            len(scored),
            clusters=_clusters(cases),
            resamples=resamples,
            seed=seed,
        )
        intervals = {name: _pair(percentiles(column)) for name, column in zip(values, drawn.T, strict=True)}
    counts = Counting(truth, flagged)()
    groups = _groups(cases, truth, scores, flagged)
    means = [g["balanced_accuracy"] for g in groups.values() if g["balanced_accuracy"] is not None]
    return Figures(
        judge=run.judge,
        metric=None if baseline else run.metric,
        n=len(run.judged),
        hallucinated=sum(j.item.hallucinated for j in run.judged),
        scored=len(scored),
        coverage=len(scored) / len(run.judged) if run.judged else 0.0,
        confusion={side: int(getattr(counts, side)) for side in ("tp", "fp", "fn", "tn")},
        **{name: values.get(name) for name in FIGURES},
        intervals=intervals,
        calibration=Calibration(truth, scores).curve() if scored and not baseline else (),
        failures=dict(Counter(j.outcome for j in run.judged if j.flagged is None)),
        groups=groups,
        mean_balanced_accuracy=float(np.mean(means)) if means else None,
        kinds=by_kind(cases, flagged),
        graded=baseline or bool(((scores > 0) & (scores < 1)).any()),
        seconds=None if baseline else round(run.seconds, 4),
        cases_per_second=round(len(run.judged) / run.seconds, 3) if run.seconds else None,
        calls=run.usage.calls,
        input_tokens=run.usage.input_tokens,
        output_tokens=run.usage.output_tokens,
        cost=None if baseline else run.usage.cost,
        cached=run.cached,
        profile=run.profile,
    )


def worst_mistakes(run: JudgeRun, most: int = 5) -> list[Judged]:
    """Return the errors with the highest confidence."""

    def confidence(j: Judged) -> float:
        p = 0.5 if j.probability is None else j.probability
        return p if j.flagged else 1 - p

    wrong = [j for j in run.scored if j.flagged != j.item.hallucinated]
    return sorted(wrong, key=lambda j: (-confidence(j), j.item.case.id))[:most]


def _score(j: Judged) -> float:
    return j.probability if j.probability is not None else float(bool(j.flagged))


Measures = Callable[[Floats], dict[str, float]]
"""The measures that apply, in the order of `FIGURES`, as a function of the weights of the cases."""


def _measures(scored: Sequence[Judged], truth: Bools, flagged: Bools, scores: Floats, baseline: bool) -> Measures:
    counting, ranking = Counting(truth, flagged), Ranking(truth, scores)
    calibration = None if baseline else Calibration(truth, scores)
    marked = [(j.item, j.spans if j.item.spans is not None else None) for j in scored]
    spans = None
    if any(said is not None for _, said in marked):
        spans = SpanCounts((item.spans or (), said or (), len(item.case.output)) for item, said in marked)
    quoted = [j.quotes_evidence if baseline or j.flagged == j.item.hallucinated else None for j in scored]
    known, right = (np.array([hit in sides for hit in quoted]) for sides in ((True, False), (True,)))

    def measures(weights: Floats) -> dict[str, float]:
        counts = counting(weights)
        found = {name: getattr(counts, name) for name in ("balanced_accuracy", "precision", "recall", "f1")}
        found["auroc"], found["average_precision"] = ranking.auroc(weights), ranking.average_precision(weights)
        if calibration is not None:
            found["ece"], found["brier"] = calibration.error(weights), calibration.brier(weights)
        if spans is not None:
            found["span_f1"] = spans.f1(weights)
        if known.any():
            found["evidence"] = ratio(float(weights[right].sum()), float(weights[known].sum()))
        return found

    return measures


def _clusters(cases: Sequence[LabelledCase]) -> Ints | None:
    """Number the contexts. Errors on answers about the same context are not independent."""
    known: dict[object, int] = {}
    numbers = [known.setdefault(item.case.context or item.case.id, len(known)) for item in cases]
    return np.array(numbers, dtype=np.int64) if len(known) >= LEAST_CONTEXTS else None


def _groups(
    cases: Sequence[LabelledCase], truth: Bools, scores: Floats, flagged: Bools
) -> dict[str, dict[str, float | int | None]]:
    """Compute the main measures for each part of the dataset."""
    names = sorted({item.group for item in cases if item.group})
    if len(names) < 2:
        return {}
    found: dict[str, dict[str, float | int | None]] = {}
    for name in names:
        inside = np.array([item.group == name for item in cases])
        counts = Counting(truth[inside], flagged[inside])()
        found[name] = {
            "n": int(inside.sum()),
            "balanced_accuracy": _known(counts.balanced_accuracy),
            "f1": _known(counts.f1),
            "auroc": _known(Ranking(truth[inside], scores[inside]).auroc()),
        }
    return found


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _pair(interval: Interval | None) -> tuple[float, float] | None:
    return None if interval is None else (interval.low, interval.high)
