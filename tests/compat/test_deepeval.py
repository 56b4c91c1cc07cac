"""DeepEval's document, example by example, and the rules it states."""

from __future__ import annotations

from typing import Any

import pytest

from halluscope._internal.core.errors import InputError, JudgeError, JudgeRejected, ReplyError
from halluscope._internal.core.result import Outcome
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.deepeval import ApiError, Faithfulness, Hallucination, MissingParameters, Result, TestCase

from ..helpers.loopback import Features, Loopback
from .world import World

EINSTEIN = TestCase.new(
    input="What year did Einstein win the Nobel Prize?",
    actual_output="Einstein won the Nobel Prize in 1969.",
    context=[
        "Einstein won the Nobel Prize in 1921.",
        "Einstein won it for his discovery of the photoelectric effect.",
    ],
)
ONE_OF_TWO: dict[str, Any] = {
    "compare": {
        "verdicts": [
            {"verdict": "no", "reason": "The output says 1969, but the context says 1921."},
            {"verdict": "yes", "reason": "The output does not speak of the reason."},
        ]
    },
    "explain": {"reason": "The score is 0.5 because one of two contexts was contradicted."},
}


def judge(*words: str, **more: Any) -> ScriptedJudge:
    replies = {"compare": {"verdicts": [{"verdict": w, "reason": f"{w} it is"} for w in words]}}
    return ScriptedJudge({**replies, "explain": "Because.", **more})


def test_basic_usage(world: World) -> None:
    world.script.update(ONE_OF_TWO)
    result = Hallucination.measure(EINSTEIN, model="gpt-4o")
    assert result.score == 0.5
    assert result.reason is not None
    assert result.reason.startswith("The score is 0.5 because one of two contexts was contradicted")
    assert result.success is True
    assert world.kinds == ["compare", "explain"]


def test_the_result_has_the_documented_structure(world: World) -> None:
    world.script.update(ONE_OF_TWO)
    result = Hallucination.measure(EINSTEIN, model="gpt-4o")
    assert (result.metric, result.score, result.success, result.threshold) == ("Hallucination", 0.5, True, 0.5)
    assert isinstance(result.latency_ms, int)
    assert result.metadata == {
        "context_count": 2,
        "verdicts": [
            {"verdict": "no", "reason": "The output says 1969, but the context says 1921."},
            {"verdict": "yes", "reason": "The output does not speak of the reason."},
        ],
    }


def test_verdict_types(world: World) -> None:
    world.script["compare"] = lambda given: {
        "verdicts": [{"id": "p1", "verdict": "no" if "1969" in given["output"] else "yes", "reason": "r"}]
    }
    agrees = TestCase.new(
        input="?",
        actual_output="Einstein was awarded the Nobel Prize for physics.",
        context=["Einstein won the Nobel Prize in Physics."],
    )
    contradicts = TestCase.new(
        input="?", actual_output="Einstein won the Nobel Prize in 1969.", context=["Einstein won it in 1921."]
    )
    measured = [Hallucination.measure(case, include_reason=False, model="gpt-4o") for case in (agrees, contradicts)]
    assert [result.score for result in measured] == [0.0, 1.0]
    assert [result.metadata["verdicts"][0]["verdict"] for result in measured] == ["yes", "no"]
    assert [result.success for result in measured] == [True, False]


def test_using_the_context_alias(world: World) -> None:
    world.script.update(ONE_OF_TWO)
    test_case = TestCase.new(input="Question", actual_output="Answer", retrieval_context=["Document 1", "Document 2"])
    assert Hallucination.measure(test_case, model="gpt-4o").metadata["context_count"] == 2
    assert [passage["text"] for passage in world.asked[0][1]["context"]] == ["Document 1", "Document 2"]


def test_skipping_reason_generation(world: World) -> None:
    world.script.update(ONE_OF_TWO)
    result = Hallucination.measure(EINSTEIN, include_reason=False, model="gpt-4o")
    assert result.reason is None
    assert world.kinds == ["compare"]


@pytest.mark.parametrize(("threshold", "success"), [(0.0, False), (0.7, True), (0.5, True), (0.49, False)])
def test_adjusting_the_threshold(world: World, threshold: float, success: bool) -> None:
    world.script.update(ONE_OF_TWO)
    result = Hallucination.measure(EINSTEIN, threshold=threshold, model="gpt-4o")
    assert (result.success, result.threshold) == (success, threshold)


@pytest.mark.parametrize(
    ("adapter", "model"), [("openai", "gpt-4o"), ("anthropic", "claude-3-haiku-20240307"), (":openai", "gpt-4o")]
)
def test_specifying_the_model(world: World, adapter: str, model: str) -> None:
    world.script.update(ONE_OF_TWO)
    result = Hallucination.measure(EINSTEIN, adapter=adapter, model=model)
    assert result.score == 0.5
    assert result.details is not None and result.details.judge == f"{adapter.strip(':')}/{model}"
    if world.server is not None:
        assert set(world.models) == {model}
        path = "/v1/messages" if adapter == "anthropic" else "/v1/chat/completions"
        assert {call.asked.path for call in world.server.calls} == {path}


def report(test_case: TestCase, **options: Any) -> str:
    """The document's error handling."""
    try:
        result = Hallucination.measure(test_case, **options)
    except MissingParameters as error:
        return f"Missing {', '.join(error.names)}"
    except ApiError as error:
        return f"API error: {error.status}"
    return "No significant hallucinations detected" if result.success else f"Score too high: {result.score}"


def test_error_handling(world: World) -> None:
    world.script.update(ONE_OF_TWO)
    assert report(EINSTEIN, model="gpt-4o") == "No significant hallucinations detected"
    assert report(EINSTEIN, model="gpt-4o", threshold=0.1) == "Score too high: 0.5"
    assert report(TestCase.new(input="q", actual_output="a"), model="gpt-4o") == "Missing context"


def test_an_api_failure_carries_status_and_body(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.features = Features(key="the right one")
    assert report(EINSTEIN, model="gpt-4o") == "API error: 401"
    with pytest.raises(JudgeRejected) as caught:
        Hallucination.measure(EINSTEIN, model="gpt-4o")
    assert caught.value.status == 401
    assert "Incorrect API key" in (caught.value.body or "")


@pytest.mark.parametrize("metric", [Hallucination, Faithfulness])
@pytest.mark.parametrize(
    ("fields", "missing"),
    [
        ({"input": "q", "actual_output": "a"}, ["context"]),
        ({"input": "q", "actual_output": "a", "context": []}, ["context"]),
        ({"input": "q", "actual_output": "a", "context": ["", " "]}, ["context"]),
        ({"input": "q", "context": ["c"]}, ["actual_output"]),
        ({"input": "q", "actual_output": " ", "context": ["c"]}, ["actual_output"]),
        ({"input": "q"}, ["actual_output", "context"]),
        ({"actual_output": "a", "context": ["c"]}, ["input"]),
        ({"input": " ", "actual_output": "a", "context": ["c"]}, ["input"]),
    ],
)
def test_missing_parameters_are_named(metric: Any, fields: dict[str, Any], missing: list[str]) -> None:
    scripted = judge("yes")
    with pytest.raises(MissingParameters) as caught:
        metric.measure(TestCase.new(**fields), model=scripted)
    context = metric.required_params()[-1]
    assert list(caught.value.names) == [context if name == "context" else name for name in missing]
    assert scripted.asked == []


def test_authoritative_context(world: World) -> None:
    world.script["compare"] = {
        "verdicts": [
            {"id": "p1", "verdict": "yes", "reason": "16GB in both."},
            {"id": "p2", "verdict": "no", "reason": "256GB is not 512GB."},
        ]
    }
    test_case = TestCase.new(
        input="What are the product specifications?",
        actual_output="The laptop has 16GB RAM and a 256GB SSD.",
        context=["Product spec: 16GB DDR4 RAM", "Storage: 512GB NVMe SSD"],
    )
    result = Hallucination.measure(test_case, include_reason=False, model="gpt-4o")
    assert [v["verdict"] for v in result.metadata["verdicts"]] == ["yes", "no"]


def test_both_metrics_for_complete_coverage(world: World) -> None:
    world.script.update(
        ONE_OF_TWO,
        truths={"truths": ["Einstein won the Nobel Prize in 1921.", "He won it for the photoelectric effect."]},
        extract={"claims": ["Einstein won the Nobel Prize in 1969."]},
        verify={"verdicts": [{"id": "c1", "verdict": "no", "reason": "It was 1921."}]},
        explain={"reason": "The years differ."},
    )
    faithfulness_result = Faithfulness.measure(EINSTEIN, model="gpt-4o")
    assert world.kinds == ["truths", "extract", "verify", "explain"]
    hallucination_result = Hallucination.measure(EINSTEIN, model="gpt-4o")
    assert world.kinds[4:] == ["compare", "explain"]
    assert (faithfulness_result.score, faithfulness_result.success) == (0.0, False)
    assert (hallucination_result.score, hallucination_result.success) == (0.5, True)
    assert faithfulness_result.metadata["truths"] == [
        "Einstein won the Nobel Prize in 1921.",
        "He won it for the photoelectric effect.",
    ]
    assert faithfulness_result.metadata["verdicts"] == [{"verdict": "no", "reason": "It was 1921."}]


def test_the_complete_evaluation(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.script.update(
        compare={
            "verdicts": [
                {"verdict": "no", "reason": "The passage has 1921."},
                {"verdict": "yes", "reason": "Both name the photoelectric effect."},
                {"verdict": "yes", "reason": "Quantum in both."},
            ]
        },
        explain={"reason": "The output contradicts the year 1921 by stating 1969."},
    )
    test_case = TestCase.new(
        input="Tell me about Einstein's Nobel Prize.",
        actual_output="""
        Einstein won the Nobel Prize in Physics in 1969 for his work on
        the photoelectric effect. This groundbreaking discovery revolutionized
        our understanding of quantum mechanics.
        """,
        context=[
            "Albert Einstein won the Nobel Prize in Physics in 1921.",
            "Einstein received the prize for his explanation of the photoelectric effect.",
            "The photoelectric effect demonstrated the quantum nature of light.",
        ],
    )
    result = Hallucination.measure(test_case, model="gpt-4o")
    print(f"Hallucination Score: {result.score}")
    print(f"Success: {result.success}")
    print(f"Reason: {result.reason}")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Hallucination Score: 0.333")
    assert lines[1] == "Success: True"
    assert lines[2].startswith("Reason: The output contradicts the year 1921 by stating 1969")


async def test_measuring_can_be_awaited(world: World) -> None:
    world.script.update(ONE_OF_TWO)
    assert (await Hallucination.a_measure(EINSTEIN, model="gpt-4o")).score == 0.5
    world.script.update(truths={"truths": ["Einstein won in 1921."]}, extract={"claims": []})
    assert (await Faithfulness.a_measure(EINSTEIN, model="gpt-4o")).score == 1.0


@pytest.mark.parametrize(("words", "score"), [(("yes", "yes"), 0.0), (("no", "yes"), 0.5), (("no", "no"), 1.0)])
def test_the_score_is_the_share_of_contradicted_contexts(words: tuple[str, ...], score: float) -> None:
    assert Hallucination.measure(EINSTEIN, model=judge(*words)).score == score


def test_strict_allows_no_contradiction() -> None:
    lenient = Hallucination.measure(EINSTEIN, model=judge("no", "yes"))
    strict = Hallucination.measure(EINSTEIN, model=judge("no", "yes"), strict=True)
    assert (lenient.success, strict.success) == (True, False)
    assert lenient.score == strict.score == 0.5


@pytest.mark.parametrize(
    ("words", "score"), [(("yes", "no"), 0.5), (("idk", "idk"), 1.0), (("yes", "idk"), 1.0), (("no", "no"), 0.0)]
)
def test_faithfulness_counts_all_but_no(words: tuple[str, str], score: float) -> None:
    scripted = ScriptedJudge(
        {
            "truths": {"truths": ["Einstein won in 1921."]},
            "extract": {"claims": ["Einstein won.", "It was the Nobel Prize."]},
            "verify": {
                "verdicts": [
                    {
                        "id": f"c{i}",
                        "verdict": word,
                        "reason": "r",
                        "basis": "supported" if word == "yes" else "contradicted",
                    }
                    for i, word in enumerate(words, start=1)
                ]
            },
            "explain": "Because.",
        }
    )
    result = Faithfulness.measure(EINSTEIN, model=scripted)
    assert result.score == score
    assert [v["verdict"] for v in result.metadata["verdicts"]] == list(words)
    assert result.success is (score >= 0.5)


def test_truths_can_be_limited() -> None:
    scripted = ScriptedJudge(
        {
            "truths": {"truths": ["Einstein won in 1921.", "He won a prize.", "The effect is photoelectric."]},
            "extract": {"claims": ["Einstein won."]},
            "verify": {"verdicts": [{"id": "c1", "verdict": "yes"}]},
        }
    )
    result = Faithfulness.measure(EINSTEIN, model=scripted, truths_limit=2, include_reason=False)
    assert result.metadata["truths"] == ["Einstein won in 1921.", "He won a prize."]
    assert result.reason is None


@pytest.mark.parametrize("output", ["Which prize do you mean?", "I cannot help with that."])
def test_an_output_that_claims_nothing_is_faithful_and_says_so(output: str) -> None:
    nothing: dict[str, Any] = {"truths": {"truths": ["Einstein won in 1921."]}, "extract": {"claims": []}}
    asks = TestCase.new(input="q", actual_output=output, context=["Einstein won in 1921."])
    result = Faithfulness.measure(asks, model=ScriptedJudge(nothing))
    assert (result.score, result.success) == (1.0, True)
    assert result.details is not None and result.details.outcome in (Outcome.NO_CLAIMS, Outcome.REFUSAL)
    assert (result.reason or "").startswith("The score is 1 because the output"), "never success and no score at once"
    assert Faithfulness.measure(asks, model=ScriptedJudge(nothing), include_reason=False).reason is None


@pytest.mark.parametrize(
    "reply", ["no JSON at all", '{"verdicts": [{"id": "p9", "verdict": "yes"}]}', '{"verdicts": []}']
)
def test_a_reply_that_cannot_be_used_is_an_error_not_a_score(reply: str) -> None:
    with pytest.raises(ReplyError):
        Hallucination.measure(EINSTEIN, model=ScriptedJudge({"compare": reply}))


def test_half_of_the_verdicts_is_no_score() -> None:
    partial = {"verdicts": [{"id": "p1", "verdict": "yes"}]}

    def answer(question: Any) -> Any:
        return partial if any(p.label == "p1" for p in question.passages) else JudgeError("gone")

    with pytest.raises(JudgeError, match="gone"):
        Hallucination.measure(EINSTEIN, model=ScriptedJudge(answer))


def test_options_nobody_knows_are_refused() -> None:
    with pytest.raises(InputError, match="tresholds"):
        Hallucination.measure(EINSTEIN, model=judge("yes", "yes"), tresholds=1)
    with pytest.raises(InputError, match="contxt"):
        TestCase.new(input="q", contxt=["c"])
    with pytest.raises(InputError, match="needs a model"):
        Hallucination.measure(EINSTEIN, adapter="ollama")
    with pytest.raises(InputError, match="adapter"):
        Hallucination.measure(EINSTEIN, adapter="openai", model=judge("yes"))


def test_a_mapping_is_a_test_case_and_a_text_is_none() -> None:
    given: Any = {"input": "q", "actual_output": "a", "retrieval_context": ["c"]}
    assert Hallucination.measure(given, model=judge("yes")).score == 0.0
    for metric in (Hallucination, Faithfulness):
        with pytest.raises(InputError, match="str is no test case"):
            metric.measure("a", model=judge("yes"))  # type: ignore[arg-type]


def test_a_result_can_be_shown() -> None:
    result = Hallucination.measure(EINSTEIN, model=judge("no", "yes"))
    assert isinstance(result, Result)
    assert "metric='Hallucination', score=0.5, success=True" in repr(result)
