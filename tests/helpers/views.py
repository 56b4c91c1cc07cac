"""A judge with set views: what it thinks of each sentence, how sure it is, what it costs, when it fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from halluscope._internal.core.case import Case
from halluscope._internal.core.errors import JudgeError
from halluscope._internal.core.result import Result, Usage
from halluscope._internal.core.verdict import Claim, Support, Verdict
from halluscope._internal.engine.driver import Driver
from halluscope._internal.engine.judge import Answer, Call, Judge
from halluscope._internal.engine.metric import Metric
from halluscope._internal.engine.metrics import resolve
from halluscope._internal.engine.questions import (
    FACTUAL,
    HALLUCINATED,
    ComparePassages,
    Explain,
    ExtractClaims,
    Labelled,
    Question,
    Verification,
    VerifyClaims,
    numbered,
)
from halluscope._internal.engine.retrying import RetryPolicy
from halluscope._internal.text import sentences

T = TypeVar("T")

YES, NO, UNCLEAR = Support.SUPPORTED, Support.CONTRADICTED, Support.UNSUPPORTED

View = tuple[Support, "float | None"]
QUICK = RetryPolicy(deadline=5, retries=0, repairs=0, first_wait=0.001, longest_wait=0.001)


class ViewsJudge:
    """Each sentence, passage or output has a view, or a function gives one; what has none is left out."""

    asks = False
    window: int | None = None

    def __init__(
        self,
        name: str,
        views: Mapping[str, View] | Callable[[str, int], View | None],
        *,
        cost: float | None = 0.0,
        error: JudgeError | None = None,
        fails_on: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self._views = views
        self._cost = cost
        self._error = error
        self._fails_on = fails_on
        self.asked: list[tuple[str, tuple[str, ...], int]] = []

    def fingerprint(self) -> str:
        return self.name

    def questions(self, kind: str) -> list[tuple[str, ...]]:
        return [texts for asked, texts, _ in self.asked if asked == kind]

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        texts = _texts(question)
        self.asked.append((question.kind, texts, call.sample))
        if self._error is not None and (not self._fails_on or question.kind in self._fails_on):
            raise self._error
        value = self._value(question, call.sample)
        return Answer(judge=self.name, value=cast("T", value), usage=Usage(calls=1, cost=self._cost))

    def _value(self, question: Question[Any], sample: int) -> Any:
        if isinstance(question, ExtractClaims):
            said = question.output
            return numbered([Claim("", span.of(said), span.start, span.end) for span in sentences(said)])
        if isinstance(question, Explain):
            return question.summary
        if isinstance(question, VerifyClaims):
            words = {support: word for word, support in question.words.items()}
            seen = [(claim, self._view(claim.text, sample)) for claim in question.claims]
            return Verification(
                tuple(
                    Verdict(claim, view[0], f"{self.name} says so", view[1], word=words.get(view[0]))
                    for claim, view in seen
                    if view is not None
                )
            )
        if isinstance(question, ComparePassages):
            views = [(p, self._view(p.text, sample)) for p in question.passages]
            verdicts = [
                question.verdict(p, view[0].holds, reason=self.name, confidence=view[1]) for p, view in views if view
            ]
            return Verification(tuple(verdicts))
        view = self._view(_texts(question)[0], sample)
        assert view is not None
        wrong = not view[0].holds
        probability = view[1] if wrong or view[1] is None else 1 - view[1]
        return Labelled(HALLUCINATED if wrong else FACTUAL, (f"{self.name} says so",), probability)

    def _view(self, text: str, sample: int) -> View | None:
        return self._views(text, sample) if callable(self._views) else self._views.get(text)


def _texts(question: Question[Any]) -> tuple[str, ...]:
    if isinstance(question, VerifyClaims):
        return tuple(claim.text for claim in question.claims)
    if isinstance(question, ComparePassages):
        return tuple(passage.text for passage in question.passages)
    return (getattr(question, "output", ""),)


async def scored(
    judge: Judge, output: str, context: object = "Some context.", metric: str | Metric = "hallucination"
) -> Result:
    """The result of a case with a judge that needs no retry_policy."""
    made = resolve(metric) if isinstance(metric, str) else metric
    return await Driver(judge, retry_policy=QUICK).score(made, Case.of(output, context))
