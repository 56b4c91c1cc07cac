"""The GitHub Action: its steps, run as the runner would, against an API on loopback that answers like GitHub's."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "name" in step}
EXAMPLE = re.compile(r"\$\{\{ *(.*?) *\}\}")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the steps are for the bash of a Linux runner")


class GitHub(ThreadingHTTPServer):
    """Comments of one pull request, page by page, for a token that may write."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.comments: list[dict[str, Any]] = [{"id": number, "body": "Looks good."} for number in range(150)]
        self.may_write = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: GitHub

    def answer(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def body(self) -> Any:
        assert self.headers["Authorization"] == "Bearer a token"
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def do_GET(self) -> None:
        found = re.fullmatch(r"/repos/owner/name/issues/7/comments\?per_page=100&page=(\d+)", self.path)
        assert found, self.path
        first = 100 * (int(found[1]) - 1)
        self.answer(200, self.server.comments[first : first + 100])

    def do_POST(self) -> None:
        assert self.path == "/repos/owner/name/issues/7/comments"
        made = {"id": 1000, **self.body()}
        if not self.server.may_write:
            return self.answer(403, {"message": "Resource not accessible by integration"})
        self.server.comments.append(made)
        return self.answer(201, made)

    def do_PATCH(self) -> None:
        found = re.fullmatch(r"/repos/owner/name/issues/comments/(\d+)", self.path)
        assert found, self.path
        (comment,) = [held for held in self.server.comments if held["id"] == int(found[1])]
        comment.update(self.body())
        self.answer(200, comment)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def github() -> Iterator[GitHub]:
    with GitHub() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class Runner:
    """Runs steps of the action with the inputs of a workflow."""

    def __init__(self, folder: Path, github: GitHub, **inputs: str) -> None:
        self.folder = folder
        defaults = {name: given.get("default", "") for name, given in ACTION["inputs"].items()}
        self.inputs = {**defaults, **inputs, "token": "a token"}
        self.github = github
        self.branch = self.code = self.said = ""

    def value(self, text: str) -> str:
        known = {
            "runner.temp": str(self.folder),
            "github.head_ref || github.ref_name": self.branch,
            "github.event.number": "7",
            "steps.score.outputs.code": self.code,
        }
        return EXAMPLE.sub(
            lambda found: known[found[1]] if found[1] in known else self.inputs[found[1].removeprefix("inputs.")], text
        )

    def step(self, name: str) -> subprocess.CompletedProcess[str]:
        step = STEPS[name]
        own = {key: self.value(value) for key, value in step.get("env", {}).items()}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env={
                **os.environ,
                **own,
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "GITHUB_OUTPUT": str(self.folder / "output"),
                "GITHUB_ACTION_PATH": str(ROOT),
                "GITHUB_API_URL": self.github.url,
                "GITHUB_REPOSITORY": "owner/name",
            },
            capture_output=True,
            text=True,
            encoding="utf-8",
        )

    def run(self, branch: str) -> int:
        """Run all steps for a branch; return the exit code of the last."""
        self.branch = branch
        scored = self.step("Score the outputs")
        assert scored.returncode == 0, scored.stdout + scored.stderr
        self.code = (self.folder / "output").read_text().split("code=")[-1].strip()
        commented = self.step("Comment on the pull request")
        assert commented.returncode == 0, commented.stderr
        self.said = commented.stderr
        return self.step("Fail on gates").returncode


def write(path: Path, high: int) -> None:
    passage = "The tower was built in 1889 and is 300 metres high."
    rows = [{"id": "tower", "context": [passage], "output": f"The tower is {high} metres high."}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.mark.slow("runs the command line eight times")
def test_a_pull_request_is_compared_with_main_commented_once_and_failed_by_gates(
    tmp_path: Path, github: GitHub
) -> None:
    data = tmp_path / "answers.jsonl"
    runner = Runner(tmp_path, github, data=str(data), gates="hallucination <= 0.1\n\ncoverage >= 0.9\n")
    write(data, 300)
    assert runner.run("main") == 0
    assert github.comments.pop()["body"].startswith("<!-- halluscope -->\n### halluscope: main")

    write(data, 200)
    assert runner.run("feature/$(touch oops)") == 1
    assert not (tmp_path / "oops").exists()
    body = github.comments[-1]["body"]
    assert "**not met**" in body and "Compared with `main`:" in body and "1 worse" in body
    assert (tmp_path / "halluscope" / "report.html").stat().st_size > 10_000

    write(data, 300)
    assert runner.run("feature/$(touch oops)") == 0
    assert len(github.comments) == 151 and "**not met**" not in github.comments[-1]["body"]


def test_data_that_cannot_be_read_fails_the_job_and_a_token_that_may_not_write_does_not(
    tmp_path: Path, github: GitHub
) -> None:
    github.may_write = False
    runner = Runner(tmp_path, github, data="nowhere.jsonl")
    assert runner.run("main") == 2
    assert runner.said == "halluscope: there is no summary to post: the run did not start.\n"
    (tmp_path / "halluscope" / "summary.md").write_text("figures", encoding="utf-8")
    assert runner.step("Comment on the pull request").returncode == 0
    assert len(github.comments) == 150
