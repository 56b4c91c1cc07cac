"""A scorer of one's own, in Mastra's four steps: preprocess, analyze, generate_score, generate_reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Union

import msgspec
from msgspec import Struct, structs

from ..._internal.core.case import Case
from ..._internal.core.errors import HalluscopeError, InputError, JudgeError
from ..._internal.core.plumbing.user_functions import call as called
from ..._internal.core.result import Failure, Outcome
from ..._internal.engine.driver import Trail
from ..._internal.engine.metric import is_number
from .._asking import Asked, ask, by_prompt_alone
from .._callables import NamedValues, called_with, refuse_unknown
from .._facade import found_elsewhere
from .._models import Judging
from ._camel_case import in_snake_case, takes_camel_case
from ._scorer_run import NotScorable, Runs, ScorerResult, as_run, execution_of, told_of_judge, without_score

_NAMES = ("run", "results", "score")
_STEPS = ("preprocess", "analyze", "generate_score", "generate_reason")
_OF_A_STEP = ("calculate_score", "create_prompt", "description", "judge", "output_schema")
_OF_A_JUDGE = ("instructions", "json_prompt_injection", "model", "model_settings", "on_finish")
_SETTINGS = {"max_output_tokens": "max_tokens", "stop_sequences": "stop"}
"""Names of the AI SDK's for what goes into a request, where ours are others."""
_NUMBER = {"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}
_TEXT = {"type": "object", "properties": {"reason": {"type": "string"}}, "required": ["reason"]}

Step = Union[Callable[..., Any], Mapping[str, Any]]
"""A function, or {"create_prompt": …, "output_schema": …, "judge": …} for a step that asks a model."""


def not_scorable(reason: str | None = None) -> NotScorable:
    """Say from a step that a run has nothing to score."""
    return NotScorable(reason)


class OwnScorer(Struct, Runs, frozen=True, kw_only=True):
    """A scorer made step by step: each of its methods but `run` gives a new one with that step."""

    id: str
    name: str
    description: str = ""
    judge: Mapping[str, Any] = {}
    type: Any = None
    prepare_run: Callable[..., Any] | None = None
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
            step = in_snake_case(step)
            refuse_unknown(f"the step {name!r} has no", step, _OF_A_STEP)
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
    """One run through the steps. `found` has the fields of the result so far."""

    def __init__(self, scorer: OwnScorer, run: NamedValues) -> None:
        self._scorer = scorer
        self._run = run
        self._found: dict[str, Any] = {}
        self._trails: dict[str, Trail] = {}

    async def result(self) -> ScorerResult:
        step = "prepare_run"
        try:
            if self._scorer.prepare_run is not None:
                self._run = as_run(await called(self._scorer.prepare_run, self._run), {})
            for step in (name for name in _STEPS if name in self._scorer.steps):
                value = await self._done(step)
                if isinstance(value, NotScorable):
                    return self._told(Outcome.UNJUDGEABLE, score=None, reason=value.reason, not_scorable=value)
                self._keep(step, value)
        except Exception as error:
            kind = error.kind if isinstance(error, JudgeError) else "scorer"
            said = str(error) if isinstance(error, HalluscopeError) else f"{type(error).__name__}: {error}"
            status, body = getattr(error, "status", None), getattr(error, "body", None)
            failure = Failure(kind, f"{step}: {said}", status=status, body=body)
            if step == "generate_reason":
                return self._told(Outcome.SCORED, failure=failure)
            return self._told(**without_score(failure, "a step of the scorer failed"))
        return self._told(Outcome.SCORED)

    def _keep(self, step: str, value: Any) -> None:
        if step in ("preprocess", "analyze"):
            self._found[f"{step}_step_result"] = value
        elif step == "generate_score":
            if isinstance(value, bool) or not is_number(value):
                raise InputError(f"the score is {value!r}: it must be a number")
            self._found["score"] = float(value)
        else:
            if value is not None and not isinstance(value, str):
                raise InputError(f"the reason is a {type(value).__name__}: it must be a text")
            self._found["reason"] = value

    def _told(self, outcome: Outcome, **more: Any) -> ScorerResult:
        exchanges = [
            (step, structs.replace(exchange, prompt=self._found[f"{step}_prompt"]))
            for step, trail in self._trails.items()
            for exchange in trail.exchanges
        ]
        fields = {**self._found, **more}
        return ScorerResult(run_id=self._run.run_id, outcome=outcome, judge=told_of_judge(exchanges), **fields)

    async def _done(self, step: str) -> Any:
        results = NamedValues({name: value for name, value in self._found.items() if name.endswith("_step_result")})
        told = NamedValues(run=self._run, results=results)
        if "score" in self._found:
            told["score"] = self._found["score"]
        work = self._scorer.steps[step]
        if not isinstance(work, Mapping):
            return await called_with(work, told, _NAMES)
        prompt = await called_with(work["create_prompt"], told, _NAMES)
        if not isinstance(prompt, str):
            raise InputError(f"create_prompt returned a {type(prompt).__name__}: return the prompt's text")
        self._found[f"{step}_prompt"] = prompt
        answer = await self._asked(step, work, prompt)
        if not callable(work.get("calculate_score")):
            return answer
        told[f"{step}_step_result"] = told["analyze_step_result"] = answer
        return await called_with(work["calculate_score"], told, (*_NAMES, "analyze_step_result", f"{step}_step_result"))

    async def _asked(self, step: str, work: Mapping[str, Any], prompt: str) -> Any:
        judging, own = _judging_for({**self._scorer.judge, **(work.get("judge") or {})})
        form, reads = _form(step, work.get("output_schema"))
        word = str if form is _TEXT else None
        instructions = own.get("instructions") or ""
        question = Asked(system=instructions, user=prompt, form=form, reads=reads, reads_word=word)
        trail = self._trails[step] = Trail(Case(output=""))
        judge = by_prompt_alone(judging.judge) if own.get("json_prompt_injection") else judging.judge
        answer = await ask(judging, question, trail, judge)
        if callable(own.get("on_finish")):
            await called(own["on_finish"], execution_of(structs.replace(trail.exchanges[-1], prompt=prompt)))
        return answer


@takes_camel_case
def create_scorer(
    *,
    id: str | None = None,
    name: str | None = None,
    description: str = "",
    judge: Mapping[str, Any] | None = None,
    type: Any = None,
    prepare_run: Callable[..., Any] | None = None,
) -> OwnScorer:
    """A scorer to be given its steps: `create_scorer(id="mine").generate_score(lambda run: 1.0)`.

    A step is a function of `run`, `results` (of the steps before) and `score`, or an object with
    `create_prompt` and `output_schema` (a JSON schema, or a type) that a model is asked with, and for the score
    maybe `calculate_score`, a function of the answer.

    Args:
        id: Name in results. Without one it is `name`.
        name: Name for people.
        description: What is scored.
        judge: The model for all steps that name none: {"model": …, "instructions": …, "model_settings": …}, and its
            options (`base_url`, `timeout`, …). With `json_prompt_injection` the schema of the reply is in the prompt
            alone. `on_finish` is called with what was asked and answered; an error in it fails the step.
        type: Kept, and does nothing.
        prepare_run: Function from the run to the run that the steps see.

    Raises:
        InputError: There is no name, or an option of the judge is unknown.

    Example:
        >>> brief = create_scorer(id="brief").generate_score(lambda run: float(len(run.output) < 100))
        >>> brief.run(output="In 1921.").score
        1.0
    """
    id = name if id is None else id
    if not isinstance(id, str) or not id.strip():
        raise InputError(f"the scorer's id must be a text, not {id!r}: pass id=… or name=….")
    _judging_for(judge or {})
    return OwnScorer(
        id=id, name=name or id, description=description, judge=judge or {}, type=type, prepare_run=prepare_run
    )


def _judging_for(given: Mapping[str, Any]) -> tuple[Judging, dict[str, Any]]:
    """The judge, and what else a scorer says of it."""
    for name in given:
        reason = found_elsewhere("mastra", name)
        if reason:
            raise InputError(f"a scorer's judge has no option {name!r}: {reason}.")
    named = in_snake_case(given)
    settings = in_snake_case(named.get("model_settings") or {})
    named = {**{_SETTINGS.get(key, key): value for key, value in settings.items()}, **named}
    return Judging(named.get("model"), named, "a scorer's judge", _OF_A_JUDGE), named


def _form(step: str, schema: Any) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    """The JSON schema of a step's reply, and what makes the step's value of it."""
    if schema is None and step == "generate_score":
        return _NUMBER, lambda data: data["score"]
    if schema is None and step == "generate_reason":
        return _TEXT, lambda data: data["reason"]
    if schema is None or isinstance(schema, Mapping):
        return dict(schema or {"type": "object"}), lambda data: data
    if hasattr(schema, "model_json_schema"):
        return schema.model_json_schema(), lambda data: schema.model_validate(data).model_dump()
    return msgspec.json.schema(schema), lambda data: msgspec.to_builtins(msgspec.convert(data, schema))
