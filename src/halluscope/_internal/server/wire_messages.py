"""What goes over the wire: the requests that are taken and the answers that are given."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

from msgspec import Meta, Struct

from ..guard.guarded_sentence import REMOVED, GuardedSentence
from ..result import Result
from ..runs import Summary
from ..service.limits import Limits
from ..service.systems import SystemScore
from ..store import RunInfo
from ..verdict import Claim, Verdict
from .http.refusals import RefusalBody

Output = Annotated[
    Union[str, list[Any], dict[str, Any]],
    Meta(description="The text to judge; or messages or other data, as `halluscope.check` takes them."),
]
Context = Annotated[
    Union[str, list[Any], dict[str, Any], None],
    Meta(description="The passages to hold it against: texts, or objects with a text. Null: there is no context."),
]
Asked = Annotated[Union[str, None], Meta(description="What the model was asked.")]
Threshold = Annotated[float, Meta(ge=0, le=1, description="Where a score passes; the metric's own unless given.")]


class CaseRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One output, what it was an answer to, and the context it was given."""

    output: Output
    context: Context = None
    input: Asked = None
    id: Union[str, None] = None


class _Judging(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    metric: Annotated[str, Meta(description="One of the metrics that /v1/about names.")] = "hallucination"
    judge: Annotated[Union[str, None], Meta(description="One of the judges that /v1/about names.")] = None
    threshold: Union[Threshold, None] = None
    strict: Annotated[
        Union[bool, None],
        Meta(description="True: every claim has to hold. False: the threshold alone decides."),
    ] = None
    reason: Annotated[bool, Meta(description="Ask the judge for a reason.")] = True
    exchanges: Annotated[bool, Meta(description="Also give the prompts and replies of a chat judge.")] = False
    places: Annotated[
        Literal["characters", "utf16"],
        Meta(description="How places in texts are counted: as Python does, or as JavaScript and Java do."),
    ] = "characters"


class CheckRequest(_Judging, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One output to be judged: a case, and how to judge it."""

    output: Output
    context: Context = None
    input: Asked = None
    id: Union[str, None] = None
    systems: Annotated[bool, Meta(description="Also tell the verdicts as the documented systems score them.")] = False


class BatchRequest(_Judging, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Many outputs to be judged in the same way."""

    cases: Annotated[list[CaseRequest], Meta(min_length=1)]


class CheckAnswer(Result, frozen=True, kw_only=True):
    """A result, and where it was asked for what each system makes of it."""

    systems: tuple[SystemScore, ...] = ()


class Claimed(Struct, frozen=True, kw_only=True, tag_field="event", tag="claims"):
    """The output was taken apart."""

    claims: tuple[Claim, ...]


class ClaimsJudged(Struct, frozen=True, kw_only=True, tag_field="event", tag="verdicts"):
    """Some of its claims were judged."""

    verdicts: tuple[Verdict, ...]


class Finished(Struct, frozen=True, kw_only=True, tag_field="event", tag="result"):
    """The end of a check, or one case of a batch: `place` is its place there, from 0."""

    result: CheckAnswer
    place: int = 0


class Failed(Struct, frozen=True, kw_only=True, tag_field="event", tag="error"):
    """The work broke off."""

    error: RefusalBody


class Ended(Struct, frozen=True, kw_only=True, tag_field="event", tag="end"):
    """The end of a batch: how many cases there were, and how many of them have a score."""

    cases: int
    scored: int


class GuardSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a text is guarded while it is being written."""

    context: Annotated[
        Union[str, list[Any], dict[str, Any]], Meta(description="The passages that the text has to keep to.")
    ]
    input: Asked = None
    judge: Union[str, None] = None
    policy: Annotated[
        Literal["pass", "mark", "replace", "stop"],
        Meta(description="What becomes of a sentence that does not hold up."),
    ] = "mark"
    replacement: Annotated[str, Meta(description="What is shown in its place, where it is replaced.")] = REMOVED
    flags: Annotated[
        tuple[Literal["contradicted", "unsupported"], ...], Meta(description="What does not count as holding up.")
    ] = ("contradicted", "unsupported")
    min_confidence: Annotated[float, Meta(ge=0, le=1)] = 0.0
    flag_unchecked: Annotated[bool, Meta(description="Also treat so what could not be judged.")] = False


class GuardRequest(GuardSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text to be guarded: whole, or in the pieces in which it was written."""

    output: Annotated[Union[str, list[str]], Meta(description="The text, or its pieces in order.")]


class GuardPiece(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The next piece of a text that is still being written."""

    text: str


class SentenceChecked(GuardedSentence, frozen=True, kw_only=True, tag_field="event", tag="sentence"):
    """A sentence that was checked: `before` and `shown` are to be passed on."""


class GuardEnded(Struct, frozen=True, kw_only=True, tag_field="event", tag="end"):
    """The end of a guarded text: what came, what was passed on, and whether the policy ended it."""

    original: str
    shown: str
    stopped: bool
    sentences: int
    flagged: int


GuardEvent = Union[SentenceChecked, GuardEnded, Failed]
CheckEvent = Union[Claimed, ClaimsJudged, Finished, Failed]
BatchEvent = Union[Finished, Failed, Ended]


class RunList(Struct, frozen=True):
    """Every run that is kept, the latest last."""

    runs: tuple[RunInfo, ...]


class RunAnswer(Struct, frozen=True):
    """A run and its figures."""

    info: RunInfo
    summary: Summary


class MetricAbout(Struct, frozen=True):
    """A metric that can be named."""

    name: str
    summary: str
    formula: str
    direction: Literal["lower", "higher"]


class Example(Struct, frozen=True):
    """A made-up answer to try things with."""

    id: str
    about: str
    input: str
    output: str
    context: list[str]


class About(Struct, frozen=True):
    """What this server has: judges (the first is the default), metrics, limits, and examples."""

    version: str
    judges: tuple[str, ...]
    metrics: tuple[MetricAbout, ...]
    limits: Limits
    examples: tuple[Example, ...]


class ServerState(Struct, frozen=True):
    """Whether the server lives, and whether it takes requests."""

    status: Literal["alive", "ready", "starting", "ending"]


class ResultsQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which results of a run are read."""

    metric: Union[str, None] = None
    failing: Annotated[bool, Meta(description="Only those that did not pass.")] = False
    start: Annotated[
        int, Meta(ge=0, le=2**53, description="The place of the first case; `next` of the page before.")
    ] = 0
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


class CompareQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two runs, the earlier and the later."""

    before: str
    after: str


class ReportQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the run is compared with in its report."""

    baseline: Union[str, None] = None


class Nothing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """No parameters."""
