"""What is learnt about a server, and that it is learnt once and rightly."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from halluscope._internal.core.case import Case
from halluscope._internal.core.errors import JudgeRejected
from halluscope._internal.core.result import Outcome
from halluscope._internal.engine.driver import Driver, RetryPolicy
from halluscope._internal.engine.metrics import Faithfulness, Hallucination, Label
from halluscope._internal.judges.chat.anthropic import anthropic_judge
from halluscope._internal.judges.chat.openai import openai_judge
from halluscope._internal.judges.chat.response_modes import ResponseFormat, ResponseMode, ServerFeatures
from tests.helpers.scoring import Scorer

from ...helpers.loopback import Features, Loopback

CASE: dict[str, Any] = {"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}
ALL: tuple[ResponseFormat, ...] = ("schema", "json", "text")


def form(body: dict[str, Any]) -> str:
    return str((body.get("response_format") or {}).get("type", "text"))


@pytest.mark.parametrize(
    ("features", "forms"),
    [
        (Features(), ["json_schema"]),
        (Features(schema=False), ["json_schema", "json_object"]),
        (Features(schema=False, json=False), ["json_schema", "json_object", "text"]),
    ],
)
async def test_replies_are_negotiated_and_the_outcome_remembered(
    server: Loopback, features: Features, forms: list[str]
) -> None:
    server.features = features
    for _ in range(2):
        # Another judge for the same model on the same server knows what the first has learnt.
        result = await Scorer("label", openai_judge("any", base_url=server.base_url)).ascore(**CASE)
        assert result.score == 0.0
    assert [form(call.asked.body) for call in server.calls] == [*forms, forms[-1]]


async def test_questions_refused_at_the_same_time_teach_one_lesson(server: Loopback) -> None:
    server.features = Features(schema=False)
    server.until = lambda asked: server.most_at_once >= 20
    server.latency = 0.05
    driver = Driver(openai_judge("any", base_url=server.base_url))
    results = await asyncio.gather(*(driver.score(Label(), Case.of(f"a {i}", [f"a {i}"])) for i in range(20)))
    assert {result.outcome for result in results} == {Outcome.SCORED}
    assert [form(call.asked.body) for call in server.calls] == ["json_schema"] * 20 + ["json_object"] * 20


async def test_what_is_learnt_of_one_model_is_not_believed_of_another(server: Loopback) -> None:
    server.features = Features(schema=False)
    await Scorer("label", openai_judge("old", base_url=server.base_url)).ascore(**CASE)
    server.features = Features()
    server.forget()
    await Scorer("label", openai_judge("new", base_url=server.base_url)).ascore(**CASE)
    await Scorer("label", openai_judge("old", base_url=server.base_url)).ascore(**CASE)
    assert [form(call.asked.body) for call in server.calls] == ["json_schema", "json_object"]


async def test_anthropic_without_tools(server: Loopback) -> None:
    server.features = Features(schema=False, temperature=False)
    judge = anthropic_judge("any", base_url=server.url, api_key="key")
    assert (await Scorer("faithfulness", judge).ascore(**CASE)).score == 1.0
    assert "tools" not in server.calls[-1].asked.body and "temperature" not in server.calls[-1].asked.body


@pytest.mark.parametrize("field", ["temperature", "seed"])
async def test_fields_the_server_refuses_are_left_out(server: Loopback, field: str) -> None:
    server.features = Features(**{field: False})  # type: ignore[arg-type]
    scorer = Scorer("label", openai_judge("any", base_url=server.base_url))
    assert (await scorer.ascore(**CASE)).score == 0.0
    assert (await scorer.ascore(**CASE)).score == 0.0
    sent = [field in call.asked.body for call in server.calls]
    assert sent == [True, False, False]
    other = "seed" if field == "temperature" else "temperature"
    assert all(other in call.asked.body for call in server.calls)


async def test_the_newer_name_of_the_limit(server: Loopback) -> None:
    server.features = Features(newer_max_tokens=True)
    scorer = Scorer("label", openai_judge("any", base_url=server.base_url, max_tokens=300))
    assert (await scorer.ascore(**CASE)).score == 0.0
    assert server.calls[-1].asked.body["max_completion_tokens"] == 300
    assert "max_tokens" not in server.calls[-1].asked.body


async def test_a_refusal_of_something_else_teaches_nothing(server: Loopback) -> None:
    server.features = Features(key="right")
    judge = openai_judge("any", base_url=server.base_url, api_key="wrong")
    result = await Scorer("label", judge).ascore(**CASE)
    assert result.failure is not None and (result.failure.kind, result.failure.status) == ("rejected", 401)
    assert "Incorrect API key" in (result.failure.body or "")
    assert len(server.calls) == 1
    good = openai_judge("any", base_url=server.base_url, api_key="right")
    assert (await Scorer("label", good).ascore(**CASE)).score == 0.0
    assert form(server.calls[-1].asked.body) == "json_schema"


def rejected(message: str, status: int = 400) -> JudgeRejected:
    return JudgeRejected("no", status=status, body=message)


def test_an_unknown_refusal_tries_all_modes_once() -> None:
    features = ServerFeatures(ALL)
    for expected in ("json", "text"):
        assert features.learn(rejected("bad request"), features.mode, ())
        assert features.mode.format == expected
    assert not features.learn(rejected("bad request"), features.mode, ())


def test_once_a_mode_is_proven_other_refusals_leave_it() -> None:
    features = ServerFeatures(ALL)
    features.proven.add("schema")
    assert not features.learn(rejected("the image is too dark"), features.mode, ())
    assert features.mode == ResponseMode("schema")
    assert features.learn(rejected("response_format is not supported"), features.mode, ())


def test_only_fields_that_were_sent_are_dropped() -> None:
    features = ServerFeatures(ALL)
    features.proven.add("schema")
    assert not features.learn(rejected("'seed' must be set"), features.mode, ("temperature",))
    assert features.mode.refused == frozenset()


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 40960 tokens.",
        "prompt is too long: 40960 tokens > 4096 maximum",
        "the request exceeds the available context size: n_prompt_tokens 40960, n_ctx 4096",
    ],
)
def test_the_window_is_read_from_the_refusal(message: str) -> None:
    features = ServerFeatures(ALL)
    features.too_long(size=120_000, prompt=123_000, complaint=message)
    assert features.window is not None and 6_000 < features.window < 10_000


def test_a_window_is_never_learnt_to_be_nothing() -> None:
    features = ServerFeatures(ALL)
    for _ in range(50):
        features.too_long(size=10, prompt=5000, complaint="too long: 9000 > 300")
    assert features.window == 200


@pytest.mark.parametrize("api", ["openai", "anthropic"])
async def test_a_context_beyond_the_window_is_split_and_the_result_says_so(server: Loopback, api: str) -> None:
    server.features = Features(window=6000)
    judge = (
        openai_judge("any", base_url=server.base_url)
        if api == "openai"
        else anthropic_judge("any", base_url=server.url, api_key="key")
    )
    context = [f"Mill number {n} grinds {n + 7} tons of flour each day." for n in range(400)]
    output = "Mill number 3 grinds 10 tons of flour each day. Mill number 390 grinds 12 tons of flour each day."
    result = await Driver(judge).score(Faithfulness(include_reason=False), Case.of(output, context))
    assert result.outcome is Outcome.SCORED
    assert result.score == 0.5, "the right parts were found in all that context"
    assert any("parts to fit the judge's window" in note for note in result.notes)
    refused = sum(call.status == 400 for call in server.calls)
    server.forget()
    again = await Driver(judge).score(Faithfulness(include_reason=False), Case.of(output, context))
    assert again.score == 0.5 and any("parts" in note for note in again.notes)
    assert sum(call.status == 400 for call in server.calls) < max(1, refused), "what was learnt is remembered"


async def test_a_window_that_is_known_is_never_overrun(server: Loopback) -> None:
    server.features = Features(window=9000)
    judge = openai_judge("any", base_url=server.base_url, window=2000)
    output = " ".join(f"Mill number {n} is in Ulm." for n in range(400))
    result = await Driver(judge).score(
        Hallucination(include_reason=False), Case.of(output, ["Mill number 1 is in Ulm."])
    )
    assert result.outcome is Outcome.SCORED
    assert all(call.status == 200 for call in server.calls)
    assert len(result.verdicts) == 400


async def test_a_window_too_small_for_the_prompt_is_a_failure_soon(server: Loopback) -> None:
    server.features = Features(window=500)
    driver = Driver(openai_judge("any", base_url=server.base_url), retry_policy=RetryPolicy(first_wait=0.001))
    result = await driver.score(Label(), Case.of("The mill is in Ulm. " * 100, ["The mill is in Ulm. " * 100]))
    assert result.failure is not None and result.failure.kind == "too_long"
    assert len(server.calls) < 200
