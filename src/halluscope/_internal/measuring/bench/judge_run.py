"""Putting every case of a set to a judge."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from msgspec import Struct

from ...engine.driver import Driver, Patience, ReplyCache
from ...engine.many import score_all
from ...judge import Judge
from ...metric import Metric
from ...plumbing import sync
from ...plumbing.public import public
from ...questions import FACTUAL, HALLUCINATED
from ...result import Outcome, Result, Usage
from ..calibration.profile import Profile, is_flagged, probability_of
from ..labelled_case import LabelledCase

CONCURRENCY = 16


@public
class Judged(Struct, frozen=True, kw_only=True):
    """What a judge made of one case. Without a score, `outcome` and `problem` say why."""

    item: LabelledCase
    outcome: str
    probability: float | None = None
    flagged: bool | None = None
    spans: tuple[tuple[int, int], ...] | None = None
    reason: str | None = None
    problem: str | None = None
    cost: float | None = 0.0


@public
class JudgeRun(Struct, frozen=True, kw_only=True):
    """A judge's answers on a set, in the order of its cases, and what they took."""

    judge: str
    metric: str
    metric_version: str
    judged: tuple[Judged, ...]
    seconds: float
    usage: Usage
    cached: int = 0
    """Answers that were known from an earlier run, and neither waited nor paid for."""
    profile: str | None = None

    @property
    def scored(self) -> tuple[Judged, ...]:
        return tuple(j for j in self.judged if j.flagged is not None)


@public
def run_judge(
    cases: Sequence[LabelledCase],
    judge: Judge,
    metric: Metric,
    *,
    concurrency: int = CONCURRENCY,
    threshold: float | None = None,
    profile: Profile | None = None,
    cache: ReplyCache | None = None,
    patience: Patience | None = None,
    progress: Callable[[int], None] | None = None,
) -> JudgeRun:
    """Every case judged. A judge that fails on a case leaves the case without a score, and goes on.

    `threshold` flags from this probability on, in place of the judge's own word; a profile brings its own.
    `progress` is called with the number of cases done.
    """
    driver = Driver(judge, cache=cache, patience=patience)
    started = time.perf_counter()
    given = [item.case for item in cases]
    results = sync.run(score_all(driver, metric, given, at_once=concurrency, progress=progress))
    seconds = time.perf_counter() - started
    return JudgeRun(
        judge=judge.name,
        metric=metric.name,
        metric_version=metric.version,
        judged=tuple(judged_case(item, r, threshold, profile) for item, r in zip(cases, results, strict=True)),
        seconds=seconds,
        usage=sum((result.usage for result in results), Usage()),
        cached=sum(exchange.cached for result in results for exchange in result.exchanges),
        profile=profile.name if profile else None,
    )


def judged_case(item: LabelledCase, result: Result, threshold: float | None, profile: Profile | None) -> Judged:
    """What counts of a result when a judge is measured."""
    if profile is not None:
        result = profile.applied(result)
    probability = probability_of(result)
    flagged = is_flagged(result)
    if threshold is not None and profile is None and probability is not None:
        flagged = probability >= threshold
    return Judged(
        item=item,
        outcome=result.outcome.value,
        probability=probability,
        flagged=flagged,
        spans=spans_of(result),
        reason=result.reason,
        problem=None if result.outcome is Outcome.SCORED else _problem(result),
        cost=result.usage.cost,
    )


def spans_of(result: Result) -> tuple[tuple[int, int], ...] | None:
    """The characters a judge marks as hallucinated; None where it only speaks of the whole or of passages.

    A judge that points at no characters of a claim it finds wrong means the whole claim.
    """
    if result.outcome is not Outcome.SCORED:
        return None
    placed = [
        v
        for v in result.verdicts
        if v.passage is None and v.claim.start is not None and v.word not in (FACTUAL, HALLUCINATED)
    ]
    if not placed:
        return None
    spans = [v.marks or (() if v.support.holds else ((v.claim.start or 0, v.claim.end or 0),)) for v in placed]
    return tuple(span for marked in spans for span in marked)


def _problem(result: Result) -> str:
    return result.failure.message if result.failure else (result.reason or result.outcome.value)
