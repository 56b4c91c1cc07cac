"""What a stress test found: per kind of change how many were caught, and how many alarms were false."""

from __future__ import annotations

import math
from typing import Any

import msgspec
from msgspec import Struct

from ...case import Case
from ...plumbing.public import public
from ...result import Result, Usage
from ...stats.binomial import binomial_interval
from .answers import WORDINGS, Wording, wording
from .changes.mutant import Mutant


@public
class Tried(Struct, frozen=True, kw_only=True):
    """One mutant and what the judge made of it. `flagged` is None where there was no score."""

    case_id: str
    mutant: Mutant
    flagged: bool | None
    wording: Wording
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
class StressFigures(Struct, frozen=True, kw_only=True):
    """What became of some answers and of their changed forms."""

    cases: int
    """Answers that were judged at all."""
    unchanged: StressRow
    """The answers before anything was changed. If they are as good as believed, each flagged one is a false alarm;
    a judge that flags everything would catch everything. Only those not flagged are changed."""
    kinds: tuple[StressRow, ...]
    catch_rate: float | None
    """Over all harmful changes."""
    catch_interval: tuple[float, float] | None
    false_alarms: float | None
    """Over all harmless ones."""
    false_alarms_interval: tuple[float, float] | None

    def kind(self, name: str) -> StressRow:
        """The row of one kind."""
        return next(row for row in self.kinds if row.kind == name)


@public
class StressReport(StressFigures, frozen=True, kw_only=True):
    """All that a stress test found: the figures over all answers, and apart for each wording.

    Under `parts`, `copied` are the answers whose every sentence stands in the context word for word, and
    `reworded` all others; a wording of which there was no answer is not there.
    """

    judge: str
    metric: str
    seed: int
    parts: dict[Wording, StressFigures]
    tried: tuple[Tried, ...] = ()
    skipped: tuple[str, ...] = ()
    usage: Usage = Usage()
    seconds: float = 0.0

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
    judged = [(wording(case), result) for case, result in originals]
    parts = {
        name: StressFigures(
            **_figures(
                [result for how, result in judged if how == name],
                [t for t in tried if t.wording == name],
                kinds,
                harmless,
            )
        )
        for name in WORDINGS
        if any(how == name for how, _ in judged)
    }
    whole = _figures([result for _, result in judged], tried, kinds, harmless)
    return StressReport(**whole, parts=parts, tried=tuple(tried), **more)


def _figures(
    originals: list[Result], tried: list[Tried], kinds: tuple[str, ...], harmless: frozenset[str]
) -> dict[str, Any]:
    rows = tuple(_row(kind, kind in harmless, [t.flagged for t in tried if t.mutant.kind == kind]) for kind in kinds)
    caught = _row("", False, [t.flagged for t in tried if not t.mutant.harmless])
    alarms = _row("", True, [t.flagged for t in tried if t.mutant.harmless])
    return {
        "cases": len(originals),
        "unchanged": _row("unchanged", True, [flagged(result) for result in originals]),
        "kinds": rows,
        "catch_rate": caught.rate,
        "catch_interval": caught.interval,
        "false_alarms": alarms.rate,
        "false_alarms_interval": alarms.interval,
    }


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
