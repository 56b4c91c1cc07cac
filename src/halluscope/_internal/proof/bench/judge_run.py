"""Running a judge on labelled cases."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from msgspec import Struct

from ...core.plumbing import sync
from ...core.plumbing.public import public_in, renamed_retry_policy
from ...core.result import Outcome, Result, Usage
from ...engine.driver import Driver, ReplyCache, RetryPolicy
from ...engine.judge import Judge
from ...engine.many import score_all
from ...engine.metric import Metric
from ...engine.questions import FACTUAL, HALLUCINATED
from ...runs.labelled_case import LabelledCase
from ...runs.profile import Profile, is_flagged, probability_of
from .quotations import quotes_evidence

CONCURRENCY = 16


@public_in("halluscope.proof")
class Judged(Struct, frozen=True, kw_only=True):
    """The verdict of a judge on one case.

    Attributes:
        item: The labelled case.
        outcome: The outcome, such as "scored".
        probability: The probability that the output is hallucinated.
        flagged: The verdict, None without a score.
        spans: Start and end of the characters that the judge considers hallucinated.
        quotes_evidence: Whether the judge quotes the gold evidence, None where the case has none.
        reason: The judge's reason.
        problem: Why there is no score.
        cost: The cost in US dollars, None if unknown.
    """

    item: LabelledCase
    outcome: str
    probability: float | None = None
    flagged: bool | None = None
    spans: tuple[tuple[int, int], ...] | None = None
    quotes_evidence: bool | None = None
    reason: str | None = None
    problem: str | None = None
    cost: float | None = 0.0


@public_in("halluscope.proof")
class JudgeRun(Struct, frozen=True, kw_only=True):
    """The verdicts of a judge on labelled cases.

    Attributes:
        judge: Name of the judge.
        metric: Name of the metric.
        metric_version: Version of the metric.
        judged: The verdicts, in the order of the cases.
        seconds: Duration.
        usage: Calls, tokens and cost.
        cached: The number of cached replies.
        profile: Name of the profile, if one was used.
    """

    judge: str
    metric: str
    metric_version: str
    judged: tuple[Judged, ...]
    seconds: float
    usage: Usage
    cached: int = 0
    profile: str | None = None

    @property
    def scored(self) -> tuple[Judged, ...]:
        return tuple(j for j in self.judged if j.flagged is not None)


@public_in("halluscope.proof")
@renamed_retry_policy
def run_judge(
    cases: Sequence[LabelledCase],
    judge: Judge,
    metric: Metric,
    *,
    concurrency: int = CONCURRENCY,
    threshold: float | None = None,
    profile: Profile | None = None,
    cache: ReplyCache | None = None,
    retry_policy: RetryPolicy | None = None,
    progress: Callable[[int], None] | None = None,
) -> JudgeRun:
    """Run a judge on labelled cases. A case on which the judge fails has no score.

    Args:
        cases: The cases.
        judge: The judge.
        metric: The metric.
        concurrency: Cases judged at the same time.
        threshold: Flag from this probability instead of using the judge's label.
        profile: A calibration profile.
        cache: Cache of replies.
        retry_policy: Limits of retries and time.
        progress: Called with the number of judged cases.

    Returns:
        The verdicts.

    Example:
        >>> run = run_judge(load_set("rag").cases[:10], resolve("local"), Label())
        >>> [judged.flagged for judged in run.scored]
    """
    driver = Driver(judge, cache=cache, retry_policy=retry_policy)
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
    """Convert a result to a verdict on a labelled case."""
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
        quotes_evidence=quotes_evidence(item, result),
        reason=result.reason,
        problem=None if result.outcome is Outcome.SCORED else _problem(result),
        cost=result.usage.cost,
    )


def spans_of(result: Result) -> tuple[tuple[int, int], ...] | None:
    """Return the characters that a judge considers hallucinated. None if it judges the whole output or passages.

    A wrong claim without marks counts completely.
    """
    placed = [
        v
        for v in result.verdicts
        if v.passage is None and v.claim.start is not None and v.word not in (FACTUAL, HALLUCINATED)
    ]
    if result.outcome is not Outcome.SCORED or not placed:
        return None
    spans = [v.marks or (() if v.support.holds else ((v.claim.start or 0, v.claim.end or 0),)) for v in placed]
    return tuple(span for marked in spans for span in marked)


def _problem(result: Result) -> str:
    return result.failure.message if result.failure else (result.reason or result.outcome.value)
