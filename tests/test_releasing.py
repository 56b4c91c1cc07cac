"""A tag is released only where version and changelog say the same, and the workflows are what GitHub can read."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from scripts.large_files import MOST, too_large
from scripts.release_notes import notes, version
from scripts.site_pages import turned

import halluscope

ROOT = Path(__file__).parents[1]
CHANGELOG = """# Changelog

## Unreleased

## 0.2.0 (2026-03-14)

### Added

- A thing.

## 0.1.10 (2026-02-01)

- An older thing.

## 0.1.1 (2026-01-01)
"""


def test_the_notes_are_those_of_the_version_alone() -> None:
    assert notes("v0.2.0", "0.2.0", CHANGELOG) == "### Added\n\n- A thing."
    assert notes("v0.1.10", "0.1.10", CHANGELOG) == "- An older thing."


@pytest.mark.parametrize(
    ("tag", "version", "why"),
    [
        ("v0.2.1", "0.2.0", "version.py says 0.2.0"),
        ("0.2.0", "0.2.0", "tag v0.2.0"),
        ("v0.3.0", "0.3.0", "no section"),
        ("v0.1.1", "0.1.1", "says nothing"),
        ("v0x2.0", "0x2.0", "no section"),
    ],
)
def test_what_cannot_be_released_is_said(tag: str, version: str, why: str) -> None:
    with pytest.raises(SystemExit, match=why):
        notes(tag, version, CHANGELOG)


@pytest.mark.parametrize(
    ("source", "link", "on_the_site"),
    [
        ("README.md", "[Metrics](docs/metrics.md)", "[Metrics](metrics.md)"),
        ("README.md", "![a](docs/images/report.png)", "![a](images/report.png)"),
        ("README.md", "[card](MODEL_CARD.md)", "[card](model-card.md)"),
        ("docs/cascade.md", "[card](../MODEL_CARD.md#limits)", "[card](model-card.md#limits)"),
        ("docs/runs.md", "[`a.yml`](../mkdocs.yml)", "`a.yml`"),
        ("docs/runs.md", "[gone](../gone.yml)", "[gone](../gone.yml)"),
        ("docs/runs.md", "[bench](bench.md#sets), [there](#there)", "[bench](bench.md#sets), [there](#there)"),
        ("docs/runs.md", "[elsewhere](https://semver.org/)", "[elsewhere](https://semver.org/)"),
    ],
)
def test_links_go_from_page_to_page(source: str, link: str, on_the_site: str) -> None:
    assert turned(link, source) == on_the_site


def test_the_version_is_the_one_that_is_installed() -> None:
    assert version() == halluscope.__version__


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_workflow_tests_every_python_that_the_package_names() -> None:
    classifiers = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    workflow = read(ROOT / ".github" / "workflows" / "test.yml")
    pythons = workflow["jobs"]["check"]["strategy"]["matrix"]["python"]
    assert [f'"Programming Language :: Python :: {python}"' in classifiers for python in pythons] == [True] * len(
        pythons
    )
    assert classifiers.count("Programming Language :: Python :: 3.") == len(pythons)


def test_what_a_workflow_calls_is_there() -> None:
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for job in read(path)["jobs"].values():
            for step in job.get("steps", ()):
                command = step.get("run", "").split()
                if command[:1] == ["make"]:
                    targets = (ROOT / "Makefile").read_text(encoding="utf-8")
                    assert all(f"\n{target}:" in targets for target in command[1:]), command
                if command[:1] == ["python"]:
                    assert (ROOT / command[1]).exists(), command
            needs = job.get("needs", [])
            assert set([needs] if isinstance(needs, str) else needs) <= set(read(path)["jobs"])


def test_every_action_is_pinned_to_a_commit_and_names_its_version() -> None:
    for pattern in (".github/workflows/*.yml", "examples/ci/*.yml", "action.yml"):
        for path in ROOT.glob(pattern):
            for action in re.findall(r"uses: (?!\./|halluscope/)(.+)", path.read_text(encoding="utf-8")):
                assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), (path.name, action)


@pytest.mark.slow("copies and hashes the weights")
@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows-require-timeout", ".github/workflows/*.yml"),
        ("github-workflows", "examples/ci/*.yml"),
        ("github-actions", "action.yml"),
        ("github-issue-forms", ".github/ISSUE_TEMPLATE/[!c]*.yml"),
        ("github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
        ("dependabot", ".github/dependabot.yml"),
    ],
)
def test_github_can_read_it(schema: str, files: str) -> None:
    kind = "custom" if schema.endswith("require-timeout") else "vendor"
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"{kind}.{schema}"]
    done = subprocess.run([*check, *map(str, ROOT.glob(files))], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_make_help_names_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(makefile.split(".PHONY:")[1].splitlines()[0].split())
    assert targets == set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE))


def test_no_file_is_larger_than_git_hosts_accept() -> None:
    folders = [ROOT / name for name in ("benchmarks", "docs", "examples", "scripts", "src", "tests", "training")]
    assert too_large([path for folder in folders for path in folder.rglob("*")]) == []


def test_a_large_file_is_refused(tmp_path: Path) -> None:
    large = tmp_path / "weights.bin"
    with large.open("wb") as file:
        file.truncate(MOST + 1)
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "large_files.py"), str(large)], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "weights.bin" in done.stderr


def test_the_lock_has_every_development_dependency() -> None:
    """`make lock` writes it anew after a change of pyproject.toml."""
    lock = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    locked = set(re.findall(r"^([a-z0-9.-]+)==", lock, re.MULTILINE))
    tomllib = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked, waiting = [*project["dependencies"]], [*extras["dev"]]
    while waiting:  # not the extras of judges with a network of their own, which are tested elsewhere
        line = waiting.pop()
        if found := re.match(r"halluscope\[(.+)\]", line):
            waiting += [name for extra in found[1].split(",") for name in extras[extra]]
        else:
            asked.append(line)
    names = {re.match(r"[A-Za-z0-9_.-]+", line)[0].lower().replace("_", "-") for line in asked}  # type: ignore[index]
    assert names <= locked
