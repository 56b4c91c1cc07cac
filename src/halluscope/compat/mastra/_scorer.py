"""Mastra's scorers: created from a model and options, run on an input and an output."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec import structs

from ..._internal import metrics
from ..._internal.case import Case
from ..._internal.conversation import as_passage, extract_tool_results
from ..._internal.errors import InputError
from ..._internal.judge import Judge, JudgeSpec
from ..._internal.metrics import METRICS
from ..._internal.result import Outcome, Result
from .._callables import NamedValues
from .._judging import OPTIONS, Judging, taken_out
from ._context import HookedJudge
from ._messages import asked, said
from ._scorer_run import Runs, ScorerResult, told_of_judge
from ._vocabulary import FAITHFULNESS, HALLUCINATION, Vocabulary, counted

_STEPS = {"extract": "preprocess", "verify": "analyze", "explain": "generate_reason"}


class MastraScorer(Runs):
    """Scores one output at a time. Holds no state between runs."""

    def __init__(self, vocabulary: Vocabulary, model: JudgeSpec, options: dict[str, Any]) -> None:
        self._vocabulary = vocabulary
        self._judging = Judging(model, taken_out(options), documented="openai/gpt-4o")
        self.id = _text("id", options.pop("id", None), vocabulary.id)
        self.name = _text("name", options.pop("name", None), vocabulary.name)
        self.description = vocabulary.description
        self._context = options.pop("context", None)
        self._hook = options.pop("get_context", None)
        if self._hook is not None and not callable(self._hook):
            raise InputError("get_context must be a function that returns a list of passages.")
        _checked(vocabulary, options)
        Case.of("", self._context)
        self.metric = metrics.resolve(vocabulary.metric, **options, resolve_context=self._hook is not None)

    @property
    def judge(self) -> Judge:
        """The judge, made when it is first needed: a scorer can be declared where no key is set."""
        return self._judging.judge

    @property
    def best(self) -> float:
        """The score that says that nothing is wrong."""
        return 0.0 if self.metric.direction == "lower" else self.scale

    @property
    def scale(self) -> float:
        """The top of the scores."""
        return float(getattr(self.metric, "scale", 1.0))

    async def _scored(self, run: NamedValues) -> ScorerResult:
        judge = None
        if self._hook is not None:
            judge = HookedJudge(self.judge, self._hook, run, self._vocabulary)
        case = Case.of(said(run.output), self._passages(run.output), asked(run.input) or None, id=run.run_id)
        return self._told(run.run_id, await self._judging.score(self.metric, case, judge))

    def _passages(self, output: Any) -> Any:
        """The static context, or what the output's tool calls returned where the scorer reads those."""
        if self._context is not None or not self._vocabulary.tools_are_context:
            return self._context
        return [as_passage(found) for found in extract_tool_results(output)] or None

    def _told(self, run_id: str, result: Result) -> ScorerResult:
        words = self._vocabulary
        verdicts = counted(result.verdicts)
        told = ScorerResult(
            run_id=run_id,
            score=None if result.score is None else round(result.score, 2),
            reason=result.reason,
            outcome=result.outcome,
            preprocess_step_result=words.claims([v.claim for v in verdicts]),
            preprocess_prompt=_prompt(result, "extract"),
            analyze_step_result=words.verdicts(verdicts),
            analyze_prompt=_prompt(result, "verify"),
            generate_reason_prompt=_prompt(result, "explain"),
            judge=told_of_judge(result.exchanges, _STEPS),
            failure=result.failure,
            result=result,
        )
        if result.outcome is Outcome.EMPTY_OUTPUT:
            reason = f"The score is {words.empty_output:g} because the output is empty: it claims nothing."
            told = structs.replace(told, score=words.empty_output, reason=reason)
        return structs.replace(told, interpretation=words.interpretation(told.score, self.scale))


def create_hallucination_scorer(
    model: JudgeSpec = None, options: Mapping[str, Any] | None = None, **more: Any
) -> MastraScorer:
    """A scorer for the share of claims that are hallucinated.

    `options` (or keywords): `context`, the passages that count as true; `get_context`, a function
    that returns them for a run and takes priority; `scale`; `id` and `name`; what the metric
    `hallucination` takes (`prompts`, `examples`, `include_reason`); and what the judge takes
    (`base_url`, `api_key`, `timeout`, `patience`, `seed`, `temperature`).
    """
    return _created(HALLUCINATION, model, options, more)


def create_faithfulness_scorer(
    model: JudgeSpec = None, options: Mapping[str, Any] | None = None, **more: Any
) -> MastraScorer:
    """A scorer for the share of claims that the context supports.

    Options as for the hallucination scorer. Without `context` the results of the tool calls in the
    output's messages are the context.
    """
    return _created(FAITHFULNESS, model, options, more)


def _created(
    vocabulary: Vocabulary, model: JudgeSpec, options: Mapping[str, Any] | None, more: dict[str, Any]
) -> MastraScorer:
    if isinstance(model, Mapping):
        # The single options object of the documents, as it stands there.
        more = {**{str(key): value for key, value in model.items()}, **more}
        model = more.pop("model", None)
        options = more.pop("options", options)
    given = dict(options or {})
    for name, value in more.items():
        if name in given:
            raise InputError(f"the option {name!r} is given twice: in `options` and as a keyword.")
        given[name] = value
    return MastraScorer(vocabulary, model, given)


def _checked(vocabulary: Vocabulary, options: dict[str, Any]) -> None:
    fields = [name for name in METRICS[vocabulary.metric].__struct_fields__ if name != "resolve_context"]
    unknown = [name for name in options if name not in fields]
    if unknown:
        known = ", ".join(["context", "get_context", "id", "name", *fields, *OPTIONS])
        raise InputError(f"the {vocabulary.id} has no option {unknown[0]!r}; it takes: {known}.")
    scale = options.get("scale", 1)
    if isinstance(scale, bool) or not isinstance(scale, (int, float)) or not 0 < scale < math.inf:
        raise InputError(f"the scale must be a number above 0, not {scale!r}.")


def _text(what: str, value: Any, otherwise: str) -> str:
    if value is None:
        return otherwise
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"the scorer's {what} must be a text, not {value!r}.")
    return value


def _prompt(result: Result, question: str) -> str | None:
    return "\n\n".join(result.prompts(question)) or None
