"""Places in texts as other languages count them: Python counts characters, JavaScript and Java UTF-16 units."""

from __future__ import annotations

from msgspec import structs

from ..case import Case
from ..report.page_records import CasePlaces
from ..verdict import Claim, Evidence, Verdict


class Utf16:
    """Translates the verdicts of one case."""

    def __init__(self, case: Case) -> None:
        self._places = CasePlaces(case)

    def claim(self, claim: Claim) -> Claim:
        start, end = self._places.output.span(claim.start, claim.end) or (None, None)
        return structs.replace(claim, start=start, end=end)

    def verdict(self, verdict: Verdict) -> Verdict:
        marks = (self._places.output.span(start, end) for start, end in verdict.marks)
        return structs.replace(
            verdict,
            claim=self.claim(verdict.claim),
            evidence=tuple(map(self._evidence, verdict.evidence)),
            marks=tuple(mark for mark in marks if mark is not None),
        )

    def _evidence(self, evidence: Evidence) -> Evidence:
        place = self._places.quoted(evidence)
        return evidence if place is None else structs.replace(evidence, start=place[0], end=place[1])
