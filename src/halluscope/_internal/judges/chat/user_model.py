"""A user's own model as a judge.

Anything with a `complete(prompt)` method will do, and so will a plain function, synchronous or
not. Where it has a parameter named `schema`, or needs a second argument, it is given the JSON
schema of the reply.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from ...errors import HalluscopeError, InputError, JudgeError, JudgeUnavailable
from ...judge import Answer, Call
from ...plumbing.threads import in_thread
from ...plumbing.time_limit import time_limit
from ...questions import Question
from ...redaction import keep_attributes_secret
from ...result import Usage
from .http import asked_to_wait, error_of

T = TypeVar("T")

_MOST_LEFT = 32
"""Calls that were given up and have not returned: each holds a thread, and a model that hangs would get ever more."""
_left: dict[str, list[threading.Event]] = {}
"""Of each model, by what tells it from others: an event that is set when the call returns after all."""


class OwnJudge:
    """Asks a function from prompt to text. Synchronous ones run in a thread of their own for each call."""

    asks = False

    def __init__(
        self, complete: Callable[..., Any], name: str, window: int | None = None, identity: str | None = None
    ) -> None:
        self._complete = complete
        self._name = name
        self._window = window
        self._identity = identity or name
        self._asynchronous = inspect.iscoroutinefunction(complete) or inspect.iscoroutinefunction(
            getattr(complete, "__call__", None)  # noqa: B004 - an object with an asynchronous __call__
        )
        self._schema = _schema_argument(complete)

    @property
    def name(self) -> str:
        return self._name

    @property
    def window(self) -> int | None:
        return self._window

    def fingerprint(self) -> str:
        return hashlib.sha256(f"own {self._name} {self._identity}".encode()).hexdigest()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        prompt = str(question.prompt.with_remark(call.remark).framed())
        arguments: list[Any] = [prompt]
        named: dict[str, Any] = {}
        if self._schema == "":
            arguments.append(question.schema())
        elif self._schema is not None:
            named[self._schema] = question.schema()
        try:
            async with time_limit(call.timeout):
                reply = await self._called(arguments, named)
        except HalluscopeError:
            raise
        except (asyncio.TimeoutError, ConnectionError, TimeoutError) as error:
            raise JudgeUnavailable(f"{self._name} did not answer: {error or type(error).__name__}") from error
        except Exception as error:
            raise _translated(self._name, error) from error
        if not isinstance(reply, str):
            raise JudgeError(f"{self._name} returned a {type(reply).__name__}: `complete` must return the text.")
        return Answer(judge=self._name, prompt=prompt, reply=reply, usage=Usage(calls=1, cost=None))

    async def _called(self, arguments: list[Any], named: dict[str, Any]) -> Any:
        if self._asynchronous:
            return await self._complete(*arguments, **named)
        left = _left.setdefault(self._identity, [])
        left[:] = [ended for ended in left if not ended.is_set()]
        if len(left) >= _MOST_LEFT:
            raise JudgeUnavailable(f"{len(left)} earlier calls of {self._name} have not returned: no more are made")
        ended = threading.Event()

        def call() -> Any:
            try:
                return self._complete(*arguments, **named)
            finally:
                ended.set()

        try:
            made = await in_thread(call)
        except BaseException:
            left.append(ended)
            raise
        return await made if inspect.isawaitable(made) else made


def from_model(model: object, *, name: str | None = None, window: int | None = None, **unknown: object) -> OwnJudge:
    """A judge from an object with a `complete` method, or from a function. `window` is in characters."""
    if unknown:
        raise InputError(f"a model of your own has no option {next(iter(unknown))!r}; it takes: name, window.")
    complete = getattr(model, "complete", model)
    if not callable(complete):
        raise InputError("a judge of your own needs a `complete(prompt)` method that returns the reply's text.")
    keep_attributes_secret(getattr(model, "__dict__", {}))
    known = name or getattr(model, "name", None) or getattr(model, "__name__", None) or type(model).__name__
    return OwnJudge(complete, str(known), window, _identity(model, complete))


def _identity(model: object, complete: Callable[..., Any]) -> str:
    """Tells two models of one name apart, so that one never gets the other's cached answers.

    A model with a `fingerprint` (text, or a method that returns it) says itself who it is. Of others
    the code counts, and the plain settings on the object, but for its keys.
    """
    own = getattr(model, "fingerprint", None)
    if own is not None:
        return str(own() if callable(own) else own)
    code = getattr(complete, "__code__", None) or getattr(getattr(complete, "__func__", None), "__code__", None)
    parts = [type(model).__module__, type(model).__qualname__]
    if code is not None:
        parts += [code.co_code.hex(), repr([c for c in code.co_consts if isinstance(c, (str, int, float))])]
    for key, value in sorted(getattr(model, "__dict__", {}).items()):
        if isinstance(value, (str, int, float)) and "key" not in key.lower():
            parts.append(f"{key}={value!r}")
    return "\n".join(parts)


def _schema_argument(complete: Callable[..., Any]) -> str | None:
    """The parameter that takes the schema; "" for the second in place, None where there is none."""
    try:
        parameters = inspect.signature(complete).parameters
    except (TypeError, ValueError):
        return None
    if "schema" in parameters:
        return "schema"
    placed = [
        p
        for p in parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
    ]
    return "" if len(placed) >= 2 else None


def _translated(name: str, error: Exception) -> JudgeError:
    """SDKs put the HTTP status on their errors: what is worth another try gets it."""
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        headers = getattr(getattr(error, "response", None), "headers", None)
        return error_of(status, str(error), asked_to_wait(headers or {}))
    if type(error).__name__ in ("APIConnectionError", "APITimeoutError"):
        return JudgeUnavailable(f"{name} did not answer: {error}")
    return JudgeError(f"{name} raised {type(error).__name__}: {error}")
