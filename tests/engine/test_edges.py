"""Cases and judges at the edge: every one ends in a result that says what happened."""

from __future__ import annotations

import json
from typing import Any

import pytest

from halluscope._internal.core.errors import JudgeRejected, JudgeUnavailable
from halluscope._internal.core.result import Outcome, Result
from halluscope._internal.core.verdict import Support
from halluscope._internal.engine.driver import RetryPolicy
from halluscope._internal.engine.metrics import METRICS
from halluscope._internal.judges.scripted import ScriptedJudge
from tests.helpers.scoring import Scorer

QUICK = RetryPolicy(deadline=5, first_wait=0.001, longest_wait=0.002, retries=3)
OUTPUT = "Paris is the capital of France."
CONTEXT = ["Paris is the capital of France.", "It lies on the Seine."]
GOOD: dict[str, Any] = {
    "extract": {"claims": [OUTPUT]},
    "verify": {"verdicts": [{"id": "c1", "verdict": "no", "reason": "stated"}]},
    "label": {"verdict": "factual", "reason": ["stated"]},
    "compare": {"verdicts": [{"id": "p1", "verdict": "yes"}, {"id": "p2", "verdict": "yes"}]},
    "truths": {"truths": ["Paris is the capital of France."]},
    "explain": {"reason": "All is stated."},
}
FIRST = {
    "hallucination": "extract",
    "faithfulness": "extract",
    "truth_faithfulness": "truths",
    "label": "label",
    "contradiction": "compare",
}


def score(metric: str, judge: Any, output: object = OUTPUT, context: object = CONTEXT) -> Result:
    result = Scorer(metric, judge, retry_policy=QUICK).score(output=output, context=context)
    assert Result.from_json(result.to_json()) == result
    return result


def good(metric: str) -> dict[str, Any]:
    """Replies for a metric: its vocabulary decides which word is the good one."""
    word = "no" if metric == "hallucination" else "yes"
    return {**GOOD, "verify": {"verdicts": [{"id": "c1", "verdict": word, "reason": "stated"}]}}


@pytest.mark.parametrize("metric", sorted(set(METRICS) - {"citations"}))
def test_a_good_judge_gives_the_best_score(metric: str) -> None:
    result = score(metric, ScriptedJudge(good(metric)))
    assert result.outcome is Outcome.SCORED
    assert result.passed
    assert result.score == (0.0 if result.direction == "lower" else 1.0)
    assert result.exchanges and all(exchange.prompt and exchange.reply for exchange in result.exchanges)


@pytest.mark.parametrize("metric", sorted(set(METRICS) - {"citations"}))
@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: f"```json\n{text}\n```",
        lambda text: f"<think>{{hmm}}</think>{text}",
        lambda text: text.replace('"}', '",}'),
        lambda text: f"\ufeff  {text}  ",
    ],
    ids=["fences", "thinking", "trailing comma", "byte order mark"],
)
def test_replies_as_models_wrap_them(metric: str, wrap: Any) -> None:
    replies = {kind: wrap(json.dumps(reply)) for kind, reply in good(metric).items()}
    result = score(metric, ScriptedJudge(replies))
    assert result.outcome is Outcome.SCORED and result.passed


@pytest.mark.parametrize("metric", sorted(set(METRICS) - {"citations"}))
@pytest.mark.parametrize(
    "bad",
    ["", "   ", "no JSON at all", "[[1, 2], 3]", '{"other": 1}', "42", '{"claims": [', "null", '"text"'],
)
def test_one_bad_reply_is_asked_for_again(metric: str, bad: str) -> None:
    replies = good(metric)
    kind = FIRST[metric]
    judge = ScriptedJudge({**replies, kind: (bad, replies[kind])})
    result = score(metric, judge)
    assert result.outcome is Outcome.SCORED, result.failure
    assert result.passed
    assert any(exchange.error for exchange in result.exchanges)


@pytest.mark.parametrize("metric", sorted(set(METRICS) - {"citations"}))
@pytest.mark.parametrize("bad", ["", "no JSON at all", "{"])
def test_only_bad_replies_end_in_a_failure_that_says_so(metric: str, bad: str) -> None:
    result = score(metric, ScriptedJudge({**good(metric), FIRST[metric]: bad}))
    assert (result.outcome, result.score, result.passed) == (Outcome.FAILED, None, None)
    assert result.failure is not None
    assert "No score" in (result.reason or "")


@pytest.mark.parametrize("metric", sorted(set(METRICS) - {"citations"}))
def test_a_judge_that_refuses_is_a_failure_of_its_own_kind(metric: str) -> None:
    result = score(metric, ScriptedJudge({**good(metric), FIRST[metric]: "I'm sorry, but I can't help with that."}))
    assert result.failure is not None
    assert result.failure.kind == "refused"
    assert len(result.exchanges) <= 2


def test_a_rejected_call_carries_status_and_body_and_is_not_repeated() -> None:
    judge = ScriptedJudge({"label": JudgeRejected("no", status=401, body="bad key")})
    result = score("label", judge)
    assert result.failure is not None
    assert (result.failure.status, result.failure.body) == (401, "bad key")
    assert len(judge.asked) == 1


def test_an_unavailable_judge_is_tried_again_and_then_given_up() -> None:
    judge = ScriptedJudge({"label": JudgeUnavailable("gone")})
    result = score("label", judge)
    assert result.failure is not None and result.failure.kind == "unavailable"
    assert len(judge.asked) == QUICK.retries + 1


def test_output_equal_to_context() -> None:
    result = score("hallucination", ScriptedJudge(good("hallucination")), CONTEXT[0], [CONTEXT[0]])
    assert result.score == 0.0


def test_a_megabyte_of_output_is_judged_in_parts_and_says_so() -> None:
    output = "Paris is the capital of France. " * 32_000
    asked_sizes: list[int] = []

    def reply(question: Any) -> Any:
        asked_sizes.append(question.size)
        if question.kind == "extract":
            return {"claims": [OUTPUT]}
        return good("hallucination")[question.kind]

    judge = ScriptedJudge(reply, window=100_000)
    result = score("hallucination", judge, output)
    assert result.outcome is Outcome.SCORED
    assert max(asked_sizes) <= 100_000
    assert any("parts" in note for note in result.notes)


def test_a_context_beyond_the_window_is_split_and_the_support_found() -> None:
    context = ["Nothing to see here. " * 3000, "Filler. " * 3000 + OUTPUT]

    def reply(question: Any) -> Any:
        if question.kind == "verify":
            found = any(OUTPUT in passage.text for passage in question.passages)
            return {
                "verdicts": [{"id": "c1", "verdict": "no" if found else "yes", "evidence": OUTPUT if found else ""}]
            }
        return good("hallucination")[question.kind]

    result = score("hallucination", ScriptedJudge(reply, window=5000), OUTPUT, context)
    assert result.score == 0.0
    evidence = result.verdicts[0].evidence[0]
    assert context[evidence.passage][evidence.start : evidence.end] == OUTPUT
    assert any("parts" in note for note in result.notes)


def test_a_claim_that_one_part_of_the_context_was_silent_on_is_asked_about_again() -> None:
    context = ["Nothing to see here. " * 100, "Filler. " * 100 + OUTPUT]
    other = "France is a country."

    def reply(question: Any) -> Any:
        if question.kind == "extract":
            return {"claims": [OUTPUT, other]}
        if question.kind == "verify":
            found = any(OUTPUT in passage.text for passage in question.passages)
            skipped = "c1" if found and len(question.claims) > 1 else ""
            word = "no" if found else "yes"
            return {"verdicts": [{"id": c.id, "verdict": word} for c in question.claims if c.id != skipped]}
        return good("hallucination")[question.kind]

    result = score("hallucination", ScriptedJudge(reply, window=1500), f"{OUTPUT} {other}", context)
    assert {v.claim.id: v.support for v in result.verdicts}["c1"] is Support.SUPPORTED


@pytest.mark.parametrize("metric", sorted(set(METRICS) - {"citations"}))
def test_lone_surrogates_and_nul_bytes_are_cleaned_and_said(metric: str) -> None:
    result = score(metric, ScriptedJudge(good(metric)), OUTPUT + "\ud800\x00", [*CONTEXT[:1], CONTEXT[1] + "\udc00"])
    assert result.outcome is Outcome.SCORED
    assert any("replaced" in note for note in result.notes)


def test_pleasantries_do_not_dilute_the_score() -> None:
    verdicts = [
        {"id": "c1", "verdict": "yes", "basis": "contradicted"},
    ]
    judge = ScriptedJudge({**GOOD, "extract": {"claims": ["Lyon is the capital."]}, "verify": {"verdicts": verdicts}})
    result = score("hallucination", judge, "Sure, happy to help! Lyon is the capital. Anything else?")
    assert result.score == 1.0
    assert result.verdicts[0].support is Support.CONTRADICTED


def test_every_metric_is_usable_inside_a_running_loop() -> None:
    import asyncio

    async def notebook() -> list[Result]:
        return [score(metric, ScriptedJudge(good(metric))) for metric in sorted(set(METRICS) - {"citations"})]

    assert all(result.passed for result in asyncio.run(notebook()))


async def test_sync_and_async_agree() -> None:
    for metric in sorted(set(METRICS) - {"citations"}):
        scorer = Scorer(metric, ScriptedJudge(good(metric)))
        waited = await scorer.ascore(output=OUTPUT, context=CONTEXT)
        called = scorer.score(output=OUTPUT, context=CONTEXT)
        assert (waited.score, waited.verdicts, waited.reason) == (called.score, called.verdicts, called.reason)
