"""What code a score depends on: every change that can matter is seen, and no other."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from halluscope import Hallucination, Label
from halluscope._internal.core.plumbing import source_code
from halluscope._internal.core.plumbing.source_code import code_behind
from halluscope._internal.runs.runner.identity import scorer_of
from halluscope.judges import resolve

FILES = {
    "__init__.py": "",
    "metric.py": "from .help import counted\nfrom . import words\nclass Made:\n    def flow(self):\n        return 1\n",
    "help.py": "from .far import far\n\n\ndef counted():\n    return far()\n",
    "far.py": "def far():\n    return 'a # b'\n",
    "words.py": 'WORDS = "words.json"\n',
    "words.json": '["x"]\n',
    "unrelated.py": "x = 1\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "made_package"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def digest() -> str:
    source_code._read.cache_clear()
    for name in [name for name in sys.modules if name.startswith("made_package")]:
        del sys.modules[name]
    importlib.invalidate_caches()
    return code_behind([importlib.import_module("made_package.metric").Made()])


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("metric.py", "return 1", "return 2"),
        ("help.py", "return far()", "return far() * 2"),
        ("far.py", "'a # b'", "'a # c'"),
        ("words.py", "WORDS", "WORD"),
        ("words.json", "x", "y"),
    ],
)
def test_a_change_that_a_score_can_depend_on_is_seen(package: Path, file: str, before: str, after: str) -> None:
    known = digest()
    path = package / file
    path.write_text(path.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    assert digest() != known


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("metric.py", "    def flow", "    # a remark\n    def flow"),
        ("metric.py", "return 1", "return 1  # one"),
        ("far.py", "def far", "\n\n# far away\n\ndef far"),
        ("unrelated.py", "x = 1", "x = 2"),
    ],
)
def test_a_comment_or_other_code_changes_nothing(package: Path, file: str, before: str, after: str) -> None:
    known = digest()
    path = package / file
    path.write_text(path.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    assert digest() == known


def test_what_a_real_score_depends_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files behind a metric and a judge: its own, the questions, the reading; no report, command line or plugin."""
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    seen: list[set[str]] = []
    reached = source_code._reached

    def noted(starts: set[Path]) -> set[Path]:
        found = reached(starts)
        seen.append({path.as_posix().rpartition("_internal/")[2] for path in found})
        return found

    monkeypatch.setattr(source_code, "_reached", noted)
    scorer_of(Hallucination(), resolve("openai/m"))
    scorer_of(Label(), resolve("cascade(local, openai/m)"))
    chat, cascade = seen
    needed = {
        "engine/metrics/hallucination.py",
        "engine/metrics/claimwise.py",
        "engine/questions/verify.py",
        "engine/questions/question.py",
    }
    assert needed | {"text/lenient_json.py", "engine/driver.py", "judges/chat/openai.py"} <= chat
    assert not [
        name for name in chat if name.startswith(("cli/", "report/", "store/", "runs/", "judges/embedded/", "pytest"))
    ]
    assert {
        "engine/metrics/label.py",
        "judges/embedded/deciding/verdicts.py",
        "judges/combined/cascade.py",
        "judges/chat/openai.py",
    } <= cascade
