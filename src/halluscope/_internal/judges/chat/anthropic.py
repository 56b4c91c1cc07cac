"""Anthropic's messages API."""

from __future__ import annotations

import json
import os
from typing import Any, ClassVar

from msgspec import structs

from ...core.case import clean
from ...core.errors import JudgeUnavailable
from ...core.plumbing.public import public_in
from ...core.result import Usage
from ...engine.judge import missing_key, provider_of
from . import http
from .chat_judge import UNKNOWN, ChatJudge, ChatRequest, Completion
from .prices import Tokens
from .response_modes import ResponseFormat
from .served_model import ServedModel, served_judge

_VERSION = "2023-06-01"
_MAX_TOKENS = 4096
"""The API requires a limit. If a reply reaches it, the question is split."""


class AnthropicModel(ServedModel, frozen=True, kw_only=True):
    """A model behind the messages API. The schema of the reply is the input schema of a tool that it must use."""

    path: ClassVar[str] = "/v1/messages"

    provider: str = "anthropic"
    api_key: str
    formats: tuple[ResponseFormat, ...] = ("schema", "text")

    def fields(self, request: ChatRequest) -> dict[str, Any]:
        temperature = request.settings.temperature
        return {} if temperature is None or "temperature" in request.mode.refused else {"temperature": temperature}

    def body(self, request: ChatRequest) -> dict[str, Any]:
        prompt, settings = request.prompt, request.settings
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt.user}],
            "max_tokens": settings.max_tokens or _MAX_TOKENS,
            **self.fields(request),
            **settings.extra,
        }
        if prompt.system:
            # It is the same for all cases. Below the shortest length that the server caches, the mark has no effect.
            body["system"] = [{"type": "text", "text": prompt.system, "cache_control": {"type": "ephemeral"}}]
        if request.mode.format == "schema":
            tool = {"name": request.kind, "description": "Receives the reply.", "input_schema": request.schema}
            body |= {"tools": [tool], "tool_choice": {"type": "tool", "name": request.kind}}
        return body

    @property
    def request_headers(self) -> dict[str, str]:
        return {"x-api-key": self.api_key, "anthropic-version": _VERSION, **self.headers}

    @staticmethod
    def tokens(response: dict[str, Any]) -> Tokens:
        usage = response.get("usage")
        counted = usage if isinstance(usage, dict) else {}
        return Tokens.of(
            counted.get("input_tokens"),
            counted.get("output_tokens"),
            counted.get("cache_read_input_tokens"),
            counted.get("cache_creation_input_tokens"),
            included=False,
        )

    @staticmethod
    def completion(response: dict[str, Any], usage: Usage = UNKNOWN) -> Completion:
        blocks = response.get("content")
        if not isinstance(blocks, list):
            raise JudgeUnavailable("the server's response contains no content", body=clean(str(response)[:500]))
        blocks = [block for block in blocks if isinstance(block, dict)]
        given = [block["input"] for block in blocks if block.get("type") == "tool_use" and "input" in block]
        written = "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
        text = json.dumps(given[0], ensure_ascii=False) if given else written
        stopped = response.get("stop_reason")
        return Completion(clean(text), usage, stopped == "max_tokens", stopped == "refusal")


@public_in("halluscope.judges")
def anthropic_judge(
    model: str, *, base_url: str | None = None, api_key: str | None = None, **options: Any
) -> ChatJudge:
    """Create a judge from a model of Anthropic.

    Args:
        model: Name of the model.
        base_url: Address of the server, by default ANTHROPIC_BASE_URL, or else that of Anthropic.
        api_key: API key, by default ANTHROPIC_API_KEY.
        **options: The other options of `openai_judge`.

    Returns:
        The judge.

    Raises:
        InputError: If there is no key, or an option is unusable.

    Example:
        >>> anthropic_judge("claude-sonnet-4-5", api_key="…").name
        'anthropic/claude-sonnet-4-5'
    """
    provider = provider_of("anthropic")
    key = provider.key_from(api_key)
    if not key:
        missing_key(f"anthropic/{model}", provider.key, "or use the judge 'local', which needs no key")
    address = http.address(base_url or os.environ.get("ANTHROPIC_BASE_URL") or provider.home)
    address = structs.replace(address, url=address.url.removesuffix("/v1"))
    return served_judge(AnthropicModel, address, model=model, api_key=key or "", provider="anthropic", **options)
