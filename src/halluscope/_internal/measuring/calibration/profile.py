"""What calibration learnt, kept by name: the threshold for a promise, and what a score is worth as a probability.

A profile belongs to one judge and one metric: a threshold chosen for one says nothing about another.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, structs

from ...errors import InputError, UnknownName
from ...plumbing.home_folder import home
from ...plumbing.public import public
from ...plumbing.whole_file import replacing
from ...questions import FACTUAL, HALLUCINATED
from ...result import Outcome, Result
from ...stats.interval import Interval
from ...verdict import Support

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")


@public
def probability_of(result: Result) -> float | None:
    """How likely the output is hallucinated, by this result: 0 to 1, None where there is no score.

    In this order:
    1. the judge's own probability for the whole output, where it gives one (metric `label`);
    2. the worst claim: the highest probability that a claim does not hold, where the judge gives
       confidences (not a product over claims, which would grow with the length of the output);
    3. the share of claims (or passages) that do not hold, where it only gives words;
    4. the score itself where a metric has no verdicts, turned round where higher is better.
    """
    if result.outcome is not Outcome.SCORED or result.score is None:
        return None
    if result.probability is not None:
        return _clipped(result.probability)
    told = [v for v in result.verdicts if v.support is not Support.NOT_A_CLAIM]
    if told and all(v.confidence is not None for v in told):
        return _clipped(max(v.confidence or 0.0 if not v.support.holds else 1 - (v.confidence or 0.0) for v in told))
    if told:
        return sum(not v.support.holds for v in told) / len(told)
    return _clipped(result.score if result.direction == "lower" else 1 - result.score)


def is_flagged(result: Result) -> bool | None:
    """Whether the result calls the output hallucinated, None where there is no score."""
    if result.outcome is not Outcome.SCORED:
        return None
    if result.label in (FACTUAL, HALLUCINATED):
        return result.label == HALLUCINATED
    return not result.passed


MappingKind = Literal["isotonic", "platt"]
"""How scores become probabilities: by steps, or by an S-curve."""


Promise = Literal["recall", "false_alarms"]
"""What a threshold can be asked for: to catch so many, or to flag so few wrongly."""


@public
class ScoreMapping(Struct, frozen=True):
    """From a score to a probability."""

    kind: MappingKind
    scores: tuple[float, ...] = ()
    values: tuple[float, ...] = ()
    slope: float = 1.0
    offset: float = 0.0

    def __call__(self, score: float) -> float:
        if self.kind == "platt":
            from ...stats.calibration import logistic

            return logistic(self.slope * score + self.offset)
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
    """A threshold with its promise. An output is flagged where its probability is at least `threshold`.

    `promise` says what was asked for, `recall` and `false_alarms` what the labels show at the
    threshold, each with its exact 95 % interval. Where the labels are too few for the promise,
    `reachable` is false and the threshold is the one that keeps it anyway: flag all, or flag none.
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
        """The profile of that name."""
        path = profile_path(name)
        if not path.exists():
            raise UnknownName("profile", name, profile_names() or ("none yet: make one with `halluscope calibrate`",))
        try:
            return msgspec.json.decode(path.read_bytes(), type=cls)
        except msgspec.DecodeError as error:
            raise InputError(f"the profile {name!r} cannot be read ({error}): make it again.") from error

    def save(self) -> Path:
        """Keep the profile under its name; the file is complete or not there."""
        path = profile_path(self.name)
        with replacing(path) as file:
            file.write(msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n")
        return path

    def flags(self, result: Result) -> bool | None:
        """Whether the output counts as hallucinated by this profile."""
        probability = probability_of(result)
        return None if probability is None else probability >= self.threshold

    def applied(self, result: Result) -> Result:
        """The result judged by this profile: its label, whether it passed, and a calibrated probability.

        The score stays what the metric says; a result without a score stays as it is.
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
        """Refuse another metric than the profile's own."""
        if metric != self.metric:
            raise InputError(
                f"the profile {self.name!r} is for the metric {self.metric!r}, not {metric!r}: "
                "ask for that metric, or calibrate for this one."
            )

    def doubts(self, judge: str, metric_version: str) -> tuple[str, ...]:
        """Why the promise may not hold for this judge and metric, if there is a reason."""
        if judge != self.judge:
            return (f"the profile was made with the judge {self.judge!r}: its promise does not hold for this one",)
        if self.metric_version and metric_version != self.metric_version:
            return ("the metric's options or prompts are not those the profile was made with: calibrate again",)
        return ()


def profile_names() -> tuple[str, ...]:
    """The profiles there are."""
    return tuple(sorted(path.stem for path in (home() / "profiles").glob("*.json")))


def profile_path(name: str) -> Path:
    """Where the profile of that name is kept, or would be."""
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} cannot name a profile: use letters, digits, dots, dashes and underscores.")
    return home() / "profiles" / f"{name}.json"


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))
