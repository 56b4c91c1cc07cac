"""Data whose columns have other names, and profiles that would say nothing: refused with what would help."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from halluscope import Outcome, Profile, calibrate
from halluscope._internal.cli import app

from ..core.result.test_views import CASE
from ..helpers.reporting import judged


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path / "home"))


def evaluated(tmp_path: Path, row: dict[str, object], *options: str) -> tuple[int, str]:
    data = tmp_path / "rows.jsonl"
    data.write_text("\n".join(json.dumps({**row, "id": n}) for n in range(3)))
    done = CliRunner().invoke(app, ["eval", str(data), "--metric", "contradiction", "--no-reason", *options])
    return done.exit_code, " ".join(done.output.split())


def test_rows_without_a_context_fail_with_the_columns_and_the_map_that_helps(tmp_path: Path) -> None:
    code, out = evaluated(tmp_path, {"output": "a", "retrieved_docs": ["b"], "team": "x"})
    assert code == 3
    assert (
        "no row has a context (columns: output, retrieved_docs, team): name it, as in --map context=retrieved_docs"
        in out
    )


def test_rows_without_a_known_output_fail_with_the_columns_and_the_map_that_helps(tmp_path: Path) -> None:
    code, out = evaluated(tmp_path, {"bot_reply": "a", "context": ["b"]})
    assert code == 3
    assert "(columns: bot_reply, context, id): name it, as in --map output=bot_reply" in out


def test_a_profile_that_flags_everything_is_refused_and_says_why(tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    rows = [
        {"output": f"a {n}", "context": "b", "label": "hallucinated" if n % 2 else "factual", "score": 0.5}
        for n in range(20)
    ]
    labels.write_text("\n".join(map(json.dumps, rows)))
    done = CliRunner().invoke(app, ["calibrate", str(labels), "--name", "all", "--recall", "0.9"])
    told = " ".join(done.output.split())
    assert done.exit_code == 2
    assert "no profile was saved, because it would flag every output: " in told
    assert "too few" in told or "no other threshold meets the target" in told
    assert not list((tmp_path / "home").rglob("all.json"))


def test_the_profiles_threshold_stands_beside_the_scores_it_judged() -> None:
    truth = [n % 2 == 1 for n in range(200)]
    scores = [0.9 if bad else 0.1 for bad in truth]
    profile = calibrate(truth, scores, name="p", judge="scripted", metric="hallucination", recall=0.8)
    assert isinstance(profile, Profile)
    result = profile.applied(judged(CASE, [("Owls hunt by night.", "S", "hunts by night")]))
    assert result.outcome is Outcome.SCORED
    shown = f"probability {result.figures['probability']:.2f}, flagged from {profile.threshold:.2f}"
    assert shown in result.explain().splitlines()[0]
    assert "passes at" not in result.explain()
