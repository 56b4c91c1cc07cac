"""Which proxy the environment names for a server."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from ...core.errors import InputError
from ...core.redaction import keep_user_secret

_PORTS = {"http": 80, "https": 443}


@lru_cache(maxsize=64)
def proxy_for(url: str) -> str | None:
    """Return the proxy for a URL, or None. The environment is read once per URL, not per call.

    Servers on this machine are asked directly. NO_PROXY takes a host or a domain (`example.org`, `.example.org`,
    `*.example.org`), each with or without `:port`, an address, a network (`10.0.0.0/8`), or `*`.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    address = _address(host)
    if host == "localhost" or (address is not None and address.is_loopback):
        return None
    from urllib.request import getproxies, proxy_bypass  # slow to import, and not needed for a local server

    found = getproxies()
    port = parts.port or _PORTS.get(parts.scheme)
    if any(_matches(entry, host, port) for entry in found.get("no", "").replace(",", " ").split()):
        return None
    proxy = found.get(parts.scheme)
    if not proxy or proxy_bypass(host):  # what Windows and macOS are set to
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    _check(proxy)
    return proxy


def _matches(entry: str, host: str, port: int | None) -> bool:
    """Whether one entry of NO_PROXY covers the host."""
    address = _address(host)
    if address is not None:
        with suppress(ValueError):
            return address in ipaddress.ip_network(entry.strip("[]"), strict=False)
    with suppress(ValueError):
        named = urlsplit(f"//{entry.casefold()}")
        if named.port not in (None, port):
            return False
        name = (named.hostname or "").rstrip(".")
        if address is not None:
            return address == _address(name)
        name = name.removeprefix("*").removeprefix(".")
        return entry == "*" or (name != "" and (host == name or host.endswith(f".{name}")))
    return False


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    with suppress(ValueError):
        return ipaddress.ip_address(host.partition("%")[0])
    return None


def _check(proxy: str) -> None:
    """Refuse an unusable proxy, and register its password as a secret."""
    try:
        parts = urlsplit(proxy)
        usable = parts.scheme in _PORTS and parts.hostname and parts.port != 0
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
    except ValueError:
        usable = None
        user, _, password = proxy.rpartition("@")[0].rpartition("/")[2].partition(":")
    keep_user_secret(user, password)
    if not usable:
        raise InputError(
            "the environment names a proxy that cannot be used: set http_proxy and https_proxy to http://host:port."
        )
