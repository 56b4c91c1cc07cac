"""Alert rules on live results: an alert is posted once, and again after its rule was all right meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence

from ..core.errors import HalluscopeError
from ..core.plumbing.threads import in_thread
from ..core.result import Result
from ..runs.alerts import Alert, AlertRule, Observation
from ..sinks.delivery import post_alert

_EVERY = 10.0
"""Seconds between two looks at the rules."""
_MOST = 20_000
"""Results that are kept in memory for the rules."""


class Alerting:
    """The rules, and the results that they look at. Used from one loop."""

    def __init__(
        self, rules: Sequence[AlertRule], webhook: str | None, trouble: Callable[[str, BaseException], None]
    ) -> None:
        self._rules = rules
        self._webhook = webhook
        self._trouble = trouble
        self._seen: deque[Observation] = deque(maxlen=_MOST)
        self._firing: set[str] = set()
        self._due = 0.0
        self._posting: set[asyncio.Task[None]] = set()

    def see(self, result: Result, at: float) -> None:
        if self._rules:
            self._seen.append(Observation(at, result))

    async def look(self, run: str, last: bool) -> None:
        """Check the rules where that is due. The `last` time, wait until alerts are posted."""
        if self._seen and (last or time.monotonic() >= self._due):
            self._due = time.monotonic() + _EVERY
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
