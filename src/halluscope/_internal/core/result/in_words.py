"""A result as text: one line for `repr`, a page for a terminal, or what fails, for a test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..verdict import SIGNS, Support, Verdict

_LONGEST = 300
_MOST_FAILING = 10


def claim_counts(verdicts: Sequence[Verdict]) -> str:
    """Say how many of the claims, or passages, fail."""
    judged = [verdict for verdict in verdicts if verdict.support is not Support.NOT_A_CLAIM]
    unit = "passage" if any(verdict.passage is not None for verdict in judged) else "claim"
    wrong = [verdict for verdict in judged if not verdict.support.holds]
    if not judged:
        return ""
    if not wrong:
        return f"the only {unit} passes" if len(judged) == 1 else f"all {len(judged)} {unit}s pass"
    some = f"the only {unit}" if len(judged) == 1 else f"{len(wrong)} of {len(judged)} {unit}s"
    return f"{some} {'fails' if len(wrong) == 1 else 'fail'}"


def confidence_in_words(verdict: Verdict) -> str:
    """Return the judge's confidence as text, empty if it gave none."""
    if verdict.confidence is None:
        return ""
    return f" {verdict.confidence:.0%}{', unsure' if verdict.unsure else ''}"


def stance(verdict: Verdict, given: str) -> str:
    """Return how evidence relates to a claim. For an unsupported claim it is only the closest text."""
    return "closest" if given == "against" and verdict.support is Support.UNSUPPORTED else given


def about(verdict: Verdict) -> str:
    """Name what was judged: a passage, or the claim in quotes."""
    return f"passage {verdict.passage + 1}" if verdict.passage is not None else f"“{short(verdict.claim.text)}”"


def verdict_lines(verdict: Verdict) -> list[str]:
    lines = [f"  {SIGNS[verdict.support]} {verdict.support.value}{confidence_in_words(verdict)}: {about(verdict)}"]
    if verdict.reason:
        lines.append(f"      {short(verdict.reason)}")
    for evidence in verdict.evidence:
        place = f"passage {evidence.passage + 1}, characters {evidence.start} to {evidence.end}"
        lines.append(f"      {stance(verdict, evidence.stance)}: “{short(evidence.quote)}” ({place})")
    return lines


def page(result: Any) -> str:
    lines = [result.heading]
    for verdict in result.verdicts:
        lines += ["", *verdict_lines(verdict)]
    for turn in result.turns:
        lines += ["", turn.heading, *(line for verdict in turn.result.verdicts for line in verdict_lines(verdict))]
        lines += [] if turn.result.verdicts else [f"  {turn.result.reason}"]
    if result.reason:
        lines += ["", result.reason.strip()]
    lines += [f"note: {note}" for note in result.notes]
    return "\n".join([*lines, "", result.details])


def short(text: str) -> str:
    """Put a text on one line, and shorten it if it is long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST]}…"


def failing_lines(result: Any) -> str:
    """Return the contradicted and unsupported claims with their evidence, for a failing test."""
    lines = [_heading(result)]
    if result.score is None:
        lines.append(result.reason or f"No score: {result.outcome.value}.")
        lines.append(f'To accept such outputs, pass allow=("{result.outcome.value}",).')
    if result.turns and result.reason:
        lines.append(result.reason)
    failing = result.failing
    for verdict in failing[:_MOST_FAILING]:
        lines += ["", *verdict_lines(verdict)]
        lines += [] if verdict.evidence else ["      no evidence was quoted from the context"]
    if len(failing) > _MOST_FAILING:
        lines += ["", f"  and {len(failing) - _MOST_FAILING} more"]
    if not failing and result.score is not None and result.reason:
        lines.append(result.reason)
    lines += ["", *(f"note: {note}" for note in result.notes)] if result.notes else []
    return "\n".join(lines)


def _heading(result: Any) -> str:
    if result.score is None:
        return f"{result.metric} could not be scored: {result.outcome.value} (judge {result.judge})"
    counts = claim_counts(result.all_verdicts)
    return f"{result.metric} is {result.score:.3g}, {result.criterion}: {counts} (judge {result.judge})"
