"""The examples in docs/compat.md run as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from halluscope.compat import deepeval, mastra, opik, phoenix

from ..loopback import Loopback
from ..oracle import oracle

TEXT = (Path(__file__).parents[2] / "docs" / "compat.md").read_text(encoding="utf-8")


def run(section: str) -> None:
    """All Python of one section, one block after the other."""
    (body,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE)
    blocks = re.findall(r"^```python\n(.*?)^```", body, re.DOTALL | re.MULTILINE)
    assert blocks
    names: dict[str, object] = {"__name__": "docs"}
    for block in blocks:
        exec(compile(block, f"docs/compat.md, {section}", "exec"), names)


@pytest.mark.parametrize(
    ("section", "printed"),
    [
        (
            "Mastra",
            [
                "0.0",
                "0.0",
                "{'hallucination-scorer': 0.0} {'hallucination-scorer': 0}",
                "The tower is 330 m tall.",
                "[0.0]",
            ],
        ),
        ("Opik", ["hallucination_metric 0.0 Everything is in the context."]),
        ("DeepEval", ["0.5 True 2"]),
        (
            "Phoenix",
            [
                "['input', 'output', 'context']",
                "Score(name='hallucination', score=1.0, label='factual', explanation='Everything is in the context.', "
                "metadata={'model': 'gpt-4o'}, source='llm', direction='maximize')",
            ],
        ),
    ],
)
def test_the_examples_run(
    section: str,
    printed: list[str],
    server: Loopback,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.answer = oracle
    run(section)
    assert capsys.readouterr().out.splitlines() == printed


@pytest.mark.parametrize("module", [mastra, opik, deepeval, phoenix])
def test_every_public_name_is_there(module: ModuleType) -> None:
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
