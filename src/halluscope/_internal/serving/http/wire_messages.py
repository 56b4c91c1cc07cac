"""Requests and answers of the API."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

from msgspec import Meta, Struct

from ...core.conversation import CONTEXT_FROM, Source
from ...core.result import Result
from ...core.verdict import Claim, Verdict
from ...live.guard.guarded_sentence import REMOVED, GuardedSentence
from ...repair.repairing import ABSTENTION
from ..service.limits import Limits
from ..service.systems import SystemScore
from .transport.refusals import RefusalBody

Output = Annotated[
    Union[str, list[Any], dict[str, Any]],
    Meta(description="The text to check; or messages or other data, as for `halluscope.check`."),
]
Context = Annotated[
    Union[str, list[Any], dict[str, Any], None],
    Meta(description="The passages of the context: texts, or objects with a text. Null if there is no context."),
]
Asked = Annotated[Union[str, None], Meta(description="The question the model was asked.")]
Threshold = Annotated[float, Meta(ge=0, le=1, description="The score that passes. Default: that of the metric.")]


class CaseRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One output with its question and its context."""

    output: Output
    context: Context = None
    input: Asked = None
    id: Union[str, None] = None


class _Judging(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    metric: Annotated[str, Meta(description="Name of a metric; /v1/about lists them.")] = "hallucination"
    judge: Annotated[Union[str, None], Meta(description="Name of a judge; /v1/about lists them.")] = None
    threshold: Union[Threshold, None] = None
    strict: Annotated[
        Union[bool, None], Meta(description="True: every claim must be supported. False: only the threshold counts.")
    ] = None
    reason: Annotated[bool, Meta(description="Ask the judge for a reason.")] = True
    exchanges: Annotated[bool, Meta(description="Include the prompts and replies of a chat judge.")] = False
    places: Annotated[
        Literal["characters", "utf16"],
        Meta(
            description="Unit of offsets in texts: characters as in Python, or UTF-16 units as in JavaScript and Java."
        ),
    ] = "characters"


class _JudgingOne(_Judging, frozen=True, kw_only=True, forbid_unknown_fields=True):
    output: Output
    context: Context = None
    input: Asked = None
    id: Union[str, None] = None


class CheckRequest(_JudgingOne, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One output to check, and how."""

    turns: Annotated[
        Literal["last", "all"],
        Meta(description="Judge the last answer of a conversation, or every answer and tool call: see `turns`."),
    ] = "last"
    context_from: Annotated[
        tuple[Source, ...], Meta(description="The parts of a conversation that count as context.")
    ] = CONTEXT_FROM
    systems: Annotated[
        bool, Meta(description="Include the scores that Mastra, Opik, DeepEval and Phoenix would give.")
    ] = False


class RepairRequest(_JudgingOne, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One output to repair, and how."""

    abstention: Annotated[str, Meta(description="The text if nothing of the output is left.")] = ABSTENTION


class BatchRequest(_Judging, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Several outputs to check in the same way."""

    cases: Annotated[list[CaseRequest], Meta(min_length=1)]


class CheckAnswer(Result, frozen=True, kw_only=True):
    """A result and, if requested, the scores of other systems."""

    systems: tuple[SystemScore, ...] = ()


class Claimed(Struct, frozen=True, kw_only=True, tag_field="event", tag="claims"):
    """The claims of the output."""

    claims: tuple[Claim, ...]


class ClaimsJudged(Struct, frozen=True, kw_only=True, tag_field="event", tag="verdicts"):
    """Verdicts on some of the claims."""

    verdicts: tuple[Verdict, ...]


class Finished(Struct, frozen=True, kw_only=True, tag_field="event", tag="result"):
    """The result of a check, or of one case of a batch. `place` is the index of the case."""

    result: CheckAnswer
    place: int = 0


class Failed(Struct, frozen=True, kw_only=True, tag_field="event", tag="error"):
    """An error that ended the work."""

    error: RefusalBody


class Ended(Struct, frozen=True, kw_only=True, tag_field="event", tag="end"):
    """The end of a batch: the number of cases, and of those with a score."""

    cases: int
    scored: int


class GuardSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Context and rules of the guard."""

    context: Annotated[
        Union[str, list[Any], dict[str, Any]], Meta(description="The passages that must support the text.")
    ]
    input: Asked = None
    judge: Union[str, None] = None
    policy: Annotated[
        Literal["pass", "mark", "replace", "repair", "stop"],
        Meta(description="What to do with an unsupported or contradicted sentence."),
    ] = "mark"
    replacement: Annotated[str, Meta(description="The text shown for a replaced sentence.")] = REMOVED
    flags: Annotated[
        tuple[Literal["contradicted", "unsupported"], ...], Meta(description="Which verdicts the policy applies to.")
    ] = ("contradicted", "unsupported")
    min_confidence: Annotated[float, Meta(ge=0, le=1)] = 0.0
    flag_unchecked: Annotated[
        bool, Meta(description="Also apply the policy to sentences that could not be judged.")
    ] = False


class GuardRequest(GuardSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text to guard: whole, or in pieces."""

    output: Annotated[Union[str, list[str]], Meta(description="The text, or its pieces in order.")]


class GuardPiece(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The next piece of a text."""

    text: str


class SentenceChecked(GuardedSentence, frozen=True, kw_only=True, tag_field="event", tag="sentence"):
    """A checked sentence. Pass `before` and `shown` on to the reader."""


class GuardEnded(Struct, frozen=True, kw_only=True, tag_field="event", tag="end"):
    """The end of a guarded text: the original, what to show, and whether the policy stopped it."""

    original: str
    shown: str
    stopped: bool
    sentences: int
    flagged: int


GuardEvent = Union[SentenceChecked, GuardEnded, Failed]
CheckEvent = Union[Claimed, ClaimsJudged, Finished, Failed]
BatchEvent = Union[Finished, Failed, Ended]


class MetricAbout(Struct, frozen=True):
    """A metric of this server."""

    name: str
    summary: str
    formula: str
    direction: Literal["lower", "higher"]


class Example(Struct, frozen=True):
    """A sample answer."""

    id: str
    about: str
    input: str
    output: str
    context: list[str]


class About(Struct, frozen=True):
    """Judges (the first is the default), metrics, limits and examples of this server."""

    version: str
    judges: tuple[str, ...]
    metrics: tuple[MetricAbout, ...]
    limits: Limits
    examples: tuple[Example, ...]


class ServerState(Struct, frozen=True):
    """State of the server."""

    status: Literal["alive", "ready", "starting", "ending"]


class Nothing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """No parameters."""
