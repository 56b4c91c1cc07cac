"""What is in the report's file: figures, records, and a page that cannot be broken out of."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import random
import re
import tracemalloc
import zlib
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halluscope import Case, Claim, Evidence, Outcome, Result, Run, Support, Usage, Verdict, evaluate
from halluscope._internal.core.errors import InputError, WriteError
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope._internal.runs.report import Results, write_report, write_results
from halluscope._internal.runs.report.groups import MetadataGroups
from halluscope._internal.runs.report.page import MODULES, STYLE_SHEETS, script, style
from halluscope._internal.runs.report.source import shown_moment
from halluscope._internal.runs.report.write import CHANGES
from halluscope._internal.runs.store import Store
from halluscope._internal.stats.means import mean_interval, share_interval

from ...helpers.reporting import judged, many, unscored

ROOT = Path(__file__).parents[3]
ASSETS = ROOT / "src" / "halluscope" / "_internal" / "runs" / "report" / "assets"
BLOCK = re.compile(r'<script type="text/plain" id="([\w-]+)">([A-Za-z0-9+/=]*)</script>')


def contents(path: Path) -> dict[str, Any]:
    """The data blocks of a report, opened."""
    blocks = BLOCK.findall(path.read_text(encoding="utf-8"))
    return {id: json.loads(zlib.decompress(base64.b64decode(packed))) for id, packed in blocks}


def records(path: Path, kind: str) -> list[Any]:
    return [record for id, held in contents(path).items() if id.startswith(f"{kind}-") for record in held]


def page_without_data(path: Path) -> str:
    return BLOCK.sub("", path.read_text(encoding="utf-8"))


class TestFigures:
    def test_only_scored_cases_count_in_the_mean(self, tmp_path: Path) -> None:
        pairs = list(many(50))
        index = contents(write_results(pairs, tmp_path / "r.html"))["index"]
        (metric,) = index["metrics"]
        scores = [result.score for _, result in pairs if result.score is not None]
        assert metric["mean"]["value"] == pytest.approx(sum(scores) / len(scores))
        assert (metric["results"], metric["scored"]) == (50, 45)
        assert metric["outcomes"] == {"scored": 45, "failed": 5}
        assert sum(metric["histogram"]["counts"]) == 45
        assert sum(metric["histogram"]["passed"]) == sum(bool(result.passed) for _, result in pairs)
        assert metric["usage"]["calls"] == 45

    def test_the_interval_is_that_of_drawing_cases_again(self) -> None:
        rng = random.Random(4)
        values = [rng.randint(0, 5) / 5 for _ in range(300)]
        figure = mean_interval(np.array(values))
        assert figure is not None
        draws = np.random.default_rng(1).choice(values, size=(4000, 300)).mean(axis=1)
        low, high = np.quantile(draws, [0.025, 0.975])
        assert figure.low == pytest.approx(low, abs=0.006)
        assert figure.high == pytest.approx(high, abs=0.006)

    def test_the_figures_are_those_of_the_runs_own_summary_and_comparison(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "runs.db")
        rows = [{"id": f"c{i}", "output": f"Answer {i}.", "context": ["x"]} for i in range(40)]

        def judged_wrong(digit: str) -> ScriptedJudge:
            def reply(question: Any) -> dict[str, Any]:
                return {"verdict": "hallucinated" if digit in question.output else "factual", "reason": ["r"]}

            return ScriptedJudge(reply, name=f"wrong {digit}")

        before = evaluate(rows, metrics=["label"], judge=judged_wrong("7"), run="a", store=store)
        after = evaluate(rows, metrics=["label"], judge=judged_wrong("3"), run="b", store=store)
        (metric,) = contents(after.report(tmp_path / "r.html", baseline="a"))["index"]["metrics"]
        summary, compared = after.summary()["label"], after.compare(before).metrics[0]
        assert summary.interval is not None and compared.interval is not None
        assert metric["mean"] == pytest.approx(
            {"value": summary.mean, "low": summary.interval.low, "high": summary.interval.high}
        )
        assert metric["change"]["mean"] == pytest.approx(
            {"value": compared.difference, "low": compared.interval.low, "high": compared.interval.high}
        )
        assert {kind: metric["change"]["counts"][kind] for kind in compared.counts} == compared.counts
        assert metric["change"]["comparable"] is compared.comparable is False

    def test_what_changed_is_what_the_runs_comparison_says_also_where_cases_have_no_id(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "runs.db")

        def reply(question: Any) -> dict[str, Any]:
            return {"verdict": "hallucinated" if "wrong" in question.output else "factual", "reason": ["r"]}

        def run(name: str, wrong: int) -> Run:
            said = ["wrong"] * wrong + ["right"] * (20 - wrong)
            rows = [{"output": f"{word} {i}", "context": ["x"], "input": f"{i}?"} for i, word in enumerate(said)]
            return evaluate(rows, metrics=["label"], judge=ScriptedJudge(reply), run=name, store=store)

        before, after = run("a", 2), run("b", 7)
        (metric,) = contents(after.report(tmp_path / "r.html", baseline="a"))["index"]["metrics"]
        compared = after.compare(before).metrics[0]
        assert compared.counts == {"worse": 5, "same": 15}
        assert {kind: metric["change"]["counts"][kind] for kind in compared.counts} == compared.counts

    def test_scores_that_all_differ_give_the_same_interval_as_drawing_them(self) -> None:
        values = np.random.default_rng(3).random(5000)
        figure = mean_interval(values)
        assert figure is not None
        half = 1.96 * values.std() / 5000**0.5
        assert figure.low == pytest.approx(values.mean() - half, abs=0.001)
        assert figure.high == pytest.approx(values.mean() + half, abs=0.001)

    def test_a_share_has_an_interval_even_where_all_passed(self) -> None:
        """Against the published values of Wilson's interval."""
        ten = share_interval(10, 10)
        assert ten is not None and ten.low == pytest.approx(0.7225, abs=1e-4) and ten.high == pytest.approx(1.0)
        half = share_interval(50, 100)
        assert half is not None and half.low == pytest.approx(0.4038, abs=1e-4)
        assert half.high == pytest.approx(0.5962, abs=1e-4)
        assert share_interval(0, 0) is None

    def test_one_score_has_no_interval_and_none_no_mean(self, tmp_path: Path) -> None:
        case = Case.of("A b.", ["A b."])
        (one,) = contents(write_results([(case, judged(case, score=0.25))], tmp_path / "r.html"))["index"]["metrics"]
        assert one["mean"] == {"value": 0.25, "low": None, "high": None}
        failed = unscored(case, Outcome.FAILED, "No score.")
        (none,) = contents(write_results([(case, failed)], tmp_path / "r.html"))["index"]["metrics"]
        assert (none["mean"], none["passed"]) == (None, None)

    def test_a_price_that_is_not_known_is_counted_and_not_taken_for_nothing(self, tmp_path: Path) -> None:
        case = Case.of("A b.", ["A b."])
        pairs = [
            (case, judged(case, usage=Usage(1, 10, 5, 0.25))),
            (case, judged(case, usage=Usage(1, 10, 5, None))),
        ]
        (metric,) = contents(write_results(pairs, tmp_path / "r.html"))["index"]["metrics"]
        assert (metric["usage"]["cost"], metric["unpriced"]) == (0.25, 1)
        assert metric["usage"]["input_tokens"] == 20

    def test_scores_beyond_one_widen_the_range(self, tmp_path: Path) -> None:
        case = Case.of("A b.", ["A b."])
        path = write_results([(case, judged(case, score=7.5))], tmp_path / "r.html")
        histogram = contents(path)["index"]["metrics"][0]["histogram"]
        assert (histogram["low"], histogram["high"]) == (0.0, 7.5)
        assert histogram["counts"][-1] == 1

    def test_a_score_on_an_edge_is_counted_to_its_right(self, tmp_path: Path) -> None:
        case = Case.of("A b.", ["A b."])
        scores = (0.0, 0.15, 0.3, 0.35, 0.55, 0.6, 0.7, 1.0)
        path = write_results([(case, judged(case, score=score)) for score in scores], tmp_path / "r.html")
        counts = contents(path)["index"]["metrics"][0]["histogram"]["counts"]
        assert [i for i, n in enumerate(counts) if n] == [0, 3, 6, 7, 11, 12, 14, 19]


class TestChanges:
    def changes(self, path: Path) -> list[str]:
        index = contents(path)["index"]
        return [index["changes"][number] for number in index["results"]["change"]]

    def test_each_case_is_held_against_its_earlier_self(self, tmp_path: Path) -> None:
        cases = [Case.of(f"Answer {i}.", ["x"], id=f"c{i}") for i in range(6)]
        failed = unscored(cases[3], Outcome.FAILED, "No score.")
        before = [judged(case, score=0.5) for case in cases[:5]]
        after = [
            judged(cases[0], score=0.5),
            judged(cases[1], score=0.75),
            judged(cases[2], score=0.25),
            failed,
            judged(cases[5], score=0.1),
        ]
        now = [(case, result) for case in cases for result in after if result.case_id == case.id]
        path = write_results(now, tmp_path / "r.html", baseline=zip(cases, before, strict=False))
        assert self.changes(path) == ["same", "worse", "better", "lost", "new"]
        change = contents(path)["index"]["metrics"][0]["change"]
        assert change["gone"] == 1
        assert change["n"] == 3
        assert change["mean"]["value"] == pytest.approx(0.0)
        assert not change["beyond_noise"]

    def test_up_is_better_where_higher_is_better(self, tmp_path: Path) -> None:
        case = Case.of("Answer.", ["x"], id="c")
        before, after = (judged(case, metric="faithfulness", score=score) for score in (0.5, 0.75))
        path = write_results([(case, after)], tmp_path / "r.html", baseline=[(case, before)])
        assert self.changes(path) == ["better"]

    def test_a_real_shift_is_beyond_noise_and_a_small_one_is_not(self, tmp_path: Path) -> None:
        rng = random.Random(2)
        cases = [Case.of(f"Answer {i}.", ["x"], id=f"c{i}") for i in range(200)]
        before = [(case, judged(case, score=rng.random())) for case in cases]
        for shift, expected in ((0.1, True), (0.0, False)):
            after = [
                (case, judged(case, score=min(1.0, max(0.0, (old.score or 0) + shift + rng.uniform(-0.2, 0.2)))))
                for case, old in before
            ]
            path = write_results(after, tmp_path / "r.html", baseline=before)
            assert contents(path)["index"]["metrics"][0]["change"]["beyond_noise"] is expected

    def test_cases_without_an_id_are_matched_by_their_question(self, tmp_path: Path) -> None:
        before = [(case := Case.of("Old answer.", ["x"], "Why?"), judged(case, score=0.0))]
        after = [(case := Case.of("New answer.", ["x"], "Why?"), judged(case, score=1.0))]
        path = write_results(after, tmp_path / "r.html", baseline=before)
        assert self.changes(path) == ["worse"]
        assert contents(path)["index"]["metrics"][0]["change"]["gone"] == 0

    def test_named_cases_are_not_matched_by_their_question_where_ids_mean_something(self, tmp_path: Path) -> None:
        same = [(case := Case.of("Known.", ["y"], "Who?", id="c"), judged(case, score=0.0))]
        before = [(case := Case.of("Old.", ["x"], "Why?", id="a"), judged(case, score=0.0))]
        after = [(case := Case.of("New.", ["x"], "Why?", id="b"), judged(case, score=1.0))]
        path = write_results(same + after, tmp_path / "r.html", baseline=same + before)
        assert self.changes(path) == ["same", "new"]

    def test_another_judge_is_said_not_to_be_the_same_measure(self, tmp_path: Path) -> None:
        case = Case.of("Answer.", ["x"], id="c")
        before, after = (judged(case, judge=judge) for judge in ("one", "two"))
        path = write_results([(case, after)], tmp_path / "r.html", baseline=[(case, before)])
        assert contents(path)["index"]["metrics"][0]["change"]["comparable"] is False

    def test_equal_ids_are_matched_in_order(self, tmp_path: Path) -> None:
        case = Case.of("Answer.", ["x"], id="twice")
        before = [(case, judged(case, score=score)) for score in (0.0, 1.0)]
        after = [(case, judged(case, score=score)) for score in (0.0, 0.5)]
        assert self.changes(write_results(after, tmp_path / "r.html", baseline=before)) == ["same", "better"]


class TestRecords:
    def test_places_are_counted_the_way_a_browser_does(self, tmp_path: Path) -> None:
        case = Case.of("🦉🦉 Owls hunt. 🌙 At night.", ["👀 Owls 🦉 hunt at night."])
        path = write_results(
            [(case, judged(case, [("Owls hunt.", "S", "hunt at"), ("At night.", "S", "")]))], tmp_path / "r.html"
        )
        texts = records(path, "texts")
        output, context = texts[0]["output"].encode("utf-16-le"), texts[0]["context"][0].encode("utf-16-le")
        first, second = texts[1]["verdicts"]
        assert output[first["place"][0] * 2 : first["place"][1] * 2].decode("utf-16-le") == "Owls hunt."
        assert output[second["place"][0] * 2 : second["place"][1] * 2].decode("utf-16-le") == "At night."
        start, end = first["evidence"][0]["place"]
        assert context[start * 2 : end * 2].decode("utf-16-le") == "hunt at"

    def test_a_place_that_is_not_there_is_left_out(self, tmp_path: Path) -> None:
        case = Case.of("Short.", ["Tiny."])
        wrong = Verdict(
            Claim("c1", "Elsewhere.", 3, 400),
            Support.SUPPORTED,
            evidence=(Evidence(0, 0, 4, "Huge", "for"), Evidence(7, 0, 2, "No", "for"), Evidence(0, 0, 5, "Tiny.")),
        )
        result = Result.from_json(judged(case).to_json())
        result = Result(**{**{f: getattr(result, f) for f in result.__struct_fields__}, "verdicts": (wrong,)})
        (verdict,) = records(write_results([(case, result)], tmp_path / "r.html"), "texts")[1]["verdicts"]
        assert "place" not in verdict
        assert [("place" in e, e.get("quote")) for e in verdict["evidence"]] == [
            (False, "Huge"),
            (False, "No"),
            (True, None),
        ]

    @pytest.mark.parametrize("order", ["case by case", "metric by metric"])
    def test_a_case_is_listed_once_with_all_its_metrics(self, tmp_path: Path, order: str) -> None:
        cases = [Case.of(f"Answer {i}.", ["x"]) for i in range(3)]
        pairs = [(c, judged(c, metric=m)) for c in cases for m in ("hallucination", "faithfulness")]
        if order == "metric by metric":
            pairs.sort(key=lambda pair: pair[1].metric)
        index = contents(write_results(pairs, tmp_path / "r.html"))["index"]
        assert len(index["cases"]["id"]) == 3
        assert sorted(zip(index["results"]["case"], index["results"]["metric"], strict=True)) == [
            (case, metric) for case in range(3) for metric in range(2)
        ]

    def test_the_same_case_twice_is_listed_twice(self, tmp_path: Path) -> None:
        case = Case.of("Again.", ["x"])
        pairs = [(case, judged(case, metric=m)) for m in ("hallucination", "faithfulness") for _ in range(2)]
        index = contents(write_results(pairs, tmp_path / "r.html"))["index"]
        assert len(index["cases"]["id"]) == 2
        assert index["results"]["case"] == [0, 1, 0, 1]

    def test_what_json_cannot_hold_is_shown_all_the_same(self, tmp_path: Path) -> None:
        loop: list[Any] = []
        loop.append(loop)
        odd: dict[Any, Any] = {"when": datetime(2024, 1, 2), "lone": "\ud800", "set": {1}, "loop": loop, 3: "key"}
        odd["big"] = 2**80
        case = Case.of("A.", ["x"], metadata={"plain": 1})
        case.metadata.update(odd)
        (held, _) = records(write_results([(case, judged(case))], tmp_path / "r.html"), "texts")
        assert held["metadata"]["plain"] == 1
        assert held["metadata"]["when"].startswith("2024-01-02")
        assert held["metadata"]["lone"] == "\ufffd"
        assert held["metadata"]["big"] == str(2**80)

    def test_an_empty_run_is_a_report_too(self, tmp_path: Path) -> None:
        assert contents(write_results([], tmp_path / "r.html"))["index"]["metrics"] == []

    def test_beyond_the_most_cases_the_figures_still_count_all(self, tmp_path: Path) -> None:
        index = contents(write_results(many(30), tmp_path / "r.html", most=10))["index"]
        assert len(index["cases"]["id"]) == 10
        assert index["total"] == 30
        assert index["metrics"][0]["results"] == 30

    def test_results_are_never_all_in_memory(self, tmp_path: Path) -> None:
        def pairs() -> Iterator[tuple[Case, Result]]:
            for i in range(120):
                text = random.Random(i).randbytes(30_000).hex()
                case = Case.of("Fine.", [text], id=str(i))
                yield case, judged(case)

        tracemalloc.start()
        write_results(pairs(), tmp_path / "r.html")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert (tmp_path / "r.html").stat().st_size > 4_000_000
        assert peak < 3_000_000


class TestGroups:
    def of(self, rows: list[dict[str, Any]]) -> dict[str, list[str]]:
        groups = MetadataGroups()
        for row, metadata in enumerate(rows):
            groups.add(row, metadata)
        return {
            column["name"]: ["–" if number < 0 else column["values"][number] for number in column["of"]]
            for column in groups.record(len(rows))
        }

    def test_columns_with_few_values_make_groups_also_inside_objects(self) -> None:
        rows = [
            {"metadata": {"model": "ab"[i % 2]}, "t": {"lang": ["en", "fr"][i // 3]}, "n": i // 3} for i in range(6)
        ]
        assert self.of(rows) == {
            "model": ["a", "b", "a", "b", "a", "b"],
            "t.lang": ["en", "en", "en", "fr", "fr", "fr"],
            "n": ["0", "0", "0", "1", "1", "1"],
        }

    @pytest.mark.parametrize(
        "values",
        [
            ["same"] * 6,
            ["a", "b", "c", "d", "e", "f"],
            ["a", "b", ["c"], "a", "b", "a"],
            ["a" * 100, "b" * 100] * 3,
            [None] * 6,
            [f"{i // 2}" for i in range(100)],
        ],
    )
    def test_others_make_none(self, values: list[Any]) -> None:
        assert self.of([{"column": value} for value in values]) == {}

    def test_a_case_without_a_value_is_in_no_group(self) -> None:
        rows: list[dict[str, Any]] = [{}, {"m": "a"}, {"m": None}, {"m": "b"}, {"m": "a"}, {"m": ""}, {"m": "b"}, {}]
        assert self.of(rows) == {"m": ["–", "a", "–", "b", "a", "–", "b", "–"]}

    def test_metadata_of_any_shape_is_bounded(self) -> None:
        deep: dict[str, Any] = {"x": 1}
        for _ in range(200):
            deep = {"d": deep}
        rows = [{f"key {i}": "v", "deep": deep, "m": "ab"[i % 2]} for i in range(1000)]
        assert set(self.of([{"m": "c"}, *rows])) == {"m"}


class TestPage:
    def test_no_judged_text_reaches_the_markup(self, tmp_path: Path) -> None:
        evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>"
        case = Case.of(evil, [evil], evil, id=evil, metadata={evil: evil})
        result = judged(case, [(evil, "C", evil)], metric="hallucination", judge=evil, reason=evil)
        path = write_results([(case, result)], tmp_path / "r.html", name=evil, judge=evil, created=evil)
        page = page_without_data(path)
        assert "alert(1)" in html.unescape(page)
        assert page.count("<script") == 1
        assert page.count("</script") == 1
        assert "<img" not in page
        assert "onerror" not in page.replace(html.escape(evil), "")

    def test_the_policy_allows_this_script_and_this_style_and_nothing_else(self, tmp_path: Path) -> None:
        page = page_without_data(write_results(many(3), tmp_path / "r.html"))
        found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
        assert found
        policy = dict(part.strip().split(" ", 1) for part in found.group(1).split(";"))
        assert policy["default-src"] == "'none'"
        for kind, tag in (("script-src", "script"), ("style-src", "style")):
            content = re.search(rf"<{tag}[^>]*>(.*?)</{tag}>", page, re.DOTALL)
            assert content
            digest = base64.b64encode(hashlib.sha256(content.group(1).encode()).digest()).decode()
            assert policy[kind] == f"'sha256-{digest}'"

    def test_nothing_in_the_page_points_elsewhere(self, tmp_path: Path) -> None:
        page = page_without_data(write_results(many(3), tmp_path / "r.html"))
        addresses = re.findall(
            r"(?:https?:)?//[\w.-]+\.\w+[^\s\"']*", re.sub(r"^\s*//.*$", "", page, flags=re.MULTILINE)
        )
        assert [a for a in addresses if a != "http://www.w3.org/2000/svg"] == []
        assert not re.search(r"\b(?:src|href|action)\s*=|url\(|@import|fetch\(|XMLHttpRequest|WebSocket|eval\(", page)

    def test_all_assets_are_used(self) -> None:
        assert {path.stem for path in ASSETS.glob("*.js")} == set(MODULES)
        assert {path.stem for path in ASSETS.glob("*.css")} == set(STYLE_SHEETS)

    def test_modules_import_only_what_was_defined_before_them(self) -> None:
        for place, name in enumerate(MODULES):
            source = (ASSETS / f"{name}.js").read_text(encoding="utf-8")
            for names, module in re.findall(r'^import \{([^}]*)\} from "\./(\w+)\.js";$', source, re.MULTILINE):
                assert MODULES.index(module) < place, f"{name}.js imports {module}.js, which comes later"
                exported = (ASSETS / f"{module}.js").read_text(encoding="utf-8")
                for wanted in filter(None, (part.strip() for part in names.split(","))):
                    assert re.search(rf"^export (?:async )?(?:function|const|class) {wanted}\b", exported, re.MULTILINE)
                    assert len(re.findall(rf"\b{wanted}\b", source)) > 1, f"{name}.js does not use {wanted}"

    def test_the_page_has_words_for_every_outcome_verdict_and_change(self) -> None:
        words = (ASSETS / "words.js").read_text(encoding="utf-8")

        def keys(name: str) -> set[str]:
            found = re.search(rf"export const {name} = {{(.*?)}};", words, re.DOTALL)
            assert found
            return set(re.findall(r"(\w+):", found.group(1)))

        assert keys("NO_SCORE") == {outcome.value for outcome in Outcome} - {"scored"}
        assert keys("SUPPORT_WORDS") == keys("GLYPHS") == {support.value for support in Support} | {"pending"}
        assert keys("CHANGE_WORDS") == set(CHANGES) - {"same"}

    def test_the_joined_script_has_no_module_words_left(self) -> None:
        assert not re.search(r"^(?:import|export)\b", script(), re.MULTILINE)
        assert "</script" not in script()
        assert "</style" not in style()

    def test_no_script_no_loss_of_the_totals(self, tmp_path: Path) -> None:
        page = page_without_data(write_results(many(20), tmp_path / "r.html"))
        fallback = page[page.index("<noscript>") : page.index("</noscript>")]
        assert "18 of 20" in fallback


class TestFile:
    def test_a_run_that_breaks_leaves_the_old_report_and_no_rubbish(self, tmp_path: Path) -> None:
        def broken() -> Iterator[tuple[Case, Result]]:
            yield from many(3)
            raise OSError("the disk is gone")

        path = write_results(many(3), tmp_path / "r.html")
        before = path.read_bytes()
        with pytest.raises(WriteError, match="the disk is gone"):
            write_results(broken(), path)
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]

    def test_a_place_that_cannot_be_written_to_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(InputError, match="cannot be written"):
            write_results(many(1), tmp_path / "file" / "r.html")

    @pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
    def test_who_may_read_it_is_for_the_user_to_say(self, tmp_path: Path) -> None:
        for mask, mode in ((0o077, 0o600), (0o022, 0o644)):
            before = os.umask(mask)
            try:
                path = write_results(many(1), tmp_path / f"{mask}.html")
            finally:
                os.umask(before)
            assert path.stat().st_mode & 0o777 == mode

    def test_missing_folders_are_made(self, tmp_path: Path) -> None:
        assert write_results(many(1), tmp_path / "a" / "b" / "r.html").exists()

    def test_most_must_be_a_number_of_cases(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="at least one case"):
            write_results(many(1), tmp_path / "r.html", most=0)

    def test_the_same_run_gives_the_same_file(self, tmp_path: Path) -> None:
        first, second = (write_results(many(40), tmp_path / name).read_bytes() for name in ("a.html", "b.html"))
        assert first == second

    def test_write_takes_what_looks_like_a_run(self, tmp_path: Path) -> None:
        run = Results(given=list(many(5)), name="nightly", judge="local", created=0.0)
        index = contents(write_report(run, tmp_path / "r.html", baseline=run))["index"]
        assert index["run"] == {"name": "nightly", "judge": "local", "created": "1970-01-01 00:00 UTC", "seconds": None}
        assert index["baseline"]["name"] == "nightly"


def test_the_documented_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    (example,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "write_results" in block)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "docs/report.md", "exec"), {})
    assert contents(tmp_path / "report.html")["index"]["run"]["name"] == "my first report"


@pytest.mark.parametrize(
    ("moment", "shown"),
    [
        (None, ""),
        ("last night", "last night"),
        ("2024-05-06T07:08:09Z", "2024-05-06 07:08 UTC"),
        (datetime(2024, 5, 6, 7, 8), "2024-05-06 07:08"),
        (datetime(2024, 5, 6, 7, 8, tzinfo=timezone(timedelta(hours=2))), "2024-05-06 05:08 UTC"),
    ],
)
def test_times_are_written_in_utc(moment: Any, shown: str) -> None:
    assert shown_moment(moment) == shown
