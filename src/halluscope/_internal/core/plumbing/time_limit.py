"""`async with time_limit(seconds):` raises `asyncio.TimeoutError` if the block takes longer.

Before Python 3.12, `asyncio.wait_for` may lose a Ctrl-C that arrives together with the result.
"""

from __future__ import annotations

import sys

if sys.version_info >= (3, 11):
    from asyncio import timeout as time_limit
else:
    from async_timeout import timeout as time_limit  # the original of `asyncio.timeout`

__all__ = ["time_limit"]
