"""What a call cost."""

from __future__ import annotations

import asyncio
import sys
import time

import pytest

from halluscope._internal.judges.chat import prices
from halluscope._internal.judges.chat.openai import openai_judge
from halluscope._internal.judges.chat.prices import Price, Tokens, usage_of
from halluscope._internal.result import Usage
from tests.scoring import Scorer

from ...loopback import Loopback
from ...waiting import until


def test_a_known_model_is_priced_by_the_table() -> None:
    small = usage_of("openai", "gpt-4o-mini", Tokens(1000, 500))
    large = usage_of("openai", "gpt-4o-mini", Tokens(2000, 1000))
    assert small.cost is not None and small.cost > 0
    assert large.cost == pytest.approx(2 * small.cost)
    dearer = usage_of("openai", "gpt-4o", Tokens(1000, 500)).cost
    assert dearer is not None and dearer > small.cost


def test_a_dated_name_and_another_provider() -> None:
    assert usage_of("anthropic", "claude-sonnet-4-5", Tokens(1000, 500)).cost
    assert usage_of("openai", "gpt-4o-2024-08-06", Tokens(1000, 500)).cost


def test_tokens_read_from_a_cache_cost_less() -> None:
    full = usage_of("openai", "gpt-4o", Tokens(10_000, 10)).cost
    less = usage_of("openai", "gpt-4o", Tokens(10_000, 10, cached=8_000)).cost
    assert full is not None and less is not None and less < full


def test_an_unknown_model_has_no_price_and_not_the_price_nothing() -> None:
    assert usage_of("openai", "a-model-of-mine", Tokens(1000, 500)) == Usage(1, 1000, 500, None)
    assert usage_of(None, "another", Tokens(1, 1)).cost is None


def test_a_server_known_by_its_address() -> None:
    known = usage_of("openai", "llama-3.3-70b-versatile", Tokens(1000, 500), server="https://api.groq.com/openai/v1")
    assert known.cost is not None and known.cost > 0


def test_the_users_own_price() -> None:
    assert usage_of("openai", "gpt-4o", Tokens(1_000_000, 500_000), Price(2.0, 8.0)).cost == pytest.approx(6.0)
    assert usage_of("openai", "gpt-4o", Tokens(1000, 500), Price(0.0, 0.0)).cost == 0.0


@pytest.mark.parametrize("odd", ["12", None, -5, float("nan"), {}, [1]])
def test_counts_that_are_none(odd: object) -> None:
    assert Tokens.of(odd, odd, odd) == Tokens(None, None, 0)
    assert usage_of("openai", "gpt-4o", Tokens.of(odd, odd)) == Usage(calls=1, cost=None)


def test_costs_add_up_and_one_unknown_makes_the_sum_unknown() -> None:
    assert (Usage(1, 10, 5, 0.25) + Usage(1, 1, 1, 0.5)) == Usage(2, 11, 6, 0.75)
    assert (Usage(1, 10, 5, 0.25) + Usage(1, 1, 1, None)).cost is None


async def test_the_cost_of_a_result_is_that_of_its_calls(server: Loopback) -> None:
    judge = openai_judge("mine", base_url=server.base_url, price=Price(1.0, 2.0))
    result = await Scorer("faithfulness", judge).ascore(output="The mill is in Ulm.", context=["It is in Ulm."])
    usage = result.usage
    assert usage.calls == 3
    assert usage.cost == pytest.approx((usage.input_tokens + 2 * usage.output_tokens) / 1e6)


async def test_the_table_waits_until_the_first_calls_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[tuple[object, ...]] = []
    monkeypatch.delitem(sys.modules, "genai_prices", raising=False)
    monkeypatch.setattr(prices, "_looked_for", set(), raising=False)
    monkeypatch.setattr(prices, "_pricer", lambda *asked: looked_up.append(asked))
    for _ in range(5):
        prices.find_price_meanwhile("openai", "a-model")
        time.sleep(0.02)  # noqa: ASYNC251 - a call is being made, and keeps the loop busy
        await asyncio.sleep(0)
    assert not looked_up
    await until(lambda: looked_up)
    assert looked_up == [("openai", "a-model", None)]
