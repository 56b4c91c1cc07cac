"""The embedded judge, shared by all requests of a process.

The questions of all requests wait in one queue, ordered by the age of the request. There is one worker per core. A
worker takes its share of the queue as one batch and answers it in a thread. Equal questions are answered once. Batching
does not change an answer, because the network reads each question separately.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

from ...core.plumbing.in_flight import InFlight
from ...core.plumbing.threads import GivenUp, Work, cores, doing, in_thread
from ...engine.judge import Answer, Call
from ...engine.questions import Question
from ...judges.embedded.claims.extracting import extract
from ...judges.embedded.deciding.verdicts import fingerprint
from ...judges.embedded.embedded_judge import EmbeddedJudge, answer_now
from .limits import TooMany

T = TypeVar("T")

MAX_BATCH = 8
"""Maximum number of questions in a batch."""

_CLOSE_TIMEOUT = 10.0
"""Seconds to wait for cancelled work to end."""

_requests = itertools.count()
_request: ContextVar[int] = ContextVar("halluscope_request", default=0)


def new_request() -> None:
    """Start a request: questions asked by this task come before those of later requests."""
    _request.set(next(_requests))


class _Queued:
    def __init__(self, question: Question[Any], calls: list[Call]) -> None:
        self.question = question
        self.answer: asyncio.Future[Answer[Any]] = asyncio.get_running_loop().create_future()
        self.work = Work()
        self.calls = calls

    def settle(self, answer: Answer[Any] | None, error: BaseException | None) -> None:
        if self.answer.done():
            return
        if answer is not None:
            self.answer.set_result(answer)
        else:
            self.answer.set_exception(error or GivenUp())
            self.answer.exception()  # mark as retrieved: nobody may be waiting any more


class SharedJudge:
    """The embedded judge with a queue. The queue belongs to one event loop, see `bind`."""

    name = EmbeddedJudge.name
    window = None
    asks = False

    def __init__(self, most_claims: int, on_batch: Callable[[int], None] = lambda size: None) -> None:
        self._most_claims = most_claims
        self._on_batch = on_batch
        self._queue: list[tuple[int, int, _Queued]] = []
        self._places = itertools.count()
        self._asked: set[_Queued] = set()
        self._in_flight: InFlight[Answer[Any]] = InFlight()
        self._calls: dict[str, list[Call]] = {}
        """The calls waiting for each question."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._workers = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def bind(self) -> None:
        """Bind the queue to the running loop. Questions from other loops are answered without the queue."""
        self._loop = self._loop or asyncio.get_running_loop()

    async def close(self) -> None:
        """Cancel all work and wait for it to end, since the process must not exit during a computation."""
        for asked in self._asked:
            asked.work.given_up = True
        self._queue.clear()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_CLOSE_TIMEOUT)

    @property
    def waiting(self) -> int:
        return len(self._queue)

    def fingerprint(self) -> str:
        return fingerprint()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        if not question.reads_text:
            return answer_now(question)
        if asyncio.get_running_loop() is not self._loop:
            return await EmbeddedJudge().answer(question, call)
        key = f"{question.kind} {question.fingerprint()}"
        calls = self._calls.setdefault(key, [])
        calls.append(call)
        try:
            answer, _ = await self._in_flight.once(key, lambda: self._enqueue(question, calls))
            return answer
        finally:
            calls.remove(call)
            if not calls:
                self._calls.pop(key, None)

    async def _enqueue(self, question: Question[Any], calls: list[Call]) -> Answer[Any]:
        asked = _Queued(question, calls)
        self._asked.add(asked)
        heapq.heappush(self._queue, (_request.get(), next(self._places), asked))
        if self._workers < cores():
            self._workers += 1
            worker = asyncio.ensure_future(self._serve())
            self._tasks.add(worker)
            worker.add_done_callback(self._tasks.discard)
        try:
            return await asked.answer
        finally:
            self._asked.discard(asked)
            asked.work.given_up = not asked.answer.done() or asked.answer.cancelled()

    def _batch(self) -> list[_Queued]:
        """Take this worker's share of the queue, without cancelled questions."""
        share = min(MAX_BATCH, -(-len(self._queue) // cores()))
        batch: list[_Queued] = []
        while self._queue and len(batch) < share:
            asked = heapq.heappop(self._queue)[2]
            if not asked.work.given_up:
                batch.append(asked)
        return batch

    async def _serve(self) -> None:
        """Answer questions until the queue is empty."""
        await asyncio.sleep(0)  # let other tasks add questions to the first batch
        loop = asyncio.get_running_loop()

        def settle(asked: _Queued, answer: Answer[Any] | None, error: BaseException | None) -> None:
            loop.call_soon_threadsafe(asked.settle, answer, error)

        try:
            while batch := self._batch():
                self._on_batch(len(batch))
                try:
                    await in_thread(partial(self._answer_all, batch, settle))
                finally:
                    for asked in batch:  # has no effect on questions with an answer
                        asked.settle(None, None)
        finally:
            self._workers -= 1

    def _answer_all(self, batch: list[_Queued], settle: Callable[..., object]) -> None:
        for asked in batch:
            for call in tuple(asked.calls):
                call.begun()
            answer: Answer[Any] | None = None
            failed: BaseException | None = None
            try:
                with doing(asked.work):
                    self._bounded(asked.question)
                    answer = answer_now(asked.question)
            except BaseException as error:
                failed = error
            settle(asked, answer, failed)

    def _bounded(self, question: Question[Any]) -> None:
        """Check the number of claims if the judge extracts them itself."""
        if question.reads_output and question.items():
            asked: Any = question
            count = len(extract(asked.output, asked.input))
            if count > self._most_claims:
                raise too_many_claims(count, self._most_claims)


def too_many_claims(count: int, most: int) -> TooMany:
    return TooMany(f"the output has {count:,} claims, and the limit is {most:,}: send it in parts.")
