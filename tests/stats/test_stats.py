"""The figures against scikit-learn, published examples and cases worked out by hand."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from halluscope._internal.core.errors import InputError
from halluscope._internal.stats.agreement import cohen_kappa, krippendorff_alpha
from halluscope._internal.stats.binomial import binomial_interval, binomial_lower
from halluscope._internal.stats.bootstrap import bootstrap
from halluscope._internal.stats.calibration import Calibration
from halluscope._internal.stats.confusion import Counting
from halluscope._internal.stats.means import mean_interval
from halluscope._internal.stats.ranking import Ranking
from halluscope._internal.stats.spans import SpanCounts, covered

Arrays = tuple[NDArray[np.bool_], NDArray[np.float64]]


def simulated(seed: int, n: int, *, steps: int | None = None, share: float = 0.4) -> Arrays:
    """Labels and scores that know something about them; with `steps` the scores have many ties."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < share
    scores = np.clip(0.5 + 0.2 * truth + 0.3 * rng.standard_normal(n), 0, 1)
    return truth, scores if steps is None else np.round(scores * steps) / steps


@pytest.fixture(scope="module")
def sk() -> Any:
    """The metrics of scikit-learn, which take seconds to import."""
    from sklearn import metrics

    return metrics


SAMPLES = [
    pytest.param(*simulated(1, 500), id="plain"),
    pytest.param(*simulated(2, 400, steps=4), id="ties"),
    pytest.param(*simulated(3, 300, steps=1), id="labels only"),
    pytest.param(*simulated(4, 1000, share=0.02), id="rare"),
    pytest.param(np.array([True, False]), np.array([0.5, 0.5]), id="one tie"),
    pytest.param(np.array([True, False]), np.array([0.0, 1.0]), id="upside down"),
    pytest.param(np.arange(9) % 2 == 0, np.zeros(9), id="all zero"),
    pytest.param(np.arange(9) % 2 == 0, np.ones(9), id="all one"),
]


def quiet(figure: Callable[..., Any], *args: Any, **kwargs: Any) -> float:
    """scikit-learn's figure without its warning that it is not defined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(figure(*args, **kwargs))


@pytest.mark.parametrize(("truth", "scores"), SAMPLES)
def test_counts_and_what_follows_from_them_equal_scikit_learn(
    sk: Any, truth: NDArray[np.bool_], scores: NDArray[np.float64]
) -> None:
    said = scores >= 0.6
    ours = Counting(truth, said)()
    tn, fp, fn, tp = sk.confusion_matrix(truth, said, labels=[False, True]).ravel()
    assert (ours.tn, ours.fp, ours.fn, ours.tp) == (tn, fp, fn, tp)
    theirs = {
        "precision": quiet(sk.precision_score, truth, said, zero_division=np.nan),
        "recall": quiet(sk.recall_score, truth, said, zero_division=np.nan),
        "f1": quiet(sk.f1_score, truth, said, zero_division=np.nan),
        "balanced_accuracy": quiet(sk.balanced_accuracy_score, truth, said),
        "accuracy": quiet(sk.accuracy_score, truth, said),
    }
    for name, value in theirs.items():
        assert getattr(ours, name) == pytest.approx(value, abs=1e-9, nan_ok=True), name


@pytest.mark.parametrize(("truth", "scores"), SAMPLES)
def test_ranking_and_calibration_equal_scikit_learn(
    sk: Any, truth: NDArray[np.bool_], scores: NDArray[np.float64]
) -> None:
    from sklearn.calibration import calibration_curve

    assert Ranking(truth, scores).auroc() == pytest.approx(sk.roc_auc_score(truth, scores), abs=1e-9)
    assert Ranking(truth, scores).average_precision() == pytest.approx(
        sk.average_precision_score(truth, scores), abs=1e-9
    )
    assert Calibration(truth, scores).brier() == pytest.approx(sk.brier_score_loss(truth, scores), abs=1e-9)
    shares, means = calibration_curve(truth, scores, n_bins=10)
    curve = Calibration(truth, scores).curve()
    assert [b.share_hallucinated for b in curve] == pytest.approx(list(shares), abs=1e-9)
    assert [b.mean_probability for b in curve] == pytest.approx(list(means), abs=1e-9)
    by_hand = sum(b.n * abs(b.mean_probability - b.share_hallucinated) for b in curve) / len(truth)
    assert Calibration(truth, scores).error() == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_weighted_figures_equal_those_of_repeated_cases(sk: Any, seed: int) -> None:
    truth, scores = simulated(seed, 60, steps=10)
    weights = np.random.default_rng(seed).integers(0, 4, size=60)
    many, many_scores = np.repeat(truth, weights), np.repeat(scores, weights)
    assert Ranking(truth, scores).auroc(weights) == pytest.approx(sk.roc_auc_score(many, many_scores), abs=1e-9)
    expected = sk.average_precision_score(many, many_scores)
    assert Ranking(truth, scores).average_precision(weights) == pytest.approx(expected, abs=1e-9)
    assert Calibration(truth, scores).brier(weights) == pytest.approx(sk.brier_score_loss(many, many_scores), abs=1e-9)
    repeated = Calibration(many, many_scores).error()
    assert Calibration(truth, scores).error(weights) == pytest.approx(repeated, abs=1e-9)
    assert Counting(truth, scores > 0.5)(weights) == Counting(many, many_scores > 0.5)()


def test_what_is_not_defined_is_nan_and_not_a_made_up_number() -> None:
    good = [False, False]
    assert math.isnan(Ranking(good, [0.1, 0.9]).auroc())
    assert math.isnan(Ranking(good, [0.1, 0.9]).average_precision())
    assert math.isnan(Counting(good, good)().precision)
    assert math.isnan(Counting(good, good)().f1)
    assert math.isnan(Counting(good, good)().balanced_accuracy)
    assert math.isnan(Ranking([], []).auroc())
    assert math.isnan(Calibration([], []).brier())
    assert Counting([True, False], good)().f1 == 0


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Counting([True], [True, False])(),
        lambda: Counting([2], [1])(),
        lambda: Ranking([True, False], [0.1, float("nan")]).auroc(),
        lambda: Calibration([True], [1.5]).brier(),
        lambda: Ranking([True, False], [0.1, 0.2]).auroc([1, -1]),
        lambda: covered([(3, 9)], 5),
        lambda: cohen_kappa(["a"], []),
        lambda: binomial_lower(3, 2),
    ],
)
def test_input_that_cannot_be_measured_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        wrong()


def test_span_f1_equals_scikit_learn_on_characters(sk: Any) -> None:
    rng = np.random.default_rng(0)
    cases = []
    for _ in range(40):
        length = int(rng.integers(1, 80))
        marked = [
            [tuple(sorted(int(x) for x in rng.integers(0, length + 1, 2))) for _ in range(rng.integers(0, 4))]
            for _ in range(2)
        ]
        cases.append((marked[0], marked[1], length))
    counts = SpanCounts(cases)  # type: ignore[arg-type]
    people = np.concatenate([covered(a, n) for a, _, n in cases])  # type: ignore[arg-type]
    judge = np.concatenate([covered(b, n) for _, b, n in cases])  # type: ignore[arg-type]
    assert counts.f1() == pytest.approx(sk.f1_score(people, judge), abs=1e-9)


def test_kappa_equals_scikit_learn_and_the_textbook_example(sk: Any) -> None:
    rng = np.random.default_rng(0)
    first = rng.choice(["good", "bad", "unsure"], 300)
    second = np.where(rng.random(300) < 0.6, first, rng.choice(["good", "bad", "unsure"], 300))
    assert cohen_kappa(list(first), list(second)) == pytest.approx(sk.cohen_kappa_score(first, second), abs=1e-9)
    # 50 grant proposals: 20 both yes, 15 both no, 5 and 10 apart; kappa is 0.4.
    a = ["y"] * 25 + ["n"] * 25
    b = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert cohen_kappa(a, b) == pytest.approx(0.4, abs=1e-12)
    assert math.isnan(cohen_kappa(["y", "y"], ["y", "y"]))


def test_alpha_gives_the_published_values() -> None:
    """Three coders with gaps."""
    gap = None
    a = [gap, gap, gap, gap, gap, 3, 4, 1, 2, 1, 1, 3, 3, gap, 3]
    b = [1, gap, 2, 1, 3, 3, 4, 3, gap, gap, gap, gap, gap, gap, gap]
    c = [gap, gap, 2, 1, 3, 4, 4, gap, 2, 1, 1, 3, 3, gap, 4]
    units = list(zip(a, b, c, strict=True))
    assert krippendorff_alpha(units) == pytest.approx(0.691, abs=5e-4)
    assert krippendorff_alpha([("x", "x"), ("y", "y")]) == 1.0
    assert math.isnan(krippendorff_alpha([("x", None)]))


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(0, 10, 0.0, 0.3085), (10, 10, 0.6915, 1.0), (5, 10, 0.1871, 0.8129), (20, 100, 0.1267, 0.2918)],
)
def test_exact_interval_of_a_rate(k: int, n: int, low: float, high: float) -> None:
    """Clopper-Pearson intervals as printed in tables."""
    interval = binomial_interval(k, n)
    assert [interval.low, interval.high] == pytest.approx([low, high], abs=1e-4)


def test_interval_of_a_mean_agrees_with_the_normal_one() -> None:
    """For a share of 0.3 of 2000 the interval is known: 0.3 ± 1.96 × √(0.3 × 0.7 / 2000)."""
    values = np.zeros(2000)
    values[:600] = 1
    interval = bootstrap(lambda w: float(w @ values / w.sum()), 2000, resamples=4000)
    half = 1.96 * math.sqrt(0.3 * 0.7 / 2000)
    assert interval is not None
    assert interval.low == pytest.approx(0.3 - half, abs=0.0015)
    assert interval.high == pytest.approx(0.3 + half, abs=0.0015)


def test_interval_of_auroc_agrees_with_the_textbook_formula() -> None:
    """Hanley and McNeil's standard error, for scores of two normal distributions one apart."""
    rng = np.random.default_rng(5)
    truth = np.arange(800) < 400
    scores = rng.standard_normal(800) + truth
    ranking = Ranking(truth, scores)
    area = ranking.auroc()
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    variance = (area * (1 - area) + 399 * (q1 - area**2) + 399 * (q2 - area**2)) / (400 * 400)
    interval = bootstrap(ranking.auroc, 800)
    assert interval is not None
    assert interval.width == pytest.approx(2 * 1.96 * math.sqrt(variance), rel=0.1)


@pytest.mark.slow("simulates thousands of samples")
def test_intervals_hold_the_true_value_as_often_as_they_promise() -> None:
    """Of 200 samples from a known coin, about 190 intervals hold its rate."""
    rng = np.random.default_rng(11)
    held = 0
    for seed in range(200):
        values = (rng.random(150) < 0.4).astype(np.float64)
        interval = bootstrap(lambda w, v=values: float(w @ v / w.sum()), 150, resamples=300, seed=seed)  # type: ignore[misc]
        assert interval is not None
        held += interval.low <= 0.4 <= interval.high
    assert 180 <= held <= 199


def test_the_same_seed_gives_the_same_interval_and_an_undefined_figure_none() -> None:
    truth, scores = simulated(0, 80)
    ranking = Ranking(truth, scores)
    assert bootstrap(ranking.auroc, 80, seed=3) == bootstrap(ranking.auroc, 80, seed=3)
    assert bootstrap(ranking.auroc, 80, seed=3) != bootstrap(ranking.auroc, 80, seed=4)
    assert bootstrap(lambda w: float("nan"), 80) is None
    assert bootstrap(ranking.auroc, 0) is None


def test_paired_differences_tell_noise_from_change() -> None:
    rng = np.random.default_rng(0)
    hard = rng.random(300)
    same = mean_interval(np.clip(hard + 0.01 * rng.standard_normal(300), 0, 1) - hard)
    better = mean_interval(0.02 + 0.01 * rng.standard_normal(300))
    assert same is not None and same.low <= 0 <= same.high
    assert better is not None and 0 < better.low <= 0.02 <= better.high
    # Unpaired, the spread of the cases themselves would hide so small a change.
    assert better.width < 0.01 < np.std(hard) / math.sqrt(300)
