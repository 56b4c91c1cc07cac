"""What a scorer is given for one run, in keywords or in one object, and what it gives back."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from ..._internal.errors import InputError, MissingParameters
from ..._internal.plumbing import sync
from ..._internal.result import Exchange, Failure, Outcome, Result
from .._callables import NamedValues

GIVEN = ("input", "output", "run_id", "ground_truth", "request_context", "tracing_context", "additional_context")
_WITHIN_A_NAME = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class ScorerResult(Struct, frozen=True, kw_only=True):
    """What a run returns, in Mastra's names.

    `score` is None where there is none; `outcome` and `reason` then say why, and `failure` what
    went wrong. `interpretation` is the documents' words for the score. `judge` tells of each step
    what was asked, what came back and what it took. `result` has the evidence and everything else.
    Prompts are None where the judge works without.
    """

    run_id: str
    score: float | None
    reason: str | None
    outcome: Outcome
    interpretation: str | None = None
    preprocess_step_result: Any = None
    preprocess_prompt: str | None = None
    analyze_step_result: Any = None
    analyze_prompt: str | None = None
    generate_score_prompt: str | None = None
    generate_reason_prompt: str | None = None
    judge: Any = None
    failure: Failure | None = None
    result: Result | None = None


class Runs:
    """What every scorer does: it takes a run, given by keywords or as one object, and scores it."""

    __slots__ = ()

    async def arun(
        self,
        run: Mapping[str, Any] | None = None,
        /,
        *,
        output: Any = UNSET,
        input: Any = UNSET,
        run_id: Any = UNSET,
        ground_truth: Any = UNSET,
        request_context: Any = UNSET,
        tracing_context: Any = UNSET,
    ) -> ScorerResult:
        """The score of one output, given by keywords or as {"input": …, "output": …}.

        Input and output are texts, lists of messages, or objects that hold one: `{"prompt": …}`,
        `{"text": …}`, `{"content": …}`. All else is for the scorer's hook or steps.
        """
        named = {
            "output": output,
            "input": input,
            "run_id": run_id,
            "ground_truth": ground_truth,
            "request_context": request_context,
            "tracing_context": tracing_context,
        }
        return await self._scored(_as_run(run, named))

    run = sync.blocking_method(arun, "run")

    async def _scored(self, run: NamedValues) -> ScorerResult:
        raise NotImplementedError


def _as_run(whole: Any, named: Mapping[str, Any]) -> NamedValues:
    """The run that a scorer is asked to score: `input`, `output` and what else it carries."""
    given = {name: value for name, value in named.items() if value is not UNSET}
    if whole is not None:
        if not isinstance(whole, Mapping):
            raise InputError(f"a run is a {type(whole).__name__}: pass {{'input': …, 'output': …}}, or keywords.")
        given = {**{snake(str(key)): value for key, value in whole.items()}, **given}
    unknown = [name for name in given if name not in GIVEN]
    if unknown:
        raise InputError(f"a run has no {unknown[0]!r}; it takes: {', '.join(GIVEN)}.")
    if "output" not in given:
        raise MissingParameters(["output"], "the run")
    run = NamedValues({name: given.get(name) for name in GIVEN})
    run["run_id"] = run["run_id"] or uuid.uuid4().hex
    return run


def snake(name: str) -> str:
    """`runId` as `run_id`."""
    return _WITHIN_A_NAME.sub("_", name).lower()


def run_without_score(run_id: str, failure: Failure, why: str) -> ScorerResult:
    """The result that says what went wrong."""
    return ScorerResult(
        run_id=run_id,
        score=None,
        reason=f"No score: {why} ({failure.message}).",
        outcome=Outcome.FAILED,
        failure=failure,
    )


def told_of_judge(exchanges: Iterable[Exchange], steps: Mapping[str, str]) -> NamedValues | None:
    """What each step asked its judge, and what that answered and took; None where no step asked one."""
    told = NamedValues()
    for exchange in exchanges:
        step = steps.get(exchange.question)
        if step is not None:
            told.setdefault(step, NamedValues(executions=[]))["executions"].append(_execution(exchange))
    return told or None


def _execution(exchange: Exchange) -> NamedValues:
    provider, slash, model = exchange.judge.partition("/")
    used = exchange.usage
    return NamedValues(
        status="failure" if exchange.error else "success",
        prompt=exchange.prompt,
        output=_output(exchange.reply),
        error=exchange.error,
        judge_provider=provider if slash else None,
        judge_model_id=model if slash else exchange.judge,
        model_call_count=used.calls,
        usage=NamedValues(
            input_tokens=used.input_tokens,
            output_tokens=used.output_tokens,
            total_tokens=used.input_tokens + used.output_tokens,
        ),
        cost=used.cost,
    )


def _output(reply: str | None) -> Any:
    if reply is None:
        return None
    try:
        return msgspec.json.decode(reply)
    except msgspec.DecodeError:
        return reply
