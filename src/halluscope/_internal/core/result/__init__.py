"""The result of scoring one case with one metric."""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal

import msgspec
from msgspec import Struct

from ..case import Case, Turn
from ..counting import count_of
from ..errors import JudgeError, JudgeThrottled
from ..plumbing.public import public, public_in, renamed_property
from ..repair import Repaired
from ..verdict import Support, Verdict

Direction = Literal["lower", "higher"]
"""Which scores are better."""

Changed = Literal["better", "worse", "same", "lost", "gained"]
"""How a case changed between two runs. `lost` means that it no longer has a score, `gained` that it now has one."""

_SAME = 1e-9


@public
class Outcome(str, Enum):
    """Whether there is a score or, if not, why.

    Attributes:
        SCORED: There is a score.
        EMPTY_OUTPUT: The output is empty.
        NO_CLAIMS: The output makes no claim.
        REFUSAL: The output refuses to answer.
        NO_CONTEXT: No context was given.
        UNJUDGEABLE: The judge cannot read this kind of text.
        INCOMPLETE: Some claims got no verdict.
        FAILED: The judge failed.
    """

    SCORED = "scored"
    EMPTY_OUTPUT = "empty_output"
    NO_CLAIMS = "no_claims"
    REFUSAL = "refusal"
    NO_CONTEXT = "no_context"
    UNJUDGEABLE = "unjudgeable"
    INCOMPLETE = "incomplete"
    FAILED = "failed"

    def __str__(self) -> str:
        return self.value


@public
class Usage(Struct, frozen=True):
    """Judge calls, tokens and cost.

    Attributes:
        calls: The number of judge calls.
        input_tokens: Tokens of the prompts.
        output_tokens: Tokens of the replies.
        cost: The cost in US dollars, None if the price is unknown.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        unknown = self.cost is None or other.cost is None
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=None if unknown else (self.cost or 0.0) + (other.cost or 0.0),
        )


@public
class Failure(Struct, frozen=True):
    """Why the judge gave no answer.

    Attributes:
        kind: The kind of error, such as "throttled".
        message: The message of the error.
        status: The HTTP status, if there was a response.
        body: The body of the response.
        retry_after: Seconds after which the server asks to be called again.
    """

    kind: str
    message: str
    status: int | None = None
    body: str | None = None
    retry_after: float | None = None

    @classmethod
    def of(cls, error: JudgeError) -> Failure:
        """Create a failure from an error."""
        wait = error.retry_after if isinstance(error, JudgeThrottled) else None
        return cls(kind=error.kind, message=str(error), status=error.status, body=error.body, retry_after=wait)


@public_in("halluscope.judges")
class Exchange(Struct, frozen=True):
    """One question to a judge, and its reply.

    Attributes:
        question: The kind of question.
        judge: Name of the judge.
        prompt: The prompt that was sent.
        reply: The reply.
        usage: Calls, tokens and cost.
        cached: Whether the reply came from the cache.
        error: Why there is no usable reply.
    """

    question: str
    judge: str
    prompt: str | None = None
    reply: str | None = None
    usage: Usage = Usage()
    cached: bool = False
    error: str | None = None


class TurnResult(Struct, frozen=True):
    """One answer or tool call of a conversation, with its result."""

    case: Case
    result: Result

    @property
    def turn(self) -> Turn:
        """The place of the case in the conversation."""
        assert self.case.turn is not None
        return self.case.turn

    @property
    def heading(self) -> str:
        """The text or call and its status, in one line."""
        from .in_words import short

        what = "tool call" if self.case.is_tool_call else "answer"
        return f"{self.turn.number}. {what}  {self.result.status}  {short(self.case.output)}"


@public
class Result(Struct, frozen=True, kw_only=True):
    """The result of one metric on one case.

    Attributes:
        metric: Name of the metric.
        metric_version: Changes with the prompts and options of the metric.
        judge: Name of the judge.
        case_id: Id of the case.
        outcome: Whether there is a score or, if not, why.
        score: The score. None unless `outcome` is `scored`.
        direction: Which scores are better.
        threshold: The score that passes.
        passed: Whether the score passes and no claim is contradicted, see `strict` of the metric. None without a score.
        label: The result as a word, such as "hallucinated".
        probability: The judge's probability that the output is hallucinated, if it gives one.
        reason: The reason for the score.
        verdicts: A verdict for each claim.
        failure: Why the judge failed.
        exchanges: The prompts and replies.
        usage: Calls, tokens and cost.
        latency_ms: Milliseconds spent on this case: judge calls and pauses between retries, without waiting for other
            cases. Cached replies take none.
        notes: How the case was converted, split or repaired.
        truths: The facts extracted from the context, if the metric does that.
        figures: Further numbers, if a metric has more than one.
        metadata: The metadata of the case.

    Example:
        >>> check("It closed in 1969.", ["It closed in 1921."]).score
        1.0
    """

    metric: str
    metric_version: str
    judge: str
    case_id: str
    outcome: Outcome
    score: float | None
    direction: Direction
    threshold: float
    passed: bool | None
    label: str | None = None
    probability: float | None = None
    reason: str | None = None
    verdicts: tuple[Verdict, ...] = ()
    failure: Failure | None = None
    exchanges: tuple[Exchange, ...] = ()
    usage: Usage = Usage()
    latency_ms: float = 0.0
    notes: tuple[str, ...] = ()
    truths: tuple[str, ...] = ()
    repair: Repaired | None = None
    """The repaired output, where a repair was asked for and the output did not pass."""
    figures: dict[str, float] = {}
    metadata: dict[str, Any] = {}
    turns: tuple[TurnResult, ...] = ()
    """The turns of a conversation that was judged with `turns="all"`."""

    @property
    def failing(self) -> tuple[Verdict, ...]:
        """The verdicts that speak against the output, or of a conversation those against its turns."""
        return tuple(v for v in self.all_verdicts if not v.support.holds)

    @property
    def all_verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts, or those of a conversation's turns."""
        return self.verdicts + tuple(verdict for turn in self.turns for verdict in turn.result.verdicts)

    @property
    def criterion(self) -> str:
        """What it takes to pass, and which claim failed if the score alone would pass."""
        if "flagged_from" in self.figures:  # a profile decides, by the judge's probability
            return "probability {probability:.2f}, flagged from {flagged_from:.2f}".format(**self.figures)
        wanted = "passes " + threshold_in_words(self.direction, self.threshold)
        if (
            self.passed is False
            and self.score is not None
            and passes_threshold(self.score, self.direction, self.threshold)
        ):
            wanted += ", and a claim is contradicted" if self.count(Support.CONTRADICTED) else ", and a claim fails"
        return wanted

    @property
    def status(self) -> str:
        """Score, whether it passed, and the label, in one line."""
        if self.score is None:
            return f"no score ({self.outcome.value.replace('_', ' ')})"
        label = f", {self.label}" if self.label else ""
        return f"{self.score:.2f} {'passed' if self.passed else 'failed'}{label}"

    @property
    def heading(self) -> str:
        """The metric, the status, and what it takes to pass, in one line."""
        return f"{self.metric}  {self.status}{'' if self.score is None else f'  ({self.criterion})'}"

    @property
    def details(self) -> str:
        """Judge, duration and cost, in one line."""
        parts = [f"judge {self.judge}", f"{self.latency_ms:.0f} ms"]
        if self.usage.input_tokens or self.usage.output_tokens:
            parts.append(
                f"{count_of(self.usage.calls, 'call')}, {self.usage.input_tokens}+{self.usage.output_tokens} tokens"
            )
            parts.append("cost unknown" if self.usage.cost is None else f"${self.usage.cost:.4f}")
        return " · ".join(parts)

    bar = renamed_property("bar", "criterion")
    standing = renamed_property("standing", "status")
    footing = renamed_property("footing", "details")

    def explain(self) -> str:
        """Return the result as a text: each claim with its confidence and evidence, and the reason."""
        from .in_words import page

        return page(self)

    def __repr__(self) -> str:
        from .in_words import claim_counts

        counts = claim_counts(self.all_verdicts)
        return f"<Result {self.metric} {self.status}{f': {counts}' if counts else ''}>"

    def _repr_html_(self) -> str:
        from .result_html import card

        return card(self)

    def count(self, support: Support) -> int:
        """Return the number of verdicts with this support."""
        return sum(v.support is support for v in self.verdicts)

    def prompts(self, question: str) -> tuple[str, ...]:
        """Return the prompts of questions of this kind."""
        return tuple(e.prompt for e in self.exchanges if e.question == question and e.prompt is not None)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as dictionaries and lists."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data

    def to_json(self) -> str:
        """Return the result as one line of JSON, for `Result.from_json`."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Result:
        """Read the result that `to_json` returned."""
        return msgspec.json.decode(text, type=cls)


public_in("halluscope.runs")(TurnResult)  # here: it has a field of the type `Result`


def passes_threshold(score: float, direction: Direction, threshold: float) -> bool:
    return score <= threshold if direction == "lower" else score >= threshold


def threshold_in_words(direction: Direction, threshold: float) -> str:
    if direction == "lower":
        return "at 0" if threshold == 0 else f"at {threshold:g} or less"
    return f"at {threshold:g} or more"


def change_between(before: float | None, after: float | None, direction: Direction) -> Changed:
    """Return how a case changed, given its two scores."""
    if before is None or after is None:
        return "same" if before is after else "gained" if before is None else "lost"
    if after == before or abs(after - before) <= _SAME:
        return "same"
    return "better" if (after < before) == (direction == "lower") else "worse"
