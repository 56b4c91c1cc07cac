"""The tools for agents, used by the SDK's own client over both transports."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from array import array
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

import halluscope
from halluscope._internal.core.errors import InputError
from halluscope._internal.runs.store import Store
from halluscope._internal.serving.http.settings import ServerSettings
from halluscope._internal.serving.mcp.agent_server import AgentServer, SignalsCancel
from halluscope._internal.serving.service.limits import Limits

from ...helpers.serving import Running
from ...helpers.systems import posix
from ...helpers.waiting import LONG, until

TOKEN = "a-token-for-agents-0123456789"
ANSWER = "Einstein won the Nobel Prize in 1969. He was born in Ulm."
CONTEXT = ["Einstein won the Nobel Prize in 1921.", "Einstein was born in Ulm."]
LIMITS = Limits(claims=20, body=100_000, sending=1.0)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two runs in it."""
    home = tmp_path_factory.mktemp("home")
    with Store(home / "halluscope.db") as store:
        rows = [{"id": "tower", "output": "The tower is 38 metres tall.", "context": ["The tower is 38 metres tall."]}]
        halluscope.evaluate(rows, run="monday", store=store)
        rows[0]["output"] = "The tower is 83 metres tall."
        halluscope.evaluate(rows, run="tuesday", store=store)
    return home


@pytest.fixture(scope="module")
def listening(home: Path) -> Iterator[Running]:
    store = Store(home / "halluscope.db")
    with Running(AgentServer(ServerSettings(token=TOKEN, limits=LIMITS), store).http_server()) as running:
        yield running
    store.close()


@asynccontextmanager
async def over_http(listening: Running, token: str = TOKEN) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60) as http,
        Client(streamable_http_client(f"{listening.url}/mcp", http_client=http)) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(home: Path) -> AsyncIterator[Client]:
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "halluscope", "mcp", "--max-claims", "20", "--max-body", "100000"],
        env={**os.environ, "HALLUSCOPE_HOME": str(home)},
    )
    async with Client(started) as client:
        yield client


async def use(client: Client) -> None:
    """Everything that there is, once."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"check", "repair", "guard", "list_runs", "show_run", "run_results", "compare_runs"}
    assert all(tool.description and tool.input_schema["type"] == "object" for tool in tools.values())
    assert tools["check"].input_schema["required"] == ["output"]

    told = await called(client, "check", output=ANSWER, context=CONTEXT)
    assert [v["support"] for v in told["verdicts"]] == ["contradicted", "supported"]
    assert told["verdicts"] == json.loads(halluscope.check(ANSWER, CONTEXT).to_json())["verdicts"]

    function = {"name": "cancel", "arguments": '{"order": "A-1044"}'}
    talk = [
        {"role": "user", "content": "Cancel my order."},
        {"role": "assistant", "tool_calls": [{"id": "1", "function": function}]},
    ]
    told = await called(client, "check", output=talk, turns="all")
    assert [turn["result"]["verdicts"][0]["claim"]["argument"] for turn in told["turns"]] == ["order"]

    told = await called(client, "repair", output=ANSWER, context=CONTEXT)
    assert told["text"] == halluscope.repair(ANSWER, CONTEXT).text
    assert told["before"]["passed"] is False and told["after"]["passed"] is True

    told = await called(client, "guard", output=ANSWER, context=CONTEXT, policy="replace", replacement="[…]")
    assert told["shown"] == "[…] He was born in Ulm." and told["original"] == ANSWER
    assert [sentence["action"] for sentence in told["checked"]] == ["replaced", "passed"]

    assert [run["name"] for run in (await called(client, "list_runs"))["runs"]] == ["monday", "tuesday"]
    assert (await called(client, "show_run", run="tuesday"))["summary"]["metrics"][0]["mean"] == 1.0
    page = await called(client, "run_results", run="tuesday", failing=True)
    assert [kept["case"]["id"] for kept in page["results"]] == ["tower"]
    assert (await called(client, "compare_runs", before="monday", after="tuesday"))["metrics"][0]["difference"] == 1.0


async def called(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def refused(client: Client, name: str, **arguments: Any) -> str:
    result = await client.call_tool(name, arguments)
    assert result.is_error
    text: str = result.content[0].text  # type: ignore[union-attr]
    assert text.endswith(".") and "Traceback" not in text and "\n" not in text
    return text


async def bad_calls(client: Client) -> None:
    """Each is answered in one sentence that an agent can act on."""
    assert "output" in await refused(client, "check", context=CONTEXT)
    assert "unknown field `outptu`" in await refused(client, "check", output="x", outptu="y")
    assert "there is no judge here called 'openai/gpt-4o'" in await refused(
        client, "check", output="x", judge="openai/gpt-4o"
    )
    assert "there is no metric 'truth'" in await refused(client, "check", output="x", metric="truth")
    assert "there is no run called 'nowhere'" in await refused(client, "show_run", run="nowhere")
    many = " ".join(f"The mill number {n} has {n} wheels." for n in range(40))
    assert "the limit is 20" in await refused(client, "check", output=many, context=["Mills."])
    assert "the limit is 20" in await refused(client, "guard", output=many, context=["Mills."])
    assert "there is no tool called 'chek'" in await refused(client, "chek")


@pytest.mark.slow("starts a server process")
async def test_over_standard_input_and_output(home: Path) -> None:
    async with over_stdio(home) as client:
        assert "check" in (client.instructions or "")
        await use(client)
        await bad_calls(client)
        assert "larger than the limit of 100,000 bytes" in await refused(client, "check", output="x" * 120_000)


@pytest.mark.slow("starts servers and imports the MCP SDK")
async def test_over_http(listening: Running) -> None:
    async with over_http(listening) as client:
        await use(client)
        await bad_calls(client)


async def test_over_http_the_text_says_what_is_wrong(listening: Running) -> None:
    async with over_http(listening) as client:
        result = await client.call_tool("check", {"output": ANSWER, "context": CONTEXT})
        text = result.content[0].text  # type: ignore[union-attr]
        assert "Einstein won the Nobel Prize in 1969." in text and "1921" in text
        result = await client.call_tool("check", {"output": "He was born in Ulm.", "context": CONTEXT})
        assert "supported" in result.content[0].text  # type: ignore[union-attr]


def single(error: BaseException) -> list[BaseException]:
    """The errors in a group of groups."""
    inside: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    return [found for held in inside for found in single(held)] if inside else [error]


async def test_the_token_is_the_servers(listening: Running) -> None:
    with pytest.raises(Exception) as caught:  # in a group of the SDK's own making
        async with over_http(listening, token="wrong-wrong-wrong-wrong") as client:
            await client.list_tools()
    assert [type(error) for error in single(caught.value)] == [MCPError]
    async with aiohttp.ClientSession(listening.url) as session:
        async with session.post("/mcp", json={}) as response:
            assert response.status == 401
        async with session.get("/healthz") as response:
            assert response.status == 200
    for host in ("0.0.0.0", "example.org"):
        with pytest.raises(InputError, match="needs a token"):
            AgentServer(ServerSettings(host=host)).http_server()


def test_no_stream_is_held_open(listening: Running) -> None:
    """One on which nothing is ever sent."""
    head = f"GET /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\naccept: text/event-stream\r\n\r\n"
    status, headers, _ = listening.raw(head.encode())
    assert (status, headers["allow"]) == (405, "POST")


@pytest.mark.slow("starts servers and imports the MCP SDK")
async def test_a_client_that_leaves_ends_its_call(home: Path) -> None:
    many = " ".join(f"The mill number {n} has {n} wheels and stands in Ulm." for n in range(4000))
    message = {"name": "check", "arguments": {"output": many, "context": ["Mills."]}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": message}).encode()
    head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\n"
    head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    server = AgentServer(ServerSettings(limits=Limits(claims=100_000)))
    with Running(server.http_server()) as running:
        _, writer = await asyncio.open_connection("127.0.0.1", running.port)
        writer.write(head.encode() + body)
        await until(lambda: server._service.under_way)
        writer.transport.abort()
        await until(lambda: not server._service.under_way)


@contextmanager
def agent_process(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """An MCP server over stdio that a client has greeted."""
    command = [sys.executable, "-m", "halluscope", "mcp"]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "HALLUSCOPE_HOME": str(home)},
    ) as process:
        assert process.stdout is not None
        try:
            send(process, {"id": 1, "method": "initialize", "params": hello})
            assert b"halluscope" in process.stdout.readline()
            send(process, {"method": "notifications/initialized"})
            yield process
        finally:
            process.kill()


def send(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    process.stdin.flush()


def last_words(process: subprocess.Popen[bytes]) -> str:
    assert process.stderr is not None
    return process.stderr.read().decode()


@pytest.mark.slow("starts server processes")
@posix
@pytest.mark.parametrize("calls", [0, 1])
@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_while_standard_input_is_open(home: Path, sign: signal.Signals, code: int, calls: int) -> None:
    with agent_process(home) as process:
        for call in range(calls):
            arguments = {"output": ANSWER * 50, "context": CONTEXT}
            send(process, {"id": call, "method": "tools/call", "params": {"name": "check", "arguments": arguments}})
        process.send_signal(sign)
        assert (process.wait(LONG), last_words(process)) == (code, "halluscope: interrupted.\n")


@pytest.mark.parametrize("moment", ["before the loop", "in the loop"])
def test_what_cancelled_work_raises_does_not_hide_the_signal(moment: str) -> None:
    async def work(signals: SignalsCancel) -> None:
        with signals.scope():
            if moment == "in the loop":
                signal.raise_signal(signal.SIGINT)
            try:
                await asyncio.sleep(LONG)
            finally:
                raise OSError("the stream is closed")

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), SignalsCancel() as signals:
        if moment == "before the loop":
            signal.raise_signal(signal.SIGINT)
        asyncio.run(work(signals))
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.slow("starts server processes")
@posix
def test_a_signal_ends_it_while_the_client_does_not_read(home: Path) -> None:
    import fcntl
    import termios

    with agent_process(home) as process:
        assert process.stdout is not None
        for listing in range(60):  # more than a pipe holds
            send(process, {"id": listing, "method": "tools/list"})
        waiting = array("i", [0])
        while waiting[0] < 50_000:
            fcntl.ioctl(process.stdout, termios.FIONREAD, waiting)
        process.send_signal(signal.SIGTERM)
        assert process.wait(LONG) == 143


@pytest.mark.slow("starts server processes")
@posix
def test_a_client_that_ends_during_its_call_is_named_as_the_reason(home: Path) -> None:
    with agent_process(home) as process:
        assert process.stdout is not None
        process.stdout.close()
        send(process, {"id": 2, "method": "tools/list"})
        assert process.wait(LONG) == 141
        assert last_words(process) == "halluscope: the program that reads the output has ended.\n"


@pytest.mark.slow("starts servers and imports the MCP SDK")
async def test_the_limits_are_the_servers(listening: Running) -> None:
    head = (
        f"POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\ncontent-type: application/json\r\n"
    )
    status, _, body = listening.raw(f"{head}content-length: 200000\r\n\r\n".encode(), b"x" * 200_000)
    assert (status, json.loads(body)["error"]["code"]) == (413, "too_large")
    status, _, body = listening.raw(f"{head}content-length: 200\r\n\r\n{{".encode())
    assert (status, json.loads(body)["error"]["code"]) == (408, "slow")
    for sent in (b"[" * 50_000, b"{", b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": 7}'):
        told = f"{head}accept: application/json, text/event-stream\r\ncontent-length: {len(sent)}\r\n\r\n".encode()
        assert 400 <= listening.raw(told + sent)[0] < 500
