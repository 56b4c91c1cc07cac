"""HTTP requests of judges, and the errors that responses stand for."""

from __future__ import annotations

import asyncio
import base64
import io
import math
import re
import time
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from datetime import timezone
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec import Struct

from ...core.case import clean
from ...core.errors import (
    InputError,
    JudgeError,
    JudgeRefused,
    JudgeRejected,
    JudgeThrottled,
    JudgeUnavailable,
    JudgeUnreachable,
    QuestionTooLong,
)
from ...core.plumbing.json_values import decode_json
from ...core.plumbing.time_limit import time_limit
from ...core.redaction import as_cause, keep_user_secret, redacted
from .proxies import proxy_for
from .session import session, trusted

if TYPE_CHECKING:
    import aiohttp

_BODY_SHOWN = 2000
_OVERLOADED = frozenset({408, 409, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_TOO_LONG = re.compile(
    "context_length_exceeded|exceed_context_size|context (?:length|window|size)|maximum context|too many tokens"
    "|(?:prompt|input) is too long"
)
_ADVICE = {401: ": check the API key", 404: ": check the model's name and base_url, which ends in /v1 for most servers"}
_FILTERED = re.compile("content_filter|content management policy")
_FORMAT_UNKNOWN = re.compile("response_format|json_schema|grammar")

_reached: set[str] = set()
"""Servers that answered at least once. If one of these is unreachable, it is retried longer."""

RESPONSE_LIMIT = 8 * 2**20
"""Most bytes of a response after decompression, unless set otherwise."""

_LARGE = 1 << 20
"""Bytes: aiohttp sends a larger body piece by piece if it is a file, so that other calls go on meanwhile."""
_STATUS_OF_NONE = re.compile(r"^400, message[:=] ?")
"""The beginning of aiohttp's messages about unreadable responses. No server sent this status."""
_FRAMING = frozenset({"content-length", "transfer-encoding"})
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_UNSENDABLE = re.compile("[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")


async def post(
    url: str, headers: Mapping[str, str], body: Any, timeout: float, limit: int = RESPONSE_LIMIT, method: str = "POST"
) -> dict[str, Any]:
    """Send `body` as JSON (bytes as they are). Return the JSON object of the response, or raise `JudgeError`."""
    client = await session()
    await asyncio.sleep(0)  # the loop sees which kept connections the server has closed
    with client_errors(url, f"no response from {{}} within {timeout:.3g} s"):
        async with time_limit(timeout), requested(client, url, headers, body, method=method) as response:
            reached(url)
            await check_status(response, limit)
            content = await received(response, limit)
    return _object(content, response.status)


async def fetched_lines(
    url: str, headers: Mapping[str, str], timeout: float, limit: int = RESPONSE_LIMIT
) -> AsyncGenerator[dict[str, Any], None]:
    """Get a file and yield the JSON object of each line. A line has at most `limit` bytes."""
    client = await session()
    rest = b""
    with client_errors(url, f"no response from {{}} within {timeout:.3g} s"):
        async with time_limit(timeout), requested(client, url, headers, None, method="GET") as response:
            await check_status(response, limit)
            async for piece in response.content.iter_any():
                *whole, rest = (rest + piece).split(b"\n")
                for line in filter(bytes.strip, whole):
                    yield _object(line, response.status)
                if len(rest) > limit:
                    raise JudgeUnavailable(f"a line of {urlsplit(url).path} is larger than {limit / 2**20:.3g} MB")
    if rest.strip():
        yield _object(rest, response.status)


def requested(
    client: aiohttp.ClientSession, url: str, headers: Mapping[str, str], body: Any, *, method: str = "POST"
) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
    """Send a request with a JSON body. Redirects are not followed: they would take the key elsewhere."""
    try:
        content = body if isinstance(body, bytes) else b"" if body is None else msgspec.json.encode(body)
    except (TypeError, ValueError) as error:
        raise InputError(f"the judge's settings cannot be sent as JSON: {error}.") from error
    return client.request(
        method,
        url,
        data=content if len(content) < _LARGE else io.BytesIO(content),
        headers=headers,
        proxy=proxy_for(url),
        ssl=trusted() if url.startswith("https:") else True,
        allow_redirects=False,
    )


def reached(url: str) -> None:
    """Note that the server has answered."""
    _reached.add(urlsplit(url).netloc)


@contextmanager
def client_errors(url: str, silent: str) -> Iterator[None]:
    """Turn what aiohttp raises into a `JudgeError` of one sentence; `silent` is the one for a timeout."""
    import aiohttp

    host = urlsplit(url).netloc
    try:
        yield
    except asyncio.TimeoutError as error:
        raise JudgeUnavailable(silent.format(host)) from as_cause(error)
    except aiohttp.ClientConnectorCertificateError as error:
        reason = _one_line(error.certificate_error)
        raise JudgeRejected(f"the certificate of {host} is not trusted: {reason}") from as_cause(error)
    except aiohttp.ClientPayloadError as error:
        raise JudgeUnavailable(f"the response from {host} broke off or is damaged: {_one_line(error)}") from as_cause(
            error
        )
    except (aiohttp.ClientError, OSError) as error:
        kind = JudgeUnavailable if host in _reached else JudgeUnreachable
        raise kind(f"could not reach {host}: {_reason(error)}") from as_cause(error)


def _reason(error: Exception) -> str:
    """Say in one line why a request failed. Many messages of aiohttp take several lines, or repeat the address."""
    import aiohttp

    if isinstance(error, aiohttp.ClientHttpProxyError):
        return f"the proxy refused the connection (HTTP {error.status})"
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return f"the proxy cannot be reached ({_one_line(error.os_error)})"
    if isinstance(error, aiohttp.ClientConnectorError):
        return _one_line(error.os_error)
    if isinstance(error, aiohttp.ClientResponseError):
        return f"its response cannot be read ({_one_line(error.message)})"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "the connection was closed without a response"
    return _one_line(error) or type(error).__name__


def _one_line(error: object) -> str:
    return _STATUS_OF_NONE.sub("", " ".join(str(error).split()))[:200]


async def check_status(response: aiohttp.ClientResponse, limit: int = RESPONSE_LIMIT) -> None:
    """Raise what the status of a response stands for, unless it is a success."""
    if not 200 <= response.status < 300:
        body = await received(response, limit)
        raise error_of(response.status, body.decode("utf-8", "replace"), asked_to_wait(response.headers))


async def received(response: aiohttp.ClientResponse, limit: int) -> bytes:
    """Read a body of at most `limit` bytes, after decompression."""
    try:
        await response.content.readexactly(limit + 1)
    except asyncio.IncompleteReadError as whole:
        return whole.partial
    raise JudgeUnavailable(
        f"the server's response is larger than the limit of {limit / 2**20:.3g} MB", status=response.status
    )


def _object(content: bytes, status: int) -> dict[str, Any]:
    text = content.decode("utf-8", "replace")
    data: Any = None
    with suppress(ValueError):
        data = decode_json(text)
    if not isinstance(data, dict):
        raise JudgeUnavailable("the server's response is not a JSON object", status=status, body=text[:_BODY_SHOWN])
    return data


def error_of(status: int, body: str, retry_after: float | None = None) -> JudgeError:
    body = redacted(body)  # before it is cut: half a key is still one
    complaint = words_of_error(body).casefold()
    body = clean(body[:_BODY_SHOWN])
    response: dict[str, Any] = {"status": status, "body": body}
    if status == 429 and "insufficient_quota" not in complaint:
        return JudgeThrottled("the judge's server throttles (HTTP 429)", **response, retry_after=retry_after)
    if status in (400, 413, 422, 500) and _TOO_LONG.search(complaint):
        return QuestionTooLong(f"the question does not fit the model's context window (HTTP {status})", **response)
    if status == 503 and retry_after is not None:
        return JudgeThrottled("the judge's server is busy (HTTP 503)", **response, retry_after=retry_after)
    if status in (400, 403) and _FILTERED.search(complaint):
        why = f"the content filter of the judge's server refused the question (HTTP {status})"
        return JudgeRefused(why, **response)
    if status in _OVERLOADED and not (status == 500 and _FORMAT_UNKNOWN.search(complaint)):
        return JudgeUnavailable(f"the judge's server failed (HTTP {status})", **response)
    said = f"refused the request (HTTP {status}){_ADVICE.get(status, '')}. It says: {message_of(body)}"
    return JudgeRejected(f"the judge's server {said}", **response)


def error_of_sdk(error: Exception) -> JudgeError | None:
    """What an error of an SDK with a `status_code` stands for, so that it is retried like ours."""
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return None
    headers = getattr(error, "litellm_response_headers", None) or getattr(
        getattr(error, "response", None), "headers", None
    )
    return error_of(status, str(error), asked_to_wait(headers or {}))


def words_of_error(body: str) -> str:
    """The texts in an error response, without the request that some servers repeat in it."""
    return " ".join(_texts_in(body)) or body[:300]


def message_of(body: str) -> str:
    return next(_texts_in(body), body)[:300].strip() or "(nothing)"


def _texts_in(body: str) -> Iterator[str]:
    with suppress(ValueError):
        yield from _texts(decode_json(body))


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for key in ("error", "detail", "message", "msg", "param", "code", "type", "loc"):
            yield from _texts(data.get(key))
    elif isinstance(data, list):
        for item in data[:20]:
            yield from _texts(item)
    elif isinstance(data, str):
        yield data[:500]


def asked_to_wait(headers: Mapping[str, str]) -> float | None:
    precise = headers.get("retry-after-ms")
    if precise:
        found = seconds(precise)
        return None if found is None else found / 1000
    return seconds(headers.get("retry-after"))


def seconds(retry_after: str | None) -> float | None:
    """The seconds in a Retry-After header, which contains seconds or a date."""
    if not retry_after:
        return None
    try:
        asked = float(retry_after)
        return max(0.0, asked) if math.isfinite(asked) else None
    except ValueError:
        pass
    from email.utils import parsedate_to_datetime  # slow to import, and rarely needed

    try:
        until = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=timezone.utc)
    return max(0.0, until.timestamp() - time.time())


class Address(Struct, frozen=True):
    """A base URL without trailing slash, and a Basic auth header if it contained credentials."""

    url: str
    headers: dict[str, str] = {}


def address(base_url: str) -> Address:
    """Check a base URL and split off its credentials, because the address appears in messages and records."""
    try:
        parts = urlsplit(base_url if isinstance(base_url, str) else "")
        host, port = parts.hostname or "", parts.port
        host.encode("idna")  # refuses labels of more than 63 characters
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
    except ValueError as error:
        raise _no_address(base_url) from error
    keep_user_secret(user, password)
    if parts.scheme not in ("http", "https") or not host or port == 0 or _UNSENDABLE.search(base_url) or " " in host:
        raise _no_address(base_url)
    if parts.query or parts.fragment:
        shown = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
        raise InputError(f"base_url takes no ?query and no #fragment: pass the address up to them, {shown!r}.")
    plain = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl().rstrip("/")
    if not user and not password:
        return Address(plain)
    return Address(plain, {"authorization": f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"})


def check_headers(headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise InputError(f"{name!r} cannot be the name of a header: pass letters, digits and hyphens.")
        if name.lower() in _FRAMING:
            raise InputError(f"the header {name!r} is set automatically: leave it out.")
        check_sendable(f"the header {name!r}", value)


def check_sendable(what: str, value: str) -> None:
    """Refuse a header value that cannot be sent. The message does not repeat it, because it may be secret."""
    if _UNSENDABLE.search(value):
        raise InputError(f"{what} contains a line break or another character that cannot be sent: remove it.")


def _no_address(base_url: object) -> InputError:
    shown = re.sub(r"//[^/]*@", "//", str(base_url))
    return InputError(f"{shown!r} is not the address of a judge: pass base_url as http(s)://host/path.")
