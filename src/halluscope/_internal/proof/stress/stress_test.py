"""Running a stress test: judge the originals, change those that pass, and judge them again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from ...core.case import Case
from ...core.errors import InputError
from ...core.plumbing import sync
from ...core.plumbing.public import public, renamed_retry_policy
from ...core.plumbing.threads import in_thread
from ...core.result import Result, Usage
from ...engine import metrics
from ...engine.driver import Driver, ReplyCache
from ...engine.judge import JudgeSpec
from ...engine.judge import resolve as resolve_judge
from ...engine.many import score_all
from ...engine.metric import Metric
from ...engine.metrics import MetricSpec, split_options
from ...engine.retrying import RetryPolicy
from .answers import PACKAGED, read_answers, wording
from .changes.mutant import Mutant
from .mutation import chosen, mutants
from .stress_report import StressReport, Tried, flagged, summarise

AT_ONCE = 16


@public
@renamed_retry_policy
async def astress(
    data: object = None,
    judge: JudgeSpec = None,
    *,
    metric: MetricSpec = "hallucination",
    kinds: Iterable[str] | None = None,
    limit: int | None = None,
    seed: int = 0,
    map: Mapping[str, str] | None = None,
    concurrency: int = AT_ONCE,
    cache: ReplyCache | None = None,
    retry_policy: RetryPolicy | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> StressReport:
    """Change correct answers and measure which changes the judge notices. No labels are needed.

    Args:
        data: Answers with their context, as for `evaluate`, or passages, whose sentences are then the answers. By
            default the answers in the package.
        judge: Name or instance of the judge.
        metric: The metric.
        kinds: Kinds of changes; `halluscope stress --help` lists them. By default all.
        limit: Use only the first answers.
        seed: Random seed of the changes.
        map: The column for a field, as in `{"output": "answer"}`.
        concurrency: Texts judged at the same time.
        cache: Cache of replies.
        retry_policy: Limits of retries and time.
        progress: Called with the number of judged texts and of all texts so far.
        options: Options of the metric and, for a judge given by name, of the judge.

    Returns:
        Catch rates and false alarms, with all changed answers.

    Raises:
        InputError: An argument is invalid, or the data has no answer to change.

    Example:
        >>> report = stress(judge="openai/gpt-4o-mini", limit=100)
        >>> report.catch_rate
        0.94
    """
    for name, number in (("limit", limit), ("concurrency", concurrency)):
        if number is not None and number < 1:
            raise InputError(f"`{name}` must be 1 or more, not {number}.")
    started = time.perf_counter()
    wanted = chosen(kinds)
    if not isinstance(metric, Metric):
        options.setdefault("include_reason", False)
    for_metric, for_judge = split_options(metric, options)
    made = metrics.resolve(metric, **for_metric)
    judged_by = resolve_judge(judge, **for_judge)
    cases, skipped = await in_thread(partial(_cases, data, map, limit, seed))
    driver = Driver(judged_by, cache=cache, retry_policy=retry_policy)

    async def judged(texts: Sequence[Case], before: int = 0) -> list[Result]:
        known = before + len(texts)
        tell = None if progress is None else lambda done: progress(before + done, known)
        return await score_all(driver, made, texts, at_once=concurrency, progress=tell)

    originals = list(zip(cases, await judged(cases), strict=True))
    todo = [
        (case, mutant)
        for case, result in originals
        if flagged(result) is False
        for mutant in mutants(case, kinds=wanted, seed=seed)
    ]
    results = await judged([_changed(case, mutant) for case, mutant in todo], before=len(cases))
    tried = [_tried(case, mutant, result) for (case, mutant), result in zip(todo, results, strict=True)]
    return summarise(
        originals,
        tried,
        wanted,
        judge=judged_by.name,
        metric=made.name,
        seed=seed,
        skipped=tuple(skipped),
        usage=sum((r.usage for r in [*(r for _, r in originals), *results]), Usage()),
        seconds=round(time.perf_counter() - started, 3),
    )


stress = sync.blocking(astress, "stress")


def _cases(data: object, map: Mapping[str, str] | None, limit: int | None, seed: int) -> tuple[list[Case], list[str]]:
    cases: list[Case] = []
    skipped: list[str] = []
    for row in read_answers(PACKAGED if data is None else data, map=map, seed=seed):
        if isinstance(row, str):
            skipped.append(row)
            continue
        cases.append(row)
        if limit is not None and len(cases) >= limit:
            break
    if not cases:
        why = f" ({skipped[0]})" if skipped else ""
        raise InputError(
            f"there is no answer to change in the data{why}: pass answers with their context, or passages."
        )
    return cases, skipped


def _changed(case: Case, mutant: Mutant) -> Case:
    return Case.of(mutant.output, list(case.context or ()), case.input, id=f"{case.id} {mutant.kind}")


def _tried(case: Case, mutant: Mutant, result: Result) -> Tried:
    wrong = next((v.reason for v in result.verdicts if not v.support.holds and v.reason), None)
    return Tried(
        case_id=case.id, mutant=mutant, flagged=flagged(result), wording=wording(case), reason=wrong or result.reason
    )
