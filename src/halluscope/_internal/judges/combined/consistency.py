"""One judge is asked several times over; the majority of its answers decides, and its wavering is reported."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any, TypeVar

from msgspec import structs

from ...errors import InputError, JudgeError
from ...judge import Answer, Call, Judge, JudgeSpec, resolve
from ...plumbing.public import public_in
from ...questions import Question
from ...result import Usage
from .asking import asker, attempted
from .ballot import Ballot, majority, minority
from .opinions import Key, joined_opinions, opinions, refusals, things

T = TypeVar("T")

SAMPLES = 5


@public_in("halluscope.judges")
class Consistent:
    """Draws `n` samples of a judge's verdicts. Claims are extracted, and reasons given, once.

    A chat judge gives each sample its own seed and, where its temperature is zero, one that lets
    samples differ; `temperature` sets another, for a judge given by name. A sample that fails has
    no vote; more than half must succeed. The flip rate of a claim is the share of samples that
    speak against its verdict; see `halluscope._internal.judges.combined.vote_agreement.flip_rates` for those of a run.
    """

    asks = True
    window: int | None = None

    def __init__(self, judge: JudgeSpec, n: int = SAMPLES, *, temperature: float | None = None) -> None:
        if isinstance(n, bool) or not isinstance(n, int) or n < 2:
            raise InputError(f"self-consistency needs n of at least 2 samples, not {n!r}.")
        if temperature is not None and not isinstance(judge, str):
            raise InputError("a temperature goes with a judge's name; set it on the judge.")
        self.judge: Judge = resolve(judge) if temperature is None else resolve(judge, temperature=temperature)
        self.n = n

    @property
    def name(self) -> str:
        return f"consistent({self.judge.name}, n={self.n})"

    def fingerprint(self) -> str:
        return hashlib.sha256(f"consistent {self.n} {self.judge.fingerprint()}".encode()).hexdigest()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        ask = asker(self, call)
        if not things(question):
            return await ask(self.judge, question)
        # Numbered on from the outer sample, so that samples of samples are all different.
        drawn = range(call.sample * self.n + 1, call.sample * self.n + self.n + 1)
        replies = await asyncio.gather(*(attempted(ask, self.judge, question, number) for number in drawn))
        ballots: dict[Key, list[Ballot]] = {key: [] for key in things(question)}
        failures: list[JudgeError] = []
        notes: list[str] = []
        refused: list[str] = []
        usage = Usage()
        for number, reply in enumerate(replies, start=1):
            if isinstance(reply, JudgeError):
                failures.append(reply)
                continue
            usage += reply.usage
            notes += reply.notes
            refused += [f"{text} (in sample {number})" for text in refusals(reply.value)]
            for key, view in opinions(question, reply.value, self.judge.name).items():
                entitled = structs.replace(view, judge=self.judge.name)
                ballots[key].append(Ballot(entitled, sample=number))
        if failures:
            notes.append(f"{len(failures)} of {self.n} samples of {self.judge.name} failed: {failures[0]}")
        needed = self.n // 2 + 1
        found = {key: self._told(cast) for key, cast in ballots.items() if len(cast) >= needed}
        if not found:
            if failures:
                raise failures[0]
            raise JudgeError(f"fewer than {needed} samples of {self.judge.name} gave a verdict that can be used")
        return Answer(judge=self.name, value=joined_opinions(question, found, refused), usage=usage, notes=tuple(notes))

    def _told(self, ballots: list[Ballot]) -> Any:
        votes = [ballot.opinion.vote() for ballot in ballots]
        rate = minority(votes)
        note = f"flip rate {rate:.2f}: {round(rate * len(votes))} of {len(votes)} samples said otherwise"
        return majority(ballots, self.judge.name, (note,) if rate else ())
