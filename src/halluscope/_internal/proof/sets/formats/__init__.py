"""Readers for the formats of public datasets."""

from __future__ import annotations

from . import halueval
from .grounded import aggrefact, faithbench, halubench, summedits, true, wice
from .labelled_rows import plain
from .ragtruth import ragtruth
from .row_readers import Reader

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
    "evidence": plain,
    "rag": plain,
    "labelled": plain,
}
