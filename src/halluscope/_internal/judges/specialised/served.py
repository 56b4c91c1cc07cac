"""Specialised models on a server: Ollama, vLLM, or another with OpenAI's protocol."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from typing import Any, cast
from weakref import WeakKeyDictionary

import msgspec
from msgspec import structs

from ...core.errors import JudgeRejected
from ...core.plumbing.public import public_in
from ...engine.judge import Judge, provider_of
from ..chat import http
from ..chat.chat_judge import ChatSettings
from ..chat.openai import OpenAIModel
from ..chat.prices import Price
from ..chat.served_model import served_judge
from ..chat.verdict_probabilities import tokens_of, word_probabilities
from .formats import Format, Pair, PairOpinion, format_of
from .pair_judge import CHARACTERS_PER_TOKEN, PairJudge

_LOGPROBS = {"logprobs": True, "top_logprobs": 20}
_AT_ONCE = 8
"""Calls at once for one judge: claims of one question are asked about together."""


class ServedSpecialist(PairJudge):
    """Asks a specialised model on a server. `window` is in tokens, by default that of the format."""

    def __init__(self, model: OpenAIModel, format: Format, settings: ChatSettings, window: int | None = None) -> None:
        self.model = model
        self.format = format
        self.settings = settings
        self.whole = format.whole
        self.window = max(1, (window or format.window) - format.max_tokens - 400) * CHARACTERS_PER_TOKEN
        self._logprobs = True
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.model.name

    def fingerprint(self) -> str:
        identity = (self.model.name, self.model.server, self.settings, self.format.name, self.window)
        return hashlib.sha256(msgspec.msgpack.encode(identity)).hexdigest()

    async def _opinion(self, pair: Pair, timeout: float) -> PairOpinion:
        turns = self._turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(_AT_ONCE))
        async with turns:
            response, prompt = await self._response(pair, timeout)
        usage = await self.model.usage(response)
        reply = self.model.completion(response, usage).text
        said = {"usage": usage, "prompt": prompt, "reply": reply}
        return structs.replace(self.format.read(reply), probability=self._probability(response), **said)

    def _probability(self, response: dict[str, Any]) -> float | None:
        """The probability of the word for supported where the reply has one of the two words last."""
        tokens = tokens_of(response["choices"][0].get("logprobs"))
        words = (self.format.yes, self.format.no)
        said = "".join(token.text for token in tokens)
        places = [found.start() for found in re.finditer("|".join(words), said, re.IGNORECASE)]
        found = word_probabilities(tokens, places[-1], words) if places else None
        return found[1][self.format.yes] if found else None

    async def _response(self, pair: Pair, timeout: float) -> tuple[dict[str, Any], str]:
        asked = self.format.fields(pair, self.model.model, self.model.provider == "ollama")
        settings = self.settings
        body = {
            "model": self.model.model,
            **asked,
            "temperature": settings.temperature,
            "max_tokens": settings.max_tokens or self.format.max_tokens,
            **settings.extra,
        }
        try:
            response = await self.model.post({**body, **_LOGPROBS} if self._logprobs else body, timeout)
        except JudgeRejected as error:
            if not self._logprobs or "logprob" not in (error.body or ""):
                raise
            self._logprobs = False
            response = await self.model.post(body, timeout)
        return response, "\n\n".join(f"{one['role']}: {one['content']}" for one in asked["messages"])


@public_in("halluscope.judges")
def ollama_judge(model: str, **options: Any) -> Judge:
    """Create a judge from a model on Ollama. Specialised models are asked in their own format.

    Args:
        model: Name of the model, such as "bespoke-minicheck" or "granite4.1-guardian".
        **options: Those of `openai_judge`. `base_url` is by default OLLAMA_HOST, or else http://127.0.0.1:11434.

    Returns:
        The judge.

    Raises:
        InputError: If an option is unusable.

    Example:
        >>> ollama_judge("bespoke-minicheck").name
        'ollama/bespoke-minicheck'
    """
    return _served("ollama", model, **options)


@public_in("halluscope.judges")
def vllm_judge(model: str, **options: Any) -> Judge:
    """Create a judge from a model on vLLM. Specialised models are asked in their own format.

    Args:
        model: Name of the model, such as "bespokelabs/Bespoke-MiniCheck-7B".
        **options: Those of `openai_judge`. `base_url` is by default VLLM_BASE_URL, or else http://127.0.0.1:8000/v1.

    Returns:
        The judge.

    Raises:
        InputError: If an option is unusable.

    Example:
        >>> vllm_judge("bespokelabs/Bespoke-MiniCheck-7B").name
        'vllm/bespokelabs/Bespoke-MiniCheck-7B'
    """
    return _served("vllm", model, **options)


def _served(name: str, model: str, *, base_url: str | None = None, api_key: str | None = None, **options: Any) -> Judge:
    provider = provider_of(name)
    address = http.address(base_url or _set_address(provider.own_server or "") or provider.home)
    options["price"] = options.get("price") or Price(input=0.0, output=0.0)  # a server of the user's own
    key = None if address.headers else api_key
    judge = served_judge(OpenAIModel, address, model=model, api_key=key, provider=name, **options)
    format = format_of(model)
    if format is None:
        return judge
    return ServedSpecialist(cast("OpenAIModel", judge.model), format, judge.settings, options.get("window"))


def _set_address(variable: str) -> str | None:
    """The address in a variable; OLLAMA_HOST may have a host and a port alone."""
    text = os.environ.get(variable, "").strip().rstrip("/")
    if not text:
        return None
    if "://" not in text:
        host, _, port = text.partition(":")
        text = f"http://{host.replace('0.0.0.0', '127.0.0.1') or '127.0.0.1'}:{port or '11434'}"  # noqa: S104
    return text if text.endswith("/v1") else f"{text}/v1"
