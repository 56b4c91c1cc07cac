"""LiteLLM proxy: a guardrail that checks answers against the context in their messages."""

from __future__ import annotations

from typing import Any, Literal

from halluscope import InputError, Result

from ._common import Check, marked, needs, problem_of

with needs("'litellm[proxy]'", "litellm"):
    from litellm.exceptions import GuardrailRaisedException
    from litellm.integrations.custom_guardrail import CustomGuardrail
    from litellm.types.guardrails import GuardrailEventHooks


class GroundednessGuardrail(CustomGuardrail):  # type: ignore[misc]
    """Check each answer after the call, against what tools returned, documents and system messages.

    Name it in the proxy's configuration, with `mode: post_call`. Answers without a score (refusals, no context, a
    judge that fails) go through, unless `block_unscored` is set.

    Args:
        on_fail: `block` answers with status 400 and the reason; `mark` puts the reason under the answer; `repair`
            replaces what the context does not support, and marks an answer that cannot be repaired.
        judge: Name or instance of the judge.
        metric: Name of the metric.
        block_unscored: Whether to block answers that could not be scored.
        judge_options: Options of the metric and the judge.
        options: What the proxy passes to every guardrail.
    """

    def __init__(
        self,
        on_fail: Literal["block", "mark", "repair"] = "block",
        judge: Any = "local",
        metric: str = "hallucination",
        block_unscored: bool = False,
        judge_options: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        if on_fail not in ("block", "mark", "repair"):
            raise InputError(f"`on_fail` is {on_fail!r}: set it to 'block', 'mark' or 'repair'.")
        self.on_fail = on_fail
        self.block_unscored = block_unscored
        self._check = Check(metric, judge, judge_options or {})
        super().__init__(supported_event_hooks=[GuardrailEventHooks.post_call], **options)

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:
        if not self.should_run_guardrail(data=data, event_type=GuardrailEventHooks.post_call):
            return response
        for choice in getattr(response, "choices", ()):
            text = choice.message.content
            if not text:
                continue
            how = "repair" if self.on_fail == "repair" else "check"
            result, corrected = await self._check.acorrected(how, text, None, data.get("messages"))
            if self._wrong(result) and self.on_fail == "block":
                raise GuardrailRaisedException(
                    guardrail_name=self.guardrail_name,
                    message=problem_of(result),
                    blocked_content=result.score is not None,
                )
            if self._wrong(result):
                choice.message.content = marked(text, result) if result.score is None else corrected
        return response

    def _wrong(self, result: Result) -> bool:
        return self.block_unscored if result.score is None else not result.passed
