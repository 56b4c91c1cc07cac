"""The end: every request that came is answered, whatever is under way."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import aiohttp
import pytest

from halluscope._internal.serving.http.transport.listening import listening_socket

from ...helpers.systems import posix
from ...helpers.waiting import LONG, until
from .test_check import CHECK, LINES, lines

pytestmark = pytest.mark.slow("starts and stops server processes")


class Process:
    """A server as a process, as a user starts it."""

    def __init__(self, home: Path, *arguments: str, files: int | None = None) -> None:
        """`files` bounds its file descriptors."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "halluscope", "serve", "--port", "0", *arguments],
            stderr=subprocess.PIPE,
            env={**os.environ, "HALLUSCOPE_HOME": str(home)},
            text=True,
            preexec_fn=None if files is None else partial(_limit_files, files),
        )
        self.log: list[str] = []
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.log += iter(self.process.stderr.readline, "")  # a line at a time, as they come

    async def url(self) -> str:
        """Where it listens, once it is ready."""
        await until(lambda: self.process.poll() is not None or any("listening" in line for line in self.log))
        assert self.process.poll() is None, self.log
        found = re.search(r"http://\S+", "".join(self.log))
        assert found is not None
        async with aiohttp.ClientSession() as session:
            while True:
                try:
                    async with session.get(f"{found.group()}/readyz") as response:
                        if response.status == 200:
                            return found.group()
                except aiohttp.ClientConnectionError:
                    await asyncio.sleep(0.05)


async def under_way(client: aiohttp.ClientSession) -> float:
    """How many requests the server says that it works on."""
    async with client.get("/metrics") as response:
        found = re.search(r"^halluscope_requests_under_way (\S+)$", await response.text(), re.MULTILINE)
    assert found is not None
    return float(found[1])


def _limit_files(files: int) -> None:
    import resource  # which Windows does not have

    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))


@contextmanager
def process(home: Path, *arguments: str, files: int | None = None) -> Iterator[Process]:
    started = Process(home, *arguments, files=files)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.wait()
        started._reading.join(10)
        assert started.process.stderr is not None
        started.process.stderr.close()


@posix
async def test_what_was_accepted_is_answered_before_the_end(tmp_path: Path) -> None:
    bodies = [{**CHECK, "output": f"Einstein won {n} prizes. He was born in Ulm. " * 2} for n in range(16)]
    answered: list[int] = []
    with process(tmp_path) as started:
        url = await started.url()
        host, port = url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))  # which is kept open, idle
        probe = f"GET /readyz HTTP/1.1\r\nhost: {host}\r\n\r\n".encode()
        writer.write(probe)
        assert b"200 OK" in await reader.readuntil(b'"ready"}')
        async with aiohttp.ClientSession(url) as client:

            async def ask(place: int) -> None:
                headers = LINES if place % 2 else {}
                async with client.post("/v1/check", json=bodies[place], headers=headers) as response:
                    if headers:
                        assert [event["event"] async for event in lines(response)][-1] == "result"
                    else:
                        assert (await response.json())["outcome"] == "scored"
                    answered.append(place)

            asking = [asyncio.ensure_future(ask(place)) for place in range(len(bodies))]
            await until(lambda: len(answered) >= 2)
            started.process.send_signal(signal.SIGTERM)
            await until(lambda: any("shutting down" in line for line in started.log))
            writer.write(probe)
            last = await reader.read()
            assert b"503" in last and b"connection: close" in last
            assert json.loads(last.partition(b"\r\n\r\n")[2])["error"]["code"] == "ending"
            writer.close()
            await asyncio.gather(*asking)
        assert len(answered) == len(bodies)
        assert started.process.wait(LONG) == 0
    assert any("shutting down" in line for line in started.log), started.log
    assert not any("Traceback" in line for line in started.log), started.log


@posix
async def test_asked_twice_it_does_not_wait(tmp_path: Path) -> None:
    long = " ".join(f"The mill number {n} has {n} wheels and stands in Ulm." for n in range(8000))
    with process(tmp_path, "--max-claims", "100000") as started:
        url = await started.url()
        async with aiohttp.ClientSession(url) as client:
            asking = asyncio.ensure_future(client.post("/v1/check", json={**CHECK, "output": long}))
            while await under_way(client) < 1:
                assert not asking.done()
            started.process.send_signal(signal.SIGTERM)
            await until(lambda: any("shutting down" in line for line in started.log))
            started.process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(started.process.wait, LONG) == 0
            assert isinstance((await asyncio.gather(asking, return_exceptions=True))[0], aiohttp.ClientError)
    assert not any("Traceback" in line or "terminate" in line for line in started.log), started.log
    assert "stopped" in started.log[-1]


def test_a_client_may_connect_as_soon_as_the_address_is_told() -> None:
    with listening_socket("127.0.0.1", 0) as listening:
        socket.create_connection(listening.getsockname(), timeout=LONG).close()
