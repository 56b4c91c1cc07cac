"""A metric together with the judge it asks: what most programs hold in their hands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .. import metrics
from ..case import Case
from ..errors import InputError
from ..judge import JudgeSpec
from ..judge import resolve as resolve_judge
from ..metrics import MetricSpec
from ..plumbing import sync
from ..result import Result
from .driver import Driver, Patience, ReplyCache


class Scorer:
    """Scores one case at a time, synchronously or not. Holds no state between cases."""

    def __init__(
        self,
        metric: MetricSpec,
        judge: JudgeSpec = None,
        *,
        cache: ReplyCache | None = None,
        patience: Patience | None = None,
        **options: Any,
    ) -> None:
        """`options` are the metric's (threshold, strict, prompts, …) and, for a judge given by name, the judge's."""
        for_metric, for_judge = split_options(metric, options)
        self.metric = metrics.resolve(metric, **for_metric)
        self.judge = resolve_judge(judge, **for_judge)
        self._driver = Driver(self.judge, cache=cache, patience=patience)

    async def ascore(
        self,
        *,
        output: object,
        context: object = None,
        input: object = None,
        id: object = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Result:
        """The result for one output. `score` may also be called where a loop is running, such as in a notebook."""
        return await self.ascore_case(Case.of(output, context, input, id=id, metadata=metadata))

    async def ascore_case(self, case: Case) -> Result:
        """The result for a case."""
        return await self._driver.score(self.metric, case)

    score = sync.blocking_method(ascore, "score")
    score_case = sync.blocking_method(ascore_case, "score_case")


def split_options(metric: MetricSpec, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options that are the metric's, and the others, which are the judge's."""
    kind = metrics.METRICS.get(metric) if isinstance(metric, str) else metric
    fields = getattr(kind, "__struct_fields__", ())
    mine = {name: value for name, value in options.items() if name in fields}
    return mine, {name: value for name, value in options.items() if name not in mine}


class _Named(Scorer):
    kind: ClassVar[str]

    def __init__(self, judge: JudgeSpec = None, **options: Any) -> None:
        super().__init__(self.kind, judge, **options)


class Hallucination(_Named):
    """The share of claims that the context does not bear out; lower is better."""

    kind = "hallucination"


class Faithfulness(_Named):
    """The share of claims that the context supports; higher is better."""

    kind = "faithfulness"


class TruthFaithfulness(_Named):
    """The share of claims that no truth drawn from the context contradicts; higher is better."""

    kind = "truth_faithfulness"


class Label(_Named):
    """Whether the output as a whole is hallucinated (1) or factual (0)."""

    kind = "label"


class Contradiction(_Named):
    """The share of context passages that the output contradicts; lower is better."""

    kind = "contradiction"


async def acheck(
    output: object,
    context: object = None,
    input: object = None,
    *,
    metric: MetricSpec = "hallucination",
    judge: JudgeSpec = None,
    **options: Any,
) -> Result:
    """Does this output hold up against this context? One call, no set-up: the embedded judge unless told otherwise."""
    if isinstance(output, Case):
        raise InputError("`check` takes an output and a context; use a scorer's `score_case` for a Case.")
    return await Scorer(metric, judge, **options).ascore(output=output, context=context, input=input)


check = sync.blocking(acheck, "check")
