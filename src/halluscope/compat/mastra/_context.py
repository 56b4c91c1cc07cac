"""Context that is known only while scoring: Mastra's getContext hook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from ..._internal.case import Case
from ..._internal.errors import ContextFailed, InputError
from ..._internal.judge import Answer, Call, Judge
from ..._internal.questions import Question, ResolveContext
from .._callables import NamedValues, called_with
from ._vocabulary import Vocabulary

T = TypeVar("T")

Hook = Callable[..., Any]

_NAMES = ("run", "results", "score", "step")
_STEPS = {"analyze": "analyze", "explain": "generateReason"}


class GetContextParams(NamedValues):
    """What the hook gets: `run`, `results` of the steps before, `step`, and `score` once there is one."""

    @property
    def score(self) -> float | None:
        """The score, in the step "generateReason"; before that the key is not there."""
        held: float | None = self.get("score")
        return held


class HookedJudge:
    """Asks the hook for the context and another judge for all else."""

    asks = True

    def __init__(self, judge: Judge, hook: Hook, run: NamedValues, vocabulary: Vocabulary) -> None:
        self._judge = judge
        self._hook = hook
        self._run = run
        self._vocabulary = vocabulary

    @property
    def name(self) -> str:
        return self._judge.name

    @property
    def window(self) -> int | None:
        return self._judge.window

    def fingerprint(self) -> str:
        return self._judge.fingerprint()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        if isinstance(question, ResolveContext):
            return cast("Answer[T]", await self._resolved(question))
        assert call.ask is not None
        return await call.ask(self._judge, question)

    async def _resolved(self, question: ResolveContext) -> Answer[tuple[str, ...]]:
        try:
            given = await called_with(self._hook, self._params(question), _NAMES)
        except Exception as error:
            raise ContextFailed(f"get_context raised {type(error).__name__}: {error}") from error
        if given is None:
            raise ContextFailed("get_context returned None: return a list of passages, an empty one if there are none.")
        try:
            case = Case.of("", given)
        except InputError as error:
            raise ContextFailed(f"what get_context returned cannot be used: {error}") from error
        return Answer(judge="get_context", value=case.context, notes=case.notes)

    def _params(self, question: ResolveContext) -> GetContextParams:
        results = NamedValues(preprocess_step_result=self._vocabulary.claims(question.claims))
        params = GetContextParams(run=self._run, results=results, step=_STEPS[question.step])
        if question.score is not None:
            results["analyze_step_result"] = self._vocabulary.verdicts(question.verdicts)
            params["score"] = round(question.score, 2)
        return params
