"""What a scorer is given for one run, in keywords or in one object, and what it gives back."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from msgspec import Struct

from ..._internal.core.errors import InputError, MissingParameters
from ..._internal.core.plumbing import sync
from ..._internal.core.plumbing.json_values import decode_json
from ..._internal.core.result import Exchange, Failure, Outcome, Result
from .._callables import NamedValues, refuse_unknown
from ._camel_case import CamelCase, in_snake_case

_GIVEN = ("input", "output", "run_id", "ground_truth", "request_context", "tracing_context", "additional_context")


class NotScorable(Struct, CamelCase, frozen=True):
    """What a step returns where there is nothing to score: the run has no score, and counts in no mean."""

    reason: str | None = None


class ScorerResult(Struct, CamelCase, frozen=True, kw_only=True):
    """What a run returns, in Mastra's names.

    `score` is None where there is none; `outcome` and `reason` then say why, and `failure` what
    went wrong. `interpretation` is the documents' words for the score. `judge` tells of each step
    what was asked, what came back and what it took. `result` has the evidence and everything else.
    Prompts are None where the judge works without.
    """

    run_id: str
    outcome: Outcome
    score: float | None = None
    reason: str | None = None
    interpretation: str | None = None
    preprocess_step_result: Any = None
    preprocess_prompt: str | None = None
    analyze_step_result: Any = None
    analyze_prompt: str | None = None
    generate_score_prompt: str | None = None
    generate_reason_prompt: str | None = None
    judge: Any = None
    failure: Failure | None = None
    not_scorable: NotScorable | None = None
    result: Result | None = None


class Runs(CamelCase):
    """What every scorer does: it takes a run, given by keywords or as one object, and scores it."""

    __slots__ = ()

    async def arun(self, run: Mapping[str, Any] | None = None, /, **named: Any) -> ScorerResult:
        """The score of one output, given by keywords or as {"input": …, "output": …}.

        Input and output are texts, lists of messages, or objects that hold one: `{"prompt": …}`,
        `{"text": …}`, `{"content": …}`. All else is for the scorer's hook or steps: `run_id`, `ground_truth`,
        `request_context`, `tracing_context`.
        """
        return await self._scored(as_run(run, named))

    run = sync.blocking_method(arun, "run")

    async def _scored(self, run: NamedValues) -> ScorerResult:
        raise NotImplementedError


def as_run(whole: Any, named: Mapping[str, Any]) -> NamedValues:
    """The run that a scorer is asked to score: `input`, `output` and what else it carries."""
    if whole is not None and not isinstance(whole, Mapping):
        raise InputError(f"a run is a {type(whole).__name__}: pass {{'input': …, 'output': …}}, or keywords.")
    given = in_snake_case({**(whole or {}), **named})
    refuse_unknown("a run has no", given, _GIVEN)
    if "output" not in given:
        raise MissingParameters(["output"], "the run")
    return NamedValues({**dict.fromkeys(_GIVEN), **given, "run_id": given.get("run_id") or uuid.uuid4().hex})


def without_score(failure: Failure, why: str) -> dict[str, Any]:
    """The fields of a result that say what went wrong."""
    return {"outcome": Outcome.FAILED, "reason": f"No score: {why} ({failure.message}).", "failure": failure}


def told_of_judge(exchanges: Iterable[tuple[str, Exchange]]) -> NamedValues | None:
    """What each step asked its judge, and what that answered and took; None where no step asked one."""
    told = NamedValues()
    for step, exchange in exchanges:
        told.setdefault(step, NamedValues(executions=[]))["executions"].append(execution_of(exchange))
    return told or None


def execution_of(exchange: Exchange) -> NamedValues:
    """One question to a judge, its answer, and what it took."""
    provider, slash, model = exchange.judge.partition("/")
    used = exchange.usage
    tokens = {"input_tokens": used.input_tokens, "output_tokens": used.output_tokens}
    output: Any = exchange.reply
    with suppress(ValueError):
        output = decode_json(exchange.reply or "")
    return NamedValues(
        status="failure" if exchange.error else "success",
        prompt=exchange.prompt,
        output=output,
        error=exchange.error,
        judge_provider=provider if slash else None,
        judge_model_id=model if slash else exchange.judge,
        model_call_count=used.calls,
        usage=NamedValues(tokens, total_tokens=sum(tokens.values())) if any(tokens.values()) else None,
        cost=used.cost,
    )
