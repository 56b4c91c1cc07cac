"""Functions that the user passes in: whatever they raise, the background loop goes on, and their caller gets it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import halluscope
from halluscope._internal.core.plumbing import sync, user_functions
from halluscope._internal.core.plumbing.user_functions import outcome_of

PASSAGE = "The old mill near Ulm was built in 1890 and has three large wheels."
PAIR = ("The mill is in Ulm.", ["The mill is in Ulm."])


class Odd(BaseException):
    """As the ones that test runners and other frameworks raise."""


RAISED = [SystemExit, KeyboardInterrupt, GeneratorExit, Odd, ValueError]


def still_works() -> bool:
    """Whether another call is answered; one that hangs is left behind."""
    scores: list[float | None] = []
    thread = threading.Thread(target=lambda: scores.append(halluscope.check(*PAIR).score), daemon=True)
    thread.start()
    thread.join(30)
    return scores == [0.0]


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, Odd])
def test_a_judge_may_raise_anything_and_its_caller_gets_it(kind: type[BaseException], asynchronous: bool) -> None:
    def judge(prompt: str) -> str:
        raise kind("no key")

    async def ajudge(prompt: str) -> str:
        raise kind("no key")

    chosen = ajudge if asynchronous else judge
    with pytest.raises(kind, match="no key"):
        halluscope.check(*PAIR, metric="label", judge=chosen)
    with pytest.raises(kind, match="no key"):
        halluscope.evaluate([{"output": PAIR[0], "context": PAIR[1]}] * 3, ["label"], chosen, progress=False)
    with pytest.raises(kind, match="no key"):
        halluscope.stress([PASSAGE], chosen, metric="label")
    assert still_works()


def test_a_judge_that_raises_the_cancellation_of_its_own_work_fails_and_hangs_nothing() -> None:
    def judge(prompt: str) -> str:
        raise asyncio.CancelledError("inner")

    result = halluscope.check(*PAIR, metric="label", judge=judge)
    assert result.failure is not None and "CancelledError: inner" in result.failure.message

    async def ajudge(prompt: str) -> str:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        halluscope.stress([PASSAGE], ajudge, metric="label")
    assert still_works()


@pytest.mark.parametrize("kind", RAISED)
def test_what_a_users_function_raises_is_a_value(kind: type[BaseException]) -> None:
    def plain() -> None:
        raise kind

    async def asynchronous() -> None:
        await asyncio.sleep(0)
        raise kind

    for function in (plain, asynchronous):
        result, error = sync.run(outcome_of(user_functions.call(function)))
        assert result is None and isinstance(error, kind)
    assert sync.run(outcome_of(user_functions.call(lambda: 3))) == (3, None)


def test_a_cancelled_wait_cancels_the_work() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("work")

    async def waits() -> None:
        task = asyncio.ensure_future(outcome_of(work()))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    sync.run(waits())
    assert ended == ["work"]

    async def cancels_itself() -> None:
        raise asyncio.CancelledError

    _, error = sync.run(outcome_of(cancels_itself()))
    assert isinstance(error, asyncio.CancelledError)


def test_a_progress_function_may_call_halluscope_and_hears_every_step() -> None:
    steps: list[tuple[int, int]] = []

    def progress(done: int, known: int) -> None:
        assert halluscope.check(*PAIR).score == 0.0
        steps.append((done, known))

    halluscope.stress([PASSAGE], limit=1, progress=progress)
    assert [done for done, _ in steps] == list(range(1, len(steps) + 1)) and len(steps) > 1

    def stops(done: int, known: int) -> None:
        raise SystemExit("enough")

    with pytest.raises(SystemExit, match="enough"):
        halluscope.stress([PASSAGE], limit=1, progress=stops)
    assert still_works()


def test_a_function_that_takes_warnings_may_call_halluscope(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    data.write_text('{"output": "a", "context": ["a"]}\nno JSON\n', encoding="utf-8")
    told: list[str] = []

    def takes(message: str) -> None:
        assert halluscope.check(*PAIR).score == 0.0
        told.append(message)

    halluscope.evaluate(data, on_message=takes, progress=False)
    assert len(told) == 1 and "line 2" in told[0]


def test_a_function_for_an_input_may_call_halluscope() -> None:
    from halluscope.compat.phoenix import HallucinationEvaluator

    def judged(data: Any) -> str:
        return f"The score is {halluscope.check(*PAIR).score}."

    read: list[str] = []

    def judge(prompt: str) -> str:
        read.append(prompt)
        return '{"verdict": "factual", "reason": []}'

    mapping: dict[str, str | Callable[..., Any]] = {"output": judged}
    evaluator = HallucinationEvaluator(judge)
    assert evaluator.evaluate({"input": "?", "context": "The mill."}, mapping)
    assert "The score is 0.0." in read[0]
