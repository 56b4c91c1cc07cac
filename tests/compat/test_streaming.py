"""Answers that come while they are written: events over real connections, and what becomes of these."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from halluscope._internal.errors import JudgeRejected, JudgeThrottled, JudgeUnavailable
from halluscope._internal.judges.chat import http, pools
from halluscope.compat import _streaming

from ..talking import OBJECT, Peer, Server, answering, response, talking, until

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
CHUNKS = HEAD + b"transfer-encoding: chunked\r\n\r\n"


def chunk(text: str) -> bytes:
    return f"{len(text.encode()):x}\r\n{text}\r\n".encode()


async def events(server: Server, timeout: float = 20) -> list[dict[str, Any]]:
    return [event async for event in _streaming._events(server.url, {}, {"stream": True}, timeout)]


async def test_events_however_they_are_cut_and_a_connection_that_is_kept() -> None:
    text = 'data: {"n": 1}\r\n\r\n: a remark\n\ndata:{"n": "ü"}\n\ndata: [DONE]\n\n'
    for size in (1, 2, 3, 7, 100):
        parts = [chunk(text[start : start + size]) for start in range(0, len(text), size)]
        async with talking(answering(CHUNKS, *parts, b"0\r\n\r\n")) as server:
            for _ in range(2):
                assert await events(server) == [{"n": 1}, {"n": "ü"}]
            assert len(server.peers) == 1
            assert b"accept-encoding: identity\r\n" in server.requests[0][0]


async def test_a_last_line_without_an_end() -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(HEAD + b"\r\n", b'data: {"n": 1}\n', OBJECT)

    async with talking(talk) as server:
        assert await events(server) == [{"n": 1}, {"ok": True}]


async def test_events_come_at_once() -> None:
    more = asyncio.Event()

    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(CHUNKS, chunk('data: {"n": 1}\n'))
        await more.wait()
        await peer.say(chunk('data: {"n": 2}\n'), b"0\r\n\r\n")
        await peer.reader.read()

    async with talking(talk) as server:
        seen = []
        async for event in _streaming._events(server.url, {}, {}, 20):
            seen.append(event["n"])
            more.set()
        assert seen == [1, 2]


async def test_silence_ends_it_and_slowness_does_not() -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(CHUNKS)
        for letter in 'data: {"n": 1}':
            await peer.say(chunk(letter))
            await asyncio.sleep(0.05)
        await peer.say(chunk("\n"))
        await peer.reader.read()

    async with talking(talk) as server:
        seen = []
        before = time.monotonic()
        with pytest.raises(JudgeUnavailable, match=r"was silent for 0\.4 s"):
            async for event in _streaming._events(server.url, {}, {}, 0.4):
                seen.append(event)
        assert seen == [{"n": 1}] and time.monotonic() - before < 15
        await until(lambda: server.closed == 1)


async def test_silence_before_the_first_byte() -> None:
    async def talk(peer: Peer) -> None:
        await peer.reader.read()

    async with talking(talk) as server:
        with pytest.raises(JudgeUnavailable, match=r"was silent for 0\.2 s"):
            await events(server, 0.2)


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 200", CHUNKS, CHUNKS + chunk('data: {"n": 1}\n'), CHUNKS + b"zz\r\n"])
async def test_what_breaks_off_is_a_failure(said: bytes) -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(said)

    async with talking(talk) as server:
        with pytest.raises(JudgeUnavailable, match="broke off"):
            await events(server)
        assert len(server.requests) == 1


async def test_errors_are_those_of_every_call() -> None:
    async with talking(answering(response(b"slow", "429 Slow", "retry-after: 7"))) as server:
        with pytest.raises(JudgeThrottled) as told:
            await events(server)
        assert (told.value.retry_after, told.value.body) == (7.0, "slow")
    late = (b"HTTP/1.1 400 Bad\r\ncontent-length: 12\r\n\r\n", b"half a ", b"story")
    async with talking(answering(*late)) as server:
        with pytest.raises(JudgeRejected, match="half a story"):
            await events(server)


async def test_a_line_without_end_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_streaming, "_LINE_LIMIT", 100_000)

    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(CHUNKS)
        while True:
            await peer.say(chunk("x" * 1000))

    async with talking(talk) as server:
        with pytest.raises(JudgeUnavailable, match="too long for an event"):
            await events(server)
        await until(lambda: server.closed == 1)


async def test_an_answer_that_nobody_reads_on_closes_its_connection() -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(CHUNKS, chunk('data: {"n": 1}\n'))
        await peer.reader.read()

    async with talking(talk) as server:
        stream = _streaming._events(server.url, {}, {}, 20)
        assert await stream.__anext__() == {"n": 1}
        await stream.aclose()
        await until(lambda: server.closed == 1)


async def test_an_answer_that_is_given_up_in_the_moment_it_begins() -> None:
    """The status is there, the task not yet woken, and then it is cancelled."""

    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.reader.read()

    async with talking(talk) as server:
        call = asyncio.create_task(events(server))
        await until(lambda: server.requests)
        (connection,) = (await pools.pool())._open
        connection.data_received(CHUNKS)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await until(lambda: server.closed == 1)


async def test_a_slow_reader_slows_the_server_down() -> None:
    sent = 0

    async def talk(peer: Peer) -> None:
        nonlocal sent
        await peer.request()
        await peer.say(CHUNKS)
        for _ in range(3000):
            await peer.say(chunk('data: {"n": "' + "x" * 10_000 + '"}\n'))
            sent += 1
        await peer.say(b"0\r\n\r\n")
        await answering()(peer)

    async with talking(talk) as server:
        stream = _streaming._events(server.url, {}, {}, 20)
        await stream.__anext__()
        await asyncio.sleep(0.3)
        assert sent < 2500, "the rest is not taken into memory"
        assert len([event async for event in stream]) == 2999
        assert await http.post(server.url, {}, {}, 20) == {"ok": True}
        assert len(server.peers) == 1


async def test_a_kept_connection_that_ended_is_made_anew() -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(response(b'data: {"n": 1}\n'))
        await peer.request()

    async with talking(talk) as server:
        for _ in range(2):
            assert await events(server) == [{"n": 1}]
        assert len(server.requests) == 3


async def test_a_whole_answer_that_nobody_has_read_holds_nothing_up() -> None:
    async with talking(answering(response(b'data: {"n": 1}\n' * 20_000))) as server:
        stream = _streaming._events(server.url, {}, {}, 20)
        await stream.__anext__()
        await until(lambda: not any(one._incoming for pool in pools._held.values() for one in pool.pool._open))
        assert len(await events(server)) == 20_000
        assert len([event async for event in stream]) == 19_999
