"""Anthropic's messages."""

from __future__ import annotations

import json
import os
from typing import Any, ClassVar

from ...case import clean
from ...errors import InputError, JudgeUnavailable
from ...plumbing.public import public_in
from ...prompt import Prompt
from . import http
from .chat_judge import ChatJudge, ChatSettings, Completion, made_settings
from .dialect import Manner, Mode
from .prices import Price, Tokens, usage_of
from .served_model import ServedModel

_HOME = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_MAX_TOKENS = 4096
"""The protocol demands a limit; a reply that reaches it is asked for again in parts."""


class AnthropicModel(ServedModel, frozen=True, kw_only=True):
    """One model behind the messages protocol. A schema is asked for as the input of a tool it must use."""

    provider: ClassVar[str] = "anthropic"

    api_key: str
    modes: tuple[Mode, ...] = ("schema", "text")

    def fields(self, settings: ChatSettings, manner: Manner) -> dict[str, Any]:
        if settings.temperature is None or "temperature" in manner.refused:
            return {}
        return {"temperature": settings.temperature}

    def request(
        self, prompt: Prompt, schema: dict[str, Any], kind: str, manner: Manner, settings: ChatSettings
    ) -> tuple[str, dict[str, str], dict[str, Any]]:
        """The address, headers and body that ask for a message."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt.user}],
            "max_tokens": settings.max_tokens or _MAX_TOKENS,
            **self.fields(settings, manner),
            **settings.extra,
        }
        if prompt.system:
            body["system"] = prompt.system
        if manner.mode == "schema":
            body["tools"] = [{"name": kind, "description": "Takes the reply.", "input_schema": schema}]
            body["tool_choice"] = {"type": "tool", "name": kind}
        headers = {"x-api-key": self.api_key, "anthropic-version": _VERSION, **self.headers}
        return f"{self.base_url}/v1/messages", headers, body

    def completion(self, response: dict[str, Any]) -> Completion:
        blocks = response.get("content")
        if not isinstance(blocks, list):
            raise JudgeUnavailable("the server's response holds no content", body=clean(str(response)[:500]))
        blocks = [block for block in blocks if isinstance(block, dict)]
        given = [block["input"] for block in blocks if block.get("type") == "tool_use" and "input" in block]
        written = "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
        text = json.dumps(given[0], ensure_ascii=False) if given else written
        counted = response.get("usage")
        counted = counted if isinstance(counted, dict) else {}
        tokens = Tokens.of(counted.get("input_tokens"), counted.get("output_tokens"))
        usage = usage_of(self.provider, self.model, tokens, self.price)
        stopped = response.get("stop_reason")
        return Completion(clean(text), usage, stopped == "max_tokens", stopped == "refusal")


@public_in("halluscope.judges")
def anthropic_judge(
    model: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    headers: dict[str, str] | None = None,
    price: Price | None = None,
    window: int | None = None,
    response_limit: int = http.RESPONSE_LIMIT,
    **settings: Any,
) -> ChatJudge:
    """A judge from Anthropic. The key defaults to ANTHROPIC_API_KEY; `response_limit` is in bytes."""
    key = (api_key or os.environ.get("ANTHROPIC_API_KEY") or "").strip()
    if not key:
        raise InputError(
            f"the judge anthropic/{model} needs a key: set ANTHROPIC_API_KEY or pass api_key=, "
            "or use the judge 'local', which needs none."
        )
    address = http.address(base_url or os.environ.get("ANTHROPIC_BASE_URL") or _HOME)
    served = AnthropicModel(
        model=model,
        base_url=address.url.removesuffix("/v1"),
        api_key=key,
        headers={**address.headers, **(headers or {})},
        price=price,
        response_limit=response_limit,
    )
    return ChatJudge(served, settings=made_settings(settings), window=window)
