"""The cost limit of a run."""

from __future__ import annotations

from ...core.errors import InputError, RunFailed
from ...core.result import Usage

_CASES_BEFORE_FIRST_COST = 4
"""Cases at the same time until the cost of the first one is known."""


class CostLimit:
    """Counts the cost. With a limit, a case starts only if it and the running ones will probably stay below."""

    def __init__(
        self, limit: float | None = None, judge: str = "the judge", *, free: bool = False, typical: float | None = None
    ) -> None:
        """`free` means that the judge costs nothing. `typical` is the expected cost of a case."""
        if limit is not None and not limit > 0:
            raise InputError(f"a cost limit must be more than 0 dollars, {limit:g} is not.")
        self.limit = None if free else limit
        self.cost: float | None = 0.0
        self._judge = judge
        self._paid = 0
        self._typical = typical

    def allows(self, under_way: int) -> bool:
        """Whether one more case may start."""
        if self.limit is None or self.cost is None:
            return True
        typical = self.cost / self._paid if self._paid else self._typical
        if typical is None:
            return under_way < _CASES_BEFORE_FIRST_COST
        return self.cost + (under_way + 1) * typical <= self.limit

    def spent(self, usage: Usage) -> None:
        """Add the cost of a case."""
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
