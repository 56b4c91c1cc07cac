"""What live scoring may spend in a day, kept in the store: a restart does not begin a new day."""

from __future__ import annotations

import time

from ..errors import InputError
from ..metric import is_number
from ..plumbing.loggers import logger
from ..result import Usage
from ..store import Store
from ..store.spending import spent_on

_log = logger("live")

_BEFORE_THE_FIRST = 2
"""Answers at once until the first has shown what one costs."""


class DailyBudget:
    """US dollars for one day, by the clock of Greenwich, for all processes that share a store and a name.

    An answer is begun only where those under way and it are likely to stay below.
    """

    def __init__(self, limit: float | None, name: str, judge: str) -> None:
        if limit is not None and (not is_number(limit) or not limit > 0):
            raise InputError(f"a daily budget must be more than 0 dollars, {limit!r} is not.")
        self.limit = limit
        self._name = name
        self._judge = judge
        self._day = ""
        self._spent = 0.0
        self._unwritten = 0.0
        self._paid = 0
        self._cost_here = 0.0
        self._priced = True

    def allows(self, under_way: int) -> bool:
        """Whether one more answer may be judged beside those under way."""
        if self.limit is None:
            return True
        if not self._priced:
            return False
        if self._day != _today():
            self._day, self._spent = _today(), 0.0
        total = self._spent + self._unwritten
        if not self._paid:
            return under_way < _BEFORE_THE_FIRST and total < self.limit
        return total + (under_way + 1) * self._cost_here / self._paid <= self.limit

    def spent(self, usage: Usage) -> None:
        """Count what an answer cost."""
        if self.limit is None or not usage.calls:
            return
        if usage.cost is None:
            if self._priced:
                _log.warning(
                    "the daily budget cannot be kept: the price of %s is not known. No more answers are judged: "
                    "leave the budget out, or give the judge a price.",
                    self._judge,
                )
            self._priced = False
            return
        self._paid += 1
        self._cost_here += usage.cost
        self._unwritten += usage.cost

    def settle(self, store: Store) -> None:
        """Write down what was spent, and learn what others have."""
        if self.limit is None:
            return
        self._day, adding = _today(), self._unwritten
        self._spent = spent_on(store, self._day, self._name, adding)
        self._unwritten -= adding


def _today() -> str:
    return time.strftime("%Y-%m-%d", time.gmtime())
