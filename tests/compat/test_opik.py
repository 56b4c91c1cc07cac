"""Opik's document, example by example, and the rules it states."""

from __future__ import annotations

from typing import Any

import pytest

from halluscope._internal.core.errors import InputError, JudgeError, JudgeRejected, JudgeUnavailable, ReplyError
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.opik import FEW_SHOT_EXAMPLES, Hallucination, ScoreResult

from ..helpers.loopback import Features, Loopback
from .world import World

QUESTION = "What is the capital of France?"
ANSWER = "The capital of France is Paris. It is famous for its iconic Eiffel Tower and rich cultural heritage."
CONTEXT = [
    "France is a country in Western Europe. Its capital is Paris, which is known for landmarks like the Eiffel Tower."
]
FACTUAL = {"verdict": "factual", "reason": ["Paris is the capital.", "Nothing is false."]}
HALLUCINATED = {"verdict": "hallucinated", "reason": ["The cultural heritage is not in the context."]}


def test_how_to_use_the_metric(world: World) -> None:
    world.script["label"] = FACTUAL
    metric = Hallucination(model="gpt-4o")
    result = metric.score(
        input="What is the capital of France?",
        output="The capital of France is Paris. It is famous for its iconic Eiffel Tower and rich cultural heritage.",
    )
    assert isinstance(result, ScoreResult)
    assert (result.name, result.value) == ("hallucination_metric", 0)
    assert result.reason == "['Paris is the capital.', 'Nothing is false.']"
    assert result.details is not None and result.details.verdicts[0].reason == "Paris is the capital. Nothing is false."
    assert world.asked[0][1]["context"] is None


def test_with_context(world: World) -> None:
    world.script["label"] = HALLUCINATED
    metric = Hallucination(model="gpt-4o")
    result = metric.score(
        input="What is the capital of France?",
        output="The capital of France is Paris. It is famous for its iconic Eiffel Tower and rich cultural heritage.",
        context=[
            "France is a country in Western Europe. Its capital is Paris, which is known for landmarks like the "
            "Eiffel Tower."
        ],
    )
    assert result.value == 1
    assert result.reason == "['The cultural heritage is not in the context.']"
    assert world.asked[0][1]["context"] == CONTEXT


async def test_scoring_can_be_awaited(world: World) -> None:
    world.script["label"] = FACTUAL
    metric = Hallucination(model="gpt-4o")
    assert (await metric.ascore(input=QUESTION, output=ANSWER)).value == 0
    assert (await metric.ascore(QUESTION, ANSWER, CONTEXT)).value == 0


def test_the_default_model_is_the_documented_one_where_its_key_is_set(world: World) -> None:
    world.script["label"] = FACTUAL
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "a key")
        result = Hallucination().score(QUESTION, ANSWER, CONTEXT)
    assert result.details is not None
    assert result.details.judge == "openai/gpt-4o"


def test_our_own_default_where_no_key_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "halluscope._internal.judges.embedded.embedded_judge.EmbeddedJudge",
        lambda: ScriptedJudge({"label": FACTUAL}, name="local"),
    )
    result = Hallucination().score(QUESTION, ANSWER, CONTEXT)
    assert result.details is not None
    assert result.details.judge == "local"


def test_the_judge_of_the_environment_comes_before_the_documented_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALLUSCOPE_JUDGE", "openai/another")
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    assert Hallucination().judge.name == "openai/another"


def shots(metric: Hallucination) -> list[dict[str, Any]]:
    judge = metric.judge
    assert isinstance(judge, ScriptedJudge)
    metric.score(QUESTION, ANSWER, CONTEXT)
    return list(judge.asked[-1].examples)


MINE = {
    "title": "A wrong river",
    "input": "Which river?",
    "context": ["The Seine runs through Paris."],
    "output": "The Loire.",
    "score": 1.0,
    "reason": "The context names the Seine.",
}


def test_examples_are_shown_and_can_be_replaced_and_added_to() -> None:
    def judge() -> ScriptedJudge:
        return ScriptedJudge({"label": FACTUAL})

    ours = shots(Hallucination(model=judge()))
    replaced = shots(Hallucination(model=judge(), few_shot_examples=[MINE]))
    added = shots(Hallucination(model=judge(), more_few_shot_examples=[MINE]))
    none = shots(Hallucination(model=judge(), few_shot_examples=[]))
    extended = shots(Hallucination(model=judge(), few_shot_examples=[*FEW_SHOT_EXAMPLES, MINE]))
    assert len(ours) == len(FEW_SHOT_EXAMPLES) > 0
    assert none == []
    assert replaced == [
        {
            "input": "Which river?",
            "context": ["The Seine runs through Paris."],
            "output": "The Loire.",
            "verdict": "hallucinated",
            "reason": ["The context names the Seine."],
        }
    ]
    assert added == ours + replaced
    assert len(extended) == len(added)
    assert [shot["verdict"] for shot in extended] == [shot["verdict"] for shot in added]


def test_examples_reach_the_prompt() -> None:
    judge = ScriptedJudge({"label": FACTUAL})
    details = Hallucination(model=judge, few_shot_examples=[MINE]).score(QUESTION, ANSWER).details
    assert details is not None
    (prompt,) = details.prompts("label")
    assert "The Seine runs through Paris." in prompt
    assert all(shot["output"] not in prompt for shot in FEW_SHOT_EXAMPLES)


@pytest.mark.parametrize(
    ("shot", "problem"),
    [
        ({"input": "q", "score": 1}, "output"),
        ({"input": "q", "output": "o"}, "score"),
        ({"output": "o", "score": 0.5}, "0 .factual. or 1"),
        ({"output": "o", "score": 1, "contxt": "c"}, "contxt"),
    ],
)
def test_a_wrong_example_is_said_to_be_so(shot: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Hallucination(model=ScriptedJudge({}), few_shot_examples=[shot])


def test_name_and_positions_are_opiks() -> None:
    metric = Hallucination(ScriptedJudge({"label": HALLUCINATED}), "mine", None, True, "a project")
    result = metric.score(QUESTION, ANSWER, CONTEXT, expected_output="ignored", id=7)
    assert (result.name, result.value, result.scoring_failed) == ("mine", 1.0, False)


@pytest.mark.parametrize("output", ["", "   \n"])
def test_an_empty_output_is_not_paid_for_and_has_no_score(output: str) -> None:
    judge = ScriptedJudge({"label": FACTUAL})
    result = Hallucination(model=judge).score(QUESTION, output, CONTEXT)
    assert (result.value, result.scoring_failed) == (None, True)
    assert "empty" in (result.reason or "")
    assert judge.asked == []


def test_a_judge_that_fails_is_a_typed_error(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.features = Features(key="another")
    with pytest.raises(JudgeRejected) as caught:
        Hallucination(model="gpt-4o").score(QUESTION, ANSWER)
    assert (caught.value.status, "API key" in (caught.value.body or "")) == (401, True)


@pytest.mark.parametrize("verdict", ["maybe", "", None, 1, True, ["factual", "hallucinated"]])
def test_a_word_outside_the_vocabulary_is_no_verdict(verdict: object) -> None:
    reply = {"verdict": verdict, "reason": ["r"]}
    with pytest.raises(ReplyError):
        Hallucination(model=ScriptedJudge({"label": reply})).score(QUESTION, ANSWER)


def test_an_error_of_a_kind_of_its_own_keeps_its_status() -> None:
    class Away(JudgeUnavailable):
        kind = "away"

    judge = ScriptedJudge({"label": Away("gone", status=502, body="bad gateway")})
    metric = Hallucination(model=judge)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("halluscope._internal.engine.retrying.RetryPolicy.wait", lambda *_: 0.0)
        with pytest.raises(JudgeError, match="gone") as caught:
            metric.score(QUESTION, ANSWER)
    assert (caught.value.status, caught.value.body) == (502, "bad gateway")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o", "openai/gpt-4o"),
        ("o3-mini", "openai/o3-mini"),
        ("openai/gpt-4o", "openai/gpt-4o"),
        ("claude-3-5-sonnet-latest", "anthropic/claude-3-5-sonnet-latest"),
    ],
)
def test_bare_model_names_find_their_provider(model: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert Hallucination(model=model).judge.name == name
