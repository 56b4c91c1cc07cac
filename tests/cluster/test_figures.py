"""Figures of parts add up to those of the whole, in whatever order and however cut."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import numpy as np
import pytest

from halluscope import Outcome, Result, Usage
from halluscope._internal.cluster.cluster_run import sample_of
from halluscope._internal.cluster.file_stores import open_folder
from halluscope._internal.cluster.folder import Manifest, RunFolder
from halluscope._internal.cluster.part_statistics import PartStatistics
from halluscope._internal.core.errors import InputError
from halluscope._internal.runs.report.write import write_report
from halluscope._internal.runs.statistics.partial import Partial
from halluscope._internal.runs.statistics.summary import metric_summary
from halluscope._internal.stats.means import ScoreCounts

from ..helpers.reporting import many
from ..runs.report.test_report import contents


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
def test_merged_parts_equal_the_whole_in_any_order(seed: int) -> None:
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
    assert merged.unpriced == whole.unpriced and merged.paid.cost is None


def test_the_statistics_equal_those_of_all_scores() -> None:
    given = results(6000, 1)
    scores = np.array([result.score for result in given if result.score is not None])
    ours = counted(given).summary(6000)
    outcomes = {"scored": len(scores), "refusal": 6000 - len(scores)}
    passed = int((scores <= 0.5).sum())
    theirs = metric_summary(
        "m", ours.judge, "lower", 0.5, outcomes=outcomes, passed=passed, scores=ScoreCounts.of(scores), rows=6000
    )
    assert ours.mean == pytest.approx(scores.mean(), abs=1e-6)
    assert ours.median == pytest.approx(np.median(scores), abs=1e-6)
    assert ours.mean == pytest.approx(theirs.mean, abs=1e-6)
    assert ours.interval is not None and theirs.interval is not None
    assert (ours.interval.low, ours.interval.high) == pytest.approx((theirs.interval.low, theirs.interval.high))
    for name in ("median", "lowest", "highest"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), abs=1e-6), name
    for name in ("results", "scored", "coverage", "passed", "pass_rate", "pass_interval"):
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
    figures = PartStatistics(cases=4000, bad_rows=7, metrics={whole.metric: whole})
    run = sample_of(figures, given[:5], name="out", judge="local", created=0.0)
    write_report(run, tmp_path / "r.html")
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


def test_statistics_of_another_version_are_refused(tmp_path: Path) -> None:
    folder = RunFolder(open_folder(str(tmp_path)))
    asked = Manifest(data=("a.jsonl",), map={}, partition_rows=10, scorers=())
    folder.begin(msgspec.structs.replace(asked, form=1), fresh=False)
    with pytest.raises(InputError, match="another version of halluscope: name another folder"):
        folder.begin(asked, fresh=False)
    assert folder.begin(asked, fresh=True) == asked == folder.begin(asked, fresh=False)
