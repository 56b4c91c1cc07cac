"""Phoenix's document, example by example, and the rules it states."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pandas as pd
import pytest

from halluscope._internal.core.errors import InputError, JudgeRejected, MissingParameters, PromptError
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.phoenix import LLM, HallucinationEvaluator, evaluate_dataframe

from ..helpers.loopback import Features, Loopback
from .world import World

EIFFEL = {
    "input": "Where is the Eiffel Tower located?",
    "context": (
        "The Eiffel Tower is located in Paris, France. It was constructed in 1889 as the entrance arch to the 1889 "
        "World's Fair."
    ),
    "output": "The Eiffel Tower is located in Paris, France.",
}
EXPLANATION = "The response correctly identifies the location of the Eiffel Tower as stated in the context."


def by_year(material: dict[str, Any]) -> dict[str, Any]:
    wrong = "1920" in material["output"]
    return {"verdict": "hallucinated" if wrong else "factual", "reason": ["Because."]}


def test_describe() -> None:
    llm = LLM(model="gpt-4o", provider="openai")
    hallucination_evaluator = HallucinationEvaluator(llm=llm)
    assert hallucination_evaluator.describe() == {
        "name": "hallucination",
        "source": "llm",
        "direction": "maximize",
        "input_schema": {
            "properties": {
                "input": {"description": "The input query.", "title": "Input", "type": "string"},
                "output": {"description": "The response to the query.", "title": "Output", "type": "string"},
                "context": {"description": "The context or reference text.", "title": "Context", "type": "string"},
            },
            "required": ["input", "output", "context"],
            "title": "HallucinationInputSchema",
            "type": "object",
        },
    }


def test_one_example(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.script["label"] = {"verdict": "factual", "reason": [EXPLANATION]}
    llm = LLM(model="gpt-4o", provider="openai")
    hallucination = HallucinationEvaluator(llm=llm)
    eval_input = {
        "input": "Where is the Eiffel Tower located?",
        "context": "The Eiffel Tower is located in Paris, France. It was constructed in 1889 as the entrance arch to "
        "the 1889 World's Fair.",
        "output": "The Eiffel Tower is located in Paris, France.",
    }
    scores = hallucination.evaluate(eval_input=eval_input)
    print(scores[0])
    assert capsys.readouterr().out.strip() == (
        "Score(name='hallucination', score=1.0, label='factual', explanation='The response correctly identifies the "
        "location of the Eiffel Tower as stated in the context.', metadata={'model': 'gpt-4o'}, source='llm', "
        "direction='maximize')"
    )


def test_hallucinated_is_zero(world: World) -> None:
    world.script["label"] = {"verdict": "hallucinated", "reason": ["It stands in Paris."]}
    evaluator = HallucinationEvaluator(llm=LLM(model="gpt-4o", provider="openai"))
    (score,) = evaluator.evaluate(eval_input={**EIFFEL, "output": "It is in Lyon."})
    assert (score.score, score.label, score.explanation) == (0.0, "hallucinated", "It stands in Paris.")


async def test_evaluating_can_be_awaited(world: World) -> None:
    world.script["label"] = {"verdict": "factual", "reason": [EXPLANATION]}
    evaluator = HallucinationEvaluator(llm=LLM(model="gpt-4o", provider="openai"))
    (score,) = await evaluator.async_evaluate(eval_input=EIFFEL)
    assert (score.name, score.score, score.label, score.explanation) == ("hallucination", 1.0, "factual", EXPLANATION)
    assert score.metadata["model"] == "gpt-4o"
    assert score.to_dict()["direction"] == "maximize"


@pytest.mark.parametrize("word", ["factual", "Hallucinated.", "**factual**"])
def test_a_single_word_is_a_reply(word: str) -> None:
    evaluator = HallucinationEvaluator(ScriptedJudge({"label": word}))
    (score,) = evaluator.evaluate(EIFFEL)
    assert score.label == word.strip("*.").casefold()


def test_the_response_is_judged_as_an_answer_to_the_query() -> None:
    judge = ScriptedJudge({"label": "factual"})
    HallucinationEvaluator(judge).evaluate(EIFFEL)
    prompt = str(judge.asked[0].render())
    assert EIFFEL["input"] in prompt
    assert "query" in prompt


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"input": "q", "output": "o", "context": None}, ("context",)),
        ({"output": "o", "context": None}, ("input", "context")),
        ({"question": "q"}, ("input", "output", "context")),
        ({"input": "q", "output": "o", "context": float("nan")}, ("context",)),
    ],
)
def test_missing_inputs_are_named(given: dict[str, Any], names: tuple[str, ...]) -> None:
    with pytest.raises(MissingParameters) as caught:
        HallucinationEvaluator(ScriptedJudge({})).evaluate(given)
    assert caught.value.names == names
    assert all(key in str(caught.value) for key in given)


def test_inputs_can_be_mapped() -> None:
    judge = ScriptedJudge({"label": "factual"})
    data = {"question": "q", "answer": {"text": "the answer"}, "docs": ["one", "two"], "input": "not this"}
    mapping: dict[str, Any] = {"input": "question", "output": "answer.text", "context": lambda row: row["docs"]}
    HallucinationEvaluator(judge).evaluate(data, mapping)
    question = judge.asked[0]
    assert (question.input, question.output) == ("q", "the answer")  # type: ignore[attr-defined]
    assert [p.text for p in question.passages] == ["one", "two"]  # type: ignore[attr-defined]


def test_a_wrong_mapping_is_said_to_be_so() -> None:
    evaluator = HallucinationEvaluator(ScriptedJudge({}))
    with pytest.raises(InputError, match="mapping is a list"):
        evaluator.evaluate(EIFFEL, ["context"])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="mapped to a int"):
        evaluator.evaluate(EIFFEL, {"context": 7})  # type: ignore[dict-item]
    with pytest.raises(MissingParameters) as caught:
        evaluator.evaluate(EIFFEL, {"context": "documents.text"})
    assert caught.value.names == ("context",)
    with pytest.raises(InputError, match="mapping"):
        evaluator.evaluate("a text")  # type: ignore[arg-type]


def test_an_empty_response_has_no_score_and_is_not_paid_for() -> None:
    judge = ScriptedJudge({})
    (score,) = HallucinationEvaluator(judge).evaluate({**EIFFEL, "output": " "})
    assert (score.score, score.label) == (None, None)
    assert "empty" in (score.explanation or "")
    assert judge.asked == []


def test_a_judge_that_fails_raises(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.features = Features(key="another")
    with pytest.raises(JudgeRejected):
        HallucinationEvaluator(llm=LLM(model="gpt-4o", provider="openai")).evaluate(EIFFEL)


def test_the_prompt_can_be_replaced() -> None:
    judge = ScriptedJudge({"label": "factual"})
    HallucinationEvaluator(judge, prompt_template="Hold {{output}} against {{context}}.").evaluate(EIFFEL)
    assert str(judge.asked[0].render()).startswith("Hold <output-")
    with pytest.raises(PromptError, match="context"):
        HallucinationEvaluator(judge, prompt_template="Is {{output}} true?")


@pytest.mark.parametrize(
    ("model", "provider", "name"),
    [
        ("gpt-4o", "openai", "openai/gpt-4o"),
        ("openai/gpt-4o", "openai", "openai/gpt-4o"),
        ("claude-3-5-sonnet-latest", "anthropic", "anthropic/claude-3-5-sonnet-latest"),
        ("gpt-4o", None, "openai/gpt-4o"),
    ],
)
def test_models_by_provider(model: str, provider: str | None, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert LLM(model=model, provider=provider).judge.name == name


def test_a_server_of_ones_own(server: Loopback) -> None:
    llm = LLM(model="anything", provider="openai", base_url=server.base_url, api_key="k")
    (score,) = HallucinationEvaluator(llm=llm).evaluate(EIFFEL)
    assert score.label == "factual"
    assert server.calls[0].asked.headers["authorization"] == "Bearer k"


def test_a_provider_without_a_model_is_an_error() -> None:
    with pytest.raises(InputError, match="model"):
        LLM(provider="openai")


def test_a_frame_keeps_to_its_concurrency(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.latency = 0.03
    server.until = lambda asked: server.most_at_once >= 3
    frame = pd.DataFrame([EIFFEL] * 12)
    evaluator = HallucinationEvaluator(llm=LLM(model="gpt-4o", provider="openai"))
    told = evaluate_dataframe(frame, [evaluator], concurrency=3)
    assert [score["score"] for score in told["hallucination_score"]] == [1.0] * 12
    assert server.most_at_once == 3
    with pytest.raises(InputError, match="concurrency"):
        evaluate_dataframe(frame, [evaluator], concurrency=0)
    with pytest.raises(InputError, match="DataFrame"):
        evaluate_dataframe([EIFFEL], [evaluator])  # type: ignore[arg-type]


def test_the_facades_load_no_pandas_and_no_client_library() -> None:
    code = (
        "import sys, halluscope.compat.mastra, halluscope.compat.opik, halluscope.compat.deepeval, "
        "halluscope.compat.phoenix; "
        "print([m for m in ('pandas', 'openai', 'anthropic', 'litellm', 'onnxruntime', 'aiohttp') if m in sys.modules])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
