"""Phoenix's HallucinationEvaluator.

from halluscope.compat.phoenix import LLM, HallucinationEvaluator

evaluator = HallucinationEvaluator(llm=LLM(model="gpt-4o", provider="openai"))
evaluator.evaluate(eval_input={"input": "…", "output": "…", "context": "…"})[0].label
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Union

import msgspec
from msgspec import Struct

from .._internal.case import Case
from .._internal.engine.driver import Driver
from .._internal.engine.many import collected
from .._internal.errors import HalluscopeError, InputError, MissingParameters
from .._internal.judge import Judge, JudgeSpec
from .._internal.metrics import Label
from .._internal.plumbing import sync
from .._internal.questions import FACTUAL
from .._internal.result import Result
from ._failures import raise_if_failed
from ._models import judge_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LLM", "HallucinationEvaluator", "Score"]

InputMapping = Mapping[str, Union[str, Callable[[Mapping[str, Any]], Any]]]
"""For an input of the evaluator: the field of the data that holds it (`a.b` for a nested one), or a function."""

_INPUTS = {
    "input": "The input query.",
    "output": "The response to the query.",
    "context": "The context or reference text.",
}


class Score(Struct, frozen=True):
    """One score. 1.0 is factual; score and label are None where there was nothing to score."""

    name: str
    score: float | None = None
    label: str | None = None
    explanation: str | None = None
    metadata: dict[str, Any] = {}
    source: str = "llm"
    direction: str = "maximize"

    def to_dict(self) -> dict[str, Any]:
        """The score as plain data."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data


class LLM:
    """A model by name and provider. Without either, the default judge; `options` are the judge's (base_url, …)."""

    def __init__(self, model: JudgeSpec = None, provider: str | None = None, **options: Any) -> None:
        if provider is not None and not isinstance(model, str):
            raise InputError("a provider goes with a model's name: pass model='…' as well.")
        self.model = model
        self.provider = provider
        self._options = options

    @cached_property
    def judge(self) -> Judge:
        """The judge, made when it is first needed: an evaluator can be described where no key is set."""
        return judge_of(self.model, provider=self.provider, documented="openai/gpt-4o", **self._options)

    @property
    def name(self) -> str:
        """What scores say of the model."""
        return self.model if isinstance(self.model, str) else self.judge.name


class HallucinationEvaluator:
    """Whether a response to a query is factual by its context, or hallucinated."""

    name: ClassVar[str] = "hallucination"
    source: ClassVar[str] = "llm"
    direction: ClassVar[str] = "maximize"

    def __init__(self, llm: LLM | JudgeSpec = None, *, prompt: str | None = None) -> None:
        """`prompt` replaces ours; it needs the slots {{context}} and {{output}}, and may have {{input}}."""
        self.llm = llm if isinstance(llm, LLM) else LLM(llm)
        self.metric = Label(answers_query=True, prompts={"label_query": prompt} if prompt else {})

    def describe(self) -> dict[str, Any]:
        """What the evaluator is and which inputs it needs."""
        properties = {
            name: {"description": about, "title": name.title(), "type": "string"} for name, about in _INPUTS.items()
        }
        schema = {
            "properties": properties,
            "required": list(_INPUTS),
            "title": "HallucinationInputSchema",
            "type": "object",
        }
        return {"name": self.name, "source": self.source, "direction": self.direction, "input_schema": schema}

    async def async_evaluate(
        self, eval_input: Mapping[str, Any], input_mapping: InputMapping | None = None
    ) -> list[Score]:
        """The scores (one) of one input. A judge that fails raises its `JudgeError`."""
        given = _mapped(eval_input, input_mapping or {})
        case = Case.of(given["output"], given["context"], given["input"])
        result = await Driver(self.llm.judge).score(self.metric, case)
        raise_if_failed(result)
        return [self._told(result)]

    evaluate = sync.blocking_method(async_evaluate, "evaluate")

    def evaluate_dataframe(
        self, dataframe: pd.DataFrame, input_mapping: InputMapping | None = None, *, concurrency: int = 20
    ) -> pd.DataFrame:
        """A copy of the frame with a row's score, label and explanation in columns of their own.

        A row that fails has none of them, and says why in the column `hallucination_error`.
        """
        if isinstance(concurrency, bool) or not isinstance(concurrency, int) or concurrency < 1:
            raise InputError(f"the concurrency must be a whole number from 1, not {concurrency!r}.")
        if not hasattr(dataframe, "to_dict") or not hasattr(dataframe, "columns"):
            raise InputError(f"a {type(dataframe).__name__} is no DataFrame: pass one of pandas.")
        _ = self.llm.judge
        rows: list[Mapping[str, Any]] = dataframe.to_dict("records")  # type: ignore[assignment]
        outcomes = sync.run(self._evaluate_rows(rows, input_mapping, concurrency))
        scores = [outcome if isinstance(outcome, Score) else None for outcome in outcomes]
        told: pd.DataFrame = dataframe.copy()
        told[f"{self.name}_score"] = [None if score is None else score.score for score in scores]
        told[f"{self.name}_label"] = [None if score is None else score.label for score in scores]
        told[f"{self.name}_explanation"] = [None if score is None else score.explanation for score in scores]
        told[f"{self.name}_error"] = [outcome if isinstance(outcome, str) else None for outcome in outcomes]
        return told

    async def _evaluate_rows(
        self, rows: Sequence[Mapping[str, Any]], input_mapping: InputMapping | None, concurrency: int
    ) -> list[Score | str]:
        async def outcome(row: Mapping[str, Any]) -> Score | str:
            try:
                return (await self.async_evaluate(row, input_mapping))[0]
            except HalluscopeError as error:
                return f"{type(error).__name__}: {error}"

        return await collected(rows, outcome, at_once=concurrency)

    def _told(self, result: Result) -> Score:
        score = None if result.score is None else float(result.label == FACTUAL)
        return Score(self.name, score, result.label, result.reason, {"model": self.llm.name})


def _mapped(eval_input: Mapping[str, Any], mapping: InputMapping) -> dict[str, Any]:
    """The evaluator's inputs, taken from the data."""
    if not isinstance(eval_input, Mapping):
        raise InputError(f"the input is a {type(eval_input).__name__}: pass a mapping with {', '.join(_INPUTS)}.")
    unknown = [name for name in mapping if name not in _INPUTS]
    if unknown:
        raise InputError(f"the mapping names {unknown[0]!r}, which is no input; the inputs are: {', '.join(_INPUTS)}.")
    found = {name: _found(eval_input, mapping.get(name, name)) for name in _INPUTS}
    missing = [name for name, value in found.items() if _is_missing(value)]
    if missing:
        held = ", ".join(map(str, eval_input)) or "nothing"
        raise MissingParameters(missing, f"the evaluator (the data has: {held})")
    return found


def _found(data: Mapping[str, Any], source: str | Callable[[Mapping[str, Any]], Any]) -> Any:
    if callable(source):
        return source(data)
    if source in data:
        return data[source]
    value: Any = data
    for step in source.split("."):
        if not isinstance(value, Mapping) or step not in value:
            return None
        value = value[step]
    return value


def _is_missing(value: Any) -> bool:
    """None, and what a frame holds where a cell is empty."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ == "NAType"
