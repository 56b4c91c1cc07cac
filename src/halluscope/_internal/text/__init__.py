"""Reading text: where its sentences are, and which words it holds. Knows nothing of claims or judges."""

from __future__ import annotations

from .sentences import Span, sentences
from .words import STOP_WORDS, Word, content_stems, content_words, fold, raw_words, stem, word_places, words
