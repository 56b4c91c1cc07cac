"""The pages of the documentation, and the blocks of code in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
_FENCE = re.compile(
    r"(?:<!-- not run: (?P<why>[^>]*?) -->\n)?"
    r'^```(?P<language>[a-z]*)(?: title="(?P<title>[^"]*)")?\n(?P<code>.*?)^```$',
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """One fenced block. `title` is the file it stands in, `why` is the reason why it is not run."""

    language: str
    code: str
    place: str
    title: str | None = None
    why: str | None = None


def name(page: Path) -> str:
    """The page's path in the repository."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """All of them, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            fence["language"],
            fence["code"],
            f"{name(page)}:{text.count(chr(10), 0, fence.start('code')) + 1}",
            fence["title"],
            fence["why"],
        )
        for fence in _FENCE.finditer(text)
    ]
