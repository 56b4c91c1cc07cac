"""Hooks for the OpenAI Agents SDK, with the real package and a server that speaks OpenAI's protocols."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from .answering import FACT, Scored
from .wire import SAID, Wire

pytestmark = pytest.mark.slow("imports the Agents SDK")


def agent(client: Any, kind: str) -> Any:
    from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, function_tool, set_tracing_disabled

    set_tracing_disabled(True)
    models: Any = {"chat": OpenAIChatCompletionsModel, "responses": OpenAIResponsesModel}

    @function_tool
    def look_up(what: str) -> str:
        """Look something up."""
        return FACT

    model = models[kind](model="m", openai_client=client)
    return Agent(name="guide", instructions="Be brief.", tools=[look_up], model=model)


@pytest.mark.parametrize("kind", ["chat", "responses"])
async def test_a_run_with_a_tool(kind: str, wire: Wire, scored: Scored) -> None:
    from agents import Runner
    from openai import AsyncOpenAI

    hooks = scored.live.openai_agents()
    client = AsyncOpenAI(base_url=f"{wire.url}/v1", api_key="k")
    guide = agent(client, kind)
    results = await asyncio.gather(*(Runner.run(guide, f"How high is it, {n}?", hooks=hooks) for n in range(3)))
    assert [result.final_output for result in results] == [SAID] * 3
    await client.close()
    await scored.live.aflush()
    cases = scored.cases()
    assert sorted(str(case.input) for case in cases) == [f"How high is it, {n}?" for n in range(3)]
    for case in cases:
        assert case.output == SAID and FACT in (case.context or ()) and "Be brief." in (case.context or ())
    assert not hooks._answers
