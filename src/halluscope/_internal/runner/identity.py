"""What makes a result one that another run may use: metric, judge, and the code that both depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from ..engine.driver import Driver
from ..judge import Judge
from ..metric import Metric
from ..plumbing.source_code import code_behind
from ..store.run_writer import ScorerRow

if TYPE_CHECKING:
    from ..measuring.calibration.profile import Profile


def scorer_of(metric: Metric, judge: Judge, profile: Profile | None = None) -> ScorerRow:
    """The identity of a metric with a judge, and of the profile that its results are judged by.

    Results of another identity are made again, from kept replies where there are any.
    """
    judged_by = "" if profile is None else hashlib.sha256(msgspec.msgpack.encode(profile)).hexdigest()
    code = code_behind([metric, Driver(judge), *_with_those_inside(judge)])
    parts = (metric.name, metric.version, judge.fingerprint(), code, judged_by)
    return ScorerRow(
        key=hashlib.blake2b(msgspec.msgpack.encode(parts), digest_size=16).digest(),
        metric=metric.name,
        version=metric.version,
        judge=judge.name,
        direction=metric.direction,
        threshold=float(metric.threshold),
        scale=float(getattr(metric, "scale", 1.0)),
    )


def _with_those_inside(judge: Judge) -> Iterator[object]:
    """The judge, and those that it asks."""
    yield judge
    for held in vars(judge).values() if hasattr(judge, "__dict__") else ():
        for inside in held if isinstance(held, (list, tuple)) else [held]:
            if isinstance(inside, Judge):
                yield from _with_those_inside(inside)
            elif type(inside).__module__.startswith("halluscope") and hasattr(inside, "complete"):
                yield inside
