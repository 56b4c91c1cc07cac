"""The HTTP application: routes, access control, startup and shutdown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.routing import Router

from ...core.plumbing.threads import in_thread
from ...judges.embedded.network.model import load
from ...runs.store import Store
from ..service.service import Service
from .api import Api
from .page_routes import is_of_page, page_routes
from .routes import operations_of
from .settings import ServerSettings, checked_token
from .transport.access import Access
from .transport.listening import Server, serve_on, server_for
from .transport.prometheus import Measures


class Application:
    def __init__(self, settings: ServerSettings, store: Store | None = None) -> None:
        self._settings = settings
        token = checked_token(settings.host, settings.token)
        self._state = "starting"
        measures = Measures()
        self.service = Service(
            settings.judges, settings.limits, options=settings.judge_options, store=store, on_batch=measures.batched
        )
        measures.watch(lambda: self.service.under_way, lambda: self.service.local.waiting)
        api = Api(self.service, measures, lambda: self._state)
        self.operations = operations_of(api)
        routes = [*(operation.route(api, settings.limits) for operation in self.operations), *page_routes()]
        inner = Router(routes, redirect_slashes=False, lifespan=self._lifespan)
        open_paths = {operation.path for operation in self.operations if operation.open}
        self.asgi = Access(
            inner,
            token=token,
            is_open=lambda path: path in open_paths or is_of_page(path),
            answered=measures.answered,
        )

    @asynccontextmanager
    async def _lifespan(self, app: object) -> AsyncIterator[None]:
        await in_thread(load)
        self._state = "ready"
        try:
            yield
        finally:
            await self.service.close()

    def _ending(self) -> None:
        self._state = "ending"
        self.asgi.drain()

    def server(self) -> Server:
        return server_for(self.asgi, self._settings.limits, on_end=self._ending)

    def run(self) -> None:
        """Serve until a signal ends the process."""
        serve_on(self.server(), self._settings.host, self._settings.port)
