"""One call, no set-up: does this output hold up against this context?"""

from __future__ import annotations

from typing import Any

from ..case import Case
from ..errors import InputError
from ..judge import JudgeSpec
from ..plumbing import sync
from ..plumbing.public import public
from ..result import Result
from .registry import MetricSpec, resolve, split_options


@public
async def acheck(
    output: object,
    context: object = None,
    input: object = None,
    *,
    metric: MetricSpec = "hallucination",
    judge: JudgeSpec = None,
    **options: Any,
) -> Result:
    """Does this output hold up against this context? The embedded judge says, unless told otherwise.

    `options` are the metric's (threshold, strict, prompts, …) and, for a judge given by name, the judge's.
    """
    if isinstance(output, Case):
        raise InputError("`check` takes an output and a context; use a metric's `score_case` for a Case.")
    for_metric, for_judge = split_options(metric, options)
    made = resolve(metric, **for_metric)
    return await made.ascore(output=output, context=context, input=input, judge=judge, **for_judge)


check = sync.blocking(acheck, "check")
