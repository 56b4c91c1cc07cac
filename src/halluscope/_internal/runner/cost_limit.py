"""What a run may cost."""

from __future__ import annotations

from ..errors import InputError, RunFailed
from ..result import Usage

_BEFORE_THE_FIRST = 4
"""Cases at once until the first one has shown what one costs."""


class CostLimit:
    """Counts money. With a limit, a case starts only if those under way and it are likely to stay below."""

    def __init__(self, limit: float | None = None, judge: str = "the judge", *, free: bool = False) -> None:
        """`free`: the judge costs nothing, so that no limit will be reached."""
        if limit is not None and not limit > 0:
            raise InputError(f"a cost limit must be more than 0 dollars, {limit:g} is not.")
        self.limit = None if free else limit
        self.cost: float | None = 0.0
        self._judge = judge
        self._paid = 0

    def allows(self, under_way: int) -> bool:
        """Whether one more case may start beside those under way."""
        if self.limit is None or self.cost is None:
            return True
        if not self._paid:
            return under_way < _BEFORE_THE_FIRST
        return self.cost + (under_way + 1) * self.cost / self._paid <= self.limit

    def spent(self, usage: Usage) -> None:
        """Count what a case cost."""
        if not usage.calls:
            return
        self._paid += 1
        if self.cost is not None:
            self.cost = None if usage.cost is None else self.cost + usage.cost
        if self.cost is None and self.limit is not None:
            raise RunFailed(
                f"the cost limit cannot be kept: the price of {self._judge} is not known. "
                "Leave the limit out, or give the judge a price."
            )
