"""Repair an output: ask for edits, apply them, judge the text again, withdraw what does not help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import structs

from ..core.case import Case
from ..core.errors import InputError, JudgeError
from ..core.plumbing import sync
from ..core.plumbing.json_values import decode_json
from ..core.plumbing.public import public
from ..core.repair import Repaired, RepairEdit
from ..core.result import Outcome, Result, Usage
from ..core.verdict import Verdict
from ..engine.driver import Driver, Trail
from ..engine.judge import JudgeSpec
from ..engine.judge import resolve as resolve_judge
from ..engine.many import scored
from ..engine.metric import Metric, packaged_prompt
from ..engine.metrics import MetricSpec, resolve, split_options
from ..engine.metrics.claimwise import ClaimMetric
from ..engine.questions import ProposedEdit, ProposeEdits, distinct
from .edited_text import EditedText

ABSTENTION = "I cannot answer this from the given context."
"""The text if nothing of an output is left."""

_ROUNDS = 2


@public
class Repair(Repaired, frozen=True, kw_only=True):
    """A repaired text with the results before and after.

    Attributes:
        before: Result of the original.
        after: Result of the repaired text. The same as `before` if nothing was changed.
        usage: Calls, tokens and cost of the repair, without those of `before`.
    """

    before: Result
    after: Result
    usage: Usage = Usage()

    @property
    def summary(self) -> Repaired:
        """The repair without its two results."""
        return Repaired(**{name: getattr(self, name) for name in Repaired.__struct_fields__})

    def __repr__(self) -> str:
        return f"<Repair: {len(self.edits)} edits, {self.before.status} to {self.after.status}>"


@public
async def arepair(
    output: object,
    context: object = None,
    input: object = None,
    *,
    metric: MetricSpec = "hallucination",
    judge: JudgeSpec = None,
    abstention: str = ABSTENTION,
    **options: Any,
) -> Repair:
    """Repair an output: replace wrong values, narrow over-general claims, remove what the context does not support.

    Supported sentences stay as they are, and nothing is added that the context does not say. An output that passes is
    not changed. The repaired text is judged again; edits that do not help are withdrawn.

    Args:
        output: The text to repair, usually a model's answer.
        context: The passages it should be grounded in.
        input: The question that was asked.
        metric: Name or instance of a metric over claims.
        judge: Name or instance of the judge; by default `HALLUSCOPE_JUDGE`, or the embedded judge "local".
        abstention: The text if nothing of the output is left.
        **options: Options of the metric, and of a judge given by name.

    Returns:
        The repaired text, the edits with their evidence, the results before and after, and what is still wrong.

    Raises:
        InputError: If `output`, `context` or an option is unusable.

    Example:
        >>> repair("The mill closed in 1969.", ["The mill closed in 1921."]).text
        'The mill closed in 1921.'
    """
    if isinstance(output, Case):
        raise InputError("`repair` takes an output and a context, not a Case.")
    for_metric, for_judge = split_options(metric, options)
    made = resolve(metric, **for_metric)
    driver = Driver(resolve_judge(judge, **for_judge))
    return await repaired(driver, made, Case.of(output, context, input), abstention=abstention)


repair = sync.blocking(arepair, "repair")


def check_repairable(metric: Metric) -> None:
    """Raise `InputError` if the metric judges no claims."""
    if not isinstance(metric, ClaimMetric):
        raise InputError(f"{metric.name!r} does not judge claims: repair with hallucination or faithfulness.")


async def repaired(
    driver: Driver, metric: Metric, case: Case, before: Result | None = None, *, abstention: str = ABSTENTION
) -> Repair:
    """Repair the output of a case. `before` is its result, if it is known already."""
    check_repairable(metric)
    if before is None:
        before = await driver.score(metric, case)
    if before.passed is not False:
        return _unchanged(case, before)
    work = _Work(driver, metric, case, before)
    for _ in range(_ROUNDS):
        if not work.open or not await work.improve():
            break
    return await work.done(abstention)


async def with_repair(driver: Driver, metric: Metric, case: Case, result: Result) -> Result:
    """The result of a case with the repair of its output, if it does not pass."""
    if result.passed is not False or case.is_tool_call:  # another value for an argument would be a guess
        return result
    made = await repaired(driver, metric, case, result)
    return structs.replace(result, repair=made.summary, usage=result.usage + made.usage)


def _unchanged(case: Case, before: Result) -> Repair:
    return Repair(
        text=case.output,
        before=before,
        after=before,
        unresolved=before.failing,
        score=before.score,
        passed=before.passed,
    )


class _Work:
    """One output while it is being repaired."""

    def __init__(self, driver: Driver, metric: Metric, case: Case, before: Result) -> None:
        self._driver, self._metric, self._case = driver, metric, case
        self._before = self._now = before
        self._edited = EditedText(case.output)
        self._tried: list[tuple[str, str]] = []
        self._notes: list[str] = []
        self._usage = Usage()

    @property
    def open(self) -> tuple[Verdict, ...]:
        """The verdicts against claims that have a place in the text and were wrong from the start.

        A judge may doubt what it has found supported before, once its neighbour is gone: that is not cut.
        """
        return tuple(
            v for v in self._now.failing if v.claim.start is not None and v.claim.end is not None and self._is_old(v)
        )

    def _is_old(self, verdict: Verdict) -> bool:
        place = verdict.claim.start or 0, verdict.claim.end or 0
        if any(edit.kind != "remove" for edit in self._edited.touching(*place)):
            return True
        low, high = self._edited.in_original(*place)
        gone = [edit.span for edit in self._edited.edits]
        return any(
            self._case.output[at].isalnum() and not any(start <= at < end for start, end in gone)
            for wrong in self._before.failing
            for at in range(max(low, wrong.claim.start or 0), min(high, wrong.claim.end or 0))
        )

    async def improve(self) -> bool:
        """One round: ask for edits, apply them, judge the text, withdraw edits whose claims fail still."""
        edits = await self._proposed()
        if not edits:
            return False
        self._edited = self._edited.with_edits(edits)
        await self._judge()
        while withdrawn := self._failed():
            self._tried += [(edit.before, edit.after) for edit in withdrawn]
            self._edited = self._edited.without(withdrawn)
            await self._judge()
        return True

    async def done(self, abstention: str) -> Repair:
        abstained = bool(self._edited.edits) and _says_nothing(self._edited.text, self._now)
        if abstained:
            text, after = abstention, await self._result(abstention)
        else:
            text, after = self._edited.text, self._now
        return Repair(
            text=text,
            edits=self._edited.edits,
            before=self._before,
            after=after,
            unresolved=() if abstained else after.failing,
            score=after.score,
            passed=after.passed,
            abstained=abstained,
            notes=tuple(self._notes),
            usage=self._usage,
        )

    def _failed(self) -> list[RepairEdit]:
        """The edits that touch a claim which fails."""
        return [edit for v in self.open for edit in self._edited.touching(v.claim.start or 0, v.claim.end or 0)]

    async def _judge(self) -> None:
        edited = self._edited
        self._now = await self._result(edited.text) if edited.edits else self._before

    async def _result(self, text: str) -> Result:
        result = await scored(self._driver, self._metric, structs.replace(self._case, output=text))
        self._usage += result.usage
        return result

    async def _proposed(self) -> list[RepairEdit]:
        """Edits of the text as it is now, none of which overlap."""
        wrong = {verdict.claim.id: verdict for verdict in self.open}
        question = ProposeEdits(
            template=packaged_prompt("repair", "edits"),
            output=self._edited.text,
            passages=distinct(self._case.passages),
            verdicts=tuple(wrong.values()),
            input=self._case.input,
            tried=tuple(self._tried),
        )
        trail = Trail(self._case)
        try:
            answer = await self._driver.ask(self._driver.judge, question, trail)
        except JudgeError as error:
            self._notes.append(f"the judge proposed no edits: {error}")
            return []
        finally:
            self._usage += trail.usage
        return _keeping_form(question.output, _made(question, answer.value or (), wrong))


def _made(question: ProposeEdits, proposed: Sequence[ProposedEdit], wrong: dict[str, Verdict]) -> Iterator[RepairEdit]:
    done = -1
    for one in sorted(proposed, key=lambda edit: (edit.start, -edit.end)):
        before = question.output[one.start : one.end]
        if one.start < done or before == one.after or (before, one.after) in question.tried:
            continue
        done = one.end
        verdict = wrong[one.claim]
        yield RepairEdit(
            kind=one.kind,
            start=one.start,
            end=one.end,
            before=before,
            after=one.after,
            why=verdict.reason or f"The context does not support “{verdict.claim.text.strip()}”.",
            evidence=one.evidence or verdict.evidence,
            claim=one.claim,
        )


def _keeping_form(text: str, edits: Iterable[RepairEdit]) -> list[RepairEdit]:
    """The edits. Of a text that is JSON, those that leave it JSON."""
    if not _is_json(text):
        return list(edits)
    kept: list[RepairEdit] = []
    for edit in edits:
        if _is_json(EditedText(text).with_edits([*kept, edit]).text):
            kept.append(edit)
    return kept


def _is_json(text: str) -> bool:
    try:
        return text.lstrip()[:1] in ("{", "[") and decode_json(text) is not None
    except ValueError:
        return False


def _says_nothing(text: str, result: Result) -> bool:
    """Whether a text that was cut makes no claim any more."""
    return not any(char.isalnum() for char in text) or result.outcome in (Outcome.NO_CLAIMS, Outcome.EMPTY_OUTPUT)
