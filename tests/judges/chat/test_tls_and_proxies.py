"""Servers behind TLS and behind proxies: what is trusted, and who gets to see what."""

from __future__ import annotations

import asyncio
import base64
import shutil
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from halluscope._internal.core.errors import InputError, JudgeRejected, JudgeUnavailable, JudgeUnreachable
from halluscope._internal.judges.chat import http, proxies, session

from ...helpers.talking import Peer, Server, Talk, answering, certificate, response, talking, until

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """What a process looks up once is looked up again."""
    yield
    session.trusted.cache_clear()
    proxies.proxy_for.cache_clear()


@pytest.fixture
def tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A server's certificate for localhost and judge.test, which the system trusts."""
    cert, context = certificate(tmp_path, "DNS:localhost", "DNS:judge.test")
    monkeypatch.setenv("SSL_CERT_FILE", str(cert))
    session.trusted.cache_clear()
    return context


def secure(server: Server, host: str = "localhost") -> str:
    return f"https://{host}:{server.port}/v1"


@needs_openssl
async def test_a_trusted_server_is_asked_on_one_connection(tls: ssl.SSLContext) -> None:
    async with talking(answering(), tls=tls) as server:
        for _ in range(3):
            assert await http.post(secure(server), {}, {"a": "x" * (1 << 21)}, 20) == {"ok": True}
        assert len(server.peers) == 1
        assert f"\r\nhost: localhost:{server.port}\r\n".encode() in server.requests[0][0].lower()


@needs_openssl
async def test_a_certificate_for_another_host_is_refused_for_good(tls: ssl.SSLContext) -> None:
    async with talking(answering(), tls=tls) as server:
        with pytest.raises(JudgeRejected, match=r"the certificate of 127\.0\.0\.1:\d+ is not trusted: .*match"):
            await http.post(secure(server, "127.0.0.1"), {}, {}, 20)
        assert not server.requests


@needs_openssl
async def test_an_untrusted_certificate_is_refused(tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    session.trusted.cache_clear()
    async with talking(answering(), tls=tls) as server:
        with pytest.raises(JudgeRejected, match="the certificate of localhost"):
            await http.post(secure(server), {}, {}, 20)
        assert not server.requests


async def test_a_server_without_tls() -> None:
    async def talk(peer: Peer) -> None:
        await peer.reader.read(100)
        await peer.say(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with talking(talk) as server:
        with pytest.raises(JudgeUnreachable, match="could not reach localhost"):
            await http.post(secure(server), {}, {}, 20)


@needs_openssl
async def test_a_body_until_the_end_and_a_kept_connection_that_ended(tls: ssl.SSLContext) -> None:
    async def talk(peer: Peer) -> None:
        await peer.request()
        await peer.say(response() if len(peer.server.peers) == 1 else b'HTTP/1.1 200 OK\r\n\r\n{"until": "the end"}')

    async with talking(talk, tls=tls) as server:
        assert await http.post(secure(server), {}, {}, 20) == {"ok": True}
        await until(lambda: server.closed == 1)
        await asyncio.sleep(0.05)
        assert await http.post(secure(server), {}, {}, 20) == {"until": "the end"}
        assert len(server.requests) == 2


def proxying(target: Server, answer: bytes = b"HTTP/1.1 200 Connection established\r\n\r\n") -> Talk:
    """A proxy that knows one server, whatever it is asked for."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while piece := await reader.read(1 << 16):
                writer.write(piece)
                await writer.drain()
            writer.close()

    async def talk(peer: Peer) -> None:
        head = await peer.reader.readuntil(b"\r\n\r\n")
        peer.server.requests.append((head, b""))
        if head.startswith(b"CONNECT "):
            await peer.say(answer)
            if b" 200 " not in answer:
                return
        reader, writer = await asyncio.open_connection("127.0.0.1", target.port)
        if not head.startswith(b"CONNECT "):
            writer.write(head)
        try:
            await asyncio.gather(carry(peer.reader, writer), carry(reader, peer.writer))
        finally:
            writer.close()

    return talk


@pytest.fixture
def proxied(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Names the proxy that the environment names."""

    def name(server: Server, login: str = "", scheme: str = "http://") -> None:
        for variable in ("http_proxy", "https_proxy"):
            monkeypatch.setenv(variable, f"{scheme}{login}127.0.0.1:{server.port}")
        proxies.proxy_for.cache_clear()

    return name


LOGIN = "Basic " + base64.b64encode(b"me:p@ss word").decode()


@pytest.mark.parametrize("scheme", ["http://", ""])
async def test_a_plain_request_goes_through_a_proxy(proxied: Any, scheme: str) -> None:
    async with talking(answering()) as target, talking(proxying(target)) as proxy:
        proxied(proxy, "me:p%40ss%20word@", scheme)
        for _ in range(2):
            assert await http.post("http://judge.test/v1?a=b", {}, {}, 20) == {"ok": True}
        assert len(proxy.peers) == 1
        head = proxy.requests[0][0].decode()
        assert head.startswith("POST http://judge.test/v1?a=b HTTP/1.1\r\nHost: judge.test\r\n")
        assert f"Proxy-Authorization: {LOGIN}\r\n" in head
        assert await http.post(target.url, {}, {}, 20) == {"ok": True}
        assert len(proxy.peers) == 1, "a server on this machine needs no proxy"


ESTABLISHED = (
    b"HTTP/1.1 200 Connection established\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
    b"HTTP/1.0 200 OK\r\nconnection: close\r\n\r\n",
)


@needs_openssl
@pytest.mark.parametrize("answer", ESTABLISHED)
async def test_tls_goes_through_a_proxy_that_sees_none_of_it(tls: ssl.SSLContext, proxied: Any, answer: bytes) -> None:
    async with talking(answering(), tls=tls) as target, talking(proxying(target, answer)) as proxy:
        proxied(proxy, "me:p%40ss%20word@")
        for _ in range(2):
            assert await http.post("https://judge.test/v1", {"authorization": "Bearer KEY"}, {}, 20) == {"ok": True}
        assert len(proxy.peers) == len(target.peers) == 1
        ((asked, _),) = proxy.requests
        assert asked.startswith(b"CONNECT judge.test:443 HTTP/1.1\r\nHost: judge.test\r\n")
        assert f"Proxy-Authorization: {LOGIN}\r\n".encode() in asked and b"KEY" not in asked
        head = target.requests[0][0]
        assert head.startswith(b"POST /v1 HTTP/1.1\r\nHost: judge.test\r\n") and b"proxy" not in head.lower()
        with pytest.raises(JudgeRejected, match=r"the certificate of other\.test is not trusted"):
            await http.post("https://other.test/v1", {}, {}, 20)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 2\r\n\r\nno",
            r"the proxy refused the connection \(HTTP 407\)",
        ),
        (b"HTTP/1.1 502 Bad Gateway\r\n\r\n", r"refused the connection \(HTTP 502\)"),
        (b"nonsense\r\n\r\n", "cannot be read"),
        (b"", "the connection was closed without a response"),
    ],
)
async def test_a_proxy_that_does_not_let_through(proxied: Any, answer: bytes, said: str) -> None:
    async with talking(answering()) as target, talking(proxying(target, answer)) as proxy:
        proxied(proxy, "me:hush-hush-hush@")
        with pytest.raises(JudgeUnreachable, match=said) as told:
            await http.post("https://judge.test/v1", {}, {}, 20)
        assert "hush" not in str(told.value)
        await until(lambda: proxy.closed)


async def test_a_proxy_that_says_nothing(proxied: Any) -> None:
    async def talk(peer: Peer) -> None:
        await peer.reader.read()

    async with talking(talk) as proxy:
        proxied(proxy)
        with pytest.raises(JudgeUnavailable, match=r"within 0\.2 s"):
            await http.post("https://judge.test/v1", {}, {}, 0.2)
        await until(lambda: proxy.closed)


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "http://", "http://h:port", "http://me:hush-hush@h:99999"])
def test_a_proxy_that_is_none(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    with pytest.raises(InputError, match="set http_proxy and https_proxy") as told:
        proxies.proxy_for("http://judge.test/v1")
    assert "hush" not in str(told.value)


async def test_tls_that_fails_inside_a_tunnel(proxied: Any, caplog: pytest.LogCaptureFixture) -> None:
    async def talk(peer: Peer) -> None:
        await peer.reader.read(100)
        await peer.say(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with talking(talk) as target, talking(proxying(target)) as proxy:
        proxied(proxy)
        with pytest.raises(JudgeUnreachable, match=r"could not reach judge\.test: .*SSL"):
            await http.post("https://judge.test/v1", {}, {}, 20)
        await until(lambda: proxy.closed)
    assert not caplog.records


@pytest.mark.parametrize(
    ("named", "url", "direct"),
    [
        ("judge.test", "https://judge.test/v1", True),
        ("judge.test", "https://api.judge.test/v1", True),
        ("judge.test", "https://myjudge.test/v1", False),
        (".judge.test", "https://api.judge.test/v1", True),
        ("*.judge.test", "https://api.judge.test/v1", True),
        ("*.judge.test", "https://judge.test.evil/v1", False),
        ("JUDGE.test", "https://Judge.TEST./v1", True),
        ("judge.test:8443", "https://judge.test:8443/v1", True),
        ("judge.test:8443", "https://judge.test/v1", False),
        ("judge.test:443", "https://judge.test/v1", True),
        ("*.judge.test:80", "http://api.judge.test/v1", True),
        ("10.0.0.0/8", "http://10.1.2.3/v1", True),
        ("10.0.0.0/8", "http://11.1.2.3/v1", False),
        ("10.0.0.0/8", "http://10.evil.test/v1", False),
        ("10.1.2.3", "http://10.1.2.3:8000/v1", True),
        ("10.1.2.3:8000", "http://10.1.2.3:8000/v1", True),
        ("10.1.2.3:8000", "http://10.1.2.3:8001/v1", False),
        ("fd00::/8", "http://[fd00::1]/v1", True),
        ("fd00::1", "http://[fd00::1]:8000/v1", True),
        ("[fd00::1]:8000", "http://[fd00::1]:8000/v1", True),
        ("[fd00::1]:8000", "http://[fd00::1]:8001/v1", False),
        ("a.test, judge.test b.test", "http://judge.test/v1", True),
        ("*", "http://judge.test/v1", True),
        ("", "http://judge.test/v1", False),
        (".,:8000,::,/8,judge.test:x,[", "http://judge.test:8000/v1", False),
        ("", "http://127.0.0.1/v1", True),
        ("", "http://127.8.9.10/v1", True),
        ("", "http://[::1]/v1", True),
        ("", "http://localhost:8000/v1", True),
        ("", "http://127.evil.test/v1", False),
        ("", "http://localhost.evil.test/v1", False),
        ("127.0.0.1", "http://127.0.0.1.evil.test/v1", False),
    ],
)
def test_which_servers_are_asked_without_a_proxy(
    named: str, url: str, direct: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for scheme in ("http", "https"):
        monkeypatch.setenv(f"{scheme}_proxy", "http://proxy.test:3128")
    monkeypatch.setenv("no_proxy", named)
    assert proxies.proxy_for(url) == (None if direct else "http://proxy.test:3128")


UNCEREMONIOUS = """
import asyncio, sys
from halluscope._internal.judges.chat import http
for _ in range(3):
    loop = asyncio.new_event_loop()
    loop.run_until_complete(http.post(sys.argv[1], {}, {}, 20))
    loop.close()
del loop
"""


@needs_openssl
async def test_a_loop_closed_without_ceremony_leaves_no_word_of_tls(tls: ssl.SSLContext) -> None:
    async with talking(answering(), tls=tls) as server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-W", "error", "-c", UNCEREMONIOUS, secure(server)), stderr=subprocess.PIPE
        )
        _, errors = await asyncio.wait_for(process.communicate(), 60)
    assert (process.returncode, errors.decode()) == (0, "")
