"""What differs in a run that asks its questions in batches."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from msgspec import structs

from ...core.errors import InputError
from ...engine.driver import ReplyCache, RetryPolicy
from ...engine.judge import Judge
from ...engine.metric import Metric
from ..store import Replies
from .dry_run import dry_run

CASES_AT_ONCE = 10_000
"""Cases at the same time: as many as a batch has questions."""

_DEADLINE = 7 * 24 * 3600.0
"""Seconds that a question may take. A batch may expire after a day, and is submitted once more."""
_MORE_RETRIES = 2
"""Retries after a batch: in the next batch, and directly."""
_SAMPLE = 100
"""Cases whose cost is estimated before the first batch."""


def replies_for_batches(replies: Replies) -> ReplyCache:
    """The cache without claims, which would have to be renewed all day. Batches are recorded as submitted instead."""
    cache: Any = SimpleNamespace(get=replies.get, put=replies.put)
    return cache  # type: ignore[no-any-return]


def patient(policy: RetryPolicy | None) -> RetryPolicy:
    """The retry policy with the time that batches take."""
    given = policy or RetryPolicy.of_environment()
    return structs.replace(given, deadline=max(given.deadline, _DEADLINE), retries=given.retries + _MORE_RETRIES)


def typical_cost(data: object, metrics: Sequence[Metric], judge: Judge, map: Any) -> float:
    """The estimated cost of a case in a batch, which decides how many may be submitted."""
    if not isinstance(data, (str, os.PathLike, list, tuple)) or data == "-":
        raise InputError("a cost limit for batches is estimated from the data: pass a file or a list, or no limit.")
    found = dry_run(data, metrics, judge, map=map, limit=_SAMPLE)
    if found.batch_cost is None and found.cases:
        raise InputError(f"the cost limit cannot be kept: the price of {judge.name} is not known. Leave the limit out.")
    return (found.batch_cost or 0.0) / max(1, found.cases)
