"""What a worker process needs to score like this one, and its scoring, with the same pipeline and metrics."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from msgspec import Struct

from ..core.case import Case
from ..core.errors import InputError
from ..core.plumbing import sync
from ..core.plumbing.threads import use_cores
from ..core.result import Result
from ..engine.driver import Driver, RetryPolicy
from ..engine.judge import DEFAULT, JudgeSpec, is_embedded
from ..engine.judge import resolve as resolve_judge
from ..engine.metrics import MetricSpec
from ..runs.datasets import AnyRow, BadRow, Row
from ..runs.profile import Profile
from ..runs.runner.asked import metrics_of, profile_for
from ..runs.runner.cost_limit import CostLimit
from ..runs.runner.evaluation import LOCAL_AT_ONCE
from ..runs.runner.identity import scorer_of
from ..runs.runner.pipeline import Pass, Pipeline
from ..runs.runner.progress import Display
from ..runs.runner.throttle import AdaptiveThrottle
from ..runs.store import MemoryReplies
from ..runs.store.run_writer import Job, ScorerRow

_PUBLIC_MODULES = ("halluscope.judges", "halluscope.metrics")
"""Modules that public classes name as their own."""


class Recipe(Struct, frozen=True):
    """Metrics, judge and profile. It is pickled as it is, with the keys and addresses of the judge."""

    metrics: tuple[Any, ...]
    judge: Any
    profile: Profile | None = None
    retry_policy: RetryPolicy | None = None

    @property
    def local(self) -> bool:
        """Whether the embedded judge is used, which needs processors and makes no calls."""
        return is_embedded(self.judge)

    def scorers(self) -> list[ScorerRow]:
        """Return the identity of each metric with the judge."""
        return [scorer_of(metric, self.judge, self.profile) for metric in self.metrics]


def made_recipe(
    metrics: MetricSpec | Sequence[MetricSpec],
    judge: JudgeSpec,
    profile: str | None,
    retry_policy: RetryPolicy | None,
    options: Mapping[str, Any],
) -> Recipe:
    """Make a recipe from names and options. Raises `InputError` if it cannot be pickled."""
    made, for_judge = metrics_of(metrics, options)
    for module in _PUBLIC_MODULES:  # cloudpickle copies a class whose module is not loaded: another class in the worker
        import_module(module)
    recipe = Recipe(tuple(made), resolve_judge(judge, **for_judge), profile_for(profile, made), retry_policy)
    try:
        import cloudpickle  # part of Ray and Spark; in Ray it may only be there as `ray.cloudpickle`
    except ImportError:
        from ray import cloudpickle
    try:
        cloudpickle.dumps(recipe)
    except InputError:
        raise
    except Exception as error:
        what = " ".join(str(error).split())[:200]
        raise InputError(f"the judge or metric cannot be sent to other machines ({what}): pass it by name.") from error
    return recipe


class Sheet:
    """Collects results in any order and returns them in the order of the rows."""

    def __init__(self, rows: Sequence[AnyRow], metrics: int) -> None:
        self._metrics = metrics
        self._rows = rows
        # The longest first, so that the last ones are short.
        good = [place for place, row in enumerate(rows) if isinstance(row, Row)]
        self._order = sorted(good, key=lambda place: -_length(rows[place]))
        self._results: dict[int, dict[int, Result]] = {}
        self.unread = [row for row in rows if isinstance(row, BadRow)]

    def by_length(self) -> list[AnyRow]:
        """Return the rows that can be scored, the longest first."""
        return [self._rows[place] for place in self._order]

    def admit(self, rows: Sequence[tuple[int, Case]]) -> tuple[list[Job], int]:
        jobs = [Job(position, case, 0, scorer) for position, case in rows for scorer in range(self._metrics)]
        return jobs, 0

    def bad_rows(self, rows: Sequence[tuple[int, str, str]]) -> None:
        """Unused: bad rows are not in `by_length`."""

    def keep(self, job: Job, result: Result) -> None:
        self._results.setdefault(self._order[job.position], {})[job.scorer] = result

    def flush(self) -> None:
        """Unused: nothing is buffered."""

    def scored(self) -> Iterator[tuple[Case, tuple[Result, ...]]]:
        """Yield each case with its results, in the order of the metrics."""
        for place, row in enumerate(self._rows):
            if isinstance(row, Row):
                found = self._results[place]
                yield row.case, tuple(found[scorer] for scorer in range(self._metrics))


def _length(row: AnyRow) -> int:
    if not isinstance(row, Row):
        return 0
    return len(row.case.output) + sum(map(len, row.case.context or ()))


class PacedThrottle(AdaptiveThrottle):
    """An adaptive throttle that also limits the number of calls per minute. Unused time is not made up for."""

    def __init__(self, most: int, calls_per_minute: float | None = None) -> None:
        super().__init__(most)
        self._interval = 60.0 / calls_per_minute if calls_per_minute else 0.0
        self._next = 0.0

    async def enter(self) -> None:
        await super().enter()
        now = time.monotonic()
        start = max(self._next, now)
        self._next = start + self._interval
        try:
            await asyncio.sleep(start - now)
        except asyncio.CancelledError:
            self.give_back()
            raise


class WorkerScoring:
    """What one worker process scores with. Safe to use from several threads. The limits are this worker's share."""

    def __init__(self, recipe: Recipe, *, cores: int, concurrency: int, calls_per_minute: float | None = None) -> None:
        use_cores(cores)
        local = AdaptiveThrottle(max(1, cores))
        self.recipe = recipe
        self._throttle = local if recipe.local else PacedThrottle(concurrency, calls_per_minute)
        self._cases_at_once = LOCAL_AT_ONCE if recipe.local else 2 * concurrency
        self._driver = Driver(
            recipe.judge,
            cache=MemoryReplies(),
            throttle=self._throttle,
            apart={DEFAULT: local},
            retry_policy=recipe.retry_policy,
        )

    def score(self, rows: Sequence[AnyRow], on_message: Callable[[str], None] = lambda message: None) -> Sheet:
        """Score all rows. `on_message` receives warnings."""
        profile = self.recipe.profile
        sheet = Sheet(rows, len(self.recipe.metrics))
        how = Pass(
            at_once=self._cases_at_once,
            budget=CostLimit(),
            display=Display(),
            throttle=self._throttle,
            adjust=None if profile is None else profile.applied,
            estimate=lambda read: len(rows),
            on_message=on_message,
        )
        sync.run(Pipeline(self.recipe.metrics, self._driver, sheet, how).run(sheet.by_length()))
        return sheet
