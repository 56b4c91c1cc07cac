"""The daily budget of live scoring, kept in the store."""

from __future__ import annotations

import time

from ..core.errors import InputError
from ..core.plumbing.loggers import logger
from ..core.result import Usage
from ..engine.metric import is_number
from ..runs.store import Store
from ..runs.store.spending import spent_on

_log = logger("live")

_ANSWERS_BEFORE_FIRST_COST = 2
"""Answers at the same time until the cost of the first one is known."""


class DailyBudget:
    """US dollars per day (UTC), for all processes with the same store and run.

    An answer is scored only if it and the running ones will probably stay below the budget.
    """

    def __init__(self, limit: float | None, name: str, judge: str) -> None:
        if limit is not None and (not is_number(limit) or not limit > 0):
            raise InputError(f"the daily budget must be more than 0 dollars, not {limit!r}.")
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
        """Whether one more answer may be judged."""
        if self.limit is None:
            return True
        if not self._priced:
            return False
        if self._day != _today():
            self._day, self._spent = _today(), 0.0
        total = self._spent + self._unwritten
        if not self._paid:
            return under_way < _ANSWERS_BEFORE_FIRST_COST and total < self.limit
        return total + (under_way + 1) * self._cost_here / self._paid <= self.limit

    def spent(self, usage: Usage) -> None:
        """Add the cost of an answer."""
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
        """Store the cost so far, and read that of other processes."""
        if self.limit is None:
            return
        self._day, adding = _today(), self._unwritten
        self._spent = spent_on(store, self._day, self._name, adding)
        self._unwritten -= adding


def _today() -> str:
    return time.strftime("%Y-%m-%d", time.gmtime())
