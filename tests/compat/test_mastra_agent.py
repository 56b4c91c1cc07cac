"""An agent whose answers are scored while it works."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from typing import Any

import pytest

from halluscope._internal.core.errors import InputError, JudgeRejected
from halluscope._internal.core.result import Outcome
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.mastra import Agent, create_hallucination_scorer, extract_tool_results

from ..helpers.loopback import Features, Loopback
from ..helpers.oracle import Asked, oracle


def scorer(latency: float = 0.0, **options: Any) -> Any:
    judge = ScriptedJudge(
        {
            "extract": {"claims": ["It is 21 degrees."]},
            "verify": {"verdicts": [{"id": "c1", "verdict": "no"}]},
            "explain": "Because.",
        },
        latency=latency,
    )
    return create_hallucination_scorer(judge, {"context": ["It is 21 degrees."], **options})


def model(prompt: str) -> str:
    return "It is 21 degrees."


def test_live_scoring_over_http(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.answer = lambda asked: "It is sunny." if asked.kind == "unknown" else oracle(asked)
    hallucination_scorer = create_hallucination_scorer(
        model="openai/gpt-4o",
        options={
            "get_context": lambda params: [
                json.dumps({"tool": t.tool_name, "result": t.result}) for t in extract_tool_results(params.run.output)
            ],
        },
    )
    agent = Agent(
        name="my-agent",
        model="openai/gpt-4o",
        instructions="You are a helpful assistant.",
        evals={
            "scorers": [hallucination_scorer],
        },
    )
    response = agent.generate("How is the weather?")
    assert response.text == "It is sunny."
    asked: Asked = server.calls[0].asked
    assert (asked.system, asked.user) == ("You are a helpful assistant.", "How is the weather?")
    assert "response_format" not in asked.body
    assert "temperature" not in asked.body
    assert agent.flush(60)
    (live,) = agent.scores
    assert (live.scorer_id, live.run_id) == ("hallucination-scorer", response.run_id)
    assert live.result.score == 1.0
    assert live.result.run_id == response.run_id


def test_tools_of_the_answer_reach_the_hook() -> None:
    def with_tools(prompt: str) -> list[dict[str, Any]]:
        call = {"state": "result", "toolCallId": "t", "toolName": "weather", "args": {}, "result": {"degrees": 21}}
        return [{"role": "assistant", "content": "It is 21 degrees.", "toolInvocations": [call]}]

    contexts: list[list[str]] = []

    def hook(*, run: Any, **_: Any) -> list[str]:
        contexts.append([json.dumps(t.result) for t in extract_tool_results(run.output)])
        return contexts[-1]

    agent = Agent(name="a", model=with_tools, evals={"scorers": [scorer(get_context=hook)]})
    response = agent.generate("How warm is it?")
    assert response.text == "It is 21 degrees."
    assert [t.tool_name for t in response.tool_results] == ["weather"]
    assert agent.flush(60)
    assert contexts == [['{"degrees": 21}']] * 2
    assert agent.scores[0].result.score == 0.0


def test_scoring_does_not_hold_up_the_answer() -> None:
    let_go = threading.Event()

    def hook(params: Any) -> list[str]:
        let_go.wait(60)
        return ["It is 21 degrees."]

    agent = Agent(name="a", model=model, evals={"scorers": [scorer(get_context=hook)]})
    assert agent.generate("q").text == "It is 21 degrees."
    assert agent.scores == []
    assert agent.flush(0.01) is False
    let_go.set()
    assert agent.flush(60) is True
    assert len(agent.scores) == 1


class Broken:
    id = "broken"

    async def arun(self, **_: Any) -> Any:
        raise RuntimeError("not my day")


def test_a_scorer_that_breaks_does_not_break_the_answer() -> None:
    agent = Agent(name="a", model=model, evals={"scorers": [Broken(), scorer()]})
    assert agent.generate("q").text == "It is 21 degrees."
    assert agent.flush(60)
    found = {live.scorer_id: live.result for live in agent.scores}
    assert (found["broken"].score, found["broken"].outcome) == (None, Outcome.FAILED)
    assert "not my day" in (found["broken"].reason or "")
    assert found["hallucination-scorer"].score == 0.0


def test_scores_outlive_the_loop_the_answer_was_made_in() -> None:
    agent = Agent(name="a", model=model, evals={"scorers": [scorer(latency=0.02)]})
    asyncio.run(_generated(agent))
    assert agent.flush(60)
    assert [live.result.score for live in agent.scores] == [0.0]


async def _generated(agent: Agent) -> None:
    await agent.agenerate("q")


async def test_waiting_for_scores_can_be_awaited_and_given_up() -> None:
    let_go = threading.Event()

    def hook(params: Any) -> list[str]:
        let_go.wait(60)
        return ["It is 21 degrees."]

    agent = Agent(name="a", model=model, evals={"scorers": [scorer(get_context=hook)]})
    await agent.agenerate("q")
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(agent.aflush(), 0.01)
    let_go.set()
    await agent.aflush()
    assert [live.result.score for live in agent.scores] == [0.0]


def test_many_threads_lose_no_score() -> None:
    agent = Agent(name="a", model=model, evals={"scorers": [scorer()]})

    def work() -> None:
        for _ in range(10):
            agent.generate("q")
            _ = agent.scores

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert agent.flush(120)
    assert len({live.run_id for live in agent.scores}) == 80


def test_the_callback_hears_of_every_score() -> None:
    heard: list[tuple[str, float | None]] = []
    agent = Agent(
        name="a",
        model=model,
        evals={"scorers": [scorer()]},
        on_score=lambda live: heard.append((live.run_id, live.result.score)),
    )
    response = agent.generate("q")
    assert agent.flush(60)
    assert heard == [(response.run_id, 0.0)]


def test_a_callback_that_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def fails(*, scorer_id: str, **_: Any) -> None:
        raise RuntimeError(f"cannot store {scorer_id}")

    agent = Agent(name="teller", model=model, evals={"scorers": [scorer()]}, on_score=fails)
    with caplog.at_level(logging.WARNING):
        agent.generate("q")
        assert agent.flush(60)
    assert len(agent.scores) == 1
    assert "teller" in caplog.text
    assert "cannot store hallucination-scorer" in caplog.text


def test_a_backlog_is_bounded_and_what_is_left_out_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("halluscope.compat.mastra._agent._WAITING", 3)
    monkeypatch.setattr("halluscope.compat.mastra._agent._AT_ONCE", 1)
    let_go = threading.Event()

    def hook(params: Any) -> list[str]:
        let_go.wait(60)
        return ["It is 21 degrees."]

    agent = Agent(name="a", model=model, evals={"scorers": [scorer(get_context=hook)]})
    for _ in range(10):
        agent.generate("q")
    assert agent.skipped >= 5, "three may wait; one is being scored, and one may be about to"
    let_go.set()
    assert agent.flush(60)
    assert len(agent.scores) + agent.skipped == 10


def test_sampling_takes_the_rate_and_the_same_runs_for_all_scorers() -> None:
    agent = Agent(
        name="a",
        model=model,
        evals={
            "scorers": [scorer(id="one"), scorer(id="two"), {"scorer": scorer(id="all"), "sampling": None}],
            "sampling": {"type": "ratio", "rate": 0.3},
        },
    )
    for i in range(200):
        agent.generate("q", run_id=f"run {i}")
    assert agent.flush(120)
    chosen = {id: {live.run_id for live in agent.scores if live.scorer_id == id} for id in ("one", "two", "all")}
    assert chosen["one"] == chosen["two"]
    assert 35 <= len(chosen["one"]) <= 85
    assert len(chosen["all"]) == 200


def test_no_sampling_scores_nothing() -> None:
    for sampling in ({"type": "none"}, {"type": "ratio", "rate": 0}):
        agent = Agent(name="a", model=model, evals={"scorers": [scorer()], "sampling": sampling})
        agent.generate("q")
        assert agent.flush(60)
        assert agent.scores == []


@pytest.mark.parametrize(
    ("evals", "problem"),
    [
        ({"scorer": []}, "scorer"),
        ({"scorers": "all"}, "list"),
        ({"scorers": ["hallucination"]}, "no scorer"),
        ({"scorers": [], "sampling": {"type": "sometimes"}}, "sometimes"),
        ({"scorers": [], "sampling": {"type": "ratio", "rate": 2}}, "rate"),
        ({"scorers": [], "sampling": {"type": "ratio", "rate": "0.5"}}, "rate"),
        ({"scorers": [], "sampling": {"type": "ratio"}}, "rate"),
        ({"scorers": [], "sampling": {"type": "ratio", "ratio": 0.5}}, "ratio"),
        ({"scorers": [], "sampling": 0.5}, "sampling"),
        ({"scorers": [{"scorer": Broken(), "rate": 0.5}]}, "rate"),
    ],
)
def test_settings_nobody_knows_are_refused(evals: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Agent(name="a", model=model, evals=evals)


def test_conversations_and_models_of_every_form() -> None:
    prompts: list[str] = []

    class Own:
        async def complete(self, prompt: str) -> str:
            prompts.append(prompt)
            return "An answer."

    agent = Agent(name="a", model=Own(), instructions="Be brief.")
    assert agent.generate("One question").text == "An answer."
    assert agent.generate([{"role": "user", "content": "One message"}]).text == "An answer."
    conversation = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
    assert agent.generate([*conversation, {"role": "user", "content": "More"}]).messages == [
        {"role": "assistant", "content": "An answer."}
    ]
    assert prompts == [
        "Be brief.\n\nOne question",
        "Be brief.\n\nOne message",
        "Be brief.\n\nuser: Hello\n\nassistant: Hi\n\nuser: More",
    ]


def test_a_model_that_fails_fails_the_answer_and_is_called_once() -> None:
    calls: list[str] = []

    def fails(prompt: str) -> str:
        calls.append(prompt)
        raise ConnectionError("no line")

    agent = Agent(name="a", model=fails, evals={"scorers": [scorer()]})
    with pytest.raises(ConnectionError, match="no line"):
        agent.generate("q")
    assert (len(calls), agent.scores) == (1, [])
    with pytest.raises(InputError, match="None"):
        Agent(name="a", model=lambda prompt: None).generate("q")


def test_a_chat_model_that_refuses_is_a_typed_error(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.features = Features(key="another")
    with pytest.raises(JudgeRejected) as caught:
        Agent(name="a", model="openai/gpt-4o").generate("q")
    assert caught.value.status == 401


def test_a_judge_does_not_write() -> None:
    for judge in ("local", ScriptedJudge({})):
        with pytest.raises(InputError, match="does not write"):
            Agent(name="a", model=judge).generate("q")


def test_tools_are_for_the_model_to_run() -> None:
    with pytest.raises(InputError, match="runs no tools: pass as model="):
        Agent(name="a", model=str, tools=[len])


def test_an_agent_needs_a_name_and_takes_no_option_nobody_knows() -> None:
    with pytest.raises(InputError, match="needs a name"):
        Agent(model=str)
    with pytest.raises(InputError, match="modell"):
        Agent(id="a", modell=str)
    with pytest.raises(InputError, match="temperature"):
        Agent(id="a", model=str, temperature=0.5).generate("q")
    with pytest.raises(InputError, match="given twice"):
        Agent(id="a", model=str, scorers=[], evals={"scorers": []})
    agent = Agent(id="a", model=str)
    assert (agent.id, agent.name) == ("a", "a")
