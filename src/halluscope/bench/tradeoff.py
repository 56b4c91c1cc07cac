"""What asking a better judge about the doubtful cases buys, for every share of cases it could be asked about."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from .. import stats
from .run import JudgeRun


class Point(Struct, frozen=True, kw_only=True):
    """The two judges together where `share` of the cases, those the first is least sure of, go to the second.

    A cascade with the band `low` to `high` does this. `errors_closed` is the share of the first
    judge's mistakes that are gone. `cost` is in US dollars, None where a price is not known.
    """

    share: float
    low: float
    high: float
    accuracy: float
    balanced_accuracy: float
    errors_closed: float | None
    cost: float | None


def tradeoff(cheap: JudgeRun, costly: JudgeRun, steps: Sequence[float] | None = None) -> tuple[Point, ...]:
    """The points from never asking the second judge to always asking it."""
    both = [
        (first, second)
        for first, second in zip(cheap.judged, costly.judged, strict=True)
        if first.probability is not None and first.flagged is not None and second.flagged is not None
    ]
    both.sort(key=lambda pair: abs((pair[0].probability or 0.0) - 0.5))
    truth = [first.item.hallucinated for first, _ in both]
    own = [bool(first.flagged) for first, _ in both]
    better = [bool(second.flagged) for _, second in both]
    mistakes = sum(said != so for said, so in zip(own, truth, strict=True))
    points = []
    for share in steps or [i / 20 for i in range(21)]:
        asked = round(share * len(both))
        said = better[:asked] + own[asked:]
        counts = stats.confusion(truth, said)
        wrong = sum(a != b for a, b in zip(said, truth, strict=True))
        reach = abs((both[asked - 1][0].probability or 0.0) - 0.5) if asked else 0.0
        points.append(
            Point(
                share=share,
                low=0.5 - reach,
                high=0.5 + reach,
                accuracy=counts.accuracy,
                balanced_accuracy=counts.balanced_accuracy,
                errors_closed=(mistakes - wrong) / mistakes if mistakes else None,
                cost=_sum([first.cost for first, _ in both] + [second.cost for _, second in both[:asked]]),
            )
        )
    return tuple(points)


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
