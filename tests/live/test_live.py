"""Live scoring: whatever answers is scored, nothing waits for it or breaks by it, and every answer is counted."""

from __future__ import annotations

import asyncio
import inspect
import logging
import random
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import halluscope
from halluscope import Case, JudgeError, Result, RetryPolicy, Run
from halluscope.judges import ScriptedJudge
from halluscope.live import Live, LiveAnswer, retrieved, retriever

from .answering import FACT, Scored, content

FAST = RetryPolicy(retries=0, repairs=0)


def test_a_function_is_watched(scored: Scored) -> None:
    @scored.live.watch
    def answer(question: str, documents: list[str], *, style: str = "plain") -> str:
        """Answers."""
        return FACT

    assert answer("How high?", [FACT]) == FACT
    assert (answer.__name__, answer.__doc__) == ("answer", "Answers.")
    case = scored.only()
    assert (case.input, case.output, case.context) == ("How high?", FACT, (FACT,))
    assert [result.score for result in Run("live", scored.store)] == [0.0]


async def test_an_asynchronous_function_and_what_it_retrieves(scored: Scored) -> None:
    @retriever
    async def search(query: str) -> list[dict[str, str]]:
        return [{"text": FACT}]

    @retriever
    def look_up(query: str) -> str:
        return "It is in Paris."

    @scored.live.watch(input="asked", metadata={"user": 7})
    async def answer(asked: str) -> str:
        await asyncio.gather(search(asked), search(asked))
        look_up(asked)
        retrieved(None)
        return FACT

    assert inspect.iscoroutinefunction(answer)
    assert await answer("How high?") == FACT
    await scored.live.aflush()
    case = scored.only()
    assert case.context == (FACT, FACT, "It is in Paris.") and case.metadata["user"] == 7


def test_a_generator_stays_one(scored: Scored) -> None:
    closed = []

    @scored.live.watch
    def answer(question: str, context: str) -> Generator[str, str, int]:
        try:
            heard = yield "The tower "
            yield heard or "is 300 metres high."
        except KeyError:
            yield "caught"
        finally:
            closed.append(question)
        return 5

    assert inspect.isgeneratorfunction(answer)
    assert "".join(answer("all of it", FACT)) == FACT
    spoken = answer("spoken to", FACT)
    assert (next(spoken), spoken.send("said")) == ("The tower ", "said")
    with pytest.raises(StopIteration) as end:
        next(spoken)
    assert end.value.value == 5
    thrown = answer("thrown at", FACT)
    next(thrown)
    assert thrown.throw(KeyError()) == "caught"
    thrown.close()
    left = answer("left", FACT)
    next(left)
    left.close()
    assert closed == ["all of it", "spoken to", "thrown at", "left"]
    outputs = {case.input: case.output for case in scored.cases()}
    assert outputs == {
        "all of it": FACT,
        "spoken to": "The tower said",
        "thrown at": "The tower caught",
        "left": "The tower ",
    }


async def test_an_asynchronous_generator_stays_one(scored: Scored) -> None:
    closed = []

    @scored.live.watch
    async def answer(question: str, context: str) -> AsyncGenerator[str, None]:
        try:
            retrieved("Found on the way.")
            yield "The tower "
            await asyncio.sleep(0)
            yield "is 300 metres high."
        finally:
            closed.append(question)

    assert inspect.isasyncgenfunction(answer)
    assert "".join([piece async for piece in answer("all", FACT)]) == FACT
    left = answer("left", FACT)
    await left.__anext__()
    await left.aclose()
    assert closed == ["all", "left"]
    await scored.live.aflush()
    assert {case.input: (case.output, case.context) for case in scored.cases()} == {
        "all": (FACT, (FACT, "Found on the way.")),
        "left": ("The tower ", (FACT, "Found on the way.")),
    }


def test_a_stream_that_is_returned_is_read_along(scored: Scored) -> None:
    class Stream:
        closed = False

        def __init__(self) -> None:
            self._pieces = iter(FACT.split(" "))

        def __iter__(self) -> Stream:
            return self

        def __next__(self) -> dict[str, Any]:
            return {"choices": [{"delta": {"content": next(self._pieces) + " "}}]}

    @scored.live.watch
    def answer(question: str) -> Any:
        return Stream()

    stream = answer("How high?")
    assert isinstance(stream, Stream) and not stream.closed
    assert len(list(stream)) == 6
    assert scored.only().output.strip() == FACT


async def test_a_block_is_an_answer(scored: Scored) -> None:
    with scored.live.answer("How high?", [FACT], trace_id="t-1") as answer:
        answer.said("The tower ")
        answer.said("is 300 metres high.")
        answer.add_context("More.")
    async with scored.live.answer("How wide?") as answer:
        await asyncio.sleep(0)
        retrieved([FACT])
        answer.output = "Very."
    with scored.live.answer("Nothing?"):
        pass
    with pytest.raises(ValueError), scored.live.answer("Broken?") as answer:
        answer.output = "half"
        raise ValueError
    scored.live.record(FACT, FACT, "Recorded?")
    await scored.live.aflush()
    found = [(case.input, case.output, case.context) for case in scored.cases()]
    assert sorted(found) == [
        ("How high?", FACT, (FACT, "More.")),
        ("How wide?", "Very.", (FACT,)),
        ("Recorded?", FACT, (FACT,)),
    ]
    assert scored.live.counts.seen == 3


def test_messages_are_read_as_they_were_when_the_answer_came(scored: Scored) -> None:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "How high?"},
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "look", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": FACT},
    ]
    retrieved("Found before.")
    scored.live.record(FACT, input=messages)
    messages += [{"role": "assistant", "content": FACT}, {"role": "user", "content": "And how wide?"}]
    case = scored.only()
    assert (case.input, case.context) == ("How high?", ("Found before.", FACT))


@pytest.mark.parametrize("asynchronous", [False, True])
def test_the_context_may_be_the_applications_own_business(tmp_path: Path, asynchronous: bool) -> None:
    def given(answer: LiveAnswer) -> list[str]:
        return [f"about {answer.input}", f"for {answer.metadata['user']}"]

    async def agiven(answer: LiveAnswer) -> list[str]:
        await asyncio.sleep(0)
        return given(answer)

    scored = Scored(tmp_path, get_context=agiven if asynchronous else given)
    scored.live.record(FACT, context="not this", input="towers", metadata={"user": "me"})
    assert scored.only().context == ("about towers", "for me")


def test_all_metrics_pick_the_same_traces(tmp_path: Path) -> None:
    metrics = ["hallucination", "label"]
    judge = ScriptedJudge(lambda q: {"verdict": "factual", "reason": []} if q.kind == "label" else content(q))
    scored = Scored(tmp_path, judge, metrics=metrics, rate={"hallucination": 0.5, "label": 0.1})
    for number in range(200):
        scored.live.record(FACT, f"{number}", trace_id=f"trace {number}")
    scored.cases()
    picked = {name: {case.id for result, case in scored if result.metric == name} for name in metrics}
    assert picked["label"] < picked["hallucination"]
    assert 70 < len(picked["hallucination"]) < 130 and 5 < len(picked["label"]) < 40
    assert scored.live.counts.sampled == len(picked["hallucination"]) and scored.live.counts.seen == 200
    again = Live(judge=ScriptedJudge(content), store=scored.store, rate=0.5, run="another")
    for number in range(200):
        again.record(FACT, f"{number}", trace_id=f"trace {number}")
    assert again.flush(30)
    assert {entry.case.id for entry in Run("another", scored.store).entries()} == picked["hallucination"]


def test_a_filter_leaves_out_what_is_of_no_interest(tmp_path: Path) -> None:
    scored = Scored(tmp_path, filter=lambda case: "tower" in case.output)
    for output in (FACT, "Hello!", "The tower is old."):
        scored.live.record(output, FACT)
    assert sorted(case.output for case in scored.cases()) == [FACT, "The tower is old."]
    counts = scored.live.counts
    assert (counts.seen, counts.filtered, counts.sampled, counts.stored) == (3, 1, 2, 2)


def moody(seed: int) -> ScriptedJudge:
    source = random.Random(seed)

    def reply(question: Any) -> Any:
        drawn = source.random()
        if drawn < 0.1:
            return JudgeError("no answer today")
        if drawn < 0.2:
            raise RuntimeError("a fault in the judge")
        return "no JSON" if drawn < 0.25 else content(question)

    return ScriptedJudge(reply)


def test_every_answer_is_accounted_for(tmp_path: Path) -> None:
    scored = Scored(tmp_path, moody(3), queue=60, retry_policy=FAST)
    source = random.Random(4)

    @scored.live.watch
    def answer(question: int, context: str) -> str:
        time.sleep(source.random() / 2000)
        return f"Answer {question} is right."

    def ask(first: int) -> None:
        for number in range(first, first + 150):
            assert answer(number, FACT) == f"Answer {number} is right."

    threads = [threading.Thread(target=ask, args=(first,)) for first in range(0, 600, 150)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scored.live.flush(60)
    counts = scored.live.counts
    assert counts.seen == counts.sampled == 600
    assert counts.stored + counts.dropped + counts.failed == counts.sampled and counts.waiting == 0
    assert counts.stored and counts.failed
    entries = list(Run("live", scored.store).entries())
    assert len(entries) == counts.stored + counts.failed == len(scored)
    failed = [e for e in entries if e.results[0].outcome in (halluscope.Outcome.FAILED, halluscope.Outcome.INCOMPLETE)]
    assert len(failed) == counts.failed
    scored.store.check()


@pytest.mark.slow("waits for a full queue")
def test_what_does_not_fit_the_queue_is_dropped_and_counted(tmp_path: Path) -> None:
    scored = Scored(tmp_path, ScriptedJudge(content, latency=0.2), queue=5, concurrency=1)
    for number in range(50):
        scored.live.record(FACT, str(number))
    assert scored.live.counts.dropped >= 40
    assert scored.live.flush(30)
    counts = scored.live.counts
    assert counts.stored == len(scored) == 50 - counts.dropped


def test_the_application_hears_of_no_trouble(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def broken(*args: Any) -> Any:
        raise OSError("broken")

    store = halluscope.Store(tmp_path / "live.db")
    for trouble in ({"filter": broken}, {"get_context": broken}, {"on_result": broken}):
        live = Live(judge=ScriptedJudge(content), store=store, **trouble)  # type: ignore[arg-type]
        caplog.clear()
        for _ in range(3):
            live.record(FACT, FACT)
        assert live.flush(30)
        counts = live.counts
        assert counts.stored + counts.failed == 3 and counts.failed == (0 if "on_result" in trouble else 3)
        assert len([r for r in caplog.records if r.levelno >= logging.WARNING]) == 1
    live = Live(judge=ScriptedJudge(content), store=store)

    @live.watch(input=broken, output=broken)
    def answer(question: str) -> str:
        return FACT

    assert answer("How high?") == FACT
    live.record(object(), FACT)
    assert live.flush(30)
    assert live.counts.failed == 1


class Odd(BaseException):
    """As the ones that test runners and other frameworks raise."""


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, asyncio.CancelledError, GeneratorExit, Odd])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_functions_of_the_application_may_raise_anything(
    tmp_path: Path, kind: type[BaseException], asynchronous: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: Any) -> Any:
        raise kind("enough")

    async def abroken(*args: Any) -> Any:
        raise kind("enough")

    function: Any = abroken if asynchronous else broken
    store = halluscope.Store(tmp_path / "live.db")
    cases: tuple[tuple[dict[str, Any], int], ...] = (
        ({"filter": function}, 3),
        ({"get_context": function}, 3),
        ({"on_result": function}, 0),
        ({"metrics": "label", "judge": function}, 3),
    )
    for number, (trouble, failed) in enumerate(cases):
        live = Live(**{"judge": ScriptedJudge(content), "store": store, "run": f"run {number}", **trouble})
        for _ in range(3):
            live.record(FACT, FACT)
        assert live.flush(30), trouble
        counts = live.counts
        assert (counts.seen, counts.stored, counts.failed, counts.waiting) == (3, 3 - failed, failed, 0), trouble
        assert "judge" in trouble or any(kind.__name__ in record.getMessage() for record in caplog.records)
        caplog.clear()
    assert halluscope.check(FACT, [FACT]).score == 0.0


def test_a_stream_may_end_inside_any_line_of_live(tmp_path: Path) -> None:
    """The garbage collector ends a stream that stands in a reference cycle in any thread, at any line."""
    ended = 0

    def at_each_line(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal ended
        if "halluscope/_internal/live/" not in frame.f_code.co_filename.replace("\\", "/") and (
            "plumbing/sync" not in frame.f_code.co_filename.replace("\\", "/")
        ):
            return None
        if event == "line":
            sys.settrace(None)
            stream = answer("How high?")
            next(stream)
            stream.close()
            ended += 1
            sys.settrace(at_each_line)
        return at_each_line

    def work() -> None:
        sys.settrace(at_each_line)
        try:
            scored.live.record(FACT, FACT)
            assert scored.live.counts.seen
        finally:
            sys.settrace(None)

    scored = Scored(tmp_path, queue=10_000)

    @scored.live.watch
    def answer(question: str) -> Generator[str, None, None]:
        yield "The tower "
        yield "is 300 metres high."

    for _ in range(2):  # with a worker that has to be started, and with one at work
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(30)
        assert not thread.is_alive(), "the thread waits for itself"
    assert scored.live.flush(60) and ended > 20
    counts = scored.live.counts
    assert (counts.seen, counts.stored, counts.waiting) == (ended + 2, ended + 2, 0)


def test_a_store_that_fails_loses_scores_and_nothing_else(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    scored = Scored(tmp_path)
    scored.live.record(FACT, "first")
    assert scored.live.flush(30)
    scored.store.close()
    scored.live.record(FACT, "second")
    assert scored.live.flush(30)
    counts = scored.live.counts
    assert (counts.stored, counts.failed, counts.waiting) == (1, 1, 0)
    assert "could not be stored" in caplog.text


def test_a_run_of_another_judge_is_left_alone(tmp_path: Path) -> None:
    store = halluscope.Store(tmp_path / "live.db")
    for name in ("one", "one", "another"):
        live = Live(judge=ScriptedJudge(content, name=name), store=store, run="shop")
        live.record(FACT, f"from {name}")
        assert live.flush(30)
    assert {run.name: run.cases for run in halluscope.all_runs(store)} == {"shop": 2, "shop-2": 1}
    assert Run("shop", store).state == "finished"


def test_only_so_much_is_spent_in_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Paid(ScriptedJudge):
        async def answer(self, question: Any, call: Any) -> Any:
            answer = await super().answer(question, call)
            return halluscope.judges.Answer(
                judge=answer.judge, reply=answer.reply, usage=halluscope.Usage(1, 10, 10, 0.01)
            )

    store = halluscope.Store(tmp_path / "live.db")

    def spend(budget: float, answers: int) -> Any:
        live = Live(judge=Paid(content), store=store, daily_budget=budget, concurrency=1, run="paid")
        for number in range(answers):
            live.record(f"{FACT} {time.perf_counter()}", f"{number}")
        assert live.flush(30)
        return live.counts

    first = spend(0.1, 10)  # three calls each
    assert first.stored == 3 and first.over_budget == first.dropped == 7
    after_a_restart = spend(0.1, 5)
    assert after_a_restart.stored <= 1 and after_a_restart.over_budget >= 4
    assert Run("paid", store).usage.cost == pytest.approx(0.09, abs=0.035)
    monkeypatch.setattr("halluscope._internal.live.daily_budget._today", lambda: "2999-01-01")
    assert spend(0.1, 4).stored == 3
    store.check()


def test_a_budget_that_cannot_be_kept_is_not_broken(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Unpriced(ScriptedJudge):
        async def answer(self, question: Any, call: Any) -> Any:
            answer = await super().answer(question, call)
            return halluscope.judges.Answer(
                judge=answer.judge, reply=answer.reply, usage=halluscope.Usage(1, 10, 10, None)
            )

    scored = Scored(tmp_path, Unpriced(content), daily_budget=1.0, concurrency=1)
    for number in range(5):
        scored.live.record(FACT, str(number))
    scored.cases()
    assert scored.live.counts.over_budget >= 3
    assert "the price of scripted is not known" in caplog.text


def test_the_embedded_judge_scores_as_check_does(tmp_path: Path) -> None:
    scored = Scored(tmp_path, "local", metrics=["hallucination", "faithfulness"])
    scored.live.record("The tower is 900 metres high.", FACT, "How high?", trace_id="wrong")
    scored.cases()
    whole = halluscope.check("The tower is 900 metres high.", FACT, "How high?")
    (result, case), (other, _) = scored
    assert (result.score, result.verdicts, result.case_id) == (whole.score, whole.verdicts, "wrong")
    assert other.metric == "faithfulness" and case.context == (FACT,)


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: Live("nonsense"), "no metric 'nonsense'"),
        (lambda: Live(judge="nobody/x"), "no judge 'nobody/x'"),
        (lambda: Live(rate=2), "from 0 to 1"),
        (lambda: Live(rate={"label": 0.5}), "'label'"),
        (lambda: Live(queue=0), "`queue` must be 1 or more"),
        (lambda: Live(daily_budget=-1), "more than 0 dollars"),
        (lambda: Live(run="a/b"), "cannot name a run"),
        (lambda: Live(context_from=["dreams"]), "'dreams'"),
        (lambda: Live(exit_wait=-1), "`exit_wait`"),
        (lambda: Live().watch(input="nowhere")(lambda question: ""), "has no parameter 'nowhere'"),
        (lambda: Live().openai(object()), "is not a client of the package openai"),
    ],
)
def test_invalid_settings_are_reported_at_once(call: Callable[[], object], said: str) -> None:
    with pytest.raises(halluscope.InputError) as caught:
        call()
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_answers_that_repeat_keep_their_own_place(scored: Scored) -> None:
    for number in range(3):
        scored.live.record(FACT, FACT, trace_id=f"t{number}")
    scored.cases()
    entries = list(Run("live", scored.store).entries())
    assert sorted(entry.case.id for entry in entries) == ["t0", "t1", "t2"]
    assert all(isinstance(entry.results[0], Result) for entry in entries)
    assert isinstance(entries[0].case, Case)
