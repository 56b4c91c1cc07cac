"""What every band of a cascade costs and reaches, so that the user can pick one.

`tradeoff` looks at bands around the middle only. In `bands` both ends move, each on its own: a judge that
is often wrong when it says "hallucinated" and seldom when it says "factual" wants a lopsided band.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

import numpy as np
from msgspec import Struct

from ...errors import InputError
from ...plumbing.public import public_in
from ...stats.arrays import Bools, Floats
from .judge_run import JudgeRun

STEPS = 20


@public_in("halluscope.judges")
class Doubt(Struct, frozen=True):
    """One case as a cascade sees it: what the first judge thinks, what the second would say, and what is so.

    A cost is in US dollars, None where the price is not known.
    """

    probability: float
    flagged: bool
    second: bool
    truth: bool
    first_cost: float | None = 0.0
    second_cost: float | None = 1.0


@public_in("halluscope.judges")
class Band(Struct, frozen=True, kw_only=True):
    """A cascade with this band over all cases.

    `share` of them go to the second judge. `errors_closed` is the part of the first judge's mistakes
    that are gone (negative where the second makes more than it mends), None where there were none.
    `cost` is None where a price is not known.
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
    """The cases that both judges scored. Without a second run the second judge is a perfect one at `price` a case."""
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
    """The bands around the middle, from never asking the second judge to always asking it."""
    found = doubts(cheap, costly)
    return tuple(at_share(found, step / STEPS) for step in range(STEPS + 1)) if found else ()


@public_in("halluscope.judges")
def bands(cases: Sequence[Doubt], steps: int = STEPS) -> tuple[Band, ...]:
    """All bands whose ends are among `steps` quantiles of the first judge's probabilities, and none at all."""
    if not cases:
        raise InputError("there is no case that both judges scored: nothing to draw.")
    table = _Table(cases)
    cuts = np.quantile(table.probability, np.linspace(0, 1, steps + 1))
    lows = sorted({0.0, 0.5, *(float(c) for c in cuts if c <= 0.5)})
    highs = sorted({0.5, 1.0, *(float(c) for c in cuts if c >= 0.5)})
    return tuple(table.band(low, high) for low in lows for high in highs)


def at_share(cases: Sequence[Doubt], share: float) -> Band:
    """The band around the middle that passes on this share of the cases, those the first judge is least sure of."""
    if not 0 <= share <= 1:
        raise InputError(f"a share lies between 0 and 1, not {share!r}.")
    if not cases:
        raise InputError("there is no case that both judges scored: nothing to pass on.")
    table = _Table(cases)
    count = round(share * len(cases))
    order = np.argsort(np.abs(table.probability - 0.5), kind="stable")
    asked = np.zeros(len(cases), dtype=np.bool_)
    asked[order[:count]] = True
    reach = float(abs(table.probability[order[count - 1]] - 0.5)) if count else 0.0
    return table.judged(asked, 0.5 - reach, 0.5 + reach)


def with_band(cases: Sequence[Doubt], low: float, high: float) -> Band:
    """What a cascade with this band does with the cases."""
    if not cases:
        raise InputError("there is no case that both judges scored: nothing to pass on.")
    return _Table(cases).band(low, high)


def best_at(cases: Sequence[Doubt], share: float, steps: int = STEPS) -> Band:
    """The band that mends most while it passes on at most this share; measure it on other cases than these."""
    affordable = [band for band in bands(cases, steps) if band.share <= share]
    return max(affordable or [with_band(cases, 0.5, 0.5)], key=lambda b: (b.errors_closed or 0.0, -b.share))


@public_in("halluscope.judges")
def frontier(found: Sequence[Band]) -> tuple[Band, ...]:
    """The bands worth choosing: no other is as cheap and better, from the cheapest to the best."""
    best: list[Band] = []
    for band in sorted(found, key=lambda b: (_cost(b), -b.balanced_accuracy)):
        if not best or band.balanced_accuracy > best[-1].balanced_accuracy + 1e-12:
            best.append(band)
    return tuple(best)


class _Table:
    def __init__(self, cases: Sequence[Doubt]) -> None:
        self.probability = np.array([case.probability for case in cases], dtype=np.float64)
        self.flagged = np.array([case.flagged for case in cases], dtype=np.bool_)
        self.second = np.array([case.second for case in cases], dtype=np.bool_)
        self.truth = np.array([case.truth for case in cases], dtype=np.bool_)
        self.first_cost = _unknown_as_nan(case.first_cost for case in cases).sum()
        self.second_cost = _unknown_as_nan(case.second_cost for case in cases)
        self.mistakes = int((self.flagged != self.truth).sum())

    def band(self, low: float, high: float) -> Band:
        """As the cascade does it: sure is below `low` and not flagged, or above `high` and flagged."""
        sure = np.where(self.flagged, self.probability > high, self.probability < low)
        return self.judged(~sure, low, high)

    def judged(self, asked: Bools, low: float, high: float) -> Band:
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


def _unknown_as_nan(costs: Iterable[float | None]) -> Floats:
    return np.array([np.nan if cost is None else cost for cost in costs], dtype=np.float64)


def _cost(band: Band) -> float:
    if band.cost is None:
        raise InputError("a judge's price is not known, so that no cost can be drawn: give it one with price=….")
    return band.cost


@public_in("halluscope.judges")
def band_chart(found: Sequence[Band], *, width: int = 60, height: int = 14) -> str:
    """Balanced accuracy against cost in characters: all bands as dots, those worth choosing as stars."""
    if not found:
        raise InputError("there is no band to draw.")
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
            "* worth choosing   · every other band",
        ]
    )


@public_in("halluscope.judges")
def band_svg(found: Sequence[Band], title: str = "What a band costs and reaches") -> str:
    """The same as a picture."""
    if not found:
        raise InputError("there is no band to draw.")
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
    """The dearest cost, and the lowest and highest accuracy with a little room between them."""
    floor = min(band.balanced_accuracy for band in found)
    top = max(band.balanced_accuracy for band in found)
    return max(_cost(band) for band in found), floor, top if top - floor > 1e-9 else floor + 1e-3
