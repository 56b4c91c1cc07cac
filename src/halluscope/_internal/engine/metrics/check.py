"""Check an output with one call."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from ...core.case import Case
from ...core.conversation import CONTEXT_FROM
from ...core.errors import InputError
from ...core.plumbing import sync
from ...core.plumbing.public import public, public_in
from ...core.result import Result
from ..judge import JudgeSpec
from ..reply_turns import ReplyCache
from ..retrying import RetryPolicy
from .registry import MetricSpec, resolve, split_options


@public_in("halluscope.metrics")
class CheckOptions(TypedDict, total=False):
    """What `check` takes besides its own parameters: options of metrics, of named judges, and of the call."""

    # of metrics
    threshold: float
    strict: bool | None
    include_reason: bool
    prompts: Mapping[str, str]
    examples: Sequence[dict[str, Any]] | None
    more_examples: Sequence[dict[str, Any]]
    scale: float
    resolve_context: bool
    truths_limit: int | None
    answers_query: bool
    sources: Mapping[str, int]
    figure: Literal["f1", "precision", "recall"]
    # of judges
    base_url: str | None
    api_key: str | None
    headers: dict[str, str] | None
    price: Any
    window: int | None
    response_limit: int
    temperature: float | None
    seed: int | None
    max_tokens: int | None
    logprobs: bool
    extra: dict[str, Any]
    votes: int | None
    name: str | None
    low: float
    high: float
    max_escalations: int | None
    max_share: float | None
    max_cost: float | None
    on_failure: Literal["keep", "fail"]
    weights: Sequence[float] | None
    quorum: int | None
    n: int
    if_needed: bool
    # of the call
    id: object
    metadata: Mapping[str, Any] | None
    cache: ReplyCache | None
    retry_policy: RetryPolicy | None


if sys.version_info >= (3, 11):
    from typing import Unpack
else:
    from typing_extensions import Unpack  # which a dependency of this version brings


@public
async def acheck(
    output: object,
    context: object = None,
    input: object = None,
    *,
    turns: Literal["last", "all"] = "last",
    context_from: Iterable[str] = CONTEXT_FROM,
    metric: MetricSpec = "hallucination",
    judge: JudgeSpec = None,
    **options: Unpack[CheckOptions],
) -> Result:
    """Check whether an output is grounded in its context.

    Args:
        output: The text to check, usually a model's answer; or the messages of a conversation.
        context: The passages it should be grounded in.
        input: The question that was asked. It helps to read short answers and never counts as evidence.
        turns: "last" judges the last answer of a conversation, "all" every answer and every tool call.
        context_from: The parts of a conversation that count as context, such as "tools" and "user".
        metric: Name or instance of the metric.
        judge: Name or instance of the judge; by default `HALLUSCOPE_JUDGE`, or the embedded judge "local".
        **options: Options of the metric (`threshold`, `strict`, …) and of a judge given by name (`base_url`, …).

    Returns:
        A result with a score, one verdict per claim, and the evidence for each. If there is no score,
            `result.outcome` says why. With `turns="all"`, it is that of the
            conversation, with the results of its turns in `result.turns`.

    Raises:
        InputError: If `output`, `context` or an option is unusable.

    Example:
        >>> check("It closed in 1969.", ["It closed in 1921."]).label
        'hallucinated'
    """
    if isinstance(output, Case):
        raise InputError("`check` takes an output and a context; use a metric's `score_case` for a Case.")
    for_metric, for_judge = split_options(metric, options)
    made = resolve(metric, **for_metric)
    return await made.ascore(
        output=output,
        context=context,
        input=input,
        turns=turns,
        context_from=context_from,
        judge=judge,
        **for_judge,
    )


check = sync.blocking(acheck, "check")
