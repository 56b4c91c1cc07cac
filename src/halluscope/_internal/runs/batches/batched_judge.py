"""Chat judges that ask in batches."""

from __future__ import annotations

import asyncio
import copy
import hashlib
from collections.abc import Callable
from typing import Any, TypeVar

from msgspec import structs

from ...core.errors import InputError, JudgeError
from ...engine.judge import Answer, Call, Judge
from ...engine.questions import Question
from ...judges.chat.chat_judge import ChatJudge, ChatRequest, Completion
from .batch_apis import BATCH_DISCOUNT, ItemLost, batch_api_of
from .batch_queue import BatchQueue
from .submitted_batches import Batches

T = TypeVar("T")

_DIRECT_CALLS = 16
"""Most direct calls at the same time."""


class BatchedJudge(ChatJudge):
    """A chat judge whose requests are collected into batches.

    The first question is asked directly, so that a wrong key, or a field that the server refuses, fails no batch.
    """

    def __init__(self, judge: ChatJudge, queue: BatchQueue) -> None:
        self.__dict__.update(judge.__dict__)
        self._queue = queue
        self._plain = judge
        self._first = asyncio.Lock()
        self._direct_calls = asyncio.Semaphore(_DIRECT_CALLS)
        self._tries: dict[str, int] = {}
        """By question: how often a batch lost it, or -1 if it is asked directly from now on."""

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        if not self._queue.knows(self._id(question, call)):
            async with self._first:
                if not self._features.proven:
                    return await self._plain.answer(question, call)
        return await super().answer(question, call)

    async def _completion(self, question: Question[Any], call: Call, request: ChatRequest) -> Completion:
        key, id = self._key(question, call), self._id(question, call)
        if self._tries.get(key, 0) < 0:
            async with self._direct_calls:
                return await super()._completion(question, call, request)
        model: Any = self.model
        try:
            response = await self._queue.response(id, model.body(request))
            call.begun()
            usage = await model.usage(response)
            cost = None if usage.cost is None else usage.cost * BATCH_DISCOUNT
            completion: Completion = model.completion(response, structs.replace(usage, cost=cost))
        except JudgeError as error:
            # What a batch lost goes into the next one, once. Everything else is asked directly.
            self._tries[key] = 1 if isinstance(error, ItemLost) and key not in self._tries else -1
            raise
        return completion

    def _key(self, question: Question[Any], call: Call) -> str:
        return f"{self.fingerprint()} {question.fingerprint()} {call.sample} {call.repair} {call.remark}"

    def _id(self, question: Question[Any], call: Call) -> str:
        """The custom id of a question in a batch. It is the same in every process, whatever the server supports."""
        key = self._key(question, call)
        return hashlib.sha256(f"{key} {max(0, self._tries.get(key, 0))}".encode()).hexdigest()[:40]


class Batching:
    """A copy of a judge with batches in place of single calls, for every chat judge in it with a batch API."""

    def __init__(self, judge: Judge, ledger: Batches, run: str, on_message: Callable[[str], None]) -> None:
        """Raises `InputError` for a judge without batches."""
        self._ledger, self._run, self._on_message = ledger, run, on_message
        self._queues: list[BatchQueue] = []
        self.judge: Judge = self._replaced(judge)
        if not self._queues:
            raise InputError(
                f"the judge {judge.name} has no batch API: batches are for openai/… and anthropic/… models."
            )

    def _replaced(self, held: Any) -> Any:
        if isinstance(held, (list, tuple)):
            return type(held)(map(self._replaced, held))
        if isinstance(held, ChatJudge) and (api := batch_api_of(held.model)) is not None:
            queue = BatchQueue(api, self._ledger, held.name, held.model.server, self._run, self._on_message)
            self._queues.append(queue)
            return BatchedJudge(held, queue)
        inside = vars(held) if isinstance(held, Judge) and hasattr(held, "__dict__") else {}
        count = len(self._queues)
        changed = {name: self._replaced(value) for name, value in inside.items()}
        if len(self._queues) == count:
            return held
        made = copy.copy(held)
        vars(made).update(changed)
        return made

    @property
    def pending(self) -> str | None:
        """What is being waited for, None if nothing is."""
        return "; ".join(text for queue in self._queues if (text := queue.pending)) or None

    async def close(self, *, finished: bool) -> None:
        """Stop waiting. After a finished run, its batches are forgotten."""
        for queue in self._queues:
            await queue.close(finished=finished)
