"""A target run over data, and its outputs scored."""

from __future__ import annotations

import asyncio
import inspect
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, Union

from msgspec import Struct

from ..._internal.engine.many import collected
from ..._internal.errors import InputError
from ..._internal.plumbing import sync
from ..._internal.result import Failure
from .._callables import NamedValues, called, called_with, taken_by
from ._scorer import MastraScorer
from ._scorer_run import ScorerResult, run_without_score, snake
from ._thresholds import GateResult, HeldScorer, ThresholdResult, Verdict, gate_result, held, passes, verdict

_TOLD = ("item", "target_result", "scorer_results")
_HANDED_ON = ("ground_truth", "request_context", "tracing_context")
"""What an item may carry for its scorers."""
_OURS = ("scorers", "return_scorer_data", "request_context")
"""Options of a target that an evaluation sets itself."""


class AnyScorer(Protocol):
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


Means = dict[str, Union[float, dict[str, Union[float, None]], None]]


class EvalsResult(Struct, frozen=True):
    """`scores` is each scorer's mean over the items it scored, None where it scored none.

    `verdict` is "failed" where a gate failed, "scored" where a threshold was missed, else "passed";
    None without gates and thresholds. `gate_results` and `threshold_results` say it one by one.
    """

    scores: Means
    summary: EvalSummary
    items: list[EvalItem]
    verdict: Verdict | None = None
    gate_results: list[GateResult] | None = None
    threshold_results: list[ThresholdResult] | None = None


async def arun_evals(
    *,
    data: Iterable[Mapping[str, Any]],
    scorers: Sequence[AnyScorer | Mapping[str, Any]] | Mapping[str, Sequence[Any]] = (),
    target: Any,
    gates: Sequence[AnyScorer] = (),
    target_options: Mapping[str, Any] | None = None,
    request_context: Any = None,
    concurrency: int = 1,
    on_item_complete: Callable[..., Any] | None = None,
) -> EvalsResult:
    """Run `target` (an agent, or a function from an item's input to an output) over data and score what it says.

    A scorer may come as {"scorer": …, "threshold": …}: a number is the least mean that passes,
    {"min": …, "max": …} bounds it. A gate is a scorer whose mean must be the best score there is.
    Scorers under {"agent": [...]} have their means under that name.

    At most `concurrency` items are in work at once. `on_item_complete` is called for one item after
    the other, with `item`, `target_result` and `scorer_results`. A target or scorer that fails is
    reported in its item and ends nothing; an error in `on_item_complete` is raised at the end. An
    item's `ground_truth`, `request_context` (else the one given here) and `tracing_context` reach
    the scorers; target and scorers get the request's context where they take one.
    """
    items = _checked_data(data)
    chosen = held(scorers)
    gating = [HeldScorer(gate) for gate in gates]
    runners = [entry.scorer for entry in [*chosen, *gating]]
    _check_scorers(runners)
    if isinstance(concurrency, bool) or not isinstance(concurrency, int) or concurrency < 1:
        raise InputError(f"the concurrency must be a whole number from 1, not {concurrency!r}.")
    answer = _answerer(target)
    options = _target_options(answer, target_options or {})
    callback = _Callback(on_item_complete)

    async def work(item: Mapping[str, Any]) -> EvalItem:
        carried = {"request_context": request_context} if request_context is not None else {}
        carried |= {name: value for key, value in item.items() if (name := snake(str(key))) in _HANDED_ON}
        finished = await _evaluated(item, answer, options, runners, carried)
        await callback.tell(finished)
        return finished

    done = await collected(items, work, at_once=concurrency)
    if callback.error is not None:
        raise callback.error
    return _summed(done, chosen, gating)


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
        told = NamedValues(item=item.item, target_result=item.target_result, scorer_results=item.scorer_results)
        async with self._turn:
            try:
                await called_with(self._function, told, _TOLD, whole="item")
            except Exception as error:
                self.error = self.error or error


async def _evaluated(
    item: Mapping[str, Any],
    answer: Callable[..., Any],
    options: Mapping[str, Any],
    scorers: Sequence[AnyScorer],
    carried: Mapping[str, Any],
) -> EvalItem:
    run_id = uuid.uuid4().hex
    try:
        asked_for = {name: value for name, value in carried.items() if name == "request_context"}
        output = await called(answer, item["input"], **options, **taken_by(answer, asked_for))
    except Exception as error:
        failure = Failure("target", f"{type(error).__name__}: {error}")
        results = [run_without_score(run_id, failure, "the target failed") for _ in scorers]
        return EvalItem(item, None, {scorer.id: r for scorer, r in zip(scorers, results, strict=True)})
    results = await asyncio.gather(
        *(scored_item(scorer, item["input"], output, run_id, **carried) for scorer in scorers)
    )
    return EvalItem(item, output, {scorer.id: r for scorer, r in zip(scorers, results, strict=True)})


async def scored_item(scorer: AnyScorer, input: Any, output: Any, run_id: str, **more: Any) -> ScorerResult:
    """The scorer's result; an exception becomes one without a score."""
    try:
        return await scorer.arun(input=input, output=output, run_id=run_id, **taken_by(scorer.arun, more))
    except Exception as error:
        return run_without_score(run_id, Failure("scorer", f"{type(error).__name__}: {error}"), "the scorer failed")


def _summed(items: list[EvalItem], chosen: list[HeldScorer], gating: list[HeldScorer]) -> EvalsResult:
    means: dict[str, float | None] = {}
    counts: dict[str, int] = {}
    for entry in [*chosen, *gating]:
        given = [score for item in items if (score := item.scorer_results[entry.id].score) is not None]
        counts[entry.id] = len(given)
        means[entry.id] = sum(given) / len(given) if given else None
    failures = [next(iter(item.scorer_results.values())).failure for item in items]
    summary = EvalSummary(
        total_items=len(items),
        scored=counts,
        without_score={id: len(items) - count for id, count in counts.items()},
        failed_targets=sum(failure is not None and failure.kind == "target" for failure in failures),
    )
    gates = [gate_result(entry.scorer, means[entry.id]) for entry in gating]
    thresholds = [
        ThresholdResult(entry.id, passes(means[entry.id], entry.threshold), means[entry.id], entry.threshold)
        for entry in chosen
        if entry.threshold is not None
    ]
    return EvalsResult(
        _grouped(chosen, means),
        summary,
        items,
        verdict(gates, thresholds),
        gates or None,
        thresholds or None,
    )


def _grouped(chosen: list[HeldScorer], means: Mapping[str, float | None]) -> Means:
    """The means by scorer, those of a group under its name."""
    scores: Means = {}
    for entry in chosen:
        if entry.group is None:
            scores[entry.id] = means[entry.id]
        else:
            group = scores.setdefault(entry.group, {})
            assert isinstance(group, dict)
            group[entry.id] = means[entry.id]
    return scores


def _checked_data(data: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    items = list(data)
    if not items:
        raise InputError("there is no data to evaluate: pass items such as {'input': 'a question'}.")
    for place, item in enumerate(items):
        if not isinstance(item, Mapping) or item.get("input") is None:
            raise InputError(f"item {place} of the data has no 'input': every item needs one.")
    return items


def _check_scorers(scorers: Sequence[AnyScorer]) -> None:
    ids = [str(getattr(scorer, "id", "")) for scorer in scorers]
    if not ids:
        raise InputError("there are no scorers: pass at least one.")
    for scorer in scorers:
        if not callable(getattr(scorer, "arun", None)):
            raise InputError(f"a {type(scorer).__name__} is no scorer: it needs an `id` and a method `arun`.")
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
            # The answer is scored here: an agent that has scorers of its own leaves them out meanwhile.
            return partial(method, scorers=()) if "scorers" in _parameters(method) else method
    if callable(target):
        return target  # type: ignore[no-any-return]
    raise InputError(
        f"a {type(target).__name__} is no target: pass an agent with a `generate` method, or a function of the input."
    )


def _parameters(function: Callable[..., Any]) -> Iterable[str]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return ()


def _target_options(answer: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that the target is called with each time; one that it cannot take is said before it is called."""
    given = {snake(str(name)): value for name, value in options.items()}
    reserved = [name for name in given if name in _OURS]
    if reserved:
        raise InputError(f"the target's option {reserved[0]!r} is set by the evaluation: leave it out.")
    refused = [name for name in given if name not in taken_by(answer, given)]
    if refused:
        raise InputError(f"the target takes no option {refused[0]!r}.")
    return given
