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

ASSETS = Path(__file__).parent / "assets"

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
    "judged",
    "exchanges",
    "case",
    "overview",
    "sidebar",
    "theme",
    "keys",
    "printing",
    "report",
    "main",
)
"""In the order in which they build on each other."""

STYLE_SHEETS = ("colours", "layout", "overview", "case", "print")

_IMPORT = re.compile(r'^import [^;]*? from "\./\w+\.js";\n', re.MULTILINE)
_PART = re.compile(r"<!--([a-z-]+)-->")
_TITLE, _DATA, _TABLE = "<!--title-->", "<!--data-->", "<!--without-script-->"
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class)", re.MULTILINE)


def read_asset(name: str) -> str:
    """One of the files that pages are made of."""
    return (ASSETS / name).read_text(encoding="utf-8")


@cache
def script() -> str:
    """All modules as one script: they share a scope, so imports and exports fall away."""
    modules = (_EXPORT.sub("", _IMPORT.sub("", read_asset(f"{name}.js"))).strip() for name in MODULES)
    return "\n" + "\n\n".join(modules) + "\n"


@cache
def style() -> str:
    """All style sheets as one."""
    return "\n" + "\n".join(read_asset(f"{name}.css").strip() for name in STYLE_SHEETS) + "\n"


def policy() -> str:
    """What the browser may do with the page: run this script, apply this style, nothing else."""
    return (
        f"default-src 'none'; script-src {_hash(script())}; style-src {_hash(style())}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(content: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def shell(**parts: str) -> str:
    """The frame of every page, with markup for its parts; what is not given is left empty."""
    return _PART.sub(lambda match: parts.get(match.group(1).replace("-", "_"), ""), read_asset("shell.html"))


@cache
def _around_data() -> tuple[str, str]:
    """The report's page before and after its data; title and table are still to be put in."""
    page = shell(
        policy=f'<meta http-equiv="Content-Security-Policy" content="{escape(policy(), quote=False)}">',
        title=_TITLE,
        style=f"<style>{style()}</style>",
        content=read_asset("panes.html"),
        data=_DATA,
        without_script=_TABLE,
        script=f'<script type="module">{script()}</script>',
    )
    before, _, after = page.partition(_DATA)
    return before, after


def opening(title: str) -> str:
    """The page up to its data."""
    return _around_data()[0].replace(_TITLE, escape(title), 1)


def closing(without_script: str) -> str:
    """The page from its data on. `without_script` is markup for readers whose browser runs no script."""
    return _around_data()[1].replace(_TABLE, without_script, 1)
