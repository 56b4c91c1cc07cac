"""The result of a conversation, from those of its turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..case import Case
from ..counting import count_of
from ..verdict import Support
from . import Outcome, Result, TurnResult, Usage
from .in_words import about

_OPEN = (Outcome.FAILED, Outcome.INCOMPLETE)


def of_conversation(cases: Sequence[Case], results: Sequence[Result]) -> Result:
    """The result of a conversation.

    The score is the mean of its turns, weighted by their claims; there is none if a turn could not be judged. It passes
    if every turn with a score passes.
    """
    turns = tuple(TurnResult(case, result) for case, result in zip(cases, results, strict=True))
    scored = [
        (result.score, max(1, sum(verdict.support is not Support.NOT_A_CLAIM for verdict in result.verdicts)))
        for result in results
        if result.score is not None
    ]
    missing = next((result for result in results if result.outcome in _OPEN), None)
    whole = bool(scored) and missing is None
    failing = [turn for turn in turns if turn.result.passed is False]
    labels = [result.label for result in (*(turn.result for turn in failing), *results) if result.label]
    last = results[-1]
    return Result(
        metric=last.metric,
        metric_version=last.metric_version,
        judge=last.judge,
        case_id=cases[0].id.rpartition("/")[0],
        outcome=Outcome.SCORED if whole else Outcome.INCOMPLETE if missing else last.outcome,
        score=sum(score * weight for score, weight in scored) / sum(weight for _, weight in scored) if whole else None,
        direction=last.direction,
        threshold=last.threshold,
        passed=not failing if whole else None,
        label=labels[0] if whole and labels else None,
        reason=_reason(turns, failing, len(scored), sum(result.outcome in _OPEN for result in results)),
        failure=missing.failure if missing else None,
        usage=sum((result.usage for result in results), Usage()),
        latency_ms=sum(result.latency_ms for result in results),
        metadata=last.metadata,
        turns=turns,
    )


def with_each_turn(result: Result, change: Callable[[Result], Result]) -> Result:
    """The changed result. Of a conversation each turn is changed, and the whole follows from them."""
    if not result.turns:
        return change(result)
    return of_conversation([turn.case for turn in result.turns], [change(turn.result) for turn in result.turns])


def _reason(turns: Sequence[TurnResult], failing: Sequence[TurnResult], scored: int, missing: int) -> str:
    if missing:
        return f"No score: {count_of(missing, 'turn')} of {len(turns)} could not be judged."
    if not scored:
        return f"No score: nothing in the {count_of(len(turns), 'turn')} can be judged. {turns[-1].result.reason}"
    if not failing:
        return "The only judged turn passed." if scored == 1 else f"All {scored} judged turns passed."
    found = (f"turn {turn.turn.number}: {', '.join(map(about, turn.result.failing))}" for turn in failing[:5])
    return f"{len(failing)} of {count_of(scored, 'judged turn')} failed ({'; '.join(found)})."
