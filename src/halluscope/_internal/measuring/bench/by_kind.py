"""How often each kind of answer was called what it is: which errors a judge finds, which right answers it trusts."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ...plumbing.public import public
from ...stats.arrays import Bools
from ...stats.binomial import binomial_interval
from ..labelled_case import LabelledCase


@public
class KindFigures(Struct, frozen=True, kw_only=True):
    """Of `n` answers of one kind, all wrong or all right, `right` were called what they are.

    `rate` is the share of them, with its exact interval at 95 %.
    """

    kind: str
    hallucinated: bool
    n: int
    right: int
    rate: float
    interval: tuple[float, float]


def by_kind(cases: Sequence[LabelledCase], flagged: Bools) -> tuple[KindFigures, ...]:
    """The wrong kinds first, each from the commonest to the rarest; nothing where the set names no kinds."""
    called: dict[tuple[str, bool], list[bool]] = {}
    for item, said in zip(cases, flagged, strict=True):
        if item.kind is not None:
            called.setdefault((item.kind, item.hallucinated), []).append(bool(said) == item.hallucinated)
    order = sorted(called.items(), key=lambda entry: (not entry[0][1], -len(entry[1]), entry[0][0]))
    return tuple(_figures(kind, wrong, hits) for (kind, wrong), hits in order)


def _figures(kind: str, wrong: bool, hits: list[bool]) -> KindFigures:
    n, right = len(hits), sum(hits)
    interval = binomial_interval(right, n)
    return KindFigures(
        kind=kind,
        hallucinated=wrong,
        n=n,
        right=right,
        rate=right / n,
        interval=(interval.low, interval.high),
    )
