"""Collects requests into batches, submits them once, waits for them and hands out the responses."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping
from typing import Any, TypeVar
from uuid import uuid4

import msgspec

from ...core.counting import count_of
from ...core.errors import HalluscopeError, InputError, JudgeRejected, JudgeUnavailable
from ...core.plumbing.loggers import logger
from .batch_apis import BatchApi, BatchState, ItemLost, Outcome
from .submitted_batches import Batch, Batches

_log = logger("judge")

T = TypeVar("T")

QUIET = 1.0
"""Seconds without another request after which the collected ones are submitted."""
_MOST, _MOST_BYTES = 10_000, 100_000_000
"""Most requests and bytes of a batch. OpenAI allows 50,000 and 200 MB, Anthropic 100,000 and 256 MB."""
_FEW = 50
"""A later round that is smaller than the largest one by this factor is asked directly: a day's wait is not worth it."""
_FIRST_POLL, _LONGEST_POLL = 0.5, 60.0
"""Shortest and longest seconds between two looks at a batch."""
_RENEWAL = 1.0
"""Seconds between two signs of life while a batch is being submitted."""


class AskDirectly(JudgeUnavailable):
    """The request is not for a batch: it is asked directly, at the usual price."""


Outcomes = dict[str, Outcome]
"""The outcomes of requests, by custom id."""


class BatchQueue:
    """The batches of one model on one server. `on_message` is called with each message for the user.

    Each task of a round, or of a batch, returns outcomes. A request without an outcome in them is in another task by
    then, or goes into the next round.
    """

    def __init__(
        self, api: BatchApi, ledger: Batches, judge: str, server: str, run: str, on_message: Callable[[str], None]
    ) -> None:
        self._api = api
        self._ledger = ledger
        self._judge, self._server, self._run, self._on_message = judge, server, run, on_message
        self._submitted: dict[str, Batch] = {}
        """The batch of each question that was submitted before, or by another process."""
        self._waiting: dict[str, asyncio.Task[Outcomes]] = {}
        """The task that each request waits for."""
        self._tasks: list[asyncio.Task[Outcomes]] = []
        self._round: dict[str, dict[str, Any]] = {}
        """The requests that are being collected."""
        self._collecting: asyncio.Task[Outcomes] | None = None
        self._states: dict[str, BatchState] = {}
        self._largest = 0
        self._most = _MOST
        self._turn = asyncio.Lock()
        self._look()

    def _look(self) -> None:
        """Look up which questions were submitted."""
        for batch in self._ledger.batches():
            if batch.server == self._server:
                self._submitted |= dict.fromkeys(self._ledger.questions(batch.key), batch)

    def knows(self, id: str) -> bool:
        """Whether the question was submitted before."""
        return id in self._submitted

    async def response(self, id: str, body: dict[str, Any]) -> dict[str, Any]:
        """The response to a request, from the batch that it is in, or from the next one."""
        outcome: Outcome | None = None
        while outcome is None:
            if id not in self._waiting:
                self._enter(id, body)
            outcome = (await asyncio.shield(self._waiting[id])).pop(id, None)
        del self._waiting[id]
        if isinstance(outcome, HalluscopeError):
            raise outcome
        return outcome

    @property
    def pending(self) -> str | None:
        """What is being waited for, None if nothing is."""
        open = [state for state in self._states.values() if not state.ended]
        if not open:
            return None
        answered, total = sum(state.answered for state in open), sum(state.total for state in open)
        return f"{count_of(len(open), 'batch', 'batches')} pending: {answered:,} of {total:,} answered"

    async def close(self, *, finished: bool) -> None:
        """Stop waiting. After a finished run, batches whose results were read are forgotten."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for batch in self._ledger.batches() if finished else ():
            if batch.collected and batch.run == self._run:
                self._ledger.remove(batch.key)

    def _enter(self, id: str, body: dict[str, Any]) -> None:
        """Wait for the batch that the request is in, or add it to the round."""
        if (batch := self._submitted.get(id)) is not None:
            ids = self._ledger.questions(batch.key) | {id}  # a finished run may have removed the batch
            self._start(ids, self._follow(batch, ids))
            return
        if self._collecting is None:
            self._collecting = self._start([], self._collect())
        self._round[id] = body
        self._waiting[id] = self._collecting

    def _start(self, ids: Collection[str], work: Coroutine[Any, Any, Outcomes]) -> asyncio.Task[Outcomes]:
        task = asyncio.ensure_future(work)
        self._tasks.append(task)
        self._waiting |= dict.fromkeys(ids, task)
        return task

    def _leave(self, ids: Iterable[str]) -> Outcomes:
        """Make requests look for another task."""
        for id in ids:
            self._waiting.pop(id, None)
            self._submitted.pop(id, None)
        return {}

    async def _collect(self) -> Outcomes:
        """Wait until no more requests come, and submit them."""
        count = 0
        while count < len(self._round) < self._most:
            count = len(self._round)
            await asyncio.sleep(QUIET)
        bodies, self._round, self._collecting = self._round, {}, None
        if len(bodies) * _FEW < self._largest:
            return {id: AskDirectly("too few questions are left for a batch") for id in bodies}
        self._largest = max(self._largest, len(bodies))
        part: dict[str, dict[str, Any]] = {}
        size = 0
        for id, body in bodies.items():
            length = len(msgspec.json.encode(body))
            if part and (len(part) >= self._most or size + length > _MOST_BYTES):
                self._start(part, self._submit(part))
                part, size = {}, 0
            part[id] = body
            size += length
        self._start(part, self._submit(part))
        return {}

    async def _submit(self, bodies: Mapping[str, dict[str, Any]]) -> Outcomes:
        """Record a batch, submit it and wait for it. What another process has submitted meanwhile is left out."""
        batch = Batch(
            key=uuid4().hex,
            judge=self._judge,
            server=self._server,
            run=self._run,
            created=time.time(),
            questions=len(bodies),
        )
        mine = self._ledger.begin(batch, bodies)
        if len(mine) < len(bodies):
            self._leave(bodies.keys() - mine)
            self._look()
        if not mine:
            self._ledger.remove(batch.key)
            return {}
        async with self._turn:
            remote = await self._remote(batch, {id: body for id, body in bodies.items() if id in mine})
        return await self._outcomes(batch, remote, mine)

    async def _remote(self, batch: Batch, requests: Mapping[str, dict[str, Any]]) -> str:
        """Submit until it is certain that the batch is there, and there once. Returns the provider's id."""
        self._states[batch.key] = BatchState(ended=False, answered=0, total=len(requests))
        alive = asyncio.ensure_future(self._renew(batch.key))
        tried = False

        async def submit() -> str:
            nonlocal tried
            if tried:  # it may have arrived although there was no response
                found = await self._api.find(batch, requests.keys(), self._remotes())
                if found is not None:
                    return found
            tried = True
            return await self._api.submit(batch, requests)

        try:
            remote = await self._patiently(submit)
        except JudgeRejected as error:
            missing = error.status in (404, 405)
            why = "it has no batch API, so ask without batches" if missing else str(error)
            raise self._refused(batch, f"a batch: {why}") from error
        finally:
            alive.cancel()
        self._ledger.submitted(batch.key, remote)
        self._on_message(
            f"{count_of(len(requests), 'question')} went to {self._judge} as the batch {remote}, which can take up to "
            "24 hours; you can leave, and continue the run later"
        )
        return remote

    def _refused(self, batch: Batch, what: str) -> InputError:
        """Forget a batch. The error ends the run: other batches would be refused, too."""
        self._ledger.remove(batch.key)
        self._states.pop(batch.key, None)
        return InputError(f"{self._server} refused {what}.")

    async def _renew(self, key: str) -> None:
        while True:
            self._ledger.renew(key)
            await asyncio.sleep(_RENEWAL)

    def _remotes(self) -> set[str]:
        return {batch.remote for batch in self._ledger.batches() if batch.remote is not None}

    async def _patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        """Call until the server answers."""
        wait = _FIRST_POLL
        while True:
            try:
                return await call()
            except JudgeUnavailable as error:
                _log.warning("%s: %s; next try in %.0f s", self._judge, error, wait)
                await asyncio.sleep(max(wait, getattr(error, "retry_after", None) or 0.0))
                wait = min(_LONGEST_POLL, wait * 2)

    async def _follow(self, batch: Batch, ids: Collection[str]) -> Outcomes:
        """Wait for a batch that was submitted before, or by another process."""
        remote = batch.remote or await self._remote_of(batch, ids)
        if remote is not None:
            return await self._outcomes(batch, remote, ids)
        self._ledger.remove(batch.key)  # the process ended before it was submitted
        return self._leave(ids)

    async def _outcomes(self, batch: Batch, remote: str, ids: Collection[str]) -> Outcomes:
        """Wait for a batch and return the outcomes of its requests."""
        wait = _FIRST_POLL
        while not (state := await self._patiently(lambda: self._api.state(remote))).ended:
            self._states[batch.key] = state
            await asyncio.sleep(wait)
            wait = min(_LONGEST_POLL, wait * 1.5)
        self._states[batch.key] = state
        if state.too_large and len(ids) > 1:
            self._most = len(ids) // 2
            self._ledger.remove(batch.key)
            return self._leave(ids)
        if state.problem is not None:
            raise self._refused(batch, f"the batch {remote}: {state.problem}")

        async def read() -> Outcomes:
            return {id: outcome async for id, outcome in self._api.outcomes(remote, state)}

        found = await self._patiently(read)
        self._ledger.collected(batch.key)
        lost = "the batch ended without an answer to this question"
        return {id: found.get(id) or ItemLost(lost) for id in ids}

    async def _remote_of(self, batch: Batch, ids: Collection[str]) -> str | None:
        """The id of a batch whose submission was not recorded. None if it was never submitted."""
        while self._ledger.being_submitted(batch.key):  # noqa: ASYNC110 - by another process
            await asyncio.sleep(_RENEWAL)
        current = next((known for known in self._ledger.batches() if known.key == batch.key), None)
        if current is None or current.remote is not None:
            return None if current is None else current.remote
        for wait in (2.0, 0.0):  # what the dead process sent last may still be on its way
            found = await self._patiently(lambda: self._api.find(batch, ids, self._remotes()))
            if found is not None:
                self._ledger.submitted(batch.key, found)
                return found
            await asyncio.sleep(wait)
        return None
