"""Puts the pages that live at the root of the repository, such as the README, on the documentation site.

mkdocs calls it (see mkdocs.yml). On GitHub the links go from file to file; on the site they go
from page to page.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "MODEL_CARD.md": "model-card.md",
    "SECURITY.md": "security.md",
}
"""Files at the root, and what they are called on the site."""
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages."""
    for source, name in PAGES.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Turns the links of a page."""
    name = page.file.src_uri
    source = next((root for root, site in PAGES.items() if site == name), f"docs/{name}")
    return turned(markdown, source)


def turned(markdown: str, source: str) -> str:
    """The text of the file `source` with its links as they are on the site.

    A file that is no page, such as a workflow, is named and not linked: the site does not say where the repository is.
    """

    def turn(link: re.Match[str]) -> str:
        shown, target, place = link[1], link[2], link[3] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if path in PAGES:
            return f"[{shown}]({PAGES[path]}{place})"
        if path.startswith("docs/"):
            return f"[{shown}]({path.removeprefix('docs/')}{place})"
        if not (ROOT / path).exists():
            return link[0]  # mkdocs says that it leads nowhere
        return shown

    return LINK.sub(turn, markdown)
