"""The tools behind the official SDK, over standard input and output or over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import msgspec
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import Message, Receive, Scope, Send

from ..embedded.network.model import load
from ..plumbing.threads import in_thread
from ..server.checking import Checking
from ..server.http.access import Access, checked_token
from ..server.http.bodies import read_body
from ..server.http.listening import Server as HttpServer
from ..server.http.listening import serve_on, server_for
from ..server.http.logs import LOG
from ..server.http.refusals import json_response, refusal_of, unforeseen
from ..server.settings import ServerSettings
from ..server.wire_messages import ServerState
from ..service.kept_runs import KeptRuns
from ..service.service import Service
from ..store import Store
from ..version import __version__
from .tools import AgentTool, ToolAnswer, Toolbox

_PATH = "/mcp"

_INSTRUCTIONS = (
    "Before you give an answer that rests on sources, pass it to `check` with those sources as `context`. "
    "Correct or leave out what is contradicted or unsupported."
)


class AgentServer:
    """One process's tools."""

    def __init__(self, settings: ServerSettings, store: Store | None = None) -> None:
        self._settings = settings
        self._kept = KeptRuns(store)
        self._service = Service(settings.judges, settings.limits, options=settings.judge_options)
        self._toolbox = Toolbox(Checking(self._service), self._kept, settings.limits)
        self._server: Server[Any] = Server(
            "halluscope",
            version=__version__,
            title="halluscope",
            description="Tells whether an answer holds up against the context it was given.",
            instructions=_INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    def run_on_stdio(self) -> None:
        """Serve the process that started this one, until it closes its end."""
        anyio.run(self._on_stdio)

    async def _on_stdio(self) -> None:
        try:
            async with stdio_server() as (incoming, outgoing):
                await self._server.run(incoming, outgoing, self._server.create_initialization_options())
        finally:
            await self._close()

    def run_on_http(self) -> None:
        """Listen until told to end, with the rules of the server for who may ask."""
        serve_on(self.http_server(), self._settings.host, self._settings.port, _PATH)

    def http_server(self) -> HttpServer:
        """What listens."""
        limits = self._settings.limits
        token = checked_token(self._settings.host, self._settings.token)
        tools = self._server.streamable_http_app(
            streamable_http_path=_PATH,
            stateless_http=True,  # so that any of several processes can answer the next call
            max_request_body_size=limits.body,
            # Hosts and origins are looked at by our own layer, as for the server.
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

        @asynccontextmanager
        async def lifespan(app: object) -> AsyncIterator[None]:
            await in_thread(load)
            async with tools.router.lifespan_context(tools):
                yield
            await self._close()

        async def healthz(request: Request) -> Response:
            return json_response(ServerState("alive"))

        async def bounded(scope: Scope, receive: Receive, send: Send) -> None:
            """The SDK's application, once the request is there whole: within the limits of the server."""
            body = await read_body(Request(scope, receive), limits)
            given = False

            async def replayed() -> Message:
                nonlocal given
                if given:
                    return await receive()
                given = True
                return {"type": "http.request", "body": body, "more_body": False}

            await tools(scope, replayed, send)

        routes: list[BaseRoute] = [Route("/healthz", healthz), Mount("/", bounded)]
        layer = Access(
            Router(routes, redirect_slashes=False, lifespan=lifespan),
            token=token,
            is_open=lambda path: path == "/healthz",
        )
        return server_for(layer, seconds=limits.seconds, sending=limits.sending, on_end=layer.drain)

    async def _close(self) -> None:
        await self._service.close()
        self._kept.close()

    async def _list(self, context: object, params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in self._toolbox.tools.values()])

    async def _call(self, context: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            said = await self._toolbox.call(params.name, params.arguments or {})
        except Exception as error:
            told = refusal_of(error) or unforeseen(error)
            LOG.info("tool %r: %s", params.name, told.problem.code)
            return _result(ToolAnswer(told.problem.message, {"error": told.problem}), failed=True)
        return _result(said)


def _described(tool: AgentTool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=tool.input_schema(),
        annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )


def _result(said: ToolAnswer, failed: bool = False) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=said.text)],
        structured_content=msgspec.to_builtins(said.data, enc_hook=str),
        is_error=failed,
    )
