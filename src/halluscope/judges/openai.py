"""OpenAI's chat completions, and every server that speaks them: vLLM, Ollama, llama.cpp, LM Studio."""

from __future__ import annotations

import os
from typing import Any

from msgspec import Struct

from ..errors import InputError, JudgeRefused, JudgeUnavailable
from ..prompt import Prompt
from . import http
from .chat import ChatJudge, Completion, Settings
from .dialect import Dialect, Mode
from .prices import Price, usage_of

_HOME = "https://api.openai.com/v1"


class OpenAIModel(Struct, frozen=True, kw_only=True):
    """One model behind the chat-completions protocol."""

    model: str
    base_url: str
    api_key: str | None
    headers: dict[str, str] = {}
    price: Price | None = None

    modes: tuple[Mode, ...] = ("schema", "json", "text")

    @property
    def name(self) -> str:
        return f"openai/{self.model}"

    @property
    def server(self) -> str:
        return self.base_url

    async def complete(
        self, prompt: Prompt, schema: dict[str, Any], kind: str, dialect: Dialect, settings: Settings, timeout: float
    ) -> Completion:
        body = {"model": self.model, "messages": _messages(prompt), **_options(settings, dialect), **settings.extra}
        if dialect.mode == "schema":
            described = {"name": kind, "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": described}
        elif dialect.mode == "json":
            body["response_format"] = {"type": "json_object"}
        bearer = {"authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        response = await http.post(f"{self.base_url}/chat/completions", {**bearer, **self.headers}, body, timeout)
        return self._completion(response)

    def _completion(self, response: dict[str, Any]) -> Completion:
        try:
            choice = response["choices"][0]
            message = choice["message"]
            text = message.get("content")
        except (KeyError, IndexError, TypeError, AttributeError):
            raise JudgeUnavailable("the server's response holds no message", body=str(response)[:500]) from None
        if message.get("refusal"):
            raise JudgeRefused("the judge declined to answer", body=str(message["refusal"]))
        if isinstance(text, list):
            text = "".join(part.get("text", "") for part in text if isinstance(part, dict))
        counted = response.get("usage") or {}
        usage = usage_of(
            "openai", self.model, counted.get("prompt_tokens"), counted.get("completion_tokens"), self.price
        )
        return Completion(str(text or ""), usage, choice.get("finish_reason") == "length")


def _messages(prompt: Prompt) -> list[dict[str, str]]:
    system = [{"role": "system", "content": prompt.system}] if prompt.system else []
    return [*system, {"role": "user", "content": prompt.user}]


def _options(settings: Settings, dialect: Dialect) -> dict[str, Any]:
    options: dict[str, Any] = {"temperature": settings.temperature, "seed": settings.seed}
    newer = "max_tokens" in dialect.refused
    options["max_completion_tokens" if newer else "max_tokens"] = settings.max_tokens
    return {key: value for key, value in options.items() if value is not None and key not in dialect.refused}


def openai_judge(
    model: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    headers: dict[str, str] | None = None,
    price: Price | None = None,
    window: int | None = None,
    **settings: Any,
) -> ChatJudge:
    """A judge behind OpenAI's protocol. `base_url` and the key default to OPENAI_BASE_URL and OPENAI_API_KEY."""
    address = (base_url or os.environ.get("OPENAI_BASE_URL") or _HOME).rstrip("/")
    key = api_key or os.environ.get("OPENAI_API_KEY")
    if not key and address == _HOME:
        raise InputError(
            f"the judge openai/{model} needs a key: set OPENAI_API_KEY or pass api_key=, "
            "pass base_url= for a server of your own, or use the judge 'local', which needs neither."
        )
    if not address.startswith(("http://", "https://")):
        raise InputError(f"{address!r} is no address of a judge: pass base_url as http(s)://host/path.")
    served = OpenAIModel(model=model, base_url=address, api_key=key, headers=headers or {}, price=price)
    return ChatJudge(served, settings=made_settings(settings), window=window)


def made_settings(given: dict[str, Any]) -> Settings:
    """Settings from keyword arguments; an unknown one is the caller's mistake."""
    unknown = [name for name in given if name not in Settings.__struct_fields__]
    if unknown:
        known = ", ".join(Settings.__struct_fields__)
        raise InputError(f"a chat judge has no setting {unknown[0]!r}; it takes: {known}.")
    return Settings(**given)
