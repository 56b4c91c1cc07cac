"""What a call cost."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct

from ..result import Usage


class Price(Struct, frozen=True):
    """US dollars for a million tokens, for models the price table does not know."""

    input: float
    output: float


def usage_of(
    provider: str | None, model: str, input_tokens: int | None, output_tokens: int | None, price: Price | None = None
) -> Usage:
    """The usage of one call; the cost is None where neither caller nor table knows the price."""
    read, written = int(input_tokens or 0), int(output_tokens or 0)
    if input_tokens is None and output_tokens is None:
        return Usage(calls=1, cost=None)
    if price is not None:
        return Usage(1, read, written, (read * price.input + written * price.output) / 1e6)
    known = _pricer(provider, model)
    return Usage(1, read, written, known(read, written) if known else None)


@lru_cache(maxsize=256)
def _pricer(provider: str | None, model: str) -> Callable[[int, int], float] | None:
    """The price function of a model from the table of genai-prices, None where it has no such model."""
    import genai_prices

    def priced(read: int, written: int) -> float:
        usage = genai_prices.Usage(input_tokens=read, output_tokens=written)
        return float(genai_prices.calc_price(usage, model_ref=model, provider_id=provider).total_price)

    try:
        priced(1, 1)
    except LookupError:
        return None
    return priced
