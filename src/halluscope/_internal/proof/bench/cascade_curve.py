"""Accuracy and cost of a cascade for different bands.

`tradeoff` only uses bands around 0.5. `bands` moves both ends independently, because a judge may be reliable when it
says "factual" and unreliable when it says "hallucinated".
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

import numpy as np
from msgspec import Struct

from ...core.errors import InputError
from ...core.plumbing.public import public_in
from ...stats.arrays import Bools
from .judge_run import JudgeRun

STEPS = 20


@public_in("halluscope.judges")
class Doubt(Struct, frozen=True):
    """One case with the verdicts of both judges of a cascade.

    Attributes:
        probability: The first judge's probability that the output is hallucinated.
        flagged: The first judge's verdict.
        second: The second judge's verdict.
        truth: The label.
        first_cost: Cost of the first judge in US dollars, None if unknown.
        second_cost: Cost of the second judge.
    """

    probability: float
    flagged: bool
    second: bool
    truth: bool
    first_cost: float | None = 0.0
    second_cost: float | None = 1.0


@public_in("halluscope.judges")
class Band(Struct, frozen=True, kw_only=True):
    """A cascade with one band, measured on all cases.

    Attributes:
        low: Lower end of the band.
        high: Upper end of the band.
        share: The share of cases that go to the second judge.
        cost: The cost in US dollars, None if unknown.
        accuracy: The accuracy.
        balanced_accuracy: The balanced accuracy.
        errors_closed: The share of the first judge's errors that are fixed. Negative if there are more errors than
            before, None if the first judge made no error.
    """

    low: float
    high: float
    share: float
    cost: float | None
    accuracy: float
    balanced_accuracy: float
    errors_closed: float | None


@public_in("halluscope.judges")
def doubts(cheap: JudgeRun, costly: JudgeRun | None = None, *, price: float = 1.0) -> list[Doubt]:
    """Return the cases that both judges scored.

    Args:
        cheap: The run of the first judge.
        costly: The run of the second judge. By default a perfect judge.
        price: The price per case of the perfect judge.

    Returns:
        One entry for each case, in the order of the runs.

    Example:
        >>> found = doubts(run_judge(cases, resolve("local"), Label()))
    """
    seconds = costly.judged if costly is not None else (None,) * len(cheap.judged)
    found = []
    for first, second in zip(cheap.judged, seconds, strict=True):
        if first.probability is None or first.flagged is None or (second is not None and second.flagged is None):
            continue
        truth = first.item.hallucinated
        said = truth if second is None else bool(second.flagged)
        cost = price if second is None else second.cost
        found.append(Doubt(first.probability, first.flagged, said, truth, first.cost, cost))
    return found


def tradeoff(cheap: JudgeRun, costly: JudgeRun) -> tuple[Band, ...]:
    """Measure bands around 0.5, from never to always asking the second judge."""
    found = doubts(cheap, costly)
    if not found:
        return ()
    table = DoubtTable(found)
    return tuple(table.at_share(step / STEPS) for step in range(STEPS + 1))


@public_in("halluscope.judges")
def bands(cases: Sequence[Doubt], steps: int = STEPS) -> tuple[Band, ...]:
    """Measure all bands whose ends are quantiles of the first judge's probabilities.

    Args:
        cases: The cases.
        steps: The number of quantiles.

    Returns:
        One band for each pair of a lower and an upper end.

    Raises:
        InputError: There are no cases.

    Example:
        >>> frontier(bands(doubts(cheap, costly)))[0].balanced_accuracy
        0.84
    """
    table = DoubtTable(cases)
    cuts = np.quantile(table.probability, np.linspace(0, 1, steps + 1))
    lows = sorted({0.0, 0.5, *(float(c) for c in cuts if c <= 0.5)})
    highs = sorted({0.5, 1.0, *(float(c) for c in cuts if c >= 0.5)})
    return tuple(table.band(low, high) for low in lows for high in highs)


@public_in("halluscope.judges")
def frontier(found: Sequence[Band]) -> tuple[Band, ...]:
    """Return the Pareto-optimal bands.

    Args:
        found: The bands to choose from.

    Returns:
        The bands that no other one beats in both cost and accuracy, from the cheapest to the most accurate.

    Raises:
        InputError: The price of a judge is not known.

    Example:
        >>> frontier(bands(doubts(cheap, costly)))[-1].share
        0.4
    """
    best: list[Band] = []
    for band in sorted(found, key=lambda b: (_cost(b), -b.balanced_accuracy)):
        if not best or band.balanced_accuracy > best[-1].balanced_accuracy + 1e-12:
            best.append(band)
    return tuple(best)


class DoubtTable:
    """Cases of a cascade, on which bands are measured."""

    def __init__(self, cases: Sequence[Doubt]) -> None:
        if not cases:
            raise InputError("there is no case that both judges scored.")
        self.probability = np.array([case.probability for case in cases], dtype=np.float64)
        self.flagged = np.array([case.flagged for case in cases], dtype=np.bool_)
        self.second = np.array([case.second for case in cases], dtype=np.bool_)
        self.truth = np.array([case.truth for case in cases], dtype=np.bool_)
        self.first_cost = np.array([case.first_cost for case in cases], dtype=np.float64).sum()  # None is NaN
        self.second_cost = np.array([case.second_cost for case in cases], dtype=np.float64)
        self.mistakes = int((self.flagged != self.truth).sum())

    def band(self, low: float, high: float) -> Band:
        """Apply a band: the first judge is sure below `low` if not flagged, and above `high` if flagged."""
        sure = np.where(self.flagged, self.probability > high, self.probability < low)
        return self._judged(~sure, low, high)

    def at_share(self, share: float) -> Band:
        """Apply the band around 0.5 with which this share of cases goes to the second judge."""
        if not 0 <= share <= 1:
            raise InputError(f"a share lies between 0 and 1, not {share!r}.")
        count = round(share * len(self.probability))
        doubt = np.abs(self.probability - 0.5)
        order = np.argsort(doubt, kind="stable")
        asked = np.zeros(len(doubt), dtype=np.bool_)
        asked[order[:count]] = True
        reach = float(doubt[order[count - 1]]) if count else 0.0
        return self._judged(asked, 0.5 - reach, 0.5 + reach)

    def _judged(self, asked: Bools, low: float, high: float) -> Band:
        said = np.where(asked, self.second, self.flagged)
        right = said == self.truth
        rates = [float(right[self.truth == side].mean()) for side in (True, False) if (self.truth == side).any()]
        wrong = int((~right).sum())
        cost = float(self.first_cost + self.second_cost[asked].sum())
        return Band(
            low=low,
            high=high,
            share=float(asked.mean()),
            cost=None if np.isnan(cost) else cost,
            accuracy=float(right.mean()),
            balanced_accuracy=sum(rates) / len(rates),
            errors_closed=(self.mistakes - wrong) / self.mistakes if self.mistakes else None,
        )


def _cost(band: Band) -> float:
    if band.cost is None:
        raise InputError("the price of a judge is not known: pass price=… to it.")
    return band.cost


@public_in("halluscope.judges")
def band_chart(found: Sequence[Band], *, width: int = 60, height: int = 14) -> str:
    """Draw balanced accuracy against cost as text. Pareto-optimal bands are stars.

    Args:
        found: The bands.
        width: Characters in a row.
        height: Number of rows.

    Returns:
        The lines of the chart.

    Raises:
        InputError: There is no band, or the price of a judge is not known.

    Example:
        >>> print(band_chart(bands(doubts(cheap, costly))))
    """
    best = set(map(id, frontier(found)))
    cost, floor, top = _scales(found)
    rows = [[" "] * (width + 1) for _ in range(height + 1)]
    for band in sorted(found, key=lambda b: id(b) in best):
        across = round(_cost(band) / cost * width) if cost else 0
        up = round((band.balanced_accuracy - floor) / (top - floor) * height)
        rows[height - up][across] = "*" if id(band) in best else "·"
    lines = [
        f"{top - (top - floor) * place / height:5.3f} │{''.join(row).rstrip()}"
        if place % 2 == 0
        else f"      │{''.join(row).rstrip()}"
        for place, row in enumerate(rows)
    ]
    return "\n".join(
        [
            "balanced accuracy",
            *lines,
            "      └" + "─" * (width + 1),
            f"       0{'cost':^{width - 8}}{cost:>8.4g}",
            "* Pareto-optimal   · other bands",
        ]
    )


@public_in("halluscope.judges")
def band_svg(found: Sequence[Band], title: str = "Accuracy and cost of a cascade") -> str:
    """Draw balanced accuracy against cost as SVG.

    Args:
        found: The bands.
        title: The title of the picture.

    Returns:
        The SVG.

    Raises:
        InputError: There is no band, or the price of a judge is not known.

    Example:
        >>> Path("bands.svg").write_text(band_svg(bands(doubts(cheap, costly))))
    """
    best = frontier(found)
    cost, floor, top = _scales(found)
    wide, high, left, above = 520, 300, 70, 50

    def place(band: Band) -> tuple[float, float]:
        across = _cost(band) / cost if cost else 0.0
        return left + across * wide, above + (1 - (band.balanced_accuracy - floor) / (top - floor)) * high

    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="#9aa0a6"/>' for x, y in map(place, found))
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, best))
    marks = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#1b7f5c">'
        f"<title>low {b.low:.2f}, high {b.high:.2f}: {b.share:.0%} passed on, "
        f"balanced accuracy {b.balanced_accuracy:.3f}, cost {b.cost:.4g}</title></circle>"
        for b, (x, y) in ((b, place(b)) for b in best)
    )
    ticks = "".join(
        f'<text x="{left - 8}" y="{above + high * (1 - part) + 4:.0f}" text-anchor="end">'
        f"{floor + (top - floor) * part:.2f}</text>"
        f'<text x="{left + wide * part:.0f}" y="{above + high + 18}" text-anchor="middle">{cost * part:.4g}</text>'
        for part in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + wide + 30}" height="{above + high + 50}" '
        f'viewBox="0 0 {left + wide + 30} {above + high + 50}" font-family="sans-serif" font-size="12" role="img">'
        f'<title>{escape(title)}</title><rect width="100%" height="100%" fill="#ffffff"/>'
        f'<text x="{left}" y="24" font-size="15" font-weight="bold">{escape(title)}</text>'
        f'<rect x="{left}" y="{above}" width="{wide}" height="{high}" fill="none" stroke="#9aa0a6"/>'
        f'{dots}<polyline points="{line}" fill="none" stroke="#1b7f5c" stroke-width="2"/>{marks}{ticks}'
        f'<text x="{left + wide / 2}" y="{above + high + 38}" text-anchor="middle">cost</text>'
        f'<text x="16" y="{above + high / 2}" text-anchor="middle" transform="rotate(-90 16 {above + high / 2})">'
        "balanced accuracy</text></svg>\n"
    )


def _scales(found: Sequence[Band]) -> tuple[float, float, float]:
    """Return the highest cost, and the lowest and highest accuracy."""
    if not found:
        raise InputError("there is no band to draw.")
    floor = min(band.balanced_accuracy for band in found)
    top = max(band.balanced_accuracy for band in found)
    return max(_cost(band) for band in found), floor, top if top - floor > 1e-9 else floor + 1e-3
