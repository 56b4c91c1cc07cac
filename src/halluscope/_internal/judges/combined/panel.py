"""Several judges are asked, and the majority decides."""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Sequence
from typing import TypeVar

from msgspec import structs

from ...errors import InputError, JudgeError
from ...judge import Answer, Ask, Call, Judge, JudgeSpec, resolve
from ...plumbing.public import public_in
from ...questions import Question
from ...result import Usage
from ...text.counting import count_of
from .asking import asker, attempted
from .ballot import Ballot, majority
from .opinions import Key, joined_opinions, noun, opinions, refusals, things

T = TypeVar("T")


@public_in("halluscope.judges")
class Panel:
    """Asks all its judges at once; each verdict is that of the majority, by weight where there are weights.

    A tie goes to the worse support. Claims are extracted, and reasons given, by the first judge
    that can, so that all vote on the same claims. A judge that fails has no vote, and a note says
    so; a thing that fewer than `quorum` judges voted on (more than half, unless told otherwise)
    gets no verdict. Every verdict carries its votes.
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
        self._titles = _titles(self.judges)

    @property
    def name(self) -> str:
        """The judge as it would be written, with what is not the default."""
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
        if not things(question):
            return await self._first(question, ask)
        replies = await asyncio.gather(*(attempted(ask, judge, question) for judge in self.judges))
        ballots: dict[Key, list[Ballot]] = {key: [] for key in things(question)}
        failures: list[JudgeError] = []
        notes: list[str] = []
        refused: list[str] = []
        usage = Usage()
        for title, weight, reply in zip(self._titles, self.weights, replies, strict=True):
            if isinstance(reply, JudgeError):
                failures.append(reply)
                notes.append(f"{title} has no vote: {reply}")
                continue
            usage += reply.usage
            notes += reply.notes
            refused += [f"{text} (by {title})" for text in refusals(reply.value)]
            for key, view in opinions(question, reply.value, title).items():
                ballots[key].append(Ballot(structs.replace(view, judge=title), weight))
        found = {key: majority(cast, self.name) for key, cast in ballots.items() if len(cast) >= self.quorum}
        missed = len(ballots) - len(found)
        if not found:
            if failures:
                raise failures[0]
            raise JudgeError(
                f"fewer than {count_of(self.quorum, 'judge')} of the panel gave a verdict that can be used"
            )
        if missed:
            notes.append(f"fewer than {count_of(self.quorum, 'judge')} of the panel voted on {noun(question, missed)}")
        return Answer(judge=self.name, value=joined_opinions(question, found, refused), usage=usage, notes=tuple(notes))

    async def _first(self, question: Question[T], ask: Ask) -> Answer[T]:
        failure: JudgeError | None = None
        for judge in self.judges:
            try:
                return await ask(judge, question)
            except JudgeError as error:
                failure = failure or error
        assert failure is not None
        raise failure


def _titles(judges: Sequence[Judge]) -> tuple[str, ...]:
    """A name for each judge under which its votes are recorded: the same model may sit twice."""
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
