"""A cheap judge decides where it is sure; a better one is asked about the rest, under a budget."""

from __future__ import annotations

import hashlib
from typing import Any, Literal, TypeVar

from ...errors import InputError, JudgeError, NothingToJudge
from ...judge import Answer, Call, Judge, JudgeSpec, resolve
from ...plumbing.public import public_in
from ...questions import Question
from .asking import asker
from .escalation_budget import EscalationBudget, EscalationLimits
from .opinions import Key, Opinion, decided, joined_opinions, narrowed, noun, opinions, refusals, things

T = TypeVar("T")

LOW, HIGH = 0.2, 0.8
_ROUNDING = 1e-9
"""1 - 0.8 is a little less than 0.2 in floating point, and is still inside a band that starts at 0.2."""


@public_in("halluscope.judges")
class Cascade:
    """Asks `first`, and `second` where `first` is not sure.

    A verdict is sure where the probability that the thing is wrong is below `low` and the verdict
    says it holds, or above `high` and the verdict says it does not. Everything else, and every
    verdict without a confidence, lies in the uncertain band. Of a question about many claims only
    the uncertain ones are passed on, in one question, the least certain first where the budget does
    not reach for all. Claims are extracted and reasons are given by the first judge.

    The budget holds for all that this object judges. Where it is spent, and where the second judge
    fails, the first one's verdict stands and a note says so; with `on_failure="fail"` a failing
    second judge fails the question. Where the first judge cannot answer at all, the second is asked.
    """

    asks = True
    window: int | None = None

    def __init__(
        self,
        first: JudgeSpec,
        second: JudgeSpec,
        *,
        low: float = LOW,
        high: float = HIGH,
        max_escalations: int | None = None,
        max_share: float | None = None,
        max_cost: float | None = None,
        on_failure: Literal["keep", "fail"] = "keep",
    ) -> None:
        for name, value in (("low", low), ("high", high)):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
                raise InputError(f"the cascade's {name} must be a probability between 0 and 1, not {value!r}.")
        if low > high:
            raise InputError(f"the cascade's low ({low:g}) must not be above its high ({high:g}).")
        if on_failure not in ("keep", "fail"):
            raise InputError(f"the cascade's on_failure is 'keep' or 'fail', not {on_failure!r}.")
        self.first: Judge = resolve(first)
        self.second: Judge = resolve(second)
        self.low, self.high = float(low), float(high)
        self.on_failure = on_failure
        self.budget = EscalationBudget(
            EscalationLimits(max_escalations=max_escalations, max_share=max_share, max_cost=max_cost)
        )

    @property
    def name(self) -> str:
        """The judge as it would be written, with what is not the default."""
        limits = self.budget.limits
        options = (
            ("low", self.low, LOW),
            ("high", self.high, HIGH),
            ("max_escalations", limits.max_escalations, None),
            ("max_share", limits.max_share, None),
            ("max_cost", limits.max_cost, None),
            ("on_failure", self.on_failure, "keep"),
        )
        set_here = [f"{key}={value}" for key, value, default in options if value != default]
        return f"cascade({', '.join([self.first.name, self.second.name, *set_here])})"

    def fingerprint(self) -> str:
        own = (self.low, self.high, self.budget.limits, self.on_failure)
        return hashlib.sha256(f"{own} {self.first.fingerprint()} {self.second.fingerprint()}".encode()).hexdigest()

    def _sure(self, opinion: Opinion) -> bool:
        """Whether the first judge's view stands without asking."""
        wrong = opinion.wrong
        if wrong is None:
            return False
        return wrong < self.low - _ROUNDING if opinion.support.holds else wrong > self.high + _ROUNDING

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        ask = asker(self, call)
        keys = things(question)
        self.budget.see(len(keys))
        try:
            first = await ask(self.first, question)
        except NothingToJudge:
            raise
        except JudgeError as error:
            return await self._instead(question, call, error)
        if not keys:
            return first
        views = opinions(question, first.value, self.first.name)
        doubtful = [key for key in keys if key not in views or not self._sure(views[key])]
        found = {key: decided(view) for key, view in views.items()}
        notes: list[str] = []
        refused = refusals(first.value)
        usage = first.usage
        if doubtful:
            chosen, why = self._chosen(doubtful, views)
            left = [key for key in doubtful if key not in chosen]
            if left:
                self._keep(found, left, f"{self.first.name} was not sure; {self.second.name} was not asked ({why})")
                notes.append(f"{self.second.name} was not asked about {noun(question, len(left))}: {why} is reached")
            if chosen:
                second = await self._escalated(question, chosen, call, found, notes)
                if second is not None:
                    refused += refusals(second.value)
                    usage += second.usage
                    self._overrule(question, chosen, second.value, views, found)
        if not found:
            raise JudgeError(f"neither {self.first.name} nor {self.second.name} gave a verdict that can be used")
        notes.append(_deciders(question, found))
        return Answer(
            judge=self.name,
            value=joined_opinions(question, found, refused),
            usage=usage,
            notes=first.notes + tuple(notes),
        )

    def _chosen(self, doubtful: list[Key], views: dict[Key, Opinion]) -> tuple[list[Key], str]:
        """Those that the budget reaches for, the least certain first."""
        room, why = self.budget.take(len(doubtful))
        ranked = sorted(doubtful, key=lambda key: _certainty(views.get(key)))
        return ranked[:room], why

    async def _escalated(
        self, question: Question[Any], chosen: list[Key], call: Call, found: dict[Key, Opinion], notes: list[str]
    ) -> Answer[Any] | None:
        """The second judge's answer about the chosen things, None where it failed."""
        usage = None
        try:
            answer = await asker(self, call)(self.second, narrowed(question, chosen))
            usage = answer.usage
        except JudgeError as error:
            if self.on_failure == "fail":
                raise
            note = f"{self.second.name} failed ({error}); the verdict of {self.first.name} stands"
            self._keep(found, chosen, note)
            notes.append(f"{self.second.name} failed on {noun(question, len(chosen))}: {error}")
            return None
        finally:
            self.budget.settle(self.second.name, usage)
        notes.extend(answer.notes)
        return answer

    def _overrule(
        self,
        question: Question[Any],
        chosen: list[Key],
        value: Any,
        views: dict[Key, Opinion],
        found: dict[Key, Opinion],
    ) -> None:
        answered = opinions(question, value, self.second.name)
        for key in chosen:
            if key in answered:
                votes = [view.vote() for view in (views.get(key), answered[key]) if view is not None]
                found[key] = decided(answered[key], votes=votes)
            else:
                self._keep(found, [key], f"{self.second.name} gave no verdict; that of {self.first.name} stands")

    def _keep(self, found: dict[Key, Opinion], keys: list[Key], note: str) -> None:
        for key in keys:
            if key in found:
                found[key] = decided(found[key], notes=(note,))

    async def _instead(self, question: Question[T], call: Call, error: JudgeError) -> Answer[T]:
        """The second judge's answer where the first has none."""
        room, _ = self.budget.take(max(1, len(things(question))), whole=True)
        if not room:
            raise error
        usage = None
        try:
            answer = await asker(self, call)(self.second, question)
            usage = answer.usage
        except JudgeError as second:
            if self.on_failure == "fail":
                raise
            raise error from second
        finally:
            self.budget.settle(self.second.name, usage)
        value = answer.value
        assert value is not None
        if things(question):
            views = opinions(question, value, self.second.name)
            value = joined_opinions(question, {key: decided(view) for key, view in views.items()}, refusals(value))
        note = f"{self.first.name} gave no answer ({error}); {self.second.name} answered the {question.kind} question"
        return Answer(judge=self.name, value=value, usage=answer.usage, notes=(*answer.notes, note))


def _certainty(opinion: Opinion | None) -> float:
    if opinion is None or opinion.wrong is None:
        return -1.0
    sides_with = opinion.wrong >= 0.5 if not opinion.support.holds else opinion.wrong <= 0.5
    return abs(opinion.wrong - 0.5) if sides_with else 0.0


def _deciders(question: Question[Any], found: dict[Key, Opinion]) -> str:
    counts: dict[str, int] = {}
    for opinion in found.values():
        counts[opinion.judge] = counts.get(opinion.judge, 0) + 1
    said = "; ".join(f"{judge} decided {noun(question, count)}" for judge, count in counts.items())
    return f"who decided: {said}"
