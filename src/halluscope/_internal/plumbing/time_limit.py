"""`async with time_limit(seconds):` raises `asyncio.TimeoutError` where the block takes longer.

`asyncio.wait_for` would do, but before Python 3.12 it loses an interrupt that comes in the same moment as the result:
whoever pressed Ctrl-C then waits in vain.
"""

from __future__ import annotations

import sys

if sys.version_info >= (3, 11):
    from asyncio import timeout as time_limit
else:
    from async_timeout import timeout as time_limit  # what became `asyncio.timeout`

__all__ = ["time_limit"]
