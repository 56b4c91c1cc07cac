"""The driver: deadlines, retries, cancellation, and questions asked twice at once."""

from __future__ import annotations

import asyncio
import time
import types
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import pytest
from msgspec import structs

from halluscope._internal.core.case import Case
from halluscope._internal.core.errors import (
    InputError,
    JudgeError,
    JudgeRejected,
    JudgeThrottled,
    JudgeUnavailable,
    PromptError,
)
from halluscope._internal.core.result import Outcome
from halluscope._internal.core.verdict import Claim
from halluscope._internal.engine.driver import Driver
from halluscope._internal.engine.judge import Answer, Call
from halluscope._internal.engine.metrics import Contradiction, Faithfulness, Hallucination, Label
from halluscope._internal.engine.questions import Question
from halluscope._internal.engine.retrying import RetryPolicy
from halluscope._internal.judges.chat.openai import openai_judge
from halluscope._internal.judges.scripted import ScriptedJudge

from ..helpers.loopback import Faults, Features, Loopback
from ..helpers.oracle import oracle
from ..helpers.waiting import until

T = TypeVar("T")

CASE = Case.of("The mill is in Ulm.", ["The mill is in Ulm."])
FACTUAL = {"verdict": "factual", "reason": ["It is there."]}
QUICK = RetryPolicy(first_wait=0.001, longest_wait=0.01)


class Kept:
    """A cache in memory."""

    def __init__(self) -> None:
        self.entries: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.entries.get(key)

    def put(self, key: str, entry: bytes) -> None:
        self.entries[key] = entry


class OneAtATime:
    """A throttle for one call."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.left: list[str | None] = []

    async def enter(self) -> None:
        await self.lock.acquire()

    def leave(self, error: JudgeError | None) -> None:
        self.left.append(error.kind if error else None)
        self.lock.release()


class Doing:
    """A judge that does whatever it is told to."""

    name = "doing"
    window = None
    asks = False

    def __init__(self, act: Callable[[Question[Any], Call], Any]) -> None:
        self.act = act
        self.calls = 0

    def fingerprint(self) -> str:
        return "doing"

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        self.calls += 1
        made = self.act(question, call)
        if asyncio.iscoroutine(made):
            made = await made
        reply = msgspec.json.encode(made).decode()
        return Answer(judge=self.name, reply=reply)


@pytest.mark.parametrize("error", [KeyError("x"), RuntimeError("boom"), StopIteration("odd"), ZeroDivisionError()])
async def test_whatever_a_judge_raises_is_a_result(error: Exception) -> None:
    def act(question: Question[Any], call: Call) -> Any:
        raise error

    result = await Driver(Doing(act)).score(Label(), CASE)
    assert result.outcome is Outcome.FAILED and result.failure is not None
    assert "doing raised" in result.failure.message
    assert result.exchanges[0].error == result.failure.message


async def test_what_the_caller_did_wrong_is_raised_and_stops_the_rest() -> None:
    begun: list[int] = []
    stopped: list[int] = []

    async def act(question: Question[Any], call: Call) -> Any:
        place = question.passages[0].index  # type: ignore[attr-defined]
        if place == 0:
            await until(lambda: begun)
            raise InputError("no such thing")
        begun.append(place)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stopped.append(place)
            raise

    context = [f"Mill {n} is in Ulm." for n in range(60)]
    with pytest.raises(InputError):
        await Driver(Doing(act)).score(Contradiction(), Case.of("The mill is in Ulm.", context))
    assert stopped == begun, "the other questions were stopped"


async def test_a_prompt_with_an_unknown_slot_is_an_input_error(server: Loopback) -> None:
    metric = Label(prompts={"label": "{{output}} {{context}} {{nonsense}}"})
    with pytest.raises(PromptError, match="nonsense"):
        await Driver(openai_judge("any", base_url=server.base_url)).score(metric, CASE)


async def test_one_of_several_questions_fails_and_the_others_count() -> None:
    def act(question: Question[Any], call: Call) -> Any:
        if question.kind == "extract":
            return {"claims": [f"Mill {n} is in Ulm." for n in range(40)]}
        if any(claim.id == "c1" for claim in question.claims):  # type: ignore[attr-defined]
            raise JudgeRejected("not this one", status=400)
        return {"verdicts": [{"id": claim.id, "verdict": "yes"} for claim in question.claims]}  # type: ignore[attr-defined]

    output = " ".join(f"Mill {n} is in Ulm." for n in range(40))
    result = await Driver(Doing(act)).score(Faithfulness(), Case.of(output, ["Mills are in Ulm."]))
    assert result.outcome is Outcome.INCOMPLETE and result.score is None
    assert 20 <= len(result.verdicts) < 40, "nothing missing counts as supported"
    assert result.failure is not None and result.failure.status == 400


async def test_waits_double_with_jitter_and_have_a_top() -> None:
    retry_policy = RetryPolicy(first_wait=1.0, longest_wait=8.0)
    for attempt, top in enumerate((1.0, 2.0, 4.0, 8.0, 8.0)):
        waits = {retry_policy.wait(attempt, None) for _ in range(50)}
        assert len(waits) > 40 and top / 2 <= min(waits) and max(waits) <= top
    assert all(3.0 <= retry_policy.wait(0, 3.0) <= 3.1 for _ in range(50)), "what the server asks for is honoured"


@pytest.mark.slow("waits until time limits are over")
@pytest.mark.parametrize("retry_after", ["0.3", "date:1.5"])
@pytest.mark.parametrize("fault", ["throttled", "busy"])
async def test_retry_after_is_honoured(server: Loopback, retry_after: str, fault: str) -> None:
    server.faults = Faults(**{fault: 1.0}, retry_after=retry_after, times=1)  # type: ignore[arg-type]
    driver = Driver(openai_judge("any", base_url=server.base_url), retry_policy=QUICK)
    assert (await driver.score(Label(), CASE)).score == 0.0
    first, second = (call.at for call in server.calls)
    # A date has whole seconds: it may be up to one second nearer than it was meant.
    assert second - first >= (0.3 if retry_after == "0.3" else 0.4)


async def test_a_retry_after_beyond_the_deadline_is_not_waited_for(server: Loopback) -> None:
    server.faults = Faults(throttled=1.0, retry_after="3600")
    driver = Driver(openai_judge("any", base_url=server.base_url), retry_policy=RetryPolicy(deadline=300))
    before = time.monotonic()
    result = await driver.score(Label(), CASE)
    assert time.monotonic() - before < 60
    assert result.failure is not None and (result.failure.kind, result.failure.status) == ("throttled", 429)
    assert "asks to wait 3600 s, longer than the 300 s" in result.failure.message
    assert result.failure.retry_after == 3600
    assert len(server.calls) == 1


async def test_retries_are_counted_and_not_multiplied(server: Loopback) -> None:
    server.faults = Faults(failed=1.0)
    retry_policy = RetryPolicy(retries=4, first_wait=0.001)
    await Driver(openai_judge("any", base_url=server.base_url), retry_policy=retry_policy).score(Label(), CASE)
    assert len(server.calls) == 5


async def test_repairs_are_counted(server: Loopback) -> None:
    server.faults = Faults(invalid=1.0)
    driver = Driver(openai_judge("any", base_url=server.base_url), retry_policy=RetryPolicy(repairs=2))
    result = await driver.score(Label(), CASE)
    assert result.failure is not None and result.failure.kind == "reply"
    assert len(server.calls) == 3
    assert [exchange.error is not None for exchange in result.exchanges] == [True] * 3
    assert result.usage.calls == 3, "a reply that cannot be used was paid for"
    said = [call.asked.user.count("An earlier reply") for call in server.calls]
    assert said == [0, 1, 1], "the remark is about the last reply only"
    drawn = [(call.asked.body["temperature"], call.asked.body["seed"]) for call in server.calls]
    assert drawn == [(0.0, 0), (0.0, 0), (0.7, 1000)], "what was said twice is not asked a third time in the same way"


async def test_an_unusable_reply_costs_two_more_calls_unless_told_otherwise(server: Loopback) -> None:
    server.faults = Faults(invalid=1.0)
    await Driver(openai_judge("any", base_url=server.base_url)).score(Hallucination(), CASE)
    assert server.kinds() == ["extract"] * 3


async def test_a_judge_that_never_gives_a_usable_reply_is_not_asked_twice_for_ever(server: Loopback) -> None:
    server.faults = Faults(invalid=1.0)
    driver = Driver(openai_judge("any", base_url=server.base_url))
    for _ in range(5):
        await driver.score(Label(), CASE)
    assert len(server.calls) == 15
    await driver.score(Label(), CASE)
    assert len(server.calls) == 16
    server.faults = Faults()
    assert (await driver.score(Label(), CASE)).outcome is Outcome.SCORED, "it may come to its senses"
    server.faults = Faults(invalid=1.0)
    await driver.score(Label(), CASE)
    assert len(server.calls) == 17 + 3, "and has then a name to lose"


@pytest.mark.slow("waits until time limits are over")
@pytest.mark.parametrize("fault", [Faults(failed=1.0), Faults(throttled=1.0), Faults(invalid=1.0), Faults()])
async def test_the_deadline_is_never_exceeded(server: Loopback, fault: Faults) -> None:
    server.faults = fault
    server.latency = 0.2 if fault != Faults() else 600.0
    retry_policy = RetryPolicy(deadline=1.4, timeout=1.2, retries=1000, repairs=1000, first_wait=0.05)
    before = time.monotonic()
    result = await Driver(openai_judge("any", base_url=server.base_url), retry_policy=retry_policy).score(Label(), CASE)
    assert time.monotonic() - before < 20, "a thousand tries take minutes"
    assert result.failure is not None
    if fault.failed:
        assert (result.failure.kind, result.failure.status) == ("unavailable", 500)
        return
    assert result.failure.kind == "deadline"
    assert "1.4 s" in result.failure.message


async def test_a_server_that_fails_all_the_time_is_reported_within_the_time_of_a_call(server: Loopback) -> None:
    server.faults = Faults(failed=1.0)
    driver = Driver(openai_judge("any", base_url=server.base_url), retry_policy=RetryPolicy(timeout=1.0, deadline=3600))
    before = time.monotonic()
    result = await driver.score(Label(), CASE)
    assert time.monotonic() - before < 60, "a dozen retries take two and a half minutes"
    assert result.failure is not None
    assert (result.failure.kind, result.failure.status) == ("unavailable", 500)
    assert len(server.calls) > 1, "it is tried again while there is time"


async def test_a_judge_that_ignores_its_timeout_is_left() -> None:
    async def act(question: Question[Any], call: Call) -> Any:
        await asyncio.sleep(600)

    before = time.monotonic()
    result = await Driver(Doing(act), retry_policy=RetryPolicy(deadline=0.2)).score(Label(), CASE)
    assert time.monotonic() - before < 60
    assert result.failure is not None and result.failure.kind == "deadline"


async def test_a_judge_that_is_late_is_asked_no_more_questions_of_the_case() -> None:
    asked: list[str] = []
    claims = [f"The mill {n} is in Ulm." for n in range(2000)]

    async def act(question: Question[Any], call: Call) -> Any:
        asked.append(question.kind)
        if question.kind == "extract":
            return tuple(Claim(f"c{n}", text) for n, text in enumerate(claims, start=1))
        await asyncio.sleep(600)

    case = Case.of(" ".join(claims), ["The mill is in Ulm."])
    result = await Driver(Doing(act), retry_policy=RetryPolicy(deadline=0.5)).score(Hallucination(), case)
    assert result.failure is not None and result.failure.message == "no answer within 0.5 s"
    assert asked.count("verify") <= 16, "as many as are asked at once"


async def test_what_the_server_said_is_told_though_the_last_try_found_no_time() -> None:
    tries = 0

    async def act(question: Question[Any], call: Call) -> Any:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise JudgeUnavailable("the judge's server failed", status=500)
        await asyncio.sleep(600)

    result = await Driver(Doing(act), retry_policy=RetryPolicy(deadline=0.3, first_wait=0.001)).score(Label(), CASE)
    assert tries == 2
    assert result.failure is not None and (result.failure.kind, result.failure.status) == ("deadline", 500)
    assert "the judge's server failed" in result.failure.message


async def test_the_clock_runs_from_the_first_call_not_from_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call takes fifty seconds by the clock that counts, which is ours."""
    throttle = OneAtATime()
    now = 0.0
    clock = types.SimpleNamespace(monotonic=lambda: now, perf_counter=lambda: now)
    monkeypatch.setattr("halluscope._internal.engine.retrying.time", clock)

    async def act(question: Question[Any], call: Call) -> Any:
        nonlocal now
        await asyncio.sleep(0.001)
        now += 50
        return FACTUAL

    driver = Driver(Doing(act), throttle=throttle, retry_policy=RetryPolicy(deadline=60))
    results = await asyncio.gather(*(driver.score(Label(), CASE) for _ in range(8)))
    assert {result.outcome for result in results} == {Outcome.SCORED}
    assert throttle.left == [None] * 8
    assert now == 400


class OnlyOne(OneAtATime):
    """A throttle that lets one call through, and no other."""

    def leave(self, error: JudgeError | None) -> None:
        self.left.append(error.kind if error else None)


async def test_the_deadline_at_the_throttle() -> None:
    throttle = OnlyOne()
    judge = ScriptedJudge({"label": (JudgeUnavailable("gone"), FACTUAL)})
    driver = Driver(judge, throttle=throttle, retry_policy=RetryPolicy(deadline=0.3, first_wait=0.001))
    result = await asyncio.wait_for(driver.score(Label(), CASE), 60)
    assert result.failure is not None and result.failure.kind == "deadline"
    assert len(judge.asked) == 1, "no call is made once the time is over"
    assert throttle.left == ["unavailable"]


class Held:
    """A judge's act that waits until it is let go."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.let_go = asyncio.Event()

    async def __call__(self, question: Question[Any], call: Call) -> dict[str, Any]:
        self.begun.set()
        await self.let_go.wait()
        return FACTUAL


async def test_a_cancelled_case_gives_its_place_back() -> None:
    throttle, held = OneAtATime(), Held()
    driver = Driver(Doing(held), throttle=throttle)
    tasks = [asyncio.ensure_future(driver.score(Label(), CASE)) for _ in range(4)]
    await held.begun.wait()
    tasks[0].cancel()
    tasks[2].cancel()
    held.let_go.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [isinstance(result, asyncio.CancelledError) for result in results] == [True, False, True, False]
    await asyncio.wait_for(throttle.enter(), 60)


async def test_the_same_question_at_once_is_asked_once(server: Loopback) -> None:
    server.latency = 0.05
    driver = Driver(openai_judge("any", base_url=server.base_url), cache=Kept())
    results = await asyncio.gather(*(driver.score(Hallucination(), CASE) for _ in range(10)))
    assert {result.score for result in results} == {0.0}
    assert len(server.calls) == 3
    assert sum(result.usage.calls for result in results) == 3


async def test_who_waits_may_be_cancelled_and_so_may_who_asks() -> None:
    for cancelled in (0, 1, 2):
        held = Held()
        judge = Doing(held)
        driver = Driver(judge, cache=Kept())
        tasks = [asyncio.ensure_future(driver.score(Label(), CASE)) for _ in range(4)]
        await held.begun.wait()
        tasks[cancelled].cancel()
        held.let_go.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        scores = [r if isinstance(r, BaseException) else r.score for r in results]
        assert isinstance(scores.pop(cancelled), asyncio.CancelledError)
        assert scores == [0.0] * 3
        assert judge.calls == (2 if cancelled == 0 else 1)


async def test_a_failure_is_shared_by_all_who_wait_for_it() -> None:
    async def act(question: Question[Any], call: Call) -> Any:
        await asyncio.sleep(0.02)
        raise JudgeRejected("no", status=403)

    judge = Doing(act)
    driver = Driver(judge, cache=Kept())
    results = await asyncio.gather(*(driver.score(Label(), CASE) for _ in range(5)))
    assert {result.outcome for result in results} == {Outcome.FAILED}
    assert judge.calls == 1
    judge.act = lambda question, call: FACTUAL
    assert (await driver.score(Label(), CASE)).score == 0.0, "a failure is not kept"


def test_one_driver_in_several_loops(server: Loopback) -> None:
    server.latency = 0.02
    driver = Driver(openai_judge("any", base_url=server.base_url), cache=Kept())

    async def several() -> None:
        results = await asyncio.gather(*(driver.score(Label(), CASE) for _ in range(3)))
        assert {result.score for result in results} == {0.0}

    for _ in range(3):
        asyncio.run(several())
    assert len(server.calls) == 1


@pytest.mark.parametrize("entry", [b"", b"\xc1", msgspec.msgpack.encode({"judge": 3}), msgspec.msgpack.encode([1])])
async def test_a_kept_answer_that_cannot_be_read_is_asked_for_again(server: Loopback, entry: bytes) -> None:
    kept = Kept()
    driver = Driver(openai_judge("any", base_url=server.base_url), cache=kept)
    await driver.score(Label(), CASE)
    kept.entries = dict.fromkeys(kept.entries, entry)
    result = await driver.score(Label(), CASE)
    assert result.score == 0.0 and not result.exchanges[0].cached
    assert (await driver.score(Label(), CASE)).exchanges[0].cached


@pytest.mark.parametrize("schema", [True, False])
async def test_a_kept_reply_shows_the_prompt_that_was_sent(server: Loopback, schema: bool) -> None:
    server.features = Features(schema=schema)
    driver = Driver(openai_judge("any", base_url=server.base_url), cache=Kept())
    first = (await driver.score(Label(), CASE)).exchanges[-1]
    again = (await driver.score(Label(), CASE)).exchanges[-1]
    assert (first.cached, again.cached) == (False, True)
    assert again.prompt == first.prompt
    assert first.prompt is not None and ("begins with a code" in first.prompt) is not schema


async def test_a_judge_with_a_prompt_of_its_own_shows_that_from_the_cache_too() -> None:
    class Own(Doing):
        async def answer(self, question: Question[T], call: Call) -> Answer[T]:
            return structs.replace(await super().answer(question, call), prompt="Well?")

    driver = Driver(Own(lambda question, call: FACTUAL), cache=Kept())
    for cached in (False, True):
        (exchange,) = (await driver.score(Label(), CASE)).exchanges
        assert (exchange.cached, exchange.prompt) == (cached, "Well?")


async def test_what_is_said_of_parts_is_said_again_from_the_cache(server: Loopback) -> None:
    server.answer = lambda asked: "{" if len(asked.material.get("output", "")) > 800 else oracle(asked)
    server.faults = Faults(truncated=1.0, times=1)
    driver = Driver(openai_judge("any", base_url=server.base_url), cache=Kept(), retry_policy=QUICK)
    case = Case.of(" ".join(f"Mill {n} is in Ulm." for n in range(60)), ["Mills are in Ulm."])
    metric = Hallucination(include_reason=False)
    first, second = await driver.score(metric, case), await driver.score(metric, case)
    assert first.outcome is second.outcome is Outcome.SCORED
    said = [note for note in first.notes if "cut off" in note]
    assert said and said == [note for note in second.notes if "cut off" in note]
    assert second.usage.calls == 0 and second.usage.cost == 0.0


async def test_no_more_calls_at_once_for_one_case_than_a_server_bears(server: Loopback) -> None:
    server.latency = 0.1
    server.until = lambda asked: asked.kind != "verify" or server.most_at_once >= 16
    output = " ".join(f"Mill number {n} is in Ulm." for n in range(400))
    driver = Driver(openai_judge("any", base_url=server.base_url))
    result = await driver.score(Hallucination(include_reason=False), Case.of(output, ["Mill number 1 is in Ulm."]))
    assert len(result.verdicts) == 400
    assert server.most_at_once == 16


async def test_a_throttled_gate_is_told() -> None:
    throttle = OneAtATime()
    judge = ScriptedJudge({"label": (JudgeThrottled("slow", retry_after=0.0), FACTUAL)})
    assert (await Driver(judge, throttle=throttle, retry_policy=QUICK).score(Label(), CASE)).score == 0.0
    assert throttle.left == ["throttled", None]


async def test_a_claim_that_fills_the_window_does_not_cut_the_context_to_letters(server: Loopback) -> None:
    server.answer = lambda asked: {"claims": [asked.material["output"]]} if asked.kind == "extract" else oracle(asked)
    judge = openai_judge("any", base_url=server.base_url, window=1000)
    case = Case.of(f"The mill {'very ' * 280}old is in Ulm.", [f"The mill is in Ulm. {'It is old. ' * 200}"])
    result = await Driver(judge).score(Hallucination(include_reason=False), case)
    assert result.outcome is Outcome.SCORED
    assert len(server.calls) < 20
