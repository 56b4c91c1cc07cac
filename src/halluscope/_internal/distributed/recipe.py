"""What is scored with: all that a worker on another machine needs to give the same scores as this one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..engine.driver import Patience
from ..errors import InputError
from ..judge import Judge, JudgeSpec, is_embedded
from ..judge import resolve as resolve_judge
from ..measuring.calibration.profile import Profile
from ..metric import Metric
from ..metrics import MetricSpec
from ..runner.asked import metrics_of, profile_for
from ..runner.identity import scorer_of
from ..store.run_writer import ScorerRow

_FACES = ("halluscope.judges", "halluscope.metrics")
"""Where public classes say that they live; these modules are loaded late."""


@dataclass(frozen=True)
class Recipe:
    """Metrics, judge and profile. It travels as it is, so keys and addresses are those of whoever made it.

    A dataclass and no message: judges may be anybody's objects.
    """

    metrics: tuple[Metric, ...]
    judge: Judge
    profile: Profile | None = None
    patience: Patience | None = None

    @property
    def local(self) -> bool:
        """Whether the embedded judge does it, so that processors are what is needed, and no calls are made."""
        return is_embedded(self.judge)

    def scorers(self) -> list[ScorerRow]:
        """What makes its results comparable with others."""
        return [scorer_of(metric, self.judge, self.profile) for metric in self.metrics]


def made_recipe(
    metrics: MetricSpec | Sequence[MetricSpec],
    judge: JudgeSpec,
    profile: str | None,
    patience: Patience | None,
    options: Mapping[str, Any],
) -> Recipe:
    """The recipe for what a caller names, refused here where it cannot travel."""
    asked, for_judge = metrics_of(metrics, options)
    for face in _FACES:  # a class whose module is not loaded would travel as a copy, and be another class there
        import_module(face)
    recipe = Recipe(tuple(asked), resolve_judge(judge, **for_judge), profile_for(profile, asked), patience)
    try:
        import cloudpickle  # which Ray and Spark carry inside them, and Ray also as `ray.cloudpickle`
    except ImportError:
        from ray import cloudpickle
    try:
        cloudpickle.dumps(recipe)
    except InputError:
        raise
    except Exception as error:
        what = " ".join(str(error).split())[:200]
        raise InputError(f"the judge or metric cannot be sent to other machines ({what}): pass it by name.") from error
    return recipe
