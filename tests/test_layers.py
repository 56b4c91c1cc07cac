"""A module imports only from its own folder and from the rows above it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from .helpers.source_trees import tree_of

PACKAGE = Path(__file__).parent.parent / "src" / "halluscope"

ROWS: tuple[tuple[str, ...], ...] = (
    ("core",),
    ("stats", "text"),
    ("engine",),
    ("judges", "repair"),
    ("runs",),
    ("sinks",),
    ("cluster", "live", "proof"),
    ("compat", "integrations"),
    ("serving",),
    ("cli",),
    ("__main__",),
)
ROW = {name: row for row, names in enumerate(ROWS) for name in names}


MOST_SIDE_BY_SIDE = 15
"""Modules in one folder: with more, a reader no longer sees what belongs together."""


def modules() -> list[Path]:
    """All but the files that only name what is public."""
    names = (
        "__init__",
        "distributed",
        "errors",
        "judges",
        "live",
        "metrics",
        "proof",
        "runs",
        "sinks",
        "_internal/__init__",
    )
    faces = [PACKAGE / f"{name}.py" for name in names]
    return sorted(path for path in PACKAGE.rglob("*.py") if path not in faces)


def top(path: Path) -> str:
    return unit(path.relative_to(PACKAGE).parts).removesuffix(".py")


def unit(parts: Sequence[str]) -> str:
    """The folder that a module belongs to; an empty one for the package itself."""
    inside = parts[1:] if parts[:1] == ("_internal",) else parts
    return inside[0] if inside else ""


def imported(path: Path) -> Iterator[str]:
    """The top-level modules of the package that a file imports, also inside functions."""
    inside = path.relative_to(PACKAGE).parts[:-1]
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = inside[: len(inside) - node.level + 1]
            target = (*base, *(node.module or "").split(".")) if node.module else base
            yield from [unit(target)] if unit(target) else [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("halluscope."):
            yield unit(tuple((node.module or "").split(".")[1:]))
        elif isinstance(node, ast.Import):
            yield from (unit(tuple(a.name.split(".")[1:])) for a in node.names if a.name.startswith("halluscope."))


def test_every_module_has_a_row() -> None:
    assert {top(path) for path in modules()} == set(ROW)


def test_the_rows_are_those_that_the_documentation_shows() -> None:
    text = (PACKAGE.parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| \d+ \| (.*) \|$", text, re.MULTILINE)
    assert tuple(tuple(re.findall(r"`(\w+)`", row)) for row in shown) == ROWS


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_come_from_above(path: Path) -> None:
    own = top(path)
    others = {name for name in imported(path) if ROW.get(name, -1) >= ROW[own] and name != own}
    assert not others, f"{own} imports {sorted(others)}, which no row above its own has"


def test_metrics_do_not_know_the_judges() -> None:
    paths = list((PACKAGE / "_internal" / "engine" / "metrics").rglob("*.py"))
    assert paths
    for path in paths:
        assert "judges" not in set(imported(path)), path


def test_no_folder_holds_more_than_a_reader_takes_in() -> None:
    counts = Counter(path.parent for path in modules() if path.name != "__init__.py")
    assert {str(folder.relative_to(PACKAGE)): n for folder, n in counts.items() if n > MOST_SIDE_BY_SIDE} == {}


def names_in(path: Path) -> set[str]:
    """The classes and functions that a file has for others."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in tree_of(path).body if isinstance(node, kinds) and not node.name.startswith("_")}


def test_no_name_is_used_for_two_things() -> None:
    """But for what peers call theirs, and commands that are named like what they do.

    The embedded judge has words of its own: what its network was trained with is not what the rest reads.
    """
    own = [
        path
        for path in modules()
        if not {"compat", "integrations", "cli", "embedded"} & set(path.relative_to(PACKAGE).parts)
    ]
    counts = Counter(name for path in own for name in names_in(path))
    assert {name for name, count in counts.items() if count > 1} == {"resolve"}  # a judge, and a metric
    stems = Counter(path.stem for path in own if path.name != "__init__.py")
    assert {stem: count for stem, count in stems.items() if count > 1} == {}


def files_imported(path: Path) -> Iterator[Path]:
    """The files of the package that a file imports, wherever in it the import stands."""
    inside = path.relative_to(PACKAGE).parts[:-1]
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.level:
            parts = (*inside[: len(inside) - node.level + 1], *(node.module or "").split("."))
            module = PACKAGE.joinpath(*parts)
            yield from filter(None, (file_of(module / alias.name) or file_of(module) for alias in node.names))


def file_of(module: Path) -> Path | None:
    tried = (module.with_name(f"{module.name}.py"), module / "__init__.py")
    return next((file for file in tried if file.is_file()), None)


def circle(graph: dict[Path, set[Path]]) -> list[Path]:
    """Files that import each other round and round; none where there are none such."""
    left = dict(graph)
    while True:
        taken = {target for targets in left.values() for target in targets}
        ends = [file for file, targets in left.items() if file not in taken or not targets & left.keys()]
        if not ends:
            return sorted(left)
        left = {file: targets for file, targets in left.items() if file not in ends}


def test_no_files_import_each_other() -> None:
    assert circle({path: set(files_imported(path)) for path in modules()}) == []


def test_the_check_sees_a_circle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.PACKAGE", tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.py").write_text("from .two import x\n")
    (tmp_path / "a" / "two.py").write_text("def later():\n    from . import one\n")
    (tmp_path / "b.py").write_text("from .a.one import y\n")
    found = circle({path: set(files_imported(path)) for path in tmp_path.rglob("*.py")})
    assert [path.name for path in found] == ["one.py", "two.py"]


def test_the_check_sees_a_wrong_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "case.py"
    module.write_text("from .driver import Driver\nfrom . import cli\n")
    monkeypatch.setattr("tests.test_layers.PACKAGE", tmp_path)
    assert set(imported(module)) == {"driver", "cli"}
