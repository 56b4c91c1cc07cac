"""Ask several judges; the majority decides."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import TypeVar

from ...core.errors import InputError, JudgeError
from ...core.plumbing.public import public_in
from ...engine.judge import Answer, Ask, Call, Judge, JudgeSpec, resolve
from ...engine.questions import Question
from .poll import Voter, asker, majority, poll

T = TypeVar("T")


@public_in("halluscope.judges")
class Panel:
    """A jury of judges. Each verdict is that of the majority; a tie goes to the worse verdict.

    Claims are extracted, and reasons given, by the first judge that can, so that all judges vote on the same claims.
    A judge that fails has no vote, and a note says so. Every verdict carries its votes.

    Args:
        judges: Names or instances of at least two judges.
        weights: The weight of each judge's vote, all equal by default.
        quorum: How many judges must vote on an item for it to get a verdict: more than half by default.

    Raises:
        InputError: If there are fewer than two judges, or an option is unusable.

    Example:
        >>> Panel("local", "local", weights=(2, 1)).name
        'panel(local, local, weights=(2, 1))'
    """

    asks = True
    window: int | None = None

    def __init__(self, *judges: JudgeSpec, weights: Sequence[float] | None = None, quorum: int | None = None) -> None:
        if len(judges) < 2:
            raise InputError("a panel needs at least two judges.")
        self.judges: tuple[Judge, ...] = tuple(resolve(judge) for judge in judges)
        self.weights = _checked(weights, len(judges))
        if quorum is not None and (isinstance(quorum, bool) or not isinstance(quorum, int)):
            raise InputError(f"the panel's quorum must be a whole number, not {quorum!r}.")
        self.quorum = len(judges) // 2 + 1 if quorum is None else quorum
        if not 1 <= self.quorum <= len(judges):
            raise InputError(f"the panel's quorum must be between 1 and {len(judges)}, not {quorum!r}.")

    @property
    def name(self) -> str:
        """The name that creates this judge."""
        members = [judge.name for judge in self.judges]
        if len(set(self.weights)) > 1:
            members.append(f"weights=({', '.join(f'{weight:g}' for weight in self.weights)})")
        if self.quorum != len(self.judges) // 2 + 1:
            members.append(f"quorum={self.quorum}")
        return f"panel({', '.join(members)})"

    def fingerprint(self) -> str:
        parts = [judge.fingerprint() for judge in self.judges]
        return hashlib.sha256(f"panel {self.weights} {self.quorum} {parts}".encode()).hexdigest()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        ask = asker(self, call)
        if not question.items():
            return await self._first(question, ask)
        titles = _titles(self.judges)
        voters = [
            Voter(judge, title, weight) for judge, title, weight in zip(self.judges, titles, self.weights, strict=True)
        ]
        polled = await poll(ask, question, voters)
        polled.notes[:0] = [f"{title} has no vote: {error}" for title, error in polled.failures.items()]
        members = f"{'judge' if self.quorum == 1 else 'judges'} of the panel"
        return polled.answer(self, question, self.quorum, members, lambda given: majority(given, self.name))

    async def _first(self, question: Question[T], ask: Ask) -> Answer[T]:
        failures: list[JudgeError] = []
        for judge in self.judges:
            try:
                return await ask(judge, question)
            except JudgeError as error:
                failures.append(error)
        raise failures[0]


def _titles(judges: Sequence[Judge]) -> tuple[str, ...]:
    """A name for each judge's votes: a model that sits on the panel twice gets two."""
    names = [judge.name for judge in judges]
    return tuple(
        name if names.count(name) == 1 else f"{name} #{names[: place + 1].count(name)}"
        for place, name in enumerate(names)
    )


def _checked(weights: Sequence[float] | None, count: int) -> tuple[float, ...]:
    if weights is None:
        return (1.0,) * count
    if isinstance(weights, (str, bytes)) or not isinstance(weights, Sequence) or len(weights) != count:
        raise InputError(f"the panel's weights must be {count} numbers, one per judge, not {weights!r}.")
    for weight in weights:
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight < math.inf:
            raise InputError(f"each of the panel's weights must be a number above 0, not {weight!r}.")
    return tuple(float(weight) for weight in weights)
