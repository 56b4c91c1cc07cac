"""Cases and results as records for the page.

Offsets are converted from characters to UTF-16 units, which browsers use. Offsets outside the text are dropped.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Any

import msgspec
from msgspec import structs

from ...core.case import Case, clean
from ...core.repair import Repaired
from ...core.result import Result
from ...core.verdict import Evidence, Verdict

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Places:
    """Converts offsets in one text."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._wide = [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]

    def span(self, start: int | None, end: int | None) -> tuple[int, int] | None:
        """Convert a span to UTF-16 units. None if it is invalid."""
        if start is None or end is None or not 0 <= start < end <= self._length:
            return None
        return start + bisect_left(self._wide, start), end + bisect_left(self._wide, end)


class CasePlaces:
    """Converts offsets in the output and passages of a case."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self.output = Places(case.output)
        self._passages: dict[int, Places] = {}

    def quoted(self, evidence: Evidence) -> tuple[int, int] | None:
        """Convert the span of evidence. None if the passage does not contain it there."""
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
    return _filled(input=case.input, output=case.output, context=case.context, metadata=case.metadata, notes=case.notes)


def result_record(result: Result, places: CasePlaces, exchanges: int | None) -> dict[str, Any]:
    """Return a result without prompts and replies, whose number is `exchanges`."""
    return _filled(
        label=result.label,
        probability=result.probability,
        reason=result.reason,
        judge=result.judge,
        version=result.metric_version,
        verdicts=[_verdict(verdict, places) for verdict in result.verdicts],
        repair=None if result.repair is None else _repair(result.repair, places),
        failure=result.failure,
        usage=result.usage,
        latency=result.latency_ms,
        notes=result.notes,
        truths=result.truths,
        exchanges=exchanges,
        asked=len(result.exchanges),
    )


def _repair(repair: Repaired, places: CasePlaces) -> dict[str, Any]:
    edits = []
    for edit in repair.edits:
        start, end = places.output.span(edit.start, edit.end) or (edit.start, edit.end)
        edits.append({**structs.asdict(edit), "start": start, "end": end})
    return _filled(text=repair.text, edits=edits, unresolved=repair.unresolved, abstained=repair.abstained)


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
    """Drop empty fields."""
    return {name: value for name, value in fields.items() if value is not None and value not in ((), [], {})}


def encode(record: Any) -> bytes:
    """Encode a record as JSON, with any metadata."""
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
