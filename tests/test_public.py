"""What `import halluscope` gives, and what it must not load."""

from __future__ import annotations

import subprocess
import sys

import halluscope

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
    "ray",
    "pydantic",
    "typer",
    "rich",
    "genai_prices",
)


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_all_is_sorted_and_every_name_loads() -> None:
    assert halluscope.__all__ == sorted(halluscope.__all__)
    for name in halluscope.__all__:
        assert getattr(halluscope, name) is not None


def test_names_that_are_loaded_late_are_all_public() -> None:
    assert set(halluscope._HOMES) | {"__version__"} == set(halluscope.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    try:
        halluscope.chek  # noqa: B018
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
    heavy = set(HEAVY) - {"numpy"}
    assert not heavy & set(run(code).split())
