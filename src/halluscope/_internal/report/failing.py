"""What is wrong with an output, in plain lines: what a failing test shows."""

from __future__ import annotations

from ..result import Result
from ..result.in_words import holding, verdict_lines
from ..verdict import Verdict

_MOST = 10


def failing_lines(result: Result) -> str:
    """The claims that do not hold, and the evidence against them."""
    lines = [_heading(result)]
    if result.score is None:
        lines.append(result.reason or f"No score: {result.outcome.value}.")
        lines.append(f'To let such outputs pass, say so: allow=("{result.outcome.value}",).')
    failing = result.failing
    for verdict in failing[:_MOST]:
        lines += ["", *_verdict(verdict)]
    if len(failing) > _MOST:
        lines += ["", f"  and {len(failing) - _MOST} more"]
    if not failing and result.score is not None and result.reason:
        lines.append(result.reason)
    lines += ["", *(f"note: {note}" for note in result.notes)] if result.notes else []
    return "\n".join(lines)


def _heading(result: Result) -> str:
    if result.score is None:
        return f"{result.metric} could not be scored: {result.outcome.value} (judge {result.judge})"
    return f"{result.metric} is {result.score:.3g}, {result.bar}: {holding(result.verdicts)} (judge {result.judge})"


def _verdict(verdict: Verdict) -> list[str]:
    lines = verdict_lines(verdict)
    if not verdict.evidence:
        lines.append("      no piece of the context was quoted for or against it")
    return lines
