"""From a person's labels to a threshold with a promise, and from scores to probabilities.

The threshold is chosen by order statistics. Whatever the scores look like, the true recall at the k-th
lowest score of m hallucinated cases falls short of r with a probability that only k, m and r decide
(a binomial tail, as in Clopper and Pearson's interval). So the highest k for which that probability
is small enough gives the highest threshold that can be promised; no model of the scores is needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from ...errors import InputError
from ...plumbing.public import public
from ...stats.arrays import Bools, Floats, Numbers, as_bools, as_probabilities, same_length
from ...stats.binomial import binomial_interval, binomial_tails
from ...stats.calibration import expected_calibration_error
from ...stats.confusion import confusion
from ...stats.ranking import auroc
from ...text.counting import count_of
from .profile import MappingKind, Profile, Promise, ScoreMapping

FEW = 50
"""With fewer labels than this the intervals are too wide to be of use."""
ENOUGH_FOR_STEPS = 200
"""From this many labels on, steps (isotonic) fit better than an S-curve (Platt); below they fit noise."""

CONFIDENCE = 0.99
"""A promise that holds with 95 % would hold in fewer than 95 of 100 cases as often as not."""


class Threshold(Struct, frozen=True, kw_only=True):
    """Flag from `value` on. Not `reachable`: the labels are too few, and all (or none) must be flagged."""

    value: float
    reachable: bool = True


def threshold_for_recall(bad_scores: Numbers, wanted: float, confidence: float = CONFIDENCE) -> Threshold:
    """The highest threshold whose recall is at least `wanted`, with the given confidence."""
    scores = np.sort(as_probabilities("scores", bad_scores))
    _check(wanted, confidence)
    # With k - 1 of the hallucinated below it, the k-th lowest score keeps the promise with this probability.
    keeps = binomial_tails(len(scores), 1 - wanted)[1:]
    allowed = np.flatnonzero(keeps >= confidence)
    if not len(allowed):
        return Threshold(value=0.0, reachable=False)
    return Threshold(value=float(scores[allowed[-1]]))


def threshold_for_false_alarms(good_scores: Numbers, wanted: float, confidence: float = CONFIDENCE) -> Threshold:
    """The lowest threshold whose rate of false alarms is at most `wanted`, with the given confidence."""
    scores = np.sort(as_probabilities("scores", good_scores))
    _check(1 - wanted, confidence)
    keeps = 1 - binomial_tails(len(scores), 1 - wanted)[1:]
    allowed = np.flatnonzero(keeps >= confidence)
    if not len(allowed):
        return Threshold(value=math.nextafter(1.0, 2.0), reachable=False)
    return Threshold(value=math.nextafter(float(scores[allowed[0]]), math.inf))


def labels_needed(rate: float, confidence: float = CONFIDENCE) -> int:
    """How many cases of the class it takes to promise this rate (a recall, or 1 - false alarms) at all."""
    return math.ceil(math.log(1 - confidence) / math.log(rate))


def most_promised(m: int, confidence: float = CONFIDENCE) -> float:
    """The highest rate that this many cases of the class can promise."""
    return float((1 - confidence) ** (1 / m)) if m else 0.0


def _check(wanted: float, confidence: float) -> None:
    for what, value in (("rate", wanted), ("confidence", confidence)):
        if not 0 < value < 1:
            raise InputError(f"the wanted {what} must lie between 0 and 1, {value:g} does not.")


def isotonic(truth: Numbers, scores: Numbers) -> ScoreMapping:
    """The rising steps nearest to the labels (pool adjacent violators), with straight lines between them."""
    is_bad, values = _read(truth, scores)
    order = np.argsort(values, kind="stable")
    blocks: list[list[float]] = []  # lowest score, highest score, hallucinated, cases
    for score, bad in zip(values[order].tolist(), is_bad[order].tolist(), strict=True):
        if blocks and blocks[-1][1] == score:
            blocks[-1][2] += bad
            blocks[-1][3] += 1
        else:
            blocks.append([score, score, float(bad), 1.0])
    merged: list[list[float]] = []
    for block in blocks:
        merged.append(block)
        while len(merged) > 1 and merged[-2][2] / merged[-2][3] >= merged[-1][2] / merged[-1][3]:
            low, _, bad, n = merged.pop(-2)
            last = merged[-1]
            merged[-1] = [low, last[1], bad + last[2], n + last[3]]
    edge = 1 / (len(values) + 2)  # no number of labels proves that something never happens
    points = []
    for low, high, bad, n in merged:
        value = min(1 - edge, max(edge, bad / n))
        points += [(low, value)] if low == high else [(low, value), (high, value)]
    return ScoreMapping(kind="isotonic", scores=tuple(p[0] for p in points), values=tuple(p[1] for p in points))


def platt(truth: Numbers, scores: Numbers) -> ScoreMapping:
    """The S-curve of greatest likelihood, with Platt's softened targets, found by Newton's method."""
    is_bad, values = _read(truth, scores)
    bad, good = int(is_bad.sum()), int((~is_bad).sum())
    target = np.where(is_bad, (bad + 1) / (bad + 2), 1 / (good + 2))
    features = np.stack([values, np.ones_like(values)])
    beta = np.array([0.0, math.log((bad + 1) / (good + 1))])
    for _ in range(100):
        p = _logistic(beta @ features)
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


def _logistic(x: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(x / 2)), dtype=np.float64)


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
    """The mapping of the kind that the number of labels can bear, or of the kind asked for."""
    chosen = kind or ("isotonic" if len(truth) >= ENOUGH_FOR_STEPS else "platt")
    return isotonic(truth, scores) if chosen == "isotonic" else platt(truth, scores)


def cross_fitted(
    truth: Numbers, scores: Numbers, kind: MappingKind | None = None, folds: int = 5, seed: int = 0
) -> Floats:
    """Each case's probability by a mapping that has not seen the case: what calibration is worth on new ones."""
    is_bad, values = _read(truth, scores)
    chosen = kind or ("isotonic" if len(values) >= ENOUGH_FOR_STEPS else "platt")
    fold = np.random.default_rng(seed).permutation(len(values)) % folds
    mapped = np.empty(len(values))
    for i in range(folds):
        inside, outside = fold == i, fold != i
        rest = is_bad[outside]
        if rest.all() or not rest.any():
            return np.full(len(values), np.nan)
        mapping = fitted(rest, values[outside], chosen)
        mapped[inside] = [mapping(score) for score in values[inside]]
    return mapped


def promised(recall: float | None, false_alarms: float | None, confidence: float) -> tuple[Promise, float]:
    """What is asked for, and how much of it; an error where that cannot be promised by anybody."""
    if recall is not None and false_alarms is None:
        _check(recall, confidence)
        return "recall", recall
    if false_alarms is not None and recall is None:
        _check(1 - false_alarms, confidence)
        return "false_alarms", false_alarms
    raise InputError("ask for a recall or for a rate of false alarms: one of them, not both.")


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
    """A profile from labelled cases with their probabilities (see `probability_of`)."""
    promise, wanted = promised(recall, false_alarms, confidence)
    is_bad, scores = _read(truth, probabilities)
    if promise == "recall":
        found = threshold_for_recall(scores[is_bad], wanted, confidence)
    else:
        found = threshold_for_false_alarms(scores[~is_bad], wanted, confidence)
    counts = confusion(is_bad, scores >= found.value)
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
        ece_before=expected_calibration_error(is_bad, scores),
        ece_after=expected_calibration_error(is_bad, afterwards) if known else None,
    )


def cautions(profile: Profile, truth: Sequence[bool], probabilities: Sequence[float]) -> list[str]:
    """What the owner of a profile should know before trusting it."""
    said = []
    if profile.n < FEW:
        few = count_of(profile.n, "label is", "labels are")
        said.append(f"{few} few: the intervals are wide. {FEW} or more are better.")
    if not profile.reachable:
        said.append(_too_few(profile))
    elif profile.recall == 1 and profile.false_alarms == 1:
        said.append("The threshold flags every case: this judge's scores cannot keep the promise in any other way.")
    elif profile.recall == 0 and profile.false_alarms == 0:
        said.append("The threshold flags no case: this judge's scores cannot keep the promise in any other way.")
    if auroc(truth, probabilities) < 0.6:
        said.append("The scores hardly tell the two kinds apart here; no threshold will make up for that.")
    return said


def _too_few(profile: Profile) -> str:
    by_recall = profile.promise == "recall"
    m = profile.hallucinated if by_recall else profile.n - profile.hallucinated
    rate = profile.wanted if by_recall else 1 - profile.wanted
    needed, most = labels_needed(rate, profile.confidence), most_promised(m, profile.confidence)
    kind, what, sign = ("hallucinated", "recall", most) if by_recall else ("factual", "false alarms", 1 - most)
    too_few = count_of(m, f"{kind} case is", f"{kind} cases are")
    return (
        f"{too_few} too few for this promise, so {'every' if by_recall else 'no'} output is flagged. "
        f"What can be promised is {what} of {sign:.3f}; label {needed} for {profile.wanted:g}."
    )
