"""How much CPU time a POST of a judge's size takes in each HTTP client: the reason for aiohttp.

python -m benchmarks.http_clients [--calls 1000] [--at-once 50]

The server answers after 100 ms, as judges do: with one that answers at once, waiting is most of what is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

from benchmarks.judge_calls import served

CONTENT = {"model": "any", "messages": [{"role": "user", "content": "x" * 3000}]}
BODY = json.dumps(CONTENT).encode()
HEADERS = {"content-type": "application/json", "authorization": "Bearer key"}

Post = Callable[[], Awaitable[Any]]


async def timed(post: Post, calls: int, at_once: int) -> float:
    turns = asyncio.Semaphore(at_once)

    async def one() -> None:
        async with turns:
            await post()

    await post()
    before = time.process_time()
    await asyncio.gather(*(one() for _ in range(calls)))
    return (time.process_time() - before) / calls * 1000


async def ours(url: str, calls: int, at_once: int) -> float:
    """A judge's call: aiohttp, and what the others leave out (JSON, limits of time and size, errors)."""
    from halluscope._internal.judges.chat import http

    async def post() -> None:
        await http.post(url, {"authorization": "Bearer key"}, CONTENT, 60)

    return await timed(post, calls, at_once)


async def aiohttp(url: str, calls: int, at_once: int) -> float:
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def post() -> None:
            async with session.post(url, data=BODY, headers=HEADERS) as response:
                json.loads(await response.read())

        return await timed(post, calls, at_once)


async def httpx_like(name: str, url: str, calls: int, at_once: int) -> float:
    httpx = import_module(name)
    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=None), timeout=60) as client:

        async def post() -> None:
            json.loads((await client.post(url, content=BODY, headers=HEADERS)).content)

        return await timed(post, calls, at_once)


async def urllib3(url: str, calls: int, at_once: int) -> float:
    import urllib3

    pool = urllib3.PoolManager(maxsize=at_once)
    threads = ThreadPoolExecutor(at_once)
    loop = asyncio.get_running_loop()

    def blocking() -> None:
        json.loads(pool.request("POST", url, body=BODY, headers=HEADERS).data)

    async def post() -> None:
        await loop.run_in_executor(threads, blocking)

    try:
        return await timed(post, calls, at_once)
    finally:
        threads.shutdown()
        pool.clear()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=50)
    given = parser.parse_args()
    with served(0.1) as base:
        url = f"{base}/chat/completions"
        for name, run in (
            ("a judge's call", ours),
            ("aiohttp", aiohttp),
            ("httpx2", lambda *rest: httpx_like("httpx2", *rest)),
            ("httpx", lambda *rest: httpx_like("httpx", *rest)),
            ("urllib3 in threads", urllib3),
        ):
            try:
                each = asyncio.run(run(url, given.calls, given.at_once))
            except ImportError:
                print(f"{name}: not installed, skipped")
                continue
            print(f"{name:20} {each:6.2f} ms of CPU per call")


if __name__ == "__main__":
    main()
