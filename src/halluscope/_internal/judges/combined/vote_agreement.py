"""Agreement between judges, and flip rates of samples, computed from the votes in results."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from msgspec import Struct

from ...core.plumbing.public import public_in
from ...core.result import Result
from ...core.verdict import Verdict
from ...stats.agreement import krippendorff_alpha
from .poll import minority


@public_in("halluscope.judges")
class Agreement(Struct, frozen=True):
    """How far judges agree on the items that at least two of them voted on.

    Krippendorff's alpha is 1 for perfect agreement, 0 for what chance gives and below 0 for systematic disagreement.
    It is NaN if there is nothing to compare.

    Attributes:
        alpha: Krippendorff's alpha on whether an item holds.
        alpha_support: Krippendorff's alpha on the exact support.
        unanimous: The share of items on which all judges agree.
        things: Number of items.
        judges: The judges, or the samples of one judge.
    """

    alpha: float
    alpha_support: float
    unanimous: float
    things: int
    judges: tuple[str, ...]


@public_in("halluscope.judges")
class Disagreement(Struct, frozen=True):
    """A verdict on which the judges were divided.

    Attributes:
        case_id: The id of the case.
        metric: The name of the metric.
        verdict: The verdict, with its votes.
        split: The share of the weight that voted for the losing side.
    """

    case_id: str
    metric: str
    verdict: Verdict
    split: float


@public_in("halluscope.judges")
class FlipRates(Struct, frozen=True):
    """How often samples of one judge vote against its verdict.

    Attributes:
        claims: Mean flip rate of the claims.
        cases: Mean flip rate of the cases. A sample votes against a case if it votes against any of its claims.
        by_case: The flip rate of each case.
    """

    claims: float
    cases: float
    by_case: dict[str, float]


@public_in("halluscope.judges")
def agreement(results: Iterable[Result]) -> Agreement:
    """Compute how far the judges of a panel, or the samples of one judge, agree.

    Args:
        results: Results that were scored with `panel(…)` or `consistent(…)`.

    Returns:
        Krippendorff's alpha and the share of unanimous items.

    Example:
        >>> agreement(Run("nightly")).alpha
        0.71
    """
    by_voter = (
        {vote.judge if vote.sample is None else f"{vote.judge} #{vote.sample}": vote.support for vote in v.votes}
        for result in results
        for v in result.verdicts
    )
    rows = [row for row in by_voter if len(row) > 1]
    voters = sorted({voter for row in rows for voter in row})
    supports = [[row.get(voter) for voter in voters] for row in rows]
    sides = [[None if support is None else support.holds for support in row] for row in supports]
    same = sum(len(set(row) - {None}) == 1 for row in sides)
    return Agreement(
        alpha=krippendorff_alpha(sides) if rows else float("nan"),
        alpha_support=krippendorff_alpha(supports) if rows else float("nan"),
        unanimous=same / len(rows) if rows else float("nan"),
        things=len(rows),
        judges=tuple(voters),
    )


@public_in("halluscope.judges")
def disagreements(results: Iterable[Result]) -> list[Disagreement]:
    """List the verdicts on which judges were divided, most divided first. These are the ones to review by hand.

    Args:
        results: Results that were scored with `panel(…)` or `consistent(…)`.

    Returns:
        One entry for each divided verdict.

    Example:
        >>> disagreements(Run("nightly"))[0].verdict.claim.text
        'It closed in 1969.'
    """
    found = [
        Disagreement(result.case_id, result.metric, verdict, minority(verdict.votes))
        for result in results
        for verdict in result.verdicts
        if len({vote.support for vote in verdict.votes}) > 1
    ]
    return sorted(found, key=lambda d: (-d.split, -len({vote.support for vote in d.verdict.votes})))


def flip_rate(verdict: Verdict) -> float | None:
    """The share of samples that vote against the verdict, None if it was not sampled."""
    votes = [vote for vote in verdict.votes if vote.sample is not None]
    return minority(votes) if votes else None


@public_in("halluscope.judges")
def flip_rates(results: Iterable[Result]) -> FlipRates:
    """Compute how often samples of one judge vote against its verdict.

    Args:
        results: Results that were scored with `consistent(…)`. A case with several results has the mean of their rates.

    Returns:
        The mean rates of claims and cases, and the rate of each case.

    Example:
        >>> flip_rates(Run("nightly")).cases
        0.08
    """
    claims: list[float] = []
    cases: dict[str, list[float]] = {}
    for result in results:
        rates = [rate for rate in map(flip_rate, result.verdicts) if rate is not None]
        if rates:
            claims += rates
            cases.setdefault(result.case_id, []).append(_case_rate(result))
    by_case = {case: fmean(rates) for case, rates in cases.items()}
    nothing = float("nan")
    return FlipRates(fmean(claims) if claims else nothing, fmean(by_case.values()) if claims else nothing, by_case)


def _case_rate(result: Result) -> float:
    """The flip rate of one output. A sample votes against it if it votes against any of its claims."""
    votes = [vote for verdict in result.verdicts for vote in verdict.votes if vote.sample is not None]
    samples = {vote.sample for vote in votes}
    against = {vote.sample for vote in votes if not vote.support.holds}
    return min(len(against), len(samples) - len(against)) / len(samples)
