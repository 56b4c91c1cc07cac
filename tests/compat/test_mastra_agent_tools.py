"""An agent's tools and its streams."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from halluscope._internal.errors import InputError, JudgeError
from halluscope.compat.mastra import Agent, create_faithfulness_scorer, create_scorer, run_evals

from ..loopback import Faults, Features, Loopback


def height(of: str, unit: str = "m") -> dict[str, Any]:
    """How tall something is."""
    if of != "tower":
        raise LookupError(of)
    return {"height": 330, "unit": unit}


def wants(tool: str, **args: Any) -> dict[str, Any]:
    return {"tool": tool, "args": args}


def test_a_chat_model_uses_the_tools_and_scorers_see_what_they_returned(server: Loopback) -> None:
    def answer(asked: Any) -> Any:
        if "extract" in asked.kind:
            return {"claims": ["The tower is 330 m tall."]}
        if asked.kind == "verify":
            held = "330" in asked.prompt
            return {"verdicts": [{"id": "c1", "verdict": "yes" if held else "unsure"}]}
        return "The tower is 330 m tall." if "returned:" in asked.prompt else wants("height", of="tower")

    server.answer = answer
    scorer = create_faithfulness_scorer("openai/judge", base_url=server.base_url, include_reason=False)
    agent = Agent(
        id="towers",
        model="openai/m",
        instructions="You know towers.",
        tools={"height": height},
        scorers={"faithfulness": {"scorer": scorer, "sampling": {"type": "ratio", "rate": 1.0}}},
        base_url=server.base_url,
    )
    response = agent.generate("How tall is the tower?")
    assert response.text == "The tower is 330 m tall."
    (call,) = response.tool_results
    assert (call.tool_name, call.args, call.result) == ("height", {"of": "tower"}, {"height": 330, "unit": "m"})
    assert agent.flush(60)
    assert [live.result.score for live in agent.scores] == [1.0]
    told = server.calls[0].asked.prompt
    assert "You know towers." in told and "How tall something is." in told and '"of": {"type": "string"}' in told


class Search:
    id = "search"
    description = "Searches."
    input_schema = {"type": "object", "properties": {"query": {"type": "string"}}}

    async def execute(self, query: str) -> str:
        await asyncio.sleep(0)
        return f"found {query}"


@pytest.mark.parametrize(
    "tools",
    [
        [Search()],
        {"search": Search()},
        [{"id": "search", "description": "Searches.", "execute": lambda context: f"found {context['query']}"}],
        [{"id": "search", "inputSchema": {"type": "object"}, "execute": lambda query: f"found {query}"}],
    ],
)
def test_tools_of_every_form(tools: Any) -> None:
    def model(prompt: str) -> Any:
        return "Done." if "found towers" in prompt else wants("search", query="towers")

    agent = Agent(name="a", model=model, tools=tools)
    response = agent.generate("q")
    assert (response.text, [found.result for found in response.tool_results]) == ("Done.", ["found towers"])


def test_a_tool_that_fails_and_one_that_does_not_exist_end_nothing() -> None:
    asked: list[str] = []

    def model(prompt: str) -> Any:
        asked.append(prompt)
        return wants("height", of="mill") if len(asked) == 1 else wants("weight", of="mill")

    response = Agent(name="a", model=model, tools=[height]).generate("q")
    (call,) = response.tool_results
    assert call.is_error and call.result == "LookupError: mill"
    assert "LookupError: mill" in asked[1]
    assert "weight" in response.text, "what is no call of a tool is the answer"


def test_a_model_that_never_stops_calling_tools_is_asked_for_an_answer() -> None:
    def model(prompt: str) -> Any:
        return wants("height", of="tower") if "You can use these tools" in prompt else "330 m."

    agent = Agent(name="a", model=model, tools=[height], max_steps=3)
    response = agent.generate("q")
    assert (response.text, len(response.tool_results)) == ("330 m.", 3)
    assert len(agent.generate("q", max_steps=1).tool_results) == 1
    told = run_evals(data=[{"input": "q"}], scorers=[calls()], target=agent, target_options={"maxSteps": 2})
    assert told.scores == {"calls": 2.0}


def calls() -> Any:
    return create_scorer(id="calls").generate_score(lambda run: len(run.output.tool_results))


@pytest.mark.parametrize("tools", [[7], [{"id": "x"}], {"x": {"execute": None}}])
def test_wrong_tools_are_said(tools: Any) -> None:
    with pytest.raises(InputError, match="a tool is a function"):
        Agent(name="a", model=str, tools=tools)


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


def scored() -> Any:
    return create_scorer(id="length").generate_score(lambda run: len(run.output[0]["content"]))


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_an_answer_streams_word_by_word_and_is_scored_at_its_end(server: Loopback, protocol: str) -> None:
    server.answer = lambda asked: "The tower is 330 m tall."
    where = {"openai": server.base_url, "anthropic": server.url}[protocol]
    agent = Agent(id="a", model=f"{protocol}/m", scorers=[scored()], base_url=where, api_key="a key for loopback")
    stream = agent.stream("How tall?")
    pieces = list(stream.text_stream)
    assert pieces == ["The ", "tower ", "is ", "330 ", "m ", "tall."]
    assert stream.response is not None and stream.text == "The tower is 330 m tall."
    assert agent.flush(60)
    assert [live.result.score for live in agent.scores] == [24.0]
    assert server.calls[0].asked.body["stream"] is True


async def test_a_stream_can_be_awaited(server: Loopback) -> None:
    server.answer = lambda asked: "One two."
    agent = Agent(id="a", model="openai/m", base_url=server.base_url)
    stream = await agent.astream([{"role": "user", "content": "q"}])
    assert [piece async for piece in stream.text_stream] == ["One ", "two."]
    assert stream.response is not None and stream.response.text == "One two."


def pieces(prompt: str) -> Iterator[str]:
    yield from ("One ", "two.")


async def apieces(prompt: str) -> AsyncIterator[str]:
    for piece in ("One ", "two."):
        yield piece


@pytest.mark.parametrize("model", [pieces, apieces, lambda prompt: "One two."])
def test_models_of_ones_own_stream_too(model: Any) -> None:
    agent = Agent(id="a", model=model, scorers=[scored()])
    assert agent.generate("q", scorers=[]).text == "One two."
    stream = agent.stream("q")
    assert stream.text == "One two."
    assert agent.flush(60)
    assert [live.result.score for live in agent.scores] == [8.0]
    with pytest.raises(InputError, match="read once"):
        list(stream)
    assert stream.text == "One two." and agent.flush(60) and len(agent.scores) == 1


def test_a_stream_with_tools_is_the_answer_they_led_to() -> None:
    def model(prompt: str) -> Any:
        return "330 m." if "returned:" in prompt else wants("height", of="tower")

    stream = Agent(id="a", model=model, tools=[height]).stream("q")
    assert list(stream) == ["330 m."]
    assert stream.response is not None and len(stream.response.tool_results) == 1


def test_a_stream_that_breaks_off_raises_and_is_not_scored(server: Loopback) -> None:
    server.answer = lambda asked: "One two three four."
    server.faults = Faults(hung_up=1.0)
    agent = Agent(id="a", model="openai/m", scorers=[scored()], base_url=server.base_url)
    heard: list[str] = []
    with pytest.raises(JudgeError, match="broke off"):
        heard.extend(agent.stream("q"))
    assert agent.flush(60) and agent.scores == []


def test_a_server_that_refuses_a_stream_is_an_error_with_its_status(server: Loopback) -> None:
    server.features = Features(key="another key")
    agent = Agent(id="a", model="openai/m", base_url=server.base_url, timeout=30)
    with pytest.raises(JudgeError) as caught:
        _ = agent.stream("q").text
    assert caught.value.status == 401


def test_who_stops_listening_stops_the_answer() -> None:
    going = threading.Event()

    async def model(prompt: str) -> AsyncIterator[str]:
        try:
            while True:
                yield "on and on "
                await asyncio.sleep(0.001)
        finally:
            going.set()

    agent = Agent(id="a", model=model, scorers=[scored()])
    for piece in agent.stream("q"):
        assert piece == "on and on "
        break
    assert going.wait(60)
    assert agent.flush(60) and agent.scores == []
