"""What a report can be made from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from typing import Protocol, Union, runtime_checkable

from msgspec import Struct

from ..case import Case
from ..plumbing.public import public
from ..result import Result
from .totals import MetricTotals

Moment = Union[datetime, float, str, None]
"""A time: a datetime, seconds since 1970, or a text that is shown as it is."""

Pairs = Iterable[tuple[Case, Result]]


@public
class ReportSource(Protocol):
    """What a report needs of a run. `pairs` is read once, from start to end, and never held in memory.

    The results of one case may come one after another or far apart.
    """

    @property
    def name(self) -> str: ...

    @property
    def judge(self) -> str: ...

    @property
    def created(self) -> Moment: ...

    def pairs(self) -> Pairs: ...


class UnreadRow(Protocol):
    """A row of the data that could not be read."""

    @property
    def place(self) -> str: ...

    @property
    def reason(self) -> str: ...


@runtime_checkable
class KnowsBadRows(Protocol):
    """A source that also knows which rows of its data could not be read."""

    def bad_rows(self) -> Sequence[UnreadRow]: ...


@runtime_checkable
class Timed(Protocol):
    """A source that also knows how long it took to make it."""

    @property
    def seconds(self) -> float: ...


@runtime_checkable
class Sampled(Protocol):
    """A source that gives a sample of its cases, where all were counted before."""

    @property
    def cases(self) -> int: ...

    @property
    def unread(self) -> int: ...

    def totals(self) -> Sequence[MetricTotals]: ...


class Results(Struct, frozen=True, kw_only=True):
    """Cases and results that belong to no run."""

    given: Pairs
    name: str = "results"
    judge: str = ""
    created: Moment = None

    def pairs(self) -> Pairs:
        return self.given


def shown_moment(moment: Moment) -> str:
    """A time as it is written in the report, in UTC where its zone is known."""
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
