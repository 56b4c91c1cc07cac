"""What becomes of responses, good and bad, and of the connections behind them."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
import threading
import time
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from halluscope._internal.core.errors import (
    InputError,
    JudgeRefused,
    JudgeRejected,
    JudgeThrottled,
    JudgeUnavailable,
    JudgeUnreachable,
    QuestionTooLong,
)
from halluscope._internal.core.result import Outcome
from halluscope._internal.engine.driver import RetryPolicy
from halluscope._internal.judges.chat import http
from halluscope._internal.judges.chat.openai import openai_judge
from tests.helpers.scoring import Scorer

from ...helpers.loopback import Faults, Loopback
from ...helpers.systems import posix
from ...helpers.waiting import wait_until

ROOT = Path(__file__).parents[3]
CASE: dict[str, Any] = {"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (429, "slow down", JudgeThrottled),
        (429, '{"error": {"code": "insufficient_quota"}}', JudgeRejected),
        (500, "oops", JudgeUnavailable),
        (502, "", JudgeUnavailable),
        (529, '{"type": "error", "error": {"type": "overloaded_error"}}', JudgeUnavailable),
        (401, "who are you?", JudgeRejected),
        (404, "no such model", JudgeRejected),
        (301, "", JudgeRejected),
        (400, '{"error": {"code": "context_length_exceeded", "message": "x"}}', QuestionTooLong),
        (400, '{"error": {"message": "prompt is too long: 5 tokens > 4 maximum"}}', QuestionTooLong),
        (500, '{"error": {"type": "exceed_context_size_error", "message": "y"}}', QuestionTooLong),
        (400, '{"error": {"code": "content_filter", "message": "filtered"}}', JudgeRefused),
        (500, '{"error": {"message": "failed to parse grammar"}}', JudgeRejected),
    ],
)
def test_what_a_status_stands_for(status: int, body: str, kind: type[Exception]) -> None:
    error = http.error_of(status, body)
    assert type(error) is kind
    assert error.status == status and error.body == body


def test_an_echo_of_the_judged_text_in_an_error_decides_nothing() -> None:
    echo = '{"detail": [{"loc": ["body", "model"], "msg": "bad", "input": "context length, temperature, seed"}]}'
    assert type(http.error_of(422, echo)) is JudgeRejected
    assert http.words_of_error(echo) == "bad body model"


def test_retry_after_in_seconds_and_as_a_date() -> None:
    assert http.seconds("7") == 7.0
    assert http.seconds("0.25") == 0.25
    assert http.seconds("-3") == 0.0
    assert [http.seconds(given) for given in ("nan", "inf", "-inf", "1e999")] == [None] * 4
    assert http.seconds(None) is http.seconds("") is http.seconds("soon") is None
    assert 900.0 < (http.seconds(formatdate(time.time() + 1000, usegmt=True)) or 0.0) <= 1000.0
    assert 900.0 < (http.seconds(formatdate(time.time() + 1000)) or 0.0) <= 1000.0
    assert http.seconds(formatdate(time.time() - 10, usegmt=True)) == 0.0
    assert http.asked_to_wait({"retry-after-ms": "250", "retry-after": "9"}) == 0.25


@pytest.mark.parametrize("address", ["", "localhost:8000", "ftp://host", "http://", "//host", "host/v1"])
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(InputError, match=r"http\(s\)://host/path"):
        http.address(address)


async def test_responses_that_are_no_object(server: Loopback) -> None:
    server.faults = Faults(not_json=1.0)
    with pytest.raises(JudgeUnavailable, match="not a JSON object"):
        await http.post(f"{server.base_url}/chat/completions", {}, {"messages": []}, 5)


async def test_half_a_surrogate_pair_in_a_response_is_replaced(server: Loopback) -> None:
    server.answer = lambda _: '{"verdict": "factual", "reason": ["cut \ud83d"]}'
    result = await Scorer("label", openai_judge("any", base_url=server.base_url)).ascore(**CASE)
    assert result.reason == "cut \ufffd"
    assert result.to_json()


async def test_a_slow_server_times_out(server: Loopback) -> None:
    server.latency = 600.0
    before = time.monotonic()
    with pytest.raises(JudgeUnavailable, match=r"within 0\.1 s"):
        await http.post(f"{server.base_url}/chat/completions", {}, {"messages": []}, 0.1)
    assert time.monotonic() - before < 60


def test_a_server_that_is_not_there_is_told_soon() -> None:
    with socket.socket() as taken:  # a port that nobody else gets meanwhile, and where nobody listens
        taken.bind(("127.0.0.1", 0))
        judge = openai_judge("any", base_url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        result = Scorer("label", judge, retry_policy=RetryPolicy(first_wait=0.01)).score(**CASE)
    assert result.outcome is Outcome.FAILED and result.failure is not None
    assert result.failure.kind == JudgeUnreachable.kind
    assert "could not reach 127.0.0.1" in result.failure.message


def test_two_runs_of_asyncio_and_synchronous_calls_between_them(server: Loopback) -> None:
    scorer = Scorer("label", openai_judge("any", base_url=server.base_url))
    for _ in range(2):
        assert asyncio.run(scorer.ascore(**CASE)).score == 0.0
        assert scorer.score(**CASE).score == 0.0
    assert len(server.calls) == 4


async def test_a_synchronous_call_inside_a_running_loop(server: Loopback) -> None:
    scorer = Scorer("label", openai_judge("any", base_url=server.base_url))
    assert scorer.score(**CASE).score == 0.0
    assert (await scorer.ascore(**CASE)).score == 0.0


def test_several_threads_with_and_without_loops(server: Loopback) -> None:
    scorer = Scorer("hallucination", openai_judge("any", base_url=server.base_url))
    scores: list[float | None] = []

    def sync() -> None:
        scores.append(scorer.score(**CASE).score)

    def own_loop() -> None:
        scores.append(asyncio.run(scorer.ascore(**CASE)).score)

    threads = [threading.Thread(target=target) for target in [sync, own_loop] * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scores == [0.0] * 8


PROGRAM = """
import asyncio, os, sys, time
from halluscope._internal.engine.driver import RetryPolicy
from halluscope._internal.judges.chat.openai import openai_judge
from tests.helpers.scoring import Scorer
scorer = Scorer("label", openai_judge("any", base_url=sys.argv[1]), retry_policy=RetryPolicy(first_wait=5))
case = dict(output="The mill is in Ulm.", context=["The mill is in Ulm."])
"""
ENDINGS = {
    "synchronous": "scorer.score(**case)",
    "asynchronous": "asyncio.run(scorer.ascore(**case))",
    "both": "scorer.score(**case); asyncio.run(scorer.ascore(**case)); scorer.score(**case)",
    "an exception": "scorer.score(**case)\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    sys.exit(0)",
    "a loop left open": "loop = asyncio.new_event_loop(); loop.run_until_complete(scorer.ascore(**case))",
    "a loop closed without ceremony": """
for _ in range(2):
    loop = asyncio.new_event_loop(); loop.run_until_complete(scorer.ascore(**case)); loop.close()
scorer.score(**case)
del loop
""",
    "a fork": "scorer.score(**case)\npid = os.fork()\nscorer.score(**case)\nif pid: os.waitpid(pid, 0)",
}


@pytest.mark.slow("starts processes")
@pytest.mark.parametrize(
    "ending",
    [pytest.param(code, id=name, marks=[posix] if "fork" in name else []) for name, code in ENDINGS.items()],
)
def test_a_process_ends_without_a_word(server: Loopback, ending: str) -> None:
    # A loop that nobody closes is itself warned of under -W error, whoever used it.
    flags = [] if "new_event_loop" in ending and "close" not in ending else ["-W", "error"]
    if "fork" in ending:
        flags += ["-W", "ignore::DeprecationWarning"]  # newer Pythons say that forking with threads is risky
    done = subprocess.run(
        [sys.executable, *flags, "-c", PROGRAM + ending, server.base_url], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


@pytest.mark.slow("interrupts processes")
@posix
@pytest.mark.parametrize("ending", [ENDINGS["synchronous"], ENDINGS["asynchronous"]])
@pytest.mark.parametrize("waiting", ["for the server", "for the next try"])
def test_an_interrupt_ends_it(server: Loopback, ending: str, waiting: str) -> None:
    if waiting == "for the server":
        server.latency = 600.0
    else:
        server.faults = Faults(failed=1.0)
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", PROGRAM + ending, server.base_url],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_until(lambda: server.calls or server.at_once)
    time.sleep(0.1)  # so that it mostly waits by now; at any other moment it must end just as well
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode in (-signal.SIGINT, 130)
    assert errors.strip().splitlines()[-1] == "KeyboardInterrupt"
    assert "never" not in errors and "Unclosed" not in errors and "destroyed" not in errors


def test_a_wrong_address_is_refused_with_what_to_check(server: Loopback) -> None:
    result = Scorer("label", openai_judge("any", base_url=server.url)).score(**CASE)
    assert result.failure is not None and result.failure.status == 404
    assert "base_url, which ends in /v1 for most servers" in result.failure.message


def test_a_password_in_the_address_is_in_no_result() -> None:
    judge = openai_judge("any", base_url="http://me:hush@127.0.0.1:9/v1")
    result = Scorer("label", judge, retry_policy=RetryPolicy(first_wait=0.001)).score(**CASE)
    assert result.failure is not None and result.failure.kind == "unreachable"
    assert "hush" not in result.to_json()
