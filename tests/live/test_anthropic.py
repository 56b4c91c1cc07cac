"""The hook for Anthropic's client, with the real one: whole and streamed, in both worlds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from halluscope import Case

from .answering import Scored
from .wire import SAID, Wire

pytestmark = pytest.mark.slow("imports Anthropic's SDK")

FOUND = "The tower was built in 1889 and is 300 metres high."
DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "It is in Paris."}}
MESSAGES: Any = [
    {"role": "user", "content": [DOCUMENT, {"type": "text", "text": "How high is the tower?"}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "look_up", "input": {}}]},
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": FOUND}]}],
    },
]
SENT: Any = {"model": "m", "max_tokens": 99, "system": "Be brief.", "messages": MESSAGES}
TOOLS: Any = [{"name": "look_up", "input_schema": {"type": "object"}}]


def right(case: Case) -> bool:
    asked = "How high is the tower?"
    return (case.output, case.input, case.context) == (SAID, asked, (FOUND, "It is in Paris.", "Be brief."))


def whole(client: Any) -> Any:
    return client.messages.create(**SENT).content[0].text


def stream(client: Any) -> Any:
    events = client.messages.create(**SENT, stream=True)
    return "".join(event.delta.text for event in events if event.type == "content_block_delta")


def helper(client: Any) -> Any:
    with client.messages.stream(**SENT) as events:
        return "".join(events.text_stream)


def raw(client: Any) -> Any:
    return client.messages.with_raw_response.create(**SENT).parse().content[0].text


@pytest.mark.parametrize("call", [whole, stream, helper, raw])
def test_messages(call: Callable[[Any], Any], wire: Wire, scored: Scored) -> None:
    from anthropic import Anthropic

    with Anthropic(base_url=wire.url, api_key="k") as client:
        assert scored.live.anthropic(client) is client
        assert call(client) == SAID
    assert right(scored.only())


async def test_the_asynchronous_client(wire: Wire, scored: Scored) -> None:
    from anthropic import AsyncAnthropic

    async with AsyncAnthropic(base_url=wire.url, api_key="k") as client:
        scored.live.anthropic(client)
        assert (await client.messages.create(**SENT)).content[0].text == SAID
        async with client.messages.stream(**SENT) as events:
            assert "".join([text async for text in events.text_stream]) == SAID
    await scored.live.aflush()
    assert [right(case) for case in scored.cases()] == [True, True]


def test_a_call_for_a_tool_is_no_answer(wire: Wire, scored: Scored) -> None:
    from anthropic import Anthropic

    with Anthropic(base_url=wire.url, api_key="k") as client:
        scored.live.anthropic(client)
        asked = client.messages.create(model="m", max_tokens=9, messages=MESSAGES[:1], tools=TOOLS)
        assert asked.content[0].type == "tool_use"
    assert not scored.cases() and scored.live.counts.seen == 0
