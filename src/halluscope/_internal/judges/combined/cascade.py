"""Ask a cheap judge first, and a better one about what the first is not sure of, within a budget."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Literal, TypeVar

from ...core.errors import InputError, JudgeError, NothingToJudge
from ...core.plumbing.public import public_in
from ...engine.judge import Answer, Ask, Call, Judge, JudgeSpec, resolve
from ...engine.questions import Question
from .escalation_budget import EscalationBudget
from .poll import Opinion, asker, decided, joined_opinions, noted, opinions, vote_of, wrong

T = TypeVar("T")

LOW, HIGH = 0.2, 0.8
_ROUNDING = 1e-9
"""In floating point 1 - 0.8 is slightly below 0.2, and still belongs to a band that starts at 0.2."""


@public_in("halluscope.judges")
class Cascade:
    """Asks a cheap judge first, and a better one about everything that the first is not sure of.

    A verdict of the first judge is sure if it says that the item holds and the probability that it is wrong is below
    `low`, or if it says that it does not hold and that probability is above `high`. Every other verdict, and every
    verdict without a confidence, is uncertain and goes to the second judge. Of a question about many claims, only the
    uncertain ones are passed on, in one question. Claims are extracted, and reasons given, by the first judge. If the
    first judge cannot answer at all, the second is asked instead.

    The limits hold for everything that this object judges. Where they leave no room for all uncertain items, the least
    certain are passed on; for the others the first judge's verdict stands, and a note says so.

    Args:
        first: Name or instance of the judge that is asked about everything.
        second: Name or instance of the judge that is asked about the uncertain items.
        low: Lower end of the uncertain band, a probability of being wrong.
        high: Upper end of the uncertain band.
        max_escalations: Most items to pass on.
        max_share: Largest share of all items to pass on.
        max_cost: Most US dollars to spend on the second judge.
        on_failure: If the second judge fails, "keep" the first one's verdict or "fail" the question.

    Raises:
        InputError: If an option is unusable.

    Example:
        >>> Cascade("local", "local", high=0.9, max_share=0.3).name
        'cascade(local, local, high=0.9, max_share=0.3)'
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
        self.budget = EscalationBudget(max_escalations, max_share, max_cost)

    @property
    def name(self) -> str:
        """The name that creates this judge."""
        usual = {"low": LOW, "high": HIGH, "on_failure": "keep"}
        limits = dict(zip(("max_escalations", "max_share", "max_cost"), self.budget.limits, strict=True))
        chosen = {"low": self.low, "high": self.high, **limits, "on_failure": self.on_failure}
        set_here = [f"{key}={value}" for key, value in chosen.items() if value != usual.get(key)]
        return f"cascade({', '.join([self.first.name, self.second.name, *set_here])})"

    def fingerprint(self) -> str:
        own = (self.low, self.high, self.budget.limits, self.on_failure)
        return hashlib.sha256(f"{own} {self.first.fingerprint()} {self.second.fingerprint()}".encode()).hexdigest()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        ask = asker(self, call)
        items = question.items()
        self.budget.see(len(items))
        try:
            first = await ask(self.first, question)
        except NothingToJudge:
            raise
        except JudgeError as error:
            return await self._second_instead(question, ask, error)
        if not items:
            return first
        views = opinions(question, first.value, self.first.name)
        found = dict(views)
        notes: list[str] = list(first.notes)
        refused, usage = question.refused(first.value), first.usage
        uncertain = sorted(
            (item for item in items if item not in views or not self._sure(views[item])),
            key=lambda item: _certainty(views.get(item)),
        )
        room, limit = self.budget.take(len(uncertain)) if uncertain else (0, "")
        chosen, left = uncertain[:room], uncertain[room:]
        if left:
            _note(found, left, f"{self.first.name} was not sure; {self.second.name} was not asked ({limit})")
            some = question.items_in_words(len(left))
            notes.append(f"{self.second.name} was not asked about {some}: {limit} is reached")
        if chosen:
            try:
                second = await self._ask_second(question.narrowed(chosen), ask)
            except JudgeError as error:
                if self.on_failure == "fail":
                    raise
                _note(found, chosen, f"{self.second.name} failed ({error}); the verdict of {self.first.name} stands")
                notes.append(f"{self.second.name} failed on {question.items_in_words(len(chosen))}: {error}")
            else:
                notes += second.notes
                refused += question.refused(second.value)
                usage += second.usage
                answered = opinions(question, second.value, self.second.name)
                _note(found, chosen, f"{self.second.name} gave no verdict; that of {self.first.name} stands")
                for item in answered.keys() & set(chosen):
                    votes = [vote_of(view) for view in (views.get(item), answered[item]) if view is not None]
                    found[item] = decided(answered[item], answered[item].judge, votes=votes)
        if not found:
            raise JudgeError(f"neither {self.first.name} nor {self.second.name} gave a verdict that can be used")
        counts = Counter(opinion.judge for opinion in found.values())
        said = "; ".join(f"{judge} decided {question.items_in_words(count)}" for judge, count in counts.items())
        notes.append(f"who decided: {said}")
        return Answer(judge=self.name, value=joined_opinions(question, found, refused), usage=usage, notes=tuple(notes))

    def _sure(self, opinion: Opinion) -> bool:
        doubt = wrong(opinion)
        if doubt is None:
            return False
        return doubt < self.low - _ROUNDING if opinion.support.holds else doubt > self.high + _ROUNDING

    async def _ask_second(self, question: Question[T], ask: Ask) -> Answer[T]:
        usage = None
        try:
            answer = await ask(self.second, question)
            usage = answer.usage
            return answer
        finally:
            self.budget.settle(self.second.name, usage)

    async def _second_instead(self, question: Question[T], ask: Ask, error: JudgeError) -> Answer[T]:
        """The second judge's answer to a question that the first one failed on."""
        room, _ = self.budget.take(max(1, len(question.items())), whole=True)
        if not room:
            raise error
        try:
            answer = await self._ask_second(question, ask)
        except JudgeError as second:
            if self.on_failure == "fail":
                raise
            raise error from second
        value = answer.value
        assert value is not None
        if question.items():
            found = opinions(question, value, self.second.name)
            value = joined_opinions(question, found, question.refused(value))
        note = f"{self.first.name} gave no answer ({error}); {self.second.name} answered the {question.kind} question"
        return Answer(judge=self.name, value=value, usage=answer.usage, notes=(*answer.notes, note))


def _note(found: dict[str, Opinion], items: Iterable[str], note: str) -> None:
    for item in items:
        if item in found:
            found[item] = noted(found[item], note)


def _certainty(opinion: Opinion | None) -> float:
    if opinion is None or opinion.confidence is None:
        return -1.0
    return max(0.0, opinion.confidence - 0.5)  # below one half, the judge contradicts its own verdict
