"""The scoring in a worker: the same pipeline, driver and metrics as on one machine, over one partition at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ..datasets import AnyRow
from ..engine.driver import Driver, Throttle
from ..judge import DEFAULT
from ..plumbing import sync
from ..plumbing.threads import use_cores
from ..runner.cost_limit import CostLimit
from ..runner.evaluation import AT_ONCE, LOCAL_AT_ONCE
from ..runner.pipeline import HasTrouble, Pass, Pipeline
from ..runner.progress import Display, Silence
from ..runner.throttle import AdaptiveThrottle
from ..store import MemoryReplies
from .recipe import Recipe
from .sheet import Sheet


class CallsThrottle(Throttle, HasTrouble, Protocol):
    """A throttle that also says why the latest call did not come through."""


class WorkerScoring:
    """What a worker process holds for as long as it lives. Safe to use from several threads."""

    def __init__(self, recipe: Recipe, *, cores: int, calls: CallsThrottle | None, at_once: int = AT_ONCE) -> None:
        """`calls` bounds what is asked of judges over the network; `at_once` is how much that may be at most."""
        use_cores(cores)
        own = AdaptiveThrottle(max(1, cores))
        self.recipe = recipe
        self._throttle = own if calls is None else calls
        self._at_once = LOCAL_AT_ONCE if recipe.local else 2 * at_once
        self._driver = Driver(
            recipe.judge,
            cache=MemoryReplies(),
            throttle=self._throttle,
            apart={DEFAULT: own},
            patience=recipe.patience,
        )

    def score(
        self,
        rows: Sequence[AnyRow],
        display: Display | None = None,
        told: Callable[[str], None] = lambda message: None,
    ) -> Sheet:
        """Score all rows."""
        profile = self.recipe.profile
        sheet = Sheet(rows, len(self.recipe.metrics))
        how = Pass(
            at_once=self._at_once,
            budget=CostLimit(),
            display=display or Silence(),
            throttle=self._throttle,
            adjust=None if profile is None else profile.applied,
            estimate=lambda read: len(rows),
            told=told,
        )
        sync.run(Pipeline(self.recipe.metrics, self._driver, sheet, how).run(sheet.by_length()))
        return sheet
