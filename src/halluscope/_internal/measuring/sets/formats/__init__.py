"""Readers of each set's own format, and the one that tells which format a file is in."""

from __future__ import annotations

from pathlib import Path

from ..set_files import rows
from . import halueval
from .grounded import aggrefact, faithbench, halubench, summedits, true, wice
from .labelled_rows import plain
from .ragtruth import RESPONSES, ragtruth
from .row_readers import Reader

__all__ = ["FORMATS", "Reader", "recognised"]

FORMATS: dict[str, Reader] = {
    "halueval-qa": halueval.qa,
    "halueval-dialogue": halueval.dialogue,
    "halueval-summarization": halueval.summarization,
    "halueval-general": halueval.general,
    "ragtruth": ragtruth,
    "llm-aggrefact": aggrefact,
    "faithbench": faithbench,
    "wice": wice,
    "halubench": halubench,
    "summedits": summedits,
    "true": true,
    "rag": plain,
    "labelled": plain,
}

_MARKS: tuple[tuple[str, frozenset[str]], ...] = (
    ("halueval-qa", frozenset(("knowledge", "question", "right_answer", "hallucinated_answer"))),
    ("halueval-dialogue", frozenset(("knowledge", "dialogue_history", "right_response"))),
    ("halueval-summarization", frozenset(("document", "right_summary", "hallucinated_summary"))),
    ("halueval-general", frozenset(("user_query", "chatgpt_response"))),
    ("ragtruth", frozenset(("source_id", "response", "labels"))),
    ("llm-aggrefact", frozenset(("doc", "claim", "label"))),
    ("faithbench", frozenset(("source", "summary", "annotations"))),
    ("wice", frozenset(("claim", "evidence", "supporting_sentences"))),
    ("halubench", frozenset(("passage", "answer", "label", "source_ds"))),
    ("summedits", frozenset(("doc", "summary", "label"))),
    ("true", frozenset(("grounding", "generated_text", "label"))),
)
"""Fields that only one format has. A file without any of these is one of labelled rows."""


def recognised(path: Path) -> str:
    """The name of the format a file is in, by the fields of its first row."""
    if path.is_dir():
        if (path / RESPONSES).exists() or (path / f"{RESPONSES}.gz").exists():
            return "ragtruth"
        inside = sorted(p for p in path.iterdir() if p.is_file())
        return recognised(inside[0]) if inside else "labelled"
    first = next(iter(rows(path)), None)
    fields = frozenset(first[1]) if first else frozenset()
    return next((name for name, marks in _MARKS if marks <= fields), "labelled")
