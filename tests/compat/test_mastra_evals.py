"""runEvals: a target over data, its outputs scored, failures reported where they happen."""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from contextvars import ContextVar
from typing import Any

import pytest

from halluscope._internal.core.errors import InputError, JudgeError
from halluscope._internal.core.result import Outcome
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.mastra import (
    Agent,
    ScorerResult,
    arun_evals,
    create_faithfulness_scorer,
    create_hallucination_scorer,
    run_evals,
)

from ..helpers.loopback import Faults, Loopback
from ..helpers.waiting import until
from .world import World, verdicts

REQUEST: ContextVar[str] = ContextVar("request", default="nobody's")


def by_words(question: Any) -> Any:
    """Claims are sentences; those with "wrong" in them are hallucinated."""
    if question.kind == "extract":
        return {"claims": [s.strip() for s in question.output.split(".") if s.strip() and "?" not in s]}
    if question.kind == "verify":
        return {"verdicts": [{"id": c.id, "verdict": "yes" if "wrong" in c.text else "no"} for c in question.claims]}
    return "Because."


def scorer(judge: Any = None, **options: Any) -> Any:
    return create_hallucination_scorer(judge or ScriptedJudge(by_words), {"context": ["c"], **options})


def test_batch_evaluation(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.script.update(
        extract=lambda given: {"claims": [given["output"]]},
        verify=verdicts(**{"Known fact 1": ("no", "It is known."), "news": ("yes", "It is not.")}),
        explain={"reason": "Because."},
    )

    async def my_agent(question: str) -> str:
        return "Known fact 1 is about A." if question.endswith("A") else "The news is about B."

    scorer = create_hallucination_scorer(
        model="openai/gpt-4o",
        options={"context": ["Known fact 1", "Known fact 2"]},
    )
    result = run_evals(
        data=[
            {"input": "Tell me about topic A"},
            {"input": "Tell me about topic B"},
        ],
        scorers=[scorer],
        target=my_agent,
        on_item_complete=lambda done: print(
            {
                "score": done.scorer_results[scorer.id].score,
                "reason": done.scorer_results[scorer.id].reason,
            }
        ),
    )
    print(result.scores)
    assert capsys.readouterr().out.splitlines() == [
        "{'score': 0.0, 'reason': 'Because.'}",
        "{'score': 1.0, 'reason': 'Because.'}",
        "{'hallucination-scorer': 0.5}",
    ]


async def test_faithfulness_of_an_agent(world: World) -> None:
    world.script.update(
        extract=lambda given: {"claims": ["The Model 3 has a range of 500 km.", "The Model 3 flies."]},
        verify=verdicts(range=("yes", "It says so."), flies=("unsure", "Nothing is said.")),
        explain={"reason": "One of two."},
    )

    def model(prompt: str) -> list[dict[str, Any]]:
        assert prompt.startswith("Answer.\n\n")
        looked_up = {"toolCallId": "t", "toolName": "specs", "args": {}, "result": "Range: 500 km."}
        said = "The Model 3 has a range of 500 km. It flies."
        return [{"role": "assistant", "content": said, "toolInvocations": [{"state": "result", **looked_up}]}]

    my_agent = Agent(name="my-agent", model=model, instructions="Answer.")
    scorer = create_faithfulness_scorer(
        model="openai/gpt-4o",
    )
    seen: list[tuple[float | None, str | None]] = []
    result = await arun_evals(
        data=[
            {
                "input": "Tell me about the Tesla Model 3.",
            },
            {
                "input": "What are the key features of this electric vehicle?",
            },
        ],
        scorers=[scorer],
        target=my_agent,
        on_item_complete=lambda scorer_results: seen.append(
            (scorer_results[scorer.id].score, scorer_results[scorer.id].reason)
        ),
    )
    assert result.scores == {"faithfulness-scorer": 0.5}
    assert seen == [(0.5, "One of two.")] * 2
    verify = next(material for kind, material in world.asked if kind == "verify")
    assert [p["text"] for p in verify["context"]] == ["Range: 500 km."]


def test_items_come_back_in_order_with_what_was_said() -> None:
    def target(text: str) -> str:
        time.sleep(0.02 if text == "0" else 0)
        return f"answer {text}"

    result = run_evals(
        data=[{"input": str(i), "tag": i} for i in range(5)], scorers=[scorer()], target=target, concurrency=5
    )
    assert [item.item["tag"] for item in result.items] == [0, 1, 2, 3, 4]
    assert [item.target_result for item in result.items] == [f"answer {i}" for i in range(5)]
    assert result.summary.total_items == 5


class Watched:
    """A target that counts how many calls are in work, and goes on when there are as many as there may be."""

    def __init__(self, expected: int) -> None:
        self.now = self.most = 0
        self.expected = expected
        self._lock = threading.Lock()
        self._all_here = threading.Barrier(expected)

    def _change(self, by: int) -> None:
        with self._lock:
            self.now += by
            self.most = max(self.most, self.now)

    def blocking(self, text: str) -> str:
        self._change(1)
        self._all_here.wait(60)
        time.sleep(0.001)
        self._change(-1)
        return text

    async def asynchronous(self, text: str) -> str:
        self._change(1)
        await until(lambda: self.most >= self.expected)
        await asyncio.sleep(0.01)
        self._change(-1)
        return text


@pytest.mark.parametrize("form", ["blocking", "asynchronous"])
@pytest.mark.parametrize("concurrency", [1, 3, 12])
def test_concurrency_is_kept_and_used(form: str, concurrency: int) -> None:
    watched = Watched(concurrency)
    data = [{"input": f"text {i}"} for i in range(24)]
    run_evals(data=data, scorers=[scorer()], target=getattr(watched, form), concurrency=concurrency)
    assert watched.most == concurrency


def test_scoring_counts_as_work_too(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.latency = 0.03
    server.until = lambda asked: server.most_at_once >= 4
    run_evals(
        data=[{"input": f"Statement {i} is made."} for i in range(12)],
        scorers=[create_hallucination_scorer("openai/m", {"context": ["c"]})],
        target=lambda text: text,
        concurrency=4,
    )
    assert server.most_at_once == 4


def test_the_mean_is_over_scored_items_and_the_others_are_counted() -> None:
    def target(text: str) -> str:
        if text == "fails":
            raise RuntimeError("no answer today")
        return text

    seen: list[ScorerResult] = []
    result = run_evals(
        data=[{"input": text} for text in ("wrong. right", "fails", "", "right", "a question?")],
        scorers=[scorer()],
        target=target,
        on_item_complete=lambda done: seen.append(done["scorer_results"]["hallucination-scorer"]),
    )
    assert result.scores == {"hallucination-scorer": pytest.approx(0.5 / 3)}
    assert result.summary.scored == {"hallucination-scorer": 3}
    assert result.summary.without_score == {"hallucination-scorer": 2}
    assert (result.summary.total_items, result.summary.failed_targets) == (5, 1)
    failed = result.items[1].scorer_results["hallucination-scorer"]
    assert failed.score is None
    assert "no answer today" in (failed.reason or "")
    assert failed.failure is not None
    assert failed.failure.kind == "target"
    assert result.items[4].scorer_results["hallucination-scorer"].outcome is Outcome.NO_CLAIMS
    assert [r.score for r in seen] == [0.5, None, 0.0, 0.0, None]


class Broken:
    id = "broken"

    async def arun(self, *, output: Any, input: Any = None, run_id: str | None = None) -> ScorerResult:
        raise LookupError("not my day")


def test_a_scorer_that_fails_fails_alone() -> None:
    down = create_faithfulness_scorer(ScriptedJudge({"extract": JudgeError("down")}), context=["c"])
    result = run_evals(data=[{"input": "right"}] * 3, scorers=[scorer(), Broken(), down], target=lambda text: text)
    assert result.scores == {"hallucination-scorer": 0.0, "broken": None, "faithfulness-scorer": None}
    assert result.summary.without_score == {"hallucination-scorer": 0, "broken": 3, "faithfulness-scorer": 3}
    assert result.summary.failed_targets == 0
    assert "LookupError: not my day" in (result.items[0].scorer_results["broken"].reason or "")


def test_faults_on_the_wire_lose_no_item(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setattr("halluscope._internal.engine.retrying.RetryPolicy.wait", lambda *_: 0.001)
    server.faults = Faults(throttled=0.2, invalid=0.1, reset=0.05)
    result = run_evals(
        data=[{"input": f"Statement number {i} is made."} for i in range(60)],
        scorers=[create_hallucination_scorer("openai/m", {"context": ["Statement number 1 is made."]})],
        target=lambda text: text,
        concurrency=20,
    )
    assert result.summary.scored == {"hallucination-scorer": 60}
    assert result.scores["hallucination-scorer"] == pytest.approx(59 / 60)


def test_an_error_in_the_callback_is_raised_when_all_is_done() -> None:
    told: list[int] = []

    def complain(done: Any) -> None:
        told.append(done.item["input"])
        assert done.item["input"] != 1, "one is wrong"

    with pytest.raises(AssertionError, match="one is wrong"):
        run_evals(
            data=[{"input": i} for i in range(4)],
            scorers=[scorer()],
            target=lambda n: "right",
            on_item_complete=complain,
        )
    assert told == [0, 1, 2, 3]


def _by_name(*, scorer_results: dict[str, ScorerResult], **_: Any) -> float | None:
    return scorer_results["hallucination-scorer"].score


def _all_three(item: Any, target_result: Any, scorer_results: dict[str, ScorerResult]) -> float | None:
    assert (item, target_result) == ({"input": "wrong"}, "wrong")
    return scorer_results["hallucination-scorer"].score


@pytest.mark.parametrize(
    "callback",
    [
        lambda done: done.scorer_results["hallucination-scorer"].score,
        lambda item: item.scorer_results["hallucination-scorer"].score,
        lambda scorer_results: scorer_results["hallucination-scorer"].score,
        _by_name,
        _all_three,
    ],
)
def test_callbacks_of_every_form(callback: Any) -> None:
    heard: list[float | None] = []

    @functools.wraps(callback)
    def hears(*args: Any, **named: Any) -> None:
        heard.append(callback(*args, **named))

    run_evals(data=[{"input": "wrong"}], scorers=[scorer()], target=str, on_item_complete=hears)
    assert heard == [1.0]


async def test_callbacks_come_one_at_a_time() -> None:
    inside = 0
    most = 0

    async def slow(done: Any) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0.001)
        inside -= 1

    await arun_evals(
        data=[{"input": str(i)} for i in range(20)],
        scorers=[scorer()],
        target=lambda text: text,
        concurrency=10,
        on_item_complete=slow,
    )
    assert most == 1


async def test_giving_up_stops_the_targets_that_have_not_begun() -> None:
    begun: list[int] = []

    async def target(n: int) -> str:
        begun.append(n)
        await asyncio.sleep(600)
        return ""

    run = asyncio.ensure_future(
        arun_evals(data=[{"input": i} for i in range(10)], scorers=[scorer()], target=target, concurrency=2)
    )
    await until(lambda: len(begun) >= 2)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    await asyncio.sleep(0.01)
    assert begun == [0, 1]


async def test_giving_up_does_not_wait_for_a_target_that_blocks() -> None:
    begun, let_go = threading.Event(), threading.Event()

    def target(n: int) -> str:
        begun.set()
        let_go.wait(120)
        return ""

    run = asyncio.ensure_future(
        arun_evals(data=[{"input": i} for i in range(4)], scorers=[scorer()], target=target, concurrency=2)
    )
    await until(begun.is_set)
    started = time.perf_counter()
    run.cancel()
    try:
        with pytest.raises(asyncio.CancelledError):
            await run
        assert time.perf_counter() - started < 60
    finally:
        let_go.set()


async def test_targets_in_threads_see_the_callers_context() -> None:
    token = REQUEST.set("mine")
    try:
        result = await arun_evals(data=[{"input": "a"}], scorers=[scorer()], target=lambda _: REQUEST.get())
    finally:
        REQUEST.reset(token)
    assert result.items[0].target_result == "mine"


def test_what_an_item_carries_reaches_the_hook() -> None:
    seen: list[Any] = []

    def hook(*, run: Any, **_: Any) -> list[str]:
        seen.append((run.input, run.request_context, run.tracing_context))
        return ["c"]

    run_evals(
        data=[{"input": "right", "request_context": {"user": 7}}, {"input": "wrong"}],
        scorers=[scorer(get_context=hook, include_reason=False)],
        target=str,
    )
    assert seen == [("right", {"user": 7}, None), ("wrong", None, None)]


class Sync:
    """An agent of another library."""

    def generate(self, messages: str) -> dict[str, Any]:
        return {"text": f"{messages} is right"}


def test_any_object_with_generate_is_a_target() -> None:
    result = run_evals(data=[{"input": "it"}], scorers=[scorer()], target=Sync())
    assert result.scores == {"hallucination-scorer": 0.0}
    told = result.items[0].scorer_results["hallucination-scorer"]
    assert told.preprocess_step_result == {"claims": ["it is right"]}


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"data": []}, "no data"),
        ({"data": [{"input": "a"}, {"question": "b"}]}, "item 1"),
        ({"data": ["a text"]}, "item 0"),
        ({"scorers": []}, "no scorers"),
        ({"target": 7}, "no target"),
        ({"target": None}, "no target"),
        ({"concurrency": 0}, "concurrency"),
        ({"concurrency": 1.5}, "concurrency"),
        ({"concurrency": True}, "concurrency"),
    ],
)
def test_wrong_arguments_are_said_before_anything_runs(changed: dict[str, Any], problem: str) -> None:
    calls: list[str] = []
    given: dict[str, Any] = {"data": [{"input": "a"}], "scorers": [scorer()], "target": calls.append, **changed}
    with pytest.raises(InputError, match=problem):
        run_evals(**given)
    assert calls == []


def test_two_scorers_need_two_ids() -> None:
    with pytest.raises(InputError, match="hallucination-scorer"):
        run_evals(data=[{"input": "a"}], scorers=[scorer(), scorer()], target=str)
    result = run_evals(data=[{"input": "right"}], scorers=[scorer(), scorer(id="second")], target=str)
    assert result.scores == {"hallucination-scorer": 0.0, "second": 0.0}


def test_a_missing_key_is_found_before_the_target_is_paid() -> None:
    calls: list[str] = []
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        run_evals(data=[{"input": "a"}], scorers=[create_hallucination_scorer("openai/gpt-4o")], target=calls.append)
    assert calls == []
