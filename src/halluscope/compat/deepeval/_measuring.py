"""DeepEval's Hallucination and Faithfulness, as its Elixir port documents them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import Struct

from ..._internal.case import Case
from ..._internal.errors import InputError, MissingParameters
from ..._internal.judge import JudgeSpec
from ..._internal.metric import Metric
from ..._internal.metrics import Contradiction, TruthFaithfulness, resolve
from ..._internal.plumbing import sync
from ..._internal.result import Outcome
from ..._internal.result import Result as EngineResult
from ..._internal.verdict import Support, Verdict
from .._failures import raise_if_failed
from .._judging import Judging, only_known, taken_out
from ._test_case import AnyCase, LLMTestCase, TestCase, metadata_of, missing_in, passages_in

DEFAULTS = {"openai": "gpt-4o-mini", "anthropic": "claude-3-haiku-20240307"}
_SAYS_NOTHING = {
    Outcome.NO_CLAIMS: "the output makes no claim that the context could contradict",
    Outcome.REFUSAL: "the output declines to answer, and claims nothing that the context could contradict",
}


class Result(Struct, frozen=True):
    """How a test case did. `success` compares score and threshold; without a score it is False.

    `details` is our own result, with the evidence, the tokens and the prompts.
    """

    metric: str
    score: float | None
    success: bool
    threshold: float
    reason: str | None
    latency_ms: int
    metadata: dict[str, Any]
    details: EngineResult
    evaluation_cost: float | None = None

    def summary(self) -> str:
        """The result in one line."""
        score = "no score" if self.score is None else f"{self.score * 100:.1f}%"
        line = f"{self.metric}: {'PASS' if self.success else 'FAIL'} ({score})"
        return f"{line} - {self.reason}" if self.reason else line


class Supporting(TruthFaithfulness, frozen=True, kw_only=True):
    """Faithfulness for which a claim that the facts do not settle is not faithful."""

    formula: ClassVar[str] = "claims that the facts support / claims; 1 is best"

    def counts(self, verdict: Verdict) -> bool:
        return verdict.support is Support.SUPPORTED

    def tally(self, hits: int, claims: int) -> str:
        return f"{hits} of {claims} claims {'is' if hits == 1 else 'are'} supported by the context"


class Hallucination:
    """The share of context passages that the output contradicts; lower is better."""

    @staticmethod
    def metric_name() -> str:
        """What results call the metric."""
        return "Hallucination"

    @staticmethod
    def required_params() -> list[str]:
        """The fields that a test case needs."""
        return ["input", "actual_output", "context"]

    @staticmethod
    async def a_measure(
        test_case: TestCase | LLMTestCase | Mapping[str, Any],
        *,
        threshold: float = 0.5,
        include_reason: bool = True,
        adapter: str | None = None,
        model: JudgeSpec = None,
        **options: Any,
    ) -> Result:
        """The result for a test case.

        `options` are those of the metric `contradiction` (strict, prompts, …) and those of the judge
        (base_url, api_key, timeout, patience, seed, temperature, …).
        """
        judging = judging_for(adapter, model, options)
        metric = made_metric(Contradiction, {**options, "threshold": threshold, "include_reason": include_reason})
        return await contradictions(metric, test_case, judging)

    measure = staticmethod(sync.blocking(a_measure, "measure"))


class Faithfulness:
    """The share of claims that no truth drawn from the context contradicts; higher is better."""

    @staticmethod
    def metric_name() -> str:
        """What results call the metric."""
        return "Faithfulness"

    @staticmethod
    def required_params() -> list[str]:
        """The fields that a test case needs."""
        return ["input", "actual_output", "retrieval_context"]

    @staticmethod
    async def a_measure(
        test_case: TestCase | LLMTestCase | Mapping[str, Any],
        *,
        threshold: float = 0.5,
        include_reason: bool = True,
        truths_extraction_limit: int | None = None,
        penalize_ambiguous_claims: bool = False,
        adapter: str | None = None,
        model: JudgeSpec = None,
        **options: Any,
    ) -> Result:
        """The result for a test case; at most `truths_extraction_limit` truths are drawn from the context.

        With `penalize_ambiguous_claims` a claim that the truths do not settle is not faithful.
        """
        judging = judging_for(adapter, model, options)
        if truths_extraction_limit is not None:
            options["truths_limit"] = truths_extraction_limit
        chosen = {"threshold": threshold, "include_reason": include_reason}
        kind = Supporting if penalize_ambiguous_claims else TruthFaithfulness
        return await truths(made_metric(kind, {**options, **chosen}), test_case, judging)

    measure = staticmethod(sync.blocking(a_measure, "measure"))


def made_metric(kind: type[Metric], options: Mapping[str, Any]) -> Metric:
    """The metric with these options; one that neither it nor a judge has is said."""
    only_known(options, kind.__struct_fields__, f"the metric {kind.name!r}")
    return resolve(kind, **{"strict": False, **options})  # score and threshold alone decide, as DeepEval has it


def judging_for(adapter: str | None, model: JudgeSpec, options: dict[str, Any]) -> Judging:
    """The judge for an adapter and a model's name; each may be left out. Its options are taken out of the others."""
    chosen = taken_out(options)
    if adapter is None:
        return Judging(model, chosen, documented=f"openai/{DEFAULTS['openai']}")
    provider = adapter.strip(": ").casefold()
    if model is not None and not isinstance(model, str):
        raise InputError("an adapter goes with a model's name: leave it out for a model of your own.")
    if model is None and provider not in DEFAULTS:
        raise InputError(f"the adapter {adapter!r} needs a model: pass model=….")
    return Judging(model or DEFAULTS[provider], chosen, provider=provider)


async def contradictions(metric: Metric, test_case: Any, judging: Judging) -> Result:
    """How the output stands to each passage of the context."""
    case = _checked(test_case)
    found = await _scored(metric, case, Hallucination.required_params(), judging)
    verdicts = [{"verdict": "yes" if v.support.holds else "no", "reason": v.reason} for v in found.verdicts]
    metadata = {"context_count": len(passages_in(case, "context")), "verdicts": verdicts}
    return _told("Hallucination", found, found.score, found.reason, metadata)


async def truths(metric: Metric, test_case: Any, judging: Judging) -> Result:
    """How the claims of the output stand to truths drawn from the context."""
    found = await _scored(metric, _checked(test_case), Faithfulness.required_params(), judging)
    words = {Support.SUPPORTED: "yes", Support.CONTRADICTED: "no", Support.UNSUPPORTED: "idk"}
    counted = [v for v in found.verdicts if v.support in words]
    metadata = {
        "truths": list(found.truths),
        "claims": [v.claim.text for v in counted],
        "verdicts": [{"verdict": words[v.support], "reason": v.reason} for v in counted],
        "truths_extraction_limit": getattr(metric, "truths_limit", None),
    }
    # An output that claims nothing is faithful, by this tool's rule, and says so with its score.
    why = _SAYS_NOTHING.get(found.outcome)
    if why is None:
        return _told("Faithfulness", found, found.score, found.reason, metadata)
    reason = f"The score is 1 because {why}." if metric.include_reason else None
    return _told("Faithfulness", found, 1.0, reason, metadata)


def _checked(test_case: object) -> AnyCase:
    if isinstance(test_case, (TestCase, LLMTestCase)):
        return test_case
    if isinstance(test_case, Mapping):
        return TestCase.new(**test_case)
    raise InputError(f"a {type(test_case).__name__} is no test case: pass a TestCase.")


async def _scored(metric: Metric, test_case: AnyCase, required: list[str], judging: Judging) -> EngineResult:
    missing = missing_in(test_case, required)
    if missing:
        raise MissingParameters(missing, "the test case")
    passages = passages_in(test_case, required[-1])
    case = Case.of(test_case.actual_output, passages, test_case.input, metadata=metadata_of(test_case))
    result = await judging.score(metric, case)
    raise_if_failed(result)
    return result


def _told(name: str, found: EngineResult, score: float | None, reason: str | None, metadata: dict[str, Any]) -> Result:
    if score is None:
        success = False
    elif found.score is None:
        success = score >= found.threshold
    else:
        success = bool(found.passed)
    latency = round(found.latency_ms)
    return Result(name, score, success, found.threshold, reason, latency, metadata, found, found.usage.cost)
