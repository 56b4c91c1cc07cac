"""The guard over HTTP: a text that is whole, and one that is still being written."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

import halluscope
from halluscope._internal.serving.http.settings import ServerSettings
from halluscope._internal.serving.service.limits import Limits

from ...helpers.serving import Served
from ...helpers.waiting import until
from .conftest import TOKEN
from .test_check import lines

CONTEXT = ["Marie Curie was born in Warsaw in 1867. She won the Nobel Prize in Physics in 1903."]
PIECES = ["Marie Curie won the Nobel ", "Prize in Physics in 1903. She was born ", "in Berlin. She was born in 1867."]


@pytest.mark.slow("guards many texts with the embedded judge")
@pytest.mark.parametrize("policy", ["pass", "mark", "replace", "repair", "stop"])
@pytest.mark.usefixtures("remembered_readings")
async def test_a_text_is_guarded_as_the_library_guards_it(client: aiohttp.ClientSession, policy: Any) -> None:
    body = {"output": PIECES, "context": CONTEXT, "policy": policy, "replacement": "[…]"}
    async with client.post("/v1/guard", json=body) as response:
        *sentences, end = [event async for event in lines(response)]
    guarded = halluscope.guard(iter(PIECES), CONTEXT, policy=policy, replacement="[…]")
    shown = "".join(guarded)
    assert [sentence["text"] for sentence in sentences] == [sentence.text for sentence in guarded.sentences]
    assert [sentence["action"] for sentence in sentences] == [sentence.action for sentence in guarded.sentences]
    assert (end["shown"], end["original"], end["stopped"]) == (shown, guarded.original, guarded.stopped)
    assert end["flagged"] == 1
    passed_on = "".join(s["before"] + s["shown"] for s in sentences if s["action"] != "stopped")
    assert passed_on == shown


async def test_sentences_come_back_while_the_text_is_still_being_sent(client: aiohttp.ClientSession) -> None:
    seen = asyncio.Event()

    async def writing() -> AsyncIterator[bytes]:
        yield json.dumps({"context": CONTEXT}).encode() + b"\n"
        yield b'{"text": "Marie Curie was born in Warsaw. "}\n{"text": "She was '
        yield b'born in 1867. She was "}\n'
        await asyncio.wait_for(seen.wait(), 60)  # the answer to what was written is there before the rest is
        yield b'{"text": "born in Berlin."}'

    headers = {"content-type": "application/x-ndjson"}
    found = []
    async with client.post("/v1/guard", data=writing(), headers=headers) as response:
        async for event in lines(response):
            found.append(event)
            if len(found) == 2:
                seen.set()
    assert [event.get("action") for event in found] == ["passed", "passed", "marked", None]
    assert found[-1]["original"] == "Marie Curie was born in Warsaw. She was born in 1867. She was born in Berlin."


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("", 400, "not_json"),
        ("{", 400, "not_json"),
        ('{"text": "x"}\n', 422, "invalid"),
        ('{"context": ["x"], "policy": "shout"}\n', 422, "invalid"),
        ('{"context": ["x"], "judge": "openai/x"}\n{"text": "Hello there."}\n', 422, "invalid"),
    ],
)
async def test_bad_lines_are_told(client: aiohttp.ClientSession, body: str, status: int, code: str) -> None:
    headers = {"content-type": "application/x-ndjson"}
    async with client.post("/v1/guard", data=body, headers=headers) as response:
        told = [json.loads(line) for line in (await response.text()).splitlines()]
        assert response.status == status, told
        assert told[-1]["error"]["code"] == code


async def test_a_line_that_is_wrong_later_ends_the_stream(client: aiohttp.ClientSession) -> None:
    body = json.dumps({"context": CONTEXT}) + '\n{"text": "She was born in 1867. She "}\n{"txet": "was"}\n'
    headers = {"content-type": "application/x-ndjson"}
    async with client.post("/v1/guard", data=body, headers=headers) as response:
        found = [event async for event in lines(response)]
    assert found[-1]["event"] == "error" and found[-1]["error"]["code"] == "invalid"
    assert found[0]["text"] == "She was born in 1867."


async def test_a_writer_that_goes_away_stops_the_guard(served: Served) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    head = f"POST /v1/guard HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n"
    head += "content-type: application/x-ndjson\r\ncontent-length: 5000\r\n\r\n"
    writer.write(
        head.encode() + json.dumps({"context": CONTEXT}).encode() + b'\n{"text": "She was born in 1867. She "}\n'
    )
    assert b"sentence" in await reader.readuntil(b"1867")
    service = served.application.service
    assert service.under_way
    writer.transport.abort()
    await until(lambda: not service.under_way)


@pytest.mark.slow("judges hundreds of claims")
async def test_the_claims_of_all_sentences_are_bounded(client: aiohttp.ClientSession) -> None:
    text = " ".join(f"The mill number {n} has {n} wheels." for n in range(60))
    async with client.post("/v1/guard", json={"output": text, "context": ["Mills."]}) as response:
        found = [event async for event in lines(response)]
    assert found[-1]["event"] == "error" and found[-1]["error"]["code"] == "too_many"
    assert len(found) <= 31


async def test_a_sentence_has_as_much_time_as_a_request() -> None:
    with Served(ServerSettings(limits=Limits(seconds=0.001))) as served:
        async with aiohttp.ClientSession(served.url) as client:
            async with client.post("/v1/guard", json={"output": PIECES, "context": CONTEXT}) as response:
                told = json.loads((await response.text()).splitlines()[-1])
            assert told["error"]["code"] in ("too_long", "busy")
        await until(lambda: not served.application.service.under_way)
