"""A whole comparison: the set, every judge on it, the trivial ones beside them, and what that says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ... import metrics
from ...engine.driver import Patience, ReplyCache
from ...judge import JudgeSpec
from ...judge import resolve as resolve_judge
from ...metrics import MetricSpec
from ...plumbing.public import public
from ...text.counting import count_of
from ..calibration.profile import Profile
from ..labelled_case import LabelledCase, fingerprint_of_cases, sample_of_cases
from ..sets.public_sets import Loaded, load_set
from .baselines import baselines
from .cascade_curve import Band, tradeoff
from .figures import Figures, measure, measure_baseline, worst_mistakes
from .judge_run import CONCURRENCY, Judged, JudgeRun, run_judge

GIVEN_AWAY = 0.8
"""From this AUROC on, a trivial judge is worth a warning."""


@public
class Mistake(Struct, frozen=True, kw_only=True):
    """A case a judge got wrong."""

    judge: str
    id: str
    label: str
    said: str
    probability: float | None
    output: str
    reason: str | None


@public
class Problem(Struct, frozen=True, kw_only=True):
    """A case a judge gave no verdict on."""

    judge: str
    id: str
    outcome: str
    why: str | None


@public
class BenchReport(Struct, frozen=True, kw_only=True):
    """What `bench` found out."""

    set: str
    source: str
    licence: str | None
    cases: str
    """The fingerprint of the cases: two reports with the same one are about the same cases."""
    seed: int
    judges: tuple[Figures, ...]
    baselines: tuple[Figures, ...]
    remarks: tuple[str, ...]
    mistakes: tuple[Mistake, ...]
    problems: tuple[Problem, ...]
    tradeoff: tuple[Band, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """One object: the figures of the first judge, then everything else by name."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return {**data["judges"][0], **data}


Tick = Callable[[str, int, int], None]
"""Called as cases are done: who judges and how, how many, of how many."""


@public
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
    patience: Patience | None = None,
    mistakes: int = 5,
    tick: Tick | None = None,
) -> BenchReport:
    """Measure judges on a set or a file of labelled cases, each with its metric, next to the trivial ones."""
    asked = [(resolve_judge(judge), metrics.resolve(metric)) for judge, metric in pairs]
    if profile is not None:
        for _, metric in asked:
            profile.check_metric(metric.name)
    loaded = load_set(spec, file=file, split=split, offline=offline)
    cases = sample_of_cases(loaded.cases, limit, seed)
    runs = []
    for judge, metric in asked:
        progress = None if tick is None else _ticking(tick, f"{judge.name} {metric.name}", len(cases))
        runs.append(
            run_judge(
                cases,
                judge,
                metric,
                concurrency=concurrency,
                threshold=threshold,
                profile=profile,
                cache=cache,
                patience=patience,
                progress=progress,
            )
        )
    report = compared(loaded, cases, runs, seed=seed, resamples=resamples, mistakes=mistakes)
    doubts = [d for r in runs for d in (profile.doubts(r.judge, r.metric_version) if profile else ())]
    return msgspec.structs.replace(report, remarks=(*report.remarks, *(f"Careful: {doubt}." for doubt in doubts)))


def compared(
    loaded: Loaded,
    cases: Sequence[LabelledCase],
    runs: Sequence[JudgeRun],
    *,
    seed: int = 0,
    resamples: int = 1000,
    mistakes: int = 5,
) -> BenchReport:
    """The report on runs that are done."""
    figures = tuple(measure(run, resamples=resamples, seed=seed) for run in runs)
    trivial = tuple(measure_baseline(baseline, cases, resamples=resamples, seed=seed) for baseline in baselines(cases))
    one_metric = len({run.metric for run in runs}) == 1
    both_kinds = len({j.item.hallucinated for run in runs[:1] for j in run.scored}) == 2
    curve = tradeoff(runs[0], runs[1]) if len(runs) > 1 and one_metric and both_kinds else ()
    return BenchReport(
        set=loaded.name,
        source=loaded.source,
        licence=loaded.licence,
        cases=fingerprint_of_cases(cases),
        seed=seed,
        judges=figures,
        baselines=trivial,
        remarks=(*loaded.notes, *remarks(figures, trivial)),
        mistakes=tuple(_mistake(run, j) for run in runs for j in worst_mistakes(run, mistakes)),
        problems=tuple(
            Problem(judge=run.judge, id=j.item.case.id, outcome=j.outcome, why=j.problem)
            for run in runs
            for j in run.judged
            if j.flagged is None
        ),
        tradeoff=curve,
    )


def remarks(judges: Sequence[Figures], trivial: Sequence[Figures]) -> list[str]:
    """What has to be said next to the figures, so that nobody reads too much into them."""
    said = []
    for baseline in trivial:
        if baseline.auroc is not None and baseline.auroc >= GIVEN_AWAY:
            said.append(
                f"Careful: a judge that only looks for {baseline.judge} reaches AUROC {baseline.auroc:.2f} and "
                f"balanced accuracy {baseline.balanced_accuracy or 0:.2f} on this set. "
                "A good figure here is no proof of reading."
            )
    reached = [b for b in trivial if b.balanced_accuracy is not None]
    best = max(reached, key=lambda b: b.balanced_accuracy or 0.0, default=None)
    for figures in judges:
        own = figures.balanced_accuracy
        if best is not None and own is not None and own <= (best.balanced_accuracy or 0.0):
            said.append(
                f"{figures.judge} does not beat a trivial judge here: {best.judge} alone (threshold chosen with "
                f"hindsight) has balanced accuracy {best.balanced_accuracy:.3f}."
            )
        if not figures.graded and figures.scored:
            said.append(
                f"{figures.judge} gives words, not probabilities: its AUROC, average precision and calibration "
                "rest on two values."
            )
        if figures.cached:
            said.append(
                f"{count_of(figures.cached, 'answer')} of {figures.judge} known from earlier: its time, tokens and "
                "cost are those of the others only (--fresh asks again)."
            )
        if figures.coverage < 1:
            why = ", ".join(f"{count} {kind}" for kind, count in sorted(figures.failures.items()))
            said.append(
                f"{figures.judge} gave no verdict on {figures.n - figures.scored} of {figures.n} cases ({why}); "
                "they are counted in the coverage, not as mistakes."
            )
    return said


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


def _ticking(tick: Tick, judge: str, total: int) -> Callable[[int], None]:
    return lambda done: tick(judge, done, total)
