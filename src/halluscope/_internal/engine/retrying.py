"""Putting one question to one judge until an answer comes: turns, retries, and the time there is for it."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol, TypeVar

from msgspec import Struct, structs

from ..case import clean
from ..errors import (
    DeadlineExceeded,
    HalluscopeError,
    InputError,
    JudgeError,
    JudgeThrottled,
    JudgeUnavailable,
    JudgeUnreachable,
)
from ..judge import Answer, Call, Judge
from ..plumbing.loggers import logger
from ..plumbing.public import public
from ..plumbing.time_limit import time_limit
from ..questions import Question
from ..redaction import redacted

T = TypeVar("T")

_log = logger("judge")

_UNREACHABLE_RETRIES = 2
"""For a server that was never reached: its address is likely wrong, or it is not running."""


@public
class Patience(Struct, frozen=True):
    """How long and how often a question is tried.

    `deadline` bounds everything done for one question once its first call is made: every try,
    repair and part of it, waiting included. `timeout` bounds one call, and together with its
    retries a call that the server answers with a failure: one that says HTTP 500 all the time is
    reported by then. `repairs` is how often an unusable reply is asked for again; a judge that never
    gave a usable one is soon no longer asked twice. `retries` is how often a failed call is made again.
    """

    deadline: float = 300.0
    timeout: float = 120.0
    retries: int = 12
    repairs: int = 2
    first_wait: float = 0.5
    longest_wait: float = 30.0

    @classmethod
    def of_environment(cls) -> Patience:
        """What the variables say, from HALLUSCOPE_TIMEOUT to HALLUSCOPE_REPAIRS, and the defaults for the rest."""
        given: dict[str, float] = {}
        for name in ("timeout", "deadline", "retries", "repairs"):
            text = os.environ.get(f"HALLUSCOPE_{name.upper()}")
            if not text:
                continue
            try:
                given[name] = int(text) if name in ("retries", "repairs") else float(text)
            except ValueError:
                given[name] = -1
            if not 0 <= given[name] < float("inf") or (given[name] == 0 and name in ("timeout", "deadline")):
                raise InputError(f"HALLUSCOPE_{name.upper()} is {text!r}: set it to a number.")
        return cls(**given)  # type: ignore[arg-type]

    def wait(self, attempt: int, asked_for: float | None) -> float:
        """Seconds before the next try: what the server asked for, else doubling, with jitter."""
        backoff = min(self.longest_wait, self.first_wait * 2.0**attempt) * random.uniform(0.5, 1.0)
        return backoff if asked_for is None else asked_for + backoff * 0.1


class Throttle(Protocol):
    """Lets a bounded number of calls through, fewer when the judge throttles."""

    async def enter(self) -> None: ...

    def leave(self, error: JudgeError | None) -> None: ...


class Clock:
    """The time there is for one question and all its parts. It runs from the first call: queueing for that is free."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end: float | None = None

    def start(self) -> None:
        if self._end is None:
            self._end = time.monotonic() + self.seconds

    @property
    def started(self) -> bool:
        return self._end is not None

    @property
    def left(self) -> float:
        return self.seconds if self._end is None else self._end - time.monotonic()

    def asked_for_more(self, last: JudgeError, seconds: float | None) -> JudgeError:
        """The error to raise when the next try would come too late: because the server wants it so, where it does."""
        if seconds is None or seconds < self.left:
            return self.ran_out(last)
        return JudgeThrottled(
            f"{last} and wants to be asked again in {seconds:.0f} s, which is longer than the {self.seconds:g} s "
            "that a question may take",
            status=last.status,
            body=last.body,
            retry_after=seconds,
        )

    def ran_out(self, last: JudgeError | None = None) -> DeadlineExceeded:
        """The error to raise when there is no time left."""
        why = f"; the last error was: {last}" if last else ""
        return DeadlineExceeded(
            f"no answer within {self.seconds:g} s{why}",
            status=last.status if last else None,
            body=last.body if last else None,
        )


class Asking(Struct, frozen=True):
    """The circumstances of a question: as which sample it is asked, by when, and whose turns its calls take."""

    sample: int
    clock: Clock
    turns: asyncio.Semaphore


class Caller:
    """Makes calls with patience, and through a throttle where there is one.

    `apart`: the throttles of judges that have one of their own, by the judge's name.
    """

    def __init__(
        self, patience: Patience, throttle: Throttle | None, apart: Mapping[str, Throttle] | None = None
    ) -> None:
        self.patience = patience
        self.throttle = throttle
        self._apart = apart or {}

    async def answer(
        self, judge: Judge, question: Question[T], remark: str | None, repair: int, asking: Asking
    ) -> Answer[T]:
        """One call that came through; failed ones are made again until patience ends."""
        attempt = 0
        began = time.monotonic()
        said: JudgeError | None = None
        while True:
            tried = time.monotonic()
            try:
                answer = await self._turn(judge, question, remark, repair, asking)
                return answer if answer.reply is None else structs.replace(answer, reply=redacted(clean(answer.reply)))
            except DeadlineExceeded as error:
                if said is None or error.status is not None:
                    raise
                # A last try that found no time tells nothing: what the server said before does.
                raise asking.clock.ran_out(said) from error
            except JudgeUnavailable as error:
                asked_for = error.retry_after if isinstance(error, JudgeThrottled) else None
                wait = self.patience.wait(attempt, asked_for)
                attempt += 1
                if attempt > self.patience.retries:
                    raise
                if isinstance(error, JudgeUnreachable) and attempt > _UNREACHABLE_RETRIES:
                    raise
                if _says_it_fails(error):
                    # Another try that fails like the last one has to fit as well.
                    now = time.monotonic()
                    if now - began + wait + (now - tried) > self.patience.timeout:
                        raise
                if error.status is not None:
                    said = error
                if wait >= asking.clock.left:
                    raise asking.clock.asked_for_more(said or error, asked_for) from error
                _log.warning("%s: %s; asked again in %.1f s", judge.name, redacted(str(error)), wait)
            await asyncio.sleep(wait)

    async def _turn(
        self, judge: Judge, question: Question[T], remark: str | None, repair: int, asking: Asking
    ) -> Answer[T]:
        """One call, when it is its turn, and for no longer than there is time."""
        clock, throttle = asking.clock, self._apart.get(judge.name, self.throttle)
        async with asking.turns:
            await _enter(throttle, clock)
            clock.start()
            trouble: JudgeError | None = None
            try:
                left = clock.left
                if left <= 0:
                    raise clock.ran_out()
                call = Call(remark, min(left, self.patience.timeout), sample=asking.sample, repair=repair)
                with errors_of(judge):
                    async with time_limit(left):
                        return await judge.answer(question, call)
            except JudgeUnavailable as error:
                if clock.left <= 0:
                    raise clock.ran_out(error) from error
                trouble = error
                raise
            finally:
                if throttle is not None:
                    throttle.leave(trouble)


async def _enter(throttle: Throttle | None, clock: Clock) -> None:
    if throttle is None:
        return
    if not clock.started:
        await throttle.enter()
        return
    try:
        async with time_limit(max(0.0, clock.left)):
            await throttle.enter()
    except asyncio.TimeoutError:
        raise clock.ran_out() from None


def _says_it_fails(error: JudgeError) -> bool:
    """Whether a server answered with a failure of its own, rather than not at all or "later"."""
    return error.status is not None and not isinstance(error, JudgeThrottled)


@contextmanager
def errors_of(judge: Judge) -> Iterator[None]:
    """Whatever a judge raises is a `JudgeError`, but for what the caller did wrong."""
    try:
        yield
    except HalluscopeError:
        raise
    except (asyncio.TimeoutError, TimeoutError, ConnectionError) as error:
        raise JudgeUnavailable(f"the judge {judge.name} did not answer: {error or type(error).__name__}") from error
    except Exception as error:
        raise JudgeError(f"the judge {judge.name} raised {type(error).__name__}: {error}") from error
