"""Metrics without a judge: their flows are fed answers by hand."""

from __future__ import annotations

from typing import Any

import pytest

from halluscope import Case
from halluscope._internal.core.errors import InputError, PromptError, UnknownName
from halluscope._internal.core.result import Failure, Outcome
from halluscope._internal.core.verdict import Claim, Support, Verdict
from halluscope._internal.engine.metric import Metric
from halluscope._internal.engine.metrics import (
    METRICS,
    Contradiction,
    Faithfulness,
    Hallucination,
    Label,
    TruthFaithfulness,
    resolve,
)
from halluscope._internal.engine.questions import (
    Explain,
    Labelled,
    Verification,
    VerifyClaims,
    numbered,
)
from halluscope._internal.engine.questions.flow import Finding

CASE = Case.of("A. B. C. D.", ["one", "two"], "asked")
S, C, U, N = Support.SUPPORTED, Support.CONTRADICTED, Support.UNSUPPORTED, Support.NOT_A_CLAIM


def play(metric: Metric, answer: Any, case: Case = CASE) -> tuple[Finding, list[Any]]:
    """Drive a flow with `answer(question)`; return its finding and the questions it asked."""
    flow = metric.flow(case)
    asked: list[Any] = []
    try:
        questions = next(flow)
        while True:
            asked += questions
            questions = flow.send(tuple(answer(question) for question in questions))
    except StopIteration as end:
        finding: Finding = end.value
        return finding, asked


def supports(*given: Support) -> Any:
    """A judge that finds one claim per support."""
    claims = numbered([Claim("", f"claim {i}") for i in range(len(given))])
    by_id = dict(zip((claim.id for claim in claims), given, strict=True))

    def answer(question: Any) -> Any:
        if question.kind == "extract":
            return claims
        if question.kind == "verify":
            return Verification(tuple(Verdict(c, by_id[c.id]) for c in question.claims))
        if question.kind == "truths":
            return ("a truth",)
        return question.summary

    return answer


@pytest.mark.parametrize(
    ("given", "score"),
    [((S, S), 0.0), ((S, C), 0.5), ((C, U, S, S), 0.5), ((U,), 1.0), ((S, N, U, N), 0.5), ((S, S, U), 1 / 3)],
)
def test_hallucination_counts_contradicted_and_unsupported(given: tuple[Support, ...], score: float) -> None:
    finding, _ = play(Hallucination(), supports(*given))
    assert finding.score == pytest.approx(score)
    assert finding.label == ("hallucinated" if score else "factual")


@pytest.mark.parametrize(("given", "score"), [((S, S), 1.0), ((S, U), 0.5), ((C, U, S, S), 0.5), ((S, N), 1.0)])
def test_faithfulness_counts_supported_alone(given: tuple[Support, ...], score: float) -> None:
    assert play(Faithfulness(), supports(*given))[0].score == pytest.approx(score)


@pytest.mark.parametrize(("given", "score"), [((S, U), 1.0), ((S, C), 0.5), ((C,), 0.0), ((U, U), 1.0)])
def test_by_truths_only_contradicted_claims_count_against(given: tuple[Support, ...], score: float) -> None:
    finding, asked = play(TruthFaithfulness(), supports(*given))
    assert finding.score == pytest.approx(score)
    assert finding.truths == ("a truth",)
    assert [q.kind for q in asked] == ["truths", "extract", "verify", "explain"]


def test_scale_reaches_score_and_reason() -> None:
    finding, asked = play(Hallucination(scale=10), supports(S, C, S, S))
    assert finding.score == pytest.approx(2.5)
    explain = next(q for q in asked if isinstance(q, Explain))
    assert (explain.shown_score, explain.scale) == ("2.5", 10)


def test_an_empty_context_makes_every_claim_a_hallucination_and_asks_no_judge() -> None:
    finding, asked = play(Hallucination(), supports(S, S), Case.of("A. B.", []))
    assert finding.score == 1.0
    assert all(v.support is U for v in finding.verdicts)
    assert "verify" not in {q.kind for q in asked}


@pytest.mark.parametrize("context", [["", "  "], []])
@pytest.mark.parametrize("metric", [Hallucination(), Faithfulness()])
def test_blank_passages_are_no_context(metric: Metric, context: list[str]) -> None:
    finding, _ = play(metric, supports(S), Case.of("A.", context))
    assert finding.score == (1.0 if metric.direction == "lower" else 0.0)


@pytest.mark.parametrize("name", sorted(METRICS))
def test_an_empty_output_asks_nothing_and_has_no_score(name: str) -> None:
    for output in ("", " \n\t", None):
        finding, asked = play(resolve(name), supports(S), Case.of(output, ["one"]))
        assert (finding.outcome, finding.score, asked) == (Outcome.EMPTY_OUTPUT, None, [])


@pytest.mark.parametrize("name", sorted(set(METRICS) - {"label"}))
def test_no_context_is_no_score(name: str) -> None:
    finding, asked = play(resolve(name), supports(S), Case.of("A."))
    assert (finding.outcome, asked) == (Outcome.NO_CONTEXT, [])


@pytest.mark.parametrize("name", ["hallucination", "faithfulness", "truth_faithfulness"])
def test_no_claims_is_no_score(name: str) -> None:
    finding, _ = play(resolve(name), supports(), Case.of("How are you?", ["one"]))
    assert (finding.outcome, finding.score) == (Outcome.NO_CLAIMS, None)
    finding, _ = play(resolve(name), supports(), Case.of("I don't know.", ["one"]))
    assert (finding.outcome, finding.score) == (Outcome.REFUSAL, None)


def test_missing_verdicts_are_asked_for_again_alone_and_never_count_as_supported() -> None:
    claims = numbered([Claim("", f"claim {i}") for i in range(3)])
    rounds: list[list[str]] = []

    def answer(question: Any) -> Any:
        if question.kind == "extract":
            return claims
        if isinstance(question, VerifyClaims):
            rounds.append([c.id for c in question.claims])
            return Verification(tuple(Verdict(c, S) for c in question.claims[:1]))
        return question.summary

    finding, _ = play(Hallucination(), answer)
    assert finding.score == 0.0
    assert rounds == [["c1", "c2", "c3"], ["c2", "c3"], ["c3"]]


def test_a_claim_that_never_gets_a_verdict_leaves_no_score() -> None:
    claims = numbered([Claim("", "claim 0"), Claim("", "claim 1")])

    def answer(question: Any) -> Any:
        if question.kind == "extract":
            return claims
        known = tuple(Verdict(c, S) for c in question.claims if c.id == "c1")
        return Verification(known) if known else Failure("reply", "nothing usable")

    finding, _ = play(Faithfulness(), answer)
    assert (finding.outcome, finding.score) == (Outcome.INCOMPLETE, None)
    assert [v.claim.id for v in finding.verdicts] == ["c1"]
    assert "1 of 2 claims" in (finding.reason or "")


def test_five_hundred_claims_go_out_in_batches_and_all_come_back() -> None:
    finding, asked = play(Hallucination(), supports(*[S, C] * 250))
    assert finding.score == 0.5
    assert len(finding.verdicts) == 500
    sizes = [len(q.claims) for q in asked if isinstance(q, VerifyClaims)]
    assert sum(sizes) == 500 and max(sizes) <= 20


def test_one_failing_batch_does_not_lose_the_others() -> None:
    claims = numbered([Claim("", f"claim {i}") for i in range(30)])
    failed: list[str] = []

    def answer(question: Any) -> Any:
        if question.kind == "extract":
            return claims
        if isinstance(question, VerifyClaims):
            if question.claims[0].id == "c21" and not failed:
                failed.append("once")
                return Failure("unavailable", "gone")
            return Verification(tuple(Verdict(c, S) for c in question.claims))
        return question.summary

    finding, asked = play(Hallucination(), answer)
    assert finding.score == 0.0
    assert [len(q.claims) for q in asked if isinstance(q, VerifyClaims)] == [20, 10, 10]


def test_a_judge_without_a_reason_leaves_the_score_and_our_own_words() -> None:
    judge = supports(S, C)

    def answer(question: Any) -> Any:
        return Failure("reply", "no reason") if question.kind == "explain" else judge(question)

    finding, _ = play(Hallucination(), answer)
    assert finding.score == 0.5
    assert "1 of 2 claims" in (finding.reason or "")
    assert "composed" in finding.notes[0]


@pytest.mark.parametrize(
    ("metric", "given", "reason"),
    [
        (Faithfulness, (S, C), '1 of 2 claims is not supported by the context: "claim 1" is contradicted.'),
        (Hallucination, (S, C), '1 of 2 claims is not supported by the context: "claim 1" is contradicted.'),
        (
            Faithfulness,
            (C, U),
            'None of 2 claims is supported by the context: "claim 0" is contradicted; "claim 1" is unsupported.',
        ),
        (Faithfulness, (C,), 'The only claim is not supported by the context: "claim 0" is contradicted.'),
        (Faithfulness, (S, S), "Both claims are supported by the context."),
        (TruthFaithfulness, (S, C), '1 of 2 claims is contradicted by the context: "claim 1" is contradicted.'),
        (TruthFaithfulness, (S, U), "None of 2 claims is contradicted by the context."),
    ],
)
def test_a_reason_names_what_it_counts(metric: type[Metric], given: tuple[Support, ...], reason: str) -> None:
    finding, _ = play(metric(), supports(*given))
    assert finding.reason == reason


@pytest.mark.parametrize("metric", [Hallucination, Faithfulness, Contradiction])
def test_without_a_reason_none_is_asked_for(metric: type[Metric]) -> None:
    def answer(question: Any) -> Any:
        if question.kind == "compare":
            return question.typical_answer()
        return supports(S)(question)

    finding, asked = play(metric(include_reason=False), answer)
    assert finding.reason is None
    assert "explain" not in {q.kind for q in asked}


def test_duplicate_passages_are_shown_once_and_counted_apart_where_passages_count() -> None:
    case = Case.of("A.", ["same", "same", "other"])
    _, asked = play(Hallucination(), supports(S), case)
    assert [p.index for p in asked[1].passages] == [0, 2]

    def compare(question: Any) -> Any:
        if question.kind == "compare":
            return Verification(tuple(question.verdict(p, p.text == "other") for p in question.passages))
        return question.summary

    finding, _ = play(Contradiction(), compare, case)
    assert finding.score == pytest.approx(2 / 3)


def test_contradiction_asks_again_for_passages_left_out() -> None:
    rounds: list[int] = []

    def answer(question: Any) -> Any:
        if question.kind == "compare":
            rounds.append(len(question.passages))
            return Verification((question.verdict(question.passages[0], False),))
        return question.summary

    finding, _ = play(Contradiction(), answer)
    assert (finding.score, rounds) == (1.0, [2, 1])


def test_label_without_context_is_asked_and_says_so() -> None:
    finding, asked = play(Label(), lambda _: Labelled("hallucinated", ("made up",)), Case.of("A."))
    assert (finding.score, finding.label, finding.reason) == (1.0, "hallucinated", "made up")
    assert asked[0].passages is None


def test_few_shot_examples_can_be_added_to_and_replaced() -> None:
    mine = {"output": "x", "verdict": "factual"}
    ours = Label().shots()
    assert len(ours) >= 2
    assert Label(more_examples=(mine,)).shots() == (*ours, mine)
    assert Label(examples=(mine,)).shots() == (mine,)
    assert Label(examples=()).shots() == ()


def test_strict_fails_a_case_with_any_failing_verdict() -> None:
    verdicts = (Verdict(Claim("c1", "a"), C), *(Verdict(Claim("c2", "b"), S),) * 9)
    assert not Hallucination(threshold=0.5).passes(0.1, verdicts), "what is contradicted never passes by itself"
    assert Hallucination(threshold=0.5, strict=False).passes(0.1, verdicts)
    unsupported = (Verdict(Claim("c1", "a"), U), *verdicts[1:])
    assert Hallucination(threshold=0.5).passes(0.1, unsupported)
    assert not Hallucination(threshold=0.5, strict=True).passes(0.1, unsupported)
    assert Hallucination(strict=True).passes(0.0, verdicts[1:])


def test_a_threshold_of_zero_can_fail() -> None:
    assert not Hallucination(threshold=0).passes(0.1, ())
    assert Hallucination(threshold=0).passes(0.0, ())
    assert not Faithfulness(threshold=1).passes(0.99, ())


def test_versions_follow_everything_that_changes_a_score() -> None:
    template = Hallucination().prompt("verify")
    versions = [
        Hallucination().version,
        Hallucination(scale=10).version,
        Hallucination(prompts={"verify": template + " "}).version,
        Hallucination(more_examples=({"a": 1},)).version,
        Faithfulness().version,
    ]
    assert len(set(versions)) == 5
    assert Hallucination().version == versions[0]


def test_a_replacement_prompt_must_keep_its_slots() -> None:
    with pytest.raises(PromptError, match=r"\{\{context\}\}"):
        Hallucination(prompts={"verify": "Judge {{claims}}."})
    with pytest.raises(UnknownName, match="verfy"):
        Hallucination(prompts={"verfy": "x"})


def test_wrong_names_and_options_are_said() -> None:
    with pytest.raises(UnknownName, match="hallucination, faithfulness"):
        resolve("halucination")
    with pytest.raises(InputError, match="treshold"):
        resolve("hallucination", treshold=1)
    with pytest.raises(InputError, match="must be a number"):
        Hallucination(threshold="high")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("metric", "options", "said"),
    [
        ("hallucination", {"scale": 0}, "scale"),
        ("hallucination", {"scale": -1}, "scale"),
        ("faithfulness", {"scale": "10"}, "scale"),
        ("faithfulness", {"scale": float("nan")}, "scale"),
        ("faithfulness", {"threshold": True}, "threshold"),
        ("label", {"threshold": "0.5"}, "threshold"),
        ("label", {"examples": "an example"}, "examples"),
        ("label", {"more_examples": ["an example"]}, "more_examples"),
        ("label", {"prompts": "a prompt"}, "prompts"),
        ("label", {"prompts": {"label": 5}}, "label"),
        ("truth_faithfulness", {"truths_limit": 0}, "truths_limit"),
        ("truth_faithfulness", {"truths_limit": "3"}, "truths_limit"),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused_before_a_judge_is_asked(
    metric: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        resolve(metric, **options)


@pytest.mark.parametrize("spec", [None, 5, ["hallucination"], int])
def test_what_is_no_metric_is_said_in_one_sentence(spec: Any) -> None:
    with pytest.raises(InputError, match=r"one of the names hallucination"):
        resolve(spec)


def test_every_claim_has_to_hold_unless_a_threshold_is_set() -> None:
    assert {metric().threshold for metric in METRICS.values() if metric.direction == "lower"} == {0.0}
    assert Faithfulness(scale=100).threshold == 100
    assert Faithfulness().threshold == TruthFaithfulness().threshold == 1


def test_a_label_takes_no_threshold_that_lets_all_pass() -> None:
    with pytest.raises(InputError, match="at least 0 and below 1"):
        Label(threshold=1)
