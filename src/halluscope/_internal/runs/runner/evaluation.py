"""`evaluate`: scores a dataset and stores the results as a run."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.conversation import CONTEXT_FROM
from ...core.errors import InputError, StoreError
from ...core.plumbing import sync
from ...core.plumbing.loggers import logger
from ...core.plumbing.public import public, renamed_option, renamed_retry_policy
from ...core.plumbing.threads import cores, in_thread
from ...engine.driver import Driver, ReplyCache, RetryPolicy
from ...engine.judge import JudgeSpec, is_embedded
from ...engine.judge import resolve as resolve_judge
from ...engine.metrics import MetricSpec
from ...repair.repairing import check_repairable
from .. import Run
from ..batches.submitted_batches import Batches
from ..datasets import Data, Turns, open_data
from ..store import MemoryReplies, Replies, RunWriter, Store
from .asked import metrics_of, profile_for
from .batch_mode import CASES_AT_ONCE, patient, replies_for_batches, typical_cost
from .cost_limit import CostLimit
from .identity import scorer_of
from .pipeline import Pass, Pipeline
from .progress import display_for
from .throttle import AdaptiveThrottle

if TYPE_CHECKING:
    from ..batches.batched_judge import Batching

_log = logger("run")

AT_ONCE = 32
"""Default number of judge calls at the same time. Reduced while the judge reports rate limits."""

LOCAL_AT_ONCE = 64
"""Cases at the same time for the embedded judge, enough to fill its batches."""

_NAME = re.compile(r"[\w.@:+-][\w .@:+-]{0,99}")


@public
@renamed_option("told", "on_message")
@renamed_retry_policy
async def aevaluate(
    data: object,
    metrics: MetricSpec | Sequence[MetricSpec] = "hallucination",
    judge: JudgeSpec = None,
    *,
    run: str | None = None,
    map: Mapping[str, str] | None = None,
    concurrency: int | None = None,
    max_cost: float | None = None,
    stop_at_bad_row: bool = False,
    fresh: bool = False,
    turns: Turns = "last",
    context_from: Iterable[str] = CONTEXT_FROM,
    limit: int | None = None,
    store: Store | None = None,
    progress: bool | None = None,
    profile: str | None = None,
    repair: bool = False,
    retry_policy: RetryPolicy | None = None,
    batch: bool = False,
    on_message: Callable[[str], None] | None = None,
    **options: Any,
) -> Run:
    """Score all rows of a dataset and store the results as a run.

    After an interrupt (Ctrl-C, or cancelling `aevaluate`), finished results are kept. The same call continues the run.

    Args:
        data: The path of a file, a DataFrame, a Hugging Face dataset, or an iterable of rows.
        metrics: One or more metrics.
        judge: Name or instance of the judge.
        run: Name of the run. An existing run is continued. By default a new name.
        map: The column for a field, as in `{"output": "answer"}`.
        concurrency: Judge calls at the same time. Reduced while the judge reports rate limits.
        max_cost: Stop before the run costs more than this, in US dollars.
        stop_at_bad_row: Stop at the first row that cannot be read, instead of skipping it.
        fresh: Ask the judge again instead of using cached replies.
        turns: "last" judges the last answer of a conversation; "all" makes a case of every answer and tool call.
        context_from: The parts of a conversation that count as context.
        limit: Score only the first rows.
        store: Where runs and replies are kept. By default the user's store.
        progress: Show a progress bar. By default only in a terminal.
        profile: Name of a profile made by `halluscope calibrate`.
        repair: Repair outputs that do not pass. Their results have a `repair`.
        retry_policy: Limits of retries and time.
        batch: Ask in batches of the provider, at half the price, within 24 hours or so. An interrupted run continues
            to wait for what was submitted. For judges of OpenAI and Anthropic.
        on_message: Called with each warning.
        options: Options of the metrics and, for a judge given by name, of the judge.

    Returns:
        The run.

    Raises:
        InputError: An argument is invalid.
        DataError: The data cannot be read, or has no column for the output.
        RunFailed: The run could not go on, for example because the judge refused every request.
        StoreError: The store cannot be used.

    Example:
        >>> run = evaluate("answers.jsonl", "hallucination", run="nightly")
        >>> run.summary()["hallucination"].pass_rate
        0.75
    """
    for name, number in (("concurrency", concurrency), ("limit", limit)):
        if number is not None and number < 1:
            raise InputError(f"`{name}` must be 1 or more, not {number}.")
    asked, judge_options = metrics_of(metrics, options)
    for metric in asked if repair else ():
        check_repairable(metric)
    calibrated = profile_for(profile, asked)
    judged_by = resolve_judge(judge, **judge_options)
    local = is_embedded(judged_by)
    typical = typical_cost(data, asked, judged_by, map) if batch and max_cost is not None else None
    budget = CostLimit(max_cost, judged_by.name, free=local, typical=typical)
    opened = open_data(data, map, turns=turns, context_from=context_from, limit=limit)
    store = store or Store()
    # Used for the embedded judge as well, so that the time of a question does not include waiting for a core.
    throttle = AdaptiveThrottle(concurrency or (cores() if local else AT_ONCE))
    cache: ReplyCache = MemoryReplies() if local else Replies(store, reread=not fresh)
    scorers = [scorer_of(metric, judged_by, calibrated, repair=repair) for metric in asked]
    name = _name(run, opened)
    batches: Batching | None = None
    if batch:
        from ..batches.batched_judge import Batching  # with all of the chat judges

        batches = Batching(judged_by, Batches(store), name, lambda message: pipeline.notify(message))
    writer = RunWriter(store, name, opened.name, scorers, new=run is None, reuse=not fresh)
    notify = on_message or (lambda message: None)
    for note in writer.notes:
        await in_thread(partial(notify, note))
    at_once = concurrency or LOCAL_AT_ONCE if local else 2 * (concurrency or AT_ONCE)
    if batches is not None:
        judged_by, retry_policy, at_once = batches.judge, patient(retry_policy), CASES_AT_ONCE
        throttle, cache = AdaptiveThrottle(CASES_AT_ONCE), replies_for_batches(Replies(store, reread=not fresh))
    how = Pass(
        at_once=at_once,
        budget=budget,
        display=display_for(opened.name, progress),
        throttle=throttle,
        stop_at_bad_row=stop_at_bad_row,
        adjust=None if calibrated is None else calibrated.applied,
        repair=repair,
        estimate=lambda read: _estimate(opened, read, limit),
        on_message=notify,
        pending=lambda: None if batches is None else batches.pending,
    )
    pipeline = Pipeline(
        asked, Driver(judged_by, cache=cache, throttle=throttle, retry_policy=retry_policy), writer, how
    )
    _log.info(
        "run %s: %s with %s, judged by %s",
        writer.name,
        opened.name,
        ", ".join(metric.name for metric in asked),
        judged_by.name,
    )
    async with _closing(writer, batches):
        whole = await pipeline.run(opened)
        if whole:
            writer.close("finished", end=None if limit == opened.read else pipeline.read)
        else:
            writer.close("stopped", f"the cost limit of ${max_cost:g} was reached")
    _log.info("run %s: %s after %d rows", writer.name, "finished" if whole else "stopped", pipeline.read)
    return Run(writer.name, store)


evaluate = sync.blocking(aevaluate, "evaluate")


@asynccontextmanager
async def _closing(writer: RunWriter, batches: Batching | None) -> AsyncIterator[None]:
    """Record how an incomplete run ended, and stop waiting for batches."""
    finished = False
    try:
        yield
        finished = True
    except asyncio.CancelledError:
        pending = None if batches is None else batches.pending
        writer.close("interrupted", pending or "interrupted before the end")
        raise
    except BaseException as error:
        with suppress(StoreError):  # the original error may be the store's
            writer.close("failed", str(error))
        raise
    finally:
        if batches is not None:
            await batches.close(finished=finished)


def run_name(given: str) -> str:
    """Validate the name of a run."""
    if not _NAME.fullmatch(given):
        raise InputError(f"{given!r} cannot name a run: use up to 100 letters, digits, spaces and . _ - + @ :")
    return given


def _name(given: str | None, data: Data) -> str:
    if given is not None:
        return run_name(given)
    stem = re.sub(r"\W+", "-", Path(data.name).name.partition(".")[0]).strip("-")[:40] or "run"
    return f"{stem}-{time.strftime('%Y%m%d-%H%M%S')}"


def _estimate(data: Data, read: int, limit: int | None) -> int | None:
    """Return the number of rows, estimated from the share of the file read so far if it is unknown."""
    total = data.total
    if total is None:
        fraction = data.fraction()
        total = None if not fraction or not data.read else max(data.read, round(data.read / fraction))
    total = total if limit is None else min(limit, total or limit)
    return total if total is None or data.read == read else round(total * read / max(1, data.read))
