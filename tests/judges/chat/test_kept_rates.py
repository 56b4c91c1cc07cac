"""Prices that are kept, so that the table need not be loaded for them. Each test asks in processes of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from halluscope._internal.judges.chat.kept_rates import _MOST, PricedModel, Rates, keep_rates, kept_rates
from halluscope._internal.judges.chat.prices import Tokens, usage_of

ASKED = """
import json, sys
from halluscope._internal.judges.chat.prices import Tokens, usage_of
asked = json.loads(sys.argv[1])
costs = [usage_of(provider, model, Tokens(*tokens), server=server).cost for provider, model, server, tokens in asked]
print(json.dumps([costs, "genai_prices" in sys.modules]))
"""
GPT = ("openai", "gpt-4o-mini", "http://127.0.0.1:1/v1", (1000, 500, 300))
UNKNOWN = ("openai", "a-model-of-mine", None, (1000, 500))
LONG = (*GPT[:3], (40_000, 500))
RATES = Rates(1.0, 0.5, 2.0)


def started(home: Path, *asked: tuple[Any, ...]) -> subprocess.Popen[str]:
    environment = {**os.environ, "HALLUSCOPE_HOME": str(home)}
    command = [sys.executable, "-c", ASKED, json.dumps(asked)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def told(process: subprocess.Popen[str]) -> tuple[list[float | None], bool]:
    """The costs, and whether the table was loaded."""
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 0 and not errors, errors
    costs, loaded = json.loads(said)
    return costs, loaded


def cost(asked: tuple[Any, ...]) -> float | None:
    provider, model, server, tokens = asked
    return usage_of(provider, model, Tokens(*tokens), server=server).cost


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path))
    return tmp_path / "prices.json"


def test_the_table_is_loaded_once_and_the_price_stays_the_same(tmp_path: Path) -> None:
    assert told(started(tmp_path, GPT)) == ([cost(GPT)], True)
    assert told(started(tmp_path, GPT)) == ([cost(GPT)], False)


def test_a_model_that_the_table_does_not_know_is_remembered_as_such(tmp_path: Path) -> None:
    assert told(started(tmp_path, UNKNOWN)) == ([None], True)
    assert told(started(tmp_path, UNKNOWN)) == ([None], False)


def test_many_tokens_are_priced_by_the_table(tmp_path: Path) -> None:
    told(started(tmp_path, GPT))
    assert told(started(tmp_path, GPT, LONG)) == ([cost(GPT), cost(LONG)], True)


def test_another_server_is_another_question(tmp_path: Path) -> None:
    told(started(tmp_path, GPT))
    groq = ("openai", "llama-3.3-70b-versatile", "https://api.groq.com/openai/v1", (1000, 500))
    elsewhere = ("openai", "llama-3.3-70b-versatile", "http://127.0.0.1:1/v1", (1000, 500))
    assert told(started(tmp_path, groq)) == ([cost(groq)], True)
    assert told(started(tmp_path, elsewhere)) == ([None], True)
    assert told(started(tmp_path, GPT, groq, elsewhere)) == ([cost(GPT), cost(groq), None], False)


def test_a_price_that_changes_with_the_day_or_the_hour_is_not_kept(tmp_path: Path) -> None:
    from genai_prices.data import providers

    changing = next(
        (provider.id, model.id, None, (1000, 500))
        for provider in providers
        for model in provider.models
        if isinstance(model.prices, list) and cost((provider.id, model.id, None, (1, 1))) is not None
    )
    for _ in range(2):
        assert told(started(tmp_path, changing)) == ([cost(changing)], True)
    assert not (tmp_path / "prices.json").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\x00",
        b"[]",
        b'{"table": "genai_prices-0.0.1.dist-info", "models": []}',
        b'{"table": 3}',
        b"{" * 100_000,
    ],
)
def test_a_file_that_is_not_ours_counts_for_nothing_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "prices.json").write_bytes(content)
    assert told(started(tmp_path, GPT)) == ([cost(GPT)], True)
    assert told(started(tmp_path, GPT)) == ([cost(GPT)], False)


@pytest.mark.parametrize("rates", ['{"read": -1, "again": 0, "written": 0}', '{"read": 1}', '"free"', "1e999"])
def test_rates_that_are_none_count_for_nothing(file: Path, rates: str) -> None:
    keep_rates(PricedModel(*GPT[:3]), RATES)
    whole = file.read_text(encoding="utf-8")
    assert kept_rates() == {PricedModel(*GPT[:3]): RATES}
    start = whole.index('{"read"')
    file.write_text(whole[:start] + rates + "]]}", encoding="utf-8")
    assert kept_rates() == {}


def test_what_was_kept_of_another_version_is_forgotten(file: Path) -> None:
    keep_rates(PricedModel(*GPT[:3]), RATES)
    older = json.loads(file.read_bytes())
    older["table"] = "genai_prices-0.0.30.dist-info"
    file.write_text(json.dumps(older), encoding="utf-8")
    assert kept_rates() == {}
    keep_rates(PricedModel(None, "another", None), None)
    assert kept_rates() == {PricedModel(None, "another", None): None}


@pytest.mark.parametrize("trouble", ["a file for a folder", "a folder for a file", "read-only"])
def test_where_nothing_can_be_kept_the_table_is_asked_every_time(tmp_path: Path, trouble: str) -> None:
    home = tmp_path / "home"
    if trouble == "a file for a folder":
        home.write_text("")
    elif trouble == "a folder for a file":
        (home / "prices.json").mkdir(parents=True)
    else:
        home.mkdir(mode=0o500)
        if os.access(home, os.W_OK):  # root may write everywhere but there
            home = Path("/proc/self")
    for _ in range(2):
        assert told(started(home, GPT)) == ([cost(GPT)], True)


def test_several_processes_at_once(tmp_path: Path) -> None:
    others = [("openai", f"a-model-{i}", None, (10, 10)) for i in range(3)]
    together = [started(tmp_path, asked) for asked in (GPT, GPT, *others)]
    assert [told(process)[0] for process in together] == [[cost(GPT)], [cost(GPT)], [None], [None], [None]]
    assert [path.name for path in tmp_path.iterdir()] == ["prices.json"]
    json.loads((tmp_path / "prices.json").read_bytes())


def test_the_file_does_not_grow_for_ever(file: Path) -> None:
    for port in range(_MOST + 5):
        keep_rates(PricedModel("openai", "mine", f"http://127.0.0.1:{port}/v1"), None)
    ports = [str(asked.server).rpartition(":")[2] for asked in kept_rates()]
    assert ports == [f"{port}/v1" for port in range(5, _MOST + 5)]
