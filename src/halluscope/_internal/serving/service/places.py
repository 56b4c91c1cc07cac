"""Converting offsets from characters (Python) to UTF-16 units (JavaScript and Java)."""

from __future__ import annotations

from msgspec import structs

from ...core.case import Case
from ...core.repair import RepairEdit
from ...core.verdict import Claim, Evidence, Verdict
from ...repair.repairing import Repair
from ...runs.report.page_records import CasePlaces


class Utf16:
    """Converts the offsets in the claims and verdicts of one case."""

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

    def edit(self, edit: RepairEdit) -> RepairEdit:
        start, end = self._places.output.span(edit.start, edit.end) or (edit.start, edit.end)
        return structs.replace(edit, start=start, end=end, evidence=tuple(map(self._evidence, edit.evidence)))

    def _evidence(self, evidence: Evidence) -> Evidence:
        place = self._places.quoted(evidence)
        return evidence if place is None else structs.replace(evidence, start=place[0], end=place[1])


def repair_places(case: Case, made: Repair) -> Repair:
    """A repair with its places in UTF-16 units: those of edits in the original, the others in the text they are of."""
    original, repaired = Utf16(case), Utf16(structs.replace(case, output=made.text))
    return structs.replace(
        made,
        edits=tuple(map(original.edit, made.edits)),
        unresolved=tuple(map(repaired.verdict, made.unresolved)),
        before=structs.replace(made.before, verdicts=tuple(map(original.verdict, made.before.verdicts))),
        after=structs.replace(made.after, verdicts=tuple(map(repaired.verdict, made.after.verdicts))),
    )
