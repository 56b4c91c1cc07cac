"""A run in a folder that several machines reach: one file of each kind for a partition, the last of them its figures.

    run.json                what is scored, and with what
    results/PARTITION.parquet   one row for each case and metric
    bad_rows/PARTITION.parquet  rows that could not be read, with their reason
    figures/PARTITION.json      written last: a partition that has them is done
    summary.json, report.html   at the end

Each file is there whole or not at all, and has the same name whoever writes it: a partition that is scored twice,
because a worker died before it could say that it was done, is there once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import Struct

from ..case import Case
from ..errors import InputError
from ..result import Result
from ..runs.export import arrow_table, line, unline
from ..store.run_writer import ScorerRow
from .file_stores import StoredFolder, parquet_bytes
from .part_figures import Drawn, PartFigures
from .partitions import PartitionName
from .sheet import Sheet

_FORM = 1


class Manifest(Struct, frozen=True, kw_only=True):
    """What a folder holds the results of. Results of anything else do not go into it."""

    form: int = _FORM
    data: tuple[str, ...]
    map: dict[str, str]
    partition_rows: int
    scorers: tuple[ScorerRow, ...]


@dataclass(frozen=True)
class RunFolder:
    """The folder of a run."""

    place: StoredFolder

    def begin(self, asked: Manifest, *, fresh: bool) -> Manifest:
        """The manifest of the folder: the one that is there, where it asks for the same, else a new one."""
        held = self.place.read("run.json")
        if held is not None and not fresh:
            try:
                there = msgspec.json.decode(held, type=Manifest)
            except msgspec.MsgspecError as error:
                raise InputError(f"{self.place.name}/run.json cannot be read: {error}. Name another folder.") from error
            if msgspec.structs.replace(there, partition_rows=0) != msgspec.structs.replace(asked, partition_rows=0):
                raise InputError(
                    f"{self.place.name} holds a run of {_differs(there, asked)}: "
                    "name another folder, or pass --fresh to begin anew."
                )
            return there
        if held is not None:
            self.clear(self.done())
        self.place.write(msgspec.json.encode(asked), "run.json")
        return asked

    def done(self) -> list[PartitionName]:
        """The partitions that are done."""
        return [name for name in map(PartitionName.read, self.place.names("figures")) if name is not None]

    def clear(self, names: Iterable[PartitionName]) -> None:
        """Take partitions out of the run; at any moment of it, what has figures is whole."""
        for name in names:
            for kind, ending in (("figures", "json"), ("results", "parquet"), ("bad_rows", "parquet")):
                self.place.remove(kind, f"{name}.{ending}")

    def commit(self, name: PartitionName, sheet: Sheet, figures: PartFigures) -> None:
        """Write a partition down. It counts from the moment that its figures are there."""
        lines = [line(case, result) for case, results in sheet.scored() for result in results]
        self.place.write(parquet_bytes(arrow_table(lines)), "results", f"{name}.parquet")
        if sheet.unread:
            import pyarrow as pa

            told = pa.table({name: [getattr(row, name) for row in sheet.unread] for name in ("place", "reason")})
            self.place.write(parquet_bytes(told), "bad_rows", f"{name}.parquet")
        self.place.write(msgspec.json.encode(figures), "figures", f"{name}.json")

    def has(self, name: PartitionName) -> bool:
        """Whether a partition is done, as far as this machine can see."""
        return self.place.has("figures", f"{name}.json")

    def figures(self, names: Iterable[PartitionName]) -> PartFigures:
        """The figures of partitions together."""
        total = PartFigures()
        for name in names:
            held = self.place.read("figures", f"{name}.json")
            if held is not None:
                total.merge(msgspec.json.decode(held, type=PartFigures))
        return total

    def pairs(self, drawn: Iterable[Drawn], metrics: int) -> list[tuple[Case, Result]]:
        """Cases that were drawn, with their results."""
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


def _differs(there: Manifest, asked: Manifest) -> str:
    if there.data != asked.data:
        return f"other data ({', '.join(there.data)[:200]})"
    if there.map != asked.map:
        return "the same data with other columns"
    names: Mapping[str, Any] = {scorer.metric: scorer for scorer in there.scorers}
    wanted = {scorer.metric: scorer for scorer in asked.scorers}
    if set(names) != set(wanted):
        return f"other metrics ({', '.join(names)})"
    if {s.judge for s in there.scorers} != {s.judge for s in asked.scorers}:
        return f"another judge ({there.scorers[0].judge})"
    return "another version of these metrics, their options, or this judge"
