"""A target run over data, and its outputs scored."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from ..._internal.engine.many import collected
from ..._internal.errors import InputError
from ..._internal.plumbing import sync
from ..._internal.result import Failure, Outcome
from .._callables import Record, called, called_with
from ._scorer import MastraScorer, ScorerResult

_TOLD = ("item", "target_result", "scorer_results")
_HANDED_ON = ("request_context", "tracing_context")
"""What an item may carry for a scorer's get_context."""


class Scoring(Protocol):
    """What can score an output: our scorers, and your own."""

    @property
    def id(self) -> str: ...

    async def arun(self, *, output: Any, input: Any = None, run_id: str | None = None) -> ScorerResult: ...


class EvalItem(Struct, frozen=True):
    """One item of the data, what the target made of it, and how that was scored.

    `scorer_results` has an entry for every scorer, also where target or scorer failed.
    """

    item: Mapping[str, Any]
    target_result: Any
    scorer_results: dict[str, ScorerResult]


class EvalSummary(Struct, frozen=True):
    """How many items there were, and for how many each scorer has a score."""

    total_items: int
    scored: dict[str, int]
    without_score: dict[str, int]
    failed_targets: int


class EvalsResult(Struct, frozen=True):
    """`scores` is each scorer's mean over the items it scored, None where it scored none."""

    scores: dict[str, float | None]
    summary: EvalSummary
    items: list[EvalItem]


async def arun_evals(
    *,
    data: Iterable[Mapping[str, Any]],
    scorers: Sequence[Scoring],
    target: Any,
    concurrency: int = 1,
    on_item_complete: Callable[..., Any] | None = None,
) -> EvalsResult:
    """Run `target` (an agent, or a function from an item's input to an output) over data and score what it says.

    At most `concurrency` items are in work at once. `on_item_complete` is called for one item after
    the other, with `item`, `target_result` and `scorer_results`. A target or scorer that fails is
    reported in its item and ends nothing; an error in `on_item_complete` is raised at the end. An
    item's `request_context` and `tracing_context` reach the scorers' get_context.
    """
    items = _checked_data(data)
    _check_scorers(scorers)
    if isinstance(concurrency, bool) or not isinstance(concurrency, int) or concurrency < 1:
        raise InputError(f"the concurrency must be a whole number from 1, not {concurrency!r}.")
    answer = _answerer(target)
    callback = _Callback(on_item_complete)

    async def work(item: Mapping[str, Any]) -> EvalItem:
        finished = await _evaluated(item, answer, scorers)
        await callback.tell(finished)
        return finished

    done = await collected(items, work, at_once=concurrency)
    if callback.error is not None:
        raise callback.error
    return _summed(done, [scorer.id for scorer in scorers])


run_evals = sync.blocking(arun_evals, "run_evals")


class _Callback:
    """Tells of one item at a time, and keeps the first error until all are told."""

    def __init__(self, function: Callable[..., Any] | None) -> None:
        self._function = function
        self._turn = asyncio.Lock()
        self.error: Exception | None = None

    async def tell(self, item: EvalItem) -> None:
        if self._function is None:
            return
        told = Record(item=item.item, target_result=item.target_result, scorer_results=item.scorer_results)
        async with self._turn:
            try:
                await called_with(self._function, told, _TOLD, whole="item")
            except Exception as error:
                self.error = self.error or error


async def _evaluated(item: Mapping[str, Any], answer: Callable[..., Any], scorers: Sequence[Scoring]) -> EvalItem:
    run_id = uuid.uuid4().hex
    try:
        output = await called(answer, item["input"])
    except Exception as error:
        failure = Failure("target", f"{type(error).__name__}: {error}")
        results = [without_score(run_id, failure, "the target failed") for _ in scorers]
        return EvalItem(item, None, {scorer.id: r for scorer, r in zip(scorers, results, strict=True)})
    more = {name: item[name] for name in _HANDED_ON if name in item}
    results = await asyncio.gather(*(scored(scorer, item["input"], output, run_id, **more) for scorer in scorers))
    return EvalItem(item, output, {scorer.id: r for scorer, r in zip(scorers, results, strict=True)})


async def scored(scorer: Scoring, input: Any, output: Any, run_id: str, **more: Any) -> ScorerResult:
    """The scorer's result; an exception becomes one without a score."""
    try:
        return await scorer.arun(input=input, output=output, run_id=run_id, **more)
    except Exception as error:
        return without_score(run_id, Failure("scorer", f"{type(error).__name__}: {error}"), "the scorer failed")


def without_score(run_id: str, failure: Failure, why: str) -> ScorerResult:
    """The result that says what went wrong."""
    return ScorerResult(
        run_id=run_id,
        score=None,
        reason=f"No score: {why} ({failure.message}).",
        outcome=Outcome.FAILED,
        failure=failure,
    )


def _summed(items: list[EvalItem], ids: list[str]) -> EvalsResult:
    scores: dict[str, float | None] = {}
    counts: dict[str, int] = {}
    for id in ids:
        given = [score for item in items if (score := item.scorer_results[id].score) is not None]
        counts[id] = len(given)
        scores[id] = sum(given) / len(given) if given else None
    failures = [next(iter(item.scorer_results.values())).failure for item in items]
    summary = EvalSummary(
        total_items=len(items),
        scored=counts,
        without_score={id: len(items) - count for id, count in counts.items()},
        failed_targets=sum(failure is not None and failure.kind == "target" for failure in failures),
    )
    return EvalsResult(scores, summary, items)


def _checked_data(data: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    items = list(data)
    if not items:
        raise InputError("there is no data to evaluate: pass items such as {'input': 'a question'}.")
    for place, item in enumerate(items):
        if not isinstance(item, Mapping) or item.get("input") is None:
            raise InputError(f"item {place} of the data has no 'input': every item needs one.")
    return items


def _check_scorers(scorers: Sequence[Scoring]) -> None:
    ids = [scorer.id for scorer in scorers]
    if not ids:
        raise InputError("there are no scorers: pass at least one.")
    twice = next((id for id in ids if ids.count(id) > 1), None)
    if twice is not None:
        raise InputError(f"two scorers have the id {twice!r}: give one of them another, with id=….")
    for scorer in scorers:
        if isinstance(scorer, MastraScorer):
            # A judge without its key is found out here, before the target is paid for anything.
            _ = scorer.judge


def _answerer(target: Any) -> Callable[..., Any]:
    for name in ("agenerate", "generate"):
        method = getattr(target, name, None)
        if callable(method):
            return method  # type: ignore[no-any-return]
    if callable(target):
        return target  # type: ignore[no-any-return]
    raise InputError(
        f"a {type(target).__name__} is no target: pass an agent with a `generate` method, or a function of the input."
    )
