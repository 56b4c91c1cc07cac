"""What runs on the cluster: reading files into partitions, and the actors that score them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import msgspec

from ...errors import HalluscopeError
from ...runner.progress import Progress
from ..file_stores import StoredFile
from ..folder import RunFolder
from ..part_figures import figures_of
from ..partitions import Partition, partitions_of
from ..permits import SharedThrottle
from ..recipe import Recipe
from ..worker_scoring import WorkerScoring
from .coordinator import Told

_REPORTED = 1.0
"""Seconds between two words of a worker on how far it is."""


@dataclass(frozen=True)
class Read:
    """Reads a file: a row with its name and what is done of it in, a row with each partition that is not done out.

    What must end the run travels as a row as well: of an error raised here, Ray keeps no more than a traceback.
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
                yield {"partition": partition.packed(), "fault": ""}
        except HalluscopeError as error:
            yield {"partition": b"", "fault": str(error)}


@dataclass(frozen=True)
class Crew:
    """What every worker is given."""

    recipe: Recipe
    coordinator: Any
    cores: float
    at_once: int
    gpu: bool = False

    def scoring(self, worker: str) -> WorkerScoring:
        """What this worker scores with."""
        if self.gpu:
            from ...embedded.network.model import use_gpu

            use_gpu()
        calls = None
        if not self.recipe.local:
            handle = self.coordinator
            calls = SharedThrottle(
                lambda wanted: handle.take.remote(worker, wanted),
                lambda returned: handle.left.remote(worker, list(returned)),
            )
        return WorkerScoring(self.recipe, cores=math.ceil(self.cores), calls=calls, at_once=self.at_once)


class ScorePartition:
    """An actor: scores the partitions that it is given, writes them down, and answers with their figures."""

    def __init__(self, crew: Crew, folder: RunFolder) -> None:
        self._name = token_hex(6)
        self._coordinator = crew.coordinator
        self._folder = folder
        self._scoring = crew.scoring(self._name)

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        (packed,), (fault,) = batch["partition"], batch["fault"]
        name, figures = "", b""
        try:
            if not fault:
                partition = Partition.unpacked(bytes(packed))
                name, figures = str(partition.name), self._scored(partition)
        except HalluscopeError as error:
            fault = str(error)
        return {"name": [name], "figures": [figures], "worker": [self._name], "fault": [str(fault)]}

    def _scored(self, partition: Partition) -> bytes:
        started, name = time.monotonic(), str(partition.name)
        sheet = self._scoring.score(partition.rows, _Reporting(self._coordinator, self._name, name), self._say)
        made = figures_of(partition.name, sheet, time.monotonic() - started)
        self._folder.commit(partition.name, sheet, made)
        self._coordinator.finished.remote(self._name, name)
        return msgspec.json.encode(made)

    def _say(self, message: str) -> None:
        self._coordinator.say.remote(message)


class _Reporting:
    """Tells the coordinator now and then how far a partition is."""

    def __init__(self, coordinator: Any, worker: str, partition: str) -> None:
        self._coordinator = coordinator
        self._key = (worker, partition)
        self._next = 0.0

    def start(self) -> None:
        self._coordinator.report.remote(*self._key, Told())

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _REPORTED
        told = Told(progress.cases, progress.failed, progress.cost, progress.trouble)
        self._coordinator.report.remote(*self._key, told)

    def stop(self) -> None:
        """What comes of it is told when it is written down."""
