"""A run in a folder that several machines can reach, with one file of each kind per partition.

    run.json                    the data, the metrics and the judge
    results/PARTITION.parquet   one row for each case and metric
    bad_rows/PARTITION.parquet  rows that could not be read, with their reason
    figures/PARTITION.json      its statistics, written last: the partition is done
    summary.json, report.html   written at the end

Files are written atomically under names that depend only on the data. A partition that is scored again because a worker
died replaces its own files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
from msgspec import Struct

from ..core.case import Case
from ..core.errors import InputError
from ..core.result import Result
from ..runs.export import arrow_table, line, unline
from ..runs.store.run_writer import ScorerRow
from .file_stores import StoredFolder, parquet_bytes
from .part_statistics import Drawn, PartStatistics
from .partitions import PartitionName
from .worker_scoring import Sheet

_FORM = 3
_READERS = 16
"""Files of statistics that are read at the same time, which may be on another machine."""


class Manifest(Struct, frozen=True, kw_only=True):
    """The data, metrics and judge of the run in a folder. Other results are not written to it."""

    form: int = _FORM
    data: tuple[str, ...]
    map: dict[str, str]
    partition_rows: int
    scorers: tuple[ScorerRow, ...]


class RunFolder(Struct, frozen=True):
    """The folder of a run."""

    place: StoredFolder

    def begin(self, wanted: Manifest, *, fresh: bool) -> Manifest:
        """Return the manifest of the run to continue, or write a new one. Raises `InputError` for another run."""
        held = self.place.read("run.json")
        if held is not None and not fresh:
            try:
                there = msgspec.json.decode(held, type=Manifest)
            except msgspec.MsgspecError as error:
                raise InputError(f"{self.place.name}/run.json cannot be read: {error}. Name another folder.") from error
            if msgspec.structs.replace(there, partition_rows=0) != msgspec.structs.replace(wanted, partition_rows=0):
                raise InputError(
                    f"{self.place.name} holds a run of {_difference(there, wanted)}: "
                    "name another folder, or pass --fresh to begin anew."
                )
            return there
        if held is not None:
            self.clear(self.done())
        self.place.write(msgspec.json.encode(wanted), "run.json")
        return wanted

    def done(self) -> list[PartitionName]:
        return [name for name in map(PartitionName.read, self.place.names("figures")) if name is not None]

    def clear(self, names: Iterable[PartitionName]) -> None:
        """Remove partitions. Their statistics go first, so that no partition is half there."""
        for name in names:
            for kind, ending in (("figures", "json"), ("results", "parquet"), ("bad_rows", "parquet")):
                self.place.remove(kind, f"{name}.{ending}")

    def commit(self, name: PartitionName, sheet: Sheet, statistics: PartStatistics) -> None:
        """Write a partition. It is finished when its statistics are written."""
        lines = [line(case, result) for case, results in sheet.scored() for result in results]
        self.place.write(parquet_bytes(arrow_table(lines)), "results", f"{name}.parquet")
        if sheet.unread:
            import pyarrow as pa

            table = pa.table({column: [getattr(row, column) for row in sheet.unread] for column in ("place", "reason")})
            self.place.write(parquet_bytes(table), "bad_rows", f"{name}.parquet")
        self.place.write(msgspec.json.encode(statistics), "figures", f"{name}.json")

    def has(self, name: PartitionName) -> bool:
        """Whether this machine sees that a partition is finished."""
        return self.place.has("figures", f"{name}.json")

    def statistics(self, names: Iterable[PartitionName]) -> PartStatistics:
        """Return the merged statistics of finished partitions."""
        total = PartStatistics()
        with ThreadPoolExecutor(_READERS) as pool:
            for held in pool.map(lambda name: self.place.read("figures", f"{name}.json"), names):
                if held is not None:
                    total.merge(msgspec.json.decode(held, type=PartStatistics))
        return total

    def pairs(self, drawn: Iterable[Drawn], metrics: int) -> list[tuple[Case, Result]]:
        """Read the sampled cases with their results."""
        import pyarrow.parquet as pq

        by_partition: dict[str, list[int]] = {}
        for _, partition, number in drawn:
            by_partition.setdefault(partition, []).append(number)
        found: list[tuple[Case, Result]] = []
        for partition, numbers in sorted(by_partition.items()):
            path = self.place.file("results", f"{partition}.parquet")
            table = pq.read_table(path, filesystem=self.place.store)
            places = [number * metrics + metric for number in sorted(numbers) for metric in range(metrics)]
            found += [unline(row) for row in table.take(places).to_pylist()]
        return found


def _difference(there: Manifest, wanted: Manifest) -> str:
    if there.form != wanted.form:
        return "another version of halluscope"
    if there.data != wanted.data:
        return f"other data ({', '.join(there.data)[:200]})"
    if there.map != wanted.map:
        return "the same data with other columns"
    names: Mapping[str, Any] = {scorer.metric: scorer for scorer in there.scorers}
    if set(names) != {scorer.metric for scorer in wanted.scorers}:
        return f"other metrics ({', '.join(names)})"
    if {s.judge for s in there.scorers} != {s.judge for s in wanted.scorers}:
        return f"another judge ({there.scorers[0].judge})"
    return "another version of these metrics, their options, or this judge"
