"""Where a request goes, and the lines in front of its body: put together once for each judge, not for each call."""

from __future__ import annotations

import base64
import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from ...errors import InputError
from ...version import __version__

Headers = tuple[tuple[str, str], ...]

_PORTS = {"http": 80, "https": 443}
_ADDRESS = re.compile(r"[\d.]+|.*:.*")
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_UNSENDABLE = re.compile("[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_FRAMING = frozenset({"content-length", "transfer-encoding"})
"""Headers that say where the body ends: ours to say."""
_ALLOWED = "/?:@!$&'()*+,;=~%"
_NO_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")


class Endpoint(NamedTuple):
    """Someone to connect to. The host is written as certificates and resolvers know it."""

    host: str
    port: int
    tls: bool

    @property
    def is_address(self) -> bool:
        """Whether the host is an address, and no name that may stand for several."""
        return _ADDRESS.fullmatch(self.host) is not None

    @property
    def authority(self) -> str:
        """Host and port as they stand in a request; the port only where it is not the usual one."""
        host = f"[{self.host.partition('%')[0]}]" if ":" in self.host else self.host
        return host if self.port == _PORTS["https" if self.tls else "http"] else f"{host}:{self.port}"


class Route(NamedTuple):
    """The way to a server. Requests that go the same way share connections."""

    server: Endpoint
    proxy: Endpoint | None = None
    login: str = ""
    """What the proxy wants to see as its Proxy-Authorization."""


@lru_cache(maxsize=64)
def route(url: str, proxy: str | None) -> Route:
    """The way to this address; a ValueError where it is none."""
    if not proxy:
        return Route(_server(url))
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    try:
        parts = urlsplit(proxy)
        login = ""
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            login = f"Basic {base64.b64encode(pair.encode()).decode()}"
        through = _server(proxy)
    except ValueError:
        raise InputError(
            "the environment names a proxy that cannot be used: set http_proxy and https_proxy to http://host:port."
        ) from None
    return Route(_server(url), through, login)


@lru_cache(maxsize=64)
def head(url: str, proxy: str | None, headers: Headers) -> bytes:
    """A request up to the number of bytes in its body. Of two headers of one name the later one counts."""
    way, parts = route(url, proxy), urlsplit(url)
    authority = way.server.authority
    target = _quoted(parts.path or "/") + (f"?{_quoted(parts.query)}" if parts.query else "")
    lines = {
        "host": authority,
        "user-agent": f"halluscope/{__version__}",
        "accept": "*/*",
        "content-type": "application/json",
    }
    if way.proxy and not way.server.tls:
        target = f"http://{authority}{target}"
        if way.login:
            lines["proxy-authorization"] = way.login
    for name, value in headers:
        if not _NAME.fullmatch(name):
            raise InputError(f"{name!r} cannot be the name of a header: pass letters, digits and hyphens.")
        if _UNSENDABLE.search(value):
            raise InputError(f"the header {name!r} holds a line break or another control character: pass it without.")
        if name.lower() not in _FRAMING:
            lines[name.lower()] = value
    return "\r\n".join([f"POST {target} HTTP/1.1", *map(": ".join, lines.items()), "content-length: "]).encode()


def tunnel(way: Route) -> bytes:
    """The request for a way through the proxy: what is sent after it reaches the server as it is."""
    server = way.server
    named = f"[{server.host}]:{server.port}" if ":" in server.host else f"{server.host}:{server.port}"
    login = f"proxy-authorization: {way.login}\r\n" if way.login else ""
    return f"CONNECT {named} HTTP/1.1\r\nhost: {named}\r\n{login}\r\n".encode()


def _server(url: str) -> Endpoint:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port
    if parts.scheme not in _PORTS or not host or port == 0 or re.search(r"[\x00-\x20\x7f]", host):
        raise ValueError("no address")
    if not host.isascii():
        host = host.encode("idna").decode()
    return Endpoint(host, port or _PORTS[parts.scheme], parts.scheme == "https")


def _quoted(part: str) -> str:
    """The part of an address as it may be sent; what is quoted already stays as it is."""
    return _NO_ESCAPE.sub("%25", quote(part, safe=_ALLOWED))
