"""The commands `serve` and `mcp`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..core.errors import MissingExtra
from ..engine.judge import DEFAULT
from ..serving.service.limits import Limits
from .app import app
from .options import BaseUrl, JudgeNames, judge_options

if TYPE_CHECKING:
    from ..serving.http.settings import ServerSettings

DEFAULTS = Limits()

Host = Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen on. All but loopback need a token.")]
Port = Annotated[int, typer.Option(min=0, max=65535, metavar="N", help="Port to listen on; 0 picks a free one.")]
TokenFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File with the token that clients must send. Default: HALLUSCOPE_TOKEN."),
]
MaxBody = Annotated[int, typer.Option(min=1, metavar="BYTES", help="Maximum size of a request.")]
MaxClaims = Annotated[int, typer.Option(min=1, metavar="N", help="Maximum number of claims per output.")]
Timeout = Annotated[float, typer.Option(min=0.001, metavar="SECONDS", help="Maximum duration of a request.")]
Queue = Annotated[int, typer.Option(min=1, metavar="N", help="Maximum number of open requests; others get a 429.")]
LogLevel = Annotated[str, typer.Option(metavar="LEVEL", help="debug, info, warning or error.")]


@app.command("serve")
def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    judge: JudgeNames = None,
    base_url: BaseUrl = None,
    token_file: TokenFile = None,
    max_body: MaxBody = DEFAULTS.body,
    max_claims: MaxClaims = DEFAULTS.claims,
    timeout: Timeout = DEFAULTS.seconds,
    queue: Queue = DEFAULTS.waiting,
    log_level: LogLevel = "info",
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
    application = Application(_settings(host, port, judge, base_url, token_file, limits))
    start_logging(log_level)
    application.run()


@app.command("mcp")
def mcp(
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP at /mcp, instead of stdio.")] = False,
    host: Host = "127.0.0.1",
    port: Port = 8001,
    judge: JudgeNames = None,
    base_url: BaseUrl = None,
    token_file: TokenFile = None,
    max_body: MaxBody = DEFAULTS.body,
    max_claims: MaxClaims = DEFAULTS.claims,
    timeout: Timeout = DEFAULTS.seconds,
    queue: Queue = DEFAULTS.waiting,
    log_level: LogLevel = "warning",
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
    server = AgentServer(_settings(host, port, judge, base_url, token_file, limits))
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
