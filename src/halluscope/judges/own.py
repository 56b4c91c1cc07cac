"""A user's own model as a judge.

Anything with a `complete(prompt)` method will do, and so will a plain function, synchronous or
not. If it also takes a second argument it is given the JSON schema of the reply.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import InputError, JudgeError, JudgeUnavailable
from ..judge import Answer, Call
from ..questions import Question
from ..result import Usage
from .http import error_of

T = TypeVar("T")


class OwnJudge:
    """Asks a function from prompt to text. Synchronous ones run in threads."""

    asks = False

    def __init__(self, complete: Callable[..., Any], name: str, window: int | None = None) -> None:
        self._complete = complete
        self._name = name
        self._window = window
        self._asynchronous = inspect.iscoroutinefunction(complete) or inspect.iscoroutinefunction(
            getattr(complete, "__call__", None)  # noqa: B004 - an object with an asynchronous __call__
        )
        self._takes_schema = _takes_two(complete)

    @property
    def name(self) -> str:
        return self._name

    @property
    def window(self) -> int | None:
        return self._window

    def fingerprint(self) -> str:
        return hashlib.sha256(f"own {self._name}".encode()).hexdigest()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        prompt = str(question.render())
        if call.remark:
            prompt += f"\n\nAn earlier reply could not be used: {call.remark}\nReply with the JSON object alone."
        arguments = (prompt, question.schema()) if self._takes_schema else (prompt,)
        try:
            reply = await asyncio.wait_for(self._called(arguments), call.timeout)
        except JudgeError:
            raise
        except (asyncio.TimeoutError, ConnectionError, TimeoutError) as error:
            raise JudgeUnavailable(f"{self._name} did not answer: {error or type(error).__name__}") from error
        except Exception as error:
            raise _translated(self._name, error) from error
        if not isinstance(reply, str):
            raise JudgeError(f"{self._name} returned a {type(reply).__name__}: `complete` must return the text.")
        return Answer(judge=self._name, prompt=prompt, reply=reply, usage=Usage(calls=1, cost=None))

    async def _called(self, arguments: tuple[Any, ...]) -> Any:
        if self._asynchronous:
            return await self._complete(*arguments)
        made = await asyncio.to_thread(self._complete, *arguments)
        return await made if inspect.isawaitable(made) else made


def from_model(model: object, *, name: str | None = None, window: int | None = None) -> OwnJudge:
    """A judge from an object with a `complete` method, or from a function."""
    complete = getattr(model, "complete", model)
    if not callable(complete):
        raise InputError("a judge of your own needs a `complete(prompt)` method that returns the reply's text.")
    known = name or getattr(model, "name", None) or getattr(model, "__name__", None) or type(model).__name__
    return OwnJudge(complete, str(known), window)


def _takes_two(complete: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(complete).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(positional) >= 2 or any(p.kind is p.VAR_POSITIONAL for p in parameters)


def _translated(name: str, error: Exception) -> JudgeError:
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return error_of(status, str(error))
    return JudgeError(f"{name} raised {type(error).__name__}: {error}")
