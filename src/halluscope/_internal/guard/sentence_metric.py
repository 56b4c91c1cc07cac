"""The hallucination metric, for one sentence of an output: the text around it is read, and not judged."""

from __future__ import annotations

from ..case import Case
from ..metrics import Hallucination
from ..questions.flow import Flow
from ..verdict import Claim


class SentenceMetric(Hallucination, frozen=True, kw_only=True):
    """Judges the claims that begin between `start` and `end` of the output."""

    include_reason: bool = False
    start: int = 0
    end: int = 0

    def claims(self, case: Case) -> Flow[tuple[Claim, ...]]:
        # With what stands around it: "It" has a subject, an item its list, and a heading something under it.
        found = yield from super().claims(case)
        return tuple(claim for claim in found if self._is_mine(claim))

    def _is_mine(self, claim: Claim) -> bool:
        # Of a claim without a place nobody knows which sentence makes it, unless there is only this one.
        return self.start <= claim.start < self.end if claim.start is not None else not self.start
