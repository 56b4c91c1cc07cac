"""The tools' current pages, moved over by changing their imports only."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ..docs.pages import Block, blocks
from ..helpers.loopback import Loopback
from ..helpers.oracle import Asked, oracle

PAGES = sorted((Path(__file__).parent / "pages").glob("*.md"))
EXAMPLES = [(page.stem, block) for page in PAGES for block in blocks(page)]


def model(asked: Asked) -> Any:
    """What the oracle says of our own questions; of others one reply that fits all pages."""
    try:
        return oracle(asked)
    except LookupError:
        return {"label": "friendly", "score": 1} if "JSON" in asked.prompt else "Hello."


@pytest.mark.parametrize(("tool", "block"), EXAMPLES, ids=[f"{tool} {block.place}" for tool, block in EXAMPLES])
def test_a_page_runs_as_it_stands(
    tool: str, block: Block, server: Loopback, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = model
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "a key for loopback")
    code = re.sub(rf"^(from|import) {tool}\b", rf"\1 halluscope.compat.{tool}", block.code, flags=re.MULTILINE)
    exec(compile(code, block.place, "exec"), {"BASE_URL": server.base_url, "__name__": "page"})


def test_every_tool_has_a_page() -> None:
    assert [page.stem for page in PAGES] == ["deepeval", "mastra", "opik", "phoenix"]
