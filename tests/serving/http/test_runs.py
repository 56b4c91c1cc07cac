"""Runs over HTTP: the figures, the results page by page, comparisons and the report."""

from __future__ import annotations

from typing import Any

import aiohttp
import msgspec

from halluscope import Run
from halluscope._internal.runs.store import Store


def plain(value: object) -> Any:
    """As it comes over the wire."""
    return msgspec.json.decode(msgspec.json.encode(value))


async def read(client: aiohttp.ClientSession, path: str) -> Any:
    async with client.get(path) as response:
        assert response.status == 200, await response.text()
        return await response.json()


async def test_runs_are_listed_and_told(client: aiohttp.ClientSession, kept: Store) -> None:
    listed = await read(client, "/v1/runs")
    assert [run["name"] for run in listed["runs"]] == ["nightly-1", "nightly-2"]
    told = await read(client, "/v1/runs/nightly-2")
    assert told == plain({"info": Run("nightly-2", kept).info, "summary": Run("nightly-2", kept).summary()})
    assert await read(client, "/v1/runs/nightly%2D2") == told


async def test_results_come_page_by_page(client: aiohttp.ClientSession, kept: Store) -> None:
    expected = [plain(result) for result in Run("nightly-2", kept).results()]
    found, start = [], 0
    while start is not None:
        page = await read(client, f"/v1/runs/nightly-2/results?start={start}&limit=1")
        assert len(page["results"]) == 2
        found += page["results"]
        start = page["next"]
    assert [kept["result"] for kept in found] == expected
    assert [kept["case"]["id"] for kept in found] == ["river", "river", "tower", "tower", "empty", "empty"]
    failing = await read(client, "/v1/runs/nightly-2/results?failing=true&metric=hallucination")
    assert [kept["case"]["id"] for kept in failing["results"]] == ["tower", "empty"]


async def test_two_runs_are_compared(client: aiohttp.ClientSession, kept: Store) -> None:
    told = await read(client, "/v1/comparison?before=nightly-1&after=nightly-2")
    assert told == plain(Run("nightly-2", kept).compare("nightly-1"))
    assert told["metrics"][0]["changed"][0]["id"] == "tower"


async def test_a_run_comes_as_a_report(client: aiohttp.ClientSession) -> None:
    async with client.get("/v1/runs/nightly-2/report?baseline=nightly-1") as response:
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert "script-src" not in response.headers["content-security-policy"]
        page = await response.text()
    assert 'id="index"' in page and "nightly-2" in page
