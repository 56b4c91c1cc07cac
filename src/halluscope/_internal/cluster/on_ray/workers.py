"""What runs on the cluster: tasks that read files, and actors that score partitions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from secrets import token_hex
from typing import Any

import msgspec
from msgspec import Struct

from ...core.errors import HalluscopeError, InputError
from ...runs.runner.evaluation import AT_ONCE
from ..file_stores import StoredFile
from ..folder import RunFolder
from ..part_statistics import statistics_of
from ..partitions import Partition, partitions_of
from ..worker_scoring import Recipe, WorkerScoring
from .cluster import room_for

_CALLS_PER_WORKER = 64
"""Judge calls that one process can make at the same time."""


class WorkerSettings(Struct, frozen=True):
    """What each worker gets: the recipe, its processors, and its share of the limits of the whole cluster."""

    recipe: Recipe
    workers: int
    cpus: float
    gpus: float
    concurrency: int
    calls_per_minute: float | None

    def scoring(self) -> WorkerScoring:
        """Set up scoring in a worker process."""
        if self.gpus:
            from ...judges.embedded.network.model import use_gpu

            use_gpu()
        return WorkerScoring(
            self.recipe,
            cores=math.ceil(self.cpus),
            concurrency=self.concurrency,
            calls_per_minute=self.calls_per_minute,
        )

    def resources(self) -> dict[str, float]:
        """Return the resources that a worker asks Ray for."""
        return {"num_cpus": self.cpus, **({"num_gpus": self.gpus} if self.gpus else {})}

    def pool(self, ray: Any) -> Any:
        """Return the pool of actors."""
        # With two calls at once, a worker begins a partition while it waits for the last answers of another.
        calls_at_once = 1 if self.recipe.local else 2
        return ray.data.ActorPoolStrategy(
            min_size=1,  # with more, Ray warns if there are fewer partitions than workers
            max_size=self.workers,
            initial_size=self.workers,
            max_concurrent_calls_per_actor=calls_at_once,
            enable_true_multi_threading=calls_at_once > 1,
        )


def worker_settings(
    ray: Any,
    recipe: Recipe,
    workers: int | None,
    cpus: float,
    gpus: float,
    concurrency: int | None,
    calls_per_minute: float | None,
) -> WorkerSettings:
    """Decide the number of workers, and divide the limits of judge calls evenly among them."""
    room = room_for(ray, cpus, gpus)
    calls = concurrency or AT_ONCE
    count = workers or (room if recipe.local else min(room, math.ceil(calls / _CALLS_PER_WORKER)))
    if not recipe.local:
        count = min(count, calls)  # each worker may make at least one call
    per_minute = calls_per_minute and calls_per_minute / count
    return WorkerSettings(recipe, count, cpus, gpus, max(1, calls // count), per_minute)


def check_numbers(**given: float | None) -> None:
    """Raise `InputError` for a number that is not positive."""
    for name, number in given.items():
        if number is not None and not number > 0:
            raise InputError(f"`{name}` must be more than 0, not {number:g}.")


class ReadFile(Struct, frozen=True):
    """A task that reads a file. Takes a row with the file's index and its finished partitions, yields the others.

    An error that ends the run is returned in a row too: of an exception raised here, Ray keeps only the traceback.
    """

    files: Sequence[StoredFile]
    size: int
    map: Mapping[str, str]
    stop_at_bad_row: bool

    def __call__(self, row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        file = self.files[int(row["file"])]
        done = frozenset(msgspec.msgpack.decode(row["done"], type=list[int]))
        try:
            for partition in partitions_of(
                file, size=self.size, map=self.map, done=done, stop_at_bad_row=self.stop_at_bad_row
            ):
                yield {"partition": msgspec.msgpack.encode(partition), "fault": ""}
        except HalluscopeError as error:
            yield {"partition": b"", "fault": str(error)}


class ScorePartition:
    """An actor that scores partitions and writes them to the folder. Returns their statistics and warnings."""

    def __init__(self, settings: WorkerSettings, folder: RunFolder) -> None:
        self._name = token_hex(6)
        self._folder = folder
        self._scoring = settings.scoring()

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        (packed,), (fault,) = batch["partition"], batch["fault"]
        name, statistics, messages = "", b"", list[str]()
        try:
            if not fault:
                partition = msgspec.msgpack.decode(packed, type=Partition)
                sheet = self._scoring.score(partition.rows, messages.append)
                made = statistics_of(partition.name, sheet)
                self._folder.commit(partition.name, sheet, made)
                name, statistics = str(partition.name), msgspec.json.encode(made)
        except HalluscopeError as error:
            fault = str(error)
        return {
            "name": [name],
            "statistics": [statistics],
            "worker": [self._name],
            "messages": ["\n".join(messages)],
            "fault": [str(fault)],
        }
