"""Whether cited passages support the claims that cite them, and whether every claim has a citation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from msgspec import Struct, structs

from ...core.case import Case
from ...core.counting import count_of
from ...core.errors import InputError
from ...core.plumbing.public import public
from ...core.result import Direction
from ...core.verdict import Claim, Support, Verdict
from ..metric import PromptSpec, packaged_prompt
from ..questions import Passage
from ..questions.flow import Finding, Flow, incomplete, no_claims, nothing_to_judge
from .cited import Mark, marks_in, on_claims
from .claimwise import EXTRACT, VERIFY, YES_NO_UNSURE, ClaimMetric


class _Checked(Struct, frozen=True):
    """A claim checked against what it cites: the verdict, the number of correct citations, and of all."""

    verdict: Verdict
    correct: int
    cited: int


@public
class Citations(ClaimMetric, frozen=True, kw_only=True):
    """Precision and recall of citations such as "[1]" or "(source: leaflet)"; 1 is best.

    Precision is the share of citations whose passage supports the claim. Passages that support a claim only together
    count together. Recall is the share of claims that have a citation. `result.figures` contains both and their
    harmonic mean. Takes the options of `ClaimMetric`.

    Attributes:
        sources: Passage numbers, counted from 1, by the name in a citation or by a mark of your own.
        figure: The score: "precision", "recall", or "f1", their harmonic mean.

    Example:
        >>> metric = Citations(figure="recall")
        >>> metric.score(output="The mill is in Ulm [1]. It opens at noon.", context=["The mill is in Ulm."]).score
        0.5
    """

    name: ClassVar[str] = "citations"
    summary: ClassVar[str] = "whether cited passages support the claims that cite them, and every claim has a citation"
    formula: ClassVar[str] = (
        "harmonic mean of correct citations / citations and claims with a citation / claims; 1 is best"
    )
    direction: ClassVar[Direction] = "higher"
    judges_calls: ClassVar[bool] = False
    uses: ClassVar[tuple[PromptSpec, ...]] = (EXTRACT, VERIFY)
    words: ClassVar[Mapping[str, Support]] = YES_NO_UNSURE

    sources: Mapping[str, int] = {}
    figure: Literal["f1", "precision", "recall"] = "f1"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.figure not in ("f1", "precision", "recall"):
            raise InputError(f"the figure of citations must be 'f1', 'precision' or 'recall', not {self.figure!r}.")
        valid = isinstance(self.sources, Mapping) and all(
            isinstance(name, str) and name.strip() and type(number) is int and number > 0
            for name, number in self.sources.items()
        )
        if not valid:
            raise InputError('the sources of citations must map names to passage numbers from 1, as in {"leaflet": 2}.')

    def prompt(self, name: str) -> str:
        """The text of one of the metric's prompts: those of `faithfulness`."""
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
        claims = tuple(_without_marks(claim, case.output, marks) for claim in claims)
        alone: dict[tuple[str, int], Verdict] = {}
        for index in sorted({i for mark in marks for i in mark.passages}):
            citing = [claim for claim in claims if any(index in mark.passages for mark in cited[claim.id])]
            verified = yield from self.verify(case, citing, (Passage(index, context[index]),))
            if verified.missing:
                return incomplete(case, verified, "claim")
            alone.update(((verdict.claim.id, index), verdict) for verdict in verified.verdicts)
        checked = []
        for claim in claims:
            own = cited[claim.id]
            indices = tuple(dict.fromkeys(i for mark in own for i in mark.passages))
            verdicts = [alone[claim.id, i] for i in indices]
            if len(indices) > 1 and not any(v.support.holds for v in verdicts):
                together = yield from self.verify(case, [claim], tuple(Passage(i, context[i]) for i in indices))
                if together.missing:
                    return incomplete(case, together, "claim")
                if together.verdicts[0].support.holds:
                    verdicts = [together.verdicts[0]] * len(indices)
            checked.append(_checked(claim, own, indices, verdicts))
        return self._found(case, [one for one in checked if one.verdict.support is not Support.NOT_A_CLAIM], marks)

    def _found(self, case: Case, checked: list[_Checked], marks: Sequence[Mark]) -> Finding:
        if not checked:
            return no_claims(case)
        citations, correct = sum(one.cited for one in checked), sum(one.correct for one in checked)
        cited = sum(bool(one.cited) for one in checked)
        recall = cited / len(checked)
        precision = correct / citations if citations else 0.0
        both = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        figures = {"precision": precision, "recall": recall, "f1": both}
        score = figures[self.figure] * self.scale
        verdicts = tuple(one.verdict for one in checked)
        if marks:
            reason = (
                f"{correct} of {count_of(citations, 'citation')} {'is' if correct == 1 else 'are'} correct "
                f"(precision {precision:.2f}); {cited} of {count_of(len(checked), 'claim')} "
                f"{'has' if cited == 1 else 'have'} a citation (recall {recall:.2f})."
            )
        else:
            reason = "The output cites no passage."
        return self.scored(score, verdicts, figures=figures, reason=reason if self.include_reason else None)


def _checked(claim: Claim, marks: tuple[Mark, ...], indices: tuple[int, ...], verdicts: list[Verdict]) -> _Checked:
    unknown = sum(mark.unknown for mark in marks)
    correct = sum(verdict.support.holds for verdict in verdicts)
    if not indices and not unknown:
        uncited = Verdict(claim, Support.UNSUPPORTED, reason="The claim has no citation.", word="uncited")
        return _Checked(uncited, 0, 0)
    if not verdicts:
        reason = "The claim cites a passage that is not in the context."
        return _Checked(Verdict(claim, Support.UNSUPPORTED, reason=reason, word="unknown"), 0, unknown)
    wrong = [(i, verdict) for i, verdict in zip(indices, verdicts, strict=True) if not verdict.support.holds]
    if not wrong:
        verdict = verdicts[0]
        if unknown:
            why = "The claim also cites a passage that is not in the context."
            verdict = structs.replace(verdict, support=Support.UNSUPPORTED, reason=why, word="unknown", confidence=None)
        return _Checked(verdict, correct, len(indices) + unknown)
    index, worst = next((pair for pair in wrong if pair[1].support is Support.CONTRADICTED), wrong[0])
    finding = "contradicts it" if worst.support is Support.CONTRADICTED else "does not support it"
    reason = f"The cited passage {index + 1} {finding}" + (f": {worst.reason}" if worst.reason else ".")
    return _Checked(structs.replace(worst, reason=reason), correct, len(indices) + unknown)


def _without_marks(claim: Claim, output: str, marks: Sequence[Mark]) -> Claim:
    """The claim without the citation marks in it."""
    text = claim.text
    for mark in marks:
        text = text.replace(output[mark.start : mark.end], "")
    return structs.replace(claim, text=" ".join(text.split()) or claim.text)
