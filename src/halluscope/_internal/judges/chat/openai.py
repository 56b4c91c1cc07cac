"""OpenAI's chat completions API, which vLLM, Ollama, llama.cpp, LM Studio and others also implement."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from ...core.case import clean
from ...core.errors import InputError, JudgeError, JudgeUnavailable
from ...core.plumbing.public import public_in
from ...core.prompt import Prompt
from ...core.result import Usage
from ...engine.judge import missing_key, provider_of
from . import http
from .chat_judge import UNKNOWN, ChatJudge, ChatRequest, Completion
from .prices import Price, Tokens
from .response_modes import ResponseFormat
from .served_model import ServedModel, served_judge
from .verdict_probabilities import tokens_of

_ALTERNATIVES = 5
"""Tokens listed for each place in a reply. Some servers list no more."""


class OpenAIModel(ServedModel, frozen=True, kw_only=True):
    """A model behind the chat completions API."""

    path: ClassVar[str] = "/chat/completions"

    provider: str = "openai"
    formats: tuple[ResponseFormat, ...] = ("schema", "json", "text")

    def fields(self, request: ChatRequest) -> dict[str, Any]:
        limit = "max_completion_tokens" if "max_tokens" in request.mode.refused else "max_tokens"
        return optional_fields(request, limit)

    def body(self, request: ChatRequest) -> dict[str, Any]:
        return {
            "model": self.model,
            "messages": messages(request.prompt),
            **self.fields(request),
            **request.settings.extra,
            **response_format(request),
        }

    @property
    def request_headers(self) -> dict[str, str]:
        bearer = {"authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        return {**bearer, **self.headers}

    @staticmethod
    def tokens(response: dict[str, Any]) -> Tokens:
        usage = response.get("usage")
        counted = usage if isinstance(usage, dict) else {}
        details = counted.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, dict) else None
        return Tokens.of(counted.get("prompt_tokens"), counted.get("completion_tokens"), cached)

    @staticmethod
    def completion(response: dict[str, Any], usage: Usage = UNKNOWN) -> Completion:
        try:
            choice = response["choices"][0]
            message = choice["message"]
            text, declined = message.get("content"), message.get("refusal")
            finish = choice.get("finish_reason")
        except (KeyError, IndexError, TypeError, AttributeError):
            raise _without_message(response) from None
        if isinstance(text, list):
            text = "".join(str(part.get("text", "")) for part in text if isinstance(part, dict))
        refused = bool(declined) or finish == "content_filter"
        said = str((declined if refused else None) or text or "")
        return Completion(clean(said), usage, finish == "length", refused, tokens_of(choice.get("logprobs")))


def optional_fields(request: ChatRequest, limit: str = "max_tokens") -> dict[str, Any]:
    """The settings as fields of a request, without those that the server refuses. `limit` names one of them."""
    settings = request.settings
    asked = {"temperature": settings.temperature, "seed": settings.seed, limit: settings.max_tokens}
    if settings.logprobs:
        asked |= {"logprobs": True, "top_logprobs": _ALTERNATIVES}
    return {key: value for key, value in asked.items() if value is not None and key not in request.mode.refused}


def messages(prompt: Prompt) -> list[dict[str, str]]:
    system = [{"role": "system", "content": prompt.system}] if prompt.system else []
    return [*system, {"role": "user", "content": prompt.user}]


def response_format(request: ChatRequest) -> dict[str, Any]:
    if request.mode.format == "text":
        return {}
    if request.mode.format == "json":
        return {"response_format": {"type": "json_object"}}
    schema = {"name": request.kind, "strict": True, "schema": request.schema}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _without_message(response: dict[str, Any]) -> JudgeError:
    """The error for a response without a message. Some gateways send the error of another server as HTTP 200."""
    shown = str(response)[:500]
    error = response.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and 400 <= code < 600:
        return http.error_of(code, shown)
    return JudgeUnavailable("the server's response contains no message", body=clean(shown))


@public_in("halluscope.judges")
def openai_judge(
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
    """Create a judge from a model of OpenAI, or of a server with the same API.

    Args:
        model: Name of the model.
        base_url: Address of the server, by default OPENAI_BASE_URL, or else that of OpenAI.
        api_key: API key, by default OPENAI_API_KEY. A server other than OpenAI's may need none.
        headers: Additional HTTP headers.
        price: Price of the model, if the price table does not know it.
        window: Context window of the model in tokens. Longer questions are split.
        response_limit: Most bytes of a response.
        **settings: Fields of `ChatSettings`: `temperature`, `seed`, `max_tokens`, `extra`.

    Returns:
        The judge.

    Raises:
        InputError: If there is no key, or an option is unusable.

    Example:
        >>> openai_judge("llama3", base_url="http://127.0.0.1:11434/v1").name
        'openai/llama3'
    """
    provider = provider_of("openai")
    address = http.address(base_url or os.environ.get(provider.own_server or "") or provider.home)
    if address.headers and api_key:
        raise InputError("base_url contains a user and password, and api_key is given too: pass only one of them.")
    key = None if address.headers else provider.key_from(api_key)
    if not key and address.url == provider.home:
        otherwise = "pass base_url= for another server, or use the judge 'local', which needs no key"
        missing_key(f"openai/{model}", provider.key, otherwise)
    return served_judge(
        OpenAIModel,
        address,
        model=model,
        api_key=key,
        provider="openai",
        headers=headers,
        price=price,
        window=window,
        response_limit=response_limit,
        **settings,
    )
