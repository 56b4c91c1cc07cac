"""Settings: the file, the environment over it, and one page that lists them all."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner
from typer.testing import Result as Done

from halluscope import Hallucination, InputError, RetryPolicy, Run, Store, evaluate
from halluscope._internal.cli import app
from halluscope._internal.cli.settings.commands import template
from halluscope._internal.cli.settings.known import SETTINGS
from halluscope._internal.judges.chat.openai import openai_judge
from halluscope._internal.runs.runner.dry_run import dry_run

from ..helpers.loopback import Faults, Loopback

ROOT = Path(__file__).parents[2]
WRONG = ("check", "-o", "The mill has nine floors.", "-c", "The mill has four floors.", "--no-reason")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in os.environ:
        if name.startswith("HALLUSCOPE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path / "home"))
    (tmp_path / "project" / "deep").mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path / "project" / "deep")
    return tmp_path / "project"


def run(*arguments: str) -> Done:
    return CliRunner().invoke(app, list(arguments))


def test_init_writes_every_setting_commented_out(folder: Path) -> None:
    assert run("init", str(folder)).exit_code == 0
    text = (folder / "halluscope.toml").read_text()
    assert text == template()
    assert all(f"# {setting.key} = " in text and setting.variable in text for setting in SETTINGS)
    before = dict(os.environ)
    assert run("judges").output.strip().endswith("with `halluscope init`)".split()[-1])
    again = run("init", str(folder))
    assert again.exit_code == 2
    assert "exists already" in again.output
    (folder / "halluscope.toml").write_text(re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE))
    assert run("metrics").exit_code == 0, "every example is a value that is taken"
    assert dict(os.environ) == before, "a command leaves nothing behind"


def test_an_option_comes_before_a_variable_a_variable_before_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "halluscope.toml").write_text('[metrics]\nuse = ["label", "contradiction"]\n')
    told = [json.loads(line)["metric"] for line in run(*WRONG, "--json").output.splitlines()]
    assert told == ["label", "contradiction"]
    monkeypatch.setenv("HALLUSCOPE_METRICS", "faithfulness")
    assert '"metric":"faithfulness"' in run(*WRONG, "--json").output
    assert '"metric":"hallucination"' in run(*WRONG, "--json", "-m", "hallucination").output


def test_the_file_sets_threshold_strictness_judge_and_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HALLUSCOPE_HOME")
    (folder / "halluscope.toml").write_text(
        '[judge]\nname = "openai/gpt-4o"\n[metrics]\nthreshold = 1\nstrict = false\n[run]\nhome = "kept"\n'
    )
    assert f"openai/gpt-4o(from{folder / 'halluscope.toml'})" in "".join(run("judges").output.split())
    assert run(*WRONG, "--judge", "local").exit_code == 0
    assert run(*WRONG, "--judge", "local", "--threshold", "0").exit_code == 1
    assert f"in {folder / 'kept' / 'halluscope.db'}" in run("cache", "size").output.replace("\n", "")


def test_the_files_address_is_for_the_files_judge_alone(folder: Path) -> None:
    with Loopback() as server:
        (folder / "halluscope.toml").write_text(f'[judge]\nname = "openai/any"\nbase_url = "{server.base_url}"\n')
        assert json.loads(run(*WRONG, "--json").output)["judge"] == "openai/any"
        assert server.calls
    assert json.loads(run(*WRONG, "--json", "--judge", "local").output)["judge"] == "local"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('judge = "local"', "'judge' stands outside a section"),
        ('[judge]\nnam = "local"', "there is no setting 'nam' in [judge]: did you mean judge.name?"),
        ('[run]\nconcurrency = "many"', "run.concurrency is 'many': write it like concurrency = 32."),
        ("[run]\ncache = 1", "run.cache is 1: write it like cache = true."),
        ("[run\n", "cannot be read:"),
    ],
)
def test_a_file_that_is_wrong_is_one_sentence(folder: Path, text: str, said: str) -> None:
    (folder / "halluscope.toml").write_text(text)
    done = run(*WRONG)
    assert done.exit_code == 2
    assert said in done.output
    assert len(done.output.strip().splitlines()) == 1


def test_patience_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALLUSCOPE_REPAIRS", "0")
    monkeypatch.setenv("HALLUSCOPE_TIMEOUT", "2.5")
    assert RetryPolicy.of_environment() == RetryPolicy(repairs=0, timeout=2.5)
    with Loopback(faults=Faults(invalid=1.0)) as server:
        Hallucination().score(output="a b", context=["a"], judge=openai_judge("any", base_url=server.base_url))
        assert len(server.calls) == 1
    monkeypatch.setenv("HALLUSCOPE_REPAIRS", "often")
    with pytest.raises(InputError, match="HALLUSCOPE_REPAIRS is 'often'"):
        RetryPolicy.of_environment()


def test_the_gates_of_the_file_are_checked(folder: Path) -> None:
    data = folder / "d.jsonl"
    data.write_text(json.dumps({"output": "The mill has nine floors.", "context": ["The mill has four floors."]}))
    (folder / "halluscope.toml").write_text('[run]\ngates = ["hallucination <= 0.1", "coverage >= 0.5"]\n')
    done = run("eval", str(data), "--no-reason")
    assert done.exit_code == 1
    assert "✗ hallucination <= 0.1" in done.output and "✓ coverage >= 0.5" in done.output
    assert run("eval", str(data), "--no-reason", "--gate", "coverage >= 0.5").exit_code == 0


def test_one_page_lists_every_setting_and_every_variable() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    for setting in SETTINGS:
        assert f"| `{setting.name}` | `{setting.variable}` |" in page
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("commands.json")]
    source = "\n".join(path.read_text(encoding="utf-8") for path in files)
    asked = set(re.findall(r"\"((?:HALLUSCOPE|OPENAI|ANTHROPIC|HF|GITHUB)_[A-Z_]+)\"", source))
    assert len(asked) > 15
    assert [name for name in sorted(asked) if f"`{name}`" not in page] == []


def test_a_dry_run_asks_nothing_and_expects_what_a_run_then_asks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "never sent anywhere")
    rows = [
        {"output": f"Mill {n} is in Ulm. It has {n} floors.", "context": [f"Mill {n} is in Ulm. It has {n} floors."]}
        for n in range(5)
    ]
    data = folder / "d.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)))
    with Loopback() as server:
        judge = openai_judge("gpt-4o-mini", base_url=server.base_url)
        expected = dry_run(str(data), [Hallucination()], judge)
        assert server.calls == []
        with Store(folder / "s.db") as store:
            evaluate(str(data), Hallucination(), judge, store=store)
        assert expected.usage.calls == len(server.calls) == 15
        assert dict(expected.calls_by_kind) == dict.fromkeys(("extract", "verify", "explain"), 5)
        read = sum(len(call.asked.system + call.asked.user) for call in server.calls) / 4
        assert abs(expected.usage.input_tokens / read - 1) < 0.15
        assert (
            str(len(server.calls))
            in run(
                "eval", str(data), "--judge", "openai/gpt-4o-mini", "--base-url", server.base_url, "--dry-run"
            ).output
        )
    assert "no judge calls" in run("eval", str(data), "--dry-run").output
    told = json.loads(run("eval", str(data), "--judge", "openai/gpt-4o-mini", "--dry-run", "--json").output)
    assert 0 < told["usage"]["cost"] < 0.1


@pytest.mark.parametrize("judge", ["openai/gpt-4o", "anthropic/claude-sonnet-4-5", "cascade(local, openai/gpt-4o)"])
def test_a_dry_run_needs_no_key_and_makes_none_up(folder: Path, judge: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = folder / "d.jsonl"
    written: list[bytes] = []
    monkeypatch.setattr(os, "putenv", lambda name, value: written.append(name))
    data.write_text(json.dumps({"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}))
    told = run("eval", str(data), "--judge", judge, "--dry-run")
    assert told.exit_code == 0 and "1 case: about 3 calls" in told.output
    assert "needs an API key" in run("eval", str(data), "--judge", "openai/gpt-4o").output
    assert not [name for name in written if b"KEY" in name]


def test_a_run_is_taken_out_whole_and_others_stay(folder: Path) -> None:
    data = folder / "d.jsonl"
    data.write_text(json.dumps({"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}))
    for name in ("a", "b"):
        assert run("eval", str(data), "--run", name, "--no-reason").exit_code == 0
    assert run("runs", "rm", "a", "nosuch").exit_code == 2
    with Store() as store:
        assert Run("a", store).state == "finished", "nothing is taken out where one name is wrong"
    assert run("runs", "rm", "a").exit_code == 0
    with Store() as store:
        store.check()
        assert [result.score for result in Run("b", store)] == [0.0]
        assert run("runs", "rm", "b").exit_code == 0
        assert store.rows("SELECT (SELECT count(*) FROM outcomes) + (SELECT count(*) FROM cases)") == [(0,)]
    assert "no runs yet" in run("runs").output


def test_the_cache_is_counted_and_cleared(folder: Path) -> None:
    data = folder / "d.jsonl"
    data.write_text(json.dumps({"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}))
    with Loopback() as server:
        arguments = ("eval", str(data), "--run", "r", "-j", "openai/any", "--base-url", server.base_url)
        assert run(*arguments).exit_code == 0
        assert json.loads(run("cache", "size", "--json").output)["replies"] == 3
        assert run("cache", "clear").exit_code == 1, "it asks first, and nobody says yes"
        assert "3 replies deleted" in run("cache", "clear", "--yes").output
        assert json.loads(run("cache", "size", "--json").output)["replies"] == 0
        assert "1 of 1" in run("show", "r").output


def test_one_reply_is_reported_in_the_singular(folder: Path) -> None:
    data = folder / "d.jsonl"
    data.write_text(json.dumps({"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}))
    with Loopback() as server:
        asked = run("eval", str(data), "-m", "label", "-j", "openai/any", "--base-url", server.base_url)
        assert asked.exit_code == 0
    assert run("cache", "size").output.startswith("1 reply, ")
    assert "Delete 1 reply that was paid for?" in run("cache", "clear").output
    assert run("cache", "clear", "--yes").output == "1 reply deleted\n"


@pytest.mark.slow("runs the command line many times")
def test_it_logs_under_its_name_and_is_silent_unless_asked(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Loopback(faults=Faults(invalid=1.0)) as server:
        judge = openai_judge("any", base_url=server.base_url)
        with caplog.at_level(logging.INFO, logger="halluscope"):
            Hallucination().score(output="a b", context=["a"], judge=judge)
        assert {record.name.partition(".")[0] for record in caplog.records} == {"halluscope"}
        assert "cannot be used" in caplog.text
        code = f"import halluscope; halluscope.check('a b', ['a'], judge='openai/any', base_url='{server.base_url}')"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
    assert "no log level 'loud'" in run("--log", "loud", "metrics").output


def test_the_shell_completes_commands_metrics_and_runs() -> None:
    def completed(words: str) -> str:
        variables = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
        return (
            CliRunner()
            .invoke(app, env={**variables, "_HALLUSCOPE_COMPLETE": "complete_bash"}, prog_name="halluscope")
            .output
        )

    assert "calibrate" in completed("halluscope cal")
    assert "faithfulness" in completed("halluscope check --metric fai")
