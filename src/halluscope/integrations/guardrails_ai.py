"""Guardrails AI: a validator for texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._common import Check, find_context, needs, no_score, problem_of

with needs("guardrails-ai", "guardrails"):
    from guardrails.classes.validation.validation_result import ErrorSpan, FailResult, PassResult, ValidationResult
    from guardrails.validator_base import Validator, register_validator


@register_validator(name="halluscope/groundedness", data_type="string")
class Groundedness(Validator):  # type: ignore[misc]
    """Fail on texts that are not grounded in the passages of the metadata.

    The passages are `metadata["context"]` (or another usual name), the question `metadata["question"]`.

    Args:
        judge: Name or instance of the judge.
        metric: Name of the metric.
        on_fail: What Guardrails does with a text that fails. With `fix` it is repaired.
        options: Options of the metric and the judge, as a mapping.

    Example:
        >>> Guard().use(Groundedness(on_fail="exception")).validate(answer, metadata={"context": passages})
    """

    def __init__(
        self,
        judge: Any = "local",
        metric: str = "hallucination",
        on_fail: str | Callable[..., Any] | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(on_fail=on_fail, judge=judge, metric=metric, options=options)
        self._check = Check(metric, judge, options or {})

    def _validate(self, value: Any, metadata: dict[str, Any]) -> ValidationResult:
        context, question = find_context(metadata), metadata.get("question")
        result = self._check.run(value, context, question)
        if result.score is None:
            return FailResult(error_message=no_score(result))
        if result.passed:
            return PassResult()
        spans = [
            ErrorSpan(start=verdict.claim.start, end=verdict.claim.end, reason=verdict.reason or verdict.support.value)
            for verdict in result.failing
            if verdict.claim.start is not None and verdict.claim.end is not None
        ]
        fixed: dict[str, Any] = {}
        if "fix" in str(self.on_fail_descriptor).lower():
            fixed["fix_value"] = self._check.repaired(value, context, question)
        return FailResult(error_message=problem_of(result), error_spans=spans, **fixed)
