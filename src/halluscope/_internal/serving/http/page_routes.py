"""The web page: documents, scripts and style sheets from the package.

Most scripts are shared with the report. The Content-Security-Policy allows files from this server only and no inline
scripts.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ...runs.report import page as report

_ASSETS = Path(__file__).with_name("assets")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_DOCUMENTS = {"/": ("Check", "check_page.js"), "/runs": ("Runs", "runs_page.js"), "/runs/view": ("Run", "run_page.js")}
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}


def page_routes() -> list[Route]:
    """The routes of the web page. It is static and needs no token."""
    return [*(Route(path, _shown) for path in _DOCUMENTS), Route("/assets/{name}", _asset)]


def is_of_page(path: str) -> bool:
    return path in _DOCUMENTS or path.startswith("/assets/")


def _shown(request: Request) -> Response:
    return _kept(request, _document(request.scope["path"]), "text/html; charset=utf-8")


def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    content = _assets().get(name)
    if content is None:
        raise HTTPException(404)
    return _kept(request, content, _TYPES[Path(name).suffix])


def _kept(request: Request, content: bytes, media_type: str) -> Response:
    """Answer with an ETag, so that browsers cache the file and revalidate it."""
    request.scope["halluscope.route"] = "page"
    tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    headers = {"etag": tag, "cache-control": "no-cache", "content-security-policy": _POLICY}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=media_type)


@cache
def _assets() -> dict[str, bytes]:
    """Read all assets, by name. Only these names are served."""
    files = [*report.ASSETS.glob("*.js"), *_ASSETS.glob("*.js"), *_ASSETS.glob("*.svg")]
    found = {path.name: path.read_bytes() for path in files}
    own = (_ASSETS / "server.css").read_bytes()
    return {**found, "page.css": report.style().encode() + own}


@cache
def _document(path: str) -> bytes:
    title, script = _DOCUMENTS[path]
    own = _ASSETS / f"{title.lower()}.html"
    content = report.read_asset("panes.html") if path == "/runs/view" else own.read_text(encoding="utf-8")
    here = "/runs" if path.startswith("/runs") else "/"
    current = {here: ' aria-current="page"'}
    links = (("/", "Check"), ("/runs", "Runs"))
    shown = "".join(f'<a href="{to}"{current.get(to, "")}>{words}</a>' for to, words in links)
    page = report.shell(
        title=title,
        style='<link rel="icon" href="/assets/icon.svg"><link rel="stylesheet" href="/assets/page.css">',
        navigation=f'<nav class="navigation" aria-label="Pages">{shown}</nav>',
        content=content,
        without_script="<p>This page needs JavaScript. The API works without it: see its "
        "<a href='/openapi.json'>description</a>.</p>",
        script=f'<script type="module" src="/assets/{script}"></script>',
    )
    return page.encode()
