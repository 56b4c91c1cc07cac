"""Alert rules over the results of a time: `hallucination > 0.2 over 1 h`, `faithfulness drifts over 1 d`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import sqrt

from msgspec import Struct

from ..core.counting import count_of
from ..core.errors import InputError
from ..core.plumbing.public import public_in
from ..core.result import Direction, Result
from .gates import OF_A_METRIC, OPERATORS, Gate
from .statistics.partial import Partial

_RULE = re.compile(r"\s*(.+?)(?:\s+over\s+([\d.]+)\s*(s|m|min|h|d|w)[a-z]*)?\s*", re.IGNORECASE)
_DRIFT = re.compile(r"(\w+)\s+drifts", re.IGNORECASE)
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
FEWEST = 10
"""Results that a time must have for an alert: one bad answer at night is no reason to wake anybody."""


class Observation(Struct, frozen=True):
    """A result, and when its answer was given."""

    at: float
    result: Result


@public_in("halluscope.runs")
class Alert(Struct, frozen=True):
    """What an alert rule found.

    Attributes:
        rule: The rule.
        run: Name of the run.
        firing: Whether there is reason for an alert.
        value: The figure, None if there were too few results.
        reason: The finding in words.
        results: Number of results in the time.
    """

    rule: str
    run: str
    firing: bool
    value: float | None
    reason: str
    results: int

    @property
    def message(self) -> str:
        """The alert in one line."""
        return f"halluscope: {self.rule}: {self.reason} in the run {self.run} ({count_of(self.results, 'result')})"


class AlertRule(Struct, frozen=True):
    """A rule. `gate` is its condition, None for a drift; `seconds` is its time, None for a whole run."""

    text: str
    metric: str
    gate: Gate | None
    seconds: float | None

    @classmethod
    def parse(cls, text: str, metrics: Iterable[str]) -> AlertRule:
        """Read a rule about a run with these metrics."""
        metrics = list(metrics)
        found = _RULE.fullmatch(text)
        if found is None or not text.strip():
            raise InputError("an alert rule is empty: write it like 'hallucination > 0.2 over 1 h'.")
        condition, number, unit = found.groups()
        try:
            seconds = None if number is None else float(number) * _SECONDS[unit.lower()]
        except ValueError:
            raise InputError(f"the alert rule {text!r} has no time that can be read: write 'over 1 h'.") from None
        drift = _DRIFT.fullmatch(condition)
        if drift is None:
            gate = Gate.parse(condition, metrics)
            if gate.metric is None:
                raise InputError(f"the alert rule {text!r} is about no metric: write it like 'hallucination > 0.2'.")
            return cls(text.strip(), gate.metric, gate, seconds)
        if seconds is None:
            raise InputError(f"the alert rule {text!r} needs a time: write it like '{drift[1]} drifts over 1 d'.")
        if drift[1] not in metrics:
            raise InputError(f"the alert rule {text!r} is about {drift[1]!r}; there are: {', '.join(metrics)}.")
        return cls(text.strip(), drift[1], None, seconds)

    def check(self, run: str, observations: Sequence[Observation], now: float) -> Alert:
        own = [one for one in observations if one.result.metric == self.metric]
        begin = now - self.seconds if self.seconds is not None else float("-inf")
        inside = [one.result for one in own if one.at >= begin]
        if not inside or (self.seconds is not None and len(inside) < FEWEST):
            return Alert(self.text, run, False, None, "there are too few results", len(inside))
        if self.gate is None:
            return self._drift(run, [one.result for one in own if one.at < begin], inside)
        value = OF_A_METRIC[self.gate.figure](_counted(inside, inside[0].direction).summary(len(inside)))
        if value is None:
            return Alert(self.text, run, False, None, "nothing was scored", len(inside))
        firing = OPERATORS[self.gate.operator](value, self.gate.bound)
        return Alert(self.text, run, firing, value, f"it is {value:.4g}", len(inside))

    def _drift(self, run: str, earlier: Sequence[Result], inside: Sequence[Result]) -> Alert:
        """Whether the mean is worse than before, beyond what chance explains with 95 % confidence."""
        from ..stats.means import normal_interval

        direction = inside[0].direction
        before, now = (_counted(results, direction).scores for results in (earlier, inside))
        if before.count < FEWEST or now.count < FEWEST or before.mean is None or now.mean is None:
            return Alert(self.text, run, False, None, "there are too few scores to compare with", len(inside))
        change = now.mean - before.mean
        error = sqrt(before.deviation**2 / before.count + now.deviation**2 / now.count)
        interval = normal_interval(change, error, 1)
        worse = interval.low > 0 if direction == "lower" else interval.high < 0
        reason = f"the mean went from {before.mean:.4g} to {now.mean:.4g}"
        return Alert(self.text, run, worse, change, reason, len(inside))


def _counted(results: Sequence[Result], direction: Direction) -> Partial:
    counted = Partial("", direction)
    for result in results:
        counted.add(result)
    return counted
