"""OpenAI's protocol: what is sent, what comes back, and that the server of these tests speaks it."""

from __future__ import annotations

from typing import Any

import pytest

from halluscope._internal.core.errors import InputError, JudgeRejected, JudgeUnavailable
from halluscope._internal.core.result import Outcome
from halluscope._internal.engine.judge import resolve
from halluscope._internal.judges.chat.openai import OpenAIModel, openai_judge
from tests.helpers.scoring import Scorer

from ...helpers.loopback import Faults, Features, Loopback
from ...helpers.oracle import oracle

PROBABILITIES = {"logprobs": True, "top_logprobs": 5}
CASE: dict[str, Any] = {"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}


@pytest.mark.slow("imports OpenAI's SDK")
def test_the_server_speaks_as_the_sdk_expects(server: Loopback) -> None:
    import openai

    with openai.OpenAI(base_url=server.base_url, api_key="key", max_retries=0) as client:
        server.answer = lambda asked: {"reason": ["yes"], "verdict": "factual"}
        made = client.chat.completions.create(
            model="any",
            messages=[{"role": "user", "content": "?"}],
            response_format={"type": "json_object"},
        )
        assert made.choices[0].message.content == '{"reason": ["yes"], "verdict": "factual"}'
        assert made.choices[0].finish_reason == "stop" and made.usage is not None and made.usage.total_tokens > 0
        server.faults = Faults(refused=1.0)
        made = client.chat.completions.create(model="any", messages=[{"role": "user", "content": "?"}])
        assert made.choices[0].message.refusal
        for fault, kind in (
            ("throttled", openai.RateLimitError),
            ("failed", openai.InternalServerError),
            ("reset", openai.APIConnectionError),
        ):
            server.faults = Faults(**{fault: 1.0})  # type: ignore[arg-type]
            with pytest.raises(kind):
                client.chat.completions.create(model="any", messages=[{"role": "user", "content": "?"}])
        server.faults = Faults()
        server.features = Features(window=1)
        with pytest.raises(openai.BadRequestError) as caught:
            client.chat.completions.create(model="any", messages=[{"role": "user", "content": "???"}])
        assert caught.value.code == "context_length_exceeded"


async def test_what_is_sent(server: Loopback) -> None:
    judge = openai_judge(
        "gpt-any", base_url=server.base_url + "/", api_key=" secret\n", headers={"x-team": "a"}, max_tokens=99,
        extra={"top_p": 0.5},
    )  # fmt: skip
    assert (await Scorer("label", judge).ascore(**CASE)).score == 0.0
    asked = server.calls[0].asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == "Bearer secret" and asked.headers["x-team"] == "a"
    assert [message["role"] for message in asked.body["messages"]] == ["system", "user"]
    rest = {key: value for key, value in asked.body.items() if key not in ("messages", "response_format")}
    assert rest == {"model": "gpt-any", "temperature": 0.0, "seed": 0, "max_tokens": 99, "top_p": 0.5, **PROBABILITIES}
    schema = asked.body["response_format"]["json_schema"]
    assert schema["strict"] is True and schema["schema"]["additionalProperties"] is False


@pytest.mark.parametrize("kind", ["extract", "verify", "explain", "truths", "label", "compare"])
async def test_schemas_keep_to_the_strict_subset(server: Loopback, kind: str) -> None:
    for metric in ("truth_faithfulness", "label", "contradiction"):
        await Scorer(metric, openai_judge("any", base_url=server.base_url)).ascore(**CASE)
    schema = next(call.asked.schema for call in server.calls if call.asked.kind == kind)

    def check(part: Any) -> None:
        assert set(part) <= {"type", "properties", "required", "additionalProperties", "items", "enum"}
        if part["type"] == "object":
            assert part["required"] == list(part["properties"]) and part["additionalProperties"] is False
            for inner in part["properties"].values():
                check(inner)
        if part["type"] == "array":
            check(part["items"])

    assert schema is not None
    check(schema)


async def test_tokens_and_cost_come_with_the_result(server: Loopback) -> None:
    known = await Scorer("label", openai_judge("gpt-4o", base_url=server.base_url)).ascore(**CASE)
    assert known.usage.cost is not None and known.usage.cost > 0
    unknown = await Scorer("label", openai_judge("a-model-of-mine", base_url=server.base_url)).ascore(**CASE)
    assert unknown.usage.cost is None and unknown.usage.input_tokens == known.usage.input_tokens > 0


async def test_a_server_that_counts_nothing(server: Loopback) -> None:
    server.features = Features(usage=False)
    result = await Scorer("label", openai_judge("gpt-4o", base_url=server.base_url)).ascore(**CASE)
    assert (result.usage.calls, result.usage.input_tokens, result.usage.cost) == (1, 0, None)


def model() -> OpenAIModel:
    return OpenAIModel(model="any", base_url="http://127.0.0.1:1/v1", api_key="secret")


@pytest.mark.parametrize(
    "response",
    [
        {},
        {"choices": []},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"message": None}]},
        {"choices": [{"message": "hello"}]},
        {"error": "boom"},
        {"error": {"message": "boom", "code": "x"}},
    ],
)
def test_responses_without_a_message(response: dict[str, Any]) -> None:
    with pytest.raises(JudgeUnavailable, match="contains no message"):
        model().completion(response)


def test_an_error_inside_a_good_response() -> None:
    with pytest.raises(JudgeRejected):
        model().completion({"error": {"code": 402, "message": "no credits"}})
    with pytest.raises(JudgeUnavailable):
        model().completion({"error": {"code": 502, "message": "behind me"}})


@pytest.mark.parametrize(
    ("choice", "text", "truncated", "refused"),
    [
        ({"message": {"content": "a"}, "finish_reason": "stop"}, "a", False, False),
        ({"message": {"content": None}, "finish_reason": "length"}, "", True, False),
        ({"message": {"content": [{"type": "text", "text": "a"}, "b"]}}, "a", False, False),
        ({"message": {"content": None}, "finish_reason": "content_filter"}, "", False, True),
        ({"message": {"content": None, "refusal": "no"}, "finish_reason": "stop"}, "no", False, True),
    ],
)
def test_shapes_of_a_message(choice: dict[str, Any], text: str, truncated: bool, refused: bool) -> None:
    made = model().completion({"choices": [choice], "usage": {"prompt_tokens": "many"}})
    assert (made.text, made.truncated, made.refused) == (text, truncated, refused)


def test_keys_are_shown_nowhere(server: Loopback) -> None:
    judge = openai_judge("any", base_url=server.base_url, api_key="secret")
    assert "secret" not in repr(judge.model)
    server.faults = Faults(failed=1.0)
    result = Scorer("label", judge).score(output="", context=[])
    assert "secret" not in result.to_json()


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="needs an API key: set OPENAI_API_KEY"):
        resolve("openai/gpt-4o")
    with pytest.raises(InputError, match="has no setting 'temprature'"):
        resolve("openai/x", base_url="http://127.0.0.1:1", temprature=0)
    with pytest.raises(InputError, match="is not the address"):
        resolve("openai/x", base_url="localhost:8000")
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    assert resolve("openai/gpt-4o").name == "openai/gpt-4o"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1/")
    assert resolve("openai/x").model.base_url == "http://127.0.0.1:9/v1"  # type: ignore[attr-defined]


async def test_anything_that_changes_an_answer_changes_the_fingerprint() -> None:
    def prints(**options: Any) -> str:
        return openai_judge(**{"model": "a", "base_url": "http://127.0.0.1:1", **options}).fingerprint()

    same = {prints(), prints(api_key="k"), prints(headers={"a": "b"})}
    assert len(same) == 1
    others = [prints(model="b"), prints(base_url="http://127.0.0.1:2"), prints(seed=1), prints(extra={"x": object})]
    assert len({*same, *others}) == 5


async def test_samples_differ_and_zero_is_the_one_answer(server: Loopback) -> None:
    judge = openai_judge("any", base_url=server.base_url)
    assert judge.settings.drawn(0) == judge.settings
    drawn = [judge.settings.drawn(n) for n in (1, 2)]
    assert [(d.temperature, d.seed) for d in drawn] == [(0.7, 1), (0.7, 2)]


async def test_a_reply_that_is_the_label_alone_is_read(server: Loopback) -> None:
    server.answer = lambda asked: "Hallucinated." if asked.kind == "label" else oracle(asked)
    result = await Scorer("label", openai_judge("any", base_url=server.base_url)).ascore(**CASE)
    assert (result.outcome, result.label) == (Outcome.SCORED, "hallucinated")
