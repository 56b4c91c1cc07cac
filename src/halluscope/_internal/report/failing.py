"""What is wrong with an output, in plain lines: what a failing test shows."""

from __future__ import annotations

from ..result import Result
from ..verdict import SIGNS, Support, Verdict

_MOST = 10
_LONGEST = 240


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
    wanted = f"{result.threshold:g} or {'less' if result.direction == 'lower' else 'more'}"
    unit = "passage" if any(v.passage is not None for v in result.verdicts) else "claim"
    total, failing = sum(v.support is not Support.NOT_A_CLAIM for v in result.verdicts), len(result.failing)
    some = f"the only {unit}" if total == failing == 1 else f"{failing} of {total} {unit}s"
    return (
        f"{result.metric} is {result.score:.3g}, wanted {wanted}: "
        f"{some} {'does' if failing == 1 else 'do'} not hold (judge {result.judge})"
    )


def _verdict(verdict: Verdict) -> list[str]:
    about = f"passage {verdict.passage + 1}" if verdict.passage is not None else _quoted(verdict.claim.text)
    sure = f", {verdict.confidence:.0%} sure" if verdict.confidence is not None else ""
    lines = [f"  {SIGNS[verdict.support]} {verdict.support.value}{sure}: {about}"]
    if verdict.reason:
        lines.append(f"      {_short(verdict.reason)}")
    for evidence in verdict.evidence:
        place = f"passage {evidence.passage + 1}, characters {evidence.start} to {evidence.end}"
        lines.append(f"      {evidence.stance}: {_quoted(evidence.quote)} ({place})")
    if not verdict.evidence:
        lines.append("      no piece of the context was quoted for or against it")
    return lines


def _quoted(text: str) -> str:
    return f"“{_short(text)}”"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST]}…"
