"""A target run over data, and its outputs scored."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Union

from msgspec import Struct

from ..._internal.core.errors import InputError
from ..._internal.core.plumbing import sync
from ..._internal.core.plumbing.user_functions import call as called
from ..._internal.core.result import Failure
from ..._internal.engine.many import collected
from .._callables import NamedValues, called_with, parameters_of, taken_by, whole_number
from .._models import check_keys
from ._camel_case import CamelCase, in_snake_case, takes_camel_case
from ._scorer_run import ScorerResult, without_score
from ._tally import (
    GateResult,
    Scorers,
    ThresholdResult,
    Turn,
    TurnResult,
    Verdict,
    messages_in,
    tally_turns,
    turns_of,
    verdict,
)

_HANDED_ON = ("ground_truth", "request_context", "tracing_context")
"""What an item may carry for its scorers."""
_OURS = ("history", "scorers", "return_scorer_data", "request_context")
"""Options of a target that an evaluation sets itself."""


class EvalItem(Struct, CamelCase, frozen=True):
    """One item of the data, what the target made of it, and how that was scored.

    `scorer_results` has an entry for every scorer, also where target or scorer failed. `turn_results`
    has the same for each turn of a conversation whose turns have scorers. `failure` says how the target failed.
    """

    item: Mapping[str, Any]
    target_result: Any
    scorer_results: dict[str, ScorerResult]
    turn_results: list[dict[str, ScorerResult]] | None = None
    failure: Failure | None = None


class EvalSummary(Struct, CamelCase, frozen=True):
    """How many items there were, and for how many each scorer has a score."""

    total_items: int
    scored: dict[str, int]
    without_score: dict[str, int]
    failed_targets: int


Means = dict[str, Union[float, dict[str, Union[float, None]], None]]


class EvalsResult(Struct, CamelCase, frozen=True):
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
    turn_results: list[TurnResult] | None = None


@takes_camel_case
async def arun_evals(
    *,
    data: Iterable[Mapping[str, Any]],
    scorers: Sequence[Any] | Mapping[str, Sequence[Any]] = (),
    target: Any,
    gates: Sequence[Any] = (),
    target_options: Mapping[str, Any] | None = None,
    request_context: Any = None,
    concurrency: int = 1,
    on_item_complete: Callable[..., Any] | None = None,
) -> EvalsResult:
    """Run a target over data and score what it says.

    A target or scorer that fails is reported in its item and ends nothing. An item's `ground_truth`, `request_context`
    and `tracing_context` reach the scorers.

    Args:
        data: Items with an `input`; with `inputs`, which go to the target one after the other; or with `turns`, which
            may have scorers and gates of their own.
        scorers: Scorers, each as such or as `{"scorer": …, "threshold": …}`. The threshold is the lowest mean that
            passes, or `{"min": …, "max": …}`. Under `{"agent": […]}` the means have that name.
        target: An agent, or a function from an input to an output. In a conversation, one that takes `history` gets the
            messages before, and one that takes `memory` an id of the conversation, as its `thread` and `resource`.
        gates: Scorers whose mean must be the best score there is.
        target_options: Options for every call of the target.
        request_context: For target and scorers that take one, if an item has none.
        concurrency: Items in work at the same time.
        on_item_complete: Called with `item`, `target_result` and `scorer_results`, for one item after the other. An
            error in it is raised at the end.

    Returns:
        The mean of each scorer, what gates and thresholds say, and each item with its results.

    Raises:
        InputError: There are no data or scorers, two scorers have one id, or an option is unknown.

    Example:
        >>> run_evals(data=[{"input": "How tall is it?"}], scorers=[create_hallucination_scorer()], target=agent).scores
    """
    items = list(data)
    if not items:
        raise InputError("there is no data to evaluate: pass items such as {'input': 'a question'}.")
    conversations = [turns_of(item, place) for place, item in enumerate(items)]
    chosen = Scorers.of(scorers, gates)
    everyone = [
        scorer for own in (chosen, *(turn.own for turns in conversations for turn in turns)) for scorer in own.all
    ]
    if not everyone:
        raise InputError("there are no scorers: pass at least one.")
    check_keys(everyone)
    whole_number("concurrency", concurrency, 1)
    answer = _answerer(target)
    options = _target_options(answer, target_options or {})
    one_at_a_time = asyncio.Lock()
    errors: list[Exception] = []

    async def work(place: int) -> EvalItem:
        carried = {} if request_context is None else {"request_context": request_context}
        carried |= {name: held for name, held in in_snake_case(items[place]).items() if name in _HANDED_ON}
        done = await _evaluated(items[place], conversations[place], answer, options, chosen.all, carried)
        if on_item_complete is not None:
            told = NamedValues(item=done.item, target_result=done.target_result, scorer_results=done.scorer_results)
            async with one_at_a_time:
                try:
                    await called_with(on_item_complete, told, tuple(told), whole="item")
                except Exception as error:
                    errors.append(error)
        return done

    done = await collected(range(len(items)), work, at_once=concurrency)
    if errors:
        raise errors[0]
    found = chosen.tally([item.scorer_results for item in done])
    turns = list(tally_turns(conversations, [item.turn_results or () for item in done]))
    means = {scorer.id: found.means[scorer.id] for scorer in chosen.scorers}
    return EvalsResult(
        {"agent": means} if isinstance(scorers, Mapping) else {**means},
        EvalSummary(
            total_items=len(done),
            scored=found.counts,
            without_score={id: len(done) - count for id, count in found.counts.items()},
            failed_targets=sum(item.failure is not None for item in done),
        ),
        done,
        verdict(
            [*found.gates, *(gate for turn in turns for gate in turn.gate_results or ())],
            [*found.thresholds, *(held for turn in turns for held in turn.threshold_results or ())],
        ),
        found.gates or None,
        found.thresholds or None,
        turns or None,
    )


run_evals = sync.blocking(arun_evals, "run_evals")


async def _evaluated(
    item: Mapping[str, Any],
    turns: Sequence[Turn],
    answer: Callable[..., Any],
    options: Mapping[str, Any],
    scorers: Sequence[Any],
    carried: Mapping[str, Any],
) -> EvalItem:
    run_id = uuid.uuid4().hex
    asked: list[dict[str, Any]] = []
    said: list[dict[str, Any]] = []
    history: list[dict[str, Any]] = []
    outputs: list[Any] = []
    one = len(turns) == 1
    offered = {name: value for name, value in carried.items() if name == "request_context"}
    if not one:
        offered["memory"] = {"thread": run_id, "resource": run_id, **(options.get("memory") or {})}
    try:
        for turn in turns:
            if history:
                offered["history"] = list(history)
            outputs.append(await called(answer, turn.input, **{**options, **taken_by(answer, offered)}))
            asked += (question := messages_in(turn.input, "user"))
            said += (reply := messages_in(outputs[-1], "assistant"))
            history += [*question, *reply]
    except Exception as error:
        failure = Failure("target", f"{type(error).__name__}: {error}")
        missing = ScorerResult(run_id=run_id, **without_score(failure, "the target failed"))
        return EvalItem(item, None, {scorer.id: missing for scorer in scorers}, failure=failure)
    results = await _scored(scorers, turns[0].input if one else asked, outputs[0] if one else said, run_id, carried)
    of_turns = [
        await _scored(turn.own.all, turn.input, output, run_id, carried)
        for turn, output in zip(turns, outputs, strict=True)
    ]
    return EvalItem(item, outputs[-1], results, of_turns if any(of_turns) else None)


async def _scored(
    scorers: Sequence[Any], input: Any, output: Any, run_id: str, carried: Mapping[str, Any]
) -> dict[str, ScorerResult]:
    results = await asyncio.gather(*(scored_item(scorer, input, output, run_id, **carried) for scorer in scorers))
    return {scorer.id: result for scorer, result in zip(scorers, results, strict=True)}


async def scored_item(scorer: Any, input: Any, output: Any, run_id: str, **more: Any) -> ScorerResult:
    """The scorer's result; an exception becomes one without a score."""
    try:
        result: ScorerResult = await scorer.arun(
            input=input, output=output, run_id=run_id, **taken_by(scorer.arun, more)
        )
        return result
    except Exception as error:
        failure = Failure("scorer", f"{type(error).__name__}: {error}")
        return ScorerResult(run_id=run_id, **without_score(failure, "the scorer failed"))


def _answerer(target: Any) -> Callable[..., Any]:
    for name in ("agenerate", "generate"):
        method = getattr(target, name, None)
        if callable(method):
            # The answer is scored here: an agent that has scorers of its own leaves them out meanwhile.
            named = [parameter.name for parameter in parameters_of(method)]
            return partial(method, scorers=()) if "scorers" in named else method
    if callable(target):
        return target  # type: ignore[no-any-return]
    raise InputError(
        f"a {type(target).__name__} is no target: pass an agent with a `generate` method, or a function of the input."
    )


def _target_options(answer: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that the target is called with each time; one that it cannot take is said before it is called."""
    given = in_snake_case(options)
    reserved = [name for name in given if name in _OURS]
    if reserved:
        raise InputError(f"the target's option {reserved[0]!r} is set by the evaluation: leave it out.")
    refused = [name for name in given if name not in taken_by(answer, given)]
    if refused:
        raise InputError(f"the target takes no option {refused[0]!r}.")
    return given
