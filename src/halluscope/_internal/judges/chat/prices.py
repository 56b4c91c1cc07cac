"""What a call cost."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from msgspec import Struct

from ...plumbing.public import public_in
from ...result import Usage

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
    """Load the table, which takes a tenth of a second, while the first answers are on their way."""
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
def _pricer(provider: str | None, model: str, server: str | None) -> Callable[[int, int, int], float] | None:
    """The price function of a model from the table of genai-prices, None where it has no such model.

    The table knows some providers by the address of their server; others are taken for `provider`.
    """
    import genai_prices

    def of(**where: Any) -> Callable[[int, int, int], float] | None:
        def priced(read: int, written: int, cached: int) -> float:
            usage = genai_prices.Usage(input_tokens=read, output_tokens=written, cache_read_tokens=cached or None)
            return float(genai_prices.calc_price(usage, model_ref=model, **where).total_price)

        try:
            return _quick(priced)
        except (LookupError, ValueError):
            return None

    by_address = of(provider_api_url=server) if server else None
    return by_address or of(provider_id=provider)


def _quick(priced: Callable[[int, int, int], float]) -> Callable[[int, int, int], float]:
    """The same prices, by multiplying where they are proportional: the table takes a third of a call's CPU time."""
    million = 1_000_000
    read, cached = priced(_SHORT, 0, 0) / _SHORT, priced(_SHORT, 0, _SHORT) / _SHORT
    written = priced(0, _SHORT, 0) / _SHORT

    def multiplied(input: int, output: int, again: int) -> float:
        if input > _SHORT or output > _SHORT:
            return priced(input, output, again)
        return (input - again) * read + again * cached + output * written

    samples = ((1, 1, 0), (731, 97, 0), (731, 97, 411), (_SHORT, _SHORT, _SHORT // 2), (_SHORT // 2, 3, 0))
    proportional = all(abs(multiplied(*s) - priced(*s)) * million <= 1e-3 for s in samples)
    return multiplied if proportional else priced


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and value == value and value >= 0 else None
