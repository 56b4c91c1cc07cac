"""Who works on a run: the coordinator, and how many workers of what size."""

from __future__ import annotations

from typing import Any

from ...errors import InputError
from ...runner.evaluation import AT_ONCE
from ..recipe import Recipe
from .cluster import room_for
from .coordinator import Coordinator
from .workers import Crew

_CALLS_A_WORKER = 64
"""Calls to judges elsewhere that one process keeps up with easily."""


class Staff:
    """Everybody who works on a run."""

    def __init__(
        self,
        ray: Any,
        recipe: Recipe,
        workers: int | None,
        cpus: float,
        gpus: float,
        concurrency: int | None,
        calls_per_minute: float | None,
    ) -> None:
        at_once = concurrency or AT_ONCE
        room = room_for(ray, cpus, gpus)
        self._ray = ray
        self.workers = workers or (room if recipe.local else min(room, 1 + (at_once - 1) // _CALLS_A_WORKER))
        self.size = {"num_cpus": cpus, **({"num_gpus": gpus} if gpus else {})}
        # It stays with whoever started the run: when that machine dies, so does the run.
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=True
        )
        settings = {"num_cpus": 0, "max_concurrency": 10_000, "max_restarts": -1, "max_task_retries": -1}
        self.coordinator = (
            ray.remote(Coordinator).options(scheduling_strategy=here, **settings).remote(at_once, calls_per_minute)
        )
        self.crew = Crew(recipe, self.coordinator, cpus, at_once, gpu=bool(gpus))
        self._calls_at_once = 1 if recipe.local else 2
        """Of one worker: while the last answers of one partition are waited for, those of the next are asked for."""

    def pool(self) -> Any:
        """The workers, as Ray is asked for them."""
        return self._ray.data.ActorPoolStrategy(
            min_size=1,  # of more, Ray warns where there is less to do than there are workers
            max_size=self.workers,
            initial_size=self.workers,
            max_concurrent_calls_per_actor=self._calls_at_once,
            enable_true_multi_threading=self._calls_at_once > 1,
        )


def check_numbers(**given: float | None) -> None:
    """Refuse a number that cannot be meant."""
    for name, number in given.items():
        if number is not None and not number > 0:
            raise InputError(f"`{name}` must be more than 0, not {number:g}.")
