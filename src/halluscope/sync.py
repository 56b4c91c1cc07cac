"""Calling asynchronous code from synchronous code, inside a running loop or not.

One loop runs in a background thread for as long as the process lives. So connections stay open
between calls, and a notebook, whose own loop is busy, is served like any other caller.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_owner = 0


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result. An interrupt cancels it."""
    loop = _running_loop()
    future = asyncio.run_coroutine_threadsafe(coroutine, loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _running_loop() -> asyncio.AbstractEventLoop:
    global _loop, _owner
    with _lock:
        if _loop is None or _loop.is_closed() or _owner != os.getpid():
            _loop = asyncio.new_event_loop()
            _owner = os.getpid()
            threading.Thread(target=_loop.run_forever, name="halluscope", daemon=True).start()
        elif threading.current_thread().name == "halluscope":
            raise RuntimeError(
                "a synchronous call was made from inside halluscope's own loop: await the asynchronous one."
            )
        return _loop
