"""Limits the number of judge calls at the same time, and reduces it while the judge reports rate limits."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

from ...core.errors import JudgeError, JudgeThrottled

_MAX_SHARE = 0.05
"""Share of throttled calls from which the limit is reduced."""
_SLOWER = 0.7
_MUCH_SLOWER = 0.5
"""The factor if most calls are throttled."""
_FASTER = 0.5
"""Increase of the limit after a period without throttling. It grows by half with each further period."""
_COOLING = 0.1
"""Seconds before a throttled call is replaced by another one, because throttled calls return quickly."""
_MIN_PERIOD = 0.2
"""Minimum length of a period in seconds."""
_PERIOD = 3.0
"""Seconds after which a period may end with fewer calls."""
_MIN_CALLS = 10
_MAX_HOLD = 32


class AdaptiveThrottle:
    """Allows at most `most` calls at the same time, and at least one.

    Calls are counted in periods. After a period with throttled calls, the limit is reduced. If that only made the run
    slower, the limit is restored, because some servers throttle at random.
    """

    def __init__(self, most: int, *, clock: Callable[[], float] = time.monotonic, cooling: float = _COOLING) -> None:
        self.most = most
        self.limit = float(most)
        self.active = 0
        self.last_error: JudgeError | None = None
        """The error of the latest call, None if it succeeded."""
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._clock = clock
        self._answered = 0
        self._throttled = 0
        self._since = clock()
        self._before: tuple[float, float, float] | None = None
        """Limit, answers per second and share of throttled calls before the last reduction."""
        self._step = _FASTER
        self._cooling = cooling
        self._hold = 0
        self._next_hold = 4

    async def enter(self) -> None:
        """Wait until a call is allowed."""
        if self.has_room:
            self.active += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back()
            raise

    def leave(self, error: JudgeError | None) -> None:
        """End a call, and adjust the limit to its outcome."""
        self.last_error = error
        throttled = isinstance(error, JudgeThrottled)
        if throttled:
            self._throttled += 1
        elif error is None:
            self._answered += 1
        now = self._clock()
        if self._seen_enough(now - self._since):
            self._judge(now)
        # The answer is saved in the next iteration of the loop. The next call must start after that: if the process
        # were killed in between, more calls than the limit would be lost.
        asyncio.get_running_loop().call_later(self._cooling if throttled else 0.0, self.give_back)

    @property
    def has_room(self) -> bool:
        """Whether `enter` would return at once."""
        return not self._waiting and self.active < int(self.limit)

    def give_back(self) -> None:
        """End a call without adjusting the limit."""
        self.active -= 1
        self._admit()

    def _seen_enough(self, seconds: float) -> bool:
        calls = self._answered + self._throttled
        if calls >= max(_MIN_CALLS, 2 * self.limit):
            return seconds >= _MIN_PERIOD
        return (seconds >= _PERIOD and calls >= _MIN_CALLS) or (seconds >= 3 * _PERIOD and calls > 0)

    def _admit(self) -> None:
        while self._waiting and self.active < int(self.limit):
            turn = self._waiting.popleft()
            if not turn.done():
                self.active += 1
                turn.set_result(None)

    def _judge(self, now: float) -> None:
        """Adjust the limit at the end of a period."""
        share = self._throttled / (self._answered + self._throttled)
        pace = self._answered / (now - self._since)
        telling = self._answered >= _MIN_CALLS
        self._answered = self._throttled = 0
        self._since = now
        if self._before is not None:
            limit, pace_before, share_before = self._before
            self._before = None
            if telling and pace < 0.9 * pace_before and share > 0.5 * share_before:
                self.limit = limit
                self._hold, self._next_hold = self._next_hold, min(_MAX_HOLD, 2 * self._next_hold)
                return
        if self._hold:
            self._hold -= 1
        elif share > _MAX_SHARE:
            self._before = (self.limit, pace, share) if telling else None
            self.limit = max(1.0, self.limit * (_MUCH_SLOWER if share > 0.5 else _SLOWER))
            self._step = _FASTER
        else:
            self.limit = min(float(self.most), self.limit + self._step)
            self._step *= 1.5
