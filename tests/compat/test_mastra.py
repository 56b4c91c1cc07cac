"""Mastra's documents on its scorers, example by example, and the rules they state."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from halluscope._internal.core.errors import CaseError, InputError, JudgeError, PromptError
from halluscope._internal.core.result import Outcome
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.mastra import (
    GetContextParams,
    MastraScorer,
    create_faithfulness_scorer,
    create_hallucination_scorer,
    extract_tool_results,
)

from .world import World, verdicts

IPHONE = [
    "The first iPhone was announced on January 9, 2007.",
    "It was released on June 29, 2007.",
    "Steve Jobs introduced it at Macworld.",
]
SAID = "The first iPhone was announced in 2007. It cost 10 dollars. Steve Jobs introduced it at Macworld."
CLAIMS = ["The first iPhone was announced in 2007.", "The iPhone cost 10 dollars.", "Steve Jobs introduced it."]


def scripted(*words: str, **more: Any) -> ScriptedJudge:
    """A judge that finds claims `claim 1`, `claim 2`, … and gives them these words."""
    found: dict[str, Any] = {
        "extract": {"claims": [f"claim {i}" for i in range(1, len(words) + 1)]},
        "verify": {
            "verdicts": [{"id": f"c{i}", "verdict": word, "reason": f"r{i}"} for i, word in enumerate(words, start=1)]
        },
        "explain": "Because of the claims.",
    }
    return ScriptedJudge({**found, **more})


def output_for(words: tuple[str, ...]) -> str:
    return " ".join(f"This is claim {i}." for i in range(1, len(words) + 1))


def test_static_context(world: World) -> None:
    world.script.update(
        extract={"claims": CLAIMS},
        verify=verdicts(
            announced=("no", "The day lies in 2007."),
            cost=("yes", "The price is not in the context."),
            introduced=("no", "It says so."),
        ),
        explain={"reason": "The score is 0.33 because one of three claims is not in the context."},
    )
    scorer = create_hallucination_scorer(
        model="openai/gpt-4o",
        options={
            "context": [
                "The first iPhone was announced on January 9, 2007.",
                "It was released on June 29, 2007.",
                "Steve Jobs introduced it at Macworld.",
            ],
        },
    )
    result = scorer.run(input="Tell me about the first iPhone.", output=SAID)
    assert result.score == 0.33
    assert result.reason == "The score is 0.33 because one of three claims is not in the context."
    assert result.preprocess_step_result == {"claims": CLAIMS}
    assert result.analyze_step_result == {
        "verdicts": [
            {"statement": CLAIMS[0], "verdict": "no", "reason": "The day lies in 2007."},
            {"statement": CLAIMS[1], "verdict": "yes", "reason": "The price is not in the context."},
            {"statement": CLAIMS[2], "verdict": "no", "reason": "It says so."},
        ]
    }
    assert SAID in (result.preprocess_prompt or "")
    assert IPHONE[1] in (result.analyze_prompt or "")
    assert "0.33" in (result.generate_reason_prompt or "")
    assert result.run_id
    assert world.kinds == ["extract", "verify", "explain"]


TOOL_OUTPUT = [
    {
        "role": "assistant",
        "content": "It is 21 degrees in Paris and it rains.",
        "toolInvocations": [
            {
                "state": "result",
                "toolCallId": "call-1",
                "toolName": "weather",
                "args": {"city": "Paris"},
                "result": {"degrees": 21, "sky": "sunny"},
            }
        ],
    }
]


def test_dynamic_context_with_get_context(world: World) -> None:
    world.script.update(
        extract={"claims": ["It is 21 degrees in Paris.", "It rains in Paris."]},
        verify=verdicts(degrees=("no", "21 it is."), rains=("yes", "It is sunny.")),
        explain={"reason": "The score is 0.5 because it does not rain."},
    )
    scorer = create_hallucination_scorer(
        model="openai/gpt-4o",
        options={
            "get_context": lambda params: [
                json.dumps({"tool": t.tool_name, "result": t.result}) for t in extract_tool_results(params.run.output)
            ],
        },
    )
    result = scorer.run(input="What is the weather?", output=TOOL_OUTPUT)
    assert result.score == 0.5
    verify = next(material for kind, material in world.asked if kind == "verify")
    (passage,) = verify["context"]
    assert json.loads(passage["text"]) == {"tool": "weather", "result": {"degrees": 21, "sky": "sunny"}}


def test_faithfulness_by_tool_results(world: World) -> None:
    world.script.update(
        extract={"claims": ["It is 21 degrees in Paris.", "It rains in Paris.", "Paris is nice."]},
        verify={
            "verdicts": [
                {"verdict": "yes", "reason": "21 it is."},
                {"verdict": "no", "reason": "It is sunny."},
                {"verdict": "unsure", "reason": "Nothing is said."},
            ]
        },
        explain={"reason": "One of three claims is supported."},
    )
    scorer = create_faithfulness_scorer(model="openai/gpt-4o")
    result = scorer.run(input="What is the weather?", output=TOOL_OUTPUT)
    assert result.score == 0.33
    assert result.preprocess_step_result == ["It is 21 degrees in Paris.", "It rains in Paris.", "Paris is nice."]
    assert result.analyze_step_result == {
        "verdicts": [
            {"verdict": "yes", "reason": "21 it is."},
            {"verdict": "no", "reason": "It is sunny."},
            {"verdict": "unsure", "reason": "Nothing is said."},
        ]
    }
    verify = next(material for kind, material in world.asked if kind == "verify")
    assert [json.loads(p["text"]) for p in verify["context"]] == [{"degrees": 21, "sky": "sunny"}]


async def test_running_can_be_awaited(world: World) -> None:
    world.script.update(
        extract={"claims": CLAIMS},
        verify=verdicts(announced=("yes", "r"), cost=("unsure", "r"), introduced=("yes", "r")),
        explain={"reason": "Two of three."},
    )
    scorer = create_faithfulness_scorer(model="openai/gpt-4o", context=IPHONE)
    assert (await scorer.arun(input="q", output=SAID)).score == 0.67
    assert scorer.run(input="q", output=SAID).score == 0.67


@pytest.mark.parametrize(
    ("words", "scale", "score"),
    [
        (("no", "no"), 1, 0.0),
        (("yes", "no"), 1, 0.5),
        (("yes", "no", "no"), 1, 0.33),
        (("yes", "yes", "no"), 1, 0.67),
        (("yes", "no", "no"), 10, 3.33),
        (("yes", "yes", "yes"), 100, 100.0),
        (("yes",) + ("no",) * 6, 5, 0.71),
    ],
)
def test_the_score_is_scaled_and_rounded(words: tuple[str, ...], scale: float, score: float) -> None:
    scorer = create_hallucination_scorer(scripted(*words), {"context": ["c"], "scale": scale})
    result = scorer.run(output=output_for(words))
    assert result.score == score
    counted = [v["verdict"] for v in result.analyze_step_result["verdicts"]]
    assert result.score == round(counted.count("yes") / len(counted) * scale, 2)


@pytest.mark.parametrize(
    ("words", "scale", "score"),
    [(("yes", "no", "unsure"), 1, 0.33), (("unsure", "unsure"), 1, 0.0), (("yes", "yes"), 5, 5.0)],
)
def test_faithfulness_counts_supported_claims_alone(words: tuple[str, ...], scale: float, score: float) -> None:
    scorer = create_faithfulness_scorer(scripted(*words), context=["c"], scale=scale)
    result = scorer.run(output=output_for(words))
    assert result.score == score
    assert [v["verdict"] for v in result.analyze_step_result["verdicts"]] == list(words)


@pytest.mark.parametrize("output", ["", "  \n", None, [], [{"role": "assistant", "content": ""}]])
def test_an_empty_output_has_no_hallucinations(output: Any) -> None:
    judge = scripted("yes")
    called: list[Any] = []
    scorer = create_hallucination_scorer(judge, {"get_context": called.append})
    result = scorer.run(output=output)
    assert (result.score, result.outcome) == (0.0, Outcome.EMPTY_OUTPUT)
    assert result.preprocess_step_result == {"claims": []}
    assert result.analyze_step_result == {"verdicts": []}
    assert "empty" in (result.reason or "")
    assert (judge.asked, called) == ([], [])


def test_an_empty_output_is_not_faithful_either() -> None:
    judge = scripted("yes")
    result = create_faithfulness_scorer(judge, context=["c"], scale=10).run(output="")
    assert (result.score, result.outcome, judge.asked) == (0.0, Outcome.EMPTY_OUTPUT, [])
    assert "The score is 0 because the output is empty" in (result.reason or "")


@pytest.mark.parametrize("options", [{"context": []}, {"context": ["", " "]}, {"get_context": lambda _: []}])
def test_an_empty_context_makes_every_claim_a_hallucination(options: dict[str, Any]) -> None:
    judge = scripted("no", "no")
    result = create_hallucination_scorer(judge, {**options, "scale": 10}).run(output=output_for(("no", "no")))
    assert result.score == 10.0
    assert [v["verdict"] for v in result.analyze_step_result["verdicts"]] == ["yes", "yes"]
    assert [q.kind for q in judge.asked] == ["extract", "explain"]


def test_no_context_at_all_is_no_score() -> None:
    for create in (create_hallucination_scorer, create_faithfulness_scorer):
        result = create(scripted("no")).run(output="This is claim 1.")
        assert (result.score, result.outcome) == (None, Outcome.NO_CONTEXT)
        assert "context" in (result.reason or "")


def test_an_output_that_claims_nothing_has_no_score() -> None:
    judge = ScriptedJudge({"extract": {"claims": []}})
    result = create_hallucination_scorer(judge, {"context": ["c"]}).run(output="Shall I go on?")
    assert (result.score, result.outcome) == (None, Outcome.NO_CLAIMS)


def test_the_hook_is_called_in_both_steps_and_gets_the_score_in_the_second() -> None:
    seen: list[GetContextParams] = []

    def hook(params: GetContextParams) -> list[str]:
        seen.append(params)
        return ["the context"]

    output = [{"role": "assistant", "content": "This is claim 1. This is claim 2. This is claim 3."}]
    scorer = create_hallucination_scorer(scripted("yes", "no", "no"), {"get_context": hook, "scale": 2})
    result = scorer.run(
        input="q", output=output, run_id="run 7", request_context={"user": "u"}, tracing_context={"trace": "t"}
    )
    first, second = seen
    assert (first.step, second.step) == ("analyze", "generateReason")
    assert "score" not in first
    assert first.score is None
    assert (second.score, second["score"]) == (0.67, 0.67) == (result.score, result.score)
    assert first.results == {"preprocess_step_result": {"claims": ["claim 1", "claim 2", "claim 3"]}}
    assert second.results.preprocess_step_result == first.results.preprocess_step_result
    assert second.results["analyze_step_result"] == result.analyze_step_result
    for params in seen:
        run = params.run
        assert (run.input, run.output, run.run_id) == ("q", output, "run 7")
        assert (run["request_context"], run.tracing_context) == ({"user": "u"}, {"trace": "t"})
    assert result.run_id == "run 7"


async def _asynchronous(params: GetContextParams) -> list[str]:
    await asyncio.sleep(0)
    return [f"context of {params.step}"]


class _Object:
    async def __call__(self, params: GetContextParams) -> list[str]:
        return [f"context of {params['step']}"]


def _by_keyword(*, run: Any, step: str, **_: Any) -> list[str]:
    assert run.output
    return [f"context of {step}"]


def _all_four(run: Any, results: Any, score: float | None, step: str) -> list[str]:
    assert (score is None) == (step == "analyze")
    assert results.preprocess_step_result
    return [f"context of {step}"]


@pytest.mark.parametrize(
    "hook",
    [
        lambda params: [f"context of {params.step}"],
        lambda step: [f"context of {step}"],
        lambda: ["context of analyze"],
        lambda *given: [f"context of {given[0].step}"],
        lambda **given: [f"context of {given['step']}"],
        lambda params: _asynchronous(params),
        lambda params: f"context of {params.step}",
        lambda params: (text for text in [f"context of {params.step}"]),
        _asynchronous,
        _Object(),
        _by_keyword,
        _all_four,
    ],
)
def test_hooks_of_every_form(hook: Any) -> None:
    judge = scripted("no")
    scorer = create_hallucination_scorer(judge, {"get_context": hook, "context": ["static"]})
    result = scorer.run(output="This is claim 1.")
    assert result.score == 0.0
    verify = next(question for question in judge.asked if question.kind == "verify")
    assert [p.text for p in verify.passages] == ["context of analyze"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("hook", "says"),
    [
        (lambda params: params.nothing, "nothing"),
        (lambda params: 1 / 0, "ZeroDivisionError"),
        (lambda params: None, "None"),
        (lambda params: 7, "int"),
        (lambda a, b: [], "TypeError"),
    ],
)
def test_a_hook_that_fails_is_a_result_that_says_so(hook: Any, says: str) -> None:
    result = create_hallucination_scorer(scripted("no"), {"get_context": hook}).run(output="This is claim 1.")
    assert (result.score, result.outcome) == (None, Outcome.FAILED)
    assert result.failure is not None
    assert "get_context" in result.failure.message
    assert says in result.failure.message


def test_a_hook_that_fails_in_the_second_step_costs_the_reason_not_the_score() -> None:
    def hook(params: GetContextParams) -> list[str]:
        if params.step == "generateReason":
            raise RuntimeError("too late")
        return ["c"]

    result = create_hallucination_scorer(scripted("yes", "no"), {"get_context": hook}).run(
        output="This is claim 1. This is claim 2."
    )
    assert result.score == 0.5
    assert "1 of 2 claims" in (result.reason or "")
    assert result.result is not None
    assert any("too late" in note for note in result.result.notes)


def test_unreadable_characters_from_a_hook_are_cleaned_and_said() -> None:
    result = create_hallucination_scorer(scripted("no"), {"get_context": lambda _: ["a \ud800 b"]}).run(
        output="This is claim 1."
    )
    assert result.score == 0.0
    assert result.result is not None
    assert any("unreadable" in note for note in result.result.notes)


async def test_runs_at_once_keep_their_own_context() -> None:
    async def hook(params: GetContextParams) -> list[str]:
        await asyncio.sleep(0.001 * (hash(params.run.run_id) % 7))
        return [f"context for {params.run.run_id}"]

    def answer(question: Any) -> Any:
        if question.kind == "extract":
            return {"claims": [question.output]}
        if question.kind == "verify":
            own = question.claims[0].text.split()[-1] in question.passages[0].text
            return {"verdicts": [{"id": "c1", "verdict": "no" if own else "yes"}]}
        return "Because."

    scorer = create_hallucination_scorer(ScriptedJudge(answer, latency=0.001), {"get_context": hook})
    results = await asyncio.gather(
        *(scorer.arun(output=f"the output of run-{i:03}", run_id=f"run-{i:03}") for i in range(100))
    )
    assert [result.score for result in results] == [0.0] * 100
    assert [result.run_id for result in results] == [f"run-{i:03}" for i in range(100)]


def test_a_judge_that_fails_is_a_result_without_a_score() -> None:
    judge = ScriptedJudge({"extract": JudgeError("broken", status=400, body="why")})
    result = create_hallucination_scorer(judge, {"context": ["c"]}).run(output="This is claim 1.")
    assert (result.score, result.outcome) == (None, Outcome.FAILED)
    assert result.failure is not None
    assert (result.failure.status, result.failure.body) == (400, "why")
    assert "broken" in (result.reason or "")


def test_options_by_keyword_or_in_one_object() -> None:
    judge = scripted("yes")
    made = [
        create_hallucination_scorer(model=judge, options={"context": ["c"], "scale": 2}),
        create_hallucination_scorer(model=judge, context=["c"], scale=2),
        create_hallucination_scorer({"model": judge, "options": {"context": ["c"], "scale": 2}}),
        create_hallucination_scorer({"model": judge, "context": ["c"], "scale": 2}),
    ]
    assert [scorer.run(output="This is claim 1.").score for scorer in made] == [2.0] * 4
    assert all(isinstance(scorer, MastraScorer) for scorer in made)
    assert {scorer.id for scorer in made} == {"hallucination-scorer"}
    assert made[0].name == "Hallucination Scorer"
    assert made[0].description
    faithful = create_faithfulness_scorer({"model": judge, "context": ["c"]}, id="mine", name="Mine")
    assert (faithful.id, faithful.name) == ("mine", "Mine")
    assert create_faithfulness_scorer(judge).id == "faithfulness-scorer"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"scale": 0}, "scale"),
        ({"scale": -1}, "scale"),
        ({"scale": float("nan")}, "scale"),
        ({"scale": float("inf")}, "scale"),
        ({"scale": True}, "scale"),
        ({"scale": "10"}, "scale"),
        ({"resolve_context": True}, "resolve_context"),
        ({"get_context": ["c"]}, "get_context"),
        ({"id": ""}, "id"),
        ({"id": 7}, "id"),
    ],
)
def test_wrong_options_are_refused_when_the_scorer_is_made(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        create_hallucination_scorer(scripted("no"), options)


def test_more_wrong_options() -> None:
    with pytest.raises(InputError, match="twice"):
        create_hallucination_scorer(scripted("no"), {"scale": 2}, scale=3)
    with pytest.raises(CaseError, match="context"):
        create_hallucination_scorer(scripted("no"), {"context": 7})
    with pytest.raises(PromptError, match="context"):
        create_hallucination_scorer(scripted("no"), {"prompts": {"verify": "Judge {{claims}}."}})


def test_a_scorer_can_be_declared_without_a_key_but_not_run() -> None:
    scorer = create_hallucination_scorer(model="openai/gpt-4o", options={"context": ["c"]})
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        scorer.run(output="This is claim 1.")


def test_strict_and_reasons_are_those_of_the_metric() -> None:
    scorer = create_hallucination_scorer(
        scripted("yes", "no", "no"), {"context": ["c"], "strict": True, "include_reason": False}
    )
    result = scorer.run(output=output_for(("yes", "no", "no")))
    assert result.result is not None
    assert (result.score, result.reason, result.result.passed) == (0.33, None, False)
    assert result.generate_reason_prompt is None


def test_many_claims_are_asked_about_in_several_prompts() -> None:
    words = ("no",) * 45

    def answer(question: Any) -> Any:
        if question.kind == "extract":
            return {"claims": [f"claim {i}" for i in range(45)]}
        if question.kind == "verify":
            return {"verdicts": [{"id": claim.id, "verdict": "no"} for claim in question.claims]}
        return "Because."

    result = create_hallucination_scorer(ScriptedJudge(answer), {"context": ["c"]}).run(output=output_for(words))
    assert result.score == 0.0
    assert len(result.preprocess_step_result["claims"]) == 45
    assert all(f'"claim {i}"' in (result.analyze_prompt or "") for i in range(45))


def test_the_embedded_judge_shows_no_prompts() -> None:
    scorer = create_hallucination_scorer(model="local", options={"context": IPHONE})
    result = scorer.run(output="The first iPhone was announced in 2007. Steve Jobs introduced it at Macworld.")
    assert result.score == 0.0
    assert (result.preprocess_prompt, result.analyze_prompt, result.generate_reason_prompt) == (None, None, None)
    assert len(result.preprocess_step_result["claims"]) == len(result.analyze_step_result["verdicts"]) >= 2
