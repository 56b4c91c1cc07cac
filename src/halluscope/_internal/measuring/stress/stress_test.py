"""Running a stress test: judge the originals, change the ones that pass, judge again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ... import metrics
from ...case import Case
from ...engine.driver import Driver, ReplyCache
from ...engine.many import score_all
from ...engine.retrying import Patience
from ...errors import InputError
from ...judge import JudgeSpec
from ...judge import resolve as resolve_judge
from ...metric import Metric
from ...metrics import MetricSpec, split_options
from ...plumbing import sync
from ...plumbing.public import public
from ...result import Result, Usage
from .answers import PACKAGED, read_answers, wording
from .changes.mutant import Mutant
from .mutation import HARMLESS, chosen, mutants
from .stress_report import StressReport, Tried, flagged, summarise

AT_ONCE = 16


@public
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
    patience: Patience | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> StressReport:
    """Change answers that are believed good and see what the judge notices. No labels are needed.

    `data`: answers with their context, as `evaluate` takes them, or passages alone, whose sentences
    are then the answers; None takes those that come with the package. `kinds` are those that
    `halluscope stress --help` lists, `limit` takes that many answers, `seed` decides what is changed. `progress` is
    called with the judged and the known number of texts. Other options are those of the metric and, for a judge
    given by name, of the judge.
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
    cases, skipped = _cases(data, map, limit, seed)
    driver = Driver(judged_by, cache=cache, patience=patience)

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
        frozenset(HARMLESS),
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
        case_id=case.id,
        mutant=mutant,
        flagged=flagged(result),
        wording=wording(case),
        reason=wrong or result.reason,
    )
