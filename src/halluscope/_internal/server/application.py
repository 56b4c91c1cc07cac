"""The application: its routes, the layer around them, and what happens when it starts and ends."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from starlette.routing import Router

from ..embedded.network.model import load
from ..plumbing.threads import in_thread
from ..service.kept_runs import KeptRuns
from ..service.service import Service
from ..store import Store
from .check_routes import CheckRoutes
from .checking import Checking
from .http.access import Access, checked_token
from .http.listening import Server, serve_on, server_for
from .http.prometheus import Measures
from .page_routes import PageRoutes
from .routes import Operation
from .run_routes import RunRoutes
from .settings import ServerSettings
from .standing_routes import StandingRoutes


class Application:
    """One server. Call `serve` in the loop it is to live in."""

    def __init__(self, settings: ServerSettings, store: Store | None = None) -> None:
        self._settings = settings
        token = checked_token(settings.host, settings.token)
        self._state = "starting"
        measures = Measures()
        self.service = Service(
            settings.judges, settings.limits, options=settings.judge_options, on_batch=measures.batched
        )
        measures.watch(lambda: self.service.under_way, lambda: self.service.local.waiting)
        self._kept = KeptRuns(store)
        page = PageRoutes()
        self.operations: Sequence[Operation] = (
            *StandingRoutes(self.service, measures, lambda: self._state, lambda: self.operations).operations(),
            *CheckRoutes(Checking(self.service, measures.judged), settings.limits).operations(),
            *RunRoutes(self._kept).operations(),
        )
        routes = [*(operation.route() for operation in self.operations), *page.routes()]
        inner = Router(routes, redirect_slashes=False, lifespan=self._lifespan)
        open_paths = {operation.path for operation in self.operations if operation.open}
        self.asgi = Access(
            inner, token=token, is_open=lambda path: path in open_paths or page.is_open(path), counts=measures
        )

    @asynccontextmanager
    async def _lifespan(self, app: object) -> AsyncIterator[None]:
        await in_thread(load)
        self._state = "ready"
        try:
            yield
        finally:
            await self.service.close()
            self._kept.close()

    def _ending(self) -> None:
        self._state = "ending"
        self.asgi.drain()

    def server(self) -> Server:
        """What listens."""
        limits = self._settings.limits
        return server_for(self.asgi, seconds=limits.seconds, sending=limits.sending, on_end=self._ending)

    def run(self) -> None:
        """Listen until told to end."""
        serve_on(self.server(), self._settings.host, self._settings.port)
