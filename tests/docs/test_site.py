"""The documentation site: it builds without a warning, loads nothing from elsewhere, and names all that is public."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import halluscope
from halluscope import distributed, judges, metrics

from .pages import ROOT

pytestmark = pytest.mark.slow("builds the documentation")

LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//|<link\b[^>]*href=["']?(?:https?:)?//"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 10
    assert [page.name for page in pages if LOADED.search(page.read_text(encoding="utf-8"))] == []


def test_the_reference_has_every_public_name(site: Path) -> None:
    text = (site / "api.html").read_text(encoding="utf-8")
    for module in (halluscope, metrics, judges, distributed):
        names = [name for name in module.__all__ if getattr(getattr(module, name), "__module__", "") == module.__name__]
        assert names
        assert [name for name in names if f'id="{module.__name__}.{name}"' not in text] == []


def test_the_reference_says_how_a_synchronous_twin_is_called(site: Path) -> None:
    text = re.sub(r"<[^>]+>", "", (site / "api.html").read_text(encoding="utf-8"))
    for name in ("check", "evaluate", "stress"):
        assert re.search(rf"^{name}\(\n", text, re.MULTILINE), name
        assert "blocking(" not in text
