"""Judges that know nothing: what they reach is what a set gives away.

Each stands next to the real ones. Length and overlap get the direction and the threshold that suit the
set best, chosen with its labels in view: no honest judge has that help, so a judge that does not beat
them has shown nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from ...stats.arrays import Floats
from ...stats.ranking import auroc
from ...text.words import content_words
from ..labelled_case import LabelledCase


class Baseline(Struct, frozen=True):
    """A trivial judge on one set: a score and a verdict for each case."""

    name: str
    scores: tuple[float, ...]
    flagged: tuple[bool, ...]


def baselines(cases: Sequence[LabelledCase]) -> tuple[Baseline, ...]:
    """Always hallucinated, answer length, token overlap."""
    always = Baseline("always hallucinated", (1.0,) * len(cases), (True,) * len(cases))
    return (
        always,
        _tuned(cases, ("longer answers", "shorter answers"), lambda item: float(len(item.case.output.split()))),
        _tuned(cases, ("less token overlap", "more token overlap"), lambda item: 1 - overlap(item)),
    )


def overlap(item: LabelledCase) -> float:
    """The share of the output's content words that are in its context."""
    said = content_words(item.case.output)
    known = set().union(*(content_words(text) for text in item.case.context or ())) if said else set()
    return sum(word in known for word in said) / len(said) if said else 0.0


def _tuned(cases: Sequence[LabelledCase], names: tuple[str, str], signal: Callable[[LabelledCase], float]) -> Baseline:
    """The signal the way round that ranks better, with the threshold of the best balanced accuracy."""
    truth = np.array([item.hallucinated for item in cases], dtype=np.bool_)
    values = np.array([signal(item) for item in cases])
    name = names[0]
    if auroc(truth, values) < 0.5:
        values, name = -values, names[1]
    flagged = values >= best_threshold(truth, values)
    return Baseline(name, tuple(values.tolist()), tuple(flagged.tolist()))


def best_threshold(truth: np.ndarray[tuple[int], np.dtype[np.bool_]], scores: Floats) -> float:
    """The score from which flagging gives the best balanced accuracy on these very cases."""
    order = np.argsort(-scores, kind="stable")
    ranked, bad = scores[order], truth[order]
    if not bad.any() or bad.all():
        return float(ranked[-1]) if bad.all() else float("inf")
    gain = np.cumsum(bad) / bad.sum() - np.cumsum(~bad) / (~bad).sum()
    last_of_step = np.r_[ranked[1:] != ranked[:-1], True]
    place = int(np.argmax(np.where(last_of_step, gain, -np.inf)))
    return float(ranked[place])
