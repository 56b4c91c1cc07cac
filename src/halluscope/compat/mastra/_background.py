"""An agent's answers scored in the background: which of them, so many at once, and what came out."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..._internal.errors import InputError
from ..._internal.live.background import Background
from ..._internal.live.sampling import drawn
from .._callables import NamedValues, called_with
from ._evals import AnyScorer, scored_item
from ._scorer_run import ScorerResult

_log = logging.getLogger(__name__)

_KEPT = 1000
_WAITING = 1000
_AT_ONCE = 8
_EXIT_WAIT = 60.0


class LiveScore(Struct, frozen=True):
    """One scorer's result for one answer."""

    scorer_id: str
    run_id: str
    result: ScorerResult


class SampledScorer(Struct, frozen=True):
    """A scorer, and the share of answers that it looks at."""

    scorer: AnyScorer
    rate: float

    def chosen(self, run_id: str) -> bool:
        """By the hash of the run, so that scorers with the same rate look at the same runs."""
        return drawn(run_id) < self.rate


class _Answer(Struct, frozen=True):
    scorer: AnyScorer
    input: Any
    output: Any
    run_id: str
    carried: Mapping[str, Any]


class AgentScoring:
    """Scores answers without holding up who answers. Answers that come too fast are counted, not queued."""

    def __init__(self, agent: str, on_score: Callable[..., Any] | None) -> None:
        self._agent = agent
        self._on_score = on_score
        self._scores: deque[LiveScore] = deque(maxlen=_KEPT)
        self._lock = threading.Lock()
        self._background: Background[_Answer] = Background(
            self._score, most=_WAITING, at_once=_AT_ONCE, exit_wait=_EXIT_WAIT
        )
        self.skipped = 0
        self.flush = self._background.flush
        self.aflush = self._background.aflush

    @property
    def scores(self) -> list[LiveScore]:
        with self._lock:
            return list(self._scores)

    def score_later(self, scorer: AnyScorer, input: Any, output: Any, run_id: str, carried: Mapping[str, Any]) -> None:
        """Score an output when there is time."""
        if not self._background.put(_Answer(scorer, input, output, run_id, carried)):
            with self._lock:
                self.skipped += 1

    async def _score(self, answer: _Answer) -> None:
        result = await scored_item(answer.scorer, answer.input, answer.output, answer.run_id, **answer.carried)
        live = LiveScore(answer.scorer.id, answer.run_id, result)
        with self._lock:
            self._scores.append(live)
        if self._on_score is None:
            return
        told = NamedValues(scorer_id=live.scorer_id, run_id=live.run_id, result=live.result)
        try:
            await called_with(self._on_score, told, tuple(told))
        except Exception:
            _log.warning("on_score of agent %r failed", self._agent, exc_info=True)


def sampled_scorers(evals: Mapping[str, Any], scorers: Any) -> list[SampledScorer]:
    """The scorers of an agent, given under `evals` or as `scorers`."""
    _only("evals", evals, ("scorers", "sampling"))
    if scorers is not None and "scorers" in evals:
        raise InputError("scorers are given twice: as `scorers` and in `evals`.")
    listed = evals.get("scorers", ()) if scorers is None else scorers
    listed = list(listed.values()) if isinstance(listed, Mapping) else listed
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise InputError("an agent's scorers must be a list, or a dictionary, of scorers.")
    shared = _rate(evals.get("sampling"))
    found = []
    for item in listed:
        if isinstance(item, Mapping):
            _only("a scorer's entry", item, ("scorer", "sampling"))
            rate = _rate(item["sampling"]) if "sampling" in item else shared
            item = item.get("scorer")
        else:
            rate = shared
        if not hasattr(item, "arun") or not hasattr(item, "id"):
            raise InputError(f"a {type(item).__name__} is no scorer: use create_hallucination_scorer(…) or the like.")
        found.append(SampledScorer(item, rate))
    return found


def _rate(sampling: Any) -> float:
    """The share of answers to score. A setting we do not know is an error, not a guess."""
    if sampling is None:
        return 1.0
    if not isinstance(sampling, Mapping):
        raise InputError('sampling must look like {"type": "ratio", "rate": 0.5}.')
    _only("sampling", sampling, ("type", "rate"))
    kind, rate = sampling.get("type"), sampling.get("rate")
    if kind == "none":
        return 0.0
    if kind != "ratio":
        raise InputError(f"there is no sampling {kind!r}: use 'ratio' or 'none'.")
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 <= rate <= 1:
        raise InputError(f"the sampling rate must be a number from 0 to 1, not {rate!r}.")
    return float(rate)


def _only(what: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    unknown = [key for key in given if key not in known]
    if unknown:
        raise InputError(f"{what} has no setting {unknown[0]!r}; there are: {', '.join(known)}.")
