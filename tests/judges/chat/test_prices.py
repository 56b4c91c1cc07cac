"""What a call cost."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from halluscope._internal.core.result import Usage
from halluscope._internal.judges.chat.anthropic import anthropic_judge
from halluscope._internal.judges.chat.openai import openai_judge
from halluscope._internal.judges.chat.prices import Price, Tokens, usage_now
from tests.helpers.scoring import Scorer

from ...helpers.loopback import Loopback


def test_a_known_model_is_priced_by_the_table() -> None:
    small = usage_now("openai", "gpt-4o-mini", Tokens(1000, 500))
    large = usage_now("openai", "gpt-4o-mini", Tokens(2000, 1000))
    assert small.cost is not None and small.cost > 0
    assert large.cost == pytest.approx(2 * small.cost)
    dearer = usage_now("openai", "gpt-4o", Tokens(1000, 500)).cost
    assert dearer is not None and dearer > small.cost


def test_a_dated_name_and_another_provider() -> None:
    assert usage_now("anthropic", "claude-sonnet-4-5", Tokens(1000, 500)).cost
    assert usage_now("openai", "gpt-4o-2024-08-06", Tokens(1000, 500)).cost


def test_tokens_read_from_a_cache_cost_less() -> None:
    full = usage_now("openai", "gpt-4o", Tokens(10_000, 10)).cost
    less = usage_now("openai", "gpt-4o", Tokens(10_000, 10, cached=8_000)).cost
    assert full is not None and less is not None and less < full


def test_an_unknown_model_has_no_price_and_not_the_price_nothing() -> None:
    assert usage_now("openai", "a-model-of-mine", Tokens(1000, 500)) == Usage(1, 1000, 500, None)
    assert usage_now(None, "another", Tokens(1, 1)).cost is None


def test_a_server_known_by_its_address() -> None:
    known = usage_now("openai", "llama-3.3-70b-versatile", Tokens(1000, 500), server="https://api.groq.com/openai/v1")
    assert known.cost is not None and known.cost > 0


def test_the_users_own_price() -> None:
    assert usage_now("openai", "gpt-4o", Tokens(1_000_000, 500_000), Price(2.0, 8.0)).cost == pytest.approx(6.0)
    assert usage_now("openai", "gpt-4o", Tokens(1000, 500), Price(0.0, 0.0)).cost == 0.0


@pytest.mark.parametrize("odd", ["12", None, -5, float("nan"), {}, [1]])
def test_counts_that_are_none(odd: object) -> None:
    assert Tokens.of(odd, odd, odd) == Tokens(None, None, 0)
    assert usage_now("openai", "gpt-4o", Tokens.of(odd, odd)) == Usage(calls=1, cost=None)


def test_costs_add_up_and_one_unknown_makes_the_sum_unknown() -> None:
    assert (Usage(1, 10, 5, 0.25) + Usage(1, 1, 1, 0.5)) == Usage(2, 11, 6, 0.75)
    assert (Usage(1, 10, 5, 0.25) + Usage(1, 1, 1, None)).cost is None


async def test_the_cost_of_a_result_is_that_of_its_calls(server: Loopback) -> None:
    judge = openai_judge("mine", base_url=server.base_url, price=Price(1.0, 2.0))
    result = await Scorer("faithfulness", judge).ascore(output="The mill is in Ulm.", context=["It is in Ulm."])
    usage = result.usage
    assert usage.calls == 3
    assert usage.cost == pytest.approx((usage.input_tokens + 2 * usage.output_tokens) / 1e6)


def test_every_price_of_the_table_is_the_tables_own() -> None:
    """Most are multiplied, not asked for, which must make no difference."""
    from genai_prices import Usage, calc_price
    from genai_prices.data import providers

    counts = ((1000, 500, 0), (1000, 500, 300), (300_000, 5000, 250_000), (0, 7, 0))
    models = [(provider.id, model.id) for provider in providers for model in provider.models]
    assert len(models) > 500
    for provider, model in models[::5]:
        for read, written, cached in counts:
            tokens = Usage(input_tokens=read, output_tokens=written, cache_read_tokens=cached or None)
            found = usage_now(provider, model, Tokens(read, written, cached)).cost
            if found is None:  # a model that the table does not find by its own name
                with pytest.raises(LookupError):
                    calc_price(tokens, model, provider_id=provider)
                break
            expected = float(calc_price(tokens, model, provider_id=provider).total_price)
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-12), (provider, model)


WATCHED = """
import asyncio, sys, threading
from halluscope._internal.judges.chat.anthropic import anthropic_judge
from halluscope._internal.judges.chat.openai import openai_judge
from halluscope._internal.judges.chat.prices import Price
from tests.helpers.scoring import Scorer

class Watch:
    threads = set()
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("genai_prices", "aiohttp"):
            self.threads.add(threading.current_thread().name)

sys.meta_path.insert(0, Watch())
price = Price(1.0, 1.0) if sys.argv[2] == "own" else None
scorer = Scorer("label", openai_judge("gpt-4o", base_url=sys.argv[1], price=price))
async def both():
    texts = ("The mill is in Ulm.", "The mill is old.")
    return await asyncio.gather(*(scorer.ascore(output=text, context=["The mill is in Ulm."]) for text in texts))
results = asyncio.run(both()) if sys.argv[2] != "none" else []
assert all(result.usage.cost for result in results), results
print("genai_prices" in sys.modules, "aiohttp" in sys.modules, *Watch.threads)
"""


@pytest.mark.slow("starts processes")
@pytest.mark.parametrize(
    ("price", "loaded"),
    [("table", "True True halluscope-load"), ("own", "False True halluscope-load"), ("none", "False False")],
)
def test_a_process_loads_only_what_it_needs_and_in_the_background(server: Loopback, price: str, loaded: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", WATCHED, server.base_url, price],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == (loaded, "")


def test_tokens_written_to_a_cache_and_a_price_of_ones_own_for_those_read_from_it() -> None:
    full = usage_now("anthropic", "claude-sonnet-4-5", Tokens(10_000, 10)).cost
    more = usage_now("anthropic", "claude-sonnet-4-5", Tokens(10_000, 10, stored=8_000)).cost
    less = usage_now("anthropic", "claude-sonnet-4-5", Tokens(10_000, 10, cached=8_000)).cost
    assert full is not None and more is not None and less is not None and less < full < more
    price = Price(input=10.0, output=0.0, cached=1.0)
    assert usage_now(None, "x", Tokens(1_000_000, 0, cached=500_000), price).cost == pytest.approx(5.5)


async def test_anthropic_counts_cached_tokens_apart(server: Loopback) -> None:
    judge = anthropic_judge("claude-sonnet-4-5", base_url=server.url, api_key="key", price=Price(1.0, 0.0, cached=0.1))
    model: Any = judge.model
    given = {
        "input_tokens": 100,
        "output_tokens": 7,
        "cache_read_input_tokens": 2000,
        "cache_creation_input_tokens": 30,
    }
    assert model.tokens({"usage": given}) == Tokens(2130, 7, cached=2000, stored=30)
    assert model.tokens({"usage": {"input_tokens": 5, "output_tokens": 1}}) == Tokens(5, 1)
    assert model.tokens({"usage": {"cache_read_input_tokens": "many"}}) == Tokens()
