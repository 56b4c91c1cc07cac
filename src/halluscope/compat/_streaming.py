"""A chat model's answer while it is being written: the events of OpenAI's and Anthropic's servers."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable, Iterator
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
from .._internal.judges.chat.pools import pool
from .._internal.plumbing.time_limit import time_limit
from .._internal.prompt import Prompt

_FREELY = Manner("text")
_ERROR_READ = 1 << 16
_LINE_LIMIT = 1 << 20
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
    way, request = http.made(url, (("accept-encoding", "identity"), *headers.items()), body)
    host = urlsplit(url).netloc
    try:
        async with (await pool()).stream(way, request, timeout) as (response, reader):
            if not 200 <= response.status < 300:
                told = bytearray()
                while len(told) < _ERROR_READ and (piece := await _some(reader, timeout)):
                    told += piece
                raise http.error_of(
                    response.status, told.decode("utf-8", "replace"), http.asked_to_wait(response.headers)
                )
            held = b""
            while piece := await _some(reader, timeout):
                *lines, held = (held + piece).split(b"\n")
                for event in _events_in(lines):
                    yield event
                if len(held) > _LINE_LIMIT:
                    raise ConnectionError("it has a line that is too long for an event")
            for event in _events_in([held]):
                yield event
    except asyncio.TimeoutError as error:
        raise JudgeUnavailable(f"{host} was silent for {timeout:.3g} s") from error
    except ssl.SSLCertVerificationError as error:
        raise http.untrusted(host, error) from error
    except OSError as error:
        raise JudgeUnavailable(f"the answer from {host} broke off: {error or type(error).__name__}") from error


def _events_in(lines: list[bytes]) -> Iterator[dict[str, Any]]:
    for line in map(bytes.strip, lines):
        if line.startswith((_DATA, b"{")):
            event = _decoded(line.removeprefix(_DATA))
            if event is not None:
                yield event


async def _some(reader: asyncio.StreamReader, timeout: float) -> bytes:
    """What comes next of the body; nothing at its end."""
    async with time_limit(timeout):
        return await reader.read(1 << 16)


def _decoded(held: bytes) -> dict[str, Any] | None:
    """An event; None for what holds none, such as the mark at the end."""
    try:
        event = msgspec.json.decode(held)
    except msgspec.DecodeError:
        return None
    if isinstance(event, dict) and event.get("error"):
        raise JudgeUnavailable("the server broke the answer off", body=clean(str(event["error"])[:500]))
    return event if isinstance(event, dict) else None
