"""What a hook needs of live scoring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ..live_answer import LiveAnswer


class Watcher(Protocol):
    """Takes answers, and keeps the troubles of taking them from the application."""

    def submit(self, answer: LiveAnswer) -> None: ...

    def quietly(self, action: Callable[[], Any]) -> Any: ...
