"""A scorer of one's own, in Mastra's four steps: preprocess, analyze, generate_score, generate_reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Union, cast

import msgspec
from msgspec import Struct, structs

from ..._internal.case import Case
from ..._internal.engine.driver import Driver, Trail
from ..._internal.errors import HalluscopeError, InputError, JudgeError, ReplyError
from ..._internal.metric import is_number
from ..._internal.prompt import Prompt
from ..._internal.questions import Question
from ..._internal.result import Failure, Outcome
from .._callables import NamedValues, called_with
from .._judging import OPTIONS, Judging
from ._scorer_run import Runs, ScorerResult, run_without_score, snake, told_of_judge

_NAMES = ("run", "results", "score")
_STEPS = ("preprocess", "analyze", "generate_score", "generate_reason")
_OF_A_STEP = ("create_prompt", "description", "judge", "output_schema")
_OF_A_JUDGE = ("instructions", "model")
_NUMBER = {"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}
_TEXT = {"type": "object", "properties": {"reason": {"type": "string"}}, "required": ["reason"]}

Step = Union[Callable[..., Any], Mapping[str, Any]]
"""A function, or {"create_prompt": …, "output_schema": …, "judge": …} for a step that asks a model."""


class _Asked(Question[Any], frozen=True, kw_only=True):
    """What a step asks a model: the user's own prompt, and the form that the reply must have."""

    kind: ClassVar[str] = "step"
    answer_type: ClassVar[Any] = Any

    step: str
    system: str
    user: str
    form: dict[str, Any]
    reads: Callable[[Any], Any]

    def schema(self) -> dict[str, Any]:
        return self.form

    def render(self) -> Prompt:
        form = msgspec.json.encode(self.form).decode()
        return Prompt(self.system, f"{self.user}\n\nReply with one JSON value and no other text. Its schema: {form}")

    def read(self, data: Any) -> Any:
        missing = [key for key in self.form.get("required", ()) if not isinstance(data, Mapping) or key not in data]
        if missing:
            raise ReplyError(f'the reply must be an object with "{missing[0]}"')
        try:
            return self.reads(data)
        except (msgspec.MsgspecError, TypeError, ValueError) as error:
            raise ReplyError(f"the reply has not the form that was asked for: {error}") from error

    def read_text(self, text: str) -> Any:
        return text.strip() if self.form is _TEXT else super().read_text(text)

    @property
    def size(self) -> int:
        return len(self.user)


class OwnScorer(Struct, Runs, frozen=True, kw_only=True):
    """A scorer made step by step: each of its methods but `run` gives a new one with that step."""

    id: str
    name: str
    description: str = ""
    judge: Mapping[str, Any] = {}
    type: Any = None
    steps: Mapping[str, Step] = {}

    def preprocess(self, step: Step) -> OwnScorer:
        """What is made of the run before it is analyzed: `preprocess_step_result`."""
        return self._with("preprocess", step)

    def analyze(self, step: Step) -> OwnScorer:
        """What the score is computed from: `analyze_step_result`."""
        return self._with("analyze", step)

    def generate_score(self, step: Step) -> OwnScorer:
        """The score, a number. No scorer runs without this step."""
        return self._with("generate_score", step)

    def generate_reason(self, step: Step) -> OwnScorer:
        """Why the score is what it is."""
        return self._with("generate_reason", step)

    def _with(self, name: str, step: Step) -> OwnScorer:
        if isinstance(step, Mapping):
            step = {snake(str(key)): value for key, value in step.items()}
            unknown = [key for key in step if key not in _OF_A_STEP]
            if unknown:
                raise InputError(f"the step {name!r} has no {unknown[0]!r}; it takes: {', '.join(_OF_A_STEP)}.")
            if not callable(step.get("create_prompt")):
                raise InputError(f"the step {name!r} needs a function `create_prompt` that returns the prompt.")
        elif not callable(step):
            raise InputError(f"the step {name!r} is a {type(step).__name__}: pass a function, or what to ask a model.")
        return structs.replace(self, steps={**self.steps, name: step})

    async def _scored(self, run: NamedValues) -> ScorerResult:
        if "generate_score" not in self.steps:
            raise InputError(f"the scorer {self.id!r} has no step generate_score: give it one.")
        return await _Pass(self, run).result()


class _Pass:
    """One run through the steps."""

    def __init__(self, scorer: OwnScorer, run: NamedValues) -> None:
        self._scorer = scorer
        self._run = run
        self._results = NamedValues()
        self._prompts: dict[str, str] = {}
        self._trails: dict[str, Trail] = {}

    async def result(self) -> ScorerResult:
        step = "preprocess"
        values: dict[str, Any] = {}
        try:
            for step in _STEPS:
                if step in self._scorer.steps:
                    values[step] = _checked(step, await self._done(step, values.get("generate_score")))
                    if step in ("preprocess", "analyze"):
                        self._results[f"{step}_step_result"] = values[step]
        except Exception as error:
            kind = error.kind if isinstance(error, JudgeError) else "scorer"
            said = str(error) if isinstance(error, HalluscopeError) else f"{type(error).__name__}: {error}"
            failed = run_without_score(
                self._run.run_id, Failure(kind, f"{step}: {said}"), "a step of the scorer failed"
            )
            return structs.replace(failed, **self._so_far(values))
        return ScorerResult(
            run_id=self._run.run_id,
            score=values["generate_score"],
            reason=values.get("generate_reason"),
            outcome=Outcome.SCORED,
            **self._so_far(values),
        )

    def _so_far(self, values: Mapping[str, Any]) -> dict[str, Any]:
        prompts = {f"{step}_prompt": prompt for step, prompt in self._prompts.items()}
        exchanges = [
            structs.replace(exchange, question=step, prompt=self._prompts[step])
            for step, trail in self._trails.items()
            for exchange in trail.exchanges
        ]
        results = {f"{step}_step_result": values[step] for step in ("preprocess", "analyze") if step in values}
        return {**prompts, **results, "judge": told_of_judge(exchanges, {step: step for step in _STEPS})}

    async def _done(self, step: str, score: Any) -> Any:
        told = NamedValues(run=self._run, results=self._results)
        if score is not None:
            told["score"] = score
        work = self._scorer.steps[step]
        if not isinstance(work, Mapping):
            return await called_with(work, told, _NAMES)
        prompt = await called_with(work["create_prompt"], told, _NAMES)
        if not isinstance(prompt, str):
            raise InputError(f"create_prompt returned a {type(prompt).__name__}: return the prompt's text")
        self._prompts[step] = prompt
        return await self._asked(step, work, prompt)

    async def _asked(self, step: str, work: Mapping[str, Any], prompt: str) -> Any:
        judge = _judge_options({**self._scorer.judge, **(work.get("judge") or {})})
        judging = Judging(judge.pop("model", None), judge["options"], documented="openai/gpt-4o")
        form, reads = _form(step, work.get("output_schema"))
        question = _Asked(step=step, system=judge["instructions"], user=prompt, form=form, reads=reads)
        trail = self._trails[step] = Trail(Case(output=""))
        driver = Driver(judging.judge, patience=judging.patience)
        return (await driver.ask(judging.judge, question, trail)).value


def create_scorer(
    *,
    id: str,
    name: str | None = None,
    description: str = "",
    judge: Mapping[str, Any] | None = None,
    type: Any = None,
) -> OwnScorer:
    """A scorer to be given its steps: `create_scorer(id="mine").generate_score(lambda run: 1.0)`.

    A step is a function of `run`, `results` (of the steps before) and `score`, or an object with
    `create_prompt` and `output_schema` (a JSON schema, or a type) that a model is asked with.
    `judge` is that model, for all steps that name none: {"model": …, "instructions": …}, and its
    options (`base_url`, `timeout`, …). `type` is kept and does nothing.
    """
    if not isinstance(id, str) or not id.strip():
        raise InputError(f"the scorer's id must be a text, not {id!r}.")
    _judge_options(judge or {})
    return OwnScorer(id=id, name=name or id, description=description, judge=judge or {}, type=type)


def _judge_options(given: Mapping[str, Any]) -> dict[str, Any]:
    named = {snake(str(key)): value for key, value in given.items()}
    unknown = [key for key in named if key not in (*_OF_A_JUDGE, *OPTIONS)]
    if unknown:
        known = ", ".join([*_OF_A_JUDGE, *OPTIONS])
        raise InputError(f"a scorer's judge has no option {unknown[0]!r}; it takes: {known}.")
    options = {key: value for key, value in named.items() if key in OPTIONS}
    return {"model": named.get("model"), "instructions": named.get("instructions") or "", "options": options}


def _form(step: str, schema: Any) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    """The JSON schema of a step's reply, and what makes the step's value of it."""
    if schema is None and step == "generate_score":
        return _NUMBER, lambda data: data["score"]
    if schema is None and step == "generate_reason":
        return _TEXT, lambda data: data["reason"]
    if schema is None:
        return {"type": "object"}, lambda data: data
    if isinstance(schema, Mapping):
        return dict(schema), lambda data: data
    if hasattr(schema, "model_json_schema"):
        return schema.model_json_schema(), lambda data: schema.model_validate(data).model_dump()
    return msgspec.json.schema(schema), lambda data: msgspec.to_builtins(msgspec.convert(data, schema))


def _checked(step: str, value: Any) -> Any:
    if step == "generate_score":
        if isinstance(value, bool) or not is_number(value):
            raise InputError(f"the score is {value!r}: it must be a number")
        return float(cast("float", value))
    if step == "generate_reason" and value is not None and not isinstance(value, str):
        raise InputError(f"the reason is a {type(value).__name__}: it must be a text")
    return value
