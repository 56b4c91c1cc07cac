"""Collects requests into batches, submits them once, waits for them and hands out the responses."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any
from uuid import uuid4

import msgspec
from msgspec import Struct, structs

from ...core.counting import count_of
from ...core.errors import HalluscopeError, InputError, JudgeError, JudgeRejected, JudgeThrottled, JudgeUnavailable
from ...core.plumbing.loggers import logger
from .batch_apis import BatchApi, BatchState, ItemLost, Outcome
from .submitted_batches import Batch, Batches

_log = logger("judge")

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


class _Request(Struct, frozen=True):
    body: dict[str, Any]
    response: asyncio.Future[Outcome]


class BatchQueue:
    """The batches of one model on one server. `on_message` is called with each message for the user."""

    def __init__(
        self, api: BatchApi, ledger: Batches, judge: str, server: str, run: str, on_message: Callable[[str], None]
    ) -> None:
        self._api = api
        self._ledger = ledger
        self._judge, self._server, self._run, self._on_message = judge, server, run, on_message
        self._batches = {batch.key: batch for batch in ledger.batches() if batch.server == server}
        self._batch_of = {id: key for key in self._batches for id in ledger.questions(key)}
        self._requests: dict[str, _Request] = {}
        self._new: list[str] = []
        self._outcomes: dict[str, Outcome] = {}
        self._states: dict[str, BatchState] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._largest = 0
        self._most = _MOST
        self._turn = asyncio.Lock()

    def knows(self, id: str) -> bool:
        """Whether the question was submitted before."""
        return id in self._batch_of

    async def response(self, id: str, body: dict[str, Any]) -> dict[str, Any]:
        """The response to a request, from the batch that it is in, or from the next one."""
        outcome = self._outcomes.pop(id, None)
        if outcome is None:
            request = _Request(body, asyncio.get_running_loop().create_future())
            self._requests[id] = request
            if (key := self._batch_of.get(id)) is not None:
                self._start(key, self._follow(self._batches[key]))
            else:
                self._add(id)
            outcome = await request.response
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
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        for batch in self._ledger.batches() if finished else ():
            if batch.collected and batch.run == self._run:
                self._ledger.remove(batch.key)

    def _add(self, id: str) -> None:
        self._new.append(id)
        if self._timer is not None:
            self._timer.cancel()
        quiet = 0.0 if len(self._new) >= self._most else QUIET
        self._timer = asyncio.get_running_loop().call_later(quiet, self._flush)

    def _flush(self) -> None:
        new, self._new = self._new, []
        if len(new) * _FEW < self._largest:
            for id in new:
                self._deliver(id, AskDirectly("too few questions are left for a batch"))
            return
        self._largest = max(self._largest, len(new))
        group: list[str] = []
        size = 0
        for id in new:
            length = len(msgspec.json.encode(self._requests[id].body))
            if group and (len(group) >= self._most or size + length > _MOST_BYTES):
                self._begin(group)
                group, size = [], 0
            group.append(id)
            size += length
        if group:
            self._begin(group)

    def _begin(self, ids: list[str]) -> None:
        key = uuid4().hex
        batch = Batch(
            key=key, judge=self._judge, server=self._server, run=self._run, created=time.time(), questions=len(ids)
        )
        self._start(key, self._submit(batch, ids))

    def _start(self, key: str, work: Any) -> None:
        if key in self._tasks and not self._tasks[key].done():
            work.close()
            return
        task = self._tasks[key] = asyncio.ensure_future(work)
        task.add_done_callback(lambda task: self._ended(key, task))

    def _ended(self, key: str, task: asyncio.Task[None]) -> None:
        """Pass an error of a task on to all that wait for it."""
        error = None if task.cancelled() else task.exception()
        if error is None:
            return
        known = error if isinstance(error, HalluscopeError) else JudgeError(f"{type(error).__name__}: {error}")
        for id in [id for id in self._requests if self._batch_of.get(id) in (key, None)]:
            request = self._requests.pop(id)
            if not request.response.done():
                request.response.set_exception(known)

    def _deliver(self, id: str, outcome: Outcome) -> None:
        request = self._requests.pop(id, None)
        if request is None:
            self._outcomes[id] = outcome
        elif not request.response.done():
            request.response.set_result(outcome)

    async def _submit(self, batch: Batch, ids: Collection[str]) -> None:
        """Record a batch, submit it and wait for it. What another process has submitted meanwhile is left out."""
        mine = self._ledger.begin(batch, ids)
        others = [
            known for known in self._ledger.batches() if known.key not in self._batches and known.key != batch.key
        ]
        for other in others if len(mine) < len(ids) else ():
            self._batches[other.key] = other
            self._batch_of |= dict.fromkeys(self._ledger.questions(other.key), other.key)
            self._start(other.key, self._follow(other))
        if not mine:
            self._ledger.remove(batch.key)
            return
        self._batches[batch.key] = batch
        self._batch_of |= dict.fromkeys(mine, batch.key)
        async with self._turn:
            submitted = await self._submitted(batch, {id: self._requests[id].body for id in ids if id in mine})
        if submitted is not None:
            await self._follow(submitted)

    async def _submitted(self, batch: Batch, requests: Mapping[str, dict[str, Any]]) -> Batch | None:
        """Submit until it is certain that the batch is there, and there once. None if the server refused it."""
        self._states[batch.key] = BatchState(ended=False, answered=0, total=len(requests))
        alive = asyncio.ensure_future(self._renew(batch.key))
        remote: str | None = None
        wait = _FIRST_POLL
        try:
            while remote is None:
                try:
                    remote = await self._api.submit(batch, requests)
                except JudgeUnavailable as error:
                    _log.warning("%s: %s; the batch is submitted again in %.0f s", self._judge, error, wait)
                    await asyncio.sleep(max(wait, getattr(error, "retry_after", None) or 0.0))
                    wait = min(_LONGEST_POLL, wait * 2)
                    remote = await self._patiently(lambda: self._api.find(batch, requests.keys(), self._remotes()))
        except JudgeRejected as error:
            missing = error.status in (404, 405)
            why = "it has no batch API, so ask without batches" if missing else str(error)
            self._drop(batch, InputError(f"{self._server} refused a batch: {why}."))
            return None
        finally:
            alive.cancel()
        self._ledger.submitted(batch.key, remote)
        self._on_message(
            f"{count_of(len(requests), 'question')} went to {self._judge} as the batch {remote}, which can take up to "
            "24 hours; you can leave, and continue the run later"
        )
        self._batches[batch.key] = submitted = structs.replace(batch, remote=remote)
        return submitted

    def _drop(self, batch: Batch, error: InputError) -> None:
        """Forget a batch that the server refused. The run ends: other batches would be refused, too."""
        self._ledger.remove(batch.key)
        self._states.pop(batch.key, None)
        for id in self._ids_of(batch):
            del self._batch_of[id]
            self._deliver(id, error)

    async def _renew(self, key: str) -> None:
        while True:
            self._ledger.renew(key)
            await asyncio.sleep(_RENEWAL)

    def _remotes(self) -> set[str]:
        return {batch.remote for batch in self._ledger.batches() if batch.remote is not None}

    async def _patiently(self, call: Callable[[], Awaitable[Any]]) -> Any:
        """Call until the server answers."""
        wait = _FIRST_POLL
        while True:
            try:
                return await call()
            except JudgeUnavailable as error:
                _log.warning("%s: %s; next try in %.0f s", self._judge, error, wait)
                await asyncio.sleep(max(wait, getattr(error, "retry_after", None) or 0.0))
                wait = min(_LONGEST_POLL, wait * 2)

    async def _follow(self, batch: Batch) -> None:
        """Wait for a batch and hand out its responses."""
        remote = batch.remote or await self._remote_of(batch)
        if remote is None:  # the process ended before it was submitted
            self._collect_again(batch)
            return
        state = await self._patiently(lambda: self._api.state(remote))
        wait = _FIRST_POLL
        while not state.ended:
            self._states[batch.key] = state
            await asyncio.sleep(wait)
            wait = min(_LONGEST_POLL, wait * 1.5)
            state = await self._patiently(lambda: self._api.state(remote))
        self._states[batch.key] = state
        if state.problem is not None:
            self._refused(batch, state)
            return
        left = set(self._ids_of(batch))

        async def collect() -> None:
            async for id, outcome in self._api.outcomes(remote, state):
                if id in left:
                    left.discard(id)
                    self._deliver(id, _final(outcome))

        await self._patiently(collect)
        for id in left:
            self._deliver(id, ItemLost("the batch ended without an answer to this question"))
        self._ledger.collected(batch.key)

    def _refused(self, batch: Batch, state: BatchState) -> None:
        """Submit the questions of a batch that was too large in smaller ones, fail those of any other."""
        count = len(self._ids_of(batch))
        if not state.too_large or count < 2:
            self._drop(batch, InputError(f"{self._server} refused the batch {batch.remote}: {state.problem}."))
            return
        self._most = max(1, count // 2)
        self._collect_again(batch)

    def _collect_again(self, batch: Batch) -> None:
        self._ledger.remove(batch.key)
        for id in self._ids_of(batch):
            del self._batch_of[id]
            if id in self._requests:
                self._add(id)

    def _ids_of(self, batch: Batch) -> list[str]:
        return [id for id, key in self._batch_of.items() if key == batch.key]

    async def _remote_of(self, batch: Batch) -> str | None:
        """The id of a batch whose submission was not recorded. None if it was never submitted."""
        while self._ledger.being_submitted(batch.key):  # noqa: ASYNC110 - by another process
            await asyncio.sleep(_RENEWAL)
        current = next((known for known in self._ledger.batches() if known.key == batch.key), None)
        if current is None or current.remote is not None:
            return None if current is None else current.remote
        ids = self._ledger.questions(batch.key)
        for wait in (2.0, 0.0):  # what the dead process sent last may still be on its way
            found = await self._patiently(lambda: self._api.find(batch, ids, self._remotes()))
            if found is not None:
                self._ledger.submitted(batch.key, found)
                return str(found)
            await asyncio.sleep(wait)
        return None


def _final(outcome: Outcome) -> Outcome:
    """An outcome as it is, or for an error that may pass the request to ask directly."""
    passing = isinstance(outcome, (JudgeUnavailable, JudgeThrottled)) and not isinstance(outcome, ItemLost)
    return AskDirectly(f"in the batch: {outcome}") if passing else outcome
