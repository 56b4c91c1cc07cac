"""What hooks share: the part of live scoring that they need, and the runs that they follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from ..live_answer import LiveAnswer

K = TypeVar("K")
V = TypeVar("V")

_MOST = 10_000


class Watcher(Protocol):
    """Takes answers, and keeps the troubles of taking them from the application."""

    def submit(self, answer: LiveAnswer) -> None: ...

    def quietly(self, action: Callable[[], Any]) -> Any: ...


class Followed(dict[K, V]):
    """The latest runs. The oldest ones are dropped, because some runs never end."""

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        while len(self) > _MOST:
            del self[next(iter(self))]
