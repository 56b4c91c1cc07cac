"""Trivial baselines: what can be achieved on a dataset without reading the texts.

For length and overlap, the direction and the threshold are chosen with the labels. A judge that is not better has
shown nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...core.result import Usage
from ...runs.labelled_case import LabelledCase
from ...stats.arrays import Bools, Floats
from ...stats.ranking import Ranking
from ...text.words import content_words
from .judge_run import Judged, JudgeRun
from .quotations import overlap_quotes_evidence


def baselines(cases: Sequence[LabelledCase]) -> tuple[JudgeRun, ...]:
    """Return the verdicts of the baselines: always hallucinated, answer length, and token overlap.

    Their scores are no probabilities. Overlap quotes the sentence that shares most words with the output.
    """
    return (
        _run("always hallucinated", cases, np.ones(len(cases)), np.ones(len(cases), dtype=np.bool_)),
        _tuned(("longer answers", "shorter answers"), cases, lambda item: float(len(item.case.output.split()))),
        _tuned(
            ("less token overlap", "more token overlap"),
            cases,
            lambda item: 1 - overlap(item),
            overlap_quotes_evidence,
        ),
    )


def overlap(item: LabelledCase) -> float:
    """Return the share of the output's content words that are in the context."""
    said = content_words(item.case.output)
    known = set().union(*(content_words(text) for text in item.case.context or ())) if said else set()
    return sum(word in known for word in said) / len(said) if said else 0.0


Quotes = Callable[[LabelledCase], "bool | None"]


def _tuned(
    names: tuple[str, str],
    cases: Sequence[LabelledCase],
    signal: Callable[[LabelledCase], float],
    quotes: Quotes = lambda item: None,
) -> JudgeRun:
    """Choose the better direction of a signal, and the threshold with the best balanced accuracy."""
    truth = np.array([item.hallucinated for item in cases], dtype=np.bool_)
    values = np.array([signal(item) for item in cases])
    name = names[0]
    if Ranking(truth, values).auroc() < 0.5:
        values, name = -values, names[1]
    return _run(name, cases, values, values >= best_threshold(truth, values), quotes)


def _run(
    name: str, cases: Sequence[LabelledCase], scores: Floats, flagged: Bools, quotes: Quotes = lambda item: None
) -> JudgeRun:
    judged = tuple(
        Judged(item=item, outcome="scored", probability=score, flagged=said, quotes_evidence=quotes(item))
        for item, score, said in zip(cases, scores.tolist(), flagged.tolist(), strict=True)
    )
    return JudgeRun(judge=name, metric="", metric_version="", judged=judged, seconds=0.0, usage=Usage())


def best_threshold(truth: Bools, scores: Floats) -> float:
    """Return the threshold with the best balanced accuracy on these cases."""
    order = np.argsort(-scores, kind="stable")
    ranked, bad = scores[order], truth[order]
    if not bad.any() or bad.all():
        return float(ranked[-1]) if bad.all() else float("inf")
    gain = np.cumsum(bad) / bad.sum() - np.cumsum(~bad) / (~bad).sum()
    last_of_step = np.r_[ranked[1:] != ranked[:-1], True]
    place = int(np.argmax(np.where(last_of_step, gain, -np.inf)))
    return float(ranked[place])
