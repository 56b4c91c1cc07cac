"""Requests and responses byte by byte: what is sent, what is read, and when a connection is kept."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import socket
import struct
import subprocess
import sys
import time
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halluscope._internal.core.errors import InputError, JudgeError, JudgeRejected, JudgeUnavailable, JudgeUnreachable
from halluscope._internal.engine.driver import RetryPolicy
from halluscope._internal.judges.chat import http, session
from halluscope._internal.judges.chat.openai import openai_judge

from ...helpers.loopback import Loopback
from ...helpers.scoring import Scorer
from ...helpers.systems import posix
from ...helpers.talking import OBJECT, Peer, Server, answering, response, talking, until

ONCE = RetryPolicy(retries=0, repairs=0)


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


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("size", [1, 2, 7])
async def test_a_response_is_the_same_however_it_is_cut(name: str, size: int) -> None:
    content = WHOLE[name]

    async def talk(peer: Peer) -> None:
        await peer.request()
        for start in range(0, len(content), size):
            await peer.say(content[start : start + size])
            await asyncio.sleep(0)

    async with talking(talk) as server:
        if name == "no body":
            with pytest.raises(JudgeUnavailable, match="not a JSON object"):
                await post(server)
        else:
            assert await post(server) == {"ok": True}


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", CHUNKED]))
def test_no_bytes_break_the_reading(noise: bytes, start: bytes) -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(start + noise)

    async def call() -> None:
        async with talking(talk) as server:
            with suppress(JudgeError):
                await post(server)

    asyncio.run(call())


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
        url = f"http://127.0.0.1:{server.port}/a b/50%/ü"
        await http.post(url, {"X-Own": "größe", "Content-Type": "a/b"}, {"a": "ü"}, 20)
    ((head, body),) = server.requests
    first, *lines = head.decode().removesuffix("\r\n\r\n").split("\r\n")
    assert first == "POST /a%20b/50%25/%C3%BC HTTP/1.1"
    found = {name.lower(): value for name, value in (line.split(": ") for line in lines)}
    assert len(found) == len(lines)
    assert found.pop("user-agent").startswith("halluscope/")
    assert found.pop("accept-encoding").startswith("gzip, deflate")
    assert found == {
        "host": f"127.0.0.1:{server.port}",
        "accept": "*/*",
        "content-type": "a/b",
        "x-own": "größe",
        "content-length": "10",
    }
    assert body == '{"a":"ü"}'.encode()


async def test_of_two_headers_with_one_name_the_users_counts() -> None:
    async with talking(answering(response(b'{"choices": [{"message": {"content": "x"}}]}'))) as server:
        judge = openai_judge("m", base_url=server.url, api_key="key", headers={"Authorization": "Own"})
        await Scorer("label", judge, retry_policy=ONCE).ascore(output="A mill.", context=["A mill."])
    heads = [line for line in server.requests[0][0].lower().split(b"\r\n") if line.startswith(b"authorization")]
    assert heads == [b"authorization: own"]


async def test_ipv6() -> None:
    try:
        async with talking(answering(), host="::1") as server:
            assert await http.post(f"http://[::1]:{server.port}/v1", {}, {}, 20) == {"ok": True}
    except OSError:
        pytest.skip("no IPv6 here")
    assert f"host: [::1]:{server.port}\r\n".encode() in server.requests[0][0].lower()


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
        {"Content-Length": "3SECRET"},
        {"transfer-encoding": "SECRET"},
    ],
)
def test_a_header_that_cannot_be_sent_is_refused_with_the_judge(headers: dict[str, str]) -> None:
    with pytest.raises(InputError, match="header") as told:
        openai_judge("m", base_url="http://127.0.0.1:1/v1", headers=headers)
    assert "SECRET" not in str(told.value)


@pytest.mark.parametrize("key", ["SECRET\ud800", "SECRET\nx-b: c", "SEC\x00RET"])
def test_a_key_that_cannot_be_sent_is_refused_with_the_judge(key: str) -> None:
    with pytest.raises(InputError, match="the judge's key contains a line break or another character") as told:
        openai_judge("m", base_url="http://127.0.0.1:1/v1", api_key=key)
    assert "SEC" not in str(told.value)


async def test_settings_that_are_no_json_are_refused() -> None:
    for extra in ({"a": object()}, {"a": "\ud800"}):
        with pytest.raises(InputError, match="cannot be sent as JSON"):
            await http.post("http://127.0.0.1:1/v1", {}, extra, 20)


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


async def test_a_connection_that_ended_meanwhile_costs_one_retry() -> None:
    """The server closes it in the moment it is used again. Only retries ask again, so that they stay counted."""
    reply = response(b'{"choices": [{"message": {"content": "{\\"verdict\\": \\"factual\\", \\"reason\\": []}"}}]}')

    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(reply)
        await peer.request()

    async with talking(talk) as server:
        judge = openai_judge("m", base_url=server.url)
        scorer = Scorer("label", judge, retry_policy=RetryPolicy(first_wait=0.001))
        for text in ("A mill.", "A barn."):
            assert (await scorer.ascore(output=text, context=["A mill, a barn."])).label == "factual"
        assert (len(server.peers), len(server.requests)) == (2, 3)


async def test_a_connection_that_the_server_closed_is_not_used() -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(response())

    async with talking(talk) as server:
        for _ in range(3):
            assert await post(server) == {"ok": True}
            await asyncio.sleep(0.02)
        assert len(server.requests) == 3


async def test_nothing_is_sent_again_on_a_new_connection() -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()

    async with talking(talk) as server:
        with pytest.raises(JudgeUnreachable, match="closed without a response"):
            await post(server)
        assert len(server.requests) == 1


OK = b"HTTP/1.1 200 OK\r\n"
BROKEN: dict[str, tuple[bytes, str, type[Exception]]] = {
    "something else": (b"SSH-2.0-OpenSSH_9.2\r\n", "cannot be read", JudgeUnreachable),
    "noise": (bytes(range(256)), "cannot be read", JudgeUnreachable),
    "two lengths": (OK + b"content-length: 2\r\ncontent-length: 3\r\n\r\n{}", "cannot be read", JudgeUnreachable),
    "both a length and chunks": (
        OK + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "cannot be read",
        JudgeUnreachable,
    ),
    "another protocol": (
        b"HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
        r"HTTP 101",
        JudgeRejected,
    ),
    "a header without end": (OK + b"x: " + b"y" * 300_000, "cannot be read", JudgeUnreachable),
    "headers without end": (OK + b"x: y\r\n" * 50_000, "Too many headers", JudgeUnreachable),
    "announced for ever": (b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000, "without a response", JudgeUnreachable),
    "cut off in the head": (OK + b"conte", "without a response", JudgeUnreachable),
    "cut off in the body": (response()[:-3], "broke off", JudgeUnavailable),
    "cut off in a chunk": (CHUNKED[:-2], "broke off", JudgeUnavailable),
    "cut off after a chunk": (CHUNKED + b"\r\n", "broke off", JudgeUnavailable),
    "a chunk of no size": (CHUNKED + b"\r\nzz\r\n", "cannot be read", JudgeUnreachable),
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
async def test_an_unsolicited_response_is_ignored(later: bool) -> None:
    forged = asyncio.Event()

    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(response() if later else response() + response(b'{"forged": 1}')[:-3])
        if later:
            await asyncio.sleep(0.02)
            await peer.say(response(b'{"forged": 1}'))
        forged.set()
        await answering()(peer)

    async with talking(talk) as server:
        for _ in range(3):
            forged.clear()
            assert await post(server) == {"ok": True}
            await forged.wait()  # what comes after the next request would be its answer
            await asyncio.sleep(0.05)
        assert len(server.peers) == 3


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


TRAILER = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-T: "
EXTENSION = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;x="
UNBOUNDED = {
    "a trailer": (TRAILER, b"a" * (1 << 16)),
    "trailers": (TRAILER, b"a\r\nX-T: " * 8000),
    "a chunk's extension": (EXTENSION, b"a" * (1 << 16)),
    "extensions of small chunks": (EXTENSION + b"y\r\n{}\r\n", b"1;x=" + b"a" * 8000 + b"\r\n \r\n"),
    "empty lines before the head": (b"", b"\r\n" * (1 << 15)),
}


@pytest.mark.slow("sends hundreds of megabytes")
@pytest.mark.parametrize(("start", "more"), UNBOUNDED.values(), ids=UNBOUNDED)
async def test_what_is_no_body_is_not_gathered_without_end(start: bytes, more: bytes) -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(start)
        while True:
            await peer.say(more)

    async with talking(talk) as server:
        tracemalloc.start()
        try:
            with pytest.raises(JudgeUnavailable) as told:
                await post(server, timeout=1, limit=100_000)
            assert tracemalloc.get_traced_memory()[1] < 8 << 20
        finally:
            tracemalloc.stop()
        assert ("within" in str(told.value)) == (not start or start.startswith(EXTENSION)), "trailers end it at once"
        await until(lambda: server.closed == 1)


async def test_unused_connections_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "KEEP_ALIVE", 0.3)

    async def calls(server: Server) -> None:  # in a loop of its own, and so in a new session
        await asyncio.gather(*(post(server) for _ in range(4)))
        await until(lambda: server.closed == 4)

    async with talking(answering()) as server:
        await asyncio.to_thread(asyncio.run, calls(server))


def test_the_end_of_a_loop_closes_its_connections(server: Loopback) -> None:
    async def calls() -> None:
        url = f"{server.base_url}/chat/completions"
        await asyncio.gather(*(http.post(url, {}, {"messages": []}, 20) for _ in range(4)))

    asyncio.run(calls())
    before = time.monotonic()
    assert server.quiet() == 4
    assert time.monotonic() - before < session.KEEP_ALIVE / 2, "not for their age"


FORKED = """
import asyncio, os, sys
from halluscope._internal.judges.chat import http, session
loop = asyncio.new_event_loop()
def call(): return loop.run_until_complete(http.post(sys.argv[1], {}, {}, 20))
call()
parents = loop.run_until_complete(session.session())
child = os.fork()
if child == 0:
    own = loop.run_until_complete(session.session())
    sys.exit(0 if own is not parents else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
call()
loop.run_until_complete(loop.shutdown_asyncgens())
loop.close()
"""


@posix
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # newer Pythons say that forking with threads is risky
async def test_a_forked_child_has_none_of_the_connections() -> None:
    async with talking(answering()) as server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", FORKED, server.url), stderr=subprocess.PIPE
        )
        _, errors = await asyncio.wait_for(process.communicate(), 60)
        assert (process.returncode, errors.decode()) == (0, "")
        assert len(server.peers) == 1, "the child's end closes nothing, and the parent goes on with it"


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
