"""Does each passage that an answer cites support the claim it stands on, and has each claim one?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from msgspec import Struct, structs

from ..case import Case
from ..errors import InputError
from ..metric import PromptSpec, packaged_prompt
from ..plumbing.public import public
from ..questions import FACTUAL, HALLUCINATED, Passage
from ..questions.flow import Finding, Flow, no_claims, nothing_to_judge
from ..result import Direction, Outcome
from ..verdict import Claim, Support, Verdict
from .cited import Mark, marks_in, on_claims
from .claimwise import EXTRACT, VERIFY, ClaimMetric, incomplete


class _Held(Struct, frozen=True):
    """A claim against what it cites: how many of its citations hold, of how many, and the verdict on it."""

    verdict: Verdict
    good: int
    cited: int


@public
class Citations(ClaimMetric, frozen=True, kw_only=True):
    """Citations like "[1]" or "(source: leaflet)" are held against the passages they name, each on its own.

    Precision is the share of citations whose passage supports the claim they stand on; several that support it only
    together count together. Recall is the share of claims that have one. `figure` says which of them, or their
    harmonic mean, is the score. `sources` names passages, counted from 1, by what stands in a citation or by a mark
    of your own.
    """

    name: ClassVar[str] = "citations"
    summary: ClassVar[str] = "whether cited passages support the claims they stand on, and each claim has one"
    formula: ClassVar[str] = "harmonic mean of citations that hold / citations and claims with one / claims; 1 is best"
    direction: ClassVar[Direction] = "higher"
    uses: ClassVar[tuple[PromptSpec, ...]] = (EXTRACT, VERIFY)
    words: ClassVar[Mapping[str, Support]] = {
        "yes": Support.SUPPORTED,
        "no": Support.CONTRADICTED,
        "unsure": Support.UNSUPPORTED,
    }

    sources: Mapping[str, int] = {}
    figure: Literal["f1", "precision", "recall"] = "f1"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.figure not in ("f1", "precision", "recall"):
            raise InputError(f"there is no figure {self.figure!r} of citations: choose f1, precision or recall.")
        _checked(self.sources)

    def prompt(self, name: str) -> str:
        """Claims are held against passages in the words of `faithfulness`."""
        return self.prompts.get(name) or packaged_prompt("faithfulness", name)

    def flow(self, case: Case) -> Flow[Finding]:
        nothing = nothing_to_judge(case)
        if nothing:
            return nothing
        claims = yield from self.claims(case)
        if not claims:
            return no_claims(case)
        context = case.context or ()
        marks = marks_in(case.output, context, self.sources)
        cited = on_claims(case.output, claims, marks)
        claims = tuple(_bare(claim, case.output, marks) for claim in claims)
        alone: dict[tuple[str, int], Verdict] = {}
        for index in sorted({i for mark in marks for i in mark.passages}):
            citing = [claim for claim in claims if any(index in mark.passages for mark in cited[claim.id])]
            verified = yield from self.verify(case, citing, (Passage(index, context[index]),))
            if verified.missing:
                return incomplete(verified, case)
            alone.update(((verdict.claim.id, index), verdict) for verdict in verified.verdicts)
        held = []
        for claim in claims:
            own = cited[claim.id]
            indices = tuple(dict.fromkeys(i for mark in own for i in mark.passages))
            verdicts = [alone[claim.id, i] for i in indices]
            if len(indices) > 1 and not any(v.support.holds for v in verdicts):
                together = yield from self.verify(case, [claim], tuple(Passage(i, context[i]) for i in indices))
                if together.missing:
                    return incomplete(together, case)
                if together.verdicts[0].support.holds:
                    verdicts = [together.verdicts[0]] * len(indices)
            held.append(_held(claim, own, indices, verdicts))
        return self._found(case, [one for one in held if one.verdict.support is not Support.NOT_A_CLAIM], len(marks))

    def _found(self, case: Case, held: list[_Held], marks: int) -> Finding:
        if not held:
            return no_claims(case)
        citations, good = sum(one.cited for one in held), sum(one.good for one in held)
        with_one = sum(bool(one.cited) for one in held)
        recall = with_one / len(held)
        precision = good / citations if citations else 0.0
        both = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        figures = {"precision": precision, "recall": recall, "f1": both}
        score = figures[self.figure] * self.scale
        verdicts = tuple(one.verdict for one in held)
        if marks:
            reason = (
                f"{good} of {citations} citations hold (precision {precision:.2f}), "
                f"{with_one} of {len(held)} claims have one (recall {recall:.2f})."
            )
        else:
            reason = "The output cites no passage."
        return Finding(
            outcome=Outcome.SCORED,
            score=score,
            label=FACTUAL if self.passes(score, verdicts) else HALLUCINATED,
            verdicts=verdicts,
            figures=figures,
            reason=reason if self.include_reason else None,
        )


def _held(claim: Claim, marks: tuple[Mark, ...], indices: tuple[int, ...], verdicts: list[Verdict]) -> _Held:
    strange = sum(mark.unknown for mark in marks)
    good = sum(verdict.support.holds for verdict in verdicts)
    if not indices and not strange:
        uncited = Verdict(claim, Support.UNSUPPORTED, reason="No citation stands on this claim.", word="uncited")
        return _Held(uncited, 0, 0)
    if not verdicts:
        reason = "It cites something that is not in the context."
        return _Held(Verdict(claim, Support.UNSUPPORTED, reason=reason, word="unknown"), 0, strange)
    wrong = [(i, verdict) for i, verdict in zip(indices, verdicts, strict=True) if not verdict.support.holds]
    if not wrong:
        verdict = verdicts[0]
        if strange:
            why = "It also cites something that is not in the context."
            verdict = structs.replace(verdict, support=Support.UNSUPPORTED, reason=why, word="unknown", confidence=None)
        return _Held(verdict, good, len(indices) + strange)
    index, worst = next((pair for pair in wrong if pair[1].support is Support.CONTRADICTED), wrong[0])
    said = "contradicts it" if worst.support is Support.CONTRADICTED else "does not support it"
    reason = f"Passage {index + 1}, which it cites, {said}" + (f": {worst.reason}" if worst.reason else ".")
    return _Held(structs.replace(worst, reason=reason), good, len(indices) + strange)


def _bare(claim: Claim, output: str, marks: Sequence[Mark]) -> Claim:
    """The claim without the marks that stand in it: they state nothing."""
    text = claim.text
    for mark in marks:
        text = text.replace(output[mark.start : mark.end], "")
    return structs.replace(claim, text=" ".join(text.split()) or claim.text)


def _checked(sources: object) -> None:
    right = isinstance(sources, Mapping) and all(
        isinstance(name, str) and name.strip() and type(number) is int and number > 0
        for name, number in sources.items()
    )
    if not right:
        raise InputError('the sources of citations are names and passage numbers from 1 on, as in {"leaflet": 2}.')
