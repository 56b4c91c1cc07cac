"""Judges from users' own models.

A model is an object with a `complete(prompt)` method, or a function, synchronous or asynchronous. If it has a parameter
named `schema`, or a second required parameter, it receives the JSON schema of the reply.
"""

from __future__ import annotations

import hashlib
import inspect
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from ...core.errors import HalluscopeError, InputError, JudgeError, JudgeUnavailable
from ...core.plumbing.threads import in_thread
from ...core.plumbing.time_limit import time_limit
from ...core.plumbing.user_functions import is_asynchronous
from ...core.redaction import as_cause, keep_attributes_secret
from ...core.result import Usage
from ...engine.judge import Answer, Call
from ...engine.questions import Question
from .http import error_of_sdk

T = TypeVar("T")

_MOST_ABANDONED = 32
"""Most calls that timed out and have not returned. Each occupies a thread."""
_abandoned: dict[str, list[threading.Event]] = {}
"""For each model, by its identity: events that are set when the calls return."""


class OwnJudge:
    """Asks a function from prompt to text. Each call of a synchronous function runs in its own thread."""

    asks = False

    def __init__(
        self, complete: Callable[..., Any], name: str, window: int | None = None, identity: str | None = None
    ) -> None:
        self.name = name
        self.window = window
        self._complete = complete
        self._identity = identity or name
        self._asynchronous = is_asynchronous(complete)
        self._schema = _schema_argument(complete)

    def fingerprint(self) -> str:
        return hashlib.sha256(f"own {self.name} {self._identity}".encode()).hexdigest()

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
        except Exception as error:
            known = error_of_sdk(error)
            if known is None and type(error).__name__ in ("APIConnectionError", "APITimeoutError"):
                known = JudgeUnavailable(f"{self.name} did not answer: {error}")
            if known is None:
                raise
            raise known from as_cause(error)
        if not isinstance(reply, str):
            raise JudgeError(f"{self.name} returned a {type(reply).__name__}: `complete` must return the text.")
        return Answer(judge=self.name, prompt=prompt, reply=reply, usage=Usage(calls=1, cost=None))

    async def _called(self, arguments: list[Any], named: dict[str, Any]) -> Any:
        if self._asynchronous:
            return await self._complete(*arguments, **named)
        left = _abandoned.setdefault(self._identity, [])
        left[:] = [ended for ended in left if not ended.is_set()]
        if len(left) >= _MOST_ABANDONED:
            raise JudgeUnavailable(
                f"{len(left)} earlier calls of {self.name} have not returned, so it is not called again"
            )
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
    """Create a judge from an object with a `complete` method, or a function. `window` is in characters."""
    if unknown:
        raise InputError(f"a model of your own has no option {next(iter(unknown))!r}; it takes: name, window.")
    complete = getattr(model, "complete", model)
    if not callable(complete):
        raise InputError("a judge of your own needs a `complete(prompt)` method that returns the reply's text.")
    keep_attributes_secret(getattr(model, "__dict__", {}))
    known = name or getattr(model, "name", None) or getattr(model, "__name__", None) or type(model).__name__
    return OwnJudge(complete, str(known), window, _identity(model, complete))


def _identity(model: object, complete: Callable[..., Any]) -> str:
    """A text that distinguishes models of the same name, which must not share cached answers.

    It is the model's `fingerprint`, a text or method, or else made of its code and its plain attributes except keys.
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
    """The name of the parameter for the schema, "" for the second positional one, None if there is none."""
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
