"""A judge with prepared replies, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, Union

import msgspec

from ..core.errors import JudgeError
from ..core.plumbing.public import public_in
from ..core.result import Usage
from ..engine.judge import Answer, Call
from ..engine.questions import Question

T = TypeVar("T")

Reply = Union[str, dict[str, Any], list[Any], Exception]


@public_in("halluscope.judges")
class ScriptedJudge:
    """A judge with prepared replies.

    Args:
        replies: The reply for each kind of question ("extract", "verify", "label", …): a text, data that is sent as
            JSON, or an exception to raise. A tuple is a sequence of replies, of which the last one is repeated. A
            function gets the question and returns a reply.
        name: Name of the judge.
        window: Its context window in tokens.
        latency: Seconds before each reply.

    Example:
        >>> judge = ScriptedJudge({"label": '{"label": "factual"}'})
    """

    asks = False

    def __init__(
        self,
        replies: Mapping[str, Union[Reply, tuple[Reply, ...]]] | Callable[[Question[Any]], Reply],
        *,
        name: str = "scripted",
        window: int | None = None,
        latency: float = 0.0,
    ) -> None:
        self._replies = replies
        self._given: dict[str, int] = {}
        self._latency = latency
        self.name = name
        self.window = window
        self.asked: list[Question[Any]] = []

    def fingerprint(self) -> str:
        return self.name

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        self.asked.append(question)
        if self._latency:
            await asyncio.sleep(self._latency)
        reply = self._replies(question) if callable(self._replies) else self._next(question.kind)
        if isinstance(reply, Exception):
            raise reply
        text = reply if isinstance(reply, str) else msgspec.json.encode(reply).decode()
        return Answer(judge=self.name, prompt=str(question.prompt), reply=text, usage=Usage(calls=1))

    def _next(self, kind: str) -> Reply:
        assert not callable(self._replies)
        if kind not in self._replies:
            raise JudgeError(f"the script has no reply to a {kind!r} question")
        replies = self._replies[kind]
        if not isinstance(replies, tuple):
            return replies
        place = self._given.get(kind, 0)
        self._given[kind] = place + 1
        return replies[min(place, len(replies) - 1)]
