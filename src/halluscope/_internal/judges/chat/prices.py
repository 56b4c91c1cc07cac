"""What a call cost."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ...plumbing.public import public_in
from ...result import Usage
from .kept_rates import PricedModel, Rates, keep_rates, kept_rates

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

Pricer = Callable[[int, int, int], "float | None"]
"""From the tokens that were read, those written, and those of the first that had been read before, to dollars."""

_SHORT = 32_000
"""Tokens up to which no model's price depends on how many there are."""

_A_MOMENT = 0.01
"""Seconds from one look whether the loop is idle to the next."""
_BUSY = 0.003
"""Seconds that a loop comes late by where it is not: while the first calls are made it comes late to everything."""

_looked_for: set[tuple[str | None, str, str | None]] = set()


@public_in("halluscope.judges")
class Price(Struct, frozen=True):
    """US dollars for a million tokens, for models the price table does not know."""

    input: float
    output: float


class Tokens(Struct, frozen=True):
    """What a server says it counted. `cached` are those of the input that it had read before, and charges less for."""

    input: int | None = None
    output: int | None = None
    cached: int = 0

    @classmethod
    def of(cls, input: Any, output: Any, cached: Any = None) -> Tokens:
        """The counts in a response, where they are counts."""
        return cls(_count(input), _count(output), _count(cached) or 0)


def usage_of(
    provider: str | None, model: str, tokens: Tokens, price: Price | None = None, server: str | None = None
) -> Usage:
    """The usage of one call; the cost is None where neither caller nor table knows the price."""
    read, written = tokens.input or 0, tokens.output or 0
    if tokens.input is None and tokens.output is None:
        return Usage(calls=1, cost=None)
    if price is not None:
        return Usage(1, read, written, (read * price.input + written * price.output) / 1e6)
    known = _pricer(provider, model, server)
    return Usage(1, read, written, known(read, written, min(tokens.cached, read)) if known else None)


def find_price_meanwhile(provider: str | None, model: str, server: str | None = None) -> None:
    """Find the price, for which the table may have to be loaded, while the first answers are on their way."""
    asked = (provider, model, server)
    if "genai_prices" not in sys.modules and asked not in _looked_for:
        _looked_for.add(asked)
        _once_idle(asyncio.get_running_loop(), lambda: _pricer(*asked))


def _once_idle(loop: asyncio.AbstractEventLoop, work: Callable[[], object]) -> None:
    """Do the work as soon as the loop waits for others: any sooner, and it holds up calls that are yet to be made."""
    due = loop.time() + _A_MOMENT

    def look() -> None:
        if loop.time() - due > _BUSY:
            _once_idle(loop, work)
        else:
            work()

    loop.call_at(due, look)


@lru_cache(maxsize=256)
def _pricer(provider: str | None, model: str, server: str | None) -> Pricer | None:
    """The price function of a model, None where the table has no such model.

    A table that is loaded is asked: it may have been told of newer prices. Else rates that were kept will do.
    """
    asked = PricedModel(provider, model, server)
    loaded = "genai_prices" in sys.modules
    kept = {} if loaded else kept_rates()
    if asked in kept:
        rates = kept[asked]
        return None if rates is None else _quick(rates, asked)
    price = _in_table(asked)
    rates = None if price is None else price.rates
    if not loaded and (price is None or price.lasts):
        keep_rates(asked, rates)
    return price if rates is None else _quick(rates, asked)


class _TablePrice:
    """What the table of genai-prices asks for a model. `LookupError` or `ValueError` where it has no such model."""

    def __init__(self, model: str, **where: Any) -> None:
        import genai_prices

        def calculated(read: int, written: int, cached: int) -> PriceCalculation:
            usage = genai_prices.Usage(input_tokens=read, output_tokens=written, cache_read_tokens=cached or None)
            return genai_prices.calc_price(usage, model_ref=model, **where)

        self._calculated = calculated
        self.rates = self._rates()
        """Those up to `_SHORT` tokens, None where the price is not proportional to their number."""
        by_day_or_hour = isinstance(calculated(1, 1, 0).model.prices, list)
        self.lasts = self.rates is not None and not by_day_or_hour
        """Whether the rates will be the same another time."""

    def __call__(self, read: int, written: int, cached: int) -> float:
        return float(self._calculated(read, written, cached).total_price)

    def _rates(self) -> Rates | None:
        million = 1_000_000
        read, again = self(_SHORT, 0, 0) / _SHORT, self(_SHORT, 0, _SHORT) / _SHORT
        rates = Rates(read, again, self(0, _SHORT, 0) / _SHORT)
        samples = ((1, 1, 0), (731, 97, 0), (731, 97, 411), (_SHORT, _SHORT, _SHORT // 2), (_SHORT // 2, 3, 0))
        proportional = all(abs(_multiplied(rates, *s) - self(*s)) * million <= 1e-3 for s in samples)
        return rates if proportional else None


@lru_cache(maxsize=256)
def _in_table(asked: PricedModel) -> _TablePrice | None:
    """The table knows some providers by the address of their server; others are taken for `provider`."""
    ways: list[dict[str, Any]] = [{"provider_id": asked.provider}]
    if asked.server:
        ways.insert(0, {"provider_api_url": asked.server})
    for where in ways:
        with suppress(LookupError, ValueError):
            return _TablePrice(asked.model, **where)
    return None


def _quick(rates: Rates, asked: PricedModel) -> Pricer:
    """The same prices, by multiplying where they are proportional: the table takes a third of a call's CPU time."""

    def cost(read: int, written: int, cached: int) -> float | None:
        if read <= _SHORT and written <= _SHORT:
            return _multiplied(rates, read, written, cached)
        price = _in_table(asked)
        return None if price is None else price(read, written, cached)

    return cost


def _multiplied(rates: Rates, read: int, written: int, cached: int) -> float:
    return (read - cached) * rates.read + cached * rates.again + written * rates.written


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and value == value and value >= 0 else None
