"""Opik's metrics: what every metric is and returns, and Hallucination."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..._internal.core.case import Case
from ..._internal.core.errors import InputError
from ..._internal.core.plumbing import sync
from ..._internal.core.plumbing.user_functions import call as called
from ..._internal.core.result import Result
from ..._internal.engine.judge import JudgeSpec
from ..._internal.engine.metric import packaged_examples
from ..._internal.engine.metrics import Label
from ..._internal.engine.questions import FACTUAL, HALLUCINATED
from .._errors import raise_if_failed
from .._facade import seen_as
from .._models import Judged, Judging

_EXAMPLE = ("input", "context", "output", "score", "reason")


@dataclass(frozen=True)
class ScoreResult:
    """What a metric returns. `value` is None where there is nothing to score; `reason` says why.

    `details` is our own result.
    """

    name: str
    value: float | None
    reason: str | None = None
    category_name: str | None = None
    metadata: dict[str, Any] | None = None
    scoring_failed: bool = False
    details: Result | None = None

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return seen_as(type(self), "opik.evaluation.metrics.score_result", "ScoreResult")


class BaseMetric:
    """A metric. A subclass of your own has `score`, `ascore` or both, which return a `ScoreResult` or several.

    Args:
        name: Name in results. By default that of the class.
        track: Kept, and does nothing: nothing is sent anywhere but to the judge.
        project_name: Kept, and does nothing.
    """

    def __init__(self, name: str | None = None, track: bool = True, project_name: str | None = None) -> None:
        if project_name is not None and not track:
            raise InputError("project_name goes with tracking: leave it out, or leave track as it is.")
        self.name = name or type(self).__name__
        self.track = track
        self.project_name = project_name

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return seen_as(type(self), "opik.evaluation.metrics.base_metric", "BaseMetric")

    def score(self, *args: Any, **fields: Any) -> Any:
        """The score of a row's fields."""
        raise NotImplementedError(f"{type(self).__name__} needs a method score or ascore")

    async def ascore(self, *args: Any, **fields: Any) -> Any:
        """The same, awaited. Where it is not there, `score` is called in a thread."""
        return await called(self.score, *args, **fields)


def _shown(example: Mapping[str, Any]) -> dict[str, Any]:
    """An example of ours in Opik's form."""
    score = 1.0 if example["verdict"] == HALLUCINATED else 0.0
    texts = {key: example[key] for key in ("input", "context", "output")}
    return {**texts, "score": score, "reason": " ".join(example["reason"])}


FEW_SHOT_EXAMPLES = tuple(_shown(example) for example in packaged_examples(Label.name))
"""The examples that are shown unless others are given: extend or replace them."""


class _Told(Label, frozen=True, kw_only=True):
    """The label, with its reasons as Opik renders the list that a model gives them in."""

    def worded(self, reasons: tuple[str, ...], listed: bool) -> str | None:
        return str(list(reasons)) if listed and reasons else super().worded(reasons, listed)


class Hallucination(Judged, BaseMetric):
    """Whether an output says what its context does not.

    A score's `value` is 1.0 if something is hallucinated, else 0.0. If there is nothing to score, such as an empty
    output, `scoring_failed` is set.

    Args:
        model: A name, a `LiteLLMChatModel`, an object with `generate_string` or `agenerate_string`, or a judge.
        name: Name in results.
        few_shot_examples: Examples that the judge is shown instead of ours. Each has `input`, `context`, `output`,
            `score` and `reason`.
        track: Kept, and does nothing.
        project_name: Kept, and does nothing.
        more_few_shot_examples: Examples that the judge is shown after the others.
        prompts: Prompts to use instead of ours, by name.
        options: Options of the judge: `base_url`, `api_key`, `timeout`, `retry_policy`, `seed`, `temperature`, …

    Raises:
        InputError: An option is unknown, or an example lacks a field.

    Example:
        >>> Hallucination().score(input="When?", output="In 1921.", context=["It was in 1921."]).value
        0.0
    """

    def __init__(
        self,
        model: JudgeSpec = None,
        name: str = "hallucination_metric",
        few_shot_examples: Iterable[Mapping[str, Any]] | None = None,
        track: bool = True,
        project_name: str | None = None,
        *,
        more_few_shot_examples: Iterable[Mapping[str, Any]] = (),
        prompts: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name, track, project_name)
        own = ("model", "name", "few_shot_examples", "more_few_shot_examples", "prompts")
        self._judging = Judging(model, options, "the metric", own)
        replaced = None if few_shot_examples is None else tuple(_example(shot) for shot in few_shot_examples)
        added = tuple(_example(shot) for shot in more_few_shot_examples)
        self.metric = _Told(examples=replaced, more_examples=added, prompts=dict(prompts or {}))

    async def ascore(self, /, input: Any, output: Any, context: Any = None, **ignored: Any) -> ScoreResult:
        """Score an output.

        Args:
            input: The question.
            output: The answer.
            context: The passages. Without them the judge goes by what it knows.
            ignored: Other fields of a dataset's row.

        Raises:
            JudgeError: The judge failed.
        """
        case = Case.of(output, context, input)
        return self._told(await self._judging.score(self.metric, case))

    score = sync.blocking_method(ascore, "score")  # type: ignore[arg-type]

    def _told(self, result: Result) -> ScoreResult:
        raise_if_failed(result)
        return ScoreResult(self.name, result.score, result.reason, scoring_failed=result.score is None, details=result)


def _example(shot: Mapping[str, Any]) -> dict[str, Any]:
    """An example of Opik's in our form."""
    missing = [key for key in ("output", "score") if key not in shot]
    unknown = [key for key in shot if key not in (*_EXAMPLE, "title")]
    if missing or unknown:
        what = f"lacks {missing[0]!r}" if missing else f"has an unknown field {unknown[0]!r}"
        raise InputError(f"a few-shot example {what}; it has: {', '.join(_EXAMPLE)}.")
    if shot["score"] not in (0, 1):
        raise InputError(f"the score of a few-shot example is 0 (factual) or 1 (hallucinated), not {shot['score']!r}.")
    reason = shot.get("reason") or ()
    return {
        "input": shot.get("input"),
        "context": shot.get("context"),
        "output": shot["output"],
        "verdict": HALLUCINATED if shot["score"] else FACTUAL,
        "reason": [reason] if isinstance(reason, str) else list(reason),
    }
