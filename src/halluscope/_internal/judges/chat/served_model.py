"""What chat models on HTTP servers have in common."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from ...prompt import Prompt
from ...redaction import keep_headers_secret, keep_secret
from . import http
from .chat_judge import ChatSettings, Completion
from .dialect import Manner
from .prices import Price, find_price_meanwhile


class ServedModel(Struct, frozen=True, kw_only=True):
    """One model on one server. Its key and headers stand in no text that is made of it."""

    provider: ClassVar[str]

    model: str
    base_url: str
    api_key: str | None
    headers: dict[str, str] = {}
    price: Price | None = None
    response_limit: int = http.RESPONSE_LIMIT

    def __post_init__(self) -> None:
        keep_secret(self.api_key)
        keep_headers_secret(self.headers)

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}"

    @property
    def server(self) -> str:
        return self.base_url

    def request(
        self, prompt: Prompt, schema: dict[str, Any], kind: str, manner: Manner, settings: ChatSettings
    ) -> tuple[str, dict[str, str], dict[str, Any]]:
        """Where a question is sent to, with which headers, and the body."""
        raise NotImplementedError

    def completion(self, response: dict[str, Any]) -> Completion:
        """What a response says."""
        raise NotImplementedError

    async def complete(
        self, prompt: Prompt, schema: dict[str, Any], kind: str, manner: Manner, settings: ChatSettings, timeout: float
    ) -> Completion:
        if self.price is None:
            find_price_meanwhile(self.provider, self.model, self.base_url)
        url, headers, body = self.request(prompt, schema, kind, manner, settings)
        return self.completion(await http.post(url, headers, body, timeout, self.response_limit))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, {self.base_url!r})"
