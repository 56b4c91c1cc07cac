"""Conversations, repairs and probabilities with a real small model over HTTP.

It judges badly. What is tested is that its replies are read, asked for again or refused, and that all that we promise
about the form of the results is kept, whatever it says.

make test-llm
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

import halluscope
from halluscope import Case, Hallucination, Outcome, RetryPolicy, Support
from halluscope._internal.core.plumbing import sync
from halluscope._internal.engine.driver import Driver
from halluscope._internal.repair.repairing import repaired
from halluscope.judges import ChatJudge, openai_judge, resolve

from .test_llm import LIMIT

T = TypeVar("T")
Told = Callable[[str, Callable[[], T]], T]

PATIENT = RetryPolicy(deadline=600, timeout=300, repairs=1)
WRONG = "Einstein won the Nobel Prize in 1969. He was born in Ulm."
CONTEXT = ["Einstein won the Nobel Prize in 1921.", "Einstein was born in Ulm."]


@pytest.fixture
def judge(address: str) -> ChatJudge:
    return openai_judge("smollm2", base_url=address, max_tokens=LIMIT, extra={"repeat_penalty": 1.2})


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told[Any]:
    """Does the work, and prints what came of it and how long it took."""

    def tell(what: str, work: Callable[[], T]) -> T:
        before = time.monotonic()
        found = work()
        with capsys.disabled():
            print(f"\n{what}, {time.monotonic() - before:.0f} s: {found!r}")
        return found

    return tell


def test_every_turn_of_a_conversation_ends_in_a_result(judge: ChatJudge, told: Told[Any]) -> None:
    arguments = json.dumps({"name": "Einstein", "order_id": "A-1043", "date": "1921-12-10", "limit": 5})
    talk = [
        {"role": "user", "content": "When did Einstein win the Nobel Prize?"},
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "look_up", "arguments": arguments}}]},
        {"role": "tool", "tool_call_id": "1", "content": CONTEXT[0]},
        {"role": "assistant", "content": "Einstein won the Nobel Prize in 1969."},
    ]
    whole = told("turns", lambda: halluscope.check(talk, turns="all", judge=judge, retry_policy=PATIENT))
    called, answered = (turn.result for turn in whole.turns)
    supports = {verdict.claim.argument: verdict.support for verdict in called.verdicts}
    assert supports["order_id"] is Support.UNSUPPORTED, (
        "what is nowhere in the conversation is not the model's to judge"
    )
    assert (supports["name"], supports["limit"]) == (Support.SUPPORTED, Support.NOT_A_CLAIM)
    asked = [exchange.prompt or "" for exchange in called.exchanges if exchange.question == "verify"]
    assert asked and all("1921-12-10" in prompt and "A-1043" not in prompt for prompt in asked)
    for result in (called, answered):
        assert result.score is not None or result.failure is not None or result.outcome is Outcome.NO_CLAIMS
    assert (whole.score is None) == (whole.outcome is not Outcome.SCORED)


def test_a_repair_changes_only_what_it_says(judge: ChatJudge, told: Told[Any]) -> None:
    # The embedded judge says what is wrong, so that the model is asked for edits even where it would find nothing.
    found = halluscope.check(WRONG, CONTEXT)
    driver = Driver(judge, retry_policy=PATIENT)
    repair = told("repair", lambda: sync.run(repaired(driver, Hallucination(), Case.of(WRONG, CONTEXT), found)))
    text = WRONG
    for edit in reversed(repair.edits):
        assert text[edit.start : edit.end] == edit.before
        text = text[: edit.start] + edit.after + text[edit.end :]
    assert repair.abstained or text == repair.text
    words = set(f"{WRONG} {' '.join(CONTEXT)}".replace(".", " ").split())
    assert repair.abstained or set(repair.text.replace(".", " ").split()) <= words, "nothing is added"


def test_a_label_has_a_probability_from_its_tokens_or_from_votes(address: str, told: Told[Any]) -> None:
    case = Case.of("Einstein won the Nobel Prize in 1969.", CONTEXT, "When did he win?")
    options: dict[str, Any] = {"base_url": address, "max_tokens": LIMIT, "extra": {"repeat_penalty": 1.2}}
    metric = halluscope.Label()
    tokens = resolve("openai/smollm2", **options)
    by_tokens = told("tokens", lambda: metric.score_case(case, judge=tokens, retry_policy=PATIENT))
    voting = resolve("openai/smollm2", votes=3, temperature=1.0, logprobs=False, **options)
    by_votes = told("votes", lambda: metric.score_case(case, judge=voting, retry_policy=PATIENT))
    for result in (by_tokens, by_votes):
        if result.score is not None:
            assert result.probability is not None and 0 <= result.probability <= 1
            assert (result.label == "hallucinated") == (result.probability >= 0.5)


def test_verdicts_on_claims_have_confidences(judge: ChatJudge, told: Told[Any]) -> None:
    result = told(
        "claims", lambda: Hallucination().score(output=WRONG, context=CONTEXT, judge=judge, retry_policy=PATIENT)
    )
    assert all(verdict.confidence is None or 0 <= verdict.confidence <= 1 for verdict in result.verdicts)
    assert result.score is not None or result.failure is not None
