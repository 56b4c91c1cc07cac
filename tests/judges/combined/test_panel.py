"""The panel: who prevails, what is recorded, and how agreement is measured."""

from __future__ import annotations

import math
from typing import Any

import pytest

from halluscope._internal.core.errors import InputError, JudgeError, JudgeRefused
from halluscope._internal.core.result import Outcome, Result
from halluscope._internal.core.verdict import Support, Vote
from halluscope._internal.judges.combined.panel import Panel
from halluscope._internal.judges.combined.poll import minority, prevailing
from halluscope._internal.judges.combined.vote_agreement import agreement, disagreements

from ...helpers.views import NO, UNCLEAR, YES, ViewsJudge, scored

ONE, TWO, THREE = "Oslo is cold.", "Oslo is hot.", "Oslo is old."


def judge(name: str, *supports: Support, confidence: float | None = None, **more: Any) -> ViewsJudge:
    texts = (ONE, TWO, THREE)
    return ViewsJudge(name, {t: (s, confidence) for t, s in zip(texts, supports, strict=False)}, **more)


def votes(*cast: tuple[Support, float]) -> list[Vote]:
    return [Vote(f"j{i}", support, weight=weight) for i, (support, weight) in enumerate(cast)]


@pytest.mark.parametrize(
    ("cast", "expected", "split"),
    [
        ([(YES, 1), (YES, 1), (NO, 1)], YES, 1 / 3),
        ([(YES, 1), (NO, 1)], NO, 0.5),  # a tie goes to the worse
        ([(UNCLEAR, 1), (NO, 1)], NO, 0.0),  # both say it does not hold
        ([(YES, 2), (NO, 1), (UNCLEAR, 1)], NO, 0.5),  # the side decides before the support
        ([(YES, 2), (NO, 1), (UNCLEAR, 1.5)], UNCLEAR, 2 / 4.5),
        ([(YES, 3), (NO, 1), (NO, 1)], YES, 0.4),  # by weight, not by heads
        ([(Support.NOT_A_CLAIM, 1), (YES, 1)], YES, 0.0),
        ([(UNCLEAR, 1)], UNCLEAR, 0.0),
    ],
)
def test_which_view_prevails(cast: list[tuple[Support, float]], expected: Support, split: float) -> None:
    assert prevailing(votes(*cast)) is expected
    assert prevailing(votes(*reversed(cast))) is expected
    assert minority(votes(*cast)) == pytest.approx(split)


async def test_the_majority_decides_each_claim_and_every_vote_is_kept() -> None:
    judges = judge("a", YES, YES, NO), judge("b", YES, NO, NO), judge("c", NO, NO, NO)
    result = Result.from_json((await scored(Panel(*judges), f"{ONE} {TWO} {THREE}")).to_json())
    assert [v.support for v in result.verdicts] == [YES, NO, NO]
    assert [v.confidence for v in result.verdicts] == [pytest.approx(2 / 3), pytest.approx(2 / 3), 1.0]
    assert [[(w.judge, w.support) for w in v.votes] for v in result.verdicts][1] == [("a", YES), ("b", NO), ("c", NO)]
    assert {v.judge for v in result.verdicts} == {"panel(a, b, c)"}
    assert [e.judge for e in result.exchanges if e.question == "verify"] == ["a", "b", "c"]
    assert [e.judge for e in result.exchanges if e.question == "extract"] == ["a"]


async def test_the_reason_comes_from_a_judge_of_the_prevailing_view() -> None:
    judges = judge("a", YES), judge("b", NO, confidence=0.6), judge("c", NO, confidence=0.9)
    result = await scored(Panel(*judges), ONE)
    assert result.verdicts[0].reason == "c says so"


async def test_weights_can_overrule_heads() -> None:
    judges = judge("a", YES), judge("b", NO), judge("c", NO)
    result = await scored(Panel(*judges, weights=[5, 1, 1]), ONE)
    assert (result.verdicts[0].support, result.judge) == (YES, "panel(a, b, c, weights=(5, 1, 1))")
    assert result.verdicts[0].confidence == pytest.approx(5 / 7)


async def test_labels_and_passages_are_voted_on_too() -> None:
    judges = judge("a", YES), judge("b", NO), judge("c", NO)
    label = await scored(Panel(*judges), ONE, metric="label")
    assert label.score == 1.0
    assert label.verdicts[0].confidence == pytest.approx(2 / 3)
    assert len(label.verdicts[0].votes) == 3
    passages = await scored(Panel(*judges), "Something.", [ONE], metric="contradiction")
    assert passages.score == 1.0 and len(passages.verdicts[0].votes) == 3


async def test_a_judge_that_fails_has_no_vote_and_is_named() -> None:
    judges = judge("a", YES), judge("b", NO, error=JudgeRefused("I would rather not")), judge("c", YES)
    result = await scored(Panel(*judges), ONE)
    assert [vote.judge for vote in result.verdicts[0].votes] == ["a", "c"]
    assert "b has no vote: I would rather not" in result.notes


async def test_without_a_quorum_there_is_no_verdict() -> None:
    broken = [judge(name, error=JudgeError("down"), fails_on=("verify",)) for name in "ab"]
    result = await scored(Panel(*broken, judge("c", YES)), ONE)
    assert result.outcome is Outcome.FAILED
    assert result.failure is not None and result.failure.message == "down"
    lenient = await scored(Panel(*broken, judge("c", YES), quorum=1), ONE)
    assert lenient.score == 0.0


async def test_a_claim_that_most_leave_out_stays_without_verdict() -> None:
    judges = judge("a", YES, YES), judge("b", YES), judge("c", YES)
    result = await scored(Panel(*judges), f"{ONE} {TWO}")
    assert result.outcome is Outcome.INCOMPLETE
    assert [v.claim.text for v in result.verdicts] == [ONE]
    assert any("voted on 1 claim" in note for note in result.notes)


async def test_the_next_judge_extracts_where_the_first_cannot() -> None:
    judges = judge("a", YES, error=JudgeError("down"), fails_on=("extract",)), judge("b", YES)
    result = await scored(Panel(*judges), ONE)
    assert result.score == 0.0
    extracted = [(e.judge, e.error) for e in result.exchanges if e.question == "extract"]
    assert extracted == [("a", "down"), ("b", None)]


async def test_the_same_model_twice_has_two_votes() -> None:
    result = await scored(Panel(judge("a", YES), judge("a", YES), judge("b", NO)), ONE)
    assert [vote.judge for vote in result.verdicts[0].votes] == ["a #1", "a #2", "b"]


async def test_agreement_over_a_run() -> None:
    """Two coders, ten units: 0 and 1 as in the worked example of Krippendorff (2011), alpha 0.095."""
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    texts = [f"Claim number {i} is made." for i in range(10)]
    a = ViewsJudge("a", {t: (NO if v else YES, None) for t, v in zip(texts, first, strict=True)})
    b = ViewsJudge("b", {t: (NO if v else YES, None) for t, v in zip(texts, second, strict=True)})
    results = [await scored(Panel(a, b), text) for text in texts]
    found = agreement(results)
    assert found.alpha == pytest.approx(0.095, abs=5e-4)
    assert (found.things, found.judges, found.unanimous) == (10, ("a", "b"), 0.6)
    again = agreement([Result.from_json(result.to_json()) for result in results])
    assert again == found


async def test_agreement_on_the_side_is_not_agreement_on_the_support() -> None:
    texts = [f"Claim number {i} is made." for i in range(6)]
    a = ViewsJudge("a", {t: (NO if i % 2 else YES, None) for i, t in enumerate(texts)})
    b = ViewsJudge("b", {t: (UNCLEAR if i % 2 else YES, None) for i, t in enumerate(texts)})
    found = agreement([await scored(Panel(a, b), text) for text in texts])
    assert found.alpha == 1.0 and found.alpha_support < 0.5


async def test_without_votes_there_is_no_agreement_to_speak_of() -> None:
    found = agreement([await scored(judge("a", YES), ONE)])
    assert math.isnan(found.alpha) and found.things == 0
    assert disagreements([await scored(judge("a", YES), ONE)]) == []


async def test_the_most_divided_come_first() -> None:
    judges = judge("a", YES, YES, NO), judge("b", YES, YES, YES), judge("c", YES, NO, NO), judge("d", YES, YES, YES)
    result = await scored(Panel(*judges), f"{ONE} {TWO} {THREE}")
    divided = disagreements([result])
    assert [(d.verdict.claim.text, d.split) for d in divided] == [(THREE, 0.5), (TWO, 0.25)]
    assert divided[0].case_id == result.case_id


def test_bad_panels_are_refused() -> None:
    one, two = judge("a", YES), judge("b", YES)
    for arguments, options, words in [
        ((one,), {}, "at least two"),
        ((one, two), {"weights": [1]}, "2 numbers"),
        ((one, two), {"weights": "12"}, "2 numbers"),
        ((one, two), {"weights": [1, 0]}, "above 0"),
        ((one, two), {"weights": [1, float("inf")]}, "above 0"),
        ((one, two), {"quorum": 0}, "between 1 and 2"),
        ((one, two), {"quorum": "all"}, "whole number"),
    ]:
        with pytest.raises(InputError, match=words):
            Panel(*arguments, **options)  # type: ignore[arg-type]
