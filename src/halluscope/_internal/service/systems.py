"""The same verdicts, as each of the documented systems tells and scores them.

A judge that only repeats the verdicts that are there already is handed to the façades. So every score here is the one
that the façade, and the metric under it, would give: none is computed twice.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

from msgspec import Struct, structs

from ...compat import deepeval, mastra, opik, phoenix
from ..case import Case
from ..errors import CannotJudge, HalluscopeError, NothingToJudge
from ..judge import Answer, Call
from ..questions import (
    FACTUAL,
    HALLUCINATED,
    ComparePassages,
    Explain,
    ExtractClaims,
    ExtractTruths,
    LabelAnswer,
    Labelled,
    PassageVerdict,
    Question,
    Verification,
    VerifyClaims,
)
from ..result import Direction, Outcome, Result
from ..verdict import Support, Verdict

T = TypeVar("T")

_JUDGED = (Outcome.SCORED, Outcome.EMPTY_OUTPUT, Outcome.NO_CLAIMS, Outcome.REFUSAL)
"""Outcomes for which the systems have rules of their own; where the judge failed there is nothing to tell."""


class SystemWord(Struct, frozen=True):
    """What a system calls one unit: a claim by its id, a passage by its number from 1, or the whole output."""

    unit: Literal["claim", "passage", "output"]
    id: str
    word: str


class SystemScore(Struct, frozen=True, kw_only=True):
    """One system's view. `score` is None where its rules give none; `reason` then says why."""

    system: str
    name: str
    formula: str
    direction: Direction
    score: float | None
    words: tuple[SystemWord, ...] = ()
    reason: str | None = None


class Retold:
    """Answers every question from the verdicts of a result."""

    window = None
    asks = False

    def __init__(self, result: Result) -> None:
        self.name = result.judge
        self._verdicts = tuple(verdict for verdict in result.verdicts if verdict.passage is None)
        self._probability = result.probability

    def fingerprint(self) -> str:
        return f"retold {self.name}"

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        value: Any = self._value(question)
        return Answer(judge=self.name, value=value)

    def _value(self, question: Question[Any]) -> Any:
        if isinstance(question, ExtractClaims):
            return tuple(verdict.claim for verdict in self._verdicts)
        if isinstance(question, VerifyClaims):
            asked = {claim.id for claim in question.claims}
            return Verification(tuple(verdict for verdict in self._verdicts if verdict.claim.id in asked))
        if not self._verdicts and isinstance(question, LabelAnswer | ComparePassages):
            raise NothingToJudge("the output makes no claim that could be checked")
        if isinstance(question, LabelAnswer):
            wrong = [verdict for verdict in self._verdicts if not verdict.support.holds]
            reasons = tuple(verdict.reason for verdict in wrong if verdict.reason)
            return Labelled(HALLUCINATED if wrong else FACTUAL, reasons, self._probability, self._verdicts)
        if isinstance(question, ComparePassages):
            return tuple(self._compared(passage.index) for passage in question.passages)
        if isinstance(question, ExtractTruths):
            return tuple(passage.text for passage in question.passages)
        if isinstance(question, Explain):
            return question.summary
        raise CannotJudge(f"a {question.kind!r} question cannot be answered from verdicts")

    def _compared(self, passage: int) -> PassageVerdict:
        against = next((verdict for verdict in self._verdicts if _goes_against(verdict, passage)), None)
        return PassageVerdict(passage, against is None, against.reason if against else None)


def _goes_against(verdict: Verdict, passage: int) -> bool:
    return verdict.support is Support.CONTRADICTED and any(
        piece.stance == "against" and piece.passage == passage for piece in verdict.evidence
    )


async def systems_of(case: Case, result: Result) -> tuple[SystemScore, ...]:
    """The verdicts of a claim by claim result in the words of each system."""
    if result.outcome not in _JUDGED:
        return ()
    return tuple([await _told(system, case, result) for system in _SYSTEMS])


async def _told(system: _System, case: Case, result: Result) -> SystemScore:
    try:
        score, words, reason = await system.tell(case, result)
    except HalluscopeError as error:  # a system that refuses such a case says so
        score, words, reason = None, (), str(error)
    return structs.replace(system.about, score=score, words=words, reason=reason)


_Telling = tuple[float | None, tuple[SystemWord, ...], str | None]


class _System(Struct, frozen=True):
    about: SystemScore
    tell: Callable[[Case, Result], Awaitable[_Telling]]


def _claims(result: Result, words: list[str]) -> tuple[SystemWord, ...]:
    """The words for the claims that count, in their order."""
    ids = [verdict.claim.id for verdict in result.verdicts if verdict.support is not Support.NOT_A_CLAIM]
    return tuple(SystemWord("claim", id, word) for id, word in zip(ids, words, strict=False))


async def _mastra(create: Callable[..., Any], case: Case, result: Result) -> _Telling:
    scorer = create(Retold(result), context=list(case.context or ()))
    told = await scorer.arun(input=case.input, output=case.output)
    words = [verdict["verdict"] for verdict in (told.analyze_step_result or {}).get("verdicts", ())]
    return told.score, _claims(result, words), told.reason


async def _mastra_hallucination(case: Case, result: Result) -> _Telling:
    return await _mastra(mastra.create_hallucination_scorer, case, result)


async def _mastra_faithfulness(case: Case, result: Result) -> _Telling:
    return await _mastra(mastra.create_faithfulness_scorer, case, result)


async def _opik(case: Case, result: Result) -> _Telling:
    told = await opik.Hallucination(model=Retold(result)).ascore(
        input=case.input or "", output=case.output, context=list(case.context or ())
    )
    word = None if told.value is None else HALLUCINATED if told.value else FACTUAL
    return told.value, () if word is None else (SystemWord("output", "", word),), told.reason


def _test_case(case: Case) -> deepeval.TestCase:
    return deepeval.TestCase(input=case.input or "", actual_output=case.output, context=list(case.context or ()))


async def _deepeval_hallucination(case: Case, result: Result) -> _Telling:
    told = await deepeval.Hallucination.a_measure(_test_case(case), model=Retold(result))
    numbers = [str(index + 1) for index, _ in case.passages]
    words = [verdict["verdict"] for verdict in told.metadata["verdicts"]]
    named = (SystemWord("passage", number, word) for number, word in zip(numbers, words, strict=False))
    return told.score, tuple(named), told.reason


async def _deepeval_faithfulness(case: Case, result: Result) -> _Telling:
    told = await deepeval.Faithfulness.a_measure(_test_case(case), model=Retold(result))
    return told.score, _claims(result, [verdict["verdict"] for verdict in told.metadata["verdicts"]]), told.reason


async def _phoenix(case: Case, result: Result) -> _Telling:
    asked = {"input": case.input or "", "output": case.output, "context": list(case.context or ())}
    told = (await phoenix.HallucinationEvaluator(llm=Retold(result)).async_evaluate(asked))[0]
    words = () if told.label is None else (SystemWord("output", "", told.label),)
    return told.score, words, told.explanation


def _about(system: str, name: str, formula: str, direction: Direction) -> SystemScore:
    return SystemScore(system=system, name=name, formula=formula, direction=direction, score=None)


_SYSTEMS = (
    _System(
        _about("Mastra", "hallucination scorer", "claims contradicted or unsupported / claims", "lower"),
        _mastra_hallucination,
    ),
    _System(_about("Mastra", "faithfulness scorer", "claims supported / claims", "higher"), _mastra_faithfulness),
    _System(_about("Opik", "Hallucination", "1 if any claim fails, else 0", "lower"), _opik),
    _System(
        _about("DeepEval", "Hallucination", "passages contradicted / passages", "lower"),
        _deepeval_hallucination,
    ),
    _System(
        _about("DeepEval", "Faithfulness", "claims not contradicted / claims", "higher"),
        _deepeval_faithfulness,
    ),
    _System(_about("Phoenix", "HallucinationEvaluator", "1 if no claim fails, else 0", "higher"), _phoenix),
)
