"""Ask one judge several times. The majority of its answers decides, and the flip rate is reported."""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

from ...core.errors import InputError
from ...core.plumbing.public import public_in
from ...engine.judge import Answer, Call, Judge, JudgeSpec, resolve
from ...engine.questions import Question
from .poll import Opinion, Voter, asker, majority, minority, noted, opinions, poll

T = TypeVar("T")

SAMPLES = 5


@public_in("halluscope.judges")
class Consistent:
    """Self-consistency: draw several samples of a judge's verdicts and take the majority.

    Claims are extracted, and reasons given, once. A chat judge gives each sample its own seed and, if its temperature
    is zero, a temperature at which samples can differ. A sample that fails has no vote; more than half must succeed.
    The flip rate of a claim is the share of samples that vote against its verdict; `halluscope.judges.flip_rates`
    computes those of a run.

    Args:
        judge: Name or instance of the judge.
        n: Number of samples, at least 2.
        temperature: Temperature of the samples, for a judge given by name.
        if_needed: Draw samples only if the judge's first answer has no probabilities. That answer is the first sample.

    Raises:
        InputError: If an option is unusable.

    Example:
        >>> Consistent("local", n=3).name
        'consistent(local, n=3)'
    """

    asks = True
    window: int | None = None

    def __init__(
        self, judge: JudgeSpec, n: int = SAMPLES, *, temperature: float | None = None, if_needed: bool = False
    ) -> None:
        if isinstance(n, bool) or not isinstance(n, int) or n < 2:
            raise InputError(f"self-consistency needs n of at least 2 samples, not {n!r}.")
        if temperature is not None and not isinstance(judge, str):
            raise InputError("a temperature goes with a judge's name; set it on the judge.")
        self.judge: Judge = resolve(judge) if temperature is None else resolve(judge, temperature=temperature)
        self.n = n
        self.if_needed = if_needed

    @property
    def name(self) -> str:
        """The name that creates this judge."""
        return f"consistent({self.judge.name}, n={self.n}{', if_needed=true' if self.if_needed else ''})"

    def fingerprint(self) -> str:
        return hashlib.sha256(f"consistent {self.n} {self.if_needed} {self.judge.fingerprint()}".encode()).hexdigest()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        ask = asker(self, call)
        if not question.items():
            return await ask(self.judge, question)
        first = await ask(self.judge, question) if self.if_needed else None
        if first is not None:
            given = opinions(question, first.value, self.judge.name).values()
            if given and all(opinion.confidence is not None for opinion in given):
                return first

        async def draw(judge: Judge, question: Question[Any], /, sample: int | None = None) -> Answer[Any]:
            is_first = first is not None and sample == voters[0].draw
            return first if is_first else await ask(judge, question, sample=sample)  # type: ignore[return-value]

        # Continue the numbers of the outer sample, so that samples of samples all differ.
        voters = [
            Voter(self.judge, self.judge.name, draw=call.sample * self.n + number, sample=number)
            for number in range(1, self.n + 1)
        ]
        polled = await poll(draw, question, voters)
        if polled.failures:
            why = next(iter(polled.failures.values()))
            polled.notes.append(f"{len(polled.failures)} of {self.n} samples of {self.judge.name} failed: {why}")
        return polled.answer(self, question, self.n // 2 + 1, f"samples of {self.judge.name}", self._decide)

    def _decide(self, given: list[Opinion]) -> Opinion:
        rate = minority([vote for opinion in given for vote in opinion.votes])
        note = f"flip rate {rate:.2f}: {round(rate * len(given))} of {len(given)} samples said otherwise"
        opinion = majority(given, self.judge.name)
        return noted(opinion, note) if rate else opinion
