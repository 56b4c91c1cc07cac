"""Batches: questions become batches, nothing is submitted twice, and what a batch loses is asked again."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from halluscope import Store, aevaluate, evaluate
from halluscope._internal.cli import app
from halluscope._internal.core.errors import InputError
from halluscope._internal.judges.chat.prices import Price
from halluscope._internal.judges.chat.response_modes import forget
from halluscope._internal.runs import Run
from halluscope._internal.runs.batches import batch_queue
from halluscope._internal.runs.batches.submitted_batches import Batch, Batches

from ...helpers.batches import Submitted
from ...helpers.loopback import Faults, Features, Loopback
from ...helpers.systems import posix

ROWS: list[dict[str, Any]] = [
    {
        "id": f"case-{i}",
        "output": f"Item {i} was made in {1900 + i}. It weighs {i} grams.",
        "context": [f"Item {i} was made in {1900 + i}.", f"It weighs {i + i % 2} grams."],
    }
    for i in range(12)
]
PROVIDERS = ("openai", "anthropic")
PRICE = Price(input=2.0, output=8.0)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds are submitted soon, and no server is known yet."""
    monkeypatch.setattr(batch_queue, "QUIET", 0.4)
    forget()


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store(tmp_path / "kept.db") as store:
        yield store


def judged_by(provider: str, server: Loopback) -> dict[str, Any]:
    base_url = server.base_url if provider == "openai" else server.url
    return {"judge": f"{provider}/any", "base_url": base_url, "api_key": "key", "price": PRICE}


def run_of(server: Loopback, store: Store, provider: str = "openai", rows: Any = ROWS, **more: Any) -> Run:
    options = {"metrics": "label", "run": "night", "batch": True, **judged_by(provider, server), **more}
    return evaluate(rows, store=store, progress=False, **options)


def told(run: Run, metric: str = "label") -> dict[str, tuple[Any, ...]]:
    return {r.case_id: (r.outcome, r.score, r.reason, tuple(v.word for v in r.verdicts)) for r in run.results(metric)}


def direct(server: Loopback) -> int:
    return sum(not call.batch for call in server.calls)


@pytest.mark.slow("imports OpenAI's SDK")
def test_the_server_speaks_as_openais_sdk_expects(server: Loopback) -> None:
    import openai

    with openai.OpenAI(base_url=server.base_url, api_key="key", max_retries=0) as client:
        body = {"model": "any", "messages": [{"role": "user", "content": "?"}]}
        lines = [{"custom_id": f"q{i}", "method": "POST", "url": "/v1/chat/completions", "body": body} for i in (1, 2)]
        server.answer = lambda asked: {"reason": ["yes"], "verdict": "factual"}
        server.batches.expires = lambda place: place == 1
        content = "\n".join(map(json.dumps, lines)).encode()
        file = client.files.create(file=("x.jsonl", content), purpose="batch")
        for number in range(3):
            made = client.batches.create(
                input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h",
                metadata={"n": str(number)},
            )  # fmt: skip
        assert made.status == "in_progress"
        done = client.batches.retrieve(made.id)
        assert done.status == "expired" and done.request_counts is not None and done.request_counts.completed == 1
        assert done.output_file_id is not None and done.error_file_id is not None
        line = json.loads(client.files.content(done.output_file_id).text)
        assert line["custom_id"] == "q1" and line["response"]["status_code"] == 200
        assert json.loads(client.files.content(done.error_file_id).text)["error"]["code"] == "batch_expired"
        assert [(b.metadata or {})["n"] for b in client.batches.list()] == ["2", "1", "0"]


@pytest.mark.slow("imports Anthropic's SDK")
def test_the_server_speaks_as_anthropics_sdk_expects(server: Loopback) -> None:
    import anthropic

    with anthropic.Anthropic(base_url=server.url, api_key="key", max_retries=0) as client:
        params: Any = {"model": "any", "max_tokens": 9, "messages": [{"role": "user", "content": "?"}]}
        server.answer = lambda asked: "yes"
        server.batches.expires = lambda place: place == 1
        for _ in range(3):
            made = client.messages.batches.create(requests=[{"custom_id": f"q{i}", "params": params} for i in (1, 2)])
        done = client.messages.batches.retrieve(made.id)
        assert done.processing_status == "ended"
        assert (done.request_counts.succeeded, done.request_counts.expired) == (1, 1)
        assert [b.id for b in client.messages.batches.list()] == ["msgbatch_2", "msgbatch_1", "msgbatch_0"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_round_of_questions_is_a_batch_at_half_the_price(server: Loopback, tmp_path: Path, provider: str) -> None:
    server.features = Features(logprobs=0.9)
    with Store(tmp_path / "one.db") as store:
        usual = run_of(server, store, provider, metrics="hallucination", include_reason=False, batch=False)
        expected, cost = told(usual, "hallucination"), usual.summary().usage.cost
    server.forget()
    forget()
    messages: list[str] = []
    with Store(tmp_path / "other.db") as store:
        options = {"metrics": "hallucination", "include_reason": False, "on_message": messages.append}
        run = run_of(server, store, provider, **options)
        assert told(run, "hallucination") == expected
        # The first question is asked directly. Its case is one question ahead of the others.
        assert direct(server) == 1 and [len(b.requests) for b in server.batches.submitted] == [12, 11]
        assert len(messages) == 2 and "12 questions went to" in messages[0] and "24 hours" in messages[0]
        paid = run.summary().usage.cost
        assert cost is not None and paid is not None and 0.5 < paid / cost < 0.54
        assert Batches(store).batches() == [], "a finished run is waiting for nothing"
        assert max(result.latency_ms for result in run.results("hallucination")) < 5_000
        if provider == "openai":
            assert all(v.confidence for r in run.results("hallucination") for v in r.verdicts)


@pytest.mark.slow("waits for batches to be processed")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_fails_in_a_batch_is_asked_directly(server: Loopback, store: Store, provider: str) -> None:
    server.faults = Faults(failed=0.2, throttled=0.2, truncated=0.1, times=1, seed=3)
    run = run_of(server, store, provider)
    assert all(result.outcome == "scored" for result in run.results("label"))
    batch = server.batches.submitted[0]
    failed = sum(status != 200 for status, _ in batch.outcomes.values())
    assert 2 <= failed < len(batch.requests) and direct(server) >= 1 + failed


@pytest.mark.slow("waits for batches to be processed")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_expires_goes_into_the_next_batch_and_then_is_asked_directly(
    server: Loopback, store: Store, provider: str
) -> None:
    server.batches.expires = lambda place: place % 2 == 1
    run = run_of(server, store, provider)
    assert all(result.outcome == "scored" for result in run.results("label"))
    assert [len(batch.requests) for batch in server.batches.submitted] == [11, 5]
    assert direct(server) == 1 + 2
    assert set(server.answered.values()) == {1}


async def left_alone(server: Loopback, store: Store, provider: str) -> None:
    """A run that is left when its batch is submitted."""
    server.batches.held = True
    options: dict[str, Any] = {"metrics": "label", "run": "night", "batch": True, **judged_by(provider, server)}
    task = asyncio.ensure_future(aevaluate(ROWS, store=store, progress=False, **options))
    while not any(batch.remote for batch in Batches(store).batches()):  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.1)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    server.batches.held = False


@pytest.mark.slow("waits for batches to be processed")
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_run_that_was_left_continues_to_wait(server: Loopback, store: Store, provider: str) -> None:
    await left_alone(server, store, provider)
    assert Run("night", store).info.state == "interrupted"
    assert Run("night", store).info.note == "1 batch pending: 0 of 11 answered"
    forget()
    run = await asyncio.to_thread(run_of, server, store, provider)
    assert len(server.batches.submitted) == 1 and direct(server) == 1
    assert len(list(run.results("label"))) == 12 and Batches(store).batches() == []


@pytest.mark.slow("waits for batches to be processed")
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("sent", [True, False])
async def test_a_batch_whose_id_was_never_recorded(server: Loopback, store: Store, provider: str, sent: bool) -> None:
    """The process died between submitting a batch and recording its id, or before it submitted it."""
    await left_alone(server, store, provider)
    store.write("UPDATE batches SET remote = NULL, alive = 0 WHERE key <> ?", ("",))
    if not sent:
        server.batches.submitted.clear()
    # Somebody else's batches, of the same size, before and after it.
    model = {"model": "any", "max_tokens": 1, "messages": []}
    for place in (0, len(server.batches.submitted) + 1):
        name = "msgbatch_x" if provider == "anthropic" else "batch_x"
        foreign = Submitted(f"{name}{place}", {f"other-{i}": model for i in range(11)}, {}, created=int(time.time()))
        foreign.status = "ended" if provider == "anthropic" else "completed"
        server.batches.files[f"{foreign.id}-results"] = json.dumps({"custom_id": "other-1", "result": {}}).encode()
        server.batches.submitted.insert(place, foreign)
    forget()
    run = await asyncio.to_thread(run_of, server, store, provider)
    assert len(list(run.results("label"))) == 12
    ours = [id for id in server.batches.ids() if not id.startswith("other")]
    assert len(ours) == len(set(ours)) == 11


@pytest.mark.slow("waits for batches to be processed")
def test_a_lost_response_submits_nothing_twice(server: Loopback, store: Store) -> None:
    server.batches.lost_responses = 2
    run = run_of(server, store)
    assert len(list(run.results("label"))) == 12
    assert Counter(server.batches.ids()).most_common(1)[0][1] == 1 and len(server.batches.submitted) == 1


def test_a_batch_that_is_too_large_is_divided(server: Loopback, store: Store) -> None:
    server.batches.takes = 4
    run = run_of(server, store)
    assert len(list(run.results("label"))) == 12
    good = [len(batch.requests) for batch in server.batches.submitted if batch.status == "completed"]
    assert sum(good) == 11 and max(good) <= 4


def test_a_server_without_batches_says_so(server: Loopback, store: Store) -> None:
    server.batches.offered = False
    with pytest.raises(InputError, match="refused a batch: it has no batch API, so ask without batches"):
        run_of(server, store)
    assert Run("night", store).info.state == "failed" and Batches(store).batches() == []


@pytest.mark.slow("imports LiteLLM")
@pytest.mark.parametrize("judge", ["local", "litellm/gpt-4o"])
def test_judges_without_batches_are_refused(store: Store, judge: str) -> None:
    options: dict[str, Any] = {"api_key": "key"} if judge != "local" else {}
    with pytest.raises(InputError, match="has no batch API: batches are for"):
        evaluate(ROWS, "label", judge, batch=True, store=store, **options)


@pytest.mark.slow("waits for batches to be processed")
def test_both_judges_of_a_cascade_ask_in_batches(server: Loopback, store: Store) -> None:
    server.features = Features(logprobs=0.6)
    run_of(server, store, judge="cascade(openai/cheap, openai/dear)")
    models = [{body["model"] for body in batch.requests.values()} for batch in server.batches.submitted]
    assert models == [{"cheap"}, {"dear"}]


def test_a_cost_limit_holds_before_the_first_batch_is_answered(server: Loopback, store: Store) -> None:
    run = run_of(server, store, max_cost=0.0025)
    cost = run.summary().usage.cost
    assert run.summary().state == "stopped" and cost is not None and 0 < cost <= 0.0025
    with pytest.raises(InputError, match="pass a file or a list"):
        run_of(server, store, rows=iter(ROWS), max_cost=1.0)


def test_a_dry_run_shows_the_price_with_and_without(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    runner = CliRunner()
    command = ["eval", str(file), "--metric", "label", "--dry-run"]
    found = json.loads(runner.invoke(app, [*command, "--judge", "openai/gpt-4o", "--json"]).stdout)
    assert found["batch_cost"] == pytest.approx(found["usage"]["cost"] / 2) and found["usage"]["cost"] > 0
    shown = runner.invoke(app, [*command, "--judge", "anthropic/claude-sonnet-4-5"]).stdout
    assert "in batches (--batch)" in shown
    assert "batches" not in runner.invoke(app, [*command, "--judge", "local"]).stdout


async def test_what_is_pending_is_listed(server: Loopback, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path / "home"))
    runner = CliRunner()
    assert runner.invoke(app, ["batches"]).stdout == "no batch is pending\n"
    with Store() as kept:
        await left_alone(server, kept, "openai")
    shown = runner.invoke(app, ["batches"]).stdout
    assert shown == "batch_0: 11 questions to openai/any for the run night, 0.0 hours ago\n"
    (listed,) = json.loads(runner.invoke(app, ["batches", "--json"]).stdout)
    assert (listed["remote"], listed["questions"], listed["run"]) == ("batch_0", 11, "night")


def test_two_processes_submit_a_question_once(store: Store) -> None:
    ledger = Batches(store)

    def batch(key: str) -> Batch:
        return Batch(key=key, judge="j", server="s", run="r", created=time.time(), questions=0)

    assert ledger.begin(batch("a"), ["1", "2"]) == {"1", "2"}
    assert ledger.begin(batch("b"), ["2", "3"]) == {"3"}
    assert ledger.being_submitted("a") and [b.questions for b in ledger.batches()] == [2, 1]
    ledger.submitted("a", "remote")
    assert not ledger.being_submitted("a") and ledger.questions("a") == {"1", "2"}
    ledger.remove("a")
    assert ledger.begin(batch("c"), ["2"]) == {"2"}
    store.check()


@posix
@pytest.mark.slow("kills processes and starts them again")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_killed_at_any_moment_nothing_is_submitted_twice(server: Loopback, tmp_path: Path, provider: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    program = "from halluscope._internal.cli import main; main()"
    command = [sys.executable, "-c", program, "eval", str(file), "--metric", "hallucination", "--batch"]
    command += ["--judge", f"{provider}/any", "--run", "night", "--no-reason", "--json"]
    environment = {
        **os.environ,
        "HALLUSCOPE_HOME": str(tmp_path / "home"),
        "OPENAI_BASE_URL": server.base_url,
        "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "key",
    }
    moments: tuple[tuple[bool, int, int], ...] = ((True, 1, 0), (True, 1, 2), (False, 2, 0), (True, 2, 2))
    for held, submitted, polls in moments:
        server.batches.held, server.batches.polls = held, 0
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + 120
        while len(server.batches.submitted) < submitted or server.batches.polls < polls:
            assert process.poll() is None and time.monotonic() < end, process.communicate()
            time.sleep(0.001)
        server.batches.held = True
        process.send_signal(signal.SIGKILL)
        process.communicate()
    server.batches.held = False
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["metrics"]["hallucination"]["scored"] == 12
    counted = Counter(server.batches.ids())
    assert len(counted) == 23 and set(counted.values()) == {1} and direct(server) == 1
