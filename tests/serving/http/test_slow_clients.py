"""Clients that send slowly, do not read, or go away: none holds a connection, a place or a thread for ever."""

from __future__ import annotations

import json
import logging
import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import halluscope
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope._internal.runs.store import Store
from halluscope._internal.serving.http.settings import ServerSettings
from halluscope._internal.serving.service.limits import Limits

from ...helpers.serving import Served
from ...helpers.systems import posix
from ...helpers.waiting import until, wait_until
from .test_ending import process

pytestmark = pytest.mark.slow("waits until the server's time limits are over")

PROBE = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"
CHECK = {"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}
READS = (
    "/v1/runs",
    "/v1/runs/large",
    "/v1/runs/large/results",
    "/v1/runs/large/report",
    "/v1/comparison?before=large&after=large",
)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with a run whose report is larger than what the network takes on unread."""
    drawn = random.Random(5)
    rows = [{"id": str(n), "output": f"Mill {n}. {drawn.randbytes(40_000).hex()}", "context": ["x"]} for n in range(12)]
    judge = ScriptedJudge({"label": {"verdict": "factual", "reason": ["x"]}})
    with Store(tmp_path_factory.mktemp("large") / "a.db") as store:
        halluscope.evaluate(rows, "label", judge, run="large", store=store, progress=False)
        yield store


@pytest.fixture(scope="module")
def impatient(large: Store) -> Iterator[Served]:
    """A server that waits half a second for anything, and has room for two requests."""
    limits = Limits(sending=0.5, writing=1.0, waiting=2)
    with Served(ServerSettings(limits=limits), large) as running:
        yield running


@contextmanager
def connected(served: Served, *, unread: int | None = None) -> Iterator[socket.socket]:
    """A connection; `unread` bounds what its client takes on before it reads."""
    with socket.socket() as connection:
        if unread is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, unread)
        connection.settimeout(30)
        connection.connect(("127.0.0.1", served.port))
        yield connection


def post(path: str, body: object, extra: str = "") -> bytes:
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{extra}"
    return f"{head}content-length: {len(content)}\r\n\r\n".encode() + content


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode()


def workers() -> list[threading.Thread]:
    """The threads that work for the server."""
    return [thread for thread in threading.enumerate() if thread.name == "halluscope-work"]


def read_to_end(connection: socket.socket) -> bytes:
    found = bytearray()
    while piece := connection.recv(65536):
        found += piece
    return bytes(found)


def test_half_a_second_request_is_not_waited_for(impatient: Served) -> None:
    with connected(impatient) as connection:
        connection.sendall(PROBE)
        assert connection.recv(4000).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET /healthz HTTP/1.1\r\nx-a: ")
        assert b"HTTP/1.1 408 Request Timeout" in read_to_end(connection)


@pytest.mark.parametrize(
    ("first", "drip"),
    [
        (b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ", b"x"),
        (PROBE + b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ", b"x"),
        (PROBE.replace(b"\r\n\r\n", b"\r\ncontent-length: 10000\r\n\r\n"), b"x"),
        (PROBE.replace(b"\r\n\r\n", b"\r\ntransfer-encoding: chunked\r\n\r\n"), b"1\r\nx\r\n"),
        (post("/v1/check", CHECK)[:-10], b" "),
        (post("/v1/guard", CHECK).replace(b"application/json", b"application/x-ndjson"), b"\n"),
    ],
    ids=["first head", "second head", "body of an answered request", "its chunks", "body", "lines"],
)
def test_a_byte_now_and_then_holds_no_connection(impatient: Served, first: bytes, drip: bytes) -> None:
    with connected(impatient) as connection:
        connection.sendall(first)
        end = time.monotonic() + 30
        with pytest.raises(ConnectionError):  # written to when the server had closed it
            while time.monotonic() < end:
                connection.sendall(drip)
                time.sleep(0.1)


def test_an_idle_connection_is_closed_without_a_word(impatient: Served) -> None:
    with connected(impatient) as connection:
        connection.sendall(PROBE)
        assert read_to_end(connection).endswith(b'{"status":"alive"}')


def test_a_connection_is_kept_for_request_after_request(impatient: Served) -> None:
    with connected(impatient) as connection:
        for _ in range(4):  # longer in all than any of them may take
            connection.sendall(PROBE)
            answer = b""
            while not answer.endswith(b'{"status":"alive"}'):
                answer += connection.recv(4000) or pytest.fail("the connection was closed")
            time.sleep(0.2)


def test_who_does_not_read_a_batch_loses_the_place(impatient: Served) -> None:
    cases = [{"output": "Hm.", "id": f"{n:04}" + "a" * 1900} for n in range(1000)]
    with ExitStack() as held:
        for _ in range(2):
            connection = held.enter_context(connected(impatient, unread=2048))
            connection.sendall(post("/v1/batch", {"cases": cases}))
        service = impatient.application.service
        wait_until(lambda: service.under_way == 2)
        assert impatient.raw(post("/v1/check", CHECK))[0] == 429
        wait_until(lambda: service.under_way == 0)
        assert impatient.raw(post("/v1/check", CHECK))[0] == 200


def test_who_does_not_read_a_report_is_hung_up_on(impatient: Served) -> None:
    with connected(impatient, unread=2048) as connection:
        connection.sendall(get("/v1/runs/large/report"))
        wait_until(lambda: bool(impatient._server.server_state.connections))
        with pytest.raises((ConnectionError, EOFError)):  # cut off, or ended in the middle
            wait_until(lambda: not impatient._server.server_state.connections)
            if not read_to_end(connection).endswith(b"0\r\n\r\n"):
                raise EOFError


def test_who_reads_slowly_gets_everything(impatient: Served) -> None:
    with connected(impatient, unread=65536) as connection:
        connection.sendall(get("/v1/runs/large/report"))
        found = bytearray()
        while not found.endswith(b"0\r\n\r\n"):
            piece = connection.recv(65536)
            assert piece, "the connection was closed in the middle"
            found += piece
            time.sleep(0.02)
    assert b"</html>" in found


def test_a_text_that_never_ends_is_ended(impatient: Served) -> None:
    head = post("/v1/guard", None).partition(b"content-length")[0].replace(b"application/json", b"application/x-ndjson")
    with connected(impatient) as connection:
        connection.sendall(head + b"transfer-encoding: chunked\r\n\r\n")

        def send(line: object) -> None:
            content = json.dumps(line).encode() + b"\n"
            connection.sendall(b"%x\r\n%s\r\n" % (len(content), content))

        send({"context": ["The mill is in Ulm."]})
        stopped = threading.Event()

        def write() -> None:
            try:
                while not stopped.wait(0.05):
                    send({"text": "The mill is in Ulm. "})
            except OSError:
                pass

        writing = threading.Thread(target=write)
        writing.start()
        try:
            assert b"not complete within 1 s" in read_to_end(connection)
        finally:
            stopped.set()
            writing.join()
    wait_until(lambda: not impatient.application.service.under_way)


@pytest.mark.parametrize(
    "sent",
    [
        (PROBE.replace(b"\r\n\r\n", b"\r\ntransfer-encoding: chunked\r\n\r\n"), b"zzzz\r\n"),
        (PROBE, b"zzzz\r\n\r\n"),
        (
            b"POST /v1/guard HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\n"
            b"transfer-encoding: chunked\r\n\r\n"
            b'3d\r\n{"context": ["A mill."]}\n{"text": "The mill is old. It is."}\n\r\n',
            b"zzzz\r\n",
        ),
    ],
    ids=["after an answer", "a second request", "during an answer"],
)
def test_what_is_no_http_is_no_error_of_ours(
    impatient: Served, caplog: pytest.LogCaptureFixture, sent: tuple[bytes, bytes]
) -> None:
    with caplog.at_level(logging.INFO), connected(impatient) as connection:
        connection.sendall(sent[0])
        assert b" 200 OK" in connection.recv(15)
        connection.sendall(sent[1])
        read_to_end(connection)
        wait_until(lambda: not impatient._server.server_state.connections)
    assert [record for record in caplog.records if record.exc_info or record.levelno >= logging.ERROR] == []


@posix
async def test_half_open_connections_do_not_block_other_clients(tmp_path: Path) -> None:
    """Where there are as many of them as the process has file descriptors."""
    with process(tmp_path, files=100) as started:
        url = await started.url()
        host, port = url.removeprefix("http://").split(":")
        with ExitStack() as held:
            for _ in range(250):
                connection = held.enter_context(socket.create_connection((host, int(port)), 10))
                connection.sendall(PROBE[:-20])
            with socket.create_connection((host, int(port)), 10) as fresh:
                fresh.sendall(PROBE)
                assert fresh.recv(4000).startswith(b"HTTP/1.1 200")
    assert not any("Traceback" in line for line in started.log), started.log


@pytest.mark.parametrize("path", READS)
def test_a_reading_has_a_place_and_no_more_time_than_a_check(large: Store, path: str) -> None:
    with Served(ServerSettings(limits=Limits(seconds=0.5, waiting=2)), large) as served, ExitStack() as held:
        with large.writing():  # for which the readings have to wait
            for _ in range(2):
                held.enter_context(connected(served)).sendall(get(path))
            wait_until(lambda: served.application.service.under_way == 2)
            status, headers, _ = served.raw(get(path))
            assert status == 429 and int(headers["retry-after"]) >= 1
            wait_until(lambda: not served.application.service.under_way)
            status, _, body = served.raw(get(path))
            assert (status, json.loads(body)["error"]["code"]) == (504, "too_long")
        wait_until(lambda: not workers())


@pytest.mark.parametrize("path", READS)
async def test_a_reading_ends_when_its_client_leaves(large: Store, path: str) -> None:
    with Served(ServerSettings(limits=Limits(waiting=200)), large) as served:
        service = served.application.service
        with large.writing():
            with ExitStack() as held:
                for _ in range(100):
                    held.enter_context(connected(served)).sendall(get(path))
                await until(lambda: service.under_way == 100)
                assert len(workers()) < 10
            await until(lambda: not service.under_way)
        await until(lambda: not workers())
