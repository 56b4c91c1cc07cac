"""Two hundred requests at a time against `/v1/check`, for a minute; and again, with SIGTERM in the middle.

    python -m benchmarks.server [--seconds 60] [--at-once 200]

Every request has a text of its own, so that no answer can be shared. Prints how many were answered with which status,
how long that took, and how much memory the server had in each sixth of the time; then what became of every request
that was under way when the server was told to end.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field

import aiohttp

TOWNS = ("Ulm", "Bern", "Graz", "Lyon", "York", "Oslo", "Riga", "Kiel")


@dataclass
class Seen:
    """What the clients saw."""

    statuses: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    unreached: int = 0
    """Requests for which there was nobody to connect to any longer."""


def body(number: int) -> dict[str, object]:
    town, other = TOWNS[number % 8], TOWNS[(number // 8) % 8]
    return {
        "input": "What is known of the mill?",
        "output": f"The mill number {number} stands in {town}. It was built in {1700 + number % 200}.",
        "context": [
            f"The mill number {number} stands in {other}, by the river.",
            f"It was built in {1700 + number % 200}. Its {number % 7 + 2} wheels turn all year.",
        ],
    }


async def client(session: aiohttp.ClientSession, numbers: itertools.count[int], until: float, seen: Seen) -> None:
    while time.monotonic() < until:
        begun = time.perf_counter()
        try:
            async with session.post("/v1/check", json=body(next(numbers))) as response:
                await response.read()
                seen.statuses[str(response.status)] += 1
                wait = float(response.headers.get("retry-after", 0)) if response.status == 429 else 0.0
        except aiohttp.ClientConnectorError:
            seen.unreached += 1
            return
        except aiohttp.ClientError as error:
            seen.broken.append(f"{type(error).__name__}: {error}")
            continue
        seen.seconds.append(time.perf_counter() - begun)
        await asyncio.sleep(wait)


async def memory(session: aiohttp.ClientSession, until: float, every: float) -> list[float]:
    """Megabytes that the server has, now and then; nothing where the system does not say."""
    found = []
    while time.monotonic() + every / 2 < until:
        await asyncio.sleep(every)
        async with session.get("/metrics") as response:
            told = re.search(r"^process_resident_memory_bytes (\S+)", await response.text(), re.MULTILINE)
        if told:
            found.append(float(told.group(1)) / 2**20)
    return found


async def listening(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    while line := (await process.stderr.readline()).decode():
        if found := re.search(r"http://\S+", line):
            return found.group()
    raise RuntimeError("the server did not start")


async def ready(session: aiohttp.ClientSession) -> None:
    while True:
        try:
            async with session.get("/readyz") as response:
                if response.status == 200:
                    return
        except aiohttp.ClientConnectionError:
            pass
        await asyncio.sleep(0.1)


async def measure(seconds: float, at_once: int, stop_after: float | None) -> tuple[Seen, list[float], int | None]:
    """What the clients saw, the server's memory, and the code with which it ended where it was told to."""
    with tempfile.TemporaryDirectory() as home:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "halluscope", "serve", "--port", "0", "--log-level", "info"),
            stderr=subprocess.PIPE,
            env={**os.environ, "HALLUSCOPE_HOME": home},
        )
        reading = None
        try:
            url = await listening(process)
            assert process.stderr is not None
            reading = asyncio.ensure_future(process.stderr.read())
            connector = aiohttp.TCPConnector(limit=0)
            async with aiohttp.ClientSession(url, connector=connector, timeout=aiohttp.ClientTimeout(180)) as session:
                await ready(session)
                seen, numbers, until = Seen(), itertools.count(), time.monotonic() + seconds
                clients = [asyncio.ensure_future(client(session, numbers, until, seen)) for _ in range(at_once)]
                held: list[float] = []
                if stop_after is None:
                    held = await memory(session, until, seconds / 6)
                else:
                    await asyncio.sleep(stop_after)
                    process.send_signal(signal.SIGTERM)
                await asyncio.gather(*clients)
            code = None if stop_after is None else await asyncio.wait_for(process.wait(), 120)
            return seen, held, code
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()
            if reading is not None:
                await reading


def told(seen: Seen) -> str:
    ordered = sorted(seen.seconds)
    half, most = (ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in (0.5, 0.99))
    counts = ", ".join(f"{count} answered {status}" for status, count in sorted(seen.statuses.items()))
    return f"{counts}; broken: {len(seen.broken)}; p50 {half:.2f} s, p99 {most:.2f} s"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--at-once", type=int, default=200)
    options = parser.parse_args()
    seen, held, _ = await measure(options.seconds, options.at_once, None)
    rate = len(seen.seconds) / options.seconds
    print(f"{options.at_once} at a time for {options.seconds:g} s on {os.cpu_count()} cores")
    print(f"  {told(seen)}; {rate:.1f} a second")
    print(f"  memory of the server: {', '.join(f'{size:.0f}' for size in held)} MB")
    seen, _, code = await measure(options.seconds, options.at_once, options.seconds / 2)
    print(f"the same, told to end after {options.seconds / 2:g} s")
    print(f"  {told(seen)}")
    print(f"  clients that found nobody listening any longer: {seen.unreached}; the server ended with {code}")
    for error in Counter(seen.broken).most_common(5):
        print(f"  broken: {error}")


if __name__ == "__main__":
    asyncio.run(main())
