"""The MCP server, with the official SDK, over stdio or HTTP."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import anyio
import msgspec
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import Message, Receive, Scope, Send

from ...core.plumbing.threads import in_thread
from ...core.version import __version__
from ...judges.embedded.network.model import load
from ...runs.store import Store
from ..http.settings import ServerSettings, checked_token
from ..http.transport.access import Access
from ..http.transport.bodies import read_body
from ..http.transport.listening import Server as HttpServer
from ..http.transport.listening import serve_on, server_for
from ..http.transport.logs import LOG
from ..http.transport.refusals import json_response, refusal_of, unexpected
from ..http.wire_messages import ServerState
from ..service.service import Service
from .tools import AgentTool, ToolAnswer, Toolbox

if TYPE_CHECKING:
    from anyio import AsyncFile

_PATH = "/mcp"

_ENDING_TIME = 3.0
"""Seconds from a signal to the end of the process, even if a client does not read what is being written to it."""

_INSTRUCTIONS = (
    "Before you give an answer based on sources, pass it to `check` with those sources as `context`. "
    "Correct or remove claims that are contradicted or unsupported."
)


class AgentServer:
    """The MCP server of one process."""

    def __init__(self, settings: ServerSettings, store: Store | None = None) -> None:
        self._settings = settings
        self._service = Service(settings.judges, settings.limits, options=settings.judge_options, store=store)
        self._toolbox = Toolbox(self._service)
        self._server: Server[Any] = Server(
            "halluscope",
            version=__version__,
            title="halluscope",
            description="Checks whether an answer is grounded in the context it was given.",
            instructions=_INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    def run_on_stdio(self) -> None:
        """Serve over stdio until stdin is closed or a signal ends the process."""
        # The reader of the SDK would block the end of the process while stdin is open.
        stdin = open(sys.stdin.fileno(), "rb", closefd=False)  # noqa: SIM115 - a thread may still be reading it
        with SignalsCancel() as signals:
            anyio.run(self._on_stdio, stdin, signals)

    async def _on_stdio(self, stdin: BinaryIO, signals: SignalsCancel) -> None:
        try:
            with signals.scope():
                async with stdio_server(stdin=cast("AsyncFile[str]", _lines(stdin))) as (incoming, outgoing):
                    await self._server.run(incoming, outgoing, self._server.create_initialization_options())
        finally:
            await self._service.close()

    def run_on_http(self) -> None:
        """Serve over HTTP, with the access control of the HTTP server."""
        serve_on(self.http_server(), self._settings.host, self._settings.port, _PATH)

    def http_server(self) -> HttpServer:
        limits = self._settings.limits
        token = checked_token(self._settings.host, self._settings.token)
        tools = self._server.streamable_http_app(
            streamable_http_path=_PATH,
            stateless_http=True,  # any of several processes can answer the next call
            max_request_body_size=limits.body,
            # Access checks the Host and Origin headers.
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

        @asynccontextmanager
        async def lifespan(app: object) -> AsyncIterator[None]:
            await in_thread(load)
            async with tools.router.lifespan_context(tools):
                yield
            await self._service.close()

        async def healthz(request: Request) -> Response:
            return json_response(ServerState("alive"))

        async def bounded(scope: Scope, receive: Receive, send: Send) -> None:
            """Read the whole request within the limits, then pass it to the SDK."""
            if scope["method"] != "POST":  # a GET would open a stream that is never used
                raise HTTPException(405, headers={"allow": "POST"})
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
        return server_for(layer, limits, on_end=layer.drain)

    async def _list(self, context: object, params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in self._toolbox.tools.values()])

    async def _call(self, context: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            answer = await self._toolbox.call(params.name, params.arguments or {})
        except Exception as error:
            refusal = refusal_of(error) or unexpected(error)
            LOG.info("tool %r: %s", params.name, refusal.problem.code)
            return _result(ToolAnswer(refusal.problem.message, {"error": refusal.problem}), failed=True)
        return _result(answer)


class SignalsCancel:
    """A block in which Ctrl-C and SIGTERM cancel the work of the event loop. They are raised after the block.

    An exception raised by a signal handler would surface in the middle of the event loop, where it can be lost.
    """

    def __init__(self) -> None:
        self._received: list[int] = []
        self._cancel: Callable[[], object] | None = None
        self._deadline: threading.Timer | None = None

    def __enter__(self) -> SignalsCancel:
        self._before = {sign: signal.signal(sign, self._handle) for sign in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *error: object) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        for sign, handler in self._before.items():
            signal.signal(sign, handler)
        if self._received:  # the signal is the reason, whatever the cancelled work has raised
            signal.raise_signal(self._received[0])

    @contextmanager
    def scope(self) -> Iterator[None]:
        """The work in the event loop."""
        loop = asyncio.get_running_loop()
        with anyio.CancelScope() as scope:
            self._cancel = lambda: loop.call_soon_threadsafe(self._end, scope)
            if self._received:
                self._end(scope)
            try:
                yield
            finally:
                self._cancel = None

    def _handle(self, number: int, frame: object) -> None:
        self._received.append(number)
        if len(self._received) > 2:
            os._exit(128 + number)
        if self._cancel is not None:
            self._cancel()

    def _end(self, scope: anyio.CancelScope) -> None:
        scope.cancel()
        if self._deadline is None:
            self._deadline = threading.Timer(_ENDING_TIME, self._exit)
            self._deadline.daemon = True
            self._deadline.start()

    def _exit(self) -> None:
        os.write(2, b"halluscope: interrupted.\n")
        os._exit(128 + self._received[0])


async def _lines(stream: BinaryIO) -> AsyncIterator[str]:
    while line := await in_thread(stream.readline):
        yield line.decode("utf-8", "replace")


def _described(tool: AgentTool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=tool.input_schema(),
        annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )


def _result(answer: ToolAnswer, failed: bool = False) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answer.text)],
        structured_content=msgspec.to_builtins(answer.data, enc_hook=str),
        is_error=failed,
    )
