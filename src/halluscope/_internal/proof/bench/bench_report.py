"""`bench`: compares judges and trivial baselines on a dataset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ...core.counting import count_of
from ...core.plumbing.public import public, public_in, renamed_retry_policy
from ...engine import metrics
from ...engine.driver import ReplyCache, RetryPolicy
from ...engine.judge import JudgeSpec
from ...engine.judge import resolve as resolve_judge
from ...engine.metrics import MetricSpec
from ...runs.labelled_case import fingerprint_of_cases, sample_of_cases
from ...runs.profile import Profile
from ..sets.public_sets import load_set
from .baselines import baselines
from .cascade_curve import Band, tradeoff
from .figures import Figures, measure, worst_mistakes
from .judge_run import CONCURRENCY, Judged, JudgeRun, run_judge

HIGH_BASELINE = 0.8
"""AUROC of a baseline from which the report contains a warning."""


@public_in("halluscope.proof")
class Mistake(Struct, frozen=True, kw_only=True):
    """A case that a judge got wrong.

    Attributes:
        judge: Name of the judge.
        id: Id of the case.
        label: The label.
        said: The judge's label.
        probability: The judge's probability.
        output: The output.
        reason: The judge's reason.
    """

    judge: str
    id: str
    label: str
    said: str
    probability: float | None
    output: str
    reason: str | None


@public_in("halluscope.proof")
class Problem(Struct, frozen=True, kw_only=True):
    """A case without a verdict.

    Attributes:
        judge: Name of the judge.
        id: Id of the case.
        outcome: The outcome, such as "failed".
        why: The reason.
    """

    judge: str
    id: str
    outcome: str
    why: str | None


@public
class BenchReport(Struct, frozen=True, kw_only=True):
    """The results of `bench`.

    Attributes:
        set: Name of the dataset.
        source: Where it came from.
        licence: Its licence.
        cases: A hash of the cases and labels. Reports with the same hash are comparable.
        seed: The random seed.
        judges: The measures of each judge.
        baselines: The measures of trivial baselines.
        remarks: Warnings.
        mistakes: The worst mistakes.
        problems: The cases without a verdict.
        tradeoff: Accuracy and cost of a cascade of the first two judges.
    """

    set: str
    source: str
    licence: str | None
    cases: str
    seed: int
    judges: tuple[Figures, ...]
    baselines: tuple[Figures, ...]
    remarks: tuple[str, ...]
    mistakes: tuple[Mistake, ...]
    problems: tuple[Problem, ...]
    tradeoff: tuple[Band, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the report as a dictionary. The measures of the first judge are also at the top level."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return {**data["judges"][0], **data}


Tick = Callable[[str, int, int], None]
"""Called with the judge and metric, the number of judged cases, and the number of all cases."""


@public
@renamed_retry_policy
def bench(
    spec: str,
    pairs: Sequence[tuple[JudgeSpec, MetricSpec]],
    *,
    file: Path | None = None,
    split: str | None = None,
    offline: bool = False,
    limit: int | None = None,
    seed: int = 0,
    resamples: int = 1000,
    concurrency: int = CONCURRENCY,
    threshold: float | None = None,
    profile: Profile | None = None,
    cache: ReplyCache | None = None,
    retry_policy: RetryPolicy | None = None,
    mistakes: int = 5,
    tick: Tick | None = None,
) -> BenchReport:
    """Measure judges on a labelled dataset and compare them with trivial baselines.

    Args:
        spec: Name of a public dataset, or a file of labelled cases.
        pairs: The judges, each with its metric.
        file: Read the dataset from this file in its original format.
        split: A split other than the default.
        offline: Do not download anything.
        limit: Draw this many cases at random.
        seed: Random seed.
        resamples: Resamples of the bootstrap.
        concurrency: Cases judged at the same time.
        threshold: Flag from this probability instead of using the judge's label.
        profile: A calibration profile.
        cache: Cache of replies.
        retry_policy: Limits of retries and time.
        mistakes: How many mistakes to report per judge.
        tick: Called with the progress.

    Returns:
        The measures of all judges, with confidence intervals.

    Raises:
        InputError: An argument or the data is invalid.
        FetchError: The dataset could not be downloaded.

    Example:
        >>> report = bench("rag", [("local", "label")], limit=200)
        >>> report.judges[0].balanced_accuracy
        0.93
    """
    asked = [(resolve_judge(judge), metrics.resolve(metric)) for judge, metric in pairs]
    if profile is not None:
        for _, metric in asked:
            profile.check_metric(metric.name)
    loaded = load_set(spec, file=file, split=split, offline=offline)
    cases = sample_of_cases(loaded.cases, limit, seed)
    runs = [
        run_judge(
            cases,
            judge,
            metric,
            concurrency=concurrency,
            threshold=threshold,
            profile=profile,
            cache=cache,
            retry_policy=retry_policy,
            progress=None if tick is None else partial(_tell, tick, f"{judge.name} {metric.name}", len(cases)),
        )
        for judge, metric in asked
    ]
    figures = tuple(measure(run, resamples=resamples, seed=seed) for run in runs)
    trivial = tuple(measure(run, baseline=True, resamples=resamples, seed=seed) for run in baselines(cases))
    one_metric = len({run.metric for run in runs}) == 1
    both_kinds = len({j.item.hallucinated for run in runs[:1] for j in run.scored}) == 2
    doubts = [doubt for run in runs if profile for doubt in profile.doubts(run.judge, run.metric_version)]
    return BenchReport(
        set=loaded.name,
        source=loaded.source,
        licence=loaded.licence,
        cases=fingerprint_of_cases(cases),
        seed=seed,
        judges=figures,
        baselines=trivial,
        remarks=(*loaded.notes, *remarks(figures, trivial), *(f"Careful: {doubt}." for doubt in doubts)),
        mistakes=tuple(_mistake(run, j) for run in runs for j in worst_mistakes(run, mistakes)),
        problems=tuple(
            Problem(judge=run.judge, id=j.item.case.id, outcome=j.outcome, why=j.problem)
            for run in runs
            for j in run.judged
            if j.flagged is None
        ),
        tradeoff=tradeoff(runs[0], runs[1]) if len(runs) > 1 and one_metric and both_kinds else (),
    )


def remarks(judges: Sequence[Figures], trivial: Sequence[Figures]) -> list[str]:
    """Return warnings about the results."""
    warnings = []
    for baseline in trivial:
        if baseline.auroc is not None and baseline.auroc >= HIGH_BASELINE:
            warnings.append(
                f"Careful: the baseline '{baseline.judge}' has AUROC {baseline.auroc:.2f} and "
                f"balanced accuracy {baseline.balanced_accuracy or 0:.2f} on this set. "
                "A good result here does not show that a judge reads the texts."
            )
    reached = [b for b in trivial if b.balanced_accuracy is not None]
    best = max(reached, key=lambda b: b.balanced_accuracy or 0.0, default=None)
    for figures in judges:
        own = figures.balanced_accuracy
        if best is not None and own is not None and own <= (best.balanced_accuracy or 0.0):
            warnings.append(
                f"{figures.judge} is not better than a trivial baseline here: {best.judge} (threshold chosen with "
                f"the labels) has balanced accuracy {best.balanced_accuracy:.3f}."
            )
        if not figures.graded and figures.scored:
            warnings.append(
                f"{figures.judge} gives words, not probabilities: its AUROC, average precision and calibration "
                "rest on two values."
            )
        if figures.cached:
            warnings.append(
                f"{count_of(figures.cached, 'answer')} of {figures.judge} known from earlier: its time, tokens and "
                "cost are those of the others only (--fresh asks again)."
            )
        if figures.coverage < 1:
            why = ", ".join(f"{count} {kind}" for kind, count in sorted(figures.failures.items()))
            warnings.append(
                f"{figures.judge} gave no verdict on {figures.n - figures.scored} of {figures.n} cases ({why}); "
                "they are counted in the coverage, not as mistakes."
            )
    return warnings


def _mistake(run: JudgeRun, j: Judged) -> Mistake:
    return Mistake(
        judge=run.judge,
        id=j.item.case.id,
        label=j.item.label,
        said="hallucinated" if j.flagged else "factual",
        probability=j.probability,
        output=j.item.case.output,
        reason=j.reason,
    )


def _tell(tick: Tick, judge: str, total: int, done: int) -> None:
    tick(judge, done, total)
