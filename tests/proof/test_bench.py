"""What is measured on a set, and how it is shown."""

from __future__ import annotations

import asyncio
import io
import json
import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from msgspec import structs
from rich.console import Console

from halluscope._internal.core.errors import InputError, JudgeRejected
from halluscope._internal.core.result import Usage
from halluscope._internal.engine import metrics
from halluscope._internal.engine.driver import RetryPolicy
from halluscope._internal.engine.judge import Answer, Call
from halluscope._internal.engine.questions import ExtractClaims, LabelAnswer, Labelled, Question
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope._internal.proof.bench.baselines import baselines, best_threshold
from halluscope._internal.proof.bench.bench_report import bench
from halluscope._internal.proof.bench.bench_table import shown
from halluscope._internal.proof.bench.cascade_curve import tradeoff
from halluscope._internal.proof.bench.figures import by_kind, measure, worst_mistakes
from halluscope._internal.proof.bench.judge_run import JudgeRun, run_judge
from halluscope._internal.proof.bench.picture import bench_svg
from halluscope._internal.proof.sets.public_sets import load_set
from halluscope._internal.runs.labelled_case import LabelledCase, fingerprint_of_cases, labelled, sample_of_cases


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path / "home"))


def cases(n: int = 200, seed: int = 0) -> list[LabelledCase]:
    rng = np.random.default_rng(seed)
    made = []
    for i in range(n):
        wrong = bool(rng.random() < 0.4)
        start = f"In case {i} the number is "
        output = f"{start}{i if not wrong else i + 1}." + " Or so." * int(rng.integers(0, 4))
        spans = [(len(start), len(start) + len(str(i + 1)))] if wrong else []
        group = "even" if i % 2 == 0 else "odd"
        made.append(
            labelled(
                output=output,
                context=[f"In case {i} the number is {i}."],
                hallucinated=wrong,
                id=str(i),
                spans=spans,
                group=group,
            )
        )
    return made


class Noisy:
    """A judge that knows the answer and doubts it: its probabilities are drawn by the case's id."""

    asks = False
    window = None

    def __init__(self, known: list[LabelledCase], name: str = "noisy", spread: float = 0.3, cost: float = 0.0) -> None:
        self._truth = {item.case.output: item.hallucinated for item in known}
        self._spread = spread
        self._cost = cost
        self.name = name
        self.at_once = self.most_at_once = 0

    def fingerprint(self) -> str:
        return self.name

    async def answer(self, question: Question[Any], call: Call) -> Answer[Any]:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        assert isinstance(question, LabelAnswer)
        rng = np.random.default_rng(len(question.output) + int("".join(c for c in question.output if c.isdigit())))
        middle = 0.5 + (0.3 if self._truth[question.output] else -0.3)
        p = float(np.clip(middle + self._spread * rng.standard_normal(), 0, 1))
        label = Labelled("hallucinated" if p >= 0.5 else "factual", ("so it seems",), p)
        usage = Usage(calls=1, input_tokens=10, output_tokens=2, cost=self._cost)
        return Answer(judge=self.name, value=label, usage=usage)


def test_figures_of_a_run_equal_scikit_learn() -> None:
    from sklearn import metrics as sk

    known = cases()
    run = run_judge(known, Noisy(known), metrics.resolve("label"))
    found = measure(run, resamples=50)
    truth = [item.hallucinated for item in known]
    p = [j.probability or 0.0 for j in run.judged]
    said = [x >= 0.5 for x in p]
    assert found.balanced_accuracy == pytest.approx(sk.balanced_accuracy_score(truth, said), abs=1e-9)
    assert found.precision == pytest.approx(sk.precision_score(truth, said), abs=1e-9)
    assert found.recall == pytest.approx(sk.recall_score(truth, said), abs=1e-9)
    assert found.f1 == pytest.approx(sk.f1_score(truth, said), abs=1e-9)
    assert found.auroc == pytest.approx(sk.roc_auc_score(truth, p), abs=1e-9)
    assert found.average_precision == pytest.approx(sk.average_precision_score(truth, p), abs=1e-9)
    assert found.brier == pytest.approx(sk.brier_score_loss(truth, p), abs=1e-9)
    tn, fp, fn, tp = sk.confusion_matrix(truth, said).ravel()
    assert found.confusion == {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    assert sum(b.n for b in found.calibration) == found.n == 200
    assert found.input_tokens == 2000
    for name, interval in found.intervals.items():
        assert interval is not None, name
        assert interval[0] <= getattr(found, name) <= interval[1]
    assert found.span_f1 is None  # a judge of whole outputs marks no spans
    groups = [g["balanced_accuracy"] for g in found.groups.values()]
    assert set(found.groups) == {"even", "odd"}
    assert found.mean_balanced_accuracy == pytest.approx(np.mean(groups))  # type: ignore[arg-type]


def test_cases_are_judged_some_at_a_time_and_stay_in_order() -> None:
    known = cases(60)
    judge = Noisy(known)
    done: list[int] = []
    run = run_judge(known, judge, metrics.resolve("label"), concurrency=7, progress=done.append)
    assert judge.most_at_once == 7
    assert done == list(range(1, 61))
    assert [j.item.case.id for j in run.judged] == [item.case.id for item in known]


def test_failures_count_against_coverage_and_not_as_mistakes() -> None:
    known = cases(40)

    def reply(question: Question[Any]) -> Any:
        assert isinstance(question, LabelAnswer)
        if "Or so." in question.output:
            return JudgeRejected("no such model", status=404)
        truth = next(item.hallucinated for item in known if item.case.output == question.output)
        return {"verdict": "hallucinated" if truth else "factual", "reason": ["known"]}

    run = run_judge(known, ScriptedJudge(reply), metrics.resolve("label"), retry_policy=RetryPolicy(retries=0))
    found = measure(run, resamples=20)
    failed = sum("Or so." in item.case.output for item in known)
    assert 0 < failed < 40
    assert found.coverage == (40 - failed) / 40
    assert found.failures == {"failed": failed}
    assert found.balanced_accuracy == found.precision == found.recall == 1
    assert found.scored == sum(found.confusion.values()) == 40 - failed
    assert not found.graded


def test_a_judge_that_always_fails_has_no_figures_rather_than_zeros() -> None:
    known = cases(10)
    judge = ScriptedJudge({"label": JudgeRejected("down", status=401)})
    run = run_judge(known, judge, metrics.resolve("label"), retry_policy=RetryPolicy(retries=0))
    found = measure(run, resamples=20)
    assert (found.coverage, found.f1, found.auroc, found.ece) == (0, None, None, None)
    assert found.intervals["f1"] is None


def test_span_f1_of_a_judge_that_marks_claims() -> None:
    """Whole sentences are marked where three characters are wrong: recall 1, precision as long as the sentence."""
    item = labelled(
        output="One is 1. Two is 3.", context=["One is 1. Two is 2."], hallucinated=True, id="x", spans=[(17, 18)]
    )
    plain = labelled(output="One is 1.", context=["One is 1."], hallucinated=False, id="y")

    def reply(question: Question[Any]) -> Any:
        if isinstance(question, ExtractClaims):
            return {"claims": [s for s in ("One is 1.", "Two is 3.") if s in question.output]}
        if question.kind == "verify":
            said = [{"id": c.id, "verdict": "yes" if "3" in c.text else "no", "reason": "r"} for c in question.claims]  # type: ignore[attr-defined]
            return {"verdicts": said}
        return {"reason": "So it is."}

    run = run_judge([item, plain], ScriptedJudge(reply), metrics.resolve("hallucination"))
    assert run.judged[0].spans == ((10, 19),)
    found = measure(run, resamples=20)
    assert found.span_f1 == pytest.approx(2 * 1 / (2 * 1 + 8))
    assert found.balanced_accuracy == 1


def test_each_kind_is_counted_apart_and_right_and_wrong_ones_of_a_name_too() -> None:
    kinds = [("role", True), ("role", True), ("bare", True), ("bare", False), (None, False), ("bare", False)]
    items = [
        labelled(output=f"Answer {i}.", context=[f"Text {i}."], hallucinated=wrong, id=str(i), kind=kind)
        for i, (kind, wrong) in enumerate(kinds)
    ]
    said = np.array([True, False, True, True, True, False])
    found = [(k.kind, k.hallucinated, k.n, k.right, k.rate) for k in by_kind(items, said)]
    assert found == [("role", True, 2, 1, 0.5), ("bare", True, 1, 1, 1.0), ("bare", False, 2, 1, 0.5)]
    assert all(0 <= k.interval[0] <= k.rate <= k.interval[1] <= 1 for k in by_kind(items, said))


def test_the_kinds_of_a_file_are_in_the_table_of_every_judge(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    rows = [
        {
            "context": f"Town {i} has {i} wells.",
            "output": f"Town {i} has {i + wrong} wells.",
            "label": wrong,
            "kind": kind,
        }
        for i in range(20)
        for wrong, kind in ((1, "[bold]wrong\x1b[31m number"), (0, "copied"))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    known = list(load_set(str(path)).cases)
    label = metrics.resolve("label")
    report = bench(str(path), [(Noisy(known, "one"), label), (Noisy(known, "two"), label)], resamples=20)
    for figures in (*report.judges, *report.baselines):
        assert [(k.hallucinated, k.n) for k in figures.kinds] == [(True, 20), (False, 20)]
    screen = io.StringIO()
    Console(file=screen, width=160).print(shown(report))
    assert "by kind" in screen.getvalue() and "copied" in screen.getvalue()
    assert "\x1b" not in screen.getvalue() and "[bold]wrong" in screen.getvalue()


def test_answers_about_one_text_are_drawn_together() -> None:
    """Eight copies of a case are one case: the interval must not become narrower by them."""
    once = [item for item in cases(60) if item.case.context]
    often = [structs.replace(item, case=structs.replace(item.case, id=f"{item.case.id}-{k}"))
             for item in once for k in range(8)]  # fmt: skip

    def width(items: list[LabelledCase]) -> float:
        low, high = measure(run_judge(items, Noisy(items), metrics.resolve("label"))).intervals[
            "balanced_accuracy"
        ] or (
            0,
            0,
        )
        return high - low

    assert width(often) == pytest.approx(width(once), rel=0.02)
    few = [structs.replace(item, case=structs.replace(item.case, context=("The same.",))) for item in once]
    assert width(few) > 0, "of one text nothing can be drawn: the cases are"


def test_the_same_seed_gives_the_same_sample_and_the_same_intervals() -> None:
    known = cases(100)
    assert [i.case.id for i in sample_of_cases(known, 10, 1)] == [i.case.id for i in sample_of_cases(known, 10, 1)]
    assert sample_of_cases(known, 10, 1) != sample_of_cases(known, 10, 2)
    assert sample_of_cases(known, 1000) == known
    with pytest.raises(InputError, match="at least 1"):
        sample_of_cases(known, 0)


@pytest.mark.parametrize("wrong", [1, 3, 52, 97, 99])
def test_a_few_cases_hold_both_labels_in_their_shares(wrong: int) -> None:
    known = [labelled(output=f"o{i}", context="c", hallucinated=i < wrong) for i in range(100)]
    for seed in range(20):
        for limit in (2, 6, 10, 50):
            drawn = sum(item.hallucinated for item in sample_of_cases(known, limit, seed))
            assert 1 <= drawn <= limit - 1
            assert abs(drawn - limit * wrong / 100) <= 1
        assert len(sample_of_cases(known, 1, seed)) == 1
    same = [item for item in known if item.hallucinated]
    assert all(item.hallucinated for item in sample_of_cases(same, 1))
    run = run_judge(known, Noisy(known), metrics.resolve("label"))
    assert measure(run, resamples=30, seed=4).intervals == measure(run, resamples=30, seed=4).intervals
    assert fingerprint_of_cases(known) != fingerprint_of_cases(known[:-1])


def test_baselines_show_what_can_be_guessed_without_reading(tmp_path: Path) -> None:
    """As on HaluEval QA: the wrong answers are longer. The report says so in a line."""
    path = tmp_path / "qa_data.json"
    with path.open("w") as file:
        for i in range(50):
            row = {
                "knowledge": f"The tower is in Paris. It has {i} steps.",
                "question": "Where is the tower?",
                "right_answer": "In Paris.",
                "hallucinated_answer": "The tower is in Rome, in Italy.",
            }
            file.write(json.dumps(row) + "\n")
    judge = ScriptedJudge({"label": {"verdict": "factual", "reason": ["whatever"]}}, name="naive")
    report = bench("halueval-qa", [(judge, metrics.resolve("label"))], file=path, resamples=50)
    always, length, overlap = report.baselines
    assert (always.judge, always.recall, always.balanced_accuracy, always.auroc) == ("always hallucinated", 1, 0.5, 0.5)
    assert (length.judge, length.auroc, length.balanced_accuracy) == ("longer answers", 1, 1)
    assert overlap.auroc is not None
    assert overlap.auroc > 0.9
    assert any("'longer answers' has AUROC 1.00" in line for line in report.remarks)
    assert any("naive is not better than a trivial baseline" in line for line in report.remarks)
    assert any("gives words, not probabilities" in line for line in report.remarks)
    assert length.ece is None


def test_baselines_turn_round_where_that_suits_the_set_better() -> None:
    short = [
        labelled(output="word " * (5 if wrong else 50), context=["c"], hallucinated=wrong, id=str(i))
        for i, wrong in enumerate([True, False] * 10)
    ]
    _, length, _ = baselines(short)
    assert length.judge == "shorter answers"
    assert [j.flagged for j in length.judged] == [item.hallucinated for item in short]


def test_the_best_threshold_is_the_best_of_all() -> None:
    from sklearn import metrics as sk

    rng = np.random.default_rng(0)
    for seed in range(8):
        truth = rng.random(40) < 0.5
        scores = np.asarray(np.round(rng.random(40) + 0.3 * truth, 1 if seed % 2 else 6), dtype=np.float64)
        found = sk.balanced_accuracy_score(truth, scores >= best_threshold(truth, scores))
        every = max(sk.balanced_accuracy_score(truth, scores >= t) for t in scores)
        assert found == pytest.approx(every)


def test_the_worst_mistakes_are_the_surest() -> None:
    known = cases(300)
    run = run_judge(known, Noisy(known, spread=0.5), metrics.resolve("label"))
    worst = worst_mistakes(run, 5)
    sure = [abs((j.probability or 0) - 0.5) for j in worst]
    wrong = [j for j in run.judged if j.flagged != j.item.hallucinated]
    assert all(j.flagged != j.item.hallucinated for j in worst)
    assert sure == sorted(sure, reverse=True)
    assert sure[-1] >= sorted((abs((j.probability or 0) - 0.5) for j in wrong), reverse=True)[4]


def test_a_threshold_overrides_the_judges_word() -> None:
    known = cases(50)
    run = run_judge(known, Noisy(known), metrics.resolve("label"), threshold=0.9)
    assert [j.flagged for j in run.judged] == [(j.probability or 0) >= 0.9 for j in run.judged]


def two_runs(perfect: bool = True) -> tuple[JudgeRun, JudgeRun]:
    known = cases(400)
    cheap = run_judge(known, Noisy(known, spread=0.35), metrics.resolve("label"))
    costly = Noisy(known, "costly", spread=0.0 if perfect else 0.3, cost=0.01)
    return cheap, run_judge(known, costly, metrics.resolve("label"))


def test_the_curve_of_a_cascade_goes_from_the_first_judge_to_the_second() -> None:
    cheap, costly = two_runs()
    points = tradeoff(cheap, costly)
    alone, both = measure(cheap, resamples=1), measure(costly, resamples=1)
    assert points[0].balanced_accuracy == alone.balanced_accuracy
    assert points[-1].balanced_accuracy == both.balanced_accuracy == 1
    assert points[0].cost == 0
    assert points[-1].cost == pytest.approx(4.0)
    closed = next(point for point in points if math.isclose(point.share, 0.3)).errors_closed
    assert closed is not None
    assert closed > 0.4  # the doubtful are wrong more often: asking about them beats asking at random
    accuracy = [point.accuracy for point in points]
    assert accuracy == sorted(accuracy)


def test_an_output_cannot_reach_the_terminal(tmp_path: Path) -> None:
    """Escape sequences and markup in outputs, ids and reasons are shown, not obeyed."""
    row = {"id": "\x1b[2J", "output": "\x1b[31m[red]x[/red]\x07", "context": "c", "label": 1}
    path = tmp_path / "evil.jsonl"
    path.write_text(json.dumps(row) + "\n" + json.dumps({**row, "id": "b", "label": 0}))
    judge = ScriptedJudge({"label": {"verdict": "factual", "reason": ["\x1b]0;title\x07 [bold]why[/bold]"]}})
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(shown(bench(str(path), [(judge, metrics.resolve("label"))], resamples=10)))
    text = console.export_text()
    assert "[red]x[/red]" in text
    assert "[bold]why[/bold]" in text
    assert "\x1b" not in text
    assert "\x07" not in text


def test_the_picture_is_well_formed_and_nothing_in_it_is_markup(tmp_path: Path) -> None:
    path = tmp_path / "q<b>.jsonl"
    rows = ({"output": f"{i}", "context": "1 2", "label": i % 2} for i in range(20))
    path.write_text("\n".join(json.dumps(row) for row in rows))
    replies = {"label": {"verdict": "factual", "reason": ["r"]}}
    pairs = [(ScriptedJudge(replies, name=f"<script>alert({i})</script>&"), metrics.resolve("label")) for i in range(2)]
    picture = bench_svg(bench(str(path), pairs, resamples=10))
    root = ElementTree.fromstring(picture)
    texts = ["".join(element.itertext()) for element in root.iter()]
    assert not [element for element in root.iter() if element.tag.endswith("script")]
    assert any("<script>alert(0)</script>&" in text for text in texts)
    assert any("cascade of" in text for text in texts)
