"""What makes a result one that another run may use: metric, judge, and the code that scored."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from ..judge import Judge
from ..metric import Metric
from ..result import Result
from ..store.book import Scorer

_PACKAGE = Path(__file__).parent.parent
_SCORING = ("metrics", "questions", "text", "embedded", "judges")


def scorer_of(metric: Metric, judge: Judge, adjusted: str = "") -> Scorer:
    """The identity of a metric with a judge; `adjusted` names what is done to its results."""
    parts = (metric.name, metric.version, judge.fingerprint(), scoring_code(), adjusted)
    return Scorer(
        key=hashlib.blake2b(msgspec.msgpack.encode(parts), digest_size=16).digest(),
        metric=metric.name,
        version=metric.version,
        judge=judge.name,
        direction=metric.direction,
        threshold=float(metric.threshold),
        scale=float(getattr(metric, "scale", 1.0)),
    )


class Adjusted:
    """Results judged by a calibration profile, which sets label, probability and whether they pass."""

    def __init__(self, profile: str) -> None:
        # By name: profiles are built on results, and are loaded only by those who have one.
        self._profiles: Any = import_module("halluscope.profiles")
        self._profile = self._profiles.load(profile)
        self.key = hashlib.sha256(msgspec.msgpack.encode(self._profile)).hexdigest()

    def __call__(self, result: Result) -> Result:
        made: Result = self._profiles.apply(result, self._profile)
        return made


@cache
def scoring_code() -> str:
    """Names the code that turns a case into a result: results of another version are made again, from kept replies."""
    digest = hashlib.blake2b(digest_size=16)
    files = [path for folder in _SCORING for path in (_PACKAGE / folder).rglob("*.py")]
    for path in sorted([*files, *_PACKAGE.glob("*.py")]):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
