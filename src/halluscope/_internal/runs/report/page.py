"""The page around the data: markup, style sheet and script in one file.

The JavaScript modules in `assets/` are combined into one script. A Content-Security-Policy allows only this script and
style sheet, by their hashes, and no requests, whatever a judged text contains.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path

from ...core.case import clean
from ...stats.interval import Interval
from ..statistics.summary import MetricSummary

ASSETS = Path(__file__).parent / "assets"

MODULES = tuple(
    "dom words store filters search histogram list tables marks claims judged exchanges timeline repair case "
    "data_table groups worst overview sidebar theme keys printing report main".split()
)
"""In the order of their dependencies."""

STYLE_SHEETS = ("colours", "layout", "overview", "case", "print")

_IMPORT = re.compile(r'^import [^;]*? from "\./\w+\.js";\n', re.MULTILINE)
_PART = re.compile(r"<!--([a-z-]+)-->")
TITLE, _DATA, TABLE = "<!--title-->", "<!--data-->", "<!--without-script-->"
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class)", re.MULTILINE)


def read_asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


@cache
def script() -> str:
    """Combine all modules into one script, without imports and exports."""
    modules = (_EXPORT.sub("", _IMPORT.sub("", read_asset(f"{name}.js"))).strip() for name in MODULES)
    return "\n" + "\n\n".join(modules) + "\n"


@cache
def style() -> str:
    """Combine all style sheets."""
    return "\n" + "\n".join(read_asset(f"{name}.css").strip() for name in STYLE_SHEETS) + "\n"


def policy() -> str:
    """Return the Content-Security-Policy: only this script and this style sheet."""
    return (
        f"default-src 'none'; script-src {_hash(script())}; style-src {_hash(style())}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(content: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def shell(**parts: str) -> str:
    """Fill the frame of a page with markup for its parts. Other parts stay empty."""
    return _PART.sub(lambda match: parts.get(match.group(1).replace("-", "_"), ""), read_asset("shell.html"))


@cache
def around_data() -> tuple[str, str]:
    """Return the page before and after the data, with the placeholders `TITLE` and `TABLE`."""
    page = shell(
        policy=f'<meta http-equiv="Content-Security-Policy" content="{escape(policy(), quote=False)}">',
        title=TITLE,
        style=f"<style>{style()}</style>",
        content=read_asset("panes.html"),
        data=_DATA,
        without_script=TABLE,
        script=f'<script type="module">{script()}</script>',
    )
    before, _, after = page.partition(_DATA)
    return before, after


def table(name: str, figures: Sequence[MetricSummary]) -> str:
    """Return the statistics as an HTML table, for browsers without JavaScript."""
    rows = "".join(
        f"<tr><th>{escape(clean(metric.metric))}</th><td>{_figure(metric.mean, metric.interval)}</td>"
        f"<td>{_figure(metric.pass_rate, metric.pass_interval)}</td><td>{metric.scored} of {metric.results}</td></tr>"
        for metric in figures
    )
    return (
        f"<h1>{escape(clean(name))}</h1>"
        "<p>This page needs JavaScript to show the cases. The statistics:</p>"
        "<table><tr><th>metric</th><th>mean (95 % interval)</th><th>share passed</th><th>scored</th></tr>"
        f"{rows}</table>"
    )


def _figure(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" + ("" if interval is None else f" ({interval.low:.3f} to {interval.high:.3f})")
