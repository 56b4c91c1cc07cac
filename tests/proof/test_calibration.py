"""Thresholds that keep what they promise, mappings that equal scikit-learn's, and profiles that come back."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs
from numpy.typing import NDArray

from halluscope._internal.core.errors import InputError, UnknownName
from halluscope._internal.core.result import Outcome, Result
from halluscope._internal.core.verdict import Claim, Support, Verdict
from halluscope._internal.proof.calibration.fitting import (
    Threshold,
    calibrate,
    cautions,
    cross_fitted,
    fitted,
    isotonic,
    labels_needed,
    platt,
    threshold_for,
)
from halluscope._internal.runs.profile import Profile, is_flagged, probability_of, profile_names
from halluscope._internal.stats.calibration import Calibration

Sample = tuple[NDArray[np.bool_], NDArray[np.float64]]


def drawn(rng: np.random.Generator, n: int, steps: int | None = None) -> Sample:
    """Labels and scores as a middling judge gives them: beta distributions that overlap."""
    truth = rng.random(n) < 0.5
    scores = np.where(truth, rng.beta(3, 2, n), rng.beta(2, 4, n))
    return truth, scores if steps is None else np.round(scores * steps) / steps


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path))


@pytest.mark.slow("simulates hundreds of samples")
@pytest.mark.parametrize("n", [50, 120, 400])
@pytest.mark.parametrize("wanted", [0.7, 0.8, 0.9])
@pytest.mark.parametrize("steps", [None, 10], ids=["continuous", "tied"])
def test_the_promised_recall_holds_in_95_of_100_simulations(n: int, wanted: float, steps: int | None) -> None:
    """The truth is known here: recall on 200,000 further cases. Labels as few as 50."""
    rng = np.random.default_rng(20240501 + n)
    future, future_scores = drawn(rng, 200_000, steps)
    caught = np.sort(future_scores[future])
    kept = 0
    for _ in range(100):
        truth, scores = drawn(rng, n, steps)
        threshold = threshold_for("recall", scores[truth], wanted).value
        kept += bool(1 - np.searchsorted(caught, threshold) / len(caught) >= wanted)
    assert kept >= 95


@pytest.mark.parametrize("wanted", [0.1, 0.2])
def test_the_promised_rate_of_false_alarms_holds_in_95_of_100_simulations(wanted: float) -> None:
    rng = np.random.default_rng(77)
    future, future_scores = drawn(rng, 200_000)
    kept = 0
    for _ in range(100):
        truth, scores = drawn(rng, 150)
        found = threshold_for("false_alarms", scores[~truth], wanted)
        kept += found.reachable and float((future_scores[~future] >= found.value).mean()) <= wanted
    assert kept >= 95


def test_the_promise_is_kept_as_often_as_its_confidence_says_and_not_much_oftener() -> None:
    """At 80 % confidence about 80 of 100 keep it: the threshold is not merely timid."""
    rng = np.random.default_rng(8)
    kept = 0
    for _ in range(400):
        scores = rng.random(300)  # so that the recall at a threshold is 1 - threshold
        kept += 1 - threshold_for("recall", scores, 0.8, confidence=0.8).value >= 0.8
    assert 0.76 <= kept / 400 <= 0.88


def test_the_promise_is_not_bought_by_flagging_everything() -> None:
    """With many labels the threshold comes close to the one that just gives the recall."""
    rng = np.random.default_rng(3)
    truth, scores = drawn(rng, 20_000)
    chosen = threshold_for("recall", scores[truth], 0.9).value
    ideal = float(np.quantile(scores[truth], 0.1))
    assert ideal - 0.02 < chosen <= ideal


@pytest.mark.parametrize(("m", "wanted", "k"), [(14, 0.8, 1), (29, 0.9, 1), (59, 0.95, 1), (46, 0.9, 2), (93, 0.9, 5)])
def test_known_order_statistics(m: int, wanted: float, k: int) -> None:
    """The ranks printed in tables of one-sided distribution-free tolerance limits (95 %)."""
    scores = np.arange(1, m + 1) / (m + 1)
    assert threshold_for("recall", scores, wanted, confidence=0.95).value == scores[k - 1]


@pytest.mark.parametrize(("wanted", "needed"), [(0.8, 14), (0.9, 29), (0.95, 59), (0.99, 299)])
def test_with_too_few_labels_everything_is_flagged_and_the_number_needed_is_said(wanted: float, needed: int) -> None:
    assert labels_needed(wanted, 0.95) == needed
    assert threshold_for("recall", [0.5] * needed, wanted, 0.95).reachable
    assert threshold_for("recall", [0.5] * (needed - 1), wanted, 0.95) == Threshold(value=0.0, reachable=False)
    truth, scores = [True] * (needed - 1) + [False] * 50, [0.6] * (needed - 1) + [0.2] * 50
    profile = calibrate(truth, scores, name="p", judge="j", metric="label", recall=wanted, confidence=0.95)
    assert profile.recall == profile.false_alarms == 1
    (said,) = (line for line in cautions(profile, truth, scores) if "too few" in line)
    assert f"{wanted:g} needs {needed} labels" in said


def test_with_too_few_labels_for_few_false_alarms_nothing_is_flagged() -> None:
    truth, scores = [True] * 40 + [False] * 10, [1.0] * 40 + [0.2] * 10
    profile = calibrate(truth, scores, name="p", judge="j", metric="label", false_alarms=0.05)
    assert not profile.reachable
    assert profile.recall == profile.false_alarms == 0


@pytest.mark.parametrize("steps", [None, 20])
def test_isotonic_equals_scikit_learn(steps: int | None) -> None:
    from sklearn.isotonic import IsotonicRegression

    truth, scores = drawn(np.random.default_rng(1), 400, steps)
    edge = 1 / 402
    theirs = IsotonicRegression(y_min=edge, y_max=1 - edge, out_of_bounds="clip").fit(scores, truth)
    ours = isotonic(truth, scores)
    points = np.linspace(0, 1, 301)
    assert [ours(p) for p in points] == pytest.approx(list(theirs.predict(points)), abs=1e-9)


def test_platt_equals_an_unpenalised_logistic_regression_on_softened_targets() -> None:
    from sklearn.linear_model import LogisticRegression

    truth, scores = drawn(np.random.default_rng(2), 300)
    bad, good = int(truth.sum()), int((~truth).sum())
    high, low = (bad + 1) / (bad + 2), 1 / (good + 2)
    weights = np.r_[np.where(truth, high, low), np.where(truth, 1 - high, 1 - low)]
    theirs = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000)
    theirs.fit(np.r_[scores, scores][:, None], np.r_[np.ones(300), np.zeros(300)], sample_weight=weights)
    ours = platt(truth, scores)
    assert ours.slope == pytest.approx(theirs.coef_[0, 0], rel=1e-4)
    assert ours.offset == pytest.approx(theirs.intercept_[0], rel=1e-4)


@pytest.mark.parametrize("kind", ["isotonic", "platt"])
def test_mappings_rise_and_stay_between_0_and_1(kind: str) -> None:
    truth, scores = drawn(np.random.default_rng(5), 60, steps=4)
    mapping = fitted(truth, scores, kind)  # type: ignore[arg-type]
    values = [mapping(p) for p in np.linspace(0, 1, 101)]
    assert values == sorted(values)
    assert all(0 < value < 1 for value in values)


def test_separable_scores_do_not_break_the_curve() -> None:
    mapping = platt([False] * 30 + [True] * 30, [0.1] * 30 + [0.9] * 30)
    assert mapping(0.0) < 0.1 < 0.9 < mapping(1.0)
    assert math.isfinite(mapping.slope)


def test_mapping_makes_an_overconfident_judge_honest_on_cases_it_has_not_seen() -> None:
    rng = np.random.default_rng(9)
    p = rng.random(3000)
    truth = rng.random(3000) < p
    boastful = np.clip(0.5 + (p - 0.5) * 3, 0, 1)
    before = Calibration(truth, boastful).error()
    after = Calibration(truth, cross_fitted(truth, boastful)).error()
    assert before > 0.1
    assert after < 0.04


def test_one_kind_of_case_cannot_calibrate() -> None:
    with pytest.raises(InputError, match="both kinds"):
        calibrate([True] * 60, [0.5] * 60, name="p", judge="j", metric="label", recall=0.8)
    with pytest.raises(InputError, match="one of them"):
        calibrate([True, False], [0.5, 0.4], name="p", judge="j", metric="label")


def test_a_judge_of_words_that_cannot_keep_the_promise_is_named() -> None:
    """Its recall is 0.6 and there is no score in between: only flagging everything promises 0.9."""
    truth = [True] * 50 + [False] * 50
    said = [1.0] * 30 + [0.0] * 20 + [0.0] * 50
    profile = calibrate(truth, said, name="p", judge="j", metric="label", recall=0.9)
    assert profile.threshold == 0.0
    assert any("flags every case" in line for line in cautions(profile, truth, said))


def made(**changes: object) -> Profile:
    truth, scores = drawn(np.random.default_rng(0), 300)
    profile = calibrate(
        truth.tolist(), scores.tolist(), name="mine", judge="local", metric="label", metric_version="v1", recall=0.8
    )
    return structs.replace(profile, **changes)


def test_a_profile_comes_back_as_it_was_saved() -> None:
    profile = made()
    path = profile.save()
    assert Profile.load("mine") == profile
    assert profile_names() == ("mine",)
    assert [p.name for p in path.parent.iterdir()] == ["mine.json"]


def test_profiles_that_are_not_there_or_not_readable_are_named() -> None:
    with pytest.raises(UnknownName, match="halluscope calibrate"):
        Profile.load("nobody")
    for name in ("../escape", "", "a/b", ".hidden"):
        with pytest.raises(InputError, match="cannot name a profile"):
            Profile.load(name)
    made().save().write_text('{"name": "mine"')
    with pytest.raises(InputError, match="cannot be read"):
        Profile.load("mine")


def result(**fields: object) -> Result:
    base = Result(
        metric="label",
        metric_version="v1",
        judge="local",
        case_id="1",
        outcome=Outcome.SCORED,
        score=0.0,
        direction="lower",
        threshold=0.5,
        passed=True,
        label="factual",
    )
    return structs.replace(base, **fields)


def verdict(support: Support, confidence: float | None = None, passage: int | None = None) -> Verdict:
    return Verdict(Claim("c1", "A claim."), support, confidence=confidence, passage=passage)


BAD, GOOD, NONE = Support.CONTRADICTED, Support.SUPPORTED, Support.NOT_A_CLAIM


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"probability": 0.7, "verdicts": (verdict(GOOD, 0.9),)}, 0.7),
        ({"verdicts": (verdict(GOOD, 0.9), verdict(BAD, 0.8))}, 0.8),
        ({"verdicts": (verdict(GOOD, 0.9), verdict(GOOD, 0.6))}, 0.4),
        ({"verdicts": (verdict(GOOD, 0.9),) * 50}, 0.1),
        ({"verdicts": (verdict(GOOD), verdict(BAD), verdict(BAD), verdict(NONE))}, 2 / 3),
        ({"verdicts": (verdict(GOOD, 0.9), verdict(BAD))}, 0.5),
        ({"verdicts": (), "score": 0.3}, 0.3),
        ({"verdicts": (), "score": 0.3, "direction": "higher"}, 0.7),
        ({"verdicts": (), "score": 7.0}, 1.0),
        ({"outcome": Outcome.NO_CLAIMS, "score": None}, None),
        ({"outcome": Outcome.FAILED, "score": None, "probability": 0.5}, None),
    ],
)
def test_the_probability_of_a_result(fields: dict[str, object], expected: float | None) -> None:
    found = probability_of(result(**fields))
    assert found == (None if expected is None else pytest.approx(expected))


def test_flagged_is_the_label_or_else_the_threshold() -> None:
    assert is_flagged(result(label="hallucinated")) is True
    assert is_flagged(result(label=None, passed=False)) is True
    assert is_flagged(result(outcome=Outcome.REFUSAL)) is None


def test_applying_a_profile_changes_label_and_probability_but_not_the_score() -> None:
    profile = made()
    above, below = profile.threshold, profile.threshold - 1e-9
    flagged = profile.applied(result(probability=above))
    assert (flagged.label, flagged.passed, flagged.score) == ("hallucinated", False, 0.0)
    assert flagged.probability == pytest.approx(profile.mapping(above))
    assert profile.applied(result(probability=below)).label == "factual"
    silent = result(outcome=Outcome.FAILED, score=None, passed=None)
    assert profile.applied(silent) is silent


def test_a_profile_of_another_judge_or_metric_is_not_trusted_silently() -> None:
    profile = made()
    other = profile.applied(result(probability=0.5, judge="openai/x"))
    assert any("does not hold for this one" in note for note in other.notes)
    changed = profile.applied(result(probability=0.5, metric_version="v2"))
    assert any("calibrate again" in note for note in changed.notes)
    with pytest.raises(InputError, match="is for the metric"):
        profile.applied(result(metric="faithfulness"))
