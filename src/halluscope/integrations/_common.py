"""What all integrations share: options, where a context is found, and a result in the words of other tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

import halluscope
from halluscope import HalluscopeError, InputError, Result, Verdict

CONTEXT_NAMES = (
    *("context", "contexts", "retrieved_contexts", "retrieval_context", "retrieved_context"),
    *("documents", "passages", "sources"),
)
"""Names under which data usually holds its passages."""


@contextmanager
def needs(package: str, module: str) -> Iterator[None]:
    """Name the package to install where its module cannot be imported in the block."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] == module:
            raise ImportError(f"This integration needs {package}: pip install {package}") from error
        raise ImportError(f"{package} is installed, but cannot be imported: {error}") from error


class Check(Struct, frozen=True):
    """A metric, a judge and their options: what every integration runs on an output."""

    metric: str
    judge: Any
    options: Mapping[str, Any]

    async def arun(self, output: object, context: object = None, input: object = None) -> Result:
        return await halluscope.acheck(output, context, input, metric=self.metric, judge=self.judge, **self.options)

    async def acorrected(
        self, how: str, output: str, context: object = None, input: object = None
    ) -> tuple[Result, str]:
        """Return the result of an output, and its text marked or repaired (`how`) if it does not pass.

        A text that cannot be repaired is marked.
        """
        if how == "repair":
            made = await halluscope.arepair(
                output, context, input, metric=self.metric, judge=self.judge, **self.options
            )
            wrong = made.before.passed is False and not made.passed
            return made.before, marked(output, made.before) if wrong else made.text
        result = await self.arun(output, context, input)
        return result, marked(output, result) if result.passed is False else output

    def repaired(self, output: str, context: object = None, input: object = None) -> str:
        """Return the repaired text, or the text marked if it cannot be repaired."""
        made = halluscope.repair(output, context, input, metric=self.metric, judge=self.judge, **self.options)
        return made.text if made.passed else marked(output, made.before)

    def run(self, output: object, context: object = None, input: object = None) -> Result:
        return halluscope.check(output, context, input, metric=self.metric, judge=self.judge, **self.options)


class ChecksFields:
    """What checks an answer whose question and passages are in other fields of the data, under these names."""

    def __init__(
        self,
        judge: Any = "local",
        *,
        metric: str = "faithfulness",
        answer: str = "answer",
        context: str | None = None,
        question: str = "question",
        **options: Any,
    ) -> None:
        self.fields = (answer, context, question)
        self._check = Check(metric, judge, options)


def find_context(*places: object, name: str | None = None) -> Any:
    """Return the passages in the first place that holds some, under `name` or one of the usual names."""
    names = (name,) if name else CONTEXT_NAMES
    for place in places:
        for key in names:
            found = place.get(key) if isinstance(place, Mapping) else getattr(place, key, None)
            if found is not None:
                return found
    wanted = f"`{name}`" if name else "a field such as `context` or `documents`"
    raise InputError(f"no context was found: add {wanted} with the passages.")


def score_of(result: Result) -> float:
    """Return the score, or raise an error that says why there is none."""
    if result.score is None:
        raise HalluscopeError(no_score(result))
    return result.score


def no_score(result: Result) -> str:
    """Say in one line why a result has no score."""
    why = result.failure.message if result.failure else result.reason
    return f"no score ({result.outcome.value.replace('_', ' ')})" + (f": {why}" if why else "")


def marked(text: str, result: Result) -> str:
    """Return a text with what is wrong about it below it."""
    said = "not checked" if result.score is None else "not grounded in the context"
    return f"{text}\n\n[{said}: {problem_of(result)}]"


def problem_of(result: Result) -> str:
    """Say in one line why a result has no score, or did not pass."""
    if result.score is None:
        return no_score(result)
    return result.reason or "the answer is not grounded in its context"


def summary_of(result: Result) -> dict[str, Any]:
    """Return the score, whether it passed, the reason or why there is no score, and the claims, as plain data."""
    reason = result.reason if result.score is not None else no_score(result)
    return {"score": result.score, "passed": result.passed, "reason": reason, "claims": claims(result)}


def claims(result: Result) -> list[dict[str, Any]]:
    return [
        {
            "claim": verdict.claim.text,
            "support": verdict.support.value,
            "confidence": verdict.confidence,
            "reason": rationale(verdict),
            "evidence": [evidence.quote for evidence in verdict.evidence],
        }
        for verdict in result.verdicts
    ]


def rationale(verdict: Verdict) -> str:
    """Return the reason of a verdict, else the evidence that it rests on."""
    quotes = "; ".join(f"“{evidence.quote}”" for evidence in verdict.evidence)
    return verdict.reason or (f"evidence: {quotes}" if quotes else "")
