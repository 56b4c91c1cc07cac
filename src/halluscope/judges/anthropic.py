"""Anthropic's messages."""

from __future__ import annotations

import os
from typing import Any

import msgspec
from msgspec import Struct

from ..errors import InputError, JudgeRefused, JudgeUnavailable
from ..prompt import Prompt
from . import http
from .chat import ChatJudge, Completion, Settings
from .dialect import Dialect, Mode
from .openai import made_settings
from .prices import Price, usage_of

_HOME = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_MAX_TOKENS = 4096
"""The protocol demands a limit; a reply that reaches it is asked for again in parts."""


class AnthropicModel(Struct, frozen=True, kw_only=True):
    """One model behind the messages protocol. A schema is asked for as the input of a tool it must use."""

    model: str
    base_url: str
    api_key: str
    headers: dict[str, str] = {}
    price: Price | None = None

    modes: tuple[Mode, ...] = ("schema", "text")

    @property
    def name(self) -> str:
        return f"anthropic/{self.model}"

    @property
    def server(self) -> str:
        return self.base_url

    async def complete(
        self, prompt: Prompt, schema: dict[str, Any], kind: str, dialect: Dialect, settings: Settings, timeout: float
    ) -> Completion:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt.user}],
            "max_tokens": settings.max_tokens or _MAX_TOKENS,
            **settings.extra,
        }
        if prompt.system:
            body["system"] = prompt.system
        if settings.temperature is not None and "temperature" not in dialect.refused:
            body["temperature"] = settings.temperature
        if dialect.mode == "schema":
            body["tools"] = [{"name": kind, "description": "Takes the reply.", "input_schema": schema}]
            body["tool_choice"] = {"type": "tool", "name": kind}
        headers = {"x-api-key": self.api_key, "anthropic-version": _VERSION, **self.headers}
        return self._completion(await http.post(f"{self.base_url}/v1/messages", headers, body, timeout))

    def _completion(self, response: dict[str, Any]) -> Completion:
        blocks = response.get("content")
        if not isinstance(blocks, list):
            raise JudgeUnavailable("the server's response holds no content", body=str(response)[:500])
        stopped = response.get("stop_reason")
        if stopped == "refusal":
            raise JudgeRefused("the judge declined to answer", body=str(blocks)[:500])
        given = [block["input"] for block in blocks if block.get("type") == "tool_use" and "input" in block]
        written = "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
        text = msgspec.json.encode(given[0]).decode() if given else written
        counted = response.get("usage") or {}
        usage = usage_of("anthropic", self.model, counted.get("input_tokens"), counted.get("output_tokens"), self.price)
        return Completion(text, usage, stopped == "max_tokens")


def anthropic_judge(
    model: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    headers: dict[str, str] | None = None,
    price: Price | None = None,
    window: int | None = None,
    **settings: Any,
) -> ChatJudge:
    """A judge from Anthropic. The key defaults to ANTHROPIC_API_KEY."""
    key = api_key or os.environ.get("ANTHROPIC_API_KEY")
    if not key:
        raise InputError(
            f"the judge anthropic/{model} needs a key: set ANTHROPIC_API_KEY or pass api_key=, "
            "or use the judge 'local', which needs none."
        )
    address = (base_url or os.environ.get("ANTHROPIC_BASE_URL") or _HOME).rstrip("/")
    served = AnthropicModel(model=model, base_url=address, api_key=key, headers=headers or {}, price=price)
    return ChatJudge(served, settings=made_settings(settings), window=window)
