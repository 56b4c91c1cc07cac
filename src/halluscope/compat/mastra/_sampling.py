"""Which of an agent's answers a scorer looks at: a share of them, and those that fit a filter."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..._internal.core.conversation import plain
from ..._internal.core.errors import InputError
from ..._internal.engine.metric import is_number
from ..._internal.live.tracing import sample_number
from .._callables import refuse_unknown, snake

_ROOTS = ("request_context", "entity", "entity_type", "source", "thread_id", "resource_id", "project_id")
_TESTS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "lte": operator.le,
    "gt": operator.gt,
    "gte": operator.ge,
    "in": lambda value, known: value in known,
    "notIn": lambda value, known: value not in known,
    "exists": lambda value, _: value is not None,
    "notExists": lambda value, _: value is None,
    "truthy": lambda value, _: bool(value),
    "falsy": lambda value, _: not value,
}
_OPS = (*_TESTS, "and", "or", "not")


class SampledScorer(Struct, frozen=True):
    """A scorer, and the share of answers that it looks at."""

    scorer: Any
    rate: float
    filter: Any = None

    def chosen(self, run_id: str, carried: Mapping[str, Any]) -> bool:
        """By the hash of the run, so that scorers with the same rate look at the same runs."""
        return (self.filter is None or matches(self.filter, carried)) and sample_number(run_id) < self.rate


def sampled_scorers(evals: Mapping[str, Any], scorers: Any) -> list[SampledScorer]:
    """The scorers of an agent, given under `evals` or as `scorers`."""
    refuse_unknown("evals has no setting", evals, ("scorers", "sampling"))
    if scorers is not None and "scorers" in evals:
        raise InputError("scorers are given twice: as `scorers` and in `evals`.")
    listed = evals.get("scorers", ()) if scorers is None else scorers
    listed = list(listed.values()) if isinstance(listed, Mapping) else listed
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise InputError("an agent's scorers must be a list, or a dictionary, of scorers.")
    shared = _rate(evals.get("sampling"))
    return [_sampled(given if isinstance(given, Mapping) else {"scorer": given}, shared) for given in listed]


def _sampled(entry: Mapping[str, Any], shared: float) -> SampledScorer:
    refuse_unknown("a scorer's entry has no setting", entry, ("scorer", "sampling", "filter"))
    scorer: Any = entry.get("scorer")
    filter = entry.get("filter")
    if filter is not None:
        _check(filter)
    if not hasattr(scorer, "arun") or not hasattr(scorer, "id"):
        raise InputError(f"a {type(scorer).__name__} is no scorer: use create_hallucination_scorer(…) or the like.")
    rate = _rate(entry["sampling"]) if "sampling" in entry else shared
    return SampledScorer(scorer, rate, filter)


def _rate(sampling: Any) -> float:
    """The share of answers to score. A setting we do not know is an error, not a guess."""
    if sampling is None:
        return 1.0
    if not isinstance(sampling, Mapping):
        raise InputError('sampling must look like {"type": "ratio", "rate": 0.5}.')
    refuse_unknown("sampling has no setting", sampling, ("type", "rate"))
    kind: Any = sampling.get("type")
    rate: Any = sampling.get("rate")
    if kind == "none":
        return 0.0
    if kind != "ratio":
        raise InputError(f"there is no sampling {kind!r}: use 'ratio' or 'none'.")
    if not is_number(rate) or not 0 <= rate <= 1:
        raise InputError(f"the sampling rate must be a number from 0 to 1, not {rate!r}.")
    return float(rate)


def _check(filter: Any) -> None:
    """Refuse a filter with an operation, or a path with a root, that there is not."""
    op = filter.get("op") if isinstance(filter, Mapping) else None
    if op not in _OPS:
        raise InputError(f"a filter has no op {op!r}: there are {', '.join(_OPS)}.")
    for part in [filter.get("arg")] if op == "not" else filter.get("args", ()):
        _check(part)
    for held in (filter, *(filter.get(name) for name in ("left", "right", "value"))):
        root = str(held["path"]).partition(".")[0] if isinstance(held, Mapping) and "path" in held else _ROOTS[0]
        if snake(root) not in _ROOTS:
            raise InputError(f"a filter cannot look at {root!r}: there are {', '.join(_ROOTS)}.")


def matches(filter: Mapping[str, Any], run: Mapping[str, Any]) -> bool:
    """Whether a run fits a filter such as {"op": "eq", "left": {"path": "requestContext.plan"}, "right": …}."""
    op = filter["op"]
    if op in ("and", "or"):
        return (all if op == "and" else any)(matches(part, run) for part in filter.get("args", ()))
    if op == "not":
        return not matches(filter["arg"], run)
    value = _value(filter if "path" in filter else filter.get("left", filter.get("value")), run)
    try:
        return bool(_TESTS[op](value, filter["set"] if "set" in filter else _value(filter.get("right"), run)))
    except TypeError:
        return False


def _value(operand: Any, run: Mapping[str, Any]) -> Any:
    """What an operand stands for: None for a path that leads nowhere."""
    held = operand if isinstance(operand, Mapping) else {}
    if "path" not in held:
        return held.get("literal")
    root, *steps = str(held["path"]).split(".")
    value = run.get(snake(root))
    if isinstance(value, Mapping) and ".".join(steps) in value:
        return value[".".join(steps)]
    for step in steps:
        value = (plain(value) or {}).get(step)
    return value
