"""Phoenix's evaluators: of an answer against its context, with labels of your own, and functions as evaluators."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

from msgspec import structs

from ..._internal.core.case import Case
from ..._internal.core.conversation import messages_of, text_of
from ..._internal.core.errors import InputError, MissingParameters
from ..._internal.core.plumbing.user_functions import call as called
from ..._internal.core.prompt import Material, render
from ..._internal.core.result import Result
from ..._internal.engine.driver import RetryPolicy
from ..._internal.engine.judge import JudgeSpec
from ..._internal.engine.metrics import Label
from ..._internal.engine.questions import FACTUAL, HALLUCINATED, LabelAnswer
from .._asking import ask
from .._errors import raise_if_failed
from .._models import Judged, Judging
from ._llm import LLM, classification
from ._score import TAKEN, Evaluator, InputMapping, Score, kind_of, mapped
from ._templates import HALLUCINATION_PROMPT_TEMPLATE, SLOTS, PromptTemplate, made_template

E = TypeVar("E", bound=Evaluator)
L = TypeVar("L", bound="LLMEvaluator")

_JSON_TYPES = {"int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object"}
_FEW_WORDS = 3
"""A text that a function returns is a label up to so many words, and an explanation beyond."""


class LLMEvaluator(Judged, Evaluator):
    """An evaluator that asks a model. A subclass has `_evaluate` or `_async_evaluate`.

    Args:
        name: Name in results.
        llm: The model.
        prompt_template: The prompt. Its slots are the inputs, whatever they are called.
        schema: Kept for subclasses.
        input_schema: Pydantic model of the inputs.
        direction: `maximize` or `minimize`.
        invocation_parameters: Options of the judge for this evaluator: `temperature`, `top_p`, …
    """

    def __init__(
        self,
        name: str,
        llm: LLM | JudgeSpec,
        prompt_template: Any,
        schema: Mapping[str, Any] | None = None,
        input_schema: Any = None,
        direction: str = "maximize",
        **invocation_parameters: Any,
    ) -> None:
        super().__init__(name, "llm", direction, input_schema)
        self.llm = llm if isinstance(llm, LLM) else LLM(llm)
        self.prompt_template: PromptTemplate = made_template(prompt_template)
        self.schema = schema
        self.invocation_parameters = invocation_parameters
        self._judging: Judging = self.llm
        if invocation_parameters:
            own = ("llm", "prompt_template")
            self._judging = Judging(self.llm, {**invocation_parameters}, "the evaluator", own)

    def with_retries(self: L, retries: int) -> L:
        """The same evaluator, that makes a failed call so many times again."""
        other = copy.copy(self)
        other._judging = copy.copy(self._judging)
        other._judging.retry_policy = structs.replace(self._judging.retry_policy or RetryPolicy(), retries=retries)
        return other

    def _described(self) -> Mapping[str, str]:
        return {name: f"What the prompt's slot {name!r} is filled with." for name in self.prompt_template.variables}


class ClassificationEvaluator(LLMEvaluator):
    """Puts a prompt of your own to a model, which answers with one of your labels.

    What fills the prompt's slots is sent as data that cannot be taken for instructions.

    Args:
        name: Name in results.
        llm: The model.
        prompt_template: The prompt. Its slots are the inputs.
        choices: Labels, labels with scores, or labels with (score, meaning).
        include_explanation: Whether to ask for an explanation.
        input_schema: Pydantic model of the inputs.
        direction: `maximize` or `minimize`.
        invocation_parameters: Options of the judge for this evaluator.

    Example:
        >>> tone = ClassificationEvaluator("tone", LLM("gpt-4o", "openai"), "Rate: {output}", {"kind": 1, "rude": 0})
        >>> tone.evaluate({"output": "Thank you!"})[0].label
        'kind'
    """

    def __init__(
        self,
        name: str,
        llm: LLM | JudgeSpec,
        prompt_template: Any,
        choices: Any,
        include_explanation: bool = True,
        input_schema: Any = None,
        direction: str = "maximize",
        **invocation_parameters: Any,
    ) -> None:
        super().__init__(
            name, llm, prompt_template, input_schema=input_schema, direction=direction, **invocation_parameters
        )
        self.include_explanation = include_explanation
        scored = choices if isinstance(choices, Mapping) else {}
        parts = {label: value if isinstance(value, tuple) else (value, None) for label, value in scored.items()}
        self.label_score_map = {label: score for label, (score, _) in parts.items()} or None
        meanings = {label: str(about) for label, (_, about) in parts.items() if about is not None}
        self.labels: Any = meanings or (list(choices) if isinstance(choices, (Mapping, list, tuple)) else choices)
        classification("", "", self.labels)  # labels that are none are found out here

    async def _async_evaluate(self, eval_input: Any) -> list[Score]:
        slots = {name: Material(eval_input[name]) for name in self.prompt_template.variables}
        prompt = render(self.prompt_template.as_ours(), slots)
        question = classification(prompt.system, prompt.user, self.labels, self.include_explanation)
        found = await ask(self._judging, question)
        score = (self.label_score_map or {}).get(found["label"])
        told = {"name": self.name, "kind": self.kind, "direction": self.direction}
        metadata = {"model": self.llm.name}
        return [
            Score(score=score, label=found["label"], explanation=found.get("explanation"), metadata=metadata, **told)
        ]


class _Filled(LabelAnswer, frozen=True, kw_only=True):
    """The question for the label, with what fills the further slots of a prompt of the user's own."""

    more: dict[str, Any] = {}

    def slots(self) -> Mapping[str, str | Material]:
        return {**super().slots(), **{name: Material(value) for name, value in self.more.items()}}


class _FilledLabel(Label, frozen=True, kw_only=True):
    def question(self, case: Case) -> LabelAnswer:
        return _Filled(**structs.asdict(super().question(case)), more=dict(case.metadata))


class _OneWord(LLMEvaluator):
    """What both evaluators do: they ask for one word, and differ in what they call it."""

    NAME: ClassVar[str]
    DIRECTION: ClassVar[str] = "maximize"
    PROMPT: ClassVar[PromptTemplate] = HALLUCINATION_PROMPT_TEMPLATE
    inputs = {
        "input": "The input query.",
        "output": "The response to the query.",
        "context": "The context or reference text.",
    }
    _words: ClassVar[dict[str, str]]

    def __init__(
        self, llm: LLM | JudgeSpec = None, *, prompt_template: Any = None, **invocation_parameters: Any
    ) -> None:
        """Create the evaluator.

        Args:
            llm: The model. By default the default judge.
            prompt_template: Prompt to use instead of ours, with the slots {context} and {output}. Further slots are
                filled from the record.
            invocation_parameters: Options of the judge for this evaluator: `temperature`, `max_tokens`, `top_p`, …
        """
        template = self.PROMPT if prompt_template is None else prompt_template
        super().__init__(self.NAME, llm, template, direction=self.DIRECTION, **invocation_parameters)
        self._more = tuple(name for name in self.prompt_template.variables if name not in SLOTS)
        prompts = {} if self.prompt_template == self.PROMPT else {"label_query": self.prompt_template.as_ours()}
        self.metric = (_FilledLabel if self._more else Label)(answers_query=True, prompts=prompts)

    def _described(self) -> Mapping[str, str]:
        more = {name: about for name, about in super()._described().items() if name in self._more}
        return {**self.inputs, **more}

    async def _async_evaluate(self, eval_input: Any) -> list[Score]:
        more = {name: eval_input[name] for name in self._more}
        case = Case.of(eval_input["output"], eval_input["context"], eval_input["input"], metadata=more)
        result = await self._judging.score(self.metric, case)
        raise_if_failed(result)
        return [self._told(result, self._words)]

    def _told(self, result: Result, words: Mapping[str, str], best: str = FACTUAL) -> Score:
        score = None if result.score is None else float(result.label == best)
        label = None if result.label is None else words[result.label]
        metadata: dict[str, Any] = {"model": self.llm.name}
        used = result.usage
        if used.calls:
            tokens = (used.input_tokens, used.output_tokens, used.input_tokens + used.output_tokens)
            metadata |= dict(zip(TAKEN, (*tokens, used.cost), strict=True))
        direction = self.direction if best == FACTUAL else "minimize"
        return Score(self.name, score, label, result.reason, metadata, direction=direction)


class HallucinationEvaluator(_OneWord):
    """Whether a response to a query is factual by its context, or hallucinated.

    A record without a context is judged as newer versions of Phoenix do: `input` is the conversation that the
    response must follow from, the label is `grounded` or `hallucinated`, and 1.0 means hallucinated.
    """

    NAME = "hallucination"
    _words = {FACTUAL: FACTUAL, HALLUCINATED: HALLUCINATED}

    def _inputs_in(self, eval_input: Mapping[str, Any], mapping: InputMapping) -> dict[str, Any]:
        try:
            return super()._inputs_in(eval_input, mapping)
        except MissingParameters as error:
            if error.names != ("context",) or {"context"} & {*eval_input, *mapping}:
                raise
            return {**mapped(eval_input, mapping, ("input", "output")), "context": None}

    async def _async_evaluate(self, eval_input: Any) -> list[Score]:
        if eval_input["context"] is not None:
            return await super()._async_evaluate(eval_input)
        turns = messages_of(eval_input["input"]) or ()
        said = [f"{turn.get('role', 'user')}: {text_of(turn)}" for turn in turns] or [str(eval_input["input"])]
        result = await self._judging.score(Label(), Case.of(eval_input["output"], said))
        raise_if_failed(result)
        return [self._told(result, {FACTUAL: "grounded", HALLUCINATED: HALLUCINATED}, best=HALLUCINATED)]


class FaithfulnessEvaluator(_OneWord):
    """Whether a response to a query is faithful to its context, or not."""

    NAME = "faithfulness"
    _words = {FACTUAL: "faithful", HALLUCINATED: "unfaithful"}


class _FunctionEvaluator(Evaluator):
    """A function as an evaluator; it can still be called. Its parameters are the inputs."""

    def __init__(self, function: Callable[..., Any], name: str, kind: str, direction: str) -> None:
        super().__init__(name, kind, direction)
        self._function = function
        parameters = inspect.signature(function).parameters.values()
        named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        self.inputs = {p.name: f"The argument {p.name!r}." for p in named if p.default is p.empty}  # type: ignore[misc]
        self._optional = tuple(p.name for p in named if p.default is not p.empty)
        names = {p.name: str(getattr(p.annotation, "__name__", p.annotation)) for p in named}
        self._types = {name: _JSON_TYPES.get(kind, "string") for name, kind in names.items()}
        self.__doc__ = function.__doc__

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._function(*args, **named)

    def describe(self) -> dict[str, Any]:
        told = super().describe()
        told["input_schema"]["properties"] = {name: {"type": kind} for name, kind in self._types.items()}
        return told

    def _inputs_in(self, eval_input: Mapping[str, Any], mapping: InputMapping) -> dict[str, Any]:
        return mapped(eval_input, mapping, tuple(self.inputs), self._optional)

    async def _async_evaluate(self, eval_input: Any) -> list[Score]:
        returned = await called(self._function, **eval_input)
        fields = _score_fields(self.name, returned)
        return [Score(**{**fields, "name": self.name, "kind": self.kind, "direction": self.direction})]


def _score_fields(name: str, returned: Any) -> dict[str, Any]:
    """A number is the score, a yes or no also the label; a short text is the label, a long one the explanation."""
    if isinstance(returned, Score):
        return structs.asdict(returned) | {"source": None}
    if isinstance(returned, Mapping):
        return {key: returned[key] for key in ("score", "label", "explanation") if key in returned}
    fields: dict[str, Any] = {}
    for part in returned if isinstance(returned, tuple) else (returned,):
        if isinstance(part, bool):
            fields = {"label": str(part), **fields, "score": float(part)}
        elif isinstance(part, (int, float)):
            fields["score"] = part
        elif isinstance(part, str):
            fields["label" if len(part.split(" ")) <= _FEW_WORDS else "explanation"] = part
        else:
            raise InputError(
                f"the evaluator {name!r} returned a {type(part).__name__}: return a Score, a number, a bool, a text, "
                "a tuple of these, or a dictionary with score, label and explanation."
            )
    return fields


def create_evaluator(
    name: str, source: str | None = None, direction: str = "maximize", kind: str | None = None
) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that makes an evaluator of a function: its parameters are the inputs, what it returns the score.

    Args:
        name: Name in results.
        source: Former name of `kind`.
        direction: `maximize` or `minimize`.
        kind: What scores: `code`, `llm` or `human`.

    Example:
        >>> @create_evaluator(name="words")
        ... def words(output: str) -> int:
        ...     return len(output.split())
        >>> words.evaluate({"output": "It is 330 m tall."})[0].score
        5
    """
    chosen = kind_of(kind, source) or "code"
    return lambda function: _FunctionEvaluator(function, name, chosen, direction)


def create_classifier(
    name: str, prompt_template: Any, llm: LLM | JudgeSpec, choices: Any, direction: str = "maximize"
) -> ClassificationEvaluator:
    """Create a `ClassificationEvaluator`, with the same arguments."""
    return ClassificationEvaluator(name, llm, prompt_template, choices, direction=direction)


def bind_evaluator(evaluator: E, input_mapping: InputMapping) -> E:
    """Return a copy of an evaluator that finds its inputs elsewhere.

    Args:
        evaluator: The evaluator.
        input_mapping: For an input the field that holds it, its path (`a.b[0].c`), or a function of the data.

    Example:
        >>> bind_evaluator(evaluator, {"output": "answer", "context": "documents[0].text"})
    """
    bound = copy.copy(evaluator)
    bound.bind(input_mapping)
    return bound
