"""Trivial baselines: what can be achieved on a dataset without reading the texts.

For length and overlap, the direction and the threshold are chosen with the labels. A judge that is not better has
shown nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ...runs.labelled_case import LabelledCase
from ...stats.arrays import Floats
from ...stats.ranking import Ranking
from ...text.words import content_words


class Baseline(Struct, frozen=True):
    """A trivial judge: a score and a verdict for each case."""

    name: str
    scores: tuple[float, ...]
    flagged: tuple[bool, ...]
    by_words: bool = False
    """Whether it compares words, and can quote the sentence that shares most of them."""


def baselines(cases: Sequence[LabelledCase]) -> tuple[Baseline, ...]:
    """Return the baselines: always hallucinated, answer length, and token overlap."""
    always = Baseline("always hallucinated", (1.0,) * len(cases), (True,) * len(cases))
    return (
        always,
        _tuned(cases, ("longer answers", "shorter answers"), lambda item: float(len(item.case.output.split()))),
        replace(
            _tuned(cases, ("less token overlap", "more token overlap"), lambda item: 1 - overlap(item)), by_words=True
        ),
    )


def overlap(item: LabelledCase) -> float:
    """Return the share of the output's content words that are in the context."""
    said = content_words(item.case.output)
    known = set().union(*(content_words(text) for text in item.case.context or ())) if said else set()
    return sum(word in known for word in said) / len(said) if said else 0.0


def _tuned(cases: Sequence[LabelledCase], names: tuple[str, str], signal: Callable[[LabelledCase], float]) -> Baseline:
    """Choose the better direction of a signal, and the threshold with the best balanced accuracy."""
    truth = np.array([item.hallucinated for item in cases], dtype=np.bool_)
    values = np.array([signal(item) for item in cases])
    name = names[0]
    if Ranking(truth, values).auroc() < 0.5:
        values, name = -values, names[1]
    flagged = values >= best_threshold(truth, values)
    return Baseline(name, tuple(values.tolist()), tuple(flagged.tolist()))


def best_threshold(truth: np.ndarray[tuple[int], np.dtype[np.bool_]], scores: Floats) -> float:
    """Return the threshold with the best balanced accuracy on these cases."""
    order = np.argsort(-scores, kind="stable")
    ranked, bad = scores[order], truth[order]
    if not bad.any() or bad.all():
        return float(ranked[-1]) if bad.all() else float("inf")
    gain = np.cumsum(bad) / bad.sum() - np.cumsum(~bad) / (~bad).sum()
    last_of_step = np.r_[ranked[1:] != ranked[:-1], True]
    place = int(np.argmax(np.where(last_of_step, gain, -np.inf)))
    return float(ranked[place])
