"""`mcp`: the tools for agents."""

from __future__ import annotations

from typing import Annotated

import typer

from ...errors import MissingExtra
from ...service.limits import Limits
from ..app import app
from ..options import BaseUrl, JudgeNames
from .serving_options import (
    DEFAULTS,
    Host,
    LogLevel,
    MostAtOnce,
    MostBytes,
    MostClaims,
    MostSeconds,
    Port,
    TokenFile,
    settings_of,
)


@app.command("mcp")
def mcp(
    http: Annotated[bool, typer.Option("--http", help="Listen for streamable HTTP at /mcp.")] = False,
    host: Host = "127.0.0.1",
    port: Port = 8001,
    judge: JudgeNames = None,
    base_url: BaseUrl = None,
    token_file: TokenFile = None,
    max_body: MostBytes = DEFAULTS.body,
    max_claims: MostClaims = DEFAULTS.claims,
    timeout: MostSeconds = DEFAULTS.seconds,
    queue: MostAtOnce = DEFAULTS.waiting,
    log_level: LogLevel = "warning",
) -> None:
    """Offer checks, the guard and the reading of runs to agents, as tools of the Model Context Protocol.

    Over standard input and output, as agents start it; or with --http over HTTP, with the rules of `serve`.
    """
    try:
        from ...mcp_tools.agent_server import AgentServer
        from ...server.http.logs import start_logging
    except ModuleNotFoundError as error:
        raise MissingExtra("mcp", "the tools for agents") from error
    limits = Limits(body=max_body, claims=max_claims, seconds=timeout, waiting=queue)
    server = AgentServer(settings_of(host, port, judge, base_url, token_file, limits))
    start_logging(log_level)
    if http:
        server.run_on_http()
    else:
        server.run_on_stdio()
