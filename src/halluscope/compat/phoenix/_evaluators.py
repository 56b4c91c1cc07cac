"""Phoenix's evaluators of an answer against its context."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from msgspec import structs

from ..._internal.case import Case
from ..._internal.engine.driver import Patience
from ..._internal.errors import InputError
from ..._internal.judge import Judge, JudgeSpec
from ..._internal.metrics import Label
from ..._internal.plumbing import sync
from ..._internal.questions import FACTUAL, HALLUCINATED
from ..._internal.result import Result
from .._failures import raise_if_failed
from .._judging import Judging, only_known
from ._frames import in_columns
from ._inputs import InputMapping, mapped
from ._score import TAKEN, Score
from ._templates import HALLUCINATION_PROMPT_TEMPLATE, PromptLike, PromptTemplate, as_ours, made_template

if TYPE_CHECKING:
    import pandas as pd

INPUTS = {
    "input": "The input query.",
    "output": "The response to the query.",
    "context": "The context or reference text.",
}

E = TypeVar("E", bound="_OneWord")


class LLM:
    """A model by name and provider. Without either, the default judge.

    `options` are the judge's: `base_url`, `api_key`, `timeout`, `patience`, `seed`, `temperature`, …
    """

    def __init__(self, model: JudgeSpec = None, provider: str | None = None, **options: Any) -> None:
        if provider is not None and not isinstance(model, str):
            raise InputError("a provider goes with a model's name: pass model='…' as well.")
        only_known(options, ("model", "provider"), "an LLM")
        self.model = model
        self.provider = provider
        self.options = options
        self._judging = self._asked_with({})

    def _asked_with(self, options: Mapping[str, Any]) -> Judging:
        """The model, with further options."""
        given = {**self.options, **options}
        return Judging(self.model, given, provider=self.provider, documented="openai/gpt-4o")

    @property
    def judge(self) -> Judge:
        """The judge, made when it is first needed: an evaluator can be described where no key is set."""
        return self._judging.judge

    @property
    def name(self) -> str:
        """What scores say of the model."""
        return self.model if isinstance(self.model, str) else self.judge.name


class _OneWord:
    """What both evaluators do: they ask for one word, and differ in what they call it."""

    NAME: ClassVar[str]
    DIRECTION: ClassVar[str] = "maximize"
    PROMPT: ClassVar[PromptTemplate] = HALLUCINATION_PROMPT_TEMPLATE
    _words: ClassVar[dict[str, str]]

    def __init__(
        self, llm: LLM | JudgeSpec = None, *, prompt_template: PromptLike | None = None, **invocation_parameters: Any
    ) -> None:
        """`prompt_template` replaces ours; it needs the slots {context} and {output}, and may have {input}.

        `invocation_parameters` are the judge's options for this evaluator: `temperature`, `max_tokens`, …
        """
        only_known(invocation_parameters, ("llm", "prompt_template"), "the evaluator")
        self.llm = llm if isinstance(llm, LLM) else LLM(llm)
        self.invocation_parameters = invocation_parameters
        self.prompt_template = self.PROMPT if prompt_template is None else made_template(prompt_template)
        replaced = self.prompt_template != self.PROMPT
        prompts = {"label_query": as_ours(self.prompt_template)} if replaced else {}
        self.metric = Label(answers_query=True, prompts=prompts)
        self._judging = self.llm._asked_with(invocation_parameters) if invocation_parameters else self.llm._judging
        self._mapping: InputMapping = {}

    @property
    def name(self) -> str:
        """What the evaluator, its scores and its columns are called."""
        return self.NAME

    @property
    def source(self) -> str:
        """Who gives the scores: a model."""
        return "llm"

    kind = source

    @property
    def direction(self) -> str:
        """Which scores are better."""
        return self.DIRECTION

    def bind(self, input_mapping: InputMapping) -> None:
        """From now on take the inputs from where the mapping says."""
        self._mapping = dict(input_mapping)

    def unbind(self) -> None:
        """Take the inputs by their names again."""
        self._mapping = {}

    def describe(self) -> dict[str, Any]:
        """What the evaluator is and which inputs it needs."""
        properties = {
            name: {"description": about, "title": name.title(), "type": "string"} for name, about in INPUTS.items()
        }
        schema = {
            "properties": properties,
            "required": list(INPUTS),
            "title": f"{self.name.title()}InputSchema",
            "type": "object",
        }
        return {"name": self.name, "source": self.source, "direction": self.direction, "input_schema": schema}

    async def async_evaluate(
        self, eval_input: Mapping[str, Any], input_mapping: InputMapping | None = None
    ) -> list[Score]:
        """The scores (one) of one input. A judge that fails raises its `JudgeError`."""
        given = mapped(eval_input, input_mapping or self._mapping, tuple(INPUTS))
        case = Case.of(given["output"], given["context"], given["input"])
        result = await self._judging.score(self.metric, case)
        raise_if_failed(result)
        return [self._told(result)]

    evaluate = sync.blocking_method(async_evaluate, "evaluate")

    def evaluate_dataframe(
        self, dataframe: pd.DataFrame, input_mapping: InputMapping | None = None, *, concurrency: int = 20
    ) -> pd.DataFrame:
        """A copy of the frame with a row's score, label and explanation in columns of their own.

        A row that fails has none of them, and says why in the column `…_error`.
        """
        return in_columns(self, dataframe, input_mapping, concurrency)

    def _with_retries(self: E, retries: int) -> E:
        """The same evaluator, that makes a failed call so many times again."""
        other = copy.copy(self)
        other._judging = copy.copy(self._judging)
        other._judging.patience = structs.replace(self._judging.patience or Patience(), retries=retries)
        return other

    @property
    def judge(self) -> Judge:
        """The judge, made when it is first needed."""
        return self._judging.judge

    def _told(self, result: Result) -> Score:
        score = None if result.score is None else float(result.label == FACTUAL)
        label = None if result.label is None else self._words[result.label]
        metadata: dict[str, Any] = {"model": self.llm.name}
        used = result.usage
        if used.calls:
            tokens = (used.input_tokens, used.output_tokens, used.input_tokens + used.output_tokens)
            metadata |= dict(zip(TAKEN, (*tokens, used.cost), strict=True))
        return Score(self.name, score, label, result.reason, metadata)


class HallucinationEvaluator(_OneWord):
    """Whether a response to a query is factual by its context, or hallucinated."""

    NAME = "hallucination"
    _words = {FACTUAL: FACTUAL, HALLUCINATED: HALLUCINATED}


class FaithfulnessEvaluator(_OneWord):
    """Whether a response to a query is faithful to its context, or not."""

    NAME = "faithfulness"
    _words = {FACTUAL: "faithful", HALLUCINATED: "unfaithful"}


def bind_evaluator(evaluator: E, input_mapping: InputMapping) -> E:
    """A copy of the evaluator that takes its inputs from where the mapping says."""
    bound = copy.copy(evaluator)
    bound.bind(input_mapping)
    return bound
