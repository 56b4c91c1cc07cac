"""What comes out of scoring one case with one metric."""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal

import msgspec
from msgspec import Struct

from ..errors import JudgeError, JudgeThrottled
from ..plumbing.public import public
from ..text.counting import count_of
from ..verdict import Support, Verdict

Direction = Literal["lower", "higher"]
"""Which scores are better."""

Changed = Literal["better", "worse", "same", "lost", "gained"]
"""What became of a case; `lost` had a score and has none now, `gained` the other way round."""

_SAME = 1e-9


@public
class Outcome(str, Enum):
    """Whether there is a score, and why not where there is none."""

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
    """Tokens, money and calls. `cost` is in US dollars, None where the price is not known."""

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
    """Why a judge's answer is missing. `kind` is that of the error, see `halluscope._internal.errors`."""

    kind: str
    message: str
    status: int | None = None
    body: str | None = None
    retry_after: float | None = None
    """Seconds after which the judge's server wants to be asked again, where that is all that is missing."""

    @classmethod
    def of(cls, error: JudgeError) -> Failure:
        """The failure that this error leaves behind."""
        wait = error.retry_after if isinstance(error, JudgeThrottled) else None
        return cls(kind=error.kind, message=str(error), status=error.status, body=error.body, retry_after=wait)


@public
class Exchange(Struct, frozen=True):
    """One question put to a judge and what came back: shown so that every score can be checked."""

    question: str
    judge: str
    prompt: str | None = None
    reply: str | None = None
    usage: Usage = Usage()
    cached: bool = False
    error: str | None = None


@public
class Result(Struct, frozen=True, kw_only=True):
    """The outcome of one metric on one case.

    `score` is None unless `outcome` is `scored`; nothing is averaged that was not scored.
    `passed` says whether the score is on the threshold's right side and no claim is contradicted (`strict` of the
    metric asks for more, or less), None without a score. `label` says the same in a word.
    `probability` is the judge's own, that the output as a whole is hallucinated, where it gives one.
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
    figures: dict[str, float] = {}
    """What the score is made of, where a metric has more than one figure."""
    metadata: dict[str, Any] = {}

    @property
    def failing(self) -> tuple[Verdict, ...]:
        """The verdicts that speak against the output."""
        return tuple(v for v in self.verdicts if not v.support.holds)

    @property
    def bar(self) -> str:
        """What it takes to pass, in words, and what went wrong besides the score where that is all right."""
        if "flagged_from" in self.figures:  # a profile decides, by the judge's probability
            return "probability {probability:.2f}, flagged from {flagged_from:.2f}".format(**self.figures)
        wanted = "passes " + bar(self.direction, self.threshold)
        if self.passed is False and self.score is not None and reaches(self.score, self.direction, self.threshold):
            wanted += ", and a claim is contradicted" if self.count(Support.CONTRADICTED) else ", and a claim fails"
        return wanted

    @property
    def standing(self) -> str:
        """Score, passed or failed, and the label, in a line."""
        if self.score is None:
            return f"no score ({self.outcome.value.replace('_', ' ')})"
        label = f", {self.label}" if self.label else ""
        return f"{self.score:.2f} {'passed' if self.passed else 'failed'}{label}"

    @property
    def footing(self) -> str:
        """Who judged, how long it took and what it cost, in a line."""
        parts = [f"judge {self.judge}", f"{self.latency_ms:.0f} ms"]
        if self.usage.input_tokens or self.usage.output_tokens:
            parts.append(
                f"{count_of(self.usage.calls, 'call')}, {self.usage.input_tokens}+{self.usage.output_tokens} tokens"
            )
            parts.append("cost unknown" if self.usage.cost is None else f"${self.usage.cost:.4f}")
        return " · ".join(parts)

    def explain(self) -> str:
        """The result in words, to be printed: each claim, how sure the judge is, its evidence, and the reason."""
        from .in_words import page

        bar = "" if self.score is None else f"  ({self.bar})"
        heading = f"{self.metric}  {self.standing}{bar}"
        return page(heading, self.verdicts, self.reason, self.notes, self.footing)

    def __repr__(self) -> str:
        from .in_words import holding

        held = holding(self.verdicts)
        return f"<Result {self.metric} {self.standing}{f': {held}' if held else ''}>"

    def _repr_html_(self) -> str:
        from .result_html import BAD, GOOD, NEITHER, card

        tone = NEITHER if self.passed is None else GOOD if self.passed else BAD
        bar = "" if self.score is None else f" ({self.bar})"
        return card(self.metric, self.standing + bar, tone, self.verdicts, self.reason, self.notes, self.footing)

    def count(self, support: Support) -> int:
        """How many verdicts have this support."""
        return sum(v.support is support for v in self.verdicts)

    def prompts(self, question: str) -> tuple[str, ...]:
        """The prompts that were sent for questions of this kind."""
        return tuple(e.prompt for e in self.exchanges if e.question == question and e.prompt is not None)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data

    def to_json(self) -> str:
        """The result as one line of JSON; `Result.from_json` reads it back without loss."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Result:
        """The result that `to_json` wrote."""
        return msgspec.json.decode(text, type=cls)


def reaches(score: float, direction: Direction, threshold: float) -> bool:
    """Whether a score is on the right side of a threshold."""
    return score <= threshold if direction == "lower" else score >= threshold


def bar(direction: Direction, threshold: float) -> str:
    """A threshold in words."""
    if direction == "lower":
        return "at 0" if threshold == 0 else f"at {threshold:g} or less"
    return f"at {threshold:g} or more"


def change_between(before: float | None, after: float | None, direction: Direction) -> Changed:
    """What became of a case that had one score and has another."""
    if before is None or after is None:
        return "same" if before is after else "gained" if before is None else "lost"
    if after == before or abs(after - before) <= _SAME:
        return "same"
    return "better" if (after < before) == (direction == "lower") else "worse"
