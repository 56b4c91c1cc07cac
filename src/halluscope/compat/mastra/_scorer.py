"""Mastra's scorers in its own words: created from a model and options, run on an input and an output."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct, structs

from ..._internal.core.case import Case
from ..._internal.core.conversation import as_passage, extract_tool_results
from ..._internal.core.errors import ContextFailed, InputError
from ..._internal.core.redaction import as_cause
from ..._internal.core.result import Outcome, Result
from ..._internal.core.verdict import Claim, Support, Verdict
from ..._internal.engine import metrics
from ..._internal.engine.judge import Answer, Call, Judge, JudgeSpec
from ..._internal.engine.questions import Question, ResolveContext
from .._callables import NamedValues, called_with
from .._models import Judged, Judging
from ._camel_case import in_snake_case, takes_camel_case
from ._messages import asked, said
from ._scorer_run import Runs, ScorerResult, told_of_judge

_STEPS = {"extract": "preprocess", "verify": "analyze", "explain": "generate_reason"}
_OWN = ("context", "get_context", "id", "name")
_IN_A_HOOK = ("run", "results", "score", "step")

T = TypeVar("T")


class Vocabulary(Struct, frozen=True):
    """How one scorer names itself and shows its steps.

    `named_claims`: claims come in an object and verdicts repeat their statement; otherwise claims
    are a list and verdicts stand in its order. `bands` are the documents' words for scores, each with the share of
    wrong claims below which it is used; a share between two of the documents' bands belongs to the nearer one.
    """

    metric: str
    id: str
    name: str
    description: str
    words: dict[Support, str]
    named_claims: bool
    tools_are_context: bool
    bands: tuple[tuple[float, str], ...]

    def claims(self, claims: Sequence[Claim]) -> Any:
        """The result of the preprocess step."""
        texts = [claim.text for claim in claims]
        return {"claims": texts} if self.named_claims else texts

    def verdicts(self, verdicts: Sequence[Verdict]) -> dict[str, Any]:
        """The result of the analyze step: what counts in the score, and nothing else."""
        return {"verdicts": [self._verdict(v) for v in counted(verdicts)]}

    def interpretation(self, wrong: float) -> str:
        """What the documents call a score, from the share of the scale that it is away from the best."""
        return next(meaning for limit, meaning in self.bands if round(wrong, 6) < limit)

    def _verdict(self, verdict: Verdict) -> dict[str, str]:
        statement = {"statement": verdict.claim.text} if self.named_claims else {}
        return {**statement, "verdict": self.words[verdict.support], "reason": verdict.reason or ""}


def counted(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts on claims, without those on what turned out to be none."""
    return [v for v in verdicts if v.support is not Support.NOT_A_CLAIM]


_VOCABULARIES = msgspec.json.decode(
    Path(__file__).with_name("vocabularies.json").read_bytes(), type=dict[str, Vocabulary]
)


class MastraScorer(Judged, Runs):
    """Scores one output at a time. Holds no state between runs."""

    def __init__(self, vocabulary: Vocabulary, model: JudgeSpec, options: dict[str, Any]) -> None:
        fields = metrics.METRICS[vocabulary.metric].__struct_fields__
        own = (*_OWN, *(name for name in fields if name != "resolve_context"))
        self._judging = Judging(model, options, f"the {vocabulary.id}", own)
        self._vocabulary = vocabulary
        self._context, self._hook, id, name = (options.pop(name, None) for name in _OWN)
        for what, value in (("id", id), ("name", name)):
            if value is not None and not (isinstance(value, str) and value.strip()):
                raise InputError(f"the scorer's {what} must be a text, not {value!r}.")
        self.id, self.name = id or vocabulary.id, name or vocabulary.name
        self.description = vocabulary.description
        if self._hook is not None and not callable(self._hook):
            raise InputError("get_context must be a function that returns a list of passages.")
        scale = options.get("scale", 1)
        if isinstance(scale, bool) or not isinstance(scale, (int, float)) or not 0 < scale < math.inf:
            raise InputError(f"the scale must be a number above 0, not {scale!r}.")
        Case.of("", self._context)
        self.metric = metrics.resolve(vocabulary.metric, **options, resolve_context=self._hook is not None)

    @property
    def best(self) -> float:
        """The score that says that nothing is wrong."""
        return 0.0 if self.metric.direction == "lower" else self.scale

    @property
    def scale(self) -> float:
        """The top of the scores."""
        return float(getattr(self.metric, "scale", 1.0))

    async def _scored(self, run: NamedValues) -> ScorerResult:
        judge = None
        if self._hook is not None:
            judge = HookedJudge(self.judge, self._hook, run, self._vocabulary)
        context = self._context
        if context is None and self._vocabulary.tools_are_context:
            context = [as_passage(found) for found in extract_tool_results(run.output)] or None
        case = Case.of(said(run.output), context, asked(run.input) or None, id=run.run_id)
        return self._told(run.run_id, await self._judging.score(self.metric, case, judge))

    def _told(self, run_id: str, result: Result) -> ScorerResult:
        words = self._vocabulary
        verdicts = counted(result.verdicts)
        prompts: dict[str, Any] = {
            f"{step}_prompt": "\n\n".join(result.prompts(kind)) or None for kind, step in _STEPS.items()
        }
        told = ScorerResult(
            run_id=run_id,
            score=None if result.score is None else round(result.score, 2),
            reason=result.reason,
            outcome=result.outcome,
            preprocess_step_result=words.claims([v.claim for v in verdicts]),
            analyze_step_result=words.verdicts(verdicts),
            judge=told_of_judge((_STEPS[e.question], e) for e in result.exchanges if e.question in _STEPS),
            failure=result.failure,
            result=result,
            **prompts,
        )
        if result.outcome is Outcome.EMPTY_OUTPUT:
            reason = "The score is 0 because the output is empty: it claims nothing."
            told = structs.replace(told, score=0.0, reason=reason)
        if told.score is None:
            return told
        wrong = abs(told.score - self.best) / self.scale
        return structs.replace(told, interpretation=words.interpretation(wrong))


@takes_camel_case
def create_hallucination_scorer(
    model: JudgeSpec = None, options: Mapping[str, Any] | None = None, **more: Any
) -> MastraScorer:
    """Create a scorer for the share of claims that are hallucinated.

    Args:
        model: Name of a model, an object `{"id", "url", "apiKey", "headers"}`, or a model of your own.
        options: `context`, the passages that count as true; `get_context`, a function that returns them for a run and
            takes priority; `scale`; `id` and `name`; what the metric takes (`prompts`, `examples`, `include_reason`);
            and what the judge takes (`base_url`, `api_key`, `timeout`, `retry_policy`, `seed`, `temperature`).
        more: The same as keywords.

    Returns:
        The scorer.

    Raises:
        InputError: An option is unknown, or given twice.

    Example:
        >>> scorer = create_hallucination_scorer(context=["The tower is 330 m tall."])
        >>> scorer.run(input="How tall is it?", output="It is 330 m tall.").score
        0.0
    """
    return _created("hallucination", model, options, more)


@takes_camel_case
def create_faithfulness_scorer(
    model: JudgeSpec = None, options: Mapping[str, Any] | None = None, **more: Any
) -> MastraScorer:
    """Create a scorer for the share of claims that the context supports.

    Args:
        model: As for `create_hallucination_scorer`.
        options: As for `create_hallucination_scorer`. Without `context`, the results of the tool calls in the output's
            messages are the context.
        more: The same as keywords.

    Returns:
        The scorer.

    Raises:
        InputError: An option is unknown, or given twice.
    """
    return _created("faithfulness", model, options, more)


def _created(kind: str, model: JudgeSpec, options: Mapping[str, Any] | None, more: dict[str, Any]) -> MastraScorer:
    if isinstance(model, Mapping) and ("model" in model or not {"id", "modelId", "model_id"} & model.keys()):
        # The single options object of the documents, as it stands there.
        more = {**in_snake_case(model), **more}
        model = more.pop("model", None)
        options = more.pop("options", options)
    given = in_snake_case(options or {})
    twice = next((name for name in more if name in given), None)
    if twice is not None:
        raise InputError(f"the option {twice!r} is given twice: in `options` and as a keyword.")
    return MastraScorer(_VOCABULARIES[kind], model, {**given, **more})


class GetContextParams(NamedValues):
    """What the hook gets: `run`, `results` of the steps before, `step`, and `score` once there is one."""

    @property
    def score(self) -> float | None:
        """The score, in the step "generateReason"; before that the key is not there."""
        held: float | None = self.get("score")
        return held


class HookedJudge:
    """Asks the hook for the context and another judge for all else."""

    asks = True

    def __init__(self, judge: Judge, hook: Callable[..., Any], run: NamedValues, vocabulary: Vocabulary) -> None:
        self.name = judge.name
        self.window = judge.window
        self.fingerprint = judge.fingerprint
        self._judge = judge
        self._hook = hook
        self._run = run
        self._vocabulary = vocabulary

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        if isinstance(question, ResolveContext):
            return cast("Answer[T]", await self._resolved(question))
        assert call.ask is not None
        return await call.ask(self._judge, question)

    async def _resolved(self, question: ResolveContext) -> Answer[tuple[str, ...]]:
        try:
            given = await called_with(self._hook, self._params(question), _IN_A_HOOK)
        except Exception as error:
            raise ContextFailed(f"get_context raised {type(error).__name__}: {error}") from as_cause(error)
        if given is None:
            raise ContextFailed("get_context returned None: return a list of passages, an empty one if there are none.")
        try:
            case = Case.of("", given)
        except InputError as error:
            raise ContextFailed(f"what get_context returned cannot be used: {error}") from error
        return Answer(judge="get_context", value=case.context, notes=case.notes)

    def _params(self, question: ResolveContext) -> GetContextParams:
        results = NamedValues(preprocess_step_result=self._vocabulary.claims(question.claims))
        step = "generateReason" if question.step == "explain" else question.step
        params = GetContextParams(run=self._run, results=results, step=step)
        if question.score is not None:
            results["analyze_step_result"] = self._vocabulary.verdicts(question.verdicts)
            params["score"] = round(question.score, 2)
        return params
