"""Cases and results as the plain records the page reads.

Python counts characters, a browser counts UTF-16 units: every place in a text is translated here,
so that a claim after an emoji is coloured where it stands. A place that is not in the text is left
out rather than shown wrong.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Any

import msgspec

from ..case import Case, clean
from ..result import Result
from ..verdict import Evidence, Verdict

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Places:
    """Translates places in one text."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._wide = [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]

    def span(self, start: int | None, end: int | None) -> tuple[int, int] | None:
        """The place in UTF-16 units, None where there is no such place."""
        if start is None or end is None or not 0 <= start < end <= self._length:
            return None
        return start + bisect_left(self._wide, start), end + bisect_left(self._wide, end)


class CasePlaces:
    """The places in a case's output and passages, made when first asked for."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self.output = Places(case.output)
        self._passages: dict[int, Places] = {}

    def quoted(self, evidence: Evidence) -> tuple[int, int] | None:
        """Where the evidence stands, None where the passage does not hold it there."""
        context = self._case.context or ()
        if not 0 <= evidence.passage < len(context):
            return None
        text = context[evidence.passage]
        if text[evidence.start : evidence.end] != evidence.quote:
            return None
        places = self._passages.get(evidence.passage)
        if places is None:
            places = self._passages[evidence.passage] = Places(text)
        return places.span(evidence.start, evidence.end)


def case_record(case: Case) -> dict[str, Any]:
    """The texts of a case."""
    return _filled(
        input=case.input,
        output=case.output,
        context=case.context,
        metadata=case.metadata,
        notes=case.notes,
    )


def result_record(result: Result, places: CasePlaces, exchanges: int | None) -> dict[str, Any]:
    """What was found, without prompts and replies: `exchanges` says where those are."""
    return _filled(
        label=result.label,
        probability=result.probability,
        reason=result.reason,
        judge=result.judge,
        version=result.metric_version,
        verdicts=[_verdict(verdict, places) for verdict in result.verdicts],
        failure=result.failure,
        usage=result.usage,
        latency=result.latency_ms,
        notes=result.notes,
        truths=result.truths,
        exchanges=exchanges,
        asked=len(result.exchanges),
    )


def _verdict(verdict: Verdict, places: CasePlaces) -> dict[str, Any]:
    claim = verdict.claim
    return _filled(
        text=claim.text if verdict.passage is None else None,
        place=places.output.span(claim.start, claim.end) if verdict.passage is None else None,
        support=verdict.support.value,
        reason=verdict.reason,
        confidence=verdict.confidence,
        word=verdict.word,
        passage=verdict.passage,
        judge=verdict.judge,
        votes=verdict.votes,
        notes=verdict.notes,
        evidence=[_evidence(evidence, places) for evidence in verdict.evidence],
    )


def _evidence(evidence: Evidence, places: CasePlaces) -> dict[str, Any]:
    place = places.quoted(evidence)
    quote = evidence.quote if place is None else None
    return _filled(passage=evidence.passage, stance=evidence.stance, place=place, quote=quote)


def _filled(**fields: Any) -> dict[str, Any]:
    """The fields that hold something: the rest would only make the file longer."""
    return {name: value for name, value in fields.items() if value is not None and value not in ((), [], {})}


def encode(record: Any) -> bytes:
    """A record as JSON, whatever a user put into metadata or a judge into its reply."""
    try:
        return msgspec.json.encode(record, enc_hook=str)
    except (UnicodeEncodeError, TypeError, ValueError, RecursionError):
        return msgspec.json.encode(_plain(record))


def _plain(value: Any, depth: int = 0) -> Any:
    if depth > 50:
        return "…"
    if isinstance(value, str):
        return clean(value)
    if value is None or isinstance(value, (bool, float)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else str(value)
    if isinstance(value, msgspec.Struct):
        value = msgspec.structs.asdict(value)
    if isinstance(value, dict):
        return {clean(str(key)): _plain(held, depth + 1) for key, held in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(held, depth + 1) for held in value]
    return clean(str(value))
