"""NeMo Guardrails: an action that checks the bot's answer against the retrieved chunks."""

from __future__ import annotations

from typing import Any, Literal

from ._common import Check, claims, needs, no_score

with needs("nemoguardrails", "nemoguardrails"):
    from nemoguardrails import LLMRails
    from nemoguardrails.actions.rail_outcome import RailOutcome

FLOW = """
define flow halluscope groundedness
  $groundedness = execute check_groundedness
  if $groundedness.is_blocked
    bot refuse to respond
    stop
"""
"""The output rail in Colang 1.0 that blocks answers."""

CORRECTING_FLOW = """
define flow halluscope corrected answer
  $bot_message = execute correct_answer
"""
"""The output rail in Colang 1.0 that marks or repairs answers."""


def register(
    rails: LLMRails,
    judge: Any = "local",
    metric: str = "hallucination",
    *,
    on_fail: Literal["mark", "repair"] = "repair",
    block_unscored: bool = False,
    **options: Any,
) -> None:
    """Register two actions with the rails, which the output rails `FLOW` and `CORRECTING_FLOW` call.

    `check_groundedness` blocks an answer that does not pass. `correct_answer` marks or repairs it.

    Answers without a score (refusals, no retrieved chunks, a judge that fails) are allowed, unless `block_unscored`.

    Args:
        rails: The rails.
        judge: Name or instance of the judge.
        metric: Name of the metric.
        on_fail: Whether `correct_answer` puts the reason under an answer, or repairs it. One that cannot be repaired is
            marked.
        block_unscored: Whether `check_groundedness` is to block answers that could not be scored.
        options: Options of the metric and the judge.
    """
    check = Check(metric, judge, options)

    async def check_groundedness(context: dict[str, Any] | None = None, **_: Any) -> RailOutcome:
        known = context or {}
        result = await check.arun(known.get("bot_message"), _chunks(known), known.get("user_message"))
        found = {"score": result.score, "claims": claims(result)}
        if result.score is None:
            outcome = RailOutcome.block if block_unscored else RailOutcome.allow
            return outcome(reason=no_score(result), metadata=found)
        return (RailOutcome.allow if result.passed else RailOutcome.block)(reason=result.reason, metadata=found)

    async def correct_answer(context: dict[str, Any] | None = None, **_: Any) -> str:
        known = context or {}
        said, chunks = str(known.get("bot_message") or ""), _chunks(known)
        return (await check.acorrected(on_fail, said, chunks, known.get("user_message")))[1]

    rails.register_action(correct_answer, "correct_answer")
    rails.register_action(check_groundedness, "check_groundedness")


def _chunks(known: dict[str, Any]) -> Any:
    return known.get("relevant_chunks_sep") or known.get("relevant_chunks")
