"""What is known of a partition once it is scored: figures that add up to those of the run, and which cases to show."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable

from msgspec import Struct, field

from ..case import Case
from ..datasets import Unread
from ..figures.partial import Partial
from ..result import Result, Usage
from .partitions import PartitionName
from .sheet import Sheet

_OFFERED = 200
"""Cases of one kind that a partition offers to be shown."""
SHOWN = 1000
"""Cases of one kind that are shown of a run."""
_TOLD = 20

Drawn = tuple[int, str, int]
"""A lot, which is smaller the sooner the case is shown; the partition, and which of its cases."""


class PartFigures(Struct):
    """The figures of a partition, or of many together."""

    partitions: int = 0
    cases: int = 0
    bad_rows: int = 0
    failed: int = 0
    seconds: float = 0.0
    metrics: dict[str, Partial] = field(default_factory=dict)
    not_passed: list[Drawn] = field(default_factory=list)
    others: list[Drawn] = field(default_factory=list)
    first_bad: list[Unread] = field(default_factory=list)

    def merge(self, other: PartFigures) -> None:
        """Count what the other has counted."""
        self.partitions += other.partitions
        self.cases += other.cases
        self.bad_rows += other.bad_rows
        self.failed += other.failed
        self.seconds += other.seconds
        for metric, partial in other.metrics.items():
            if metric in self.metrics:
                self.metrics[metric].merge(partial)
            else:
                self.metrics[metric] = partial
        self.not_passed = heapq.nsmallest(SHOWN, [*self.not_passed, *other.not_passed])
        self.others = heapq.nsmallest(SHOWN, [*self.others, *other.others])
        self.first_bad = sorted([*self.first_bad, *other.first_bad], key=lambda row: row.place)[:_TOLD]

    @property
    def usage(self) -> Usage:
        """What the results took."""
        return sum((partial.counts.paid for partial in self.metrics.values()), Usage())


def figures_of(name: PartitionName, sheet: Sheet, seconds: float) -> PartFigures:
    """The figures of a partition that is scored."""
    found = PartFigures(partitions=1, bad_rows=len(sheet.unread), seconds=seconds)
    found.first_bad = sheet.unread[:_TOLD]
    not_passed: list[Drawn] = []
    others: list[Drawn] = []
    for number, (case, results) in enumerate(sheet.scored()):
        found.cases += 1
        _add(found, results)
        passed = all(result.passed for result in results)
        (others if passed else not_passed).append((_lot(case, name, number), str(name), number))
    found.not_passed = heapq.nsmallest(_OFFERED, not_passed)
    found.others = heapq.nsmallest(_OFFERED, others)
    return found


def _add(found: PartFigures, results: Iterable[Result]) -> None:
    for result in results:
        partial = found.metrics.get(result.metric)
        if partial is None:
            partial = found.metrics[result.metric] = Partial(result.metric, result.direction)
        partial.add(result)
        found.failed += result.outcome.value in ("failed", "incomplete")


def _lot(case: Case, name: PartitionName, number: int) -> int:
    """The same at every run over the same data, and without any order in the data to it."""
    drawn = hashlib.blake2b(f"{case.id}\0{name}\0{number}".encode("utf-8", "replace"), digest_size=6)
    return int.from_bytes(drawn.digest(), "big")
