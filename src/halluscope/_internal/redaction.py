"""Secrets that judges were given, and the one place that takes them out of texts.

Servers and gateways repeat keys in their errors. Whatever halluscope says or keeps passes through `redacted`: the
messages and bodies of all its errors, and the replies of judges.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

SHOWN = "[redacted]"
_SHORTEST = 8
"""Characters: a shorter one, such as "EMPTY" or "none", keeps nothing secret, and would be found in plain words."""
_NAMED = re.compile(r"key|token|secret|password|credential|authorization|cookie", re.IGNORECASE)
_VARIABLES = re.compile(r"_(?:API_KEY|KEY|TOKEN|SECRET|SECRET_ACCESS_KEY|PASSWORD)$")

_secrets: set[str] = set()
_pattern: re.Pattern[str] | None = None


def keep_secret(*values: str | None) -> None:
    """From now on these stand in no message and no record, as they are or as they look in an address."""
    global _pattern
    for value in values:
        for form in (value, quote(value, safe=""), unquote(value)) if value else ():
            if form and len(form) >= _SHORTEST:
                _secrets.add(form)
    longest_first = sorted(_secrets, key=len, reverse=True)
    _pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None


def keep_user_secret(user: str, password: str) -> None:
    """The same for a password, also as it looks in a header."""
    keep_secret(password, base64.b64encode(f"{user}:{password}".encode()).decode())


def keep_headers_secret(headers: Mapping[str, str]) -> None:
    """The same for what headers carry, with and without the word before it, as in "Bearer …"."""
    for name, value in headers.items():
        if _NAMED.search(name) or _NAMED.search(value):
            keep_secret(value, value.rpartition(" ")[2])


def keep_attributes_secret(held: Mapping[str, Any]) -> None:
    """The same for values whose names say that they are secret: options, the attributes of a model."""
    for name, value in held.items():
        if isinstance(value, str) and _NAMED.search(name):
            keep_secret(value)
        elif isinstance(value, Mapping):
            keep_attributes_secret(value)


def keep_environment_secret() -> None:
    """The same for the keys in the environment, where a library takes the one it needs by itself."""
    keep_secret(*(value for name, value in os.environ.items() if _VARIABLES.search(name)))


def redacted(text: str) -> str:
    """The text without any secret."""
    return text if _pattern is None else _pattern.sub(SHOWN, text)
