"""Figures of parts add up to those of the whole, in whatever order and however cut."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import msgspec
import numpy as np
import pytest

from halluscope import Outcome, Result, Usage
from halluscope._internal.distributed.cluster_run import CountedRun
from halluscope._internal.distributed.part_figures import PartFigures
from halluscope._internal.figures.partial import Partial
from halluscope._internal.figures.summary import Counted
from halluscope._internal.report.write import report_bytes

from ..report.test_report import contents
from ..reporting import many


def results(count: int, seed: int) -> list[Result]:
    drawn = random.Random(seed)
    made = []
    for number in range(count):
        scored = drawn.random() < 0.9
        score = drawn.choice([0.0, 1.0, 1 / 3, drawn.random()]) if scored else None
        made.append(
            Result(
                metric="m",
                metric_version="1",
                judge=drawn.choice(["a", "b"]),
                case_id=str(number),
                outcome=Outcome.SCORED if scored else Outcome.REFUSAL,
                score=score,
                direction="lower",
                threshold=0.5,
                passed=None if score is None else score <= 0.5,
                usage=Usage(1, 10, 2, drawn.choice([None, 0.1])),
                latency_ms=drawn.uniform(1, 1000),
            )
        )
    return made


def counted(given: list[Result]) -> Partial:
    partial = Partial("m", "lower")
    for result in given:
        partial.add(result)
    return partial


@pytest.mark.parametrize("seed", range(5))
def test_parts_in_any_order_are_the_whole_to_the_bit(seed: int) -> None:
    given = results(500, seed)
    whole = counted(given)
    drawn = random.Random(seed)
    drawn.shuffle(given)
    cuts = sorted(drawn.sample(range(500), 6))
    parts = [counted(given[a:b]) for a, b in zip([0, *cuts], [*cuts, 500], strict=True)]
    drawn.shuffle(parts)
    merged = Partial("m", "lower")
    for part in parts:
        merged.merge(msgspec.json.decode(msgspec.json.encode(part), type=Partial))  # as they travel
    ours, theirs = merged.summary(510), whole.summary(510)
    assert msgspec.structs.replace(ours, judge="", outcomes={}) == msgspec.structs.replace(
        theirs, judge="", outcomes={}
    )
    assert ours.outcomes == theirs.outcomes
    assert merged.latency() == whole.latency()
    assert merged.counts.unpriced == whole.counts.unpriced and merged.counts.paid.cost is None


def test_the_figures_are_those_that_are_worked_out_from_all_scores() -> None:
    given = results(6000, 1)
    scores = np.array([result.score for result in given if result.score is not None])
    ours = counted(given).summary(6000)
    outcomes = {"scored": len(scores), "refusal": 6000 - len(scores)}
    theirs = Counted(outcomes, int((scores <= 0.5).sum()), scores).summary("m", ours.judge, "lower", 0.5, 6000)
    exact = sum(map(Fraction, scores.tolist())) / len(scores)
    assert ours.mean == pytest.approx(float(exact), rel=1e-15)
    assert ours.interval is not None and theirs.interval is not None
    assert (ours.interval.low, ours.interval.high) == pytest.approx((theirs.interval.low, theirs.interval.high))
    assert ours.median == pytest.approx(theirs.median, abs=1e-4)
    for name in ("results", "scored", "coverage", "lowest", "highest", "passed", "pass_rate", "pass_interval"):
        assert getattr(ours, name) == getattr(theirs, name), name
    latency = counted(given).latency()
    assert latency["median"] == pytest.approx(np.median([result.latency_ms for result in given]), rel=0.02)


def test_nothing_scored_has_no_mean() -> None:
    empty = Partial("m", "lower").summary(0)
    assert (empty.mean, empty.median, empty.interval, empty.lowest, empty.coverage) == (None, None, None, None, 0.0)


def test_the_report_shows_a_sample_and_counts_everything(tmp_path: Path) -> None:
    given = list(many(40))
    whole = Partial(given[0][1].metric, given[0][1].direction)
    for _, result in given * 100:
        whole.add(result)
    figures = PartFigures(cases=4000, bad_rows=7, metrics={whole.metric: whole})
    run = CountedRun(name="out", judge="local", created=0.0, figures=figures, shown=given[:5])
    (tmp_path / "r.html").write_bytes(report_bytes(run))
    index = contents(tmp_path / "r.html")["index"]
    assert (index["sampled"], index["total"], len(index["cases"]["id"])) == (True, 4000, 5)
    assert index["metrics"][0]["results"] == 4000 and sum(index["metrics"][0]["histogram"]["counts"]) > 3000
    assert index["unread"]["count"] == 7


def test_the_threshold_of_a_profile_is_in_the_summary_of_all_parts() -> None:
    given = results(40, 1)
    assert counted(given).summary(40).flagged_from is None
    decided = {"probability": 0.9, "flagged_from": 0.37}
    profiled = [r if r.score is None else msgspec.structs.replace(r, figures=decided) for r in given]
    merged = Partial("m", "lower")
    for part in (counted(profiled[:3]), counted(profiled[3:])):
        merged.merge(msgspec.json.decode(msgspec.json.encode(part), type=Partial))
    assert merged.summary(40).flagged_from == 0.37
