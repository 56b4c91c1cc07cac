"""A result as HTML for a notebook, with inline styles for light and dark pages."""

from __future__ import annotations

from html import escape
from typing import Any

from ..verdict import SIGNS, Support, Verdict
from .in_words import about, confidence_in_words, short, stance

_TONES = {
    Support.SUPPORTED: "11, 125, 148",
    Support.CONTRADICTED: "205, 60, 15",
    Support.UNSUPPORTED: "190, 130, 10",
    Support.NOT_A_CLAIM: "128, 128, 128",
}
_LINES = {
    Support.SUPPORTED: "solid",
    Support.CONTRADICTED: "wavy",
    Support.UNSUPPORTED: "dashed",
    Support.NOT_A_CLAIM: "dotted",
}
GOOD, BAD, NEITHER = Support.SUPPORTED, Support.CONTRADICTED, Support.NOT_A_CLAIM


def card(result: Any) -> str:
    """Return a result: its status, the reason, and each claim in its colour with the evidence on hover."""
    tone = NEITHER if result.passed is None else GOOD if result.passed else BAD
    status = result.status + ("" if result.score is None else f" ({result.criterion})")
    verdicts, reason = result.all_verdicts, result.reason
    parts = [f'<div style="margin:0 0 .4em"><b>{escape(result.metric)}</b> {badge(status, tone)}</div>']
    if verdicts:
        items = "".join(f'<li style="margin:.15em 0">{_claim(verdict)}</li>' for verdict in verdicts)
        parts.append(f'<ul style="list-style:none;margin:0 0 .4em;padding:0">{items}</ul>')
    if reason:
        parts.append(f'<div style="margin:0 0 .3em">{escape(short(reason))}</div>')
    for line in (*(f"note: {note}" for note in result.notes), result.details):
        parts.append(f'<div style="opacity:.65;font-size:.9em">{escape(short(line))}</div>')
    return f'<div style="font-family:system-ui,sans-serif;line-height:1.45;max-width:60em">{"".join(parts)}</div>'


def badge(text: str, tone: Support) -> str:
    return f'<span style="{_wash(tone, 0.18)};padding:.05em .5em;border-radius:.6em">{escape(text)}</span>'


def _claim(verdict: Verdict) -> str:
    support = verdict.support
    hover = [verdict.reason or ""]
    hover += [f"{stance(verdict, e.stance)}, passage {e.passage + 1}: “{short(e.quote)}”" for e in verdict.evidence]
    title = "\n".join(line for line in hover if line) or "no evidence was quoted from the context"
    # Unsure verdicts are paler.
    style = (
        f"{_wash(support, 0.07 if verdict.unsure else 0.22)};"
        f"text-decoration:underline {_LINES[support]} rgb({_TONES[support]});text-underline-offset:.2em"
    )
    word = f"{support.value.replace('_', ' ')}{confidence_in_words(verdict)}"
    return (
        f'<span style="color:rgb({_TONES[support]});font-weight:600">{SIGNS[support]}</span> '
        f'<span title="{escape(title)}" style="{style}">{escape(about(verdict).strip("“”"))}</span> '
        f'<span style="opacity:.65;font-size:.9em">{escape(word)}</span>'
    )


def _wash(tone: Support, strength: float) -> str:
    return f"background:rgba({_TONES[tone]}, {strength:g})"
