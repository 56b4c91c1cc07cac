"""The commands `serve` and `mcp`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import MissingExtra
from ..engine.judge import DEFAULT
from ..serving.service.limits import Limits
from .app import command
from .options import judge_options

if TYPE_CHECKING:
    from ..serving.http.settings import ServerSettings

DEFAULTS = Limits()


@command("serve")
def serve(
    host: str = "127.0.0.1",
    port: int = 8000,
    judge_names: list[str] | None = None,
    base_url: str | None = None,
    token_file: Path | None = None,
    max_body: int = DEFAULTS.body,
    max_claims: int = DEFAULTS.claims,
    timeout: float = DEFAULTS.seconds,
    queue: int = DEFAULTS.waiting,
    log_level: str = "info",
) -> None:
    """Start an HTTP server with a web page, for checks and for stored runs.

    Clients can use the judges named with --judge and the embedded one.
    """
    try:
        from ..serving.http.application import Application
        from ..serving.http.transport.logs import start_logging
    except ModuleNotFoundError as error:
        raise MissingExtra("server", "the server") from error
    limits = Limits(body=max_body, claims=max_claims, seconds=timeout, waiting=queue)
    application = Application(_settings(host, port, judge_names, base_url, token_file, limits))
    start_logging(log_level)
    application.run()


@command("mcp")
def mcp(
    http: bool = False,
    host: str = "127.0.0.1",
    port: int = 8001,
    judge_names: list[str] | None = None,
    base_url: str | None = None,
    token_file: Path | None = None,
    max_body: int = DEFAULTS.body,
    max_claims: int = DEFAULTS.claims,
    timeout: float = DEFAULTS.seconds,
    queue: int = DEFAULTS.waiting,
    log_level: str = "warning",
) -> None:
    """Start an MCP server: agents can check texts, use the guard and read runs.

    It talks over stdio, or over HTTP with --http. The options for HTTP are those of `serve`.
    """
    try:
        from ..serving.http.transport.logs import start_logging
        from ..serving.mcp.agent_server import AgentServer
    except ModuleNotFoundError as error:
        raise MissingExtra("mcp", "the tools for agents") from error
    limits = Limits(body=max_body, claims=max_claims, seconds=timeout, waiting=queue)
    server = AgentServer(_settings(host, port, judge_names, base_url, token_file, limits))
    start_logging(log_level)
    if http:
        server.run_on_http()
    else:
        server.run_on_stdio()


def _settings(
    host: str, port: int, judges: list[str] | None, base_url: str | None, token_file: Path | None, limits: Limits
) -> ServerSettings:
    from ..serving.http.settings import ServerSettings, token_from

    remote = {name for name in judges or () if name != DEFAULT}
    return ServerSettings(
        host=host,
        port=port,
        token=token_from(token_file),
        judges=tuple(judges or ()),
        judge_options=judge_options(base_url, remote.pop() if len(remote) == 1 else "several" if remote else None),
        limits=limits,
    )
