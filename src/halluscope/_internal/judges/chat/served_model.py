"""What chat models on HTTP servers have in common."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from ...redaction import keep_headers_secret, keep_secret
from .http import RESPONSE_LIMIT
from .prices import Price


class ServedModel(Struct, frozen=True, kw_only=True):
    """One model on one server. Its key and headers stand in no text that is made of it."""

    provider: ClassVar[str]

    model: str
    base_url: str
    api_key: str | None
    headers: dict[str, str] = {}
    price: Price | None = None
    response_limit: int = RESPONSE_LIMIT

    def __post_init__(self) -> None:
        keep_secret(self.api_key)
        keep_headers_secret(self.headers)

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}"

    @property
    def server(self) -> str:
        return self.base_url

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, {self.base_url!r})"
