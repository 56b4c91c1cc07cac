"""One HTTP client for all judges, and the one place where a response becomes an error.

aiohttp was chosen by measuring (`benchmarks/http_clients.py`): a tenth to a twentieth of the CPU
time per call of the other kept clients.
"""

from __future__ import annotations

import asyncio
import time
import urllib.request
from collections.abc import AsyncGenerator, Mapping
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import msgspec

from ..errors import InputError, JudgeError, JudgeRejected, JudgeThrottled, JudgeUnavailable, QuestionTooLong

if TYPE_CHECKING:
    import aiohttp

_BODY_SHOWN = 2000
_OVERLOADED = frozenset({408, 409, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_TOO_LONG = (
    "context_length_exceeded",
    "context length",
    "maximum context",
    "context window",
    "context size",
    "prompt is too long",
    "too many tokens",
    "input is too long",
)

_sessions: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[aiohttp.ClientSession, None]]
_sessions = WeakKeyDictionary()


async def post(url: str, headers: Mapping[str, str], body: Mapping[str, Any], timeout: float) -> dict[str, Any]:
    """Send `body` as JSON and return the JSON object that comes back; everything else is a `JudgeError`."""
    import aiohttp

    session = await _session()
    try:
        async with session.post(
            url,
            data=msgspec.json.encode(body),
            headers={"content-type": "application/json", **headers},
            timeout=aiohttp.ClientTimeout(total=timeout),
            proxy=_proxy(url),
        ) as response:
            content = await response.read()
            status, retry_after = response.status, response.headers.get("retry-after")
    except aiohttp.InvalidURL as error:
        raise InputError(f"{url!r} is no address of a judge: pass base_url as http(s)://host/path.") from error
    except asyncio.TimeoutError as error:
        raise JudgeUnavailable(f"no response from {urlsplit(url).netloc} within {timeout:.3g} s") from error
    except (aiohttp.ClientError, OSError) as error:
        raise JudgeUnavailable(f"could not reach {urlsplit(url).netloc}: {error or type(error).__name__}") from error
    if status != 200:
        raise error_of(status, content.decode("utf-8", "replace"), seconds(retry_after))
    try:
        return msgspec.json.decode(content, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        shown = content[:_BODY_SHOWN].decode("utf-8", "replace")
        raise JudgeUnavailable("the server's response is not a JSON object", status=status, body=shown) from error


def error_of(status: int, body: str, retry_after: float | None = None) -> JudgeError:
    """The error that an HTTP status stands for."""
    body = body[:_BODY_SHOWN]
    lowered = body.casefold()
    if status == 429 and "insufficient_quota" not in lowered:
        return JudgeThrottled(
            "the judge's server throttles (HTTP 429)", status=status, body=body, retry_after=retry_after
        )
    if status in (400, 413, 422, 500) and any(sign in lowered for sign in _TOO_LONG):
        return QuestionTooLong(
            f"the question does not fit the model's window (HTTP {status})", status=status, body=body
        )
    if status == 503 and retry_after is not None:
        return JudgeThrottled(
            "the judge's server is busy (HTTP 503)", status=status, body=body, retry_after=retry_after
        )
    if status in _OVERLOADED:
        return JudgeUnavailable(f"the judge's server failed (HTTP {status})", status=status, body=body)
    return JudgeRejected(
        f"the judge's server refused the request (HTTP {status}): {body[:300]}", status=status, body=body
    )


def seconds(retry_after: str | None) -> float | None:
    """How long a Retry-After header asks to wait, given in seconds or as a date."""
    if not retry_after:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return None


@lru_cache(maxsize=64)
def _proxy(url: str) -> str | None:
    """The proxy that the environment names for this address; looked up once, not for every call."""
    parts = urlsplit(url)
    if urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    return urllib.request.getproxies().get(parts.scheme)


async def _session() -> aiohttp.ClientSession:
    """The running loop's session, kept open between calls."""
    loop = asyncio.get_running_loop()
    held = _sessions.get(loop)
    if held is None:
        held = _sessions[loop] = _open()
    return await held.__anext__()


async def _open() -> AsyncGenerator[aiohttp.ClientSession, None]:
    """Holds a session until the loop shuts its generators down, which is before it closes."""
    import aiohttp

    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
    try:
        while True:
            yield session
    finally:
        await session.close()
