"""Settings of the server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from ...core.errors import InputError
from ..service.limits import Limits

VARIABLE = "HALLUSCOPE_TOKEN"


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
