"""What makes a result one that another run may use: metric, judge, and the code that scored."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import msgspec

from ..judge import Judge
from ..measuring.calibration.profile import Profile
from ..metric import Metric
from ..store.run_writer import ScorerRow

_PACKAGE = Path(__file__).parent.parent
_SCORING = ("engine", "metrics", "questions", "text", "embedded", "judges")


def scorer_of(metric: Metric, judge: Judge, profile: Profile | None = None) -> ScorerRow:
    """The identity of a metric with a judge, and of the profile that its results are judged by."""
    judged_by = "" if profile is None else hashlib.sha256(msgspec.msgpack.encode(profile)).hexdigest()
    parts = (metric.name, metric.version, judge.fingerprint(), scoring_code(), judged_by)
    return ScorerRow(
        key=hashlib.blake2b(msgspec.msgpack.encode(parts), digest_size=16).digest(),
        metric=metric.name,
        version=metric.version,
        judge=judge.name,
        direction=metric.direction,
        threshold=float(metric.threshold),
        scale=float(getattr(metric, "scale", 1.0)),
    )


@cache
def scoring_code() -> str:
    """Names the code that turns a case into a result: results of another version are made again, from kept replies."""
    digest = hashlib.blake2b(digest_size=16)
    files = [path for folder in _SCORING for path in (_PACKAGE / folder).rglob("*.py")]
    for path in sorted([*files, *_PACKAGE.glob("*.py")]):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
