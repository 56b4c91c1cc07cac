"""The documentation's examples run, its links lead somewhere, and every command is explained."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from halluscope._internal.cli.app import HOMES, app

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"(<!-- not run:[^>]*-->\s*)?^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
RUN_ELSEWHERE = {"docs/compat.md"}
"""Its examples talk to a chat server: `tests/compat/test_docs.py` runs them against one on loopback."""
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_examples_run(page: Path, tmp_path: Path) -> None:
    """The blocks of a page run in order, as one program; those marked `not run` are only compiled."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    for marked, code in blocks:
        if marked:
            compile(f"async def example():\n{_indented(code)}", name(page), "exec")
    program = "\n".join(code for marked, code in blocks if not marked)
    if not program or name(page) in RUN_ELSEWHERE:
        return
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copy(ROOT / "examples" / "answers.jsonl", tmp_path)
    environment = {**os.environ, "HALLUSCOPE_HOME": str(tmp_path / "home")}
    environment.pop("HALLUSCOPE_JUDGE", None)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{program}\n{done.stderr}"


def _indented(code: str) -> str:
    return "".join(f"    {line}\n" for line in code.splitlines()) + "    pass\n"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{name(page)} links to {target}"


def test_every_command_is_documented() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert not [command for command in HOMES if f"halluscope {command}" not in text]


def test_every_command_is_found_where_it_is_said_to_be() -> None:
    for command in HOMES:
        done = CliRunner().invoke(app, [command, "--help"])
        assert done.exit_code == 0, command
    assert {info.name for info in app.registered_commands} == set(HOMES)
