"""Equal work that is asked for at the same time is done once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar, Union
from weakref import WeakKeyDictionary

T = TypeVar("T")

_Outcome = Union[tuple[T, None], tuple[None, Exception], None]
"""A result, an error, or None if the caller that did the work was cancelled."""


class InFlight(Generic[T]):
    """The work under way, by its key. Safe to share between threads with a loop each."""

    def __init__(self) -> None:
        self._flights: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Future[_Outcome[T]]]]
        self._flights = WeakKeyDictionary()

    async def once(self, key: str, work: Callable[[], Awaitable[T]]) -> tuple[T, bool]:
        """Return the result of the work, and whether another caller did it.

        An error is raised to all who wait. If the caller that does the work is cancelled, the next one does it.
        """
        loop = asyncio.get_running_loop()
        flights = self._flights.setdefault(loop, {})
        while key in flights:
            landed = await asyncio.shield(flights[key])
            if landed is not None:
                result, error = landed
                if error is not None:
                    raise error
                return result, True  # type: ignore[return-value]
        flight = flights[key] = loop.create_future()
        outcome: _Outcome[T] = None
        try:
            result = await work()
            outcome = result, None
            return result, False
        except Exception as error:
            outcome = None, error
            raise
        finally:
            del flights[key]
            flight.set_result(outcome)
