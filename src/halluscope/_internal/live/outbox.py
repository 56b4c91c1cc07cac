"""What leaves the process: scores for sinks, and alerts. A slow receiver does not delay scoring."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from ..core.errors import HalluscopeError, InputError
from ..core.plumbing.threads import in_thread
from ..core.result import Result
from ..runs.alerts import Alert, AlertRule, Observation
from ..sinks.delivery import deliver, post_alert
from ..sinks.score import Score
from ..sinks.sink import Sink
from .counts import Counter
from .live_answer import LiveAnswer
from .tracing import ANY

_EVERY = 1.0
"""Seconds that scores wait to be sent together."""
_MOST = 10_000
"""Maximum number of scores waiting for a sink that fails. Further ones are not sent."""
_RULES_EVERY = 10.0
"""Seconds between two looks at the alert rules."""
_MOST_SEEN = 20_000
"""Results that are kept in memory for the alert rules."""


class Outbox:
    """The scores for one sink. Used from one event loop."""

    def __init__(self, sink: Sink, counter: Counter, trouble: Callable[[str, BaseException], None]) -> None:
        self.sink = sink
        self._counter = counter
        self._trouble = trouble
        self._waiting: deque[Score] = deque()
        self._sending: asyncio.Task[None] | None = None
        self._due = 0.0

    def put(self, run: str, result: Result, answer: LiveAnswer) -> None:
        ids = answer.traces.get(self.sink.name) or answer.traces.get(ANY)
        try:
            if ids is None:
                raise InputError("an answer belongs to no trace: open a span around it, or pass its trace_id.")
            if len(self._waiting) >= _MOST:
                raise InputError(f"{_MOST} scores wait already.")
            score = Score(self.sink.ids(ids), run, result, answer.at)
        except InputError as error:
            self._counter.add(not_sent=1)
            self._trouble(f"{self.sink.name} gets no score: {error}", error)
            return
        if not self._waiting:
            self._due = time.monotonic() + _EVERY
        self._waiting.append(score)

    async def send(self, last: bool) -> None:
        """Send the scores that are due. The `last` time, send all scores and wait."""
        if self._sending is not None and self._sending.done():
            self._sending = None
        due = len(self._waiting) >= self.sink.batch or time.monotonic() >= self._due
        if self._sending is None and self._waiting and (due or last):
            self._sending = asyncio.ensure_future(self._send())
        if last and self._sending is not None:
            with suppress(asyncio.CancelledError):
                await self._sending

    async def _send(self) -> None:
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(self.sink.batch, len(self._waiting)))]
            taken = 0
            try:
                done = await deliver(self.sink, batch)
                taken = done.sent
                for problem in done.problems[:1]:
                    self._trouble(f"{self.sink.name} did not take a score: {problem}", InputError(problem))
            except Exception as error:  # of a sink of the user's own, too
                self._trouble(str(error), error)
            finally:
                self._counter.add(sent=taken, not_sent=len(batch) - taken)


class Alerting:
    """Alert rules, and the results that they look at. An alert is posted once, and again after its rule was all right
    meanwhile. Used from one loop."""

    def __init__(
        self, rules: Sequence[AlertRule], webhook: str | None, trouble: Callable[[str, BaseException], None]
    ) -> None:
        self._rules = rules
        self._webhook = webhook
        self._trouble = trouble
        self._seen: deque[Observation] = deque(maxlen=_MOST_SEEN)
        self._firing: set[str] = set()
        self._due = 0.0
        self._posting: set[asyncio.Task[None]] = set()

    def see(self, result: Result, at: float) -> None:
        if self._rules:
            self._seen.append(Observation(at, result))

    async def look(self, run: str, last: bool) -> None:
        """Check the rules where that is due. The `last` time, wait until alerts are posted."""
        if self._seen and (last or time.monotonic() >= self._due):
            self._due = time.monotonic() + _RULES_EVERY
            seen, now = list(self._seen), time.time()
            for alert in await in_thread(lambda: [rule.check(run, seen, now) for rule in self._rules]):
                self._settle(alert)
        if last and self._posting:
            await asyncio.gather(*self._posting)

    def _settle(self, alert: Alert) -> None:
        if not alert.firing:
            self._firing.discard(alert.rule)
        elif alert.rule not in self._firing:
            self._firing.add(alert.rule)
            self._trouble(alert.message, HalluscopeError(alert.message))
            if self._webhook is not None:
                task = asyncio.ensure_future(self._post(self._webhook, alert))
                self._posting.add(task)
                task.add_done_callback(self._posting.discard)

    async def _post(self, webhook: str, alert: Alert) -> None:
        try:
            await post_alert(webhook, alert)
        except HalluscopeError as error:
            self._trouble(str(error), error)
