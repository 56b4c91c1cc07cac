"""The cost of a call in US dollars, from the user's own price or the table of genai-prices."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

from msgspec import Struct

from ...core.plumbing.public import public_in
from ...core.plumbing.threads import loaded
from ...core.result import Usage

_UNIT = 1_000_000
"""Prices are per million tokens."""

Pricer = Callable[[int, int, int, int], float]
"""The cost of input tokens, output tokens, input tokens read from the server's cache, and those written to it."""


@public_in("halluscope.judges")
class Price(Struct, frozen=True):
    """The price of a model in US dollars per million tokens.

    Attributes:
        input: Price of input tokens.
        output: Price of output tokens.
        cached: Price of input tokens that the server read from its cache. By default that of other input tokens.
    """

    input: float
    output: float
    cached: float | None = None


class Tokens(Struct, frozen=True):
    """Token counts of a response. Of the input tokens, `cached` were read from the server's cache, `stored` written."""

    input: int | None = None
    output: int | None = None
    cached: int = 0
    stored: int = 0

    @property
    def counted(self) -> bool:
        """Whether the server reported token counts."""
        return self.input is not None or self.output is not None

    @classmethod
    def of(cls, input: Any, output: Any, cached: Any = None, stored: Any = None, *, included: bool = True) -> Tokens:
        """Token counts from values of any kind. `included`: cached and stored tokens are counted as input tokens."""
        read, kept, new = _count(input), _count(cached) or 0, _count(stored) or 0
        if not included and read is not None:
            read += kept + new
        return cls(read, _count(output), min(kept, read or 0), min(new, read or 0))


async def usage_of(
    provider: str | None, model: str, tokens: Tokens, price: Price | None = None, server: str | None = None
) -> Usage:
    """Return the usage of one call. The first one that needs the price table loads it in a thread."""
    if price is None and tokens.counted:
        await loaded(_load_table)
    return usage_now(provider, model, tokens, price, server)


def usage_now(
    provider: str | None, model: str, tokens: Tokens, price: Price | None = None, server: str | None = None
) -> Usage:
    """Return the usage of one call. The cost is None if neither caller nor table knows the price."""
    read, written = tokens.input or 0, tokens.output or 0
    if not tokens.counted:
        return Usage(calls=1, cost=None)
    if price is not None:
        saved = 0.0 if price.cached is None else tokens.cached * (price.input - price.cached)
        return Usage(1, read, written, (read * price.input + written * price.output - saved) / _UNIT)
    pricer = _pricer(provider, model, server)
    return Usage(1, read, written, pricer(read, written, tokens.cached, tokens.stored) if pricer else None)


def _load_table() -> None:
    with suppress(LookupError):
        _calculated("gpt-4o", {"provider_id": "openai"}, 1, 1)  # the package loads some of itself with a first price


@lru_cache(maxsize=256)
def _pricer(provider: str | None, model: str, server: str | None) -> Pricer | None:
    """Look up a model. The table knows some providers by the server's address; others are looked up by name."""
    for where in ([{"provider_api_url": server}] if server else []) + [{"provider_id": provider}]:
        with suppress(LookupError, ValueError):
            _calculated(model, where, 1, 1)
            return partial(_calculated, model, where)
    return None


def _calculated(model: str, where: dict[str, Any], read: int, written: int, cached: int = 0, stored: int = 0) -> float:
    import genai_prices

    usage = genai_prices.Usage(
        input_tokens=read, output_tokens=written, cache_read_tokens=cached or None, cache_write_tokens=stored or None
    )
    return float(genai_prices.calc_price(usage, model_ref=model, **where).total_price)


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and value == value and value >= 0 else None
