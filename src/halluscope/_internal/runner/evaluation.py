"""The way in: from data, metrics and a judge to a run that is kept."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from ..datasets import Data, open_data
from ..engine.driver import Driver, Patience
from ..errors import InputError, StoreError
from ..judge import JudgeSpec, is_embedded
from ..judge import resolve as resolve_judge
from ..metrics import MetricSpec
from ..plumbing import sync
from ..plumbing.loggers import logger
from ..plumbing.public import public
from ..plumbing.threads import cores
from ..runs import Run
from ..store import Book, MemoryReplies, Replies, Store
from .asked import metrics_of, profile_for
from .cost_limit import CostLimit
from .identity import scorer_of
from .pipeline import Pass, Pipeline
from .progress import display_for
from .throttle import AdaptiveThrottle

_log = logger("run")

AT_ONCE = 32
"""Judge calls at once, unless told otherwise; a judge that throttles gets fewer."""

LOCAL_AT_ONCE = 64
"""Cases at once for the embedded judge, so that its batches are full."""

_NAME = re.compile(r"[\w.@:+-][\w .@:+-]{0,99}")


@public
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
    limit: int | None = None,
    store: Store | None = None,
    progress: bool | None = None,
    profile: str | None = None,
    patience: Patience | None = None,
    told: Callable[[str], None] | None = None,
    **options: Any,
) -> Run:
    """Score all rows of `data` and keep the run.

    `data`: a path, a DataFrame, a Hugging Face dataset, or rows one by one. `run` names the run and
    continues it if it exists. `map` names columns (`{"output": "answer"}`). `max_cost`, in dollars,
    stops the run before it is exceeded. `stop_at_bad_row` stops at a row that cannot be read. `fresh` asks
    the judge again even where its reply is kept. `limit` takes only so many rows. `profile` names what
    `halluscope calibrate` made. `told` receives warnings. Other options are those of the metrics and,
    for a judge given by name, of the judge.

    An interrupt (Ctrl-C), like cancelling `aevaluate`, keeps all that is finished; the same call goes on from there.
    """
    for name, number in (("concurrency", concurrency), ("limit", limit)):
        if number is not None and number < 1:
            raise InputError(f"`{name}` must be 1 or more, not {number}.")
    asked, judge_options = metrics_of(metrics, options)
    calibrated = profile_for(profile, asked)
    judged_by = resolve_judge(judge, **judge_options)
    local = is_embedded(judged_by)
    budget = CostLimit(max_cost, judged_by.name, free=local)
    opened = open_data(data, map)
    store = store or Store()
    # Also for the embedded judge: waiting for a turn must not count as time that a question took.
    throttle = AdaptiveThrottle(concurrency or (cores() if local else AT_ONCE))
    cache = MemoryReplies() if local else Replies(store, reread=not fresh)
    scorers = [scorer_of(metric, judged_by, calibrated) for metric in asked]
    book = Book(store, _name(run, opened), opened.name, scorers, new=run is None, reuse=not fresh)
    say = told or (lambda message: None)
    for note in book.notes:
        say(note)
    how = Pass(
        at_once=concurrency or LOCAL_AT_ONCE if local else 2 * (concurrency or AT_ONCE),
        budget=budget,
        display=display_for(opened.name, progress),
        throttle=throttle,
        stop_at_bad_row=stop_at_bad_row,
        adjust=None if calibrated is None else calibrated.applied,
        estimate=lambda read: _estimate(opened, read, limit),
        told=say,
    )
    pipeline = Pipeline(asked, Driver(judged_by, cache=cache, throttle=throttle, patience=patience), book, how)
    _log.info(
        "run %s: %s with %s, judged by %s",
        book.name,
        opened.name,
        ", ".join(metric.name for metric in asked),
        judged_by.name,
    )
    with _closing(book):
        whole = await pipeline.run(opened if limit is None else islice(opened, limit))
        if whole:
            book.close("finished", end=None if limit == pipeline.read else pipeline.read)
        else:
            book.close("stopped", f"the cost limit of ${max_cost:g} was reached")
    _log.info("run %s: %s after %d rows", book.name, "finished" if whole else "stopped", pipeline.read)
    return Run(book.name, store)


evaluate = sync.blocking(aevaluate, "evaluate")


@contextmanager
def _closing(book: Book) -> Iterator[None]:
    """Writes down how a run ended that did not come to its end."""
    try:
        yield
    except asyncio.CancelledError:
        book.close("interrupted", "interrupted before the end")
        raise
    except BaseException as error:
        with suppress(StoreError):  # where the store is the trouble, the trouble is on its way up already
            book.close("failed", str(error))
        raise


def run_name(given: str) -> str:
    """The name, if it is one that a run can have."""
    if not _NAME.fullmatch(given):
        raise InputError(f"{given!r} is no name for a run: use up to 100 letters, digits, spaces and . _ - + @ :")
    return given


def _name(given: str | None, data: Data) -> str:
    if given is not None:
        return run_name(given)
    stem = re.sub(r"\W+", "-", Path(data.name).name.partition(".")[0]).strip("-")[:40] or "run"
    return f"{stem}-{time.strftime('%Y%m%d-%H%M%S')}"


def _estimate(data: Data, read: int, limit: int | None) -> int | None:
    """How many rows there are: as the data says, else from how much of the file the rows so far took."""
    total = data.total
    if total is None:
        fraction = data.fraction()
        total = None if not fraction or not read else max(read, round(read / fraction))
    return total if limit is None else min(limit, total or limit)
