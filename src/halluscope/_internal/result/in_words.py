"""A result in plain words: one line for a prompt, a page for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..verdict import SIGNS, Support, Verdict

_LONGEST = 300


def holding(verdicts: Sequence[Verdict]) -> str:
    """How many of the claims, or passages, do not hold."""
    told = [verdict for verdict in verdicts if verdict.support is not Support.NOT_A_CLAIM]
    unit = "passage" if any(verdict.passage is not None for verdict in told) else "claim"
    wrong = [verdict for verdict in told if not verdict.support.holds]
    if not told:
        return ""
    if not wrong:
        return f"the only {unit} holds" if len(told) == 1 else f"all {len(told)} {unit}s hold"
    some = f"the only {unit}" if len(told) == 1 else f"{len(wrong)} of {len(told)} {unit}s"
    return f"{some} {'does' if len(wrong) == 1 else 'do'} not hold"


def sureness(verdict: Verdict) -> str:
    """The judge's confidence in words, nothing where it gave none."""
    if verdict.confidence is None:
        return ""
    return f" {verdict.confidence:.0%}{', unsure' if verdict.unsure else ''}"


def stance(verdict: Verdict, given: str) -> str:
    """What a piece of evidence is to a claim: an unsupported one has nothing against it, only what comes closest."""
    return "closest" if given == "against" and verdict.support is Support.UNSUPPORTED else given


def about(verdict: Verdict) -> str:
    """What the verdict is about: a passage, or the claim in quotes."""
    return f"passage {verdict.passage + 1}" if verdict.passage is not None else f"“{short(verdict.claim.text)}”"


def verdict_lines(verdict: Verdict, indent: str = "  ") -> list[str]:
    """A verdict with its reason and evidence, a line each."""
    lines = [f"{indent}{SIGNS[verdict.support]} {verdict.support.value}{sureness(verdict)}: {about(verdict)}"]
    if verdict.reason:
        lines.append(f"{indent}    {short(verdict.reason)}")
    for evidence in verdict.evidence:
        place = f"passage {evidence.passage + 1}, characters {evidence.start} to {evidence.end}"
        lines.append(f"{indent}    {stance(verdict, evidence.stance)}: “{short(evidence.quote)}” ({place})")
    return lines


def page(heading: str, verdicts: Iterable[Verdict], reason: str | None, notes: Iterable[str], footing: str) -> str:
    """All of a result, for somebody who asks why."""
    lines = [heading]
    for verdict in verdicts:
        lines += ["", *verdict_lines(verdict)]
    if reason:
        lines += ["", reason.strip()]
    lines += [f"note: {note}" for note in notes]
    return "\n".join([*lines, "", footing])


def short(text: str) -> str:
    """A text on one line, cut where it is long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST]}…"
