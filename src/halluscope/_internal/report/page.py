"""The page around the data: markup, style and script, put into one file.

The files under `assets/` are ordinary HTML, CSS and JavaScript modules. Here the modules become one
script, and a Content-Security-Policy names the hash of that script and of the style sheet: a browser
then runs nothing else and fetches nothing at all, whatever a judged text contains.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from functools import cache
from html import escape
from pathlib import Path

_ASSETS = Path(__file__).parent / "assets"

MODULES = (
    "dom",
    "words",
    "store",
    "filters",
    "search",
    "histogram",
    "list",
    "marks",
    "claims",
    "exchanges",
    "case",
    "overview",
    "sidebar",
    "theme",
    "keys",
    "printing",
    "main",
)
"""In the order in which they build on each other."""

STYLE_SHEETS = ("colours", "layout", "overview", "case", "print")

_IMPORT = re.compile(r'^import [^;]*? from "\./\w+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class)", re.MULTILINE)


def _read(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


@cache
def script() -> str:
    """All modules as one script: they share a scope, so imports and exports fall away."""
    modules = (_EXPORT.sub("", _IMPORT.sub("", _read(f"{name}.js"))).strip() for name in MODULES)
    return "\n" + "\n\n".join(modules) + "\n"


@cache
def style() -> str:
    """All style sheets as one."""
    return "\n" + "\n".join(_read(f"{name}.css").strip() for name in STYLE_SHEETS) + "\n"


def policy() -> str:
    """What the browser may do with the page: run this script, apply this style, nothing else."""
    return (
        f"default-src 'none'; script-src {_hash(script())}; style-src {_hash(style())}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(content: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def opening(title: str) -> str:
    """The page up to its data."""
    before, _, _ = _read("report.html").partition("<!--data-->")
    return (
        before.replace("<!--policy-->", escape(policy(), quote=False))
        .replace("<!--title-->", escape(title))
        .replace("<!--style-->", style())
    )


def closing(without_script: str) -> str:
    """The page from its data on. `without_script` is markup for readers whose browser runs no script."""
    _, _, after = _read("report.html").partition("<!--data-->")
    return after.replace("<!--without-script-->", without_script).replace("<!--script-->", script())
