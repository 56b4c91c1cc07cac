"""Statistics of a scored partition, which can be merged into those of the run, and a sample of its cases."""

from __future__ import annotations

import hashlib
import heapq

from msgspec import Struct, field

from ..core.case import Case
from ..core.result import Usage
from ..runs.datasets import BadRow
from ..runs.statistics.partial import Partial
from .partitions import PartitionName
from .worker_scoring import Sheet

_SAMPLED = 200
"""Maximum sample of passed cases, and of others, per partition."""
MAX_SHOWN = 1000
"""The same for the whole run."""
_MAX_BAD_ROWS = 20

Drawn = tuple[int, str, int]
"""A case in the sample: a random number, the partition, and the index of the case in it. Low numbers are kept."""


class PartStatistics(Struct):
    """The statistics of one partition, or of several."""

    cases: int = 0
    bad_rows: int = 0
    failed: int = 0
    metrics: dict[str, Partial] = field(default_factory=dict)
    not_passed: list[Drawn] = field(default_factory=list)
    others: list[Drawn] = field(default_factory=list)
    first_bad: list[BadRow] = field(default_factory=list)

    def merge(self, other: PartStatistics) -> None:
        """Add the statistics of other partitions."""
        self.cases += other.cases
        self.bad_rows += other.bad_rows
        self.failed += other.failed
        for metric, partial in other.metrics.items():
            if metric in self.metrics:
                self.metrics[metric].merge(partial)
            else:
                self.metrics[metric] = partial
        self.not_passed = heapq.nsmallest(MAX_SHOWN, [*self.not_passed, *other.not_passed])
        self.others = heapq.nsmallest(MAX_SHOWN, [*self.others, *other.others])
        self.first_bad = sorted([*self.first_bad, *other.first_bad], key=lambda row: row.place)[:_MAX_BAD_ROWS]

    @property
    def usage(self) -> Usage:
        """Calls, tokens and cost of all results."""
        return sum((partial.paid for partial in self.metrics.values()), Usage())


def statistics_of(name: PartitionName, sheet: Sheet) -> PartStatistics:
    statistics = PartStatistics(bad_rows=len(sheet.unread), first_bad=sheet.unread[:_MAX_BAD_ROWS])
    not_passed: list[Drawn] = []
    others: list[Drawn] = []
    for number, (case, results) in enumerate(sheet.scored()):
        statistics.cases += 1
        for result in results:
            partial = statistics.metrics.setdefault(result.metric, Partial(result.metric, result.direction))
            partial.add(result)
            statistics.failed += result.outcome.value in ("failed", "incomplete")
        passed = all(result.passed for result in results)
        (others if passed else not_passed).append((_random(case, name, number), str(name), number))
    statistics.not_passed = heapq.nsmallest(_SAMPLED, not_passed)
    statistics.others = heapq.nsmallest(_SAMPLED, others)
    return statistics


def _random(case: Case, name: PartitionName, number: int) -> int:
    """Return a number that depends only on the case, and not on its position in the data."""
    digest = hashlib.blake2b(f"{case.id}\0{name}\0{number}".encode("utf-8", "replace"), digest_size=6)
    return int.from_bytes(digest.digest(), "big")
