"""A run on a Ray cluster: files in, a folder of results out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ...core.counting import count_of
from ...core.errors import RunFailed
from ...core.plumbing.public import public_in, renamed_option, renamed_retry_policy
from ...engine.driver import RetryPolicy
from ...engine.judge import JudgeSpec
from ...engine.metrics import MetricSpec
from ...runs.datasets import open_stored
from ...runs.runner.progress import Display, Progress, display_for
from ..cluster_run import ClusterRun, finish
from ..file_stores import find_files, open_folder
from ..folder import Manifest, RunFolder
from ..part_statistics import PartStatistics
from ..partitions import PartitionName, file_key
from ..worker_scoring import made_recipe
from .cluster import connected
from .workers import ReadFile, ScorePartition, WorkerSettings, check_numbers, worker_settings

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

PARTITION_ROWS = 1000
_MAX_BAD_ROWS = 20
"""Bad rows that are reported one by one."""


@public_in("halluscope.distributed")
@renamed_option("told", "on_message")
@renamed_retry_policy
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
    retry_policy: RetryPolicy | None = None,
    on_message: Callable[[str], None] | None = None,
    **options: Any,
) -> ClusterRun:
    """Score all rows of files on a Ray cluster and write the results to a folder.

    A run that was interrupted is continued in the same folder.

    Args:
        data: Paths or URLs of files or folders; they may contain `*`, `?` and `**`.
        metrics: One or more metrics.
        judge: Name or instance of the judge.
        output: The folder for the results. All machines of the cluster must be able to reach it.
        address: Address of the cluster. By default the one that Ray finds, or else one on this machine.
        map: The column for a field, as in `{"output": "answer"}`.
        workers: Number of workers. By default as many as fit.
        cpus: Processors per worker.
        gpus: GPUs per worker.
        concurrency: Judge calls at the same time, of all workers together.
        calls_per_minute: Judge calls per minute, of all workers together.
        partition_rows: Rows of a file that a worker scores and writes at a time.
        stop_at_bad_row: Stop at the first row that cannot be read, instead of skipping it.
        fresh: Discard the results in the folder.
        progress: Show a progress bar. By default only in a terminal.
        profile: Name of a profile made by `halluscope calibrate`.
        retry_policy: Limits of retries and time.
        on_message: Called with each warning.
        options: Options of the metrics and, for a judge given by name, of the judge.

    Returns:
        The finished run.

    Raises:
        InputError: An argument is invalid, or the folder holds another run.
        RunFailed: The run could not go on. Finished partitions are kept.
        MissingExtra: Ray is not installed.

    Example:
        >>> run = evaluate("answers/*.parquet", "hallucination", output="scored")
        >>> run.summary()["hallucination"].mean
        0.25
    """
    check_numbers(
        workers=workers, concurrency=concurrency, calls_per_minute=calls_per_minute, partition_rows=partition_rows
    )
    recipe = made_recipe(metrics, judge, profile, retry_policy, options)
    files = find_files(data)
    open_stored(files[0], map)  # reports a missing column before the run starts
    folder = RunFolder(open_folder(output))
    manifest = folder.begin(
        Manifest(
            data=tuple(_absolute(path) for path in ([data] if isinstance(data, (str, os.PathLike)) else data)),
            map=dict(map or {}),
            partition_rows=partition_rows or PARTITION_ROWS,
            scorers=tuple(recipe.scorers()),
        ),
        fresh=fresh,
    )
    notify = on_message or (lambda message: None)
    if partition_rows not in (None, manifest.partition_rows):
        notify(f"the run goes on with partitions of {count_of(manifest.partition_rows, 'row')}, as it began")
    name = ", ".join(manifest.data)
    started = time.monotonic()
    with connected(address) as ray:
        settings = worker_settings(ray, recipe, workers, cpus, gpus, concurrency, calls_per_minute)
        reading = ReadFile(files, manifest.partition_rows, manifest.map, stop_at_bad_row)
        statistics = _Scoring(ray, settings, folder, reading, notify).run(display_for(name[-60:], progress))
        seconds = time.monotonic() - started
        metric_names = [metric.name for metric in recipe.metrics]
        return finish(folder, statistics, data=name, metrics=metric_names, seconds=seconds)


def _absolute(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path)
    return name if "://" in name else Path(name).absolute().as_posix()


class _Scoring(Struct):
    """Scores the partitions that are missing in a folder."""

    ray: Any
    settings: WorkerSettings
    folder: RunFolder
    reading: ReadFile
    notify: Callable[[str], None]

    def run(self, display: Display) -> PartStatistics:
        """Score what is missing. Returns the statistics of the whole run."""
        done = self._done()
        finished = [name for names in done.values() for name in names]
        if finished:
            self.notify(f"{count_of(len(finished), 'partition is', 'partitions are')} done already")
        statistics = self.folder.statistics(finished)
        progress = Progress(skipped=statistics.cases)
        todo = [
            {"file": index, "done": msgspec.msgpack.encode([name.number for name in done[file_key(file)]])}
            for index, file in enumerate(self.reading.files)
            if not _is_complete(done[file_key(file)])
        ]
        if todo:
            display.start()
            try:
                for part in self._scored(todo):
                    statistics.merge(part)
                    progress.cases, progress.failed = statistics.cases, statistics.failed
                    progress.bad_rows, progress.cost = statistics.bad_rows, statistics.usage.cost
                    display.show(progress)
            finally:
                display.stop()
        self._report_bad_rows(statistics)
        return statistics

    def _done(self) -> dict[str, list[PartitionName]]:
        """Return the finished partitions of each file. Removes those of files that changed or are gone."""
        done: dict[str, list[PartitionName]] = {file_key(file): [] for file in self.reading.files}
        gone: list[PartitionName] = []
        for name in self.folder.done():
            done.get(name.file, gone).append(name)
        if gone:
            self.notify(f"{count_of(len(gone), 'partition')} of data that has changed removed from the run")
            self.folder.clear(gone)
        return done

    def _scored(self, todo: list[dict[str, Any]]) -> Iterator[PartStatistics]:
        """Yield the statistics of each partition when it is finished."""
        reading, settings = self.reading, self.settings

        def read(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
            return reading(row)

        rows = self.ray.data.from_items(todo, override_num_blocks=len(todo))
        rows.context.enable_progress_bars = False
        rows.context.target_max_block_size = 1  # one partition per block, so that any free worker can take it
        readers = self.ray.data.TaskPoolStrategy(size=max(1, min(len(todo), settings.workers)))
        # Readers need no processor: the workers may have taken all of them.
        rows = rows.flat_map(read, compute=readers, num_cpus=0)
        rows = rows.map_batches(
            ScorePartition,
            batch_size=1,
            compute=settings.pool(self.ray),
            fn_constructor_args=(settings, self.folder),
            **settings.resources(),
        )
        workers: set[str] = set()
        messages: set[str] = set()
        for row in rows.iter_rows():
            if row["fault"]:
                raise RunFailed(row["fault"])
            if row["worker"] not in workers:
                workers.add(row["worker"])
                self._check_visible(row["name"])
            for message in row["messages"].splitlines():
                if message not in messages:
                    messages.add(message)
                    self.notify(message)
            yield msgspec.json.decode(row["statistics"], type=PartStatistics)

    def _check_visible(self, partition: str) -> None:
        """Raise `RunFailed` if this machine cannot see what a worker wrote."""
        name = PartitionName.read(partition)
        if name is None or not self.folder.has(name):
            raise RunFailed(
                f"a worker has written to {self.folder.place.name}, and it cannot be seen from here: "
                "name a folder that all machines of the cluster share."
            )

    def _report_bad_rows(self, statistics: PartStatistics) -> None:
        for row in statistics.first_bad[:_MAX_BAD_ROWS]:
            self.notify(f"{row.place} was left out: {row.reason}")
        if statistics.bad_rows > _MAX_BAD_ROWS:
            more = count_of(statistics.bad_rows - _MAX_BAD_ROWS, "more row was", "more rows were")
            self.notify(f"{more} left out; {self.folder.place.name}/bad_rows has all")


def _is_complete(names: list[PartitionName]) -> bool:
    """Whether these are all partitions of a file."""
    return any(name.last and len(names) == name.number + 1 for name in names)
