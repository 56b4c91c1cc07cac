"""What the commands keep between calls: the store, and in it the replies that were paid for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..judge import DEFAULT, Judge
from ..store import Replies, Store


@contextmanager
def kept_store() -> Iterator[Store]:
    """The store, closed at the end."""
    with Store() as store:
        yield store


@contextmanager
def kept_replies(*judges: Judge, fresh: bool = False) -> Iterator[Replies | None]:
    """Where replies are kept, so that none is paid for twice; nowhere for the embedded judge, which costs nothing.

    With `fresh` the judges are asked again, and the new replies replace the old.
    """
    if all(judge.name == DEFAULT for judge in judges):
        yield None
        return
    with kept_store() as store:
        yield Replies(store, reread=not fresh)
