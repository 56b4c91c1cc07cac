"""Open the cache of replies in the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..engine.judge import DEFAULT, Judge
from ..runs.store import Replies, Store


@contextmanager
def open_replies(*judges: Judge, fresh: bool = False) -> Iterator[Replies | None]:
    """Open the cache of replies of these judges. The embedded judge has none, because its replies cost nothing."""
    if all(judge.name == DEFAULT for judge in judges):
        yield None
        return
    with Store() as store:
        yield Replies(store, reread=not fresh)
