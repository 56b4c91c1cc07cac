"""The embedded judge, shared by all requests of a process.

The questions of all requests wait in one line, the oldest request's first. A worker for each core takes its share of
what is waiting, as one batch: a thread is begun once for many questions, no core waits for another, and never more
threads compute than there are cores. Equal questions are answered once. What else is in a batch changes nothing in an
answer, since the network reads each piece by itself.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

from ..embedded.claims.extracting import extract
from ..embedded.deciding.reader import fingerprint
from ..judge import Answer, Call
from ..judges.embedded_judge import EmbeddedJudge, answer_now
from ..plumbing.threads import GivenUp, Work, cores, doing, in_thread
from ..questions import ComparePassages, Explain, LabelAnswer, Question
from .limits import TooMany

T = TypeVar("T")

MOST_IN_A_BATCH = 8
"""Questions that one worker takes at once: those behind them wait for all of them."""

_NOTICED = 10.0
"""Seconds in which work that was given up ends: a few pieces of text are read, at most."""

_requests = itertools.count()
_request: ContextVar[int] = ContextVar("halluscope_request", default=0)


def new_request() -> None:
    """What this task asks from here on belongs to one request, and comes before what later requests ask."""
    _request.set(next(_requests))


class _Asked:
    """A question in the line, for as many as wait for its answer."""

    def __init__(self, question: Question[Any], key: str) -> None:
        self.question = question
        self.key = key
        self.answer: asyncio.Future[Answer[Any]] = asyncio.get_running_loop().create_future()
        self.work = Work()
        self.awaited = 0

    def settle(self, answer: Answer[Any] | None, error: BaseException | None) -> None:
        if self.answer.done():
            return
        if answer is not None:
            self.answer.set_result(answer)
        else:
            self.answer.set_exception(error or GivenUp())
            self.answer.exception()  # seen: those who waited may have gone


class SharedJudge:
    """Named `local`, and equal to it in every answer. The line belongs to one event loop, see `bind`."""

    name = EmbeddedJudge.name
    window = None
    asks = False

    def __init__(self, most_claims: int, on_batch: Callable[[int], None] = lambda size: None) -> None:
        self._most_claims = most_claims
        self._on_batch = on_batch
        self._line: list[tuple[int, int, _Asked]] = []
        self._places = itertools.count()
        self._asked: dict[str, _Asked] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._workers = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def bind(self) -> None:
        """The line belongs to the running loop; who asks from another gets an answer past it."""
        self._loop = self._loop or asyncio.get_running_loop()

    async def close(self) -> None:
        """Give up everything. A process that ended in the middle of a computation would end with an error."""
        for asked in self._asked.values():
            asked.work.given_up = True
        self._line.clear()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_NOTICED)

    @property
    def waiting(self) -> int:
        """Questions that nobody has begun with."""
        return len(self._line)

    def fingerprint(self) -> str:
        return fingerprint()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        if question.kind == Explain.kind:  # takes no time
            return answer_now(question)
        if asyncio.get_running_loop() is not self._loop:
            return await EmbeddedJudge().answer(question, call)
        asked = self._entered(question)
        asked.awaited += 1
        try:
            return await asyncio.shield(asked.answer)
        finally:
            asked.awaited -= 1
            if not asked.awaited and not asked.answer.done():
                asked.work.given_up = True
                self._forget(asked)

    def _entered(self, question: Question[Any]) -> _Asked:
        key = f"{question.kind} {question.fingerprint()}"
        asked = self._asked.get(key)
        if asked is None:
            asked = self._asked[key] = _Asked(question, key)
            heapq.heappush(self._line, (_request.get(), next(self._places), asked))
            if self._workers < cores():
                self._workers += 1
                worker = asyncio.ensure_future(self._serve())
                self._tasks.add(worker)
                worker.add_done_callback(self._tasks.discard)
        return asked

    def _forget(self, asked: _Asked) -> None:
        if self._asked.get(asked.key) is asked:
            del self._asked[asked.key]

    def _batch(self) -> list[_Asked]:
        """A fair share of what is waiting, without what nobody waits for any longer."""
        share = min(MOST_IN_A_BATCH, -(-len(self._line) // cores()))
        batch: list[_Asked] = []
        while self._line and len(batch) < share:
            asked = heapq.heappop(self._line)[2]
            if not asked.work.given_up:
                batch.append(asked)
        return batch

    async def _serve(self) -> None:
        """Answers until the line is empty; whoever enters it after that begins another worker."""
        await asyncio.sleep(0)  # let those who are about to ask do so: what they ask goes into the same batch
        loop = asyncio.get_running_loop()

        def settle(asked: _Asked, answer: Answer[Any] | None, error: BaseException | None) -> None:
            loop.call_soon_threadsafe(self._settle, asked, answer, error)

        try:
            while batch := self._batch():
                self._on_batch(len(batch))
                try:
                    await in_thread(partial(self._answer_all, batch, settle))
                finally:
                    for asked in batch:  # none is left without an answer, whatever happened to the worker
                        self._settle(asked, None, None)
        finally:
            self._workers -= 1

    def _settle(self, asked: _Asked, answer: Answer[Any] | None, error: BaseException | None) -> None:
        self._forget(asked)
        asked.settle(answer, error)

    def _answer_all(self, batch: list[_Asked], settle: Callable[..., object]) -> None:
        for asked in batch:
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
        """Where the judge itself takes the output apart, nobody else can count its claims."""
        if isinstance(question, LabelAnswer | ComparePassages):
            count = len(extract(question.output, question.input))
            if count > self._most_claims:
                raise too_many_claims(count, self._most_claims)


def too_many_claims(count: int, most: int) -> TooMany:
    """What is said of an output with more claims than are judged at once."""
    return TooMany(f"the output makes {count:,} claims, and at most {most:,} are judged at once: send it in parts.")
