"""The cascade's curve: every band counted as the cascade would, the frontier, and the drawings."""

from __future__ import annotations

import random
from xml.etree import ElementTree

import msgspec
import pytest
from benchmarks.cascade import best_at

from halluscope._internal.core.errors import InputError
from halluscope._internal.core.result import Usage
from halluscope._internal.core.verdict import Support
from halluscope._internal.engine.metrics import resolve
from halluscope._internal.judges.combined.cascade import Cascade
from halluscope._internal.proof.bench.cascade_curve import (
    Band,
    Doubt,
    DoubtTable,
    band_chart,
    band_svg,
    bands,
    doubts,
    frontier,
)
from halluscope._internal.proof.bench.judge_run import Judged, JudgeRun, run_judge
from halluscope._internal.runs.labelled_case import labelled

from ..helpers.views import QUICK, View, ViewsJudge


def simulated(n: int, seed: int = 0) -> list[Doubt]:
    """A calibrated first judge and a perfect second one."""
    rng = random.Random(seed)
    made = []
    for _ in range(n):
        p = rng.betavariate(0.7, 0.9)
        made.append(Doubt(p, p >= 0.5, truth := rng.random() < p, truth, 0.0, 1.0))
    return made


def at_share(cases: list[Doubt], share: float) -> Band:
    return DoubtTable(cases).at_share(share)


def run_of(cases: list[Doubt], name: str = "cheap", *, second: bool = False) -> JudgeRun:
    items = [labelled(output=f"o{i}", context="c", hallucinated=case.truth) for i, case in enumerate(cases)]
    return JudgeRun(
        judge=name,
        metric="label",
        metric_version="1",
        judged=tuple(
            Judged(
                item=item,
                outcome="scored",
                probability=case.probability,
                flagged=case.second if second else case.flagged,
                cost=case.second_cost if second else case.first_cost,
            )
            for item, case in zip(items, cases, strict=True)
        ),
        seconds=1.0,
        usage=Usage(),
    )


def test_the_ends_are_the_two_judges_alone() -> None:
    found = bands(simulated(500))
    none = min(found, key=lambda b: b.share)
    everything = max(found, key=lambda b: b.share)
    assert (everything.share, everything.accuracy, everything.errors_closed) == (1.0, 1.0, 1.0)
    assert none.share <= 0.01 and none.errors_closed is not None and none.errors_closed <= 0.02


def test_a_band_by_hand() -> None:
    cases = [
        Doubt(0.05, False, True, True, 0.1, 2.0),  # sure, and wrong
        Doubt(0.30, False, True, True, 0.1, 3.0),  # mended
        Doubt(0.60, True, False, False, 0.1, 5.0),  # mended
        Doubt(0.70, True, False, True, 0.1, 7.0),  # made worse
        Doubt(0.95, True, True, True, 0.1, 9.0),
        Doubt(0.10, False, False, False, 0.1, 11.0),
    ]
    found = {(round(b.low, 2), round(b.high, 2)): b for b in bands(cases, steps=5)}
    band = next(b for (low, high), b in found.items() if 0.1 < low < 0.31 and 0.7 <= high < 0.95)
    assert band.share == pytest.approx(0.5)
    assert band.cost == pytest.approx(0.6 + 15.0)
    assert band.accuracy == pytest.approx(4 / 6)
    assert band.balanced_accuracy == pytest.approx((2 / 4 + 2 / 2) / 2)
    assert band.errors_closed == pytest.approx((3 - 2) / 3)


def test_asking_about_the_doubtful_beats_asking_at_random() -> None:
    cases = simulated(4000)
    closed = at_share(cases, 0.3).errors_closed
    assert closed is not None and closed > 0.45
    shuffled = [Doubt(random.Random(i).random(), c.flagged, c.second, c.truth) for i, c in enumerate(cases)]
    by_chance = at_share(shuffled, 0.3).errors_closed
    assert by_chance == pytest.approx(0.3, abs=0.04)


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_the_share_is_what_was_asked_for(share: float) -> None:
    assert at_share(simulated(200), share).share == pytest.approx(share)


def test_a_lopsided_judge_wants_a_lopsided_band() -> None:
    """It is always right when it calls something good, and right half the time when it calls it bad."""
    rng = random.Random(1)
    cases = []
    for _ in range(2000):
        bad = rng.random() < 0.5
        p = rng.uniform(0.5, 1.0) if bad else rng.uniform(0.0, 0.5)
        truth = bad and rng.random() < 0.5
        cases.append(Doubt(p, bad, truth, truth))
    middle = at_share(cases, 0.3)
    best = best_at(cases[:1000], 0.3)
    measured = DoubtTable(cases[1000:]).band(best.low, best.high)
    assert middle.errors_closed == pytest.approx(0.3, abs=0.05)
    assert measured.errors_closed is not None and measured.errors_closed > 0.5
    assert best.low > 0.45 and best.share <= 0.3


def test_a_second_judge_that_is_worse_closes_less_than_nothing() -> None:
    cases = [Doubt(c.probability, c.flagged, not c.truth, c.truth) for c in simulated(300)]
    closed = at_share(cases, 1.0).errors_closed
    assert closed is not None and closed < 0


def test_without_mistakes_there_is_nothing_to_close() -> None:
    assert at_share([Doubt(0.9, True, True, True)], 0.5).errors_closed is None


def test_the_frontier_rises_and_nothing_beats_it() -> None:
    found = bands(simulated(400))
    best = frontier(found)
    costs = [b.cost or 0.0 for b in best]
    assert costs == sorted(costs)
    assert [b.balanced_accuracy for b in best] == sorted({b.balanced_accuracy for b in best})
    for band in found:
        dearest = (band.cost or 0.0) + 1e-9
        assert any((b.cost or 0.0) <= dearest and b.balanced_accuracy >= band.balanced_accuracy - 1e-9 for b in best)


def test_cases_from_two_runs_and_from_one_with_a_perfect_judge() -> None:
    cases = simulated(20)
    two = doubts(run_of(cases), run_of(cases, "dear", second=True))
    assert two == cases
    one = doubts(run_of(cases), price=0.5)
    assert all(case.second is case.truth and case.second_cost == 0.5 for case in one)


def test_cases_that_one_of_them_did_not_score_are_left_out() -> None:
    run = run_of(simulated(3))

    hurt = msgspec.structs.replace(
        run, judged=(msgspec.structs.replace(run.judged[0], flagged=None, probability=None), *run.judged[1:])
    )
    assert len(doubts(hurt)) == len(doubts(run, hurt)) == 2


def test_the_curve_says_what_the_cascade_does() -> None:
    """The same band, counted from two runs and judged by a real cascade, gives the same answers."""
    rng = random.Random(5)
    truth = {f"Claim {i} is made.": rng.random() < 0.5 for i in range(60)}
    belief = {text: min(0.99, max(0.01, (0.75 if bad else 0.25) + rng.gauss(0, 0.3))) for text, bad in truth.items()}

    def cheap(text: str, _: int) -> View:
        p = belief[text]
        return (Support.UNSUPPORTED, p) if p >= 0.5 else (Support.SUPPORTED, 1 - p)

    def dear(text: str, _: int) -> View:
        return (Support.UNSUPPORTED if truth[text] else Support.SUPPORTED), None

    items = [labelled(output=text, context="c", hallucinated=bad) for text, bad in truth.items()]
    label = resolve("label")
    first = run_judge(items, ViewsJudge("cheap", cheap), label, retry_policy=QUICK)
    second = run_judge(items, ViewsJudge("dear", dear), label, retry_policy=QUICK)
    for band in bands(doubts(first, second), steps=4):
        judge = Cascade(ViewsJudge("cheap", cheap), ViewsJudge("dear", dear), low=band.low, high=band.high)
        run = run_judge(items, judge, label, retry_policy=QUICK)
        right = sum(j.flagged == j.item.hallucinated for j in run.judged) / len(items)
        assert judge.budget.escalated / len(items) == pytest.approx(band.share, abs=1 / 60 + 1e-9)
        assert right == pytest.approx(band.accuracy, abs=1 / 60 + 1e-9)


def test_the_drawings_hold_every_band_and_are_well_formed() -> None:
    found = bands(simulated(100), steps=6)
    drawn = band_chart(found)
    assert "balanced accuracy" in drawn and drawn.count("*") >= 2
    assert max(map(len, drawn.splitlines())) <= 80
    root = ElementTree.fromstring(band_svg(found, "a < b & c"))
    circles = [element for element in root.iter() if element.tag.endswith("circle")]
    assert len(circles) == len(found) + len(frontier(found))
    assert any("a < b & c" in (element.text or "") for element in root.iter())


def test_a_flat_curve_can_be_drawn() -> None:
    found = bands([Doubt(0.5, True, True, True, 0.0, 0.0)])
    assert band_chart(found) and ElementTree.fromstring(band_svg(found)) is not None


def test_nothing_to_draw_is_said() -> None:
    with pytest.raises(InputError, match="no case that both judges scored"):
        bands([])
    with pytest.raises(InputError, match="no case that both judges scored"):
        DoubtTable([])
    with pytest.raises(InputError, match="no band"):
        band_chart([])
    with pytest.raises(InputError, match="no band"):
        band_svg([])
    with pytest.raises(InputError, match="between 0 and 1"):
        at_share(simulated(3), 1.5)


def test_an_unknown_price_does_not_count_as_zero() -> None:
    cases = [Doubt(0.5, False, True, True, second_cost=None), Doubt(0.9, True, True, True)]
    assert at_share(cases, 0.0).cost == 0
    assert at_share(cases, 0.5).cost is None
    for draw in (frontier, band_chart, band_svg):
        with pytest.raises(InputError, match="is not known"):
            draw(bands(cases))
