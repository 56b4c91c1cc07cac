"""Settings of the server: its address, and the token of its clients."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from ...core.errors import InputError
from ...core.redaction import keep_secret
from ..service.limits import Limits

VARIABLE = "HALLUSCOPE_TOKEN"
SHORTEST_TOKEN = 16


class ServerSettings(Struct, frozen=True, kw_only=True):
    """Address, token, judges and limits of a server."""

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    judges: tuple[str, ...] = ()
    judge_options: Mapping[str, Any] = {}
    limits: Limits = Limits()


def token_from(file: Path | None) -> str | None:
    """Read the token from a file, or else from the environment. Other users can read a command line."""
    if file is None:
        return os.environ.get(VARIABLE) or None
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the token file {file}: {getattr(error, 'strerror', None) or error}.") from error
    if not token:
        raise InputError(f"the token file {file} is empty: write a token into it.")
    return token


def checked_token(host: str, token: str | None) -> str | None:
    """Validate the token. Raises `InputError` if it is too weak, or missing for a host that others can reach."""
    if token is None and not is_loopback(host):
        raise InputError(
            f"a server on {host or 'all addresses'} can be reached from other machines and needs a token: "
            "set HALLUSCOPE_TOKEN, or pass --token-file."
        )
    if token is None:
        return None
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"the token must have at least {SHORTEST_TOKEN} printable ASCII characters and no spaces: "
            "create one with `python -c 'import secrets; print(secrets.token_urlsafe(32))'`."
        )
    keep_secret(token)
    return token


def is_loopback(host: str) -> bool:
    bare = host.strip().strip("[]").lower().rstrip(".")
    if bare == "localhost":
        return True
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return False
