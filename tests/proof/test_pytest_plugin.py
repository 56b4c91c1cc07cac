"""The pytest plugin, in pytest runs of its own: most of them inside this process, which has the model loaded."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from halluscope._internal.proof.pytest_plugin import assert_faithful

from ..helpers.loopback import Loopback

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.slow("runs pytest dozens of times")

GOOD = "The tower is 300 metres high."
BAD = "The tower is 900 metres high."
CONTEXT = "The tower was built in 1889 and is 300 metres high."

INSTALLED = any(point.name == "halluscope" for point in entry_points(group="pytest11"))
NAME = "halluscope" if INSTALLED else "halluscope._internal.proof.pytest_plugin"


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """A run forgets the modules that it is the first to import, and numpy cannot be imported twice."""
    assert_faithful(GOOD, CONTEXT)


def run(pytester: pytest.Pytester, *arguments: str, others: Sequence[str] = ()) -> pytest.RunResult:
    """A pytest run with this plugin and the `others`, each by the name of its entry point, and nothing else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        return pytester.runpytest_inprocess(*plugins(*others), *arguments)


def run_apart(pytester: pytest.Pytester, *arguments: str, others: Sequence[str] = ()) -> pytest.RunResult:
    """The same as a process of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        return pytester.runpytest_subprocess(*plugins(*others), *arguments)


def plugins(*others: str) -> list[str]:
    """Arguments. Whatever else is installed is left out: to load it takes several times as long as the run itself."""
    return [*(word for plugin in (NAME, *others) for word in ("-p", plugin)), "-p", "no:cacheprovider"]


def paid(server: Loopback, body: str, marker: str = "") -> str:
    """A test file whose judge is the loopback server."""
    return f"""
import pytest
from halluscope._internal.proof.pytest_plugin import assert_faithful, assert_no_hallucination

JUDGE = dict(judge="openai/any", base_url="{server.base_url}")

{marker}
{body}
"""


def recordings(pytester: pytest.Pytester) -> list[Path]:
    return sorted((pytester.path / "recordings").rglob("*.json"))


def test_the_plugin_is_known_to_pytest() -> None:
    assert INSTALLED, (
        "pyproject.toml must declare the entry point pytest11: halluscope = halluscope._internal.proof.pytest_plugin"
    )


def test_it_is_loaded_by_itself_beside_all_that_is_installed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"""
        def test_good(assert_faithful):
            assert_faithful({GOOD!r}, {CONTEXT!r})

        def test_bad(assert_no_hallucination):
            assert_no_hallucination({BAD!r}, {CONTEXT!r})
    """)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)


class TestAssertions:
    def test_the_embedded_judge_needs_no_recording(self, pytester: pytest.Pytester) -> None:
        """And the failure points at the test, and allowing an outcome does not allow a bad score."""
        pytester.makepyfile(f"""
            from halluscope._internal.proof.pytest_plugin import assert_faithful, assert_no_hallucination

            def test_good():
                result = assert_faithful({GOOD!r}, [{CONTEXT!r}])
                assert result.score == 1.0
                assert_no_hallucination({GOOD!r}, [{CONTEXT!r}])

            def test_bad():
                assert_faithful({BAD!r}, [{CONTEXT!r}])

            def test_bad_the_other_way():
                assert_no_hallucination({BAD!r}, [{CONTEXT!r}])

            def test_bad_and_other_outcomes_allowed():
                assert_faithful({BAD!r}, {CONTEXT!r}, allow=("scored", "refusal"))
        """)
        result = run(pytester)
        result.assert_outcomes(passed=1, failed=3)
        result.stdout.fnmatch_lines(
            [
                ">*assert_faithful(*",
                "*faithfulness is 0, passes at 1 or more: the only claim fails (judge local)*",
                f"*✗ contradicted*“{BAD}”",
                f"*against: “{CONTEXT}” (passage 1, characters 0 to {len(CONTEXT)})*",
                ">*assert_no_hallucination(*",
                ">*assert_faithful(*allow=*",
            ]
        )
        result.stdout.no_fnmatch_line("*pytest_plugin.py:*")
        assert recordings(pytester) == []

    def test_as_fixtures_and_in_asynchronous_tests(self, pytester: pytest.Pytester) -> None:
        pytester.makeini("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function")
        pytester.makepyfile(f"""
            def test_good(assert_faithful):
                assert_faithful({GOOD!r}, {CONTEXT!r})

            def test_bad(assert_no_hallucination):
                assert_no_hallucination({BAD!r}, {CONTEXT!r})

            async def test_inside_a_loop(assert_faithful):
                assert_faithful({GOOD!r}, {CONTEXT!r})
        """)
        run(pytester, others=["asyncio"]).assert_outcomes(passed=2, failed=1)

    def test_no_score_never_passes_silently(self, pytester: pytest.Pytester) -> None:
        pytester.makepyfile(f"""
            from halluscope._internal.proof.pytest_plugin import assert_faithful

            def test_refusal():
                assert_faithful("I'm sorry, I don't know.", {CONTEXT!r})

            def test_empty():
                assert_faithful("", {CONTEXT!r})

            def test_no_context():
                assert_faithful({GOOD!r})

            def test_allowed():
                result = assert_faithful("I'm sorry, I don't know.", {CONTEXT!r}, allow=("refusal", "no_claims"))
                assert result.score is None

            def test_another_outcome_is_not_allowed():
                assert_faithful("", {CONTEXT!r}, allow="refusal")

            def test_misspelt():
                assert_faithful("", {CONTEXT!r}, allow=["refusals"])
        """)
        result = run(pytester)
        result.assert_outcomes(passed=1, failed=5)
        result.stdout.fnmatch_lines(
            [
                "*could not be scored: refusal*",
                "*could not be scored: empty_output*",
                '*allow=("empty_output",)*',
                "*could not be scored: no_context*",
                "*there is no outcome 'refusals'*",
            ]
        )

    def test_outside_pytest_the_functions_work_too(self) -> None:
        from halluscope._internal.proof import pytest_plugin

        running, pytest_plugin._current = pytest_plugin._current, None
        try:
            assert pytest_plugin.assert_faithful(GOOD, CONTEXT).passed
            with pytest.raises(AssertionError, match="the only claim fails"):
                pytest_plugin.assert_no_hallucination(BAD, CONTEXT)
        finally:
            pytest_plugin._current = running


class TestDocs:
    PAGE = (Path(__file__).parents[2] / "docs" / "pytest.md").read_text(encoding="utf-8")

    def test_the_failure_shown_is_the_failure_that_comes(self) -> None:
        (shown,) = re.findall(r"```text\n(.*?)```", self.PAGE, re.DOTALL)
        with pytest.raises(AssertionError) as caught:
            assert_faithful(BAD, [CONTEXT])

        def steady(text: str) -> list[str]:
            """The lines but for the judge's own words, which get better with the judge."""
            lines = re.sub(r", \d+% sure| \d+%(?=:)", "", text).strip().splitlines()
            return [line for i, line in enumerate(lines) if i != 3]

        assert steady(str(caught.value)) == steady(shown)

    def test_every_option_is_documented(self) -> None:
        options = ("--halluscope-record", "--halluscope-record-all", "--halluscope-judge", "halluscope_recordings")
        assert [option for option in options if f"`{option}" not in self.PAGE and f"{option}\n" not in self.PAGE] == []


class TestMarker:
    def test_judge_metric_and_threshold_come_from_the_nearest_marker(
        self, pytester: pytest.Pytester, server: Loopback
    ) -> None:
        both = f"{GOOD} {BAD}"
        pytester.makepyfile(
            paid(
                server,
                f"""
class TestThreshold:
    pytestmark = pytest.mark.halluscope(threshold=1.0)

    @pytest.mark.halluscope(threshold=0.5, strict=False)
    def test_half_is_enough(self):
        result = assert_faithful({both!r}, {CONTEXT!r}, base_url=JUDGE["base_url"])
        assert result.threshold == 0.5 and result.judge == "openai/any"

    def test_all_is_wanted(self):
        assert_faithful({both!r}, {CONTEXT!r}, base_url=JUDGE["base_url"])

    @pytest.mark.halluscope(threshold=0.9, strict=False)
    def test_the_call_has_the_last_word(self):
        assert_faithful({both!r}, {CONTEXT!r}, base_url=JUDGE["base_url"], threshold=0.2)

@pytest.mark.halluscope(metric="label", threshold=0.0)
def test_metric():
    assert assert_no_hallucination({GOOD!r}, {CONTEXT!r}, base_url=JUDGE["base_url"]).metric == "label"
""",
                'pytestmark = pytest.mark.halluscope(judge="openai/any")',
            )
        )
        result = run(pytester, "--halluscope-record", "--strict-markers")
        result.assert_outcomes(passed=3, failed=1)
        result.stdout.fnmatch_lines(["*faithfulness is 0.5, passes at 1 or more*"])

    def test_a_metric_of_the_other_direction_is_refused(self, pytester: pytest.Pytester) -> None:
        pytester.makepyfile(f"""
            import pytest

            @pytest.mark.halluscope(metric="hallucination")
            def test_wrong(assert_faithful):
                assert_faithful({GOOD!r}, {CONTEXT!r})

            @pytest.mark.halluscope("local")
            def test_positional(assert_faithful):
                assert_faithful({GOOD!r}, {CONTEXT!r})

            def test_unknown(assert_faithful):
                assert_faithful({GOOD!r}, {CONTEXT!r}, metric="faith")
        """)
        result = run(pytester)
        result.assert_outcomes(failed=3)
        result.stdout.fnmatch_lines(
            [
                "*higher is better, and 'hallucination' is none: use `assert_no_hallucination`*",
                "*takes keywords only*",
                "*there is no metric 'faith'*",
            ]
        )


class TestRecording:
    BODY = f"""
@pytest.mark.parametrize("text", [{GOOD!r}, "The tower was built in 1889."])
def test_answer(text):
    assert_faithful(text, {CONTEXT!r}, **JUDGE)

def test_bad():
    assert_no_hallucination({BAD!r}, {CONTEXT!r}, **JUDGE)
"""

    def test_recorded_once_then_replayed_without_key_and_server(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with Loopback() as server:
            pytester.makepyfile(test_app=paid(server, self.BODY))
            recorded = run(pytester, "--halluscope-record")
            recorded.assert_outcomes(passed=2, failed=1)
            recorded.stdout.fnmatch_lines(["*halluscope: recording*"])
            calls = len(server.calls)
        assert calls > 0
        names = [str(path.relative_to(pytester.path)) for path in recordings(pytester)]
        assert len(names) == 3
        assert all(name.startswith("recordings/test_app/test_") for name in names)
        content = [path.read_bytes() for path in recordings(pytester)]
        monkeypatch.setenv("CI", "true")
        replayed = run(pytester)
        replayed.assert_outcomes(passed=2, failed=1)
        replayed.stdout.fnmatch_lines(["*hallucination is 1, passes at 0*", f"*“{BAD}”*"])
        assert [path.read_bytes() for path in recordings(pytester)] == content

    def test_replaying_makes_no_judge_so_it_needs_no_key(self, pytester: pytest.Pytester) -> None:
        body = f"def test_it(assert_faithful):\n    assert_faithful({GOOD!r}, {CONTEXT!r}, judge='openai/any')\n"
        pytester.makepyfile(body)
        result = run(pytester)
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*no reply of openai/any*is recorded in*--halluscope-record*"])
        result.stdout.no_fnmatch_line("*OPENAI_API_KEY*")
        recording = run(pytester, "--halluscope-record")
        recording.assert_outcomes(failed=1)
        recording.stdout.fnmatch_lines(["*OPENAI_API_KEY*"])

    def test_a_changed_output_asks_for_a_new_recording(self, pytester: pytest.Pytester, server: Loopback) -> None:
        body = f"def test_it():\n    assert_faithful({{text!r}}, {CONTEXT!r}, **JUDGE)\n"
        pytester.makepyfile(test_app=paid(server, body.format(text=GOOD)))
        run(pytester, "--halluscope-record").assert_outcomes(passed=1)
        (path,) = recordings(pytester)
        before = set(json.loads(path.read_text())["replies"])
        pytester.makepyfile(test_app=paid(server, body.format(text="The tower was built in 1889.")))
        missing = run(pytester)
        missing.assert_outcomes(failed=1)
        missing.stdout.fnmatch_lines(["*--halluscope-record*"])
        run(pytester, "--halluscope-record").assert_outcomes(passed=1)
        after = set(json.loads(path.read_text())["replies"])
        assert after and not after & before, "replies that nobody asks for any more must go"
        run(pytester).assert_outcomes(passed=1)

    def test_only_what_is_missing_is_asked_unless_all_is_wanted(
        self, pytester: pytest.Pytester, server: Loopback
    ) -> None:
        pytester.makepyfile(test_app=paid(server, self.BODY))
        run(pytester, "--halluscope-record")
        calls = len(server.calls)
        run(pytester, "--halluscope-record")
        assert len(server.calls) == calls
        run(pytester, "--halluscope-record-all")
        assert len(server.calls) == 2 * calls

    def test_a_failed_test_loses_no_recorded_reply(self, pytester: pytest.Pytester, server: Loopback) -> None:
        body = f"""
import os
def test_it():
    assert_faithful({GOOD!r}, {CONTEXT!r}, **JUDGE)
    assert not os.environ.get("BREAK")
    assert_faithful("The tower was built in 1889.", {CONTEXT!r}, **JUDGE)
"""
        pytester.makepyfile(test_app=paid(server, body))
        run(pytester, "--halluscope-record").assert_outcomes(passed=1)
        (path,) = recordings(pytester)
        before = path.read_bytes()
        patch = pytest.MonkeyPatch()
        patch.setenv("BREAK", "1")
        run(pytester, "--halluscope-record").assert_outcomes(failed=1)
        patch.undo()
        assert path.read_bytes() == before

    def test_a_damaged_recording_is_said(self, pytester: pytest.Pytester, server: Loopback) -> None:
        pytester.makepyfile(test_app=paid(server, self.BODY))
        run(pytester, "--halluscope-record")
        for path in recordings(pytester):
            path.write_text("{")
        result = run(pytester)
        result.assert_outcomes(failed=3)
        result.stdout.fnmatch_lines(["*cannot be read as a recording*"])

    def test_workers_record_side_by_side(self, pytester: pytest.Pytester, server: Loopback) -> None:
        pytester.makepyfile(test_app=paid(server, self.BODY))
        run_apart(pytester, "--halluscope-record", "-n", "2", others=["xdist"]).assert_outcomes(passed=2, failed=1)
        assert len(recordings(pytester)) == 3
        run_apart(pytester, "-n", "2", others=["xdist"]).assert_outcomes(passed=2, failed=1)

    def test_the_judge_and_the_folder_may_be_set_for_all_tests(
        self, pytester: pytest.Pytester, server: Loopback
    ) -> None:
        pytester.makeini("[pytest]\nhalluscope_judge = openai/any\nhalluscope_recordings = said")
        pytester.makepyfile(f"""
            def test_it(assert_faithful):
                result = assert_faithful({GOOD!r}, {CONTEXT!r}, base_url={server.base_url!r})
                assert result.judge == "openai/any"
        """)
        run(pytester, "--halluscope-record").assert_outcomes(passed=1)
        assert len(list((pytester.path / "said").rglob("*.json"))) == 1
        run(pytester, "--halluscope-judge", "local").assert_outcomes(failed=1)

    def test_a_model_of_ones_own_is_recorded_unless_told_otherwise(self, pytester: pytest.Pytester) -> None:
        pytester.makepyfile(f"""
            import pytest
            from halluscope._internal.judges.scripted import ScriptedJudge

            def judge():
                verdict = {{"id": "c1", "verdict": "yes", "reason": "So it is.", "evidence": ""}}
                return ScriptedJudge({{"extract": {{"claims": [{GOOD!r}]}}, "verify": {{"verdicts": [verdict]}}}})

            def test_recorded(assert_faithful):
                assert_faithful({GOOD!r}, {CONTEXT!r}, judge=judge())

            @pytest.mark.halluscope(record=False)
            def test_asked_each_time(assert_faithful):
                assert_faithful({GOOD!r}, {CONTEXT!r}, judge=judge())
        """)
        result = run(pytester)
        result.assert_outcomes(passed=1, failed=1)
        run(pytester, "--halluscope-record").assert_outcomes(passed=2)
        run(pytester).assert_outcomes(passed=2)


def test_loading_the_plugin_loads_little(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import sys

        def test_it():
            loaded = {"numpy", "onnxruntime", "aiohttp", "halluscope._internal.engine.scorer"} & set(sys.modules)
            assert not loaded, loaded
    """)
    run_apart(pytester).assert_outcomes(passed=1)
