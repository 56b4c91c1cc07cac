"""OpenAI's chat completions, and every server that speaks them: vLLM, Ollama, llama.cpp, LM Studio."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from ...case import clean
from ...errors import InputError, JudgeError, JudgeUnavailable
from ...plumbing.public import public_in
from ...prompt import Prompt
from . import http
from .chat_judge import ChatJudge, ChatSettings, Completion, made_settings
from .dialect import Manner, Mode
from .prices import Price, Tokens, usage_of
from .served_model import ServedModel

_HOME = "https://api.openai.com/v1"


class OpenAIModel(ServedModel, frozen=True, kw_only=True):
    """One model behind the chat-completions protocol."""

    provider: ClassVar[str] = "openai"

    modes: tuple[Mode, ...] = ("schema", "json", "text")

    def fields(self, settings: ChatSettings, manner: Manner) -> dict[str, Any]:
        limit = "max_completion_tokens" if "max_tokens" in manner.refused else "max_tokens"
        asked = {"temperature": settings.temperature, "seed": settings.seed, limit: settings.max_tokens}
        return {key: value for key, value in asked.items() if value is not None and key not in manner.refused}

    def request(
        self, prompt: Prompt, schema: dict[str, Any], kind: str, manner: Manner, settings: ChatSettings
    ) -> tuple[str, dict[str, str], dict[str, Any]]:
        """The address, headers and body that ask for a completion."""
        body = {"model": self.model, "messages": messages(prompt), **self.fields(settings, manner), **settings.extra}
        wanted = response_format(manner.mode, schema, kind)
        if wanted:
            body["response_format"] = wanted
        bearer = {"authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        return f"{self.base_url}/chat/completions", {**bearer, **self.headers}, body

    def completion(self, response: dict[str, Any]) -> Completion:
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
        usage = usage_of(self.provider, self.model, _counts(response.get("usage")), self.price, self.base_url)
        said = str((declined if refused else None) or text or "")
        return Completion(clean(said), usage, finish == "length", refused)


def messages(prompt: Prompt) -> list[dict[str, str]]:
    """The prompt as messages."""
    system = [{"role": "system", "content": prompt.system}] if prompt.system else []
    return [*system, {"role": "user", "content": prompt.user}]


def response_format(mode: Mode, schema: dict[str, Any], kind: str) -> dict[str, Any] | None:
    """How the form of the reply is asked for."""
    if mode == "schema":
        return {"type": "json_schema", "json_schema": {"name": kind, "strict": True, "schema": schema}}
    return {"type": "json_object"} if mode == "json" else None


def _without_message(response: dict[str, Any]) -> JudgeError:
    """Some gateways answer HTTP 200 with the error of the server behind them."""
    shown = str(response)[:500]
    error = response.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and 400 <= code < 600:
        return http.error_of(code, shown)
    return JudgeUnavailable("the server's response holds no message", body=clean(shown))


def _counts(usage: Any) -> Tokens:
    counted = usage if isinstance(usage, dict) else {}
    details = counted.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return Tokens.of(counted.get("prompt_tokens"), counted.get("completion_tokens"), cached)


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
    """A judge behind OpenAI's protocol. `base_url` and the key default to OPENAI_BASE_URL and OPENAI_API_KEY.

    A response of more than `response_limit` bytes is not read to its end.
    """
    address = http.address(base_url or os.environ.get("OPENAI_BASE_URL") or _HOME)
    if address.headers and api_key:
        raise InputError("base_url holds a user and a password, and api_key is given: a server takes one of the two.")
    key = (api_key or ("" if address.headers else os.environ.get("OPENAI_API_KEY")) or "").strip() or None
    if not key and address.url == _HOME:
        raise InputError(
            f"the judge openai/{model} needs a key: set OPENAI_API_KEY or pass api_key=, "
            "pass base_url= for a server of your own, or use the judge 'local', which needs neither."
        )
    served = OpenAIModel(
        model=model,
        base_url=address.url,
        api_key=key,
        headers={**address.headers, **(headers or {})},
        price=price,
        response_limit=response_limit,
    )
    return ChatJudge(served, settings=made_settings(settings), window=window)
