"""DeepEval's metrics as its Python package has them: an object that keeps what it measured last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct, structs

from ..._internal.core.case import Case
from ..._internal.core.errors import HalluscopeError, InputError, MissingParameters
from ..._internal.core.plumbing import sync
from ..._internal.core.result import Outcome
from ..._internal.core.result import Result as EngineResult
from ..._internal.core.verdict import Support, Verdict
from ..._internal.engine.judge import JudgeSpec
from ..._internal.engine.metric import Metric
from ..._internal.engine.metrics import Contradiction, TruthFaithfulness, resolve
from ..._internal.engine.metrics.claimwise import ClaimMetric
from .._callables import NamedValues, taken_by
from .._errors import raise_if_failed
from .._facade import seen_as
from .._models import Judged, Judging
from .._own_models import AdaptedModel
from ._test_case import AnyCase, case_of, metadata_of, missing_in, passages_in

DEFAULTS = {"openai": "gpt-4o-mini", "anthropic": "claude-3-haiku-20240307"}


_MIDDLE = 0.5
"""The engine's threshold where a metric only scores; its own is then None."""

_IMAGE = "[DEEPEVAL:IMAGE:"
"""What stands in a text for one of DeepEval's images."""

_SAYS_NOTHING = {
    Outcome.NO_CLAIMS: "the output makes no claim that the context could contradict",
    Outcome.REFUSAL: "the output declines to answer, and claims nothing that the context could contradict",
}

_WORDS = {Support.SUPPORTED: "yes", Support.CONTRADICTED: "no", Support.UNSUPPORTED: "idk"}


class Result(Struct, frozen=True):
    """How a test case did. `success` compares score and threshold; without a score it is False.

    `details` is our own result, with the evidence, the tokens and the prompts; None where a batch's metric failed.
    """

    metric: str
    score: float | None
    success: bool
    threshold: float
    reason: str | None
    latency_ms: int
    metadata: dict[str, Any]
    details: EngineResult | None = None
    evaluation_cost: float | None = None

    def summary(self) -> str:
        """The result in one line."""
        score = "no score" if self.score is None else f"{self.score * 100:.1f}%"
        line = f"{self.metric}: {'PASS' if self.success else 'FAIL'} ({score})"
        return f"{line} - {self.reason}" if self.reason else line


def judging_for(adapter: Any, model: Any, options: dict[str, Any], metric: type[Metric]) -> Judging:
    """The judge for an adapter and a model; each may be left out. Its options are taken out of those of the metric.

    An adapter is a provider's name, or an object (or a class) with `generate` from prompt and options to text.
    """
    what, own = f"the metric {metric.name!r}", metric.__struct_fields__
    if isinstance(model, tuple) and len(model) == 2:
        adapter, model = model
    if adapter is None:
        return Judging(model, options, what, own, documented=f"openai/{DEFAULTS['openai']}")
    if model is not None and not isinstance(model, str):
        raise InputError("an adapter goes with a model's name: leave it out for a model of your own.")
    if isinstance(adapter, str):
        provider = adapter.strip(": ").casefold()
        if model is None and provider not in DEFAULTS:
            raise InputError(f"the adapter {adapter!r} needs a model: pass model=….")
        return Judging(model or DEFAULTS[provider], options, what, own, provider=provider)
    adapter = adapter() if isinstance(adapter, type) else adapter
    judging = Judging(adapter, options, what, own)
    if callable(getattr(adapter, "generate", None)):  # it gets the options of the model, not how patiently it is asked
        judging.model = AdaptedModel(adapter, {"model": model, **judging.options} if model else judging.options)
        judging.options = {}
    elif model is not None:
        raise InputError(f"the adapter is a {type(adapter).__name__}: it needs a method generate(prompt, opts).")
    return judging


class DeepEvalBaseLLM:
    """A model of your own. `generate` takes a prompt and returns the reply's text; `a_generate` may do so too.

    With a second parameter `schema` it is given a Pydantic model, and returns an instance of it.

    Args:
        model: Name in results. By default that of the class.
    """

    def __init__(self, model: str | None = None, *_: Any, **_more: Any) -> None:
        self.name = model
        self.model = self.load_model()

    def load_model(self, *_: Any, **_more: Any) -> Any:
        """The model behind it, where there is one."""
        return self

    def generate(self, *arguments: Any, **named: Any) -> Any:
        """The reply to a prompt."""
        raise NotImplementedError

    async def a_generate(self, *arguments: Any, **named: Any) -> Any:
        """The same, awaited. Where it is not there, `generate` is called in a thread."""
        raise NotImplementedError

    def get_model_name(self) -> str:
        """What results call the model."""
        return getattr(self, "name", None) or type(self).__name__


class BaseMetric:
    """A metric. A subclass of your own has `measure`, `a_measure` or both, which set `score` and `reason`.

    After `measure`: `score`, `reason`, `success`, `evaluation_cost`, `error`.
    """

    threshold: float | None = None
    score: float | None = None
    score_breakdown: Any = None
    reason: str | None = None
    success: bool | None = None
    evaluation_model: Any = None
    strict_mode: bool = False
    async_mode: bool = True
    verbose_mode: bool = False
    include_reason: bool = False
    error: str | None = None
    evaluation_cost: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    verbose_logs: str | None = None
    skipped: bool = False
    flaky: bool = False
    requires_trace: bool = False
    model: Any = None
    using_native_model: bool | None = None

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return seen_as(type(self), "deepeval.metrics.base_metric", "BaseMetric")

    def measure(self, test_case: Any, *arguments: Any, **named: Any) -> float | None:
        """The score of a test case. Where it is not there, `a_measure` is run."""
        if type(self).a_measure is BaseMetric.a_measure:
            raise NotImplementedError(f"{type(self).__name__} needs a method measure or a_measure")
        return sync.run(self.a_measure(test_case, *arguments, **named))

    async def a_measure(self, test_case: Any, *arguments: Any, **named: Any) -> float | None:
        """The same, awaited. Where it is not there, `measure` is called."""
        if type(self).measure is BaseMetric.measure:
            raise NotImplementedError(f"{type(self).__name__} needs a method measure or a_measure")
        return self.measure(test_case, *arguments, **named)

    def is_successful(self) -> bool | None:
        """Whether the score is on the right side of the threshold. None without a threshold: it only scores."""
        if self.threshold is None and self.error is None:
            self.success = None
        else:
            self.success = self.error is None and self.score is not None and self._passes(self.score)
        return self.success

    @property
    def __name__(self) -> str:
        return "Base Metric"

    def _passes(self, score: float) -> bool:
        return score >= (self.threshold or 0.0)


class JudgedMetric(Judged, BaseMetric):
    """What the two metrics share: a judge, and what its result becomes."""

    needs: ClassVar[tuple[str, ...]]
    """The fields that a test case must have."""
    _worst: ClassVar[float]
    _template_methods: ClassVar[Mapping[str, tuple[str, dict[str, Any]]]]

    def __init__(
        self,
        threshold: float | None = 0.5,
        model: JudgeSpec = None,
        include_reason: bool = True,
        async_mode: bool = True,
        strict_mode: bool = False,
        verbose_mode: bool = False,
        *,
        penalize_ambiguous_claims: bool = False,
        evaluation_template: Any = None,
        flaky: bool = False,
        adapter: Any = None,
        options: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> None:
        self.threshold = (1.0 - self._worst) if strict_mode else threshold
        self.include_reason = include_reason
        self.async_mode = async_mode
        self.strict_mode = strict_mode
        self.verbose_mode = verbose_mode
        self.evaluation_template = evaluation_template
        self.flaky = flaky
        self.penalize_ambiguous_claims = penalize_ambiguous_claims
        self.model = model
        self.options = {**(options or {}), **more}
        kind, chosen = self._kind(), dict(self.options)
        self._judging = judging_for(adapter, model, chosen, kind)
        if evaluation_template is not None:
            prompts = _prompts_of(evaluation_template, self._template_methods)
            chosen["prompts"] = {**prompts, **chosen.get("prompts", {})}
        threshold = _MIDDLE if self.threshold is None else self.threshold
        chosen = {"strict": False, **chosen, "threshold": threshold, "include_reason": include_reason}
        self._metric = resolve(kind, **chosen)  # score and threshold alone decide, as DeepEval has it
        self.verdicts: list[Any] = []
        self.details: Result | None = None

    @property
    def evaluation_model(self) -> str:
        """The name of the judge."""
        return self.judge.name

    async def a_measure(self, /, test_case: AnyCase, *_: Any, **_ignored: Any) -> float | None:
        """Score a test case. The score, the reason and the rest stay on the metric.

        Args:
            test_case: The test case.

        Raises:
            MissingParameters: The test case lacks a field.
            JudgeError: The judge failed.
        """
        self.score = self.reason = self.success = self.error = self.evaluation_cost = self.details = None
        self.verdicts = []
        try:
            told = await self.result_of(test_case)
        except HalluscopeError as error:
            self.error, self.success = str(error), False
            raise
        assert told.details is not None, "only a failed batch has none"
        self.details, self.verdicts = told, told.metadata["verdicts"]
        used = told.details.usage
        self.evaluation_cost, self.input_tokens, self.output_tokens = used.cost, used.input_tokens, used.output_tokens
        self.score, self.reason = self._strictly(told)
        self.is_successful()
        lines = [f"{verdict.verdict}: {verdict.reason}" for verdict in self.verdicts]
        self.verbose_logs = "\n".join([f"{self.__name__} by {told.details.judge}", *lines, told.summary()])
        if self.verbose_mode:
            print(self.verbose_logs)  # noqa: T201 - that is what it is for
        return self.score

    measure = sync.blocking_method(a_measure, "measure")  # type: ignore[arg-type]

    def _strictly(self, told: Result) -> tuple[float | None, str | None]:
        """The score and its reason; in strict mode everything that does not pass has the worst score."""
        if not self.strict_mode or told.score is None or self._passes(told.score):
            return told.score, told.reason
        worst = self._worst
        if told.reason is None or told.score == worst:
            return worst, told.reason
        return worst, f"In strict mode the score is {worst:g}: nothing may be wrong. Without it: {told.reason}"

    async def result_of(self, test_case: Any) -> Result:
        """What measuring a test case gives, without keeping it."""
        case = case_of(test_case)
        missing = missing_in(case, self.needs)
        if missing:
            raise MissingParameters(missing, "the test case")
        passages = passages_in(case, self.needs[-1])
        if any(_IMAGE in str(text) for text in (case.input, case.actual_output, *passages)):
            raise InputError("images are not judged: give what they show as text.")
        judged = Case.of(case.actual_output, passages, case.input, metadata=metadata_of(case))
        found = await self._judging.score(self._metric, judged)
        raise_if_failed(found)
        return Result(
            metric=self.__name__,
            score=found.score,
            success=bool(found.passed),
            threshold=found.threshold,
            reason=found.reason,
            latency_ms=round(found.latency_ms),
            metadata=self._metadata(found, passages),
            details=found,
            evaluation_cost=found.usage.cost,
        )

    def _kind(self) -> type[Metric]:
        raise NotImplementedError

    def _metadata(self, found: EngineResult, passages: Sequence[str]) -> dict[str, Any]:
        raise NotImplementedError


class Supporting(TruthFaithfulness, frozen=True, kw_only=True):
    """Faithfulness for which a claim that the facts do not settle is not faithful."""

    formula: ClassVar[str] = "claims that the facts support / claims; 1 is best"

    def counts(self, verdict: Verdict) -> bool:
        return verdict.support is Support.SUPPORTED

    tally = ClaimMetric.tally


class HallucinationMetric(JudgedMetric):
    """The share of context passages that the output contradicts; it passes up to the threshold.

    Args:
        threshold: The highest score that passes. With None the metric only scores.
        model: Name of a model, or a model of your own.
        include_reason: Whether to ask for a reason.
        async_mode: Kept, and does nothing.
        strict_mode: Allow no contradiction: the threshold is 0, and the score 1 if a passage is contradicted.
        verbose_mode: Print the verdicts.
        penalize_ambiguous_claims: Kept, and does nothing: a passage is contradicted or not.
        evaluation_template: Class whose method `generate_verdicts` returns the prompt.
        flaky: Kept, and does nothing.
        adapter: Name of a provider, or an adapter object of the Elixir port.
        options: Options of the metric and the judge, here or as keywords.

    Example:
        >>> metric = HallucinationMetric(threshold=0.3)
        >>> metric.measure(LLMTestCase(input="When?", actual_output="In 1921.", context=["It was in 1921."]))
        0.0
    """

    __name__ = "Hallucination"
    needs = ("input", "actual_output", "context")
    _worst = 1.0
    _template_methods = {"compare": ("generate_verdicts", {"actual_output": "{{output}}", "contexts": ["{{context}}"]})}

    def _kind(self) -> type[Metric]:
        return Contradiction

    def _passes(self, score: float) -> bool:
        return score <= (1.0 if self.threshold is None else self.threshold)

    def _metadata(self, found: EngineResult, passages: Sequence[str]) -> dict[str, Any]:
        verdicts = [NamedValues(verdict="yes" if v.support.holds else "no", reason=v.reason) for v in found.verdicts]
        return {"context_count": len(passages), "verdicts": verdicts}


class FaithfulnessMetric(JudgedMetric):
    """The share of claims that no truth drawn from the context contradicts; it passes from the threshold on.

    Args:
        truths_extraction_limit: Maximum number of truths that are drawn from the context.
        args: Arguments of `HallucinationMetric`.
        options: Options of `HallucinationMetric`. In strict mode the threshold is 1, and the score 0 if a claim is
            contradicted. With `penalize_ambiguous_claims`, a claim that the truths do not settle is not faithful. The
            methods of a template are `generate_truths`, `generate_claims` and `generate_verdicts`.
    """

    __name__ = "Faithfulness"
    needs = ("input", "actual_output", "retrieval_context")
    _worst = 0.0
    _template_methods = {
        "truths": ("generate_truths", {"retrieval_context": "{{context}}", "extraction_limit": None}),
        "extract": ("generate_claims", {"actual_output": "{{output}}"}),
        "verify": ("generate_verdicts", {"claims": "{{claims}}", "retrieval_context": "{{context}}"}),
    }

    def __init__(self, *args: Any, truths_extraction_limit: int | None = None, **options: Any) -> None:
        self.truths_extraction_limit = truths_extraction_limit
        self.truths: list[str] = []
        self.claims: list[str] = []
        if truths_extraction_limit is not None:
            options["truths_limit"] = truths_extraction_limit
        super().__init__(*args, **options)

    async def result_of(self, test_case: Any) -> Result:
        """What measuring a test case gives. An output that claims nothing is faithful, by this tool's rule."""
        told = await super().result_of(test_case)
        why = _SAYS_NOTHING.get(told.details.outcome) if told.details else None
        if why is None:
            return told
        reason = f"The score is 1 because {why}." if self.include_reason else None
        return structs.replace(told, score=1.0, success=True, reason=reason)

    def _kind(self) -> type[Metric]:
        return Supporting if self.penalize_ambiguous_claims else TruthFaithfulness

    def _metadata(self, found: EngineResult, passages: Sequence[str]) -> dict[str, Any]:
        counted = [v for v in found.verdicts if v.support in _WORDS]
        self.truths, self.claims = list(found.truths), [v.claim.text for v in counted]
        return {
            "truths": self.truths,
            "claims": self.claims,
            "verdicts": [NamedValues(verdict=_WORDS[v.support], reason=v.reason) for v in counted],
            "truths_extraction_limit": getattr(self._metric, "truths_limit", None),
        }


def _prompts_of(template: Any, methods: Mapping[str, tuple[str, dict[str, Any]]]) -> dict[str, str]:
    """The prompts that a template's methods return, with our slots where they would put the texts."""
    prompts = {}
    for prompt, (name, slots) in methods.items():
        method = getattr(template, name, None)
        if callable(method):
            text = method(**taken_by(method, slots))
            if not isinstance(text, str):
                raise InputError(f"{name} of the evaluation_template returned a {type(text).__name__}, not a prompt.")
            prompts[prompt] = text
    return prompts
