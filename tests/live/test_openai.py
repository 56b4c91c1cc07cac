"""The hook for OpenAI's client, with the real one: chat and responses, whole and streamed, in both worlds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from halluscope import Case

from .answering import Scored
from .wire import CALL, SAID, Wire

pytestmark = pytest.mark.slow("imports OpenAI's SDK")

FOUND = "The tower was built in 1889 and is 300 metres high."
TOOLS: Any = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}]
ASKED: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How high is the tower?"}]
CALLED: Any = [
    *ASKED,
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": FOUND}]},
]
ITEMS: Any = [
    {"role": "user", "content": "How high is the tower?"},
    {"type": "function_call", "call_id": CALL["id"], "name": CALL["name"], "arguments": "{}"},
    {"type": "function_call_output", "call_id": CALL["id"], "output": FOUND},
    {"type": "custom_tool_call_output", "call_id": "c_2", "output": "From a tool of one's own."},
    {"type": "item_reference", "id": "x"},
]


def right(case: Case, *context: str) -> bool:
    return (case.output, case.input, case.context) == (SAID, "How high is the tower?", context)


def chat(client: Any) -> Any:
    return client.chat.completions.create(model="m", messages=CALLED, tools=TOOLS).choices[0].message.content


def chat_stream(client: Any) -> Any:
    from openai import Stream

    stream = client.chat.completions.create(model="m", messages=CALLED, stream=True)
    assert isinstance(stream, Stream) and stream.response.status_code == 200
    with stream:
        return "".join(chunk.choices[0].delta.content or "" for chunk in stream)


def chat_helper(client: Any) -> Any:
    with client.chat.completions.stream(model="m", messages=CALLED) as stream:
        return stream.get_final_completion().choices[0].message.content


def chat_raw(client: Any) -> Any:
    raw = client.chat.completions.with_raw_response.create(model="m", messages=CALLED)
    assert raw.headers["content-type"].startswith("application/json")
    assert raw.parse() is raw.parse()
    return raw.parse().choices[0].message.content


def other_options(client: Any) -> Any:
    return chat(client.with_options(timeout=20))


@pytest.mark.parametrize("call", [chat, chat_stream, chat_helper, chat_raw, other_options])
def test_chat(call: Callable[[Any], Any], wire: Wire, scored: Scored) -> None:
    from openai import OpenAI

    with OpenAI(base_url=f"{wire.url}/v1", api_key="k") as client:
        assert scored.live.openai(client) is client
        assert call(client) == SAID
    assert right(scored.only(), FOUND, "Be brief.")


def test_a_call_for_a_tool_is_no_answer(wire: Wire, scored: Scored) -> None:
    from openai import OpenAI

    with OpenAI(base_url=f"{wire.url}/v1", api_key="k") as client:
        scored.live.openai(client)
        asked = client.chat.completions.create(model="m", messages=ASKED, tools=TOOLS)
        assert asked.choices[0].message.tool_calls
    assert not scored.cases() and scored.live.counts.seen == 0


def responses(client: Any) -> Any:
    return client.responses.create(model="m", input=ITEMS, instructions="Be brief.").output_text


def responses_stream(client: Any) -> Any:
    stream = client.responses.create(model="m", input=ITEMS, instructions="Be brief.", stream=True)
    return "".join(event.delta for event in stream if event.type == "response.output_text.delta")


def responses_helper(client: Any) -> Any:
    with client.responses.stream(model="m", input=ITEMS, instructions="Be brief.") as stream:
        return stream.get_final_response().output_text


@pytest.mark.parametrize("call", [responses, responses_stream, responses_helper])
def test_responses(call: Callable[[Any], Any], wire: Wire, scored: Scored) -> None:
    from openai import OpenAI

    with OpenAI(base_url=f"{wire.url}/v1", api_key="k") as client:
        scored.live.openai(client)
        assert call(client) == SAID
    assert right(scored.only(), FOUND, "From a tool of one's own.", "Be brief.")


def test_what_the_server_itself_searched_is_context(wire: Wire, scored: Scored) -> None:
    from openai import OpenAI

    with OpenAI(base_url=f"{wire.url}/v1", api_key="k") as client:
        scored.live.openai(client)
        tools: Any = [{"type": "file_search", "vector_store_ids": ["v"]}]
        client.responses.create(model="m", input="How high is the tower?", tools=tools)
    assert right(scored.only(), "From the server's own search.")


async def test_the_asynchronous_client(wire: Wire, scored: Scored) -> None:
    from openai import AsyncOpenAI

    async with AsyncOpenAI(base_url=f"{wire.url}/v1", api_key="k") as client:
        scored.live.openai(client)
        whole = await client.chat.completions.create(model="m", messages=CALLED)
        assert whole.choices[0].message.content == SAID
        stream = await client.chat.completions.create(model="m", messages=CALLED, stream=True)
        assert "".join([chunk.choices[0].delta.content or "" async for chunk in stream]) == SAID
        async with client.responses.stream(model="m", input=ITEMS, instructions="Be brief.") as events:
            assert (await events.get_final_response()).output_text == SAID
        raw = await client.chat.completions.with_raw_response.create(model="m", messages=CALLED)
        assert raw.parse().choices[0].message.content == SAID
    await scored.live.aflush()
    cases = scored.cases()
    assert [right(case, FOUND, "Be brief.") for case in cases].count(True) == 3 and len(cases) == 4


def test_inside_a_watched_function_there_is_one_answer(wire: Wire, scored: Scored) -> None:
    from openai import OpenAI

    with OpenAI(base_url=f"{wire.url}/v1", api_key="k") as client:
        scored.live.openai(client)

        @scored.live.watch
        def answer(question: str) -> str:
            client.chat.completions.create(model="m", messages=ASKED, tools=TOOLS)
            return str(chat(client)).upper()

        assert answer("How high?") == SAID.upper()
    case = scored.only()
    assert (case.input, case.output) == ("How high?", SAID.upper())
    assert FOUND in (case.context or ())


def test_an_error_of_the_server_is_the_applications(wire: Wire, scored: Scored) -> None:
    from openai import NotFoundError, OpenAI

    with OpenAI(base_url=f"{wire.url}/nowhere", api_key="k") as client:
        scored.live.openai(client)
        with pytest.raises(NotFoundError):
            chat(client)
    assert not scored.cases()
