"""One HTTP client for all judges, and the one place where a response becomes an error.

The client is our own, in `request`, `connections` and `pools`, for what it costs: 0.19 ms of CPU time a call where
aiohttp takes 0.33 and the other kept clients 0.7 to 14 (`benchmarks/http_clients.py`), and 2 ms to load, not 270.
"""

from __future__ import annotations

import asyncio
import base64
import json
import math
import re
import ssl
import time
import zlib
from collections.abc import Mapping
from datetime import timezone
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec import Struct

from ...case import clean
from ...errors import (
    InputError,
    JudgeError,
    JudgeRefused,
    JudgeRejected,
    JudgeThrottled,
    JudgeUnavailable,
    JudgeUnreachable,
    QuestionTooLong,
)
from ...redaction import keep_user_secret, redacted
from .connections import CutOff, Response, TooLarge
from .pools import pool
from .request import Headers, Route, head, route

_BODY_SHOWN = 2000
_OVERLOADED = frozenset({408, 409, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_TOO_LONG = (
    "context_length_exceeded",
    "exceed_context_size",
    "context length",
    "maximum context",
    "context window",
    "context size",
    "prompt is too long",
    "too many tokens",
    "input is too long",
)
_ADVICE = {
    401: "; check the key",
    404: "; check the model's name and base_url, which for most servers ends in /v1",
}
_FILTERED = ("content_filter", "content management policy")
_FORMAT_UNKNOWN = ("response_format", "json_schema", "grammar")

_reached: set[str] = set()
"""The servers that answered at least once: where one of them is gone, it is likely to come back."""


RESPONSE_LIMIT = 8 * 2**20
"""Bytes of a response, unpacked, unless a judge is told otherwise: no reply of ours comes near it."""


async def post(
    url: str, headers: Mapping[str, str], body: Mapping[str, Any], timeout: float, limit: int = RESPONSE_LIMIT
) -> dict[str, Any]:
    """Send `body` as JSON and return the JSON object that comes back; everything else is a `JudgeError`."""
    way, request = made(url, (("accept-encoding", "gzip, deflate"), *headers.items()), body)
    host = urlsplit(url).netloc
    try:
        response = await (await pool()).post(way, request, timeout, limit)
    except asyncio.TimeoutError as error:
        raise JudgeUnavailable(f"no response from {host} within {timeout:.3g} s") from error
    except TooLarge as error:
        _reached.add(host)
        raise _too_large(limit, error.status) from error
    except ssl.SSLCertVerificationError as error:
        raise untrusted(host, error) from error
    except OSError as error:
        if isinstance(error, CutOff):
            _reached.add(host)
        kind = JudgeUnavailable if host in _reached else JudgeUnreachable
        raise kind(f"could not reach {host}: {error or type(error).__name__}") from error
    _reached.add(host)
    received = _unpacked(response, limit)
    if not 200 <= response.status < 300:
        raise error_of(response.status, received.decode("utf-8", "replace"), asked_to_wait(response.headers))
    return _object(received, response.status)


def made(url: str, headers: Headers, body: Mapping[str, Any]) -> tuple[Route, bytes]:
    """The way to a server, and the request that is sent there."""
    proxy = proxy_for(url)
    try:
        way = route(url, proxy)
    except InputError:  # what is wrong is the proxy
        raise
    except ValueError as error:
        raise _no_address(url) from error
    content = msgspec.json.encode(body)
    return way, b"%b%d\r\n\r\n%b" % (head(url, proxy, headers), len(content), content)


def untrusted(host: str, error: ssl.SSLCertVerificationError) -> JudgeRejected:
    """No second try changes a certificate."""
    return JudgeRejected(f"the certificate of {host} is not trusted: {error}")


def _unpacked(response: Response, limit: int) -> bytearray | bytes:
    """The body, of which no more is unpacked than may come: a few kilobytes on the wire may be gigabytes."""
    packing = response.headers.get("content-encoding", "identity").strip().lower()
    if packing in ("", "identity"):
        return response.body
    if packing not in ("gzip", "x-gzip", "deflate"):
        raise JudgeUnavailable(f"the server's response is packed in a way that was not asked for ({packing})")
    for wbits in (47, -15):  # some servers leave the heading of deflate out
        try:
            found = zlib.decompressobj(wbits).decompress(response.body, limit + 1)
        except zlib.error:
            continue
        if len(found) > limit:
            raise _too_large(limit, response.status)
        return found
    raise JudgeUnavailable("the server's response cannot be unpacked", status=response.status)


def _too_large(limit: int, status: int) -> JudgeUnavailable:
    told = f"the server's response is larger than {limit / 2**20:.3g} MB, and was not read to its end"
    return JudgeUnavailable(told, status=status)


def _object(content: bytearray | bytes, status: int) -> dict[str, Any]:
    try:
        return msgspec.json.decode(content, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    text = content.decode("utf-8", "replace")
    try:
        # Half of a surrogate pair, as some servers send it, is valid for the standard library alone.
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise JudgeUnavailable("the server's response is not a JSON object", status=status, body=text[:_BODY_SHOWN])
    return data


def error_of(status: int, body: str, retry_after: float | None = None) -> JudgeError:
    """The error that an HTTP status stands for."""
    body = redacted(body)  # before it is cut: half a key is still one
    complaint = words_of_error(body).casefold()
    body = clean(body[:_BODY_SHOWN])
    if status == 429 and "insufficient_quota" not in complaint:
        return JudgeThrottled(
            "the judge's server throttles (HTTP 429)", status=status, body=body, retry_after=retry_after
        )
    if status in (400, 413, 422, 500) and any(sign in complaint for sign in _TOO_LONG):
        return QuestionTooLong(
            f"the question does not fit the model's window (HTTP {status})", status=status, body=body
        )
    if status == 503 and retry_after is not None:
        return JudgeThrottled(
            "the judge's server is busy (HTTP 503)", status=status, body=body, retry_after=retry_after
        )
    if status in (400, 403) and any(sign in complaint for sign in _FILTERED):
        return JudgeRefused(f"the judge's server filtered the question out (HTTP {status})", status=status, body=body)
    if status in _OVERLOADED and not (status == 500 and any(sign in complaint for sign in _FORMAT_UNKNOWN)):
        return JudgeUnavailable(f"the judge's server failed (HTTP {status})", status=status, body=body)
    advice = _ADVICE.get(status, "")
    return JudgeRejected(
        f"the judge's server refused the request (HTTP {status}{advice}): {body[:300]}", status=status, body=body
    )


def words_of_error(body: str) -> str:
    """What a server complains of: its message, without the request that some echo together with it."""
    try:
        data = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return body[:300]
    found: list[str] = []
    _gather(data, found)
    return " ".join(found) or body[:300]


def _gather(data: Any, found: list[str]) -> None:
    if isinstance(data, dict):
        for key in ("error", "detail", "message", "msg", "param", "code", "type", "loc"):
            if key in data:
                _gather(data[key], found)
    elif isinstance(data, list):
        for item in data[:20]:
            _gather(item, found)
    elif isinstance(data, str):
        found.append(data[:500])


def asked_to_wait(headers: Mapping[str, str]) -> float | None:
    """How many seconds a response asks to wait before the next try."""
    precise = headers.get("retry-after-ms")
    if precise:
        found = seconds(precise)
        return None if found is None else found / 1000
    return seconds(headers.get("retry-after"))


def seconds(retry_after: str | None) -> float | None:
    """How long a Retry-After header asks to wait, given in seconds or as a date."""
    if not retry_after:
        return None
    try:
        asked = float(retry_after)
        return max(0.0, asked) if math.isfinite(asked) else None
    except ValueError:
        pass
    from email.utils import parsedate_to_datetime  # takes as long to load as all of this

    try:
        until = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=timezone.utc)
    return max(0.0, until.timestamp() - time.time())


class Address(Struct, frozen=True):
    """Where a judge is asked, without the slash at its end, and the header for user and password that stood in it."""

    url: str
    headers: dict[str, str] = {}


def address(base_url: str) -> Address:
    """The address in `base_url`, checked. User and password are taken out of it: it stands in messages and records."""
    try:
        parts = urlsplit(base_url if isinstance(base_url, str) else "")
        host, port = parts.hostname, parts.port
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
    except ValueError as error:
        raise _no_address(base_url) from error
    if parts.scheme not in ("http", "https") or not host or port == 0:
        raise _no_address(base_url)
    plain = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl().rstrip("/")
    if not user and not password:
        return Address(plain)
    keep_user_secret(user, password)
    return Address(plain, {"authorization": f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"})


def _no_address(base_url: object) -> InputError:
    shown = re.sub(r"//[^/]*@", "//", str(base_url))
    return InputError(f"{shown!r} is no address of a judge: pass base_url as http(s)://host/path.")


@lru_cache(maxsize=64)
def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for this address; looked up once, not for every call."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise _no_address(url) from error
    host = parts.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127."):
        return None
    from urllib.request import getproxies, proxy_bypass  # takes long to load, and a server nearby needs none

    if proxy_bypass(host):
        return None
    proxy = getproxies().get(parts.scheme)
    if proxy and "@" in proxy:
        user, _, password = proxy.rpartition("@")[0].rpartition("/")[2].partition(":")
        keep_user_secret(unquote(user), unquote(password))
    return proxy
