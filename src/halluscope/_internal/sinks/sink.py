"""The base class of sinks, and the table of sinks by name."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from typing import Any, ClassVar, Union

from msgspec import Struct

from ..core.errors import InputError, UnknownName
from ..core.plumbing.public import public_in
from ..core.redaction import keep_headers_secret, keep_secret
from ..engine.judge import load
from ..judges.chat import http
from .score import Ids, Score


@public_in("halluscope.sinks")
class Request(Struct, frozen=True):
    """A request that a sink wants to send.

    Attributes:
        path: The path below the sink's address.
        body: What is sent as JSON, None for nothing.
        method: The HTTP method.
    """

    path: str
    body: Any = None
    method: str = "POST"


Flow = Generator[Request, Any, Sequence[str]]
"""Yields requests and is sent the decoded responses; a refused request raises `SendError` at its `yield`.

It returns a sentence for each score that was not taken.
"""


@public_in("halluscope.sinks")
class Sink:
    """Where scores are sent. A sink does no I/O: its flow yields requests.

    Args:
        url: The address.
        headers: HTTP headers of each request.

    Attributes:
        name: Name of the sink.
        batch: Most scores in one flow.
    """

    name: ClassVar[str]
    batch: ClassVar[int] = 50

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        try:
            found = http.address(url)
        except InputError:
            raise InputError(f"the address of {self.name} is not usable: write it as http(s)://host/path.") from None
        self.url = found.url
        self.headers = {**found.headers, **headers}
        http.check_headers(self.headers)
        keep_headers_secret(self.headers)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    def ids(self, ids: Ids) -> Ids:
        """The ids as this sink has them.

        Raises:
            InputError: If they cannot be ids of this sink.
        """
        return ids

    def flow(self, scores: Sequence[Score]) -> Flow:
        """Send scores."""
        raise NotImplementedError


SinkSpec = Union[str, Sink]
"""A sink, or the name of one."""

SINKS = {
    "langfuse": "..sinks.langfuse:Langfuse",
    "phoenix": "..sinks.phoenix:Phoenix",
    "opik": "..sinks.opik:Opik",
    "mlflow": "..sinks.mlflow:MLflow",
    "otel": "..sinks.otel:OpenTelemetry",
}


def sink_of(spec: SinkSpec) -> Sink:
    """The sink that a name stands for, with its address and keys from the variables that the tool itself reads."""
    if isinstance(spec, Sink):
        return spec
    if spec not in SINKS:
        raise UnknownName("place to send scores to called", str(spec), SINKS)
    made: Sink = load(SINKS[spec])()
    return made


def first_set(*names: str) -> str | None:
    """The value of the first of these environment variables that is set."""
    return next((text for name in names if (text := os.environ.get(name, "").strip())), None)


def secret(given: str | None, *names: str) -> str | None:
    """A key that is given or set in the environment. It appears in no message."""
    key = (given or "").strip() or first_set(*names)
    keep_secret(key)
    return key
