"""The HTTP client itself: which bytes go out, what becomes of those that come, and of the connection between."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os
import socket
import struct
import sys
import time
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halluscope._internal.errors import InputError, JudgeRejected, JudgeUnavailable, JudgeUnreachable
from halluscope._internal.judges.chat import connections, http, pools, request
from halluscope._internal.judges.chat.connections import Incoming

from ...loopback import Loopback
from ...systems import posix
from ...talking import OBJECT, Peer, Server, answering, response, talking, until


async def post(server: Server, body: Any = None, timeout: float = 20, **options: Any) -> dict[str, Any]:
    return await http.post(server.url, {}, {} if body is None else body, timeout, **options)


CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n" + OBJECT[:5] + b"\r\n7;x=y\r\n" + OBJECT[5:]
WHOLE = {
    "a length": response(),
    "chunks": CHUNKED + b"\r\n0\r\n\r\n",
    "chunks and a trailer": CHUNKED + b"\r\n0\r\nretry-after: 5\r\n\r\n",
    "first only announced": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nretry-after: 9\r\n\r\n"
    + response(),
    "no body": b"HTTP/1.1 204 No Content\r\nretry-after: 3\r\n\r\n",
    "closing": response(OBJECT, "200 OK", "Connection: close"),
    "an older version": b"HTTP/1.0 200 OK\r\nContent-Length: 12\r\n\r\n" + OBJECT,
    "headers in any case": b"HTTP/1.1 200 OK\r\nContent-LENGTH:12\r\nRetry-After:  7 \r\nX: y\r\n\r\n" + OBJECT,
}
REUSABLE = {"a length", "chunks", "chunks and a trailer", "first only announced", "no body", "headers in any case"}


def taken(pieces: list[bytes]) -> tuple[Any, ...]:
    incoming = Incoming(1000)
    for piece in pieces:
        incoming.feed(piece)
    return incoming.status, incoming.headers, bytes(incoming.body), incoming.whole, incoming.reusable


@pytest.mark.parametrize("name", WHOLE)
@given(cuts=st.lists(st.integers(0, 200), max_size=8))
def test_a_response_is_the_same_however_it_is_cut(name: str, cuts: list[int]) -> None:
    content = WHOLE[name]
    places = sorted({0, len(content), *(cut for cut in cuts if cut < len(content))})
    pieces = [content[start:end] for start, end in pairwise(places)]
    assert taken(pieces) == taken([content])
    status, headers, body, whole, reusable = taken(pieces)
    assert (status, body) == ((204, b"") if name == "no body" else (200, OBJECT))
    assert whole and reusable == (name in REUSABLE)
    assert headers.get("retry-after") == {"no body": "3", "headers in any case": "7"}.get(name)


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=4))
def test_no_bytes_break_the_reading(noise: bytes, cuts: list[int]) -> None:
    for start in (b"", b"HTTP/1.1 200 OK\r\n", CHUNKED):
        incoming, content = Incoming(100), start + noise
        places = sorted({0, len(content), *(cut for cut in cuts if cut < len(content))})
        try:
            for place, end in pairwise(places):
                incoming.feed(content[place:end])
        except (connections.BadResponse, connections.TooLarge):
            continue


async def test_requests_one_after_the_other_share_a_connection() -> None:
    async with talking(answering()) as server:
        for _ in range(5):
            assert await post(server) == {"ok": True}
        assert len(server.peers) == 1
        await asyncio.gather(*(post(server) for _ in range(8)))
        await asyncio.gather(*(post(server) for _ in range(8)))
        assert len(server.peers) == 8
        assert len(server.requests) == 21


async def test_what_goes_out() -> None:
    async with talking(answering()) as server:
        url = f"http://127.0.0.1:{server.port}/a b/%7Ex/50%/ü?q=a b&r=%20"
        await http.post(url, {"X-Own": "größe", "Content-Type": "a/b", "Content-Length": "3"}, {"a": "ü"}, 20)
    ((head, body),) = server.requests
    first, *lines = head.decode().removesuffix("\r\n\r\n").split("\r\n")
    assert first == "POST /a%20b/%7Ex/50%25/%C3%BC?q=a%20b&r=%20 HTTP/1.1"
    found = dict(line.split(": ") for line in lines)
    assert len(found) == len(lines)
    assert found.pop("user-agent").startswith("halluscope/")
    assert found == {
        "host": f"127.0.0.1:{server.port}",
        "accept": "*/*",
        "accept-encoding": "gzip, deflate",
        "content-type": "a/b",
        "x-own": "größe",
        "content-length": "10",
    }
    assert body == '{"a":"ü"}'.encode()


@pytest.mark.parametrize(
    ("url", "host", "named"),
    [
        ("http://Example.org/v1", "example.org", "example.org"),
        ("http://example.org:80/v1", "example.org", "example.org"),
        ("https://example.org:443", "example.org", "example.org"),
        ("https://example.org:80/v1", "example.org", "example.org:80"),
        ("http://[::1]:8080/v1", "::1", "[::1]:8080"),
        ("http://münchen.example/v1", "xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
        ("http://user:password@example.org/", "example.org", "example.org"),
    ],
)
def test_the_host_as_it_is_looked_up_and_named(url: str, host: str, named: str) -> None:
    assert request.route(url, None).server.host == host
    assert f"\r\nhost: {named}\r\n".encode() in request.head(url, None, ())


@pytest.mark.parametrize(
    "name", ["http://a b/v1", "http://a\x00b/v1", "http://h:99999/v1", "http://" + "ü" * 70 + "/v1"]
)
async def test_an_address_that_is_none_is_said_when_it_is_called(name: str) -> None:
    with pytest.raises(InputError, match="is no address of a judge"):
        await http.post(name, {}, {}, 5)


async def test_ipv6() -> None:
    try:
        async with talking(answering(), host="::1") as server:
            assert await http.post(f"http://[::1]:{server.port}/v1", {}, {}, 20) == {"ok": True}
    except OSError:
        pytest.skip("no IPv6 here")
    assert f"host: [::1]:{server.port}\r\n".encode() in server.requests[0][0]


async def test_a_name_with_several_addresses() -> None:
    async with talking(answering()) as server:
        assert await http.post(f"http://localhost:{server.port}/v1", {}, {}, 20) == {"ok": True}


@pytest.mark.parametrize(
    "headers",
    [
        {"x-a": "v\r\nx-b: SECRET"},
        {"x-a": "v\nSECRET"},
        {"x-a": "SECRET\x00"},
        {"x-a": "SECRET\ud800"},
        {"x\r\na": "SECRET"},
        {"x a": "SECRET"},
        {"": "SECRET"},
    ],
)
async def test_a_header_cannot_become_two(headers: dict[str, str]) -> None:
    async with talking(answering()) as server:
        with pytest.raises(InputError, match=r"header") as told:
            await http.post(server.url, headers, {}, 20)
        assert "SECRET" not in str(told.value)
    assert not server.peers


BODIES: dict[str, tuple[bytes, ...]] = {
    **{name: (content,) for name, content in WHOLE.items() if name != "no body"},
    "until the end": (b"HTTP/1.1 200 OK\r\n\r\n", OBJECT[:4], OBJECT[4:]),
    "packed, in chunks": (
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n",
        *(b"%x\r\n%b\r\n" % (len(part), part) for part in (gzip.compress(OBJECT)[:9], gzip.compress(OBJECT)[9:])),
        b"0\r\n\r\n",
    ),
}


@pytest.mark.parametrize("name", BODIES)
async def test_bodies_of_every_kind(name: str) -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(*BODIES[name])
        if name in REUSABLE:
            await answering()(peer)

    async with talking(talk) as server:
        assert await post(server) == {"ok": True}
        assert await post(server) == {"ok": True}
        assert len(server.peers) == (1 if name in REUSABLE else 2)


async def test_no_body_is_waited_for_where_there_is_none() -> None:
    async with talking(answering(WHOLE["no body"])) as server:
        with pytest.raises(JudgeUnavailable, match="not a JSON object"):
            await post(server)
    async with talking(answering(b"HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n")) as server:
        with pytest.raises(JudgeRejected) as told:
            await post(server)
    assert told.value.status == 304


async def test_a_redirection_is_not_followed() -> None:
    async with talking(answering(response(b"", "302 Found", "location: http://127.0.0.1:1/v2"))) as server:
        with pytest.raises(JudgeRejected, match="HTTP 302"):
            await post(server)
        assert len(server.requests) == 1


async def test_a_connection_that_ended_meanwhile_is_made_anew() -> None:
    """The server closes it in the moment it is used again: nothing was answered, so the request is sent once more."""

    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(response())
        await peer.request()

    async with talking(talk) as server:
        assert await post(server) == {"ok": True}
        assert await post(server, {"second": 1}) == {"ok": True}
        assert len(server.peers) == 2
        assert [body for _, body in server.requests] == [b"{}", b'{"second":1}', b'{"second":1}']


async def test_a_connection_that_the_server_closed_is_not_used() -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(response())

    async with talking(talk) as server:
        for _ in range(3):
            assert await post(server) == {"ok": True}
            await asyncio.sleep(0.02)
        assert len(server.requests) == 3


async def test_nothing_is_sent_again_once_a_byte_has_come() -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(response())
        await peer.request()
        await peer.say(b"H")

    async with talking(talk) as server:
        await post(server)
        with pytest.raises(JudgeUnavailable, match="broke off"):
            await post(server)
        assert len(server.requests) == 2


async def test_nothing_is_sent_again_on_a_new_connection() -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()

    async with talking(talk) as server:
        with pytest.raises(JudgeUnreachable, match="closed without a response"):
            await post(server)
        assert len(server.requests) == 1


OK = b"HTTP/1.1 200 OK\r\n"
BROKEN: dict[str, tuple[bytes, str, type[Exception]]] = {
    "something else": (b"SSH-2.0-OpenSSH_9.2\r\n", "not HTTP", JudgeUnreachable),
    "noise": (bytes(range(256)), "not HTTP", JudgeUnreachable),
    "two lengths": (OK + b"content-length: 2\r\ncontent-length: 3\r\n\r\n{}", "not HTTP", JudgeUnreachable),
    "both a length and chunks": (
        OK + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "not HTTP",
        JudgeUnreachable,
    ),
    "another protocol": (
        b"HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
        "not HTTP",
        JudgeUnreachable,
    ),
    "a header without end": (OK + b"x: " + b"y" * 300_000, "64 kB of headers", JudgeUnreachable),
    "headers without end": (OK + b"x: y\r\n" * 50_000, "64 kB of headers", JudgeUnreachable),
    "announced for ever": (b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000, "64 kB of headers", JudgeUnreachable),
    "cut off in the head": (OK + b"conte", "broke off", JudgeUnavailable),
    "cut off in the body": (response()[:-3], "broke off", JudgeUnavailable),
    "cut off in a chunk": (CHUNKED[:-2], "broke off", JudgeUnavailable),
    "cut off after a chunk": (CHUNKED + b"\r\n", "broke off", JudgeUnavailable),
    "a chunk of no size": (CHUNKED + b"\r\nzz\r\n", "not HTTP", JudgeUnreachable),
}


@pytest.mark.parametrize(("content", "said", "kind"), BROKEN.values(), ids=BROKEN)
async def test_what_breaks_the_rules_is_one_sentence(content: bytes, said: str, kind: type[Exception]) -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(content)

    async with talking(talk) as server:
        with pytest.raises(kind, match=said) as told:
            await post(server)
        assert type(told.value) is kind
        assert "\n" not in str(told.value)


async def test_a_reset_connection() -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        if peer.server.port and len(peer.server.peers) > 1:
            await peer.say(response()[:-3])
        raw = peer.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.writer.transport.abort()

    async with talking(talk) as server:
        with pytest.raises(JudgeUnreachable, match="could not reach"):
            await post(server)
        with pytest.raises(JudgeUnavailable, match="broke off"):
            await post(server)


@pytest.mark.parametrize("later", [False, True])
async def test_an_answer_that_nobody_asked_for_answers_nothing(later: bool) -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(response() if later else response() + response(b'{"forged": 1}')[:-3])
        if later:
            await asyncio.sleep(0.02)
            await peer.say(response(b'{"forged": 1}'))
        await answering()(peer)

    async with talking(talk) as server:
        for count in (1, 2, 3):
            assert await post(server) == {"ok": True}
            await until(lambda: server.closed == count)  # noqa: B023 - it is over before the next count


async def waiting(peer: Peer) -> None:
    """Answers no first request of a connection in time."""
    await peer.request()
    await peer.say(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n")
    await peer.reader.read()


async def test_a_call_that_takes_too_long_closes_its_connection() -> None:
    async with talking(waiting) as server:
        before = time.monotonic()
        with pytest.raises(JudgeUnavailable, match=r"within 0\.1 s"):
            await post(server, timeout=0.1)
        assert time.monotonic() - before < 10
        await until(lambda: server.closed == 1)


async def test_the_time_is_that_of_the_whole_call() -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        while True:  # always a little, never enough
            await peer.say(b"HTTP/1.1 100 Continue\r\n\r\n")
            await asyncio.sleep(0.02)

    async with talking(talk) as server:
        with pytest.raises(JudgeUnavailable, match=r"within 0\.3 s"):
            await post(server, timeout=0.3)
        await until(lambda: server.closed == 1)


@pytest.mark.parametrize("kept", [False, True])
async def test_a_cancelled_call_closes_its_connection(kept: bool) -> None:
    async def talk(peer: Peer) -> None:
        if kept and len(peer.server.peers) == 1:
            await peer.request()
            await peer.say(response())
        if len(peer.server.peers) == 1:
            await waiting(peer)
        await answering()(peer)

    async with talking(talk) as server:
        if kept:
            await post(server)
        call = asyncio.create_task(post(server))
        await until(lambda: len(server.requests) == 1 + kept)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await until(lambda: server.closed == 1)
        assert await post(server) == {"ok": True}
        assert len(server.peers) == 2


async def test_an_answer_in_the_moment_of_a_cancellation_leaves_a_connection_to_use() -> None:
    """The future is cancelled, the task not yet woken, and then the response arrives."""

    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(response())
        await peer.request()  # answered below
        await answering()(peer)

    async with talking(talk) as server:
        await post(server)
        (connection,) = (await pools.pool())._open
        call = asyncio.create_task(post(server))
        await until(lambda: len(server.requests) == 2)
        call.cancel()
        connection.data_received(response())
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await post(server) == {"ok": True}
        assert len(server.peers) == 1


async def test_a_late_timer_does_not_end_the_next_request() -> None:
    async with talking(answering()) as server:
        await post(server)
        (connection,) = (await pools.pool())._open
        earlier = Incoming(10)
        call = asyncio.create_task(post(server))
        await until(lambda: connection._incoming is not None, every=0)
        connection._expire(earlier)
        assert await call == {"ok": True}


async def test_a_large_request_lets_others_pass_and_arrives_whole() -> None:
    go = asyncio.Event()

    async def talk(peer: Peer) -> None:
        if len(peer.server.peers) == 1:
            await go.wait()
        await answering()(peer)

    async with talking(talk) as server:
        text = "0123456789abcdef" * (1 << 20)
        large = asyncio.create_task(post(server, {"a": text}))
        await until(lambda: server.peers)
        for _ in range(3):
            assert await post(server) == {"ok": True}
        pool = await pools.pool()
        held = [connection.transport.get_write_buffer_size() for connection in pool._open]
        assert max(held) <= 1 << 19, "it waits until the system takes more"
        assert not large.done()
        go.set()
        assert await large == {"ok": True}
        assert await post(server) == {"ok": True}
        assert len(server.peers) == 2
    sent = max((body for _, body in server.requests), key=len)
    assert hashlib.sha256(sent).digest() == hashlib.sha256(f'{{"a":"{text}"}}'.encode()).digest()


async def test_a_server_that_refuses_a_large_request_before_it_has_all_of_it() -> None:
    async def talk(peer: Peer) -> None:
        await peer.reader.readuntil(b"\r\n\r\n")
        await peer.say(response(b"no", "413 Too Large"))
        await asyncio.sleep(60)

    async with talking(talk) as server:
        for _ in range(2):
            with pytest.raises(JudgeRejected, match="HTTP 413"):
                await post(server, {"a": "x" * (1 << 25)})
        assert len(server.peers) == 2, "what was not read of the first would be read as the second"


async def test_a_large_request_to_a_server_that_goes_away() -> None:
    async def talk(peer: Peer) -> None:
        await peer.reader.readuntil(b"\r\n\r\n")

    async with talking(talk) as server:
        with pytest.raises(JudgeUnreachable):
            await post(server, {"a": "x" * (1 << 25)})


async def test_a_large_request_that_takes_too_long() -> None:
    async def talk(peer: Peer) -> None:
        await asyncio.sleep(60)

    async with talking(talk) as server:
        with pytest.raises(JudgeUnavailable, match=r"within 0\.2 s"):
            await post(server, {"a": "x" * (1 << 25)}, timeout=0.2)


async def test_a_body_without_end_is_not_read_on() -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            await peer.say(b"3e8\r\n" + b" " * 1000 + b"\r\n")

    async with talking(talk) as server:
        with pytest.raises(JudgeUnavailable, match="larger than"):
            await post(server, limit=100_000)
        await until(lambda: server.closed == 1)


async def test_connections_that_nobody_uses_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "_KEPT", 1.0)
    async with talking(answering()) as server:
        await asyncio.gather(*(post(server) for _ in range(4)))
        for _ in range(200):
            await asyncio.sleep(0.05)
            await post(server)
            if server.closed == 3:
                break
        assert (server.closed, len(server.peers)) == (3, 4), "the one in use stays"
        await until(lambda: server.closed == 4)
        pool = await pools.pool()
        assert not pool._open and not pool._idle and pool._sweeper is None


def test_the_end_of_a_loop_closes_its_connections(server: Loopback) -> None:
    async def calls() -> None:
        url = f"{server.base_url}/chat/completions"
        await asyncio.gather(*(http.post(url, {}, {"messages": []}, 20) for _ in range(4)))

    asyncio.run(calls())
    before = time.monotonic()
    assert server.quiet() == 4
    assert time.monotonic() - before < pools._KEPT / 2, "not for their age"


def forked() -> int:
    """What a child finds: 7 where it has nothing to use, and lets go of nothing."""
    child = os.fork()
    if child == 0:
        os._exit(7 if not pools._held and pools._left_by_fork else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@posix
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # newer Pythons say that forking with threads is risky
async def test_a_forked_child_has_none_of_the_connections() -> None:
    async with talking(answering()) as server:
        await post(server)
        assert forked() == 7
        await post(server)
        assert len(server.peers) == 1


@pytest.fixture
async def served() -> AsyncIterator[Server]:
    async with talking(answering()) as server:
        yield server


@pytest.mark.skipif(sys.platform == "win32", reason="uvloop is not there for Windows")
async def test_other_event_loops(served: Server) -> None:
    import uvloop

    loop = uvloop.new_event_loop()

    def elsewhere() -> list[dict[str, Any]]:
        async def calls() -> list[dict[str, Any]]:
            return list(await asyncio.gather(*(post(served) for _ in range(5))))

        try:
            return [*loop.run_until_complete(calls()), *loop.run_until_complete(calls())]
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    assert await asyncio.to_thread(elsewhere) == [{"ok": True}] * 10
    assert len(served.peers) == 5
