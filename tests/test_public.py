"""What `import halluscope` gives, and what it must not load."""

from __future__ import annotations

import ast
import importlib
import inspect
import pickle
import re
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_origin, get_type_hints

import pandas
import pytest

import halluscope
from halluscope import distributed, errors, judges, live, metrics, proof, runs, sinks
from halluscope.compat import deepeval, mastra, opik, phoenix

ROOT = Path(__file__).parent.parent
OWN = [halluscope, errors, metrics, judges, runs, proof, live, distributed, sinks]
PUBLIC: list[ModuleType] = [*OWN, deepeval, mastra, opik, phoenix]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
IMPORTED = re.compile(r"^from (halluscope[\w.]*) import (.*)$", re.MULTILINE)
LATE = {"pandas": pandas, "pd": pandas, "JudgeSpec": judges.JudgeSpec, "Result": halluscope.Result}
"""What some files import for type checkers only."""
NAME = re.compile(r"\w+")
PATH = re.compile(
    r"(?<![\w/.-])(halluscope(?:\.errors|\.metrics|\.judges|\.runs|\.proof|\.live|\.distributed|\.sinks|\.compat\.\w+)?)\.(?!compat\b|db\b)([A-Za-z_]+)\b"
)

HEAVY = (
    "onnxruntime",
    "tokenizers",
    "numpy",
    "pandas",
    "aiohttp",
    "openai",
    "anthropic",
    "litellm",
    "starlette",
    "uvicorn",
    "prometheus_client",
    "mcp",
    "ray",
    "pydantic",
    "typer",
    "rich",
    "genai_prices",
)


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def names(module: ModuleType) -> list[tuple[str, Any]]:
    return [
        (name, getattr(module, name))
        for name in module.__all__
        if name != "__version__" and not inspect.ismodule(getattr(module, name))
    ]


@pytest.mark.parametrize("module", PUBLIC, ids=lambda module: module.__name__)
def test_all_is_sorted_and_every_name_loads(module: ModuleType) -> None:
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(value is not None for _, value in names(module))
    assert set(module.__all__) - {"__version__"} <= set(dir(module))


@pytest.mark.parametrize("module", OWN, ids=lambda module: module.__name__)
def test_every_import_of_a_stub_is_public(module: ModuleType) -> None:
    tree = ast.parse(Path(str(module.__file__)).with_suffix(".pyi").read_text(encoding="utf-8"))
    listed = [alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(listed, key=str) == module.__all__


def test_the_top_level_exports_what_a_user_types() -> None:
    assert len(vars(halluscope)["__all__"]) <= 63


def test_every_former_name_is_found_with_a_warning() -> None:
    for name, home in vars(halluscope)["_MOVED"].items():
        with pytest.warns(DeprecationWarning, match=f"halluscope.{name} is now {home.partition(':')[0]}"):
            former = getattr(halluscope, name)
        home, _, now = home.partition(":")
        assert former is getattr(importlib.import_module(home), now or name)


def test_public_modules_are_there_after_the_import_alone() -> None:
    assert run("import halluscope; print(halluscope.live.Live.__name__, halluscope.errors.InputError.__name__)") == (
        "Live InputError"
    )


def is_ours(thing: object) -> bool:
    return (isinstance(thing, type) or inspect.isfunction(thing)) and (
        str(thing.__module__).partition(".")[0] == "halluscope"
    )


def is_public(thing: Any) -> bool:
    home, name = sys.modules[thing.__module__], str(thing.__name__)
    return home in PUBLIC and name in home.__all__ and getattr(home, name) is thing


@pytest.mark.parametrize("module", PUBLIC, ids=lambda module: module.__name__)
def test_every_name_says_the_public_path(module: ModuleType) -> None:
    assert [name for name, value in names(module) if is_ours(value) and not is_public(value)] == []


def test_a_traceback_says_the_public_path() -> None:
    with pytest.raises(halluscope.HalluscopeError) as caught:
        halluscope.check(b"bytes")
    assert traceback.format_exception_only(caught.value)[0].startswith(
        "halluscope.errors.CaseError: the output is a bytes"
    )


def test_public_values_are_pickled_by_their_public_names() -> None:
    result = halluscope.check("Paris.", ["Paris."], metric="label", judge=lambda prompt: "factual")
    assert b"_internal" not in pickle.dumps(result)
    assert pickle.loads(pickle.dumps(result)) == result


def in_hint(hint: object) -> Iterator[object]:
    """Every class in a type."""
    yield hint if get_origin(hint) is None else get_origin(hint)
    yield from in_hints(get_args(hint))


def in_hints(hints: Iterable[object]) -> Iterator[object]:
    for hint in hints:
        yield from in_hints(hint) if isinstance(hint, list) else in_hint(hint)


def callables(value: object) -> Iterator[Callable[..., object]]:
    """A function, or the methods of a class that a user may call."""
    if inspect.isfunction(value):
        yield value
    elif isinstance(value, type):
        for name, held in vars(value).items():
            made = held.fget if isinstance(held, property) else getattr(held, "__func__", held)
            if inspect.isfunction(made) and (not name.startswith("_") or name == "__init__"):
                yield made


@pytest.mark.parametrize("module", PUBLIC, ids=lambda module: module.__name__)
def test_signatures_name_public_types_only(module: ModuleType) -> None:
    hidden = set()
    for name, value in names(module):
        for function in callables(value) if is_ours(value) else ():
            known = {**LATE, **inspect.unwrap(function).__globals__}
            for held in in_hints(get_type_hints(inspect.unwrap(function), known).values()):
                if is_ours(held) and not is_public(held):
                    hidden.add(f"{name}: {held}")
    assert sorted(hidden) == []


@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "integrations.md"], ids=lambda page: page.name)
def test_documents_tell_only_of_what_is_public(page: Path) -> None:
    """Whatever is imported, or named by its path, is in `__all__` of a public module.

    The modules of integrations.md need their tools: `make test-integrations` runs that page.
    """
    text = page.read_text(encoding="utf-8")
    homes = {module.__name__: module for module in PUBLIC}
    named = [(home, name) for home, found in IMPORTED.findall(text) for name in NAME.findall(found)]
    named += [(home, name) for home, name in PATH.findall(text) if home in homes and name != "toml"]
    assert [pair for pair in named if pair[0] not in homes] == []
    modules = {module.__name__.rpartition(".")[2] for module in PUBLIC}
    unknown = [(h, n) for h, n in named if n not in homes[h].__all__ and not (h == "halluscope" and n in modules)]
    assert [pair for pair in unknown if ".".join(pair) not in sys.modules] == []  # the tools' own module paths
    assert "_internal" not in text or page.name in ("architecture.md", "releasing.md", "CONTRIBUTING.md")


def test_an_unknown_name_is_an_attribute_error() -> None:
    try:
        halluscope.chek  # type: ignore[attr-defined]  # noqa: B018
    except AttributeError as error:
        assert "chek" in str(error)
    else:
        raise AssertionError("a misspelt name was found")


def test_import_loads_nothing_heavy() -> None:
    loaded = run("import sys, halluscope; print(' '.join(m for m in sys.modules if '.' not in m))").split()
    assert not set(HEAVY) & set(loaded)


def test_scoring_with_an_own_model_loads_nothing_heavy() -> None:
    code = """
import sys, halluscope
result = halluscope.check("Paris.", ["Paris is the capital."], metric="label", judge=lambda prompt: "factual")
assert result.label == "factual", result
print(" ".join(m for m in sys.modules if "." not in m))
"""
    assert not set(HEAVY) & set(run(code).split())


def test_a_run_loads_no_numpy_before_its_figures_are_asked_for(tmp_path: Path) -> None:
    code = f"""
import sys, halluscope
rows = [{{"output": "Paris.", "context": ["Paris is the capital."]}}]
with halluscope.Store({str(tmp_path / "a.db")!r}) as store:
    run = halluscope.evaluate(rows, "label", lambda prompt: "factual", store=store, progress=False)
    assert "numpy" not in sys.modules
    assert run.summary()["label"].mean == 0.0
"""
    run(code)
