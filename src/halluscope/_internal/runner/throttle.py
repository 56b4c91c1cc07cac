"""Lets a bounded number of judge calls through: fewer while the judge throttles, more again when it stops."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

from ..errors import JudgeError, JudgeThrottled

_TOO_OFTEN = 0.05
"""The share of throttled calls from which going slower is tried."""
_SLOWER = 0.7
_MUCH_SLOWER = 0.5
"""The same where most calls are throttled."""
_FASTER = 0.5
"""Calls at once that are added after a stretch without throttling; half as much again after each further one."""
_COOLING = 0.1
"""Seconds that the place of a throttled call stays empty: a refusal comes fast, and would be followed by the next."""
_SHORTEST = 0.2
"""Seconds in a stretch at least: throttled calls fail fast, and must not be all that is seen."""
_STRETCH = 3.0
"""Seconds after which a stretch is judged with fewer calls."""
_FEW = 10
_LONGEST_HOLD = 32


class AdaptiveThrottle:
    """At most `most` calls at once.

    Calls are counted in stretches. After one with throttled calls it lets fewer through; if
    that only made the run slower and the judge throttles as before, it goes back: some servers
    throttle at random, and no patience of ours would change it. There is always room for one.
    """

    def __init__(self, most: int, *, clock: Callable[[], float] = time.monotonic, cooling: float = _COOLING) -> None:
        self.most = most
        self.limit = float(most)
        self.active = 0
        self.last_error: JudgeError | None = None
        """Why the latest call did not come through, None if it did."""
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._clock = clock
        self._answered = 0
        self._throttled = 0
        self._since = clock()
        self._before: tuple[float, float, float] | None = None
        """Limit, answers a second and throttled share before the last step down."""
        self._step = _FASTER
        self._cooling = cooling
        self._hold = 0
        self._next_hold = 4

    async def enter(self) -> None:
        """Wait for room."""
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
        """Make room, and learn from how the call went."""
        self.last_error = error
        throttled = isinstance(error, JudgeThrottled)
        if throttled:
            self._throttled += 1
        elif error is None:
            self._answered += 1
        now = self._clock()
        if self._seen_enough(now - self._since):
            self._judge(now)
        # An answer is written in the next turn of the loop. Who asks next comes after that: were the process killed in
        # between, more calls would be lost than are allowed at once.
        asyncio.get_running_loop().call_later(self._cooling if throttled else 0.0, self.give_back)

    @property
    def has_room(self) -> bool:
        """Whether `enter` would not have to wait."""
        return not self._waiting and self.active < int(self.limit)

    def give_back(self) -> None:
        """Make room again without a call that something could be learnt from."""
        self.active -= 1
        self._admit()

    def _seen_enough(self, seconds: float) -> bool:
        calls = self._answered + self._throttled
        if calls >= max(_FEW, 2 * self.limit):
            return seconds >= _SHORTEST
        return (seconds >= _STRETCH and calls >= _FEW) or (seconds >= 3 * _STRETCH and calls > 0)

    def _admit(self) -> None:
        while self._waiting and self.active < int(self.limit):
            turn = self._waiting.popleft()
            if not turn.done():
                self.active += 1
                turn.set_result(None)

    def _judge(self, now: float) -> None:
        """Take a step at the end of a stretch."""
        share = self._throttled / (self._answered + self._throttled)
        pace = self._answered / (now - self._since)
        telling = self._answered >= _FEW
        self._answered = self._throttled = 0
        self._since = now
        if self._before is not None:
            limit, pace_before, share_before = self._before
            self._before = None
            if telling and pace < 0.9 * pace_before and share > 0.5 * share_before:
                self.limit = limit
                self._hold, self._next_hold = self._next_hold, min(_LONGEST_HOLD, 2 * self._next_hold)
                return
        if self._hold:
            self._hold -= 1
        elif share > _TOO_OFTEN:
            self._before = (self.limit, pace, share) if telling else None
            self.limit = max(1.0, self.limit * (_MUCH_SLOWER if share > 0.5 else _SLOWER))
            self._step = _FASTER
        else:
            self.limit = min(float(self.most), self.limit + self._step)
            self._step *= 1.5
