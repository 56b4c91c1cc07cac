"""Operations of the server. Their routes and their OpenAPI description are made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ...core.version import __version__
from ..service.limits import Limits
from .transport.bodies import JSON, LINES, media_type, read_json
from .transport.refusals import ErrorAnswer, Refusal, json_response
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

    It is called with the request and what that holds: its body or parameters. One that `feeds` reads the body itself.
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
    """Decode the parameters of a request, those in the path and those in the query."""
    given = [*request.path_params.items(), *request.query_params.multi_items()]
    names = [name for name, _ in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Refusal(422, "invalid", f"the parameter {twice!r} is given twice: give it once.")
    try:
        return msgspec.convert(dict(given), type, strict=False)
    except msgspec.ValidationError as error:
        raise Refusal(422, "invalid", f"the query parameters are invalid: {error}.") from None


_TEMPLATE = "#/components/schemas/{name}"

_REFUSALS = {
    400: "The body is not JSON in UTF-8.",
    401: "The token is missing or wrong.",
    403: "The request comes from a page of another site.",
    404: "Not found.",
    408: "The request was not sent in time.",
    413: "The request is too large.",
    415: "The content type or encoding of the request is not supported.",
    421: "The Host header is not the name of this machine.",
    422: "The request is invalid, or has too many claims or cases.",
    429: "The server is busy: try again after `Retry-After` seconds.",
    502: "The judge failed.",
    503: "The server is not ready, or its store cannot be used.",
    504: "The request took longer than the limit.",
}
EVERYWHERE = (401, 403, 421)
WITH_BODY = (400, 408, 413, 415, 422, 429, 502, 504)
"""Those with a body judge it."""


def description(operations: Sequence[Operation]) -> dict[str, Any]:
    types: list[Any] = [ErrorAnswer]
    for operation in operations:
        types += [held for held in (operation.takes, operation.gives, operation.streams) if held is not None]
    schemas, components = msgspec.json.schema_components(types, ref_template=_TEMPLATE)
    by_type = dict(zip(map(repr, types), schemas, strict=True))

    def content(type: Any, media_type: str = JSON) -> dict[str, Any]:
        return {media_type: {"schema": by_type[repr(type)]}}

    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, content)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "halluscope",
            "version": __version__,
            "description": "Checks whether a language model's output is grounded in the context it was given.",
        },
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(operation: Operation, content: Any) -> dict[str, Any]:
    if operation.gives is None:
        good: dict[str, Any] = {operation.media_type: {"schema": {"type": "string"}}}
    else:
        good = content(operation.gives, operation.media_type)
    if operation.streams is not None:
        good |= content(operation.streams, LINES)
    statuses = {*operation.refusals, *(() if operation.open else EVERYWHERE), *(WITH_BODY if operation.takes else ())}
    answers: dict[str, Any] = {"200": {"description": operation.about, "content": good}}
    for status in sorted(statuses):
        answers[str(status)] = {"description": _REFUSALS[status], "content": content(ErrorAnswer)}
    found: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.about,
        "parameters": _parameters(operation),
        "responses": answers,
        "security": [] if operation.open else [{"token": []}, {}],
    }
    if operation.takes is not None:
        found["requestBody"] = {"required": True, "content": content(operation.takes)}
    return found


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    if operation.query is None:
        return []
    (schema,), components = msgspec.json.schema_components([operation.query])
    own = components[schema["$ref"].rpartition("/")[2]]
    found = []
    for name, held in own["properties"].items():
        type = {key: value for key, value in held.items() if key not in ("default", "description")}
        place = "path" if f"{{{name}}}" in operation.path else "query"
        parameter = {"name": name, "in": place, "required": name in own.get("required", ()), "schema": type}
        found.append(parameter | {key: held[key] for key in ("description",) if key in held})
    return found
