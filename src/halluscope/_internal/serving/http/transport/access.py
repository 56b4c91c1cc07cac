"""Access control and common response headers.

Without a token, the server only accepts requests from this machine and refuses those that a page of another site makes
through a browser (by their Origin and Host headers). With a token, clients must send it.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..settings import is_loopback
from .bodies import ClientGone, drain
from .logs import LOG
from .refusals import Refusal, refusal_of, unexpected

_ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
_UNLESS_SAID = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "cache-control": "no-store",
}
_GONE = 499
"""Status logged for a client that disconnected, as in nginx."""


class Access:
    """The outermost ASGI layer: checks access, turns errors into responses, adds headers, logs and counts."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str | None,
        is_open: Callable[[str], bool],
        answered: Callable[[str, int, float], None] = lambda route, status, seconds: None,
    ) -> None:
        self._app = app
        self._token = None if token is None else token.encode()
        self._is_open = is_open
        self._answered = answered
        self.draining = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 0
        scope["halluscope.route"] = "other"
        scope["app"] = self  # makes Starlette raise routing errors, which are handled here

        async def send_complete(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._complete(MutableHeaders(scope=message))
            await send(message)

        try:
            refusal = self._refused(scope)
            if refusal is None:
                await self._app(scope, receive, send_complete)
            else:
                await drain(receive)
                await refusal.response()(scope, receive, send_complete)
        except ClientGone:
            status = _GONE
        except Exception as error:
            refusal = refusal_of(error) or unexpected(error)
            if status:  # the response has begun: close the connection
                raise
            await refusal.response()(scope, receive, send_complete)
        finally:
            seconds, path = time.perf_counter() - started, scope.get("raw_path", b"").decode("ascii", "replace")
            LOG.info("%s %s %d %.0f ms", scope["method"], path, status or _GONE, seconds * 1000)
            self._answered(scope["halluscope.route"], status or _GONE, seconds)

    def _complete(self, headers: MutableHeaders) -> None:
        for name, value in _ALWAYS.items():
            headers[name] = value
        for name, value in _UNLESS_SAID.items():
            headers.setdefault(name, value)
        if self.draining:
            headers["connection"] = "close"

    def drain(self) -> None:
        """Close connections after their next response."""
        LOG.info("shutting down")
        self.draining = True

    def _refused(self, scope: Scope) -> Refusal | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}"):
            return Refusal(403, "origin", "this server does not answer pages of other sites.")
        if self._is_open(scope["path"]):
            return None
        if self._token is None:
            if not is_loopback(_without_port(host)):
                return Refusal(
                    421, "host", "this server only answers requests for localhost: the Host header names another host."
                )
            return None
        word, _, given = headers.get("authorization", "").partition(" ")
        # Constant time, so that the duration reveals nothing about the token.
        if not hmac.compare_digest(given.strip().encode("utf-8", "replace"), self._token) or word.lower() != "bearer":
            challenge = {"www-authenticate": 'Bearer realm="halluscope"'}
            return Refusal(401, "token", "send the token of the server as `Authorization: Bearer …`.", challenge)
        return None


def _without_port(host: str) -> str:
    return host.rpartition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
