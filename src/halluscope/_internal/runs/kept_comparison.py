"""What changed between two kept runs."""

from __future__ import annotations

from functools import cached_property

from ..errors import InputError
from ..figures.comparison import Asked, Comparison, Light, compare_metric, matched
from ..store import RunInfo, Store
from ..store.run_reader import light_results, questions


class KeptRun:
    """A run, and the store that keeps it."""

    def __init__(self, store: Store, info: RunInfo) -> None:
        self.store = store
        self.info = info

    def results(self, metric: str) -> list[Light]:
        return list(light_results(self.store, self.info.id, metric))

    @cached_property
    def asked(self) -> dict[int, Asked]:
        """What was asked at each position; all texts are read for it, so only where it is needed."""
        return questions(self.store, self.info.id)


def compare(before: KeptRun, after: KeptRun) -> Comparison:
    """How `after` differs from `before`."""
    earlier = {scorer.metric: scorer for scorer in before.info.scorers}
    common = [scorer for scorer in after.info.scorers if scorer.metric in earlier]
    if not common:
        raise InputError(f"the runs {before.info.name!r} and {after.info.name!r} have no metric in common.")
    metrics, by_question = [], False
    for scorer in common:
        old = earlier[scorer.metric]
        pairs, questioned = matched(scorer.metric, before, after)
        by_question |= questioned
        same = (old.version, old.judge) == (scorer.version, scorer.judge)
        metrics.append(compare_metric(scorer.metric, scorer.direction, before, after, pairs, comparable=same))
    return Comparison(
        before=before.info.name,
        after=after.info.name,
        matched_by="question" if by_question else "id",
        metrics=tuple(metrics),
        only_before=max(metric.gone for metric in metrics),
        only_after=max(metric.new for metric in metrics),
    )
