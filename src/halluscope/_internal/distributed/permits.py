"""One limit for the judge calls of all workers: permits are handed out in one place, and taken there from each."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from ..errors import JudgeError, JudgeThrottled
from ..plumbing.time_limit import time_limit
from ..runner.throttle import AdaptiveThrottle

_LONGEST_WAIT = 2.0
"""Seconds after which a worker that waits for a permit is answered without one, and asks again: a sign of life."""
SILENT = 20.0
"""Seconds after which a worker that has not been heard of is taken for dead, and its permits for returned."""
_HEARTBEAT = 5.0


class Permits:
    """At most so many calls at once, and so many a minute, of all workers; fewer at once while the judge throttles."""

    def __init__(
        self, at_once: int, per_minute: float | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._throttle = AdaptiveThrottle(at_once, clock=clock)
        self._step = 0.0 if per_minute is None else 60.0 / per_minute
        self._next = clock()
        self._clock = clock
        self._held: dict[str, int] = {}
        self._heard: dict[str, float] = {}

    async def take(self, worker: str, wanted: int) -> int:
        """Up to `wanted` permits, as soon as there is one; 0 where there was none for a while."""
        self._hear(worker)
        end = self._clock() + _LONGEST_WAIT
        try:
            async with time_limit(_LONGEST_WAIT):
                await self._throttle.enter()
        except asyncio.TimeoutError:
            return 0
        turn = self._turn()
        if turn > end:
            self._throttle.give_back()
            await asyncio.sleep(max(0.0, end - self._clock()))
            return 0
        self._next = turn + self._step
        await asyncio.sleep(max(0.0, turn - self._clock()))
        granted = 1
        while granted < wanted and self._throttle.has_room and self._turn() <= self._clock():
            await self._throttle.enter()  # at once, since there is room
            self._next = self._turn() + self._step
            granted += 1
        self._hear(worker)
        self._held[worker] = self._held.get(worker, 0) + granted
        return granted

    def left(self, worker: str, throttled: Sequence[bool | None]) -> None:
        """Permits that come back: for each whether the judge throttled that call, None where that says nothing."""
        self._hear(worker)
        for said in throttled:
            if self._held.get(worker, 0) > 0:  # else it was taken for dead meanwhile, or came before a restart
                self._held[worker] -= 1
                self._return(said)

    def _turn(self) -> float:
        """When the next call may be made. Time in which none was made is not made up for."""
        return max(self._next, self._clock()) if self._step else 0.0

    def _hear(self, worker: str) -> None:
        now = self._clock()
        self._heard[worker] = now
        for silent in [name for name, heard in self._heard.items() if now - heard > SILENT]:
            del self._heard[silent]
            for _ in range(self._held.pop(silent, 0)):
                self._throttle.give_back()

    def _return(self, throttled: bool | None) -> None:
        if throttled is None:
            self._throttle.give_back()
        else:
            self._throttle.leave(JudgeThrottled("the judge throttles") if throttled else None)


class SharedThrottle:
    """A worker's side of it. Used from one event loop."""

    def __init__(self, take: Callable[[int], Awaitable[int]], left: Callable[[Sequence[bool | None]], object]) -> None:
        """`take` and `left` reach the permits, wherever they are."""
        self._take = take
        self._left = left
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._returned: list[bool | None] = []
        self._held = 0
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.last_error: JudgeError | None = None

    async def enter(self) -> None:
        """Wait for a permit."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._keep_running("taking", self._taking)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._give(None)
            raise

    def leave(self, error: JudgeError | None) -> None:
        """Return a permit, and say how the call went."""
        self.last_error = error
        self._give(isinstance(error, JudgeThrottled) if error is None or isinstance(error, JudgeThrottled) else None)

    def _give(self, throttled: bool | None) -> None:
        self._held -= 1
        if not self._returned:  # those of one turn of the loop go together
            asyncio.get_running_loop().call_soon(self._send)
        self._returned.append(throttled)

    def _send(self) -> None:
        returned, self._returned = self._returned, []
        self._left(returned)

    def _keep_running(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        if name not in self._tasks or self._tasks[name].done():
            self._tasks[name] = asyncio.ensure_future(work())

    async def _taking(self) -> None:
        while wanted := sum(not turn.done() for turn in self._waiting):
            try:
                granted = await self._take(wanted)
            except Exception as error:
                for turn in self._waiting:
                    if not turn.done():
                        turn.set_exception(JudgeError(f"the cluster's limit of judge calls cannot be asked: {error}"))
                self._waiting.clear()
                return
            self._held += granted
            self._keep_running("showing life", self._showing_life)
            while granted and self._waiting:
                turn = self._waiting.popleft()
                if not turn.done():
                    turn.set_result(None)
                    granted -= 1
            for _ in range(granted):  # whoever waited has gone
                self._give(None)
        self._waiting.clear()

    async def _showing_life(self) -> None:
        while self._held > 0:
            await asyncio.sleep(_HEARTBEAT)
            self._left([])
