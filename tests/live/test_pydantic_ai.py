"""An agent of pydantic-ai under watch, with the real package and a server that speaks OpenAI's protocol."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import halluscope

from .answering import FACT, Scored
from .wire import SAID, Wire

pytestmark = pytest.mark.slow("imports Pydantic AI")


def agent(model: Any) -> Any:
    from pydantic_ai import Agent

    def look_up(what: str) -> dict[str, str]:
        return {"text": FACT, "about": what}

    return Agent(model, instructions="Be brief.", tools=[look_up])


async def test_runs_of_every_kind(wire: Wire, scored: Scored) -> None:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(base_url=f"{wire.url}/v1", api_key="k")
    watched = scored.live.pydantic_ai(agent(OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client))))
    assert (await watched.run("How high?")).output == SAID
    async with watched.iter("How high?") as run:
        async for _ in run:
            pass
    history = [*run.result.all_messages()]
    async with watched.run_stream("How high?", message_history=history) as stream:
        assert "".join([text async for text in stream.stream_text(delta=True)]) == SAID
    await client.close()
    await scored.live.aflush()
    cases = scored.cases()
    assert [(case.output, case.input) for case in cases] == [(SAID, "How high?")] * 3
    assert all(any(FACT in passage for passage in case.context or ()) for case in cases)
    assert all("Be brief." in (case.context or ()) for case in cases)


def test_in_a_program_without_a_loop(scored: Scored) -> None:
    from pydantic_ai.models.test import TestModel

    watched = scored.live.pydantic_ai(agent(TestModel(custom_output_text=SAID)))
    loop = asyncio.new_event_loop()  # it would make one, and leave it open
    asyncio.set_event_loop(loop)
    assert watched.run_sync("How high?").output == SAID
    asyncio.set_event_loop(None)
    loop.close()
    case = scored.only()
    assert case.output == SAID and any(FACT in passage for passage in case.context or ())


def test_something_else_is_refused(scored: Scored) -> None:
    with pytest.raises(halluscope.InputError, match="is not an agent of pydantic-ai"):
        scored.live.pydantic_ai(object())
