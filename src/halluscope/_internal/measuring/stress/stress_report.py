"""What a stress test found: per kind of change how many were caught, and how many alarms were false."""

from __future__ import annotations

import math
from typing import Any

import msgspec
from msgspec import Struct

from ...case import Case
from ...plumbing.public import public
from ...result import Result, Usage
from ...stats import binomial_interval
from .changes.mutant import Mutant


@public
class Tried(Struct, frozen=True, kw_only=True):
    """One mutant and what the judge made of it. `flagged` is None where there was no score."""

    case_id: str
    mutant: Mutant
    flagged: bool | None
    reason: str | None = None


@public
class StressRow(Struct, frozen=True, kw_only=True):
    """One row of the table: of `n` changed answers whose original was not flagged, `flagged` were.

    For harmful changes `rate` is the catch rate, for harmless ones the false-alarm rate; None
    where nothing could be tried. The interval covers the true rate with 95 %. `unjudged` mutants
    got no score and are not counted in `n`.
    """

    kind: str
    harmless: bool
    n: int
    flagged: int
    unjudged: int
    rate: float | None
    interval: tuple[float, float] | None


@public
class StressReport(Struct, frozen=True, kw_only=True):
    """All that a stress test found."""

    judge: str
    metric: str
    seed: int
    cases: int
    """Answers that were judged at all."""
    unchanged: StressRow
    """The answers before anything was changed. If they are as good as believed, each flagged one is a false alarm;
    a judge that flags everything would catch everything. Only those not flagged are changed."""
    kinds: tuple[StressRow, ...]
    catch_rate: float | None
    """Over all harmful changes."""
    false_alarms: float | None
    """Over all harmless ones."""
    tried: tuple[Tried, ...] = ()
    skipped: tuple[str, ...] = ()
    usage: Usage = Usage()
    seconds: float = 0.0

    def kind(self, name: str) -> StressRow:
        """The row of one kind."""
        return next(row for row in self.kinds if row.kind == name)

    def missed(self, kind: str | None = None) -> list[Tried]:
        """The mutants on which the judge was wrong."""
        return [t for t in self.tried if t.flagged is t.mutant.harmless and kind in (None, t.mutant.kind)]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data


def summarise(
    originals: list[tuple[Case, Result]],
    tried: list[Tried],
    kinds: tuple[str, ...],
    harmless: frozenset[str],
    **more: Any,
) -> StressReport:
    """The report from all that was tried; only mutants of originals that were not flagged count."""
    rows = tuple(_row(kind, kind in harmless, [t.flagged for t in tried if t.mutant.kind == kind]) for kind in kinds)
    return StressReport(
        cases=len(originals),
        unchanged=_row("unchanged", True, [flagged(result) for _, result in originals]),
        kinds=rows,
        catch_rate=_overall([row for row in rows if not row.harmless]),
        false_alarms=_overall([row for row in rows if row.harmless]),
        tried=tuple(tried),
        **more,
    )


def flagged(result: Result) -> bool | None:
    """Whether the judge found anything wrong with the output; None without a score."""
    if result.score is None:
        return None
    return any(not verdict.support.holds for verdict in result.verdicts) or result.label == "hallucinated"


def _row(kind: str, harmless: bool, tried: list[bool | None]) -> StressRow:
    judged = [hit for hit in tried if hit is not None]
    n, hits = len(judged), sum(judged)
    interval = binomial_interval(hits, n) if n else None
    return StressRow(
        kind=kind,
        harmless=harmless,
        n=n,
        flagged=hits,
        unjudged=len(tried) - n,
        rate=hits / n if n else None,
        interval=None if interval is None or math.isnan(interval.low) else (interval.low, interval.high),
    )


def _overall(rows: list[StressRow]) -> float | None:
    n = sum(row.n for row in rows)
    return sum(row.flagged for row in rows) / n if n else None
