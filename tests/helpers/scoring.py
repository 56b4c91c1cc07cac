"""A metric and a judge in one hand, for tests that score with the same two again and again."""

from __future__ import annotations

from typing import Any

from halluscope import Case, Result
from halluscope._internal.engine.driver import ReplyCache, RetryPolicy
from halluscope._internal.engine.judge import JudgeSpec
from halluscope._internal.engine.judge import resolve as resolve_judge
from halluscope._internal.engine.metrics import MetricSpec, resolve, split_options


class Scorer:
    """Scores with one metric and one judge."""

    def __init__(
        self,
        metric: MetricSpec,
        judge: JudgeSpec = None,
        *,
        cache: ReplyCache | None = None,
        retry_policy: RetryPolicy | None = None,
        **options: Any,
    ) -> None:
        for_metric, for_judge = split_options(metric, options)
        self.metric = resolve(metric, **for_metric)
        self.judge = resolve_judge(judge, **for_judge)
        self._how: dict[str, Any] = {"judge": self.judge, "cache": cache, "retry_policy": retry_policy}

    async def ascore(self, **case: Any) -> Result:
        return await self.metric.ascore(**case, **self._how)

    def score(self, **case: Any) -> Result:
        return self.metric.score(**case, **self._how)

    def score_case(self, case: Case) -> Result:
        return self.metric.score_case(case, **self._how)
