"""One server for the tests that do not change it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import aiohttp
import pytest

import halluscope
from halluscope._internal.runs.store import Store
from halluscope._internal.serving.http.settings import ServerSettings
from halluscope._internal.serving.service.limits import Limits

from ...helpers.serving import Served

TOKEN = "a-token-of-the-tests-0123456789"


@pytest.fixture(scope="package")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with two runs: in the second an answer has become worse."""
    folder = tmp_path_factory.mktemp("kept")
    store = Store(folder / "halluscope.db")
    rows = [
        {
            "id": "river",
            "output": "The Tarn Beck flows into Lake Orrin.",
            "context": ["The Tarn Beck flows into Lake Orrin."],
        },
        {"id": "tower", "output": "The tower is 38 metres tall.", "context": ["The tower is 38 metres tall."]},
        {"id": "empty", "output": "", "context": ["Anything."]},
    ]
    halluscope.evaluate(rows, metrics=["hallucination", "faithfulness"], run="nightly-1", store=store)
    rows[1]["output"] = "The tower is 83 metres tall."
    halluscope.evaluate(rows, metrics=["hallucination", "faithfulness"], run="nightly-2", store=store)
    return store


@pytest.fixture(scope="package")
def served(kept: Store) -> Iterator[Served]:
    """A server with a token and narrow limits."""
    limits = Limits(body=200_000, claims=30, cases=20, sending=1.0, seconds=60, waiting=64)
    with Served(ServerSettings(token=TOKEN, limits=limits), kept) as running:
        yield running


@pytest.fixture
async def client(served: Served) -> AsyncIterator[aiohttp.ClientSession]:
    """Someone who may ask."""
    async with aiohttp.ClientSession(served.url, headers=served.headers) as session:
        yield session
