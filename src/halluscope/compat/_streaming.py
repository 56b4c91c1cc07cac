"""A chat model's answer while it is being written: the events of OpenAI's and Anthropic's servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec

from .._internal.case import clean
from .._internal.errors import JudgeUnavailable
from .._internal.judges.chat import http
from .._internal.judges.chat.anthropic import AnthropicModel
from .._internal.judges.chat.chat_judge import ChatModel, ChatSettings
from .._internal.judges.chat.dialect import Manner
from .._internal.judges.chat.openai import OpenAIModel
from .._internal.judges.chat.sessions import session
from .._internal.prompt import Prompt

_FREELY = Manner("text")
_ERROR_READ = 1 << 16
_DATA = b"data:"


async def deltas(model: ChatModel, prompt: Prompt, settings: ChatSettings, timeout: float) -> AsyncGenerator[str, None]:
    """The pieces of the answer as they come; of a model that does not stream, the answer as one piece.

    `timeout` is how long the server may be silent. Nothing is asked again once a piece has come.
    """
    if isinstance(model, OpenAIModel):
        reads: Callable[[Any], Any] = _openai
    elif isinstance(model, AnthropicModel):
        reads = _anthropic
    else:
        yield (await model.complete(prompt, {}, "write", _FREELY, settings, timeout)).text
        return
    url, headers, body = model.request(prompt, {}, "write", _FREELY, settings)
    async for event in _events(url, headers, {**body, "stream": True}, timeout):
        if "choices" in event and "message" in (event["choices"] or [{}])[0]:
            yield str(event["choices"][0]["message"].get("content") or "")  # a server that does not stream
            return
        piece = reads(event)
        if isinstance(piece, str) and piece:
            yield clean(piece)


def _openai(event: Any) -> Any:
    choices = event.get("choices") or [{}]
    return (choices[0].get("delta") or {}).get("content")


def _anthropic(event: Any) -> Any:
    delta = event.get("delta")
    return delta.get("text") if event.get("type") == "content_block_delta" and isinstance(delta, dict) else None


async def _events(
    url: str, headers: dict[str, str], body: dict[str, Any], timeout: float
) -> AsyncGenerator[dict[str, Any], None]:
    import aiohttp

    client = await session()
    host = urlsplit(url).netloc
    try:
        async with client.post(
            url,
            data=msgspec.json.encode(body),
            headers={"content-type": "application/json", "accept-encoding": "identity", **headers},
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=timeout, sock_read=timeout),
            proxy=http.proxy_for(url),
            allow_redirects=False,
        ) as response:
            if not 200 <= response.status < 300:
                told = (await response.content.read(_ERROR_READ)).decode("utf-8", "replace")
                raise http.error_of(response.status, told, http.asked_to_wait(response.headers))
            async for line in response.content:
                held = line.strip()
                if held.startswith((_DATA, b"{")):
                    event = _decoded(held.removeprefix(_DATA))
                    if event is not None:
                        yield event
    except asyncio.TimeoutError as error:
        raise JudgeUnavailable(f"{host} was silent for {timeout:.3g} s") from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise JudgeUnavailable(f"the answer from {host} broke off: {error or type(error).__name__}") from error


def _decoded(held: bytes) -> dict[str, Any] | None:
    """An event; None for what holds none, such as the mark at the end."""
    try:
        event = msgspec.json.decode(held)
    except msgspec.DecodeError:
        return None
    if isinstance(event, dict) and event.get("error"):
        raise JudgeUnavailable("the server broke the answer off", body=clean(str(event["error"])[:500]))
    return event if isinstance(event, dict) else None
