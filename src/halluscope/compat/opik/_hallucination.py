"""Opik's Hallucination metric, and what it returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from ..._internal.case import Case
from ..._internal.errors import InputError
from ..._internal.judge import Judge, JudgeSpec
from ..._internal.metric import packaged_examples
from ..._internal.metrics import Label
from ..._internal.plumbing import sync
from ..._internal.questions import FACTUAL, HALLUCINATED
from ..._internal.result import Result
from .._failures import raise_if_failed
from .._judging import Judging, only_known

_EXAMPLE = ("input", "context", "output", "score", "reason")


class ScoreResult(Struct, frozen=True):
    """`value` is 1.0 where something is hallucinated and 0.0 where nothing is.

    Where there is nothing to score, an empty output for one, `value` is None, `scoring_failed` is
    set and `reason` says why. `details` is our own result.
    """

    name: str
    value: float | None
    reason: str | None = None
    category_name: str | None = None
    metadata: dict[str, Any] | None = None
    scoring_failed: bool = False
    details: Result | None = None


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


class Hallucination:
    """Whether an output says what its context does not.

    `model` is a name, a `LiteLLMChatModel`, an object with `generate_string` or `agenerate_string`,
    or a judge. `few_shot_examples` replaces the examples the judge is shown, `more_few_shot_examples`
    adds to them; each has `input`, `context`, `output`, `score` and `reason`. `track` and
    `project_name` are kept and do nothing: nothing is sent anywhere but to the judge. `options` are
    the judge's: `base_url`, `api_key`, `timeout`, `patience`, `seed`, `temperature`, …
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
        if project_name is not None and not track:
            raise InputError("project_name goes with tracking: leave it out, or leave track as it is.")
        only_known(options, ("model", "name", "few_shot_examples", "more_few_shot_examples", "prompts"), "the metric")
        self.name = name
        self.track = track
        self.project_name = project_name
        self._judging = Judging(model, options, documented="openai/gpt-4o")
        replaced = None if few_shot_examples is None else tuple(_example(shot) for shot in few_shot_examples)
        added = tuple(_example(shot) for shot in more_few_shot_examples)
        self.metric = _Told(examples=replaced, more_examples=added, prompts=dict(prompts or {}))

    @property
    def judge(self) -> Judge:
        """The judge, made when it is first needed."""
        return self._judging.judge

    async def ascore(self, /, input: Any, output: Any, context: Any = None, **ignored: Any) -> ScoreResult:
        """Whether the output is hallucinated. Without context the judge goes by what it knows.

        Other fields of a dataset's row are ignored. A judge that fails raises its `JudgeError`.
        """
        case = Case.of(output, context, input)
        return self._told(await self._judging.score(self.metric, case))

    score = sync.blocking_method(ascore, "score")

    def _told(self, result: Result) -> ScoreResult:
        raise_if_failed(result)
        return ScoreResult(
            self.name,
            result.score,
            result.reason,
            scoring_failed=result.score is None,
            details=result,
        )


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
