"""Calibration profiles: a threshold with a guarantee, and a mapping from scores to probabilities.

A profile is valid for one judge and one metric.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, structs

from ..core.errors import InputError, UnknownName
from ..core.plumbing.home_folder import home
from ..core.plumbing.public import public, public_in
from ..core.plumbing.whole_file import replacing
from ..core.result import Outcome, Result
from ..core.verdict import Support
from ..engine.questions import FACTUAL, HALLUCINATED
from ..stats.interval import Interval

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")


@public_in("halluscope.proof")
def probability_of(result: Result) -> float | None:
    """Return the probability that the output is hallucinated, according to a result.

    It is the first of these that exists:

    1. the judge's probability for the whole output (metric `label`);
    2. the highest probability that a claim is wrong, if the judge gives confidences (a product over all claims would
       grow with the length of the output);
    3. the share of wrong claims or passages;
    4. the score, inverted if higher is better.

    Args:
        result: The result.

    Returns:
        A number from 0 to 1, or None without a score.

    Example:
        >>> probability_of(check("It closed in 1969.", ["It closed in 1921."]))
        0.98
    """
    if result.outcome is not Outcome.SCORED or result.score is None:
        return None
    if result.probability is not None:
        return _clipped(result.probability)
    judged = [v for v in result.verdicts if v.support is not Support.NOT_A_CLAIM]
    if judged and all(v.confidence is not None for v in judged):
        return _clipped(max(v.confidence or 0.0 if not v.support.holds else 1 - (v.confidence or 0.0) for v in judged))
    if judged:
        return sum(not v.support.holds for v in judged) / len(judged)
    return _clipped(result.score if result.direction == "lower" else 1 - result.score)


def is_flagged(result: Result) -> bool | None:
    """Whether the result calls the output hallucinated. None without a score."""
    if result.outcome is not Outcome.SCORED:
        return None
    if result.label in (FACTUAL, HALLUCINATED):
        return result.label == HALLUCINATED
    return not result.passed


MappingKind = Literal["isotonic", "platt"]
"""How scores are mapped to probabilities: isotonic regression or Platt scaling."""


Promise = Literal["recall", "false_alarms"]
"""What a threshold can guarantee: a minimum recall, or a maximum rate of false alarms."""


@public_in("halluscope.proof")
class ScoreMapping(Struct, frozen=True):
    """A function from a score to a probability.

    Attributes:
        kind: "isotonic" or "platt".
        scores: Scores of the points of an isotonic mapping.
        values: Their probabilities.
        slope: Slope of a Platt mapping.
        offset: Its offset.
    """

    kind: MappingKind
    scores: tuple[float, ...] = ()
    values: tuple[float, ...] = ()
    slope: float = 1.0
    offset: float = 0.0

    def __call__(self, score: float) -> float:
        if self.kind == "platt":
            from ..stats.calibration import logistic

            return float(logistic(self.slope * score + self.offset))
        place = bisect_left(self.scores, score)
        if place == 0:
            return self.values[0]
        if place == len(self.scores):
            return self.values[-1]
        low, high = self.scores[place - 1], self.scores[place]
        share = (score - low) / (high - low)
        return self.values[place - 1] + (self.values[place] - self.values[place - 1]) * share


@public
class Profile(Struct, frozen=True, kw_only=True):
    """A threshold with a guarantee. Outputs with a probability of `threshold` or more are flagged.

    Attributes:
        name: Name of the profile.
        judge: The judge it was made for.
        metric: The metric it was made for.
        metric_version: The version of the metric.
        threshold: The probability from which outputs are flagged.
        promise: What is guaranteed, "recall" or "false_alarms".
        wanted: The guaranteed rate.
        confidence: The confidence of the guarantee.
        reachable: False if there are too few labels. The threshold then flags all outputs, or none.
        n: The number of labels.
        hallucinated: How many of them are hallucinated.
        recall: The recall on the labels.
        recall_interval: Its exact 95 % interval.
        false_alarms: The rate of false alarms on the labels.
        false_alarms_interval: Its exact 95 % interval.
        mapping: The mapping from scores to probabilities.
        ece_before: The calibration error of the judge's probabilities.
        ece_after: The calibration error after the mapping, cross-validated.

    Example:
        >>> Profile.load("support").threshold
        0.42
    """

    name: str
    judge: str
    metric: str
    metric_version: str
    threshold: float
    promise: Promise
    wanted: float
    confidence: float
    reachable: bool = True
    n: int
    hallucinated: int
    recall: float
    recall_interval: Interval
    false_alarms: float
    false_alarms_interval: Interval
    mapping: ScoreMapping
    ece_before: float | None = None
    ece_after: float | None = None

    @classmethod
    def load(cls, name: str) -> Profile:
        """Load a profile.

        Args:
            name: Name of the profile.

        Returns:
            The profile.

        Raises:
            UnknownName: There is no profile of that name.
            InputError: Its file cannot be read.
        """
        path = profile_path(name)
        if not path.exists():
            known = profile_names()
            raise UnknownName("profile", name, known, "" if known else "make one with `halluscope calibrate`")
        try:
            return msgspec.json.decode(path.read_bytes(), type=cls)
        except msgspec.DecodeError as error:
            raise InputError(f"the profile {name!r} cannot be read ({error}): make it again.") from error

    def save(self) -> Path:
        """Save the profile under its name. Returns the path."""
        path = profile_path(self.name)
        with replacing(path) as file:
            file.write(msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n")
        return path

    def flags(self, result: Result) -> bool | None:
        """Whether this profile flags the output.

        Args:
            result: The result of the profile's metric.

        Returns:
            None without a score.
        """
        probability = probability_of(result)
        return None if probability is None else probability >= self.threshold

    def applied(self, result: Result) -> Result:
        """Return the result with the label, `passed` and the calibrated probability of this profile.

        Args:
            result: The result.

        Returns:
            The result with the same score. A result without a score is returned unchanged.

        Raises:
            InputError: The result is of another metric.
        """
        self.check_metric(result.metric)
        probability = probability_of(result)
        if probability is None:
            return result
        flagged = probability >= self.threshold
        note = f"judged by the profile {self.name!r}: flagged from {self.threshold:.4g}"
        return structs.replace(
            result,
            label=HALLUCINATED if flagged else FACTUAL,
            passed=not flagged,
            probability=self.mapping(probability),
            figures={**result.figures, "probability": probability, "flagged_from": self.threshold},
            notes=(*result.notes, note, *self.doubts(result.judge, result.metric_version)),
        )

    def check_metric(self, metric: str) -> None:
        """Raise `InputError` if the profile is for another metric."""
        if metric != self.metric:
            raise InputError(
                f"the profile {self.name!r} is for the metric {self.metric!r}, not {metric!r}: "
                "ask for that metric, or calibrate for this one."
            )

    def doubts(self, judge: str, metric_version: str) -> tuple[str, ...]:
        """Say why the guarantee may not hold for this judge and metric."""
        if judge != self.judge:
            return (f"the profile was made with the judge {self.judge!r}: its guarantee does not hold for this one",)
        if self.metric_version and metric_version != self.metric_version:
            return ("the metric's options or prompts are not those the profile was made with: calibrate again",)
        return ()


def profile_names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in (home() / "profiles").glob("*.json")))


def profile_path(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} cannot name a profile: use letters, digits, dots, dashes and underscores.")
    return home() / "profiles" / f"{name}.json"


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))
