"""Calling asynchronous code from synchronous code, inside a running loop or not.

One loop runs in a background thread for as long as the process lives. So connections stay open
between calls, and a notebook, whose own loop is busy, is served like any other caller.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

_THREAD = "halluscope"

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_owner = 0


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result. An interrupt cancels it."""
    if threading.current_thread().name == _THREAD:
        coroutine.close()
        raise RuntimeError("a synchronous call was made from inside halluscope's own loop: await the asynchronous one.")
    future = start(coroutine)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def start(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Let the coroutine run in the background, whatever becomes of the caller's own loop."""
    return asyncio.run_coroutine_threadsafe(coroutine, _running_loop())


def _running_loop() -> asyncio.AbstractEventLoop:
    global _loop, _owner
    with _lock:
        if _loop is None or _loop.is_closed() or _owner != os.getpid():
            _loop = asyncio.new_event_loop()
            _owner = os.getpid()
            threading.Thread(target=_loop.run_forever, name=_THREAD, daemon=True).start()
        return _loop
