"""Every example runs as it is written, in an empty folder, with what the wheel installs.

A model that has to be paid for is a server on loopback: it speaks the same protocol.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import halluscope

from ..helpers.loopback import Loopback
from ..helpers.once import made_once
from .pages import PAGES, ROOT, Block, blocks, name

pytestmark = pytest.mark.slow("builds the wheel and runs each example in a process")

PROGRAMS = "Scripts" if os.name == "nt" else "bin"
RUN = ("python", "console")
SHOWN = ("text", "json", "nginx", "typescript", "yaml", "ini", "toml")
"""Languages of blocks that are read, not run."""
NOT_RUN = {
    "installs the package": 3,
    "in a clone": 2,
    "runs until it is told to end": 5,
    "uses another program": 1,
    "inside another tool": 13,
    "it needs Ollama": 1,
    "it needs a server of Langfuse": 2,
    "it needs a server of Phoenix": 1,
    "it posts to a server": 1,
    "takes many minutes": 1,
}
BUILD = """
import sys, zlib
zlib.Z_DEFAULT_COMPRESSION = zlib.Z_NO_COMPRESSION
from hatchling.cli import hatchling
sys.exit(hatchling())
"""
"""Hatchling as it is, but what is unpacked at once is not packed tight: that would take longer than all the rest."""
PRINTED = {
    "docs/compat.md": [
        "0.0",
        "0.0",
        "{'hallucination-scorer': 0.0} {'hallucination-scorer': 0}",
        "1, for 6 words",
        "passed 0.0",
        "The tower is 330 m tall.",
        "[0.0]",
        "hallucination_metric 0.0 ['Everything is in the context.']",
        "0.0",
        "hallucination_metric",
        "0.5 True 2",
        "0.0 True",
        "[True]",
        "['input', 'output', 'context']",
        "Score(name='hallucination', score=1.0, label='factual', explanation='Everything is in the context.', "
        "metadata={'model': 'gpt-4o'}, source='llm', direction='maximize')",
        "factual",
        "COMPLETED",
    ]
}
"""What the examples print where the words of a page are not the place to say it."""


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with the wheel in it, and the dependencies of this one."""
    return made_once(tmp_path_factory, "wheel", install) / "venv" / PROGRAMS


def install(home: Path) -> None:
    """Builds the wheel and puts it into an environment of its own."""
    build = [sys.executable, "-c", BUILD, "build", "-t", "wheel", "-d", str(home)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    venv.create(home / "venv", symlinks=os.name != "nt")
    python = home / "venv" / PROGRAMS / "python"
    (wheel,) = home.glob("*.whl")
    words = ["--python", str(python), "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *words], check=True)
    # A folder named in a .pth file is on the path, but the .pth files in it are not read: so this environment's
    # packages are found there, and the source tree is not.
    own = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    packages = next((home / "venv").rglob("site-packages"))
    (packages / "here.pth").write_text("\n".join(sorted(own)), encoding="utf-8")


def environment(installed: Path) -> dict[str, str]:
    """The variables of a shell in which that environment is active."""
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return {**kept, "PATH": str(installed) + os.pathsep + os.environ["PATH"], "PYTHONUTF8": "1"}


@pytest.fixture(scope="session")
def commands(installed: Path) -> Iterator[str]:
    """The address of a process that runs the commands of all pages."""
    program = [str(installed / "python"), str(Path(__file__).with_name("commands.py"))]
    with subprocess.Popen(
        program, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment(installed), text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


@pytest.fixture
def reader(installed: Path, commands: str, tmp_path: Path, server: Loopback) -> dict[str, str]:
    """The environment of someone with keys, whose providers are on loopback, and whose pytest has this plugin alone."""
    others = {point.name for point in entry_points(group="pytest11")} - {"halluscope"}
    return {
        **environment(installed),
        "COMMANDS": commands,
        "HALLUSCOPE_HOME": str(tmp_path / "home"),
        "OPENAI_API_KEY": "a key for loopback",
        "OPENAI_BASE_URL": server.base_url,
        "ANTHROPIC_API_KEY": "a key for loopback",
        "ANTHROPIC_BASE_URL": server.url,
        "PYTEST_ADDOPTS": " ".join(f"-p no:{plugin}" for plugin in sorted(others)),
    }


def play(
    page: list[Block], programs: Path, folder: Path, variables: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(programs / "python"), "-W", "error", str(Path(__file__).with_name("reader.py"))],
        input=json.dumps([asdict(block) for block in page]),
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )


@pytest.mark.parametrize("page", [page for page in PAGES if any(b.language in RUN for b in blocks(page))], ids=name)
def test_the_examples_of_a_page_run(page: Path, installed: Path, tmp_path: Path, reader: dict[str, str]) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    done = play([b for b in blocks(page) if (b.language in RUN or b.title) and not b.why], installed, folder, reader)
    assert done.returncode == 0, done.stdout + done.stderr
    if expected := PRINTED.get(name(page)):
        assert [line for line in done.stdout.splitlines() if not line.startswith("--")] == expected


def test_what_runs_is_the_wheel(installed: Path, tmp_path: Path, reader: dict[str, str]) -> None:
    """And a wrong example is noticed, whether it is wrong in what it does or in what it says."""
    where = (
        f"import halluscope\nassert halluscope.__file__.startswith({str(installed.parent)!r}), halluscope.__file__\n"
    )
    done = play([Block("python", where, "here:1")], installed, tmp_path, reader)
    assert done.returncode == 0, done.stderr
    program = [str(installed / "halluscope"), "--version"]
    shown = subprocess.run(program, env=reader, capture_output=True, text=True, check=True).stdout
    assert shown == f"halluscope {halluscope.__version__}\n"
    for wrong in (
        Block("python", "print(1)  # 2\n", "here:1"),
        Block("python", "import halluscope.nowhere\n", "here:1"),
        Block("console", "$ halluscope eval nowhere.jsonl\n", "here:1"),
        Block("console", "$ make demo\n", "here:1"),
    ):
        assert play([wrong], installed, tmp_path, reader).returncode != 0, wrong


def test_every_block_is_run_or_known_not_to_be() -> None:
    every = [block for page in PAGES for block in blocks(page)]
    assert [block.place for block in every if block.language not in (*RUN, *SHOWN)] == []
    assert Counter(block.why for block in every if block.why) == NOT_RUN
    fences = sum(line.startswith("```") for page in PAGES for line in page.read_text(encoding="utf-8").splitlines())
    assert fences == 2 * len(every), "a fence that the tests cannot read"
