"""Operations of the server, from which both the routes and the OpenAPI description are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..service.limits import Limits
from .transport.bodies import LINES, media_type, read_json
from .transport.refusals import Refusal, json_response
from .transport.streams import while_connected

T = TypeVar("T")


class Described(Struct, frozen=True):
    """A method that clients can call. Its docstring describes it to them."""

    handler: Callable[..., Any]

    @property
    def name(self) -> str:
        return str(self.handler.__name__)

    @property
    def about(self) -> str:
        return " ".join((self.handler.__doc__ or "").split())


class Operation(Described, frozen=True):
    """One method on one path. `gives` is the type of the answer, `streams` the type of a streamed line.

    It is called with the request and what that holds: its body or its query. One that `feeds` reads the body itself.
    """

    method: str
    path: str
    takes: type | None = None
    query: type | None = None
    gives: Any = None
    streams: Any = None
    media_type: str = "application/json"
    feeds: bool = False
    open: bool = False
    """Whether it needs no token."""
    refusals: tuple[int, ...] = ()
    """Error statuses, besides those that every operation may give."""

    def route(self, owner: object, limits: Limits) -> Route:
        async def endpoint(request: Request) -> Response:
            request.scope["halluscope.route"] = self.path
            if self.feeds and media_type(request) == LINES:
                return cast("Response", await self.handler(owner, request, None))
            given: Any = None
            if self.takes is not None:
                given = await read_json(request, self.takes, limits)
            elif self.query is not None:
                given = query_of(request, self.query)
            answer = await while_connected(request.receive, self.handler(owner, request, given))
            return answer if isinstance(answer, Response) else json_response(answer)

        return Route(self.path, endpoint, methods=[self.method], name=self.name)


def operation(method: str, path: str, **more: Any) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation of a method."""
    return lambda handler: Operation(handler, method, path, **more)


def operations_of(owner: object) -> list[Operation]:
    return [value for value in vars(type(owner)).values() if isinstance(value, Operation)]


def query_of(request: Request, type: type[T]) -> T:
    given = request.query_params.multi_items()
    names = [name for name, _ in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Refusal(422, "invalid", f"the parameter {twice!r} is given twice: give it once.")
    try:
        return msgspec.convert(dict(given), type, strict=False)
    except msgspec.ValidationError as error:
        raise Refusal(422, "invalid", f"the query parameters are invalid: {error}.") from None
