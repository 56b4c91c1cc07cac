"""How well a judge repairs wrong answers: what goes, what stays, and what is newly wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from msgspec import Struct, structs

from ...core.plumbing import sync
from ...core.plumbing.public import public_in
from ...core.repair import RepairEdit
from ...core.result import Result
from ...core.verdict import Support
from ...engine.driver import Driver, ReplyCache
from ...engine.judge import Judge
from ...engine.many import collected, score_all
from ...engine.metric import Metric
from ...repair.edited_text import EditedText
from ...repair.repairing import Repair, check_repairable, repaired
from ...runs.labelled_case import LabelledCase
from ...text.sentences import sentences
from .judge_run import CONCURRENCY


@public_in("halluscope.proof")
class RepairedCase(Struct, frozen=True, kw_only=True):
    """One wrong answer that the judge flagged, and what its repair did.

    Attributes:
        item: The answer, with its marked words.
        repair: The repair.
        gone: Whether the marked error is gone: its words were changed, and the judge finds nothing wrong there.
        kept: Share of the letters and digits kept in the sentences without a marked word, None if there are none.
        inside: Share of those kept that are not marked in the sentences with a marked word, None if there are none.
        beside: Share of those kept that are not marked, in all sentences.
        new: What is newly wrong, in words.
    """

    item: LabelledCase
    repair: Repair
    gone: bool
    kept: float | None
    inside: float | None
    beside: float | None
    new: str | None = None


@public_in("halluscope.proof")
class RepairFigures(Struct, frozen=True, kw_only=True):
    """The figures of a judge's repairs on a set. Shares are None if there is nothing to take a share of.

    Shares of the text are of the letters and digits of all answers together.

    Attributes:
        set: The set.
        judge: The judge that repairs.
        second: The judge that looks for new errors. None: the judge itself, with the right answers
            of the set as context.
        wrong: Number of wrong answers.
        flagged: How many of them the judge flagged, and so repaired.
        gone: Share of these whose marked error is gone.
        kept: Share of the text kept in the sentences without a marked error.
        inside: Share of the text that is not marked kept in the sentences with a marked error.
        beside: Share of the text that is not marked kept in all sentences: both together.
        new_errors: Share of these with a new error.
        right: Number of right answers that pass.
        touched: How many of these were changed.
        abstained: How many repairs left nothing.
        edits: Number of edits by kind.
        cases: The repairs.
    """

    set: str
    judge: str
    second: str | None
    wrong: int
    flagged: int
    gone: float | None
    kept: float | None
    inside: float | None
    beside: float | None
    new_errors: float | None
    right: int
    touched: int
    abstained: int
    edits: dict[str, int]
    cases: tuple[RepairedCase, ...]


@public_in("halluscope.proof")
def measure_repairs(
    name: str,
    cases: Sequence[LabelledCase],
    judge: Judge,
    metric: Metric,
    *,
    second: Judge | None = None,
    known: Sequence[LabelledCase] | None = None,
    cache: ReplyCache | None = None,
    concurrency: int = CONCURRENCY,
    progress: Callable[[int], None] | None = None,
) -> RepairFigures:
    """Repair the wrong answers of a set that the judge flags, and compare with the marked words.

    Args:
        name: Name of the set.
        cases: The cases.
        judge: The judge that repairs.
        metric: The metric.
        second: A judge that looks for new errors.
        known: All cases of the set, if `cases` are drawn from it: their right answers tell new errors.
        cache: Cache of replies.
        concurrency: Cases judged at the same time.
        progress: Called with the number of judged cases.

    Returns:
        What was repaired, kept and newly wrong.

    Raises:
        InputError: The outputs of this metric cannot be repaired.

    Example:
        >>> measure_repairs("rag", load_set("rag").cases[:40], resolve("local"), Hallucination()).gone
        0.9
    """
    check_repairable(metric)
    driver = Driver(judge, cache=cache)

    async def work() -> list[tuple[LabelledCase, Repair]]:
        before = await score_all(driver, metric, [item.case for item in cases], at_once=concurrency, progress=progress)

        async def one(pair: tuple[LabelledCase, Result]) -> tuple[LabelledCase, Repair]:
            return pair[0], await repaired(driver, metric, pair[0].case, pair[1])

        pairs = [pair for pair in zip(cases, before, strict=True) if _counts(*pair)]
        return await collected(pairs, one, at_once=concurrency)

    pairs = sync.run(work())
    wrong = [(item, repair) for item, repair in pairs if item.hallucinated]
    right = [(item, repair) for item, repair in pairs if not item.hallucinated]
    found = [_compared(item, repair) for item, repair in wrong]
    rests = [_rest(one.item, one.repair) for one in found]
    answers = _right_answers(known or cases) if second is None else None
    found = _with_new_errors(found, Driver(second or judge, cache=cache), metric, answers)
    return RepairFigures(
        set=name,
        judge=judge.name,
        second=None if second is None else second.name,
        wrong=sum(item.hallucinated for item in cases),
        flagged=len(found),
        gone=_mean([one.gone for one in found]),
        kept=_share(rest.outside for rest in rests),
        inside=_share(rest.inside for rest in rests),
        beside=_share(part for rest in rests for part in rest),
        new_errors=_mean([one.new is not None for one in found]),
        right=len(right),
        touched=sum(repair.text != item.case.output for item, repair in right),
        abstained=sum(one.repair.abstained for one in found),
        edits=dict(Counter(edit.kind for one in found for edit in one.repair.edits)),
        cases=tuple(found),
    )


def _counts(item: LabelledCase, result: Result) -> bool:
    """Whether a case counts: a wrong answer that was flagged, or a right one that passes."""
    return result.passed is not item.hallucinated and result.passed is not None


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _right_answers(cases: Sequence[LabelledCase]) -> dict[object, tuple[str, ...]]:
    """All right answers about a context."""
    found: dict[object, tuple[str, ...]] = {}
    for item in cases:
        if not item.hallucinated:
            found[item.case.context] = (*found.get(item.case.context, ()), item.case.output)
    return found


def _compared(item: LabelledCase, repair: Repair) -> RepairedCase:
    marks = item.spans or ()
    changed = [edit.span for edit in repair.edits]
    met = all(any(start < b and a < end for start, end in changed) for a, b in marks)
    rest = _rest(item, repair)
    return RepairedCase(
        item=item,
        repair=repair,
        gone=bool(marks) and (repair.abstained or (met and repair.passed is True)),
        kept=_share([rest.outside]),
        inside=_share([rest.inside]),
        beside=_share(rest),
    )


class _Counted(NamedTuple):
    """How many of some letters and digits a repair kept."""

    kept: int
    all: int


class _Rest(NamedTuple):
    """The letters and digits of an answer that are not marked: in sentences without marked words, and beside them."""

    outside: _Counted
    inside: _Counted


def _rest(item: LabelledCase, repair: Repair) -> _Rest:
    output, marks = item.case.output, item.spans or ()
    wrong = [span for span in sentences(output) if any(a < span.end and span.start < b for a, b in marks)]
    touched = {place for span in wrong for place in range(*span)}
    marked = {place for mark in marks for place in range(*mark)}
    rest = [place for place, sign in enumerate(output) if sign.isalnum() and place not in marked]
    gone = _gone(repair)
    inside, outside = (_counted([p for p in rest if (p in touched) is there], gone) for there in (True, False))
    return _Rest(outside, inside)


def _counted(places: Sequence[int], gone: set[int]) -> _Counted:
    return _Counted(sum(place not in gone for place in places), len(places))


def _gone(repair: Repair) -> set[int]:
    """The places of the original that an edit took away."""
    gone = {place for edit in repair.edits for place in range(*edit.span)}
    for edit in repair.edits:  # of two names that change places, all that stands between them is kept
        for block in SequenceMatcher(None, edit.before, edit.after, autojunk=False).get_matching_blocks():
            gone -= set(range(edit.start + block.a, edit.start + block.a + block.size))
    return gone


def _share(parts: Iterable[_Counted]) -> float | None:
    counted = list(parts)
    size = sum(part.all for part in counted)
    return sum(part.kept for part in counted) / size if size else None


def _with_new_errors(
    found: Sequence[RepairedCase], driver: Driver, metric: Metric, answers: Mapping[object, tuple[str, ...]] | None
) -> list[RepairedCase]:
    """The same, with what is newly wrong: claims with new words that go against the right answers, or, without these,
    that the judge does not find in the context."""
    texts = []
    for one in found:
        case = structs.replace(one.item.case, output=one.repair.text)
        texts.append(case if answers is None else structs.replace(case, context=answers.get(case.context, ())))
    results = sync.run(score_all(driver, metric, texts, at_once=CONCURRENCY))
    pairs = zip(found, results, strict=True)
    return [structs.replace(one, new=_new(one, result, unsupported=answers is None)) for one, result in pairs]


def _new(one: RepairedCase, result: Result, *, unsupported: bool) -> str | None:
    edited = EditedText(one.item.case.output, one.repair.edits)
    wrong = [
        v.claim.text
        for v in result.failing
        if (unsupported or v.support is Support.CONTRADICTED)
        and any(_adds(edit) for edit in edited.touching(v.claim.start or 0, v.claim.end or 0))
    ]
    return None if one.repair.abstained else "; ".join(wrong) or None


def _adds(edit: RepairEdit) -> bool:
    """Whether an edit brings in words. A capital for the first letter of what stays is none."""
    added = edit.after.strip(" .,").casefold()
    return bool(added) and not (len(added) == 1 and edit.before.casefold().endswith(added))
