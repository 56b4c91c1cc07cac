"""How far judges agree, read from the votes that results carry."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from ...plumbing.public import public_in
from ...result import Result
from ...stats.agreement import krippendorff_alpha
from ...verdict import Verdict, Vote
from .ballot import minority


@public_in("halluscope.judges")
class Agreement(Struct, frozen=True):
    """Krippendorff's alpha of the judges over all things that at least two of them voted on.

    1 is perfect agreement, 0 what chance gives, below 0 systematic disagreement; NaN where there is
    nothing to compare. `alpha` is about whether a thing holds, `alpha_support` about the exact
    support. `unanimous` is the share of things on which all said the same.
    """

    alpha: float
    alpha_support: float
    unanimous: float
    things: int
    judges: tuple[str, ...]


@public_in("halluscope.judges")
class Disagreement(Struct, frozen=True):
    """One thing the judges were divided on. `split` is the share of the weight in the minority."""

    case_id: str
    metric: str
    verdict: Verdict
    split: float


@public_in("halluscope.judges")
class FlipRates(Struct, frozen=True):
    """How often samples of one judge speak against its verdict: per claim, per case, and each case's own rate."""

    claims: float
    cases: float
    by_case: dict[str, float]


@public_in("halluscope.judges")
def agreement(results: Iterable[Result]) -> Agreement:
    """How far the judges of a panel, or the samples of one judge, agree over a run."""
    rows: list[dict[str, Vote]] = []
    for result in results:
        for verdict in result.verdicts:
            votes = {_voter(vote): vote for vote in verdict.votes}
            if len(votes) > 1:
                rows.append(votes)
    voters = sorted({voter for row in rows for voter in row})
    sides = [[row[v].support.holds if v in row else None for v in voters] for row in rows]
    supports = [[row[v].support.value if v in row else None for v in voters] for row in rows]
    same = sum(len({vote.support.holds for vote in row.values()}) == 1 for row in rows)
    return Agreement(
        alpha=krippendorff_alpha(sides) if rows else float("nan"),
        alpha_support=krippendorff_alpha(supports) if rows else float("nan"),
        unanimous=same / len(rows) if rows else float("nan"),
        things=len(rows),
        judges=tuple(voters),
    )


@public_in("halluscope.judges")
def disagreements(results: Iterable[Result]) -> list[Disagreement]:
    """What the judges were divided on, the most divided first: where a person's look is worth most."""
    found = [
        Disagreement(result.case_id, result.metric, verdict, minority(verdict.votes))
        for result in results
        for verdict in result.verdicts
        if len({vote.support for vote in verdict.votes}) > 1
    ]
    return sorted(found, key=lambda d: (-d.split, -len({vote.support for vote in d.verdict.votes})))


def flip_rate(verdict: Verdict) -> float | None:
    """The share of samples that speak against the verdict; None where it was not sampled."""
    votes = [vote for vote in verdict.votes if vote.sample is not None]
    return minority(votes) if votes else None


@public_in("halluscope.judges")
def flip_rates(results: Iterable[Result]) -> FlipRates:
    """The mean flip rate of claims, and that of cases: of a case, a sample is for or against the whole output.

    A case that was scored more than once (by several metrics) has the mean of its rates.
    """
    claims: list[float] = []
    cases: dict[str, list[float]] = {}
    for result in results:
        rates = [rate for rate in map(flip_rate, result.verdicts) if rate is not None]
        if rates:
            claims += rates
            cases.setdefault(result.case_id, []).append(_case_rate(result))
    by_case = {case: sum(rates) / len(rates) for case, rates in cases.items()}
    return FlipRates(_mean(claims), _mean(list(by_case.values())), by_case)


def _case_rate(result: Result) -> float:
    """A sample is against the output if it is against any of its claims."""
    bad: dict[int, bool] = {}
    for verdict in result.verdicts:
        for vote in verdict.votes:
            if vote.sample is not None:
                bad[vote.sample] = bad.get(vote.sample, False) or not vote.support.holds
    against = sum(bad.values())
    return min(against, len(bad) - against) / len(bad)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def _voter(vote: Vote) -> str:
    return vote.judge if vote.sample is None else f"{vote.judge} #{vote.sample}"


__all__ = [
    "Agreement",
    "Disagreement",
    "FlipRates",
    "agreement",
    "disagreements",
    "flip_rate",
    "flip_rates",
]
