"""Repair over HTTP: the library's, within the server's limits."""

from __future__ import annotations

from typing import Any

import aiohttp
import msgspec

import halluscope

from .test_check import bare

REPAIR: dict[str, Any] = {
    "output": "🏛️ The mill closed in 1969. Entry is free.",
    "context": ["The mill closed in 1921.", "Entry is free."],
}


async def test_a_repair_is_the_librarys(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/repair", json=REPAIR) as response:
        assert response.status == 200, await response.text()
        told = await response.json()
    made = halluscope.repair(REPAIR["output"], REPAIR["context"])
    assert told["text"] == made.text == "🏛️ The mill closed in 1921. Entry is free."
    assert msgspec.json.decode(msgspec.json.encode(made.edits)) == told["edits"]
    assert bare(told["before"]) == bare(made.before)
    assert bare(told["after"]) == bare(made.after)


async def test_places_may_be_counted_as_javascript_does(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/repair", json={**REPAIR, "places": "utf16"}) as response:
        (edit,) = (await response.json())["edits"]
    units = REPAIR["output"].encode("utf-16-le")
    assert units[2 * edit["start"] : 2 * edit["end"]].decode("utf-16-le") == edit["before"] == "1969"


async def test_a_metric_without_claims_is_refused_in_a_sentence(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/repair", json={**REPAIR, "metric": "label"}) as response:
        assert response.status == 422
        assert "does not judge claims" in await response.text()
