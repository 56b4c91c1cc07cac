"""Retry calls to a judge until it answers or time runs out."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol, TypeVar

from msgspec import Struct, structs

from ..core.case import clean
from ..core.errors import (
    DeadlineExceeded,
    HalluscopeError,
    InputError,
    JudgeError,
    JudgeThrottled,
    JudgeUnavailable,
    JudgeUnreachable,
)
from ..core.plumbing.loggers import logger
from ..core.plumbing.public import public
from ..core.plumbing.time_limit import time_limit
from ..core.redaction import as_cause, redacted
from .judge import Answer, Call, Judge
from .questions import Question
from .trail import Trail

T = TypeVar("T")

_log = logger("judge")

_UNREACHABLE_RETRIES = 2
"""Retries for a server that was never reached: its address is probably wrong, or it is not running."""


@public
class RetryPolicy(Struct, frozen=True):
    """Time limits, retries and repairs of a question.

    Attributes:
        deadline: Seconds for one question from its first call, including all retries, repairs, parts and waits.
        timeout: Seconds for one call. Retries of a call that the server answers with an error, such as HTTP 500, also
            end after this time.
        retries: Most retries of a failed call.
        repairs: Most repeated requests after an unusable reply. A judge that never gave a usable reply is soon not
            asked for repairs.
        first_wait: Seconds before the first retry. The wait doubles with each retry, with jitter.
        longest_wait: Longest wait between retries, in seconds, unless the server asks for more.

    Example:
        >>> policy = RetryPolicy(timeout=30, retries=3)
        >>> check("It closed in 1969.", ["It closed in 1921."], judge="local", retry_policy=policy).passed
        False
    """

    deadline: float = 300.0
    timeout: float = 120.0
    retries: int = 12
    repairs: int = 2
    first_wait: float = 0.5
    longest_wait: float = 30.0

    @classmethod
    def of_environment(cls) -> RetryPolicy:
        """A policy from the variables HALLUSCOPE_TIMEOUT, _DEADLINE, _RETRIES and _REPAIRS."""
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
                raise InputError(f"HALLUSCOPE_{name.upper()} is {text!r}: set it to a positive number.")
        return cls(**given)  # type: ignore[arg-type]

    def wait(self, attempt: int, asked_for: float | None) -> float:
        """Seconds before the next try: what the server asked for, or else doubling, with jitter."""
        backoff = min(self.longest_wait, self.first_wait * 2.0**attempt) * random.uniform(0.5, 1.0)
        return backoff if asked_for is None else asked_for + backoff * 0.1


class Throttle(Protocol):
    """Limits concurrent calls. The limit falls when the judge's server throttles."""

    async def enter(self) -> None: ...

    def leave(self, error: JudgeError | None) -> None: ...


class Clock:
    """The deadline of a question and its parts, counted from the first call."""

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
        """The error if the next try would be too late. It says so if the server asked for the wait."""
        if seconds is None or seconds < self.left:
            return self.ran_out(last)
        return JudgeThrottled(
            f"{last} and asks to wait {seconds:.0f} s, longer than the {self.seconds:g} s that a question may take",
            status=last.status,
            body=last.body,
            retry_after=seconds,
        )

    def ran_out(self, last: JudgeError | None = None) -> DeadlineExceeded:
        why = f"; the last error was: {last}" if last else ""
        return DeadlineExceeded(
            f"no answer within {self.seconds:g} s{why}",
            status=last.status if last else None,
            body=last.body if last else None,
        )


class Asking(Struct, frozen=True):
    """The circumstances of a question: its sample number, its deadline, and the result it is for."""

    sample: int
    clock: Clock
    trail: Trail


class Caller:
    """Makes calls with retries, through a throttle if there is one. `apart` are throttles for single judges."""

    def __init__(
        self, retry_policy: RetryPolicy, throttle: Throttle | None, apart: Mapping[str, Throttle] | None = None
    ) -> None:
        self.retry_policy = retry_policy
        self.throttle = throttle
        self._apart = apart or {}

    async def answer(
        self, judge: Judge, question: Question[T], remark: str | None, repair: int, asking: Asking
    ) -> Answer[T]:
        """Make a call, and retry it while the retry policy allows."""
        attempt = 0
        began: float | None = None
        reported: JudgeError | None = None
        while True:
            tried = time.monotonic()
            try:
                answer = await self._turn(judge, question, remark, repair, asking)
                return answer if answer.reply is None else structs.replace(answer, reply=redacted(clean(answer.reply)))
            except DeadlineExceeded as error:
                asking.trail.late.add(judge.name)
                if reported is None or error.status is not None:
                    raise
                # The last try ran out of time: the error that the server reported before says more.
                raise asking.clock.ran_out(reported) from error
            except JudgeUnavailable as error:
                asked_for = error.retry_after if isinstance(error, JudgeThrottled) else None
                wait = self.retry_policy.wait(attempt, asked_for)
                attempt += 1
                if attempt > self.retry_policy.retries:
                    raise
                if isinstance(error, JudgeUnreachable) and attempt > _UNREACHABLE_RETRIES:
                    raise
                if error.status is not None and not isinstance(error, JudgeThrottled):
                    # Another try that takes as long as the last one must fit in as well.
                    now = time.monotonic()
                    began = tried if began is None else began
                    if now - began + wait + (now - tried) > self.retry_policy.timeout:
                        raise
                if error.status is not None:
                    reported = error
                if wait >= asking.clock.left:
                    raise asking.clock.asked_for_more(reported or error, asked_for) from error
                _log.warning("%s: %s; next try in %.1f s", judge.name, error, wait)
            with asking.trail.spent.span():
                await asyncio.sleep(wait)

    async def _turn(
        self, judge: Judge, question: Question[T], remark: str | None, repair: int, asking: Asking
    ) -> Answer[T]:
        """Wait for a turn and make one call within the time that is left."""
        clock, throttle = asking.clock, self._apart.get(judge.name, self.throttle)
        async with asking.trail.turns:
            if judge.name in asking.trail.late and not clock.started:
                raise clock.ran_out()
            if throttle is not None:
                try:
                    async with time_limit(max(0.0, clock.left) if clock.started else None):
                        await throttle.enter()
                except asyncio.TimeoutError:
                    raise clock.ran_out() from None
            clock.start()
            trouble: JudgeError | None = None
            try:
                left = clock.left
                if left <= 0:
                    raise clock.ran_out()
                with asking.trail.spent.span() as restart, errors_of(judge):
                    call = Call(
                        remark,
                        min(left, self.retry_policy.timeout),
                        sample=asking.sample,
                        repair=repair,
                        begun=restart,
                    )
                    async with time_limit(left):
                        return await judge.answer(question, call)
            except JudgeUnavailable as error:
                if clock.left <= 0:
                    told = None if isinstance(error.__cause__, asyncio.TimeoutError) else error
                    raise clock.ran_out(told) from error
                trouble = error
                raise
            finally:
                if throttle is not None:
                    throttle.leave(trouble)


@contextmanager
def errors_of(judge: Judge) -> Iterator[None]:
    """Turn the errors of a judge into a `JudgeError`. Errors of this package are raised as they are."""
    try:
        yield
    except HalluscopeError:
        raise
    except (asyncio.TimeoutError, TimeoutError, ConnectionError) as error:
        raise JudgeUnavailable(
            f"the judge {judge.name} did not answer: {str(error) or type(error).__name__}"
        ) from as_cause(error)
    except Exception as error:
        raise JudgeError(f"the judge {judge.name} raised {type(error).__name__}: {error}") from as_cause(error)
