"""Chat models on HTTP servers."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from ...core.redaction import keep_headers_secret, keep_secret
from ...core.result import Usage
from . import http
from .chat_judge import UNKNOWN, ChatJudge, ChatRequest, Completion, made_settings
from .prices import Price, Tokens, usage_now, usage_of
from .response_modes import ResponseFormat


class ServedModel(Struct, frozen=True, kw_only=True):
    """A model on a server. Its key and headers do not appear in its representation."""

    path: ClassVar[str]

    model: str
    provider: str
    base_url: str
    api_key: str | None
    headers: dict[str, str] = {}
    price: Price | None = None
    response_limit: int = http.RESPONSE_LIMIT
    formats: tuple[ResponseFormat, ...] = ("text",)

    def __post_init__(self) -> None:
        keep_secret(self.api_key)
        keep_headers_secret(self.headers)
        http.check_headers(self.headers)
        http.check_sendable("the judge's key", self.api_key or "")

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}"

    @property
    def server(self) -> str:
        return self.base_url

    @property
    def request_headers(self) -> dict[str, str]:
        raise NotImplementedError

    def fields(self, request: ChatRequest) -> dict[str, Any]:
        raise NotImplementedError

    def body(self, request: ChatRequest) -> dict[str, Any]:
        raise NotImplementedError

    @staticmethod
    def tokens(response: dict[str, Any]) -> Tokens:
        raise NotImplementedError

    @staticmethod
    def completion(response: dict[str, Any], usage: Usage = UNKNOWN) -> Completion:
        raise NotImplementedError

    async def usage(self, response: dict[str, Any]) -> Usage:
        return await usage_of(self.provider, self.model, self.tokens(response), self.price, self.base_url)

    def priced(self, read: int, written: int) -> float | None:
        """The price of a call in US dollars, None if it is not known."""
        return usage_now(self.provider, self.model, Tokens(read, written), self.price, self.base_url).cost

    async def post(self, body: dict[str, Any], timeout: float) -> dict[str, Any]:
        return await http.post(f"{self.base_url}{self.path}", self.request_headers, body, timeout, self.response_limit)

    async def complete(self, request: ChatRequest, timeout: float) -> Completion:
        response = await self.post(self.body(request), timeout)
        return self.completion(response, await self.usage(response))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, {self.base_url!r})"


_OPTIONS = ("model", "provider", "api_key", "price", "response_limit")


def served_judge(
    kind: type[ServedModel],
    address: http.Address,
    *,
    headers: dict[str, str] | None = None,
    window: int | None = None,
    **options: Any,
) -> ChatJudge:
    """A chat judge from a model on a server. The options are fields of the model and of `ChatSettings`."""
    own = {name: options.pop(name) for name in _OPTIONS if name in options}
    made = kind(base_url=address.url, headers={**address.headers, **(headers or {})}, **own)
    return ChatJudge(made, settings=made_settings(options), window=window)
