"""The results of a stress test: catch rates by kind of change, and false alarms."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct, structs

from ...core.case import Case
from ...core.plumbing.public import public, public_in
from ...core.result import Result, Usage
from ...stats.binomial import binomial_interval
from .answers import WORDINGS, Wording, wording
from .changes.mutant import Mutant
from .mutation import HARMLESS


@public_in("halluscope.proof")
class Tried(Struct, frozen=True, kw_only=True):
    """A changed answer and the verdict of the judge.

    Attributes:
        case_id: Id of the original case.
        mutant: The changed answer.
        flagged: Whether the judge flagged it. None without a score.
        wording: Whether the original was "copied" from the context or "reworded".
        reason: The reason of the judge.
    """

    case_id: str
    mutant: Mutant
    flagged: bool | None
    wording: Wording
    reason: str | None = None


@public_in("halluscope.proof")
class StressRow(Struct, frozen=True, kw_only=True):
    """The result for one kind of change.

    Attributes:
        kind: The kind of change.
        harmless: Whether the change keeps the meaning.
        n: The number of changed answers with a score whose original was not flagged.
        flagged: How many of them were flagged.
        unjudged: The number of changed answers without a score.
        rate: The catch rate or, for harmless changes, the rate of false alarms. None if `n` is 0.
        interval: Its 95 % interval.
    """

    kind: str
    harmless: bool
    n: int
    flagged: int
    unjudged: int
    rate: float | None
    interval: tuple[float, float] | None


@public_in("halluscope.proof")
class StressFigures(Struct, frozen=True, kw_only=True):
    """The results of a stress test over a group of answers.

    Attributes:
        cases: The number of original answers with a result.
        unchanged: The originals. If they are correct, each flagged one is a false alarm. Only the others are changed.
        kinds: The result for each kind of change.
        catch_rate: The catch rate of all harmful changes.
        catch_interval: Its 95 % interval.
        false_alarms: The rate of false alarms of all harmless changes.
        false_alarms_interval: Its 95 % interval.
    """

    cases: int
    unchanged: StressRow
    kinds: tuple[StressRow, ...]
    catch_rate: float | None
    catch_interval: tuple[float, float] | None
    false_alarms: float | None
    false_alarms_interval: tuple[float, float] | None

    def kind(self, name: str) -> StressRow:
        """Return the result for one kind of change."""
        return next(row for row in self.kinds if row.kind == name)


@public
class StressReport(StressFigures, frozen=True, kw_only=True):
    """The results of a stress test over all answers.

    Attributes:
        judge: Name of the judge.
        metric: Name of the metric.
        seed: The random seed.
        parts: The results for answers "copied" from the context word for word, and for "reworded" ones.
        tried: All changed answers.
        skipped: Why rows of the data were skipped.
        usage: Calls, tokens and cost.
        seconds: Duration.

    Example:
        >>> report = stress(judge="local", limit=100)
        >>> report.catch_rate, report.false_alarms
        (0.91, 0.02)
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
        """Return the changed answers on which the judge was wrong."""
        return [t for t in self.tried if t.flagged is t.mutant.harmless and kind in (None, t.mutant.kind)]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as dictionaries and lists."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data


def summarise(
    originals: list[tuple[Case, Result]], tried: list[Tried], kinds: tuple[str, ...], **more: Any
) -> StressReport:
    """Summarise a stress test. Only changes of originals that were not flagged count."""
    judged = [(wording(case), result) for case, result in originals]
    parts = {
        name: StressFigures(
            **_figures(
                [result for how, result in judged if how == name], [t for t in tried if t.wording == name], kinds
            )
        )
        for name in WORDINGS
        if any(how == name for how, _ in judged)
    }
    whole = _figures([result for _, result in judged], tried, kinds)
    return StressReport(**whole, parts=parts, tried=tuple(tried), **more)


def _figures(originals: list[Result], tried: list[Tried], kinds: tuple[str, ...]) -> dict[str, Any]:
    rows = tuple(_row(kind, kind in HARMLESS, [t.flagged for t in tried if t.mutant.kind == kind]) for kind in kinds)
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
    """Whether the judge flagged the output. None without a score."""
    if result.score is None:
        return None
    return any(not verdict.support.holds for verdict in result.verdicts) or result.label == "hallucinated"


def _row(kind: str, harmless: bool, tried: list[bool | None]) -> StressRow:
    judged = [hit for hit in tried if hit is not None]
    n, hits = len(judged), sum(judged)
    return StressRow(
        kind=kind,
        harmless=harmless,
        n=n,
        flagged=hits,
        unjudged=len(tried) - n,
        rate=hits / n if n else None,
        interval=structs.astuple(binomial_interval(hits, n)) if n else None,
    )
