"""Clients that send in pieces, stop half-way, do not read, close one side or vanish, several of them at a time."""

from __future__ import annotations

import atexit
import json
import logging
import random
import socket
import struct
import tempfile
import threading
import time
from functools import cache
from pathlib import Path
from typing import Union

from hypothesis import strategies as st

from halluscope import evaluate
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope._internal.runs.store import Store
from halluscope._internal.serving.http.settings import ServerSettings
from halluscope._internal.serving.service.limits import Limits

from ..helpers.serving import Served
from ..helpers.waiting import wait_until

Step = Union[bytes, float, str]
"""Bytes to send, seconds to wait, or one of the acts below."""

ACTS = ("read", "close the sending side", "vanish")
_LIMITS = Limits(sending=0.2, writing=0.4, waiting=6)


def _post(path: str, body: bytes, kind: str = "json") -> bytes:
    head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/{kind}\r\ncontent-length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode()


_CASE = {"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}
_CHECK = _post("/v1/check", json.dumps(_CASE).encode())
_LINES = b'{"context": ["The mill is in Ulm."]}\n{"text": "The mill is in Bonn. It"}\n{"text": " is old."}\n'
_REQUESTS = (
    _get("/healthz"),
    _get("/v1/runs/a/results?limit=200"),
    _get("/v1/runs/a/report"),
    _CHECK,
    _post("/v1/batch", json.dumps({"cases": [{"output": "Hm.", "id": "a" * 1900}] * 100}).encode()),
    _post("/v1/guard", _LINES, "x-ndjson"),
    _post("/v1/guard", _LINES, "x-ndjson").replace(b"content-length: ", b"transfer-encoding: chunked\r\nx: "),
    b"%x\r\n%s\r\n" % (len(_LINES), _LINES),
    b"\r\n",
    b"\xff\x00zz\r\n\r\n",
)

_whole = st.sampled_from(_REQUESTS)
_part = st.builds(lambda sent, first, last: sent[first:last], _whole, st.sampled_from([0, 0, 9]), st.integers(0, 400))

clients = st.lists(
    st.lists(st.one_of(_whole, _part, st.floats(0, 0.1), st.sampled_from(ACTS)), max_size=8),
    min_size=1,
    max_size=6,
)


class _Noted(logging.Handler):
    """Keeps what no client may cause."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(logging.Formatter().format(record))


@cache
def _served() -> tuple[Served, _Noted]:
    """A server that waits for nobody, with a run that is larger than what the network takes on unread."""
    store = Store(Path(tempfile.mkdtemp()) / "a.db")
    drawn = random.Random(5)
    rows = [{"id": str(n), "output": f"Mill {n}. {drawn.randbytes(40_000).hex()}", "context": ["x"]} for n in range(12)]
    judge = ScriptedJudge({"label": {"verdict": "factual", "reason": ["x"]}})
    evaluate(rows, "label", judge, run="a", store=store, progress=False)
    noted = _Noted()
    for name in ("halluscope", "uvicorn", "asyncio"):
        logging.getLogger(name).addHandler(noted)
    running = Served(ServerSettings(limits=_LIMITS), store).__enter__()
    atexit.register(store.close)
    atexit.register(running.__exit__)
    return running, noted


def _act(connection: socket.socket, steps: list[Step]) -> bytes:
    heard = b""
    try:
        for step in steps:
            if isinstance(step, bytes):
                connection.sendall(step)
            elif isinstance(step, float):
                time.sleep(step)
            elif step == "read":
                heard += connection.recv(4096)
            elif step == "vanish":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()
            else:
                connection.shutdown(socket.SHUT_WR)
    except OSError:  # the server has closed it, or sends nothing
        pass
    return heard


def slow_clients(steps: list[list[Step]]) -> None:
    """Whatever clients do and leave undone, the server lets go of them by itself, and serves the next one."""
    served, noted = _served()
    heard: list[bytes] = []
    connections = []
    for _ in steps:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.settimeout(0.2)
        connection.connect(("127.0.0.1", served.port))
        connections.append(connection)
    acting = [
        threading.Thread(target=lambda c=connection, s=mine: heard.append(_act(c, s)))
        for connection, mine in zip(connections, steps, strict=True)
    ]
    try:
        for thread in acting:
            thread.start()
        for thread in acting:
            thread.join()
        # They are all still connected, and neither send nor read.
        wait_until(lambda: not served._server.server_state.connections)
        wait_until(lambda: not served.application.service.under_way)
        wait_until(lambda: "halluscope-work" not in {thread.name for thread in threading.enumerate()})
    finally:
        for connection in connections:
            connection.close()
    assert served.raw(_CHECK)[0] == 200
    assert not any(b"HTTP/1.1 500" in answer for answer in heard), "an error that nobody foresaw"
    assert noted.found == []
