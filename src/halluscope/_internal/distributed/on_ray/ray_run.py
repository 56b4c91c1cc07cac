"""A whole run on a Ray cluster: files in, a folder of results out, and how far it is on the way."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from ...datasets import open_stored
from ...engine.driver import Patience
from ...errors import RunFailed
from ...judge import JudgeSpec
from ...metrics import MetricSpec
from ...plumbing.public import public_in
from ...runner.progress import Display, Progress, display_for
from ...text.counting import count_of
from ..cluster_run import ClusterRun, finish
from ..file_stores import StoredFile, find_files, open_folder
from ..folder import Manifest, RunFolder
from ..part_figures import PartFigures
from ..partitions import PartitionName, file_key
from ..recipe import made_recipe
from .cluster import connected, our_errors
from .coordinator import ClusterState
from .staff import Staff, check_numbers
from .workers import Read, ScorePartition

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

PARTITION_ROWS = 1000
_SHOWN_EVERY = 0.5
_MERGED = 256
"""Partitions of an earlier pass whose figures are read in one task."""
_TOLD = 20


@public_in("halluscope.distributed")
def evaluate(
    data: Paths,
    metrics: MetricSpec | Sequence[MetricSpec] = "hallucination",
    judge: JudgeSpec = None,
    *,
    output: str | os.PathLike[str],
    address: str | None = None,
    map: Mapping[str, str] | None = None,
    workers: int | None = None,
    cpus: float = 1,
    gpus: float = 0,
    concurrency: int | None = None,
    calls_per_minute: float | None = None,
    partition_rows: int | None = None,
    stop_at_bad_row: bool = False,
    fresh: bool = False,
    progress: bool | None = None,
    profile: str | None = None,
    patience: Patience | None = None,
    told: Callable[[str], None] | None = None,
    **options: Any,
) -> ClusterRun:
    """Score all rows of files on a Ray cluster, and write the results to a folder.

    `data`: one or more paths or addresses (`s3://…`), of files, of folders, or with `*`. `output`: a folder that all
    machines of the cluster reach; a run that was cut off there is continued with the partitions that are missing.
    `address`: of the cluster; without one, the cluster that Ray finds, else one on this machine. `workers`, each with
    so many `cpus` and `gpus`: as many as there is room for. `concurrency` and `calls_per_minute` bound the judge calls
    of all workers together. A partition is `partition_rows` rows of a file. `fresh` begins anew. The other options are
    those of `halluscope.evaluate`.
    """
    check_numbers(
        workers=workers, concurrency=concurrency, calls_per_minute=calls_per_minute, partition_rows=partition_rows
    )
    recipe = made_recipe(metrics, judge, profile, patience, options)
    files = find_files(data)
    open_stored(files[0], map)  # a column that is not there is better known now than from every file
    folder = RunFolder(open_folder(output))
    asked = Manifest(
        data=tuple(_absolute(path) for path in ([data] if isinstance(data, (str, os.PathLike)) else data)),
        map=dict(map or {}),
        partition_rows=partition_rows or PARTITION_ROWS,
        scorers=tuple(recipe.scorers()),
    )
    manifest = folder.begin(asked, fresh=fresh)
    say = told or (lambda message: None)
    if partition_rows not in (None, manifest.partition_rows):
        say(f"the run goes on with partitions of {count_of(manifest.partition_rows, 'row')}, as it began")
    shown = ", ".join(manifest.data)
    with connected(address) as ray, our_errors():
        staff = Staff(ray, recipe, workers, cpus, gpus, concurrency, calls_per_minute)
        run = _Pass(ray, staff, folder, manifest, files, stop_at_bad_row=stop_at_bad_row, told=say)
        figures = run.score(display_for(shown[-60:], progress))
        names = [metric.name for metric in recipe.metrics]
        return finish(folder, figures, data=shown, metrics=names, seconds=run.seconds)


def _absolute(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path)
    return name if "://" in name else Path(name).absolute().as_posix()


class _Pass:
    """One pass over the partitions that are missing."""

    def __init__(
        self,
        ray: Any,
        staff: Staff,
        folder: RunFolder,
        manifest: Manifest,
        files: Sequence[StoredFile],
        *,
        stop_at_bad_row: bool,
        told: Callable[[str], None],
    ) -> None:
        self._ray = ray
        self._staff = staff
        self._folder = folder
        self._manifest = manifest
        self._files = files
        self._stop_at_bad_row = stop_at_bad_row
        self._told = told
        self._seen_bad = 0
        self._workers: set[str] = set()
        self.seconds = 0.0

    def score(self, display: Display) -> PartFigures:
        """Score what is missing. Returns the figures of everything."""
        started = time.monotonic()
        done = self._done()
        figures = self._of_before([name for names in done.values() for name in names])
        self._seen_bad = figures.bad_rows
        todo = [
            {"file": place, "done": msgspec.msgpack.encode([name.number for name in done[file_key(file)]])}
            for place, file in enumerate(self._files)
            if not _whole(done[file_key(file)])
        ]
        if todo:
            with self._shown(display, figures):
                for row in self._scored(todo):
                    if row["fault"]:
                        raise RunFailed(row["fault"])
                    self._check(PartitionName.read(row["name"]), row["worker"])
                    made = msgspec.json.decode(row["figures"], type=PartFigures)
                    self._tell_bad(made)
                    figures.merge(made)
        if self._seen_bad > _TOLD:
            more = count_of(self._seen_bad - _TOLD, "more row was", "more rows were")
            self._told(f"{more} left out; {self._folder.place.name}/bad_rows has all")
        self.seconds = time.monotonic() - started
        return figures

    def _done(self) -> dict[str, list[PartitionName]]:
        """For each file the partitions that are done. Those of files that have gone, or changed, leave the run."""
        done: dict[str, list[PartitionName]] = {file_key(file): [] for file in self._files}
        gone: list[PartitionName] = []
        for name in self._folder.done():
            done.get(name.file, gone).append(name)
        if gone:
            self._told(f"{count_of(len(gone), 'partition')} of data that has changed taken out of the run")
            self._folder.clear(gone)
        return done

    def _of_before(self, names: list[PartitionName]) -> PartFigures:
        """The figures of partitions that were done before, read on the cluster where there are many."""
        figures = PartFigures()
        if names:
            self._told(f"{count_of(len(names), 'partition is', 'partitions are')} done already")
        read = self._ray.remote(num_cpus=0)(_figures)
        parts = [names[start : start + _MERGED] for start in range(0, len(names), _MERGED)]
        for merged in [_figures(self._folder, part) for part in parts[:1]]:
            figures.merge(merged)
        for reference in [read.remote(self._folder, part) for part in parts[1:]]:
            figures.merge(self._ray.get(reference))
        return figures

    def _scored(self, todo: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The rows that workers answer with, as they come."""
        data, staff = self._ray.data, self._staff
        read = Read(self._files, self._manifest.partition_rows, self._manifest.map, self._stop_at_bad_row)

        def partitions(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
            return read(row)

        rows = data.from_items(todo, override_num_blocks=len(todo))
        rows.context.enable_progress_bars = False
        rows.context.target_max_block_size = 1  # every partition is a block, so that each goes to whoever is free
        readers = data.TaskPoolStrategy(size=max(1, min(len(todo), staff.workers)))
        # Readers take no processor: where workers have them all, there must still be something to score.
        rows = rows.flat_map(partitions, compute=readers, num_cpus=0)
        rows = rows.map_batches(
            ScorePartition,
            batch_size=1,
            compute=staff.pool(),
            fn_constructor_args=(staff.crew, self._folder),
            **staff.size,
        )
        yield from rows.iter_rows()

    def _check(self, name: PartitionName | None, worker: str) -> None:
        """What a worker writes, this machine must see."""
        if worker in self._workers:
            return
        self._workers.add(worker)
        if name is None or not self._folder.has(name):
            raise RunFailed(
                f"a worker has written to {self._folder.place.name}, and it cannot be seen from here: "
                "name a folder that all machines of the cluster share."
            )

    def _tell_bad(self, figures: PartFigures) -> None:
        for row in figures.first_bad[: max(0, _TOLD - self._seen_bad)]:
            self._told(f"{row.place} was left out: {row.reason}")
        self._seen_bad += figures.bad_rows

    @contextmanager
    def _shown(self, display: Display, figures: PartFigures) -> Iterator[None]:
        """Shows how far the whole cluster is, for as long as it works."""
        over = threading.Event()

        def look() -> None:
            while not over.wait(_SHOWN_EVERY):
                with suppress(Exception):  # a word on how far it is must not end what goes on
                    standing = self._ray.get(self._staff.coordinator.standing.remote(), timeout=10)
                    for message in standing.messages:
                        self._told(message)
                    display.show(_progress(figures, standing))

        watcher = threading.Thread(target=look, name="halluscope-cluster", daemon=True)
        display.start()
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join(15)
            display.stop()


def _figures(folder: RunFolder, names: list[PartitionName]) -> PartFigures:
    return folder.figures(names)


def _whole(names: list[PartitionName]) -> bool:
    """Whether these are all partitions of a file."""
    return any(name.last and len(names) == name.number + 1 for name in names)


def _progress(figures: PartFigures, standing: ClusterState) -> Progress:
    spent = figures.usage.cost
    cost = None if spent is None or standing.cost is None else spent + standing.cost + standing.wasted
    return Progress(
        cases=figures.cases + standing.cases,
        failed=figures.failed + standing.failed,
        bad_rows=figures.bad_rows,
        cost=cost,
        at_once=standing.workers,
        trouble=standing.trouble,
    )
