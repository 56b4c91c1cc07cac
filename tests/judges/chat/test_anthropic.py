"""Anthropic's protocol: what is sent, what comes back, and that the server of these tests speaks it."""

from __future__ import annotations

from typing import Any

import pytest

from halluscope._internal.core.errors import InputError, JudgeUnavailable
from halluscope._internal.core.result import Outcome
from halluscope._internal.engine.judge import resolve
from halluscope._internal.engine.metrics import METRICS
from halluscope._internal.judges.chat.anthropic import AnthropicModel, anthropic_judge
from tests.helpers.scoring import Scorer

from ...helpers.loopback import Faults, Features, Loopback

CASE: dict[str, Any] = {"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}


@pytest.mark.slow("imports Anthropic's SDK")
def test_the_server_speaks_as_the_sdk_expects(server: Loopback) -> None:
    import anthropic

    with anthropic.Anthropic(base_url=server.url, api_key="key", max_retries=0) as client:
        server.answer = lambda asked: {"verdict": "factual"}
        made = client.messages.create(
            model="any",
            max_tokens=50,
            messages=[{"role": "user", "content": "?"}],
            tools=[{"name": "label", "input_schema": {"type": "object"}}],
            tool_choice={"type": "tool", "name": "label"},
        )
        assert made.stop_reason == "tool_use" and made.usage.output_tokens > 0
        assert made.content[0].type == "tool_use" and made.content[0].input == {"verdict": "factual"}
        for fault, kind in (("throttled", anthropic.RateLimitError), ("failed", anthropic.InternalServerError)):
            server.faults = Faults(**{fault: 1.0})  # type: ignore[arg-type]
            with pytest.raises(kind):
                client.messages.create(model="any", max_tokens=9, messages=[{"role": "user", "content": "?"}])


async def test_what_is_sent(server: Loopback) -> None:
    judge = anthropic_judge("claude-any", base_url=f"{server.url}/v1", api_key="secret", max_tokens=77)
    assert (await Scorer("label", judge).ascore(**CASE)).score == 0.0
    asked = server.calls[0].asked
    assert asked.path == "/v1/messages"
    assert asked.headers["x-api-key"] == "secret" and asked.headers["anthropic-version"] == "2023-06-01"
    assert asked.body["max_tokens"] == 77 and asked.body["temperature"] == 0.0 and "seed" not in asked.body
    assert asked.body["tool_choice"] == {"type": "tool", "name": "label"}
    (system,) = asked.body["system"]
    assert system["text"].startswith("You judge") and system["cache_control"] == {"type": "ephemeral"}
    assert len(asked.body["messages"]) == 1


@pytest.mark.parametrize("name", METRICS)
async def test_every_metric(server: Loopback, name: str) -> None:
    judge = anthropic_judge("claude-sonnet-4-5", base_url=server.url, api_key="key")
    result = await Scorer(name, judge).ascore(**CASE)
    assert result.outcome is Outcome.SCORED
    assert result.usage.cost is not None and result.usage.cost > 0


async def test_a_refusal(server: Loopback) -> None:
    server.faults = Faults(refused=1.0)
    result = await Scorer("label", anthropic_judge("any", base_url=server.url, api_key="key")).ascore(**CASE)
    assert result.failure is not None and result.failure.kind == "refused"
    assert result.usage.input_tokens > 0


async def test_a_wrong_key(server: Loopback) -> None:
    server.features = Features(key="right")
    result = await Scorer("label", anthropic_judge("any", base_url=server.url, api_key="wrong")).ascore(**CASE)
    assert result.failure is not None and result.failure.status == 401
    assert len(server.calls) == 1


@pytest.mark.parametrize("content", [None, "text", 3])
def test_responses_without_content(content: Any) -> None:
    model = AnthropicModel(model="any", base_url="http://127.0.0.1:1", api_key="secret")
    assert "secret" not in repr(model)
    with pytest.raises(JudgeUnavailable, match="contains no content"):
        model.completion({"content": content})


def test_shapes_of_content() -> None:
    model = AnthropicModel(model="any", base_url="http://127.0.0.1:1", api_key="secret")
    made = model.completion({"content": ["odd", {"type": "text", "text": "a"}, {"type": "text"}], "usage": 3})
    assert (made.text, made.truncated, made.refused) == ("a", False, False)
    made = model.completion({"content": [], "stop_reason": "max_tokens"})
    assert (made.text, made.truncated) == ("", True)


def test_a_missing_key_is_said() -> None:
    with pytest.raises(InputError, match="needs an API key: set ANTHROPIC_API_KEY"):
        resolve("anthropic/claude")
