"""Values that each process makes for itself, such as locks, connections and threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerProcess(Generic[T]):
    """Makes a value on first use, and another one in a forked child. The child never touches that of its parent."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._values: dict[int, T] = {}  # values of parents stay here, so that they are not closed by being deleted

    def __call__(self) -> T:
        process = os.getpid()
        if process not in self._values:
            self._values.setdefault(process, self._make())  # if two threads make one, all use the first
        return self._values[process]

    def existing(self) -> T | None:
        return self._values.get(os.getpid())

    def of_parents(self) -> list[T]:
        """Return the values of the processes that this one was forked from, as they were at the fork."""
        return [value for process, value in self._values.items() if process != os.getpid()]
