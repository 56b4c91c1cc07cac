"""Judges through LiteLLM: one layer of retries, ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from halluscope._internal.core.errors import MissingExtra
from halluscope._internal.engine.judge import resolve

from ...helpers.loopback import Faults, Features, Loopback

pytestmark = pytest.mark.slow("imports LiteLLM")

ROOT = Path(__file__).parents[3]

PROGRAM = """
import asyncio, json, sys
from halluscope._internal.engine.driver import RetryPolicy
from halluscope._internal.judges.chat import response_modes
from tests.helpers.scoring import Scorer
case = dict(output="The mill is in Ulm.", context=["The mill is in Ulm."])
for line in sys.stdin:
    options = json.loads(line)
    response_modes.forget()
    times = options.pop("times", 1)
    retry_policy = RetryPolicy(**options.pop("retry_policy", {}), first_wait=0.01)
    model, key = options.pop("model", "openai/gpt-4o"), options.pop("key", {"api_key": "key"})
    scorer = Scorer("label", "litellm/" + model, retry_policy=retry_policy, **key, **options)
    for _ in range(times):
        result = asyncio.run(scorer.ascore(**case))
    print(json.dumps(result.to_dict()), flush=True)
"""

Scored = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def process() -> Iterator[subprocess.Popen[str]]:
    """LiteLLM takes seconds to load, and starts threads and tasks of its own: all tests share one process for it."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    nowhere = {"AWS_EC2_METADATA_DISABLED": "true", "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    started = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, text=True, env={**env, **nowhere},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    yield started
    _, errors = started.communicate(timeout=300)
    assert started.returncode == 0, errors
    assert "Unclosed" not in errors and "never awaited" not in errors, errors


@pytest.fixture
def scored(process: subprocess.Popen[str], server: Loopback) -> Scored:
    def run(**options: Any) -> dict[str, Any]:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps({"base_url": server.base_url, **options}) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        result: dict[str, Any] = json.loads(line)
        return result

    return run


def test_a_case_twice_with_tokens_and_cost(server: Loopback, scored: Scored) -> None:
    result = scored(times=2)
    assert result["score"] == 0.0
    assert result["usage"]["calls"] == 1 and result["usage"]["input_tokens"] > 0 and result["usage"]["cost"] > 0
    asked = server.calls[0].asked.body
    assert asked["temperature"] == 0.0 and asked["response_format"]["type"] == "json_schema"
    assert len(server.calls) == 2


@pytest.mark.parametrize("fault", ["failed", "throttled", "reset"])
def test_retries_are_ours_alone(server: Loopback, scored: Scored, fault: str) -> None:
    server.faults = Faults(**{fault: 1.0})  # type: ignore[arg-type]
    result = scored(retry_policy={"retries": 2})
    assert result["outcome"] == "failed"
    assert len(server.calls) == 3, "two retries after the first try, and none of LiteLLM's"


def test_faults_are_told_apart_and_what_the_server_asks_for_is_waited(server: Loopback, scored: Scored) -> None:
    server.faults = Faults(throttled=1.0, retry_after="0.7", times=1)
    assert scored()["score"] == 0.0
    first, second = (call.at for call in server.calls)
    assert second - first >= 0.7
    server.features = Features(key="other")
    server.forget()
    result = scored()
    assert (result["failure"]["kind"], result["failure"]["status"]) == ("rejected", 401)
    assert len(server.calls) == 1


def test_a_server_without_schemas(server: Loopback, scored: Scored) -> None:
    server.features = Features(schema=False)
    assert scored(model="openai/a-model-of-mine")["score"] == 0.0
    assert server.calls[-1].asked.body.get("response_format") == {"type": "json_object"}


def test_a_window_the_server_tells_of(server: Loopback, scored: Scored) -> None:
    server.features = Features(window=500)
    assert scored()["failure"]["kind"] == "too_long"


def test_missing_credentials_of_a_cloud_are_named(scored: Scored) -> None:
    failure = scored(model="bedrock/anthropic.claude-3-haiku-20240307-v1:0", key={}, base_url=None)["failure"]
    assert failure["message"].endswith("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(MissingExtra, match=r"pip install 'halluscope\[litellm\]'"):
        resolve("litellm/openai/gpt-4o")


def test_options_that_change_an_answer_change_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    litellm: Any = types.ModuleType("litellm")
    litellm.get_llm_provider, litellm.api_key = lambda *_: ("x", "x"), "k"
    monkeypatch.setitem(sys.modules, "litellm", litellm)

    def prints(**options: Any) -> str:
        return resolve("litellm/x", **options).fingerprint()

    assert prints() == prints(api_key="k") != prints(reasoning_effort="high") != prints(temperature=1.0)
