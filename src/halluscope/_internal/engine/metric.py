"""The base class of metrics: a frozen declaration with a flow of questions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec
from msgspec import Struct, structs

from ..core.case import Case
from ..core.conversation import CONTEXT_FROM
from ..core.errors import InputError, PromptError, UnknownName
from ..core.plumbing import sync
from ..core.plumbing.public import public, public_in, renamed_retry_policy
from ..core.prompt import require_slots
from ..core.result import Direction, Outcome, Result, passes_threshold
from ..core.result.turns import of_conversation
from ..core.verdict import Support, Verdict
from .driver import Driver, ReplyCache, RetryPolicy
from .judge import JudgeSpec
from .judge import resolve as resolve_judge
from .many import score_all
from .questions import FACTUAL, HALLUCINATED
from .questions.flow import Finding, Flow

_METRICS = Path(__file__).parent / "metrics"
_TURNS_AT_ONCE = 16


@public_in("halluscope.metrics")
class PromptSpec(Struct, frozen=True):
    """A prompt of a metric.

    Attributes:
        name: Name of the prompt.
        needs: Slots that a replacement must contain.
    """

    name: str
    needs: tuple[str, ...]


@public
class Metric(Struct, frozen=True, kw_only=True):
    """The base class of metrics. A metric is immutable and stores nothing about a case or a judge.

    An output passes if every claim is supported. `threshold` tolerates a share of unsupported claims.

    Subclasses set the class variables and define `flow`:

    - `name`, `summary` and `formula`: what the metric is called and how its score is computed.
    - `direction`: whether a "higher" or a "lower" score is better.
    - `uses`: its prompts.

    Attributes:
        threshold: The score that still passes, by default the best one.
        strict: True: every claim must be supported, whatever the threshold. False: only the threshold decides. None:
            the threshold decides, but a contradicted claim never passes.
        include_reason: Whether to ask for the reason of the score.
        prompts: Replacements for prompts, by name.
        examples: Few-shot examples that replace those of the metric.
        more_examples: Few-shot examples in addition.

    Raises:
        InputError: If an option is unusable.
        PromptError: If a replacement prompt lacks a slot.

    Example:
        >>> metric = Hallucination(threshold=0.2)
        >>> metric.score(output="It closed in 1921.", context=["It closed in 1921."]).passed
        True
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    formula: ClassVar[str]
    direction: ClassVar[Direction]
    uses: ClassVar[tuple[PromptSpec, ...]] = ()
    judges_calls: ClassVar[bool] = False
    """Whether `flow` takes tool calls too. A metric that does not gives them no score."""

    threshold: float = None  # type: ignore[assignment]
    strict: bool | None = None
    include_reason: bool = True
    prompts: Mapping[str, str] = {}
    examples: tuple[dict[str, Any], ...] | None = None
    more_examples: tuple[dict[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if self.threshold is None:
            structs.force_setattr(self, "threshold", self.best)
        known = {spec.name: spec for spec in self.uses}
        if not isinstance(self.prompts, Mapping):
            raise InputError(f"the prompts of {self.name!r} must be a dictionary of texts by name.")
        for name, text in self.prompts.items():
            if name not in known:
                raise UnknownName(f"prompt of metric {self.name!r} called", name, known)
            if not isinstance(text, str):
                raise PromptError(f"the replacement for prompt {name!r} is a {type(text).__name__}: pass its text.")
            require_slots(name, text, known[name].needs)
        for option in ("examples", "more_examples"):
            given = getattr(self, option) or ()
            if not isinstance(given, (list, tuple)) or not all(isinstance(example, Mapping) for example in given):
                raise InputError(f"the {option} of {self.name!r} must be a list of dictionaries.")
        if not is_number(self.threshold):
            raise InputError(f"the threshold of {self.name!r} must be a number, not {self.threshold!r}.")
        if self._top is not None and not 0 <= self.threshold <= self._top:
            raise InputError(
                f"the scores of {self.name!r} go from 0 to {self._top:g}: the threshold cannot be {self.threshold:g}."
            )

    def flow(self, case: Case) -> Flow[Finding]:
        """Ask questions about the case and return a finding."""
        raise NotImplementedError

    def prompt(self, name: str) -> str:
        """The text of one of the metric's prompts."""
        return self.prompts.get(name) or packaged_prompt(self.name, name)

    def shots(self) -> tuple[dict[str, Any], ...]:
        """The few-shot examples."""
        own = packaged_examples(self.name) if self.examples is None else self.examples
        return (*own, *self.more_examples)

    @property
    def best(self) -> float:
        """The best possible score."""
        return 0.0 if self.direction == "lower" else 1.0

    @property
    def _top(self) -> float | None:
        """The highest possible score, if there is one."""
        return None

    def passes(self, score: float, verdicts: tuple[Verdict, ...]) -> bool:
        """Whether an output with this score and these verdicts passes."""
        if self.strict and any(not v.support.holds for v in verdicts):
            return False
        if self.strict is None and any(v.support is Support.CONTRADICTED for v in verdicts):
            return False
        return passes_threshold(score, self.direction, self.threshold)

    def scored(self, score: float, verdicts: tuple[Verdict, ...], **more: Any) -> Finding:
        """The finding for an output with this score and these verdicts, and the label that follows from them."""
        label = FACTUAL if self.passes(score, verdicts) else HALLUCINATED
        return Finding(outcome=Outcome.SCORED, score=score, label=label, verdicts=verdicts, **more)

    @property
    def version(self) -> str:
        """A hash of the options, prompts and examples."""
        texts = [(spec.name, self.prompt(spec.name)) for spec in self.uses]
        return _version(msgspec.msgpack.encode((self.name, self, texts, self.shots())))

    @renamed_retry_policy
    async def ascore(
        self,
        /,
        *,
        output: object,
        context: object = None,
        input: object = None,
        id: object = None,
        metadata: Mapping[str, Any] | None = None,
        context_from: Iterable[str] = CONTEXT_FROM,
        turns: Literal["last", "all"] = "last",
        judge: JudgeSpec = None,
        cache: ReplyCache | None = None,
        retry_policy: RetryPolicy | None = None,
        **options: Any,
    ) -> Result:
        """Score an output. `score` is the synchronous method; it also works inside a running event loop.

        Args:
            output: The text to score, or a conversation.
            context: The passages it should be grounded in.
            input: The question that was asked.
            id: An id for the case.
            metadata: Data to keep with the result.
            context_from: The parts of a conversation that count as context.
            turns: "last" scores the last answer of a conversation, "all" every answer and every tool call.
            judge: Name or instance of the judge.
            cache: Where replies are kept, such as a `Store`.
            retry_policy: Time limits, retries and repairs.
            **options: Options of a judge given by name, such as `base_url` or `temperature`.

        Returns:
            The result, with `turns="all"` that of the conversation. If the judge fails, `result.outcome` is "failed"
                and `result.failure` says why.

        Raises:
            InputError: If an argument is unusable.
        """
        driver = Driver(resolve_judge(judge, **options), cache=cache, retry_policy=retry_policy)
        if turns == "last":
            case = Case.of(output, context, input, id=id, metadata=metadata, context_from=context_from)
            return await driver.score(self, case)
        if turns != "all":
            raise InputError(f"`turns` is 'last' or 'all', not {turns!r}.")
        cases = Case.of_turns(output, context, input, id=id, metadata=metadata, context_from=context_from)
        if not cases:
            raise InputError("scoring all turns needs a conversation with an answer: pass its messages as the output.")
        return of_conversation(cases, await score_all(driver, self, cases, at_once=_TURNS_AT_ONCE))

    @renamed_retry_policy
    async def ascore_case(
        self,
        /,
        case: Case,
        *,
        judge: JudgeSpec = None,
        cache: ReplyCache | None = None,
        retry_policy: RetryPolicy | None = None,
        **options: Any,
    ) -> Result:
        """Score a `Case`. The other arguments are those of `ascore`."""
        return await Driver(resolve_judge(judge, **options), cache=cache, retry_policy=retry_policy).score(self, case)

    score = sync.blocking_method(ascore, "score")
    score_case = sync.blocking_method(ascore_case, "score_case")


def is_number(value: object) -> bool:
    """Whether an option is a number other than NaN."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


@lru_cache(maxsize=256)
def _version(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


@cache
def packaged_prompt(metric: str, name: str) -> str:
    """The prompt in the package: the metric's own, or one that several metrics share."""
    own = _METRICS / "prompts" / metric / f"{name}.txt"
    shared = _METRICS / "prompts" / f"{name}.txt"
    return (own if own.exists() else shared).read_text(encoding="utf-8")


@cache
def packaged_examples(metric: str) -> tuple[dict[str, Any], ...]:
    """The few-shot examples in the package. Most metrics have none."""
    path = _METRICS / "prompts" / metric / "examples.json"
    if not path.exists():
        return ()
    return tuple(msgspec.json.decode(path.read_bytes(), type=list[dict[str, Any]]))
