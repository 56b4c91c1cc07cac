"""halluscope inside other tools: the examples of the page, and what the page does not show."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import asdict
from functools import cache
from pathlib import Path

import pytest

from ..docs.pages import ROOT, Block, blocks
from ..helpers.serving import Served
from .environments import HOMES, NO_NETWORK, PACKAGES, promptfoo, python_of, variables

PAGE = ROOT / "docs" / "integrations.md"
READER = ROOT / "tests" / "docs" / "reader.py"
INSIDE = Path(__file__).with_name("inside")

built = cache(python_of)


def run(environment: str, words: list[str], folder: Path, given: str = "") -> subprocess.CompletedProcess[str]:
    python = built(environment)
    return subprocess.run(
        [str(python), *words],
        cwd=folder,
        input=given,
        env={**os.environ, **variables(python, folder)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
    )


def sections() -> dict[str, list[Block]]:
    """The examples of each section of the page."""
    text = PAGE.read_text(encoding="utf-8")
    heads = [(found.start(), found[1]) for found in re.finditer(r"^## (.+)$", text, re.MULTILINE)]
    lines = {start: text.count("\n", 0, start) + 1 for start, _ in heads}
    found: dict[str, list[Block]] = {}
    for block in blocks(PAGE):
        if block.language == "python":
            at = int(block.place.rpartition(":")[2])
            found.setdefault(max((lines[s], head) for s, head in heads if lines[s] < at)[1], []).append(block)
    return found


def test_every_tool_has_an_example() -> None:
    assert set(sections()) == set(HOMES)


@pytest.mark.parametrize("tool", HOMES)
def test_the_examples_of_the_page_run_inside_the_tool(tool: str, tmp_path: Path) -> None:
    done = run(HOMES[tool], [str(READER)], tmp_path, json.dumps([asdict(block) for block in sections()[tool]]))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.mark.parametrize("environment", PACKAGES)
def test_what_the_page_does_not_show(environment: str, tmp_path: Path) -> None:
    words = [
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--noconftest",
        "-c",
        os.devnull,
        str(INSIDE / environment),
    ]
    done = run(environment, words, tmp_path)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_promptfoo_checks_answers_over_http(tmp_path: Path) -> None:
    (config,) = (block.code for block in blocks(PAGE) if block.title == "promptfooconfig.yaml")
    right = config.partition("tests:\n")[2].replace("200", "300")
    with Served() as server:
        at_server = config.replace("http://127.0.0.1:8000", server.url)
        (tmp_path / "promptfooconfig.yaml").write_text(at_server + right, encoding="utf-8")
        subprocess.run(
            [str(promptfoo()), "eval", "--no-cache", "--output", "out.json"],
            cwd=tmp_path,
            env={**os.environ, **NO_NETWORK, "PROMPTFOO_CONFIG_DIR": str(tmp_path / "promptfoo")},
            capture_output=True,
            timeout=300,
        )
    results = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["results"]["results"]
    assert [(one["success"], one["score"]) for one in results] == [(False, 0), (True, 1)]
    assert "300 metres" in results[0]["gradingResult"]["reason"]
