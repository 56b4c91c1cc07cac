"""The OpenAPI description, generated from the operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from ...core.version import __version__
from .routes import Operation
from .transport.bodies import JSON, LINES
from .transport.refusals import ErrorAnswer

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
WITH_BODY = (400, 408, 413, 415, 422)


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
        "parameters": [*_path_parameters(operation), *_query_parameters(operation)],
        "responses": answers,
        "security": [] if operation.open else [{"token": []}, {}],
    }
    if operation.takes is not None:
        found["requestBody"] = {"required": True, "content": content(operation.takes)}
    return found


def _path_parameters(operation: Operation) -> list[dict[str, Any]]:
    if "{run" not in operation.path:
        return []
    return [
        {"name": "run", "in": "path", "required": True, "schema": {"type": "string"}, "description": "Name of the run."}
    ]


def _query_parameters(operation: Operation) -> list[dict[str, Any]]:
    if operation.query is None:
        return []
    (schema,), components = msgspec.json.schema_components([operation.query])
    own = components[schema["$ref"].rpartition("/")[2]]
    return [
        {
            "name": name,
            "in": "query",
            "required": name in own.get("required", ()),
            "schema": {key: value for key, value in held.items() if key not in ("default", "description")},
            **({"description": held["description"]} if "description" in held else {}),
        }
        for name, held in own["properties"].items()
    ]
