"""Limits on what a cascade passes on to its second judge."""

from __future__ import annotations

import math
import threading

from ...core.errors import InputError
from ...core.result import Usage


class EscalationBudget:
    """Limits what one cascade passes on, over all cases and threads. Cached answers count too. None is no limit."""

    def __init__(self, max_escalations: int | None, max_share: float | None, max_cost: float | None) -> None:
        whole = not isinstance(max_escalations, bool) and isinstance(max_escalations, int)
        if max_escalations is not None and not (whole and max_escalations >= 0):
            raise InputError(f"max_escalations must be a whole number of at least 0, not {max_escalations!r}.")
        if max_share is not None and not _within(max_share, 1.0):
            raise InputError(f"max_share must be between 0 and 1, not {max_share!r}.")
        if max_cost is not None and not _within(max_cost, math.inf):
            raise InputError(f"max_cost must be a number of US dollars of at least 0, not {max_cost!r}.")
        self.max_escalations, self.max_share, self.max_cost = max_escalations, max_share, max_cost
        self.seen = 0
        self.escalated = 0
        self.cost = 0.0
        self._under_way = 0
        self._highest_cost = 0.0
        self._unpriced: str | None = None
        self._lock = threading.Lock()

    @property
    def limits(self) -> tuple[int | None, float | None, float | None]:
        return self.max_escalations, self.max_share, self.max_cost

    def __reduce__(self) -> tuple[type[EscalationBudget], tuple[None, None, None]]:
        """Refuse to copy limits to another process, where they would be counted separately."""
        if self.limits != (None, None, None):
            raise InputError(
                "the limits of a cascade are counted in one process and cannot be shared by several: "
                "leave them out, or run in one process."
            )
        return EscalationBudget, (None, None, None)

    def see(self, count: int) -> None:
        """Count items that were judged. `max_share` is a share of these."""
        with self._lock:
            self.seen += count

    def take(self, wanted: int, *, whole: bool = False) -> tuple[int, str]:
        """How many of `wanted` items may be passed on in one question, until `settle`, and the limit if it is fewer."""
        with self._lock:
            room, why = wanted, ""
            most, share, top = self.limits
            if most is not None and most - self.escalated < room:
                room, why = most - self.escalated, f"the limit of {most} escalations"
            if share is not None and (allowed := math.ceil(share * self.seen - 1e-9) - self.escalated) < room:
                room, why = allowed, f"the limit of {share:g} of all"
            if top is not None and room > 0:
                expected = self.cost + (self._under_way + 1) * self._highest_cost
                if self._unpriced:
                    room, why = 0, f"a cost limit, and the price of {self._unpriced} is not known"
                elif self.cost >= top or expected > top:
                    room, why = 0, f"the limit of ${top:g}"
            room = 0 if room < 0 or (whole and room < wanted) else room
            if room:
                self.escalated += room
                self._under_way += 1
            return room, why

    def settle(self, judge: str, usage: Usage | None) -> None:
        """Record the usage of a granted question, None if it failed."""
        with self._lock:
            self._under_way -= 1
            if usage is None:
                return
            if usage.cost is None:
                self._unpriced = judge
                return
            self.cost += usage.cost
            self._highest_cost = max(self._highest_cost, usage.cost)


def _within(value: object, top: float) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= top
