"""Choosing a threshold with a guarantee from labels, and mapping scores to probabilities.

The threshold is an order statistic. For any distribution of scores, the true recall at the k-th lowest score of m
hallucinated cases is below r with a probability that depends only on k, m and r (a binomial tail, as in the
Clopper-Pearson interval). The highest k with a small enough probability gives the highest threshold that can be
guaranteed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from ...core.counting import count_of
from ...core.errors import InputError
from ...core.plumbing.public import public
from ...runs.profile import MappingKind, Profile, Promise, ScoreMapping
from ...stats.arrays import Bools, Floats, Numbers, as_bools, as_probabilities, same_length
from ...stats.binomial import binomial_interval, binomial_tails
from ...stats.calibration import Calibration, logistic
from ...stats.confusion import Counting
from ...stats.ranking import Ranking

FEW = 50
"""With fewer labels, the intervals are too wide to be useful."""
ENOUGH_FOR_STEPS = 200
"""From this many labels, isotonic regression fits better than Platt scaling. With fewer, it fits noise."""

FOLDS = 5
"""Parts of the labels in the cross-validation of a mapping."""

CONFIDENCE = 0.99
"""Default confidence of the guarantee."""


class Threshold(Struct, frozen=True, kw_only=True):
    """A threshold. It is not `reachable` if there are too few labels; then all outputs, or none, are flagged."""

    value: float
    reachable: bool = True


def threshold_for(promise: Promise, scores: Numbers, wanted: float, confidence: float = CONFIDENCE) -> Threshold:
    """Return the highest threshold that keeps a recall with this confidence, or the lowest that keeps few false alarms.

    `scores` are those of the hallucinated cases for a recall, and of the factual cases for a rate of false alarms.
    """
    ordered = np.sort(np.asarray(scores, dtype=np.float64))
    # The probability that k scores or more lie beyond the point at which the target is just met.
    keeps = binomial_tails(len(ordered), 1 - wanted if promise == "recall" else wanted)[1:]
    k = int((keeps >= confidence).sum())
    if promise == "recall":
        return Threshold(value=float(ordered[k - 1]) if k else 0.0, reachable=k > 0)
    return Threshold(value=math.nextafter(float(ordered[-k]) if k else 1.0, math.inf), reachable=k > 0)


def labels_needed(rate: float, confidence: float = CONFIDENCE) -> int:
    """Return how many cases of the class are needed to guarantee a rate (a recall, or 1 - false alarms)."""
    return math.ceil(math.log(1 - confidence) / math.log(rate))


def isotonic(truth: Numbers, scores: Numbers) -> ScoreMapping:
    """Fit isotonic regression (pool adjacent violators), with linear interpolation."""
    is_bad, values = _read(truth, scores)
    levels, level = np.unique(values, return_inverse=True)
    blocks: list[tuple[float, float, float, float]] = []  # lowest score, highest score, hallucinated, cases
    for score, bad, n in zip(levels, np.bincount(level, is_bad), np.bincount(level), strict=True):
        block = (float(score), float(score), float(bad), float(n))
        while blocks and blocks[-1][2] / blocks[-1][3] >= block[2] / block[3]:
            low, _, more_bad, more = blocks.pop()
            block = (low, block[1], more_bad + block[2], more + block[3])
        blocks.append(block)
    edge = 1 / (len(values) + 2)  # a probability is never exactly 0 or 1
    points = []
    for low, high, bad, n in blocks:
        value = min(1 - edge, max(edge, bad / n))
        points += [(low, value)] if low == high else [(low, value), (high, value)]
    return ScoreMapping(kind="isotonic", scores=tuple(p[0] for p in points), values=tuple(p[1] for p in points))


def platt(truth: Numbers, scores: Numbers) -> ScoreMapping:
    """Fit Platt scaling by maximum likelihood, with smoothed targets and Newton's method."""
    is_bad, values = _read(truth, scores)
    bad, good = int(is_bad.sum()), int((~is_bad).sum())
    target = np.where(is_bad, (bad + 1) / (bad + 2), 1 / (good + 2))
    features = np.stack([values, np.ones_like(values)])
    beta = np.array([0.0, math.log((bad + 1) / (good + 1))])
    for _ in range(100):
        p = logistic(beta @ features)
        gradient = features @ (p - target) + 1e-9 * beta
        curvature = (features * (p * (1 - p))) @ features.T + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while size > 1e-8 and _loss(beta - size * step, features, target) > _loss(beta, features, target):
            size /= 2
        beta = beta - size * step
        if np.abs(size * step).max() < 1e-10:
            break
    return ScoreMapping(kind="platt", slope=float(beta[0]), offset=float(beta[1]))


def _loss(beta: Floats, features: Floats, target: Floats) -> float:
    x = beta @ features
    return float((np.logaddexp(0, x) - target * x).sum())


def _read(truth: Numbers, scores: Numbers) -> tuple[Bools, Floats]:
    is_bad, values = as_bools("truth", truth), as_probabilities("scores", scores)
    same_length(truth=is_bad, scores=values)
    if not is_bad.any() or is_bad.all():
        raise InputError("calibration needs cases of both kinds: hallucinated ones and factual ones.")
    return is_bad, values


def fitted(truth: Numbers, scores: Numbers, kind: MappingKind | None = None) -> ScoreMapping:
    """Fit a mapping. By default, the number of labels decides its kind."""
    return isotonic(truth, scores) if _kind(kind, len(truth)) == "isotonic" else platt(truth, scores)


def _kind(kind: MappingKind | None, n: int) -> MappingKind:
    return kind or ("isotonic" if n >= ENOUGH_FOR_STEPS else "platt")


def cross_fitted(truth: Numbers, scores: Numbers, kind: MappingKind | None = None) -> Floats:
    """Return cross-validated probabilities: each case is mapped by a mapping fitted on other cases."""
    is_bad, values = _read(truth, scores)
    fold = np.random.default_rng(0).permutation(len(values)) % FOLDS
    mapped = np.empty(len(values))
    for i in range(FOLDS):
        inside, outside = fold == i, fold != i
        rest = is_bad[outside]
        if rest.all() or not rest.any():
            return np.full(len(values), np.nan)
        mapping = fitted(rest, values[outside], _kind(kind, len(values)))
        mapped[inside] = [mapping(score) for score in values[inside]]
    return mapped


def promised(recall: float | None, false_alarms: float | None, confidence: float) -> tuple[Promise, float]:
    """Return the kind and the rate of the guarantee. Raises `InputError` unless exactly one is given."""
    given: list[tuple[Promise, float | None]] = [("recall", recall), ("false_alarms", false_alarms)]
    found = [(promise, rate) for promise, rate in given if rate is not None]
    if len(found) != 1:
        raise InputError("ask for a recall or for a rate of false alarms: one of them, not both.")
    for what, value in (("rate", found[0][1]), ("confidence", confidence)):
        if not 0 < value < 1:
            raise InputError(f"the {what} must be between 0 and 1, not {value:g}.")
    return found[0]


@public
def calibrate(
    truth: Sequence[bool],
    probabilities: Sequence[float],
    *,
    name: str,
    judge: str,
    metric: str,
    metric_version: str = "",
    recall: float | None = None,
    false_alarms: float | None = None,
    confidence: float = CONFIDENCE,
    mapping: MappingKind | None = None,
) -> Profile:
    """Choose a threshold with a guarantee from labelled cases.

    Args:
        truth: Whether each output is hallucinated.
        probabilities: The judge's probability for each, see `probability_of`.
        name: Name of the profile.
        judge: Name of the judge.
        metric: Name of the metric.
        metric_version: Version of the metric.
        recall: Guarantee that at least this share of hallucinated outputs is flagged.
        false_alarms: Guarantee instead that at most this share of factual outputs is flagged.
        confidence: Confidence of the guarantee.
        mapping: "isotonic" or "platt". By default chosen by the number of labels.

    Returns:
        A profile, which is not saved yet.

    Raises:
        InputError: An argument is invalid, or all labels are equal.

    Example:
        >>> profile = calibrate(truth, probabilities, name="support", judge="local", metric="label", recall=0.9)
        >>> profile.save()
    """
    promise, wanted = promised(recall, false_alarms, confidence)
    is_bad, scores = _read(truth, probabilities)
    found = threshold_for(promise, scores[is_bad] if promise == "recall" else scores[~is_bad], wanted, confidence)
    counts = Counting(is_bad, scores >= found.value)()
    bad, good = int(is_bad.sum()), int((~is_bad).sum())
    afterwards = cross_fitted(is_bad, scores, mapping)
    known = not np.isnan(afterwards).any()
    return Profile(
        name=name,
        judge=judge,
        metric=metric,
        metric_version=metric_version,
        threshold=found.value,
        promise=promise,
        wanted=wanted,
        confidence=confidence,
        reachable=found.reachable,
        n=len(scores),
        hallucinated=bad,
        recall=counts.recall,
        recall_interval=binomial_interval(int(counts.tp), bad),
        false_alarms=counts.false_alarms,
        false_alarms_interval=binomial_interval(int(counts.fp), good),
        mapping=fitted(is_bad, scores, mapping),
        ece_before=Calibration(is_bad, scores).error(),
        ece_after=Calibration(is_bad, afterwards).error() if known else None,
    )


def cautions(profile: Profile, truth: Sequence[bool], probabilities: Sequence[float]) -> list[str]:
    """Return warnings about a profile."""
    warnings = []
    if profile.n < FEW:
        few = count_of(profile.n, "label is", "labels are")
        warnings.append(f"{few} few: the intervals are wide. {FEW} or more are better.")
    if not profile.reachable:
        warnings.append(_too_few(profile))
    elif profile.recall == 1 and profile.false_alarms == 1:
        warnings.append("The threshold flags every case: no other threshold meets the target with this judge.")
    elif profile.recall == 0 and profile.false_alarms == 0:
        warnings.append("The threshold flags no case: no other threshold meets the target with this judge.")
    if Ranking(truth, probabilities).auroc() < 0.6:
        warnings.append("The scores hardly distinguish hallucinated from factual outputs, whatever the threshold.")
    return warnings


def _too_few(profile: Profile) -> str:
    by_recall = profile.promise == "recall"
    m = profile.hallucinated if by_recall else profile.n - profile.hallucinated
    rate = profile.wanted if by_recall else 1 - profile.wanted
    needed = labels_needed(rate, profile.confidence)
    most = (1 - profile.confidence) ** (1 / m)
    kind, what, sign = ("hallucinated", "recall", most) if by_recall else ("factual", "false alarms", 1 - most)
    too_few = count_of(m, f"{kind} case is", f"{kind} cases are")
    return (
        f"{too_few} too few for this target, so {'every' if by_recall else 'no'} output is flagged. "
        f"{what} of {sign:.3f} can be guaranteed; {profile.wanted:g} needs {needed} labels."
    )
