"""The peers' own tests, carried over to our façades: what they check, in our words, under the names they have there.

`python -m tests.compat.peers` writes the table that shows all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

PASSED: dict[tuple[str, str], str] = {}
"""Of each peer's test (file, name) the test here that checks the same."""
DIFFERENT: dict[tuple[str, str], str] = {}
"""Of the others the reason why they are not passed as they stand."""


def carried(file: str, *names: str) -> Callable[[F], F]:
    """Say which of a peer's tests the decorated test carries over."""

    def mark(test: F) -> F:
        for name in names:
            assert (file, name) not in PASSED, f"{name} is carried over twice"
            PASSED[file, name] = test.__name__
        return test

    return mark


def different(file: str, reason: str, *names: str) -> None:
    """Say why a peer's tests do not pass as they stand."""
    for name in names:
        assert (file, name) not in DIFFERENT, f"{name} is named twice"
        DIFFERENT[file, name] = reason
