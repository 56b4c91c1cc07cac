"""Sources of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from typing import Protocol, Union

from msgspec import Struct

from ...core.case import Case
from ...core.plumbing.public import public_in
from ...core.result import Result
from ..datasets import BadRow
from .totals import MetricTotals

Moment = Union[datetime, float, str, None]
"""A datetime, seconds since 1970, or a text."""

Pairs = Iterable[tuple[Case, Result]]


@public_in("halluscope.runs")
class ReportSource(Protocol):
    """What a report needs from a run. `pairs` is read once and not kept in memory.

    The results of a case need not be adjacent. A source may also have `seconds`, its duration, and `bad_rows()`.
    """

    @property
    def name(self) -> str: ...

    @property
    def judge(self) -> str: ...

    @property
    def created(self) -> Moment: ...

    def pairs(self) -> Pairs: ...


class Results(Struct, frozen=True, kw_only=True):
    """Cases and results without a run."""

    given: Pairs
    name: str = "results"
    judge: str = ""
    created: Moment = None

    def pairs(self) -> Pairs:
        return self.given


class Sample(Results, frozen=True, kw_only=True):
    """A sample of the cases of a run, and statistics of all of them."""

    cases: int
    unread: int
    first_unread: Sequence[BadRow]
    totals: Sequence[MetricTotals]

    def bad_rows(self) -> Sequence[BadRow]:
        return self.first_unread


def shown_moment(moment: Moment) -> str:
    """Format a time, in UTC if its time zone is known."""
    if moment is None:
        return ""
    if isinstance(moment, str):
        try:
            moment = datetime.fromisoformat(moment.replace("Z", "+00:00"))
        except ValueError:
            return str(moment)
    if isinstance(moment, (int, float)):
        moment = datetime.fromtimestamp(moment, timezone.utc)
    if moment.tzinfo is None:
        return moment.strftime("%Y-%m-%d %H:%M")
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
