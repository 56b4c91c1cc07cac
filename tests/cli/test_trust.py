"""Settings files that somebody else wrote: where they are found, and what they may do before the user trusts them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner
from typer.testing import Result as Done

from halluscope import InputError
from halluscope._internal.cli import app
from halluscope._internal.cli.settings.trust import refuse_file_of_others

from ..helpers.loopback import Loopback

KEY = "sk-SECRETKEY-0123456789"
CHECK = ("check", "-o", "Our secret plan is X.", "-c", "The plan.", "--no-reason", "--json")
posix_only = pytest.mark.skipif(os.name != "posix", reason="Windows has no owners and modes of this kind")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.startswith(("HALLUSCOPE_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (tmp_path / "project" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as started:
        yield started


def run(*arguments: str) -> Done:
    return CliRunner().invoke(app, list(arguments))


def redirect(folder: Path, server: Loopback, more: str = "") -> Path:
    path = folder / "halluscope.toml"
    path.write_text(f'[judge]\nname = "openai/any"\nbase_url = "{server.base_url}"\n{more}')
    return path


def judge_of(done: Done) -> str:
    assert done.exit_code in (0, 1), done.output
    judge: str = json.loads(done.output)["judge"]
    return judge


def test_a_planted_file_gets_neither_texts_nor_key_until_it_is_trusted(project: Path, server: Loopback) -> None:
    path = redirect(project, server)
    done = run(*CHECK)
    assert done.exit_code == 2
    assert server.calls == []
    assert "sends texts and keys to http://127.0.0.1" in done.output
    assert "halluscope trust" in done.output
    assert len(done.output.strip().splitlines()) == 1
    assert run("trust").exit_code == 0
    assert judge_of(run(*CHECK)) == "openai/any"
    assert server.calls[0].asked.headers["authorization"] == f"Bearer {KEY}"
    asked = len(server.calls)
    path.write_text(path.read_text() + "retries = 1\n")
    done = run(*CHECK)
    assert done.exit_code == 2 and "has changed since you trusted it" in done.output
    assert len(server.calls) == asked


def test_trusted_files_are_listed_and_removed(project: Path, server: Loopback) -> None:
    path = redirect(project, server)
    assert run("trust", "--list").output == ""
    run("trust", str(path))
    assert run("trust", "--list").output.strip() == str(path)
    assert run("trust", "--remove").exit_code == 0
    assert run(*CHECK).exit_code == 2
    assert "is not trusted" in run("trust", "--remove").output
    assert server.calls == []


@pytest.mark.parametrize(
    "command", [["eval", "d.jsonl"], ["stress", "d.jsonl"], ["bench", "rag"], ["serve", "--port", "0"], ["mcp"]]
)
def test_no_command_asks_an_untrusted_server(project: Path, server: Loopback, command: list[str]) -> None:
    redirect(project, server)
    (project / "d.jsonl").write_text(json.dumps({"output": "a", "context": ["b"], "label": "factual"}))
    done = run(*command)
    assert done.exit_code == 2
    assert "halluscope trust" in done.output
    assert server.calls == []


def test_a_file_cannot_trust_itself_with_a_home_of_its_own(project: Path, server: Loopback) -> None:
    path = redirect(project, server, '[run]\nhome = "kept"\n')
    run("trust")
    record = json.loads((project.parent / "home" / "trusted.json").read_text())
    (project / "kept").mkdir()
    (project / "kept" / "trusted.json").write_text(json.dumps(record))
    run("trust", "--remove")
    assert run(*CHECK).exit_code == 2
    assert path.exists() and server.calls == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[judge]\nname = "litellm/huggingface/https://models.example.org/x"\n', "names an address in judge.name"),
        ('[run]\nhome = "../elsewhere"\n', "keeps runs outside its own folder"),
        (
            '[judge]\nname = "openai/x"\nbase_url = "http://api.openai.com/v1"\n',
            "sends texts and keys to http://api.op",
        ),
        ('[judge]\nname = "anthropic/x"\nbase_url = "https://api.openai.com/v1"\n', "sends texts and keys to https://"),
        (
            '[judge]\nname = "openai/x"\nbase_url = "https://api.openai.com@x.example/v1"\n',
            "keys to https://x.example:",
        ),
        ('[judge]\nname = "panel(openai/x, local)"\nbase_url = "https://api.openai.com/v1"\n', "sends texts and keys"),
        ('[judge]\nname = "openai/x"\nbase_url = "http://[::1"\n', "write it like http://localhost:8000/v1"),
    ],
)
def test_what_a_file_may_not_do_untrusted(project: Path, text: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "home" in text:
        monkeypatch.delenv("HALLUSCOPE_HOME")
        monkeypatch.setenv("XDG_DATA_HOME", str(project.parent / "data"))
    (project / "halluscope.toml").write_text(text)
    done = run(*CHECK)
    assert done.exit_code == 2
    assert said in done.output


@pytest.mark.parametrize(
    "text",
    [
        '[judge]\nname = "openai/x"\n',
        '[judge]\nname = "openai/x"\nbase_url = "https://api.openai.com/v1"\n',
        '[run]\nhome = ".kept"\n',
        "[metrics]\nthreshold = 0.3\n",
    ],
)
def test_what_a_file_may_do(project: Path, text: str) -> None:
    (project / "halluscope.toml").write_text(text)
    assert run("metrics").exit_code == 0
    assert "needs no trust" in run("trust").output


def test_a_server_on_this_machine_that_gets_no_key_needs_no_trust(
    project: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    redirect(project, server)
    assert judge_of(run(*CHECK)) == "openai/any"


def test_host_and_key_that_both_come_from_the_environment_need_no_trust(
    project: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "halluscope.toml").write_text(
        '[judge]\nname = "openai/any"\nbase_url = "https://planted.example.org/v1"\n'
    )
    monkeypatch.setenv("HALLUSCOPE_BASE_URL", server.base_url)
    assert judge_of(run(*CHECK)) == "openai/any"
    monkeypatch.delenv("HALLUSCOPE_BASE_URL")
    monkeypatch.setenv("HALLUSCOPE_CONFIG", "")
    assert judge_of(run(*CHECK, "--judge", "openai/any", "--base-url", server.base_url)) == "openai/any"


@pytest.mark.parametrize("mark", [".git", "pyproject.toml"])
def test_a_file_above_the_project_is_not_looked_for(project: Path, server: Loopback, mark: str) -> None:
    (project / ".git").rmdir()
    (project / mark).mkdir()
    redirect(project.parent, server)
    assert judge_of(run(*CHECK)) == "local"


def test_without_a_project_no_parent_is_searched(project: Path, server: Loopback) -> None:
    (project / ".git").rmdir()
    redirect(project.parent, server)
    assert judge_of(run(*CHECK)) == "local"


def test_a_file_is_looked_for_up_to_the_home_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / ".git").rmdir()
    monkeypatch.setenv("HOME", str(project.parent))
    monkeypatch.setenv("USERPROFILE", str(project.parent))
    (project.parent / "halluscope.toml").write_text('[metrics]\nuse = ["faithfulness"]\n')
    assert json.loads(run(*CHECK).output)["metric"] == "faithfulness"
    (project.parent / "halluscope.toml").rename(project.parent.parent / "halluscope.toml")
    try:
        assert json.loads(run(*CHECK).output)["metric"] == "hallucination"
    finally:
        (project.parent.parent / "halluscope.toml").unlink()


@posix_only
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_file_that_others_may_write_to_is_refused(project: Path, what: str) -> None:
    path = project / "halluscope.toml"
    path.write_text('[metrics]\nuse = ["faithfulness"]\n')
    (path if what == "file" else project).chmod(0o1777)
    done = run(*CHECK)
    assert done.exit_code == 2
    assert "other users may write to" in done.output and "HALLUSCOPE_CONFIG" in done.output
    assert json.loads(CliRunner().invoke(app, [*CHECK], env={"HALLUSCOPE_CONFIG": str(path)}).output)["metric"] == (
        "faithfulness"
    ), "the user named it"


@posix_only
def test_a_file_of_another_user_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project / "halluscope.toml"
    path.write_text('[metrics]\nuse = ["faithfulness"]\n')
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    done = run(*CHECK)
    assert done.exit_code == 2
    assert "belongs to another user" in done.output


@posix_only
def test_a_group_of_others_may_not_write(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import grp

    path = project / "halluscope.toml"
    path.write_text("")
    path.chmod(0o664)
    if os.geteuid() == 0:
        os.chown(path, 0, 65534)
    monkeypatch.setattr(grp, "getgrgid", lambda number: grp.struct_group(("staff", "x", number, ["else"])))
    with pytest.raises(InputError, match="other users may write to it"):
        refuse_file_of_others(path, otherwise="")
    path.chmod(0o644)
    refuse_file_of_others(path, otherwise="")


@pytest.mark.slow("starts processes")
def test_python_never_reads_the_file(project: Path, server: Loopback) -> None:
    redirect(project, server)
    code = "import halluscope; print(halluscope.check('It closed in 1969.', ['It closed in 1921.']).judge)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=project, check=True)
    assert done.stdout.strip() == "local"
    assert server.calls == []


def test_a_planted_file_posts_alerts_nowhere_until_it_is_trusted(project: Path) -> None:
    path = project / "halluscope.toml"
    path.write_text('[alerts]\nrules = ["hallucination > 0.2"]\nwebhook = "https://elsewhere.test/hook"\n', "utf-8")
    done = run("runs")
    assert done.exit_code == 2
    assert "posts alerts to https://elsewhere.test: read the file" in done.output.replace("\n", " ")
    path.write_text('[alerts]\nwebhook = "http://localhost:9000/hook"\n', "utf-8")
    assert run("runs").exit_code == 0
