"""An operation of the server: what it takes and gives, declared once for the routes and for their description."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .http.refusals import Refusal
from .wire_messages import Nothing

T = TypeVar("T")

Handler = Callable[[Request], Awaitable[Response]]


class Operation(Struct, frozen=True, kw_only=True):
    """One method on one path. `gives` is the type of the answer, `streams` of each line where one may be asked for."""

    method: str
    path: str
    name: str
    about: str
    handler: Handler
    takes: type | None = None
    query: type = Nothing
    gives: Any = None
    streams: Any = None
    media_type: str = "application/json"
    open: bool = False
    """Needs no token."""
    refusals: tuple[int, ...] = ()
    """Statuses of answers that are no success, beyond those that every operation may give."""

    def route(self) -> Route:
        """The route that leads to it."""

        async def endpoint(request: Request) -> Response:
            request.scope["halluscope.route"] = self.path
            return await self.handler(request)

        return Route(self.path, endpoint, methods=[self.method], name=self.name)


def query_of(request: Request, type: type[T]) -> T:
    """The parameters of the address as a value of this type."""
    given = request.query_params.multi_items()
    names = [name for name, _ in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Refusal(422, "invalid", f"the parameter {twice!r} is given twice: give it once.")
    try:
        return msgspec.convert(dict(given), type, strict=False)
    except msgspec.ValidationError as error:
        raise Refusal(422, "invalid", f"the address does not have the form that is wanted: {error}.") from None
