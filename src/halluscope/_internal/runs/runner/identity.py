"""Which stored results can be reused: those with the same metric, judge and code."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from ...core.plumbing.source_code import code_behind
from ...engine.driver import Driver
from ...engine.judge import Judge
from ...engine.metric import Metric
from ...repair.edited_text import EditedText
from ..store.run_writer import REPAIRED, ScorerRow

if TYPE_CHECKING:
    from ..profile import Profile


def scorer_of(metric: Metric, judge: Judge, profile: Profile | None = None, *, repair: bool = False) -> ScorerRow:
    """Return the identity of a metric with a judge and a profile.

    Results with another identity are scored again, from cached replies if possible.
    """
    judged_by = "" if profile is None else hashlib.sha256(msgspec.msgpack.encode(profile)).hexdigest()
    code = code_behind([metric, Driver(judge), *_with_those_inside(judge), *([EditedText("")] if repair else [])])
    version = metric.version + (REPAIRED if repair else "")
    parts = (metric.name, version, judge.fingerprint(), code, judged_by)
    return ScorerRow(
        key=hashlib.blake2b(msgspec.msgpack.encode(parts), digest_size=16).digest(),
        metric=metric.name,
        version=version,
        judge=judge.name,
        direction=metric.direction,
        threshold=float(metric.threshold),
        scale=float(getattr(metric, "scale", 1.0)),
    )


def _with_those_inside(judge: Judge) -> Iterator[object]:
    """Yield the judge, and the judges that it asks."""
    yield judge
    for held in vars(judge).values() if hasattr(judge, "__dict__") else ():
        for inside in held if isinstance(held, (list, tuple)) else [held]:
            if isinstance(inside, Judge):
                yield from _with_those_inside(inside)
            elif type(inside).__module__.startswith("halluscope") and hasattr(inside, "complete"):
                yield inside
