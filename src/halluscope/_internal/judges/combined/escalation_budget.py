"""How much may be passed on to a costly judge."""

from __future__ import annotations

import math
import threading

from msgspec import Struct

from ...errors import InputError
from ...result import Usage


class EscalationLimits(Struct, frozen=True, kw_only=True):
    """At most this many things, this share of all things, this many US dollars. None: no limit."""

    max_escalations: int | None = None
    max_share: float | None = None
    max_cost: float | None = None

    def __post_init__(self) -> None:
        if self.max_escalations is not None and (
            isinstance(self.max_escalations, bool)
            or not isinstance(self.max_escalations, int)
            or self.max_escalations < 0
        ):
            raise InputError(f"max_escalations must be a whole number of at least 0, not {self.max_escalations!r}.")
        if self.max_share is not None and not _within(self.max_share, 1.0):
            raise InputError(f"max_share must be between 0 and 1, not {self.max_share!r}.")
        if self.max_cost is not None and not _within(self.max_cost, math.inf):
            raise InputError(f"max_cost must be a number of US dollars of at least 0, not {self.max_cost!r}.")


class EscalationBudget:
    """Keeps the count for one judge, over all cases and threads that use it.

    Answers from the cache count as if they were paid again: the same cases in the same order then
    lead to the same decisions, whatever was kept.
    """

    def __init__(self, limits: EscalationLimits) -> None:
        self.limits = limits
        self.seen = 0
        self.escalated = 0
        self.cost = 0.0
        self._under_way = 0
        self._dearest = 0.0
        self._unpriced: str | None = None
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[EscalationBudget], tuple[EscalationLimits]]:
        """A copy for another process counts for itself, so there must be nothing to count."""
        if self.limits != EscalationLimits():
            raise InputError(
                "a cascade with limits decides by what went before, which several processes do not share: "
                "leave its limits out, or run it in one process."
            )
        return EscalationBudget, (self.limits,)

    def see(self, count: int) -> None:
        """So many more things were judged; the share is taken of these."""
        with self._lock:
            self.seen += count

    def take(self, wanted: int, *, whole: bool = False) -> tuple[int, str]:
        """How many of `wanted` things may be passed on in one question, and why not all where it is fewer.

        Whatever is granted is under way until `settle` is called. `whole`: all of them or none.
        """
        with self._lock:
            room, why = wanted, ""
            limits = self.limits
            if limits.max_escalations is not None and limits.max_escalations - self.escalated < room:
                room, why = (
                    limits.max_escalations - self.escalated,
                    f"the limit of {limits.max_escalations} escalations",
                )
            if limits.max_share is not None:
                allowed = math.ceil(limits.max_share * self.seen - 1e-9) - self.escalated
                if allowed < room:
                    room, why = allowed, f"the limit of {limits.max_share:g} of all"
            if limits.max_cost is not None and room > 0:
                expected = self.cost + (self._under_way + 1) * self._dearest
                if self._unpriced:
                    room, why = 0, f"a cost limit, and the price of {self._unpriced} is not known"
                elif self.cost >= limits.max_cost or expected > limits.max_cost:
                    room, why = 0, f"the limit of ${limits.max_cost:g}"
            room = 0 if room < 0 or (whole and room < wanted) else room
            if room:
                self.escalated += room
                self._under_way += 1
            return room, why

    def settle(self, judge: str, usage: Usage | None) -> None:
        """What a question that was granted cost; None where it failed and nothing is known."""
        with self._lock:
            self._under_way -= 1
            if usage is None:
                return
            if usage.cost is None:
                self._unpriced = judge
                return
            self.cost += usage.cost
            self._dearest = max(self._dearest, usage.cost)


def _within(value: object, top: float) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= top
