"""A user's own model as a judge."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from halluscope._internal.core.errors import InputError
from halluscope._internal.core.result import Outcome
from halluscope._internal.engine.driver import RetryPolicy
from halluscope._internal.engine.judge import resolve
from halluscope._internal.judges.chat.user_model import from_model
from tests.helpers.scoring import Scorer

FACTUAL = '{"verdict": "factual", "reason": ["It is there."]}'
CASE: dict[str, Any] = {"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}
QUICK = RetryPolicy(first_wait=0.001, retries=3)


class MyModel:
    """The ten lines that the documentation promises."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def complete(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return FACTUAL


class MyAsyncModel:
    async def complete(self, prompt: str) -> str:
        await asyncio.sleep(0)
        return FACTUAL


class Callable_:
    async def __call__(self, prompt: str) -> str:
        return FACTUAL


async def coroutine(prompt: str) -> str:
    return FACTUAL


@pytest.mark.parametrize("model", [MyModel(), MyAsyncModel(), Callable_(), coroutine, lambda prompt: FACTUAL])
def test_a_model_of_ones_own(model: object) -> None:
    result = Scorer("label", model).score(**CASE)
    assert (result.outcome, result.score, result.usage.calls, result.usage.cost) == (Outcome.SCORED, 0.0, 1, None)
    assert result.exchanges[0].reply == FACTUAL


def test_a_function_that_returns_a_coroutine() -> None:
    assert Scorer("label", lambda prompt: coroutine(prompt)).score(**CASE).score == 0.0


def test_the_schema_goes_to_who_asks_for_it() -> None:
    seen: list[object] = []

    def by_name(prompt: str, *, temperature: float = 0.0, schema: dict[str, Any] | None = None) -> str:
        seen.append(schema)
        return FACTUAL

    def by_place(prompt: str, form: dict[str, Any]) -> str:
        seen.append(form)
        return FACTUAL

    def with_default(prompt: str, temperature: float = 0.5) -> str:
        seen.append(temperature)
        return FACTUAL

    for model in (by_name, by_place, with_default):
        assert Scorer("label", model).score(**CASE).score == 0.0
    assert [type(value) for value in seen] == [dict, dict, float], "a default is not the place for a schema"


def test_a_model_that_raises_is_a_failure_and_not_tried_again() -> None:
    calls: list[str] = []

    def broken(prompt: str) -> str:
        calls.append(prompt)
        raise KeyError("weights")

    result = Scorer("label", broken, retry_policy=QUICK).score(**CASE)
    assert result.outcome is Outcome.FAILED and result.failure is not None
    assert "broken raised KeyError: 'weights'" in result.failure.message
    assert len(calls) == 1


@pytest.mark.parametrize("error", [ConnectionResetError("gone"), TimeoutError("slow")])
def test_a_connection_that_fails_is_tried_again(error: Exception) -> None:
    replies: list[Any] = [error, error, FACTUAL]

    def shaky(prompt: str) -> str:
        reply = replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return str(reply)

    assert Scorer("label", shaky, retry_policy=QUICK).score(**CASE).score == 0.0


def test_an_sdk_error_with_a_status_is_read_like_a_response() -> None:
    class RateLimited(Exception):
        status_code = 429

    replies: list[Any] = [RateLimited("slow down"), FACTUAL]

    def sdk(prompt: str) -> str:
        reply = replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return str(reply)

    assert Scorer("label", sdk, retry_policy=QUICK).score(**CASE).score == 0.0


@pytest.mark.parametrize("reply", [None, 7, b"factual", {"verdict": "factual"}])
def test_a_model_that_returns_no_text(reply: object) -> None:
    result = Scorer("label", lambda prompt: reply, retry_policy=QUICK).score(**CASE)
    assert result.outcome is Outcome.FAILED and result.failure is not None
    assert f"returned a {type(reply).__name__}: `complete` must return the text." in result.failure.message


def test_unreadable_characters_in_a_reply_do_not_reach_the_result() -> None:
    result = Scorer("label", lambda prompt: '{"verdict": "factual", "reason": ["a\ud800b\x00c"]}').score(**CASE)
    assert result.outcome is Outcome.SCORED
    assert result.to_json() and "\ud800" not in str(result.exchanges[0].reply)


def test_a_model_that_hangs_is_given_up_and_does_not_fill_a_pool() -> None:
    held = threading.Event()
    calls: list[int] = []

    def hangs(prompt: str) -> str:
        calls.append(1)
        held.wait(120)
        return FACTUAL

    retry_policy = RetryPolicy(timeout=0.05, retries=6, first_wait=0.001)
    before = time.monotonic()
    result = Scorer("label", hangs, retry_policy=retry_policy).score(**CASE)
    held.set()
    assert result.failure is not None and result.failure.kind == "unavailable"
    assert time.monotonic() - before < 60
    assert len(calls) > 3


def test_a_synchronous_model_runs_beside_others() -> None:
    barrier = threading.Barrier(8, timeout=60)

    def waits(prompt: str) -> str:
        barrier.wait()
        return FACTUAL

    async def all_at_once() -> list[float | None]:
        scorer = Scorer("label", waits)
        results = await asyncio.gather(*(scorer.ascore(**CASE) for _ in range(8)))
        return [result.score for result in results]

    assert asyncio.run(all_at_once()) == [0.0] * 8


def test_two_models_of_one_name_are_told_apart() -> None:
    class Tuned:
        def __init__(self, temperature: float, api_key: str = "a") -> None:
            self.temperature = temperature
            self.api_key = api_key

        def complete(self, prompt: str) -> str:
            return FACTUAL

    class Named(Tuned):
        fingerprint = "weights 3"

    def prints(model: object) -> str:
        return from_model(model).fingerprint()

    assert prints(Tuned(0.0)) == prints(Tuned(0.0, api_key="b"))
    assert prints(Tuned(0.0)) != prints(Tuned(1.0))
    assert prints(Named(0.0)) == prints(Named(1.0))
    assert prints(lambda prompt: "a") != prints(lambda prompt: "b")


def test_what_is_no_model() -> None:
    class NotOne:
        complete = "yes"

    with pytest.raises(InputError, match=r"`complete\(prompt\)` method"):
        from_model(NotOne())
    with pytest.raises(InputError, match="is not a judge"):
        resolve(3.5)


def test_a_class_in_place_of_an_instance_is_refused() -> None:
    with pytest.raises(InputError, match=r"pass an instance of it, MyModel\(…\)"):
        resolve(MyModel)


def test_an_option_it_does_not_take_is_said() -> None:
    with pytest.raises(InputError, match="no option 'temperature'; it takes: name, window"):
        Scorer("label", MyModel(), temperature=0.5)
