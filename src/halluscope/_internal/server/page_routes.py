"""The page: its documents, scripts and style sheets, all from the package.

The scripts are the report's own modules and the server's few, served as they are. The policy lets the browser load
them from here and nothing from elsewhere, and run nothing that stands in a page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..report import page as report

_ASSETS = Path(__file__).with_name("assets")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_DOCUMENTS = {
    "/": ("Check", "check_page.js"),
    "/runs": ("Runs", "runs_page.js"),
    "/runs/view": ("Run", "run_page.js"),
}
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}


class PageRoutes:
    """Static all of it: it holds no data, so it needs no token."""

    def routes(self) -> list[Route]:
        documents = [Route(path, _answering(_document, path)) for path in _DOCUMENTS]
        return [*documents, Route("/assets/{name}", _asset)]

    def is_open(self, path: str) -> bool:
        """Whether this address is one of the page's."""
        return path in _DOCUMENTS or path.startswith("/assets/")


def _answering(made: Callable[[str], bytes], name: str) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        return _kept(request, made(name), "text/html; charset=utf-8")

    return answer


def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    content = _assets().get(name)
    if content is None:
        raise HTTPException(404)
    return _kept(request, content, _TYPES[Path(name).suffix])


def _kept(request: Request, content: bytes, media_type: str) -> Response:
    """A browser keeps it, and asks each time whether it is still the same."""
    request.scope["halluscope.route"] = "page"
    tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    headers = {"etag": tag, "cache-control": "no-cache", "content-security-policy": _POLICY}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=media_type)


@cache
def _assets() -> dict[str, bytes]:
    """By name. A name that is not in here is nowhere, however it is written."""
    files = [*report.ASSETS.glob("*.js"), *_ASSETS.glob("*.js"), *_ASSETS.glob("*.svg")]
    found = {path.name: path.read_bytes() for path in files}
    own = (_ASSETS / "server.css").read_bytes()
    return {**found, "page.css": report.style().encode() + own}


@cache
def _document(path: str) -> bytes:
    title, script = _DOCUMENTS[path]
    content = report.read_asset("panes.html") if path == "/runs/view" else _own(f"{title.lower()}.html")
    links = {"/": "Check", "/runs": "Runs"}
    here = "/runs" if path.startswith("/runs") else "/"
    shown = "".join(
        f'<a href="{to}"{" aria-current=" + chr(34) + "page" + chr(34) if to == here else ""}>{words}</a>'
        for to, words in links.items()
    )
    page = report.shell(
        title=title,
        style='<link rel="icon" href="/assets/icon.svg"><link rel="stylesheet" href="/assets/page.css">',
        navigation=f'<nav class="navigation" aria-label="Pages">{shown}</nav>',
        content=content,
        without_script="<p>This page is made by a script, which this viewer does not run. The server's answers can be "
        "had without it: see <a href='/openapi.json'>its description</a>.</p>",
        script=f'<script type="module" src="/assets/{script}"></script>',
    )
    return page.encode()


def _own(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")
