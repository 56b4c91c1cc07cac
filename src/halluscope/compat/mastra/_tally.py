"""Conversations as data of an evaluation, and what scorers say of items and turns: means, thresholds and gates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from ..._internal.core.conversation import messages_of
from ..._internal.core.errors import InputError
from ..._internal.engine.metric import is_number
from ._camel_case import CamelCase
from ._messages import said
from ._scorer_run import ScorerResult

Verdict = Literal["passed", "scored", "failed"]
Results = Mapping[str, ScorerResult]
"""What scorers say of one output, by their ids."""


class GateResult(Struct, CamelCase, frozen=True):
    """How a gate did: it passes where its mean is the best score there is."""

    id: str
    passed: bool
    score: float | None


class ThresholdResult(Struct, CamelCase, frozen=True):
    """How a scorer's mean compares with its threshold."""

    id: str
    passed: bool
    average_score: float | None
    threshold: Any


class TurnResult(Struct, CamelCase, frozen=True):
    """What gates and scorers say of the turns at one place of the conversations."""

    index: int
    gate_results: list[GateResult] | None = None
    threshold_results: list[ThresholdResult] | None = None
    scores: dict[str, float | None] | None = None


class Scorers(Struct, frozen=True):
    """Scorers, gates, and the scorers' thresholds: the least mean that passes, or {"min": …, "max": …}."""

    scorers: list[Any] = []
    gates: list[Any] = []
    thresholds: dict[str, Any] = {}

    @classmethod
    def of(cls, scorers: Any, gates: Any) -> Scorers:
        """From a list of scorers, or {"agent": [...]}; an entry may be {"scorer": …, "threshold": …}."""
        what = "scorers"
        if isinstance(scorers, Mapping):
            if scorers.keys() - {"agent"}:
                unknown = next(name for name in scorers if name != "agent")
                raise InputError(f"scorers has no part {unknown!r}: there is 'agent', with a list of scorers.")
            what, scorers = "scorers['agent']", scorers.get("agent", ())
        if not isinstance(scorers, Sequence) or isinstance(scorers, str):
            raise InputError(f"{what} must be a list of scorers.")
        entries = [_entry(entry) for entry in scorers]
        thresholds = {str(getattr(scorer, "id", "")): bound for scorer, bound in entries if bound is not None}
        made = cls([scorer for scorer, _ in entries], list(gates), thresholds)
        for scorer in made.all:
            if not callable(getattr(scorer, "arun", None)):
                raise InputError(f"a {type(scorer).__name__} is no scorer: it needs an `id` and a method `arun`.")
        ids = [str(getattr(scorer, "id", "")) for scorer in made.all]
        twice = next((id for id in ids if ids.count(id) > 1), None)
        if twice is not None:
            raise InputError(f"two scorers have the id {twice!r}: give one of them another, with id=….")
        return made

    @property
    def all(self) -> list[Any]:
        """The scorers and gates."""
        return [*self.scorers, *self.gates]

    def tally(self, results: Sequence[Results]) -> Tally:
        """Sum up results. An item without a score counts in no mean."""
        scores = {
            str(scorer.id): [found[scorer.id].score for found in results if scorer.id in found] for scorer in self.all
        }
        given = {id: [score for score in held if score is not None] for id, held in scores.items()}
        means = {id: sum(held) / len(held) if held else None for id, held in given.items()}
        return Tally(
            means,
            {id: len(held) for id, held in given.items()},
            [_gate_result(gate, means[gate.id]) for gate in self.gates],
            [
                ThresholdResult(id, _passes(means[id], threshold), means[id], threshold)
                for id, threshold in self.thresholds.items()
            ],
        )


class Tally(Struct, frozen=True):
    """Means, gates and thresholds of some scorers over some results."""

    means: dict[str, float | None]
    counts: dict[str, int]
    gates: list[GateResult]
    thresholds: list[ThresholdResult]


def verdict(gates: Sequence[GateResult], thresholds: Sequence[ThresholdResult]) -> Verdict | None:
    """What they say together; None where there are none."""
    if not gates and not thresholds:
        return None
    if not all(gate.passed for gate in gates):
        return "failed"
    return "passed" if all(result.passed for result in thresholds) else "scored"


def _passes(mean: float | None, threshold: Any) -> bool:
    bounds = threshold if isinstance(threshold, Mapping) else {"min": threshold}
    return mean is not None and bounds.get("min", -math.inf) <= mean <= bounds.get("max", math.inf)


def _gate_result(gate: Any, mean: float | None) -> GateResult:
    """A gate's result; for a scorer whose best score is not 1, such as the share of hallucinations, that one counts."""
    best = float(getattr(gate, "best", 1.0))
    return GateResult(gate.id, mean is not None and math.isclose(mean, best, abs_tol=1e-9), mean)


def _entry(entry: Any) -> tuple[Any, Any]:
    """The scorer of an entry, and its threshold."""
    if not isinstance(entry, Mapping):
        return entry, None
    if "scorer" not in entry or entry.keys() - {"scorer", "threshold"}:
        raise InputError("a scorer's entry must look like {'scorer': …, 'threshold': …}.")
    scorer, threshold = entry["scorer"], entry.get("threshold")
    top = float(getattr(scorer, "scale", 1.0))
    bounds = threshold if isinstance(threshold, Mapping) else {} if threshold is None else {"min": threshold}
    for name, bound in bounds.items():
        if name not in ("min", "max") or not is_number(bound) or not 0 <= bound <= top:
            raise InputError(
                f"the threshold of {scorer.id!r} must be a number between 0 and {top:g}, "
                f"or {{'min': …, 'max': …}}, not {threshold!r}."
            )
    if bounds.get("min", 0) > bounds.get("max", top):
        raise InputError(
            f"the threshold of {scorer.id!r} has min ({bounds['min']:g}) greater than max ({bounds['max']:g})."
        )
    return scorer, threshold


class Turn(Struct, frozen=True):
    """One input to the target, and the scorers and gates that look at this turn alone."""

    input: Any
    own: Scorers = Scorers()


def turns_of(item: Mapping[str, Any], place: int) -> list[Turn]:
    """An item's turns: of `input` there is one; `inputs` and `turns` have several."""
    named = item if isinstance(item, Mapping) else {}
    given = [name for name in ("inputs", "input", "turns") if named.get(name) is not None]
    if not given or (len(given) > 1 and "turns" in given):
        what = f"both {given[0]!r} and 'turns'" if given else "no 'input'"
        raise InputError(f"item {place} of the data has {what}: give it 'input', 'inputs' or 'turns'.")
    if given[0] == "input":
        return [Turn(item["input"])]
    listed = item[given[0]]
    if not isinstance(listed, Sequence) or isinstance(listed, str) or not listed:
        raise InputError(f"{given[0]!r} of item {place} must be a non-empty list.")
    return [Turn(turn) for turn in listed] if given[0] == "inputs" else [_turn(turn, place) for turn in listed]


def _turn(turn: Any, place: int) -> Turn:
    if not isinstance(turn, Mapping) or turn.get("input") is None or turn.keys() - {"input", "scorers", "gates"}:
        raise InputError(f"a turn of item {place} must look like {{'input': …, 'gates': […], 'scorers': […]}}.")
    return Turn(turn["input"], Scorers.of(turn.get("scorers") or (), turn.get("gates") or ()))


def messages_in(spoken: Any, role: str) -> list[dict[str, Any]]:
    """An input or output as messages."""
    return messages_of(spoken) or [{"role": role, "content": str(spoken if role == "user" else said(spoken))}]


def tally_turns(conversations: Sequence[Sequence[Turn]], results: Sequence[Sequence[Results]]) -> Iterator[TurnResult]:
    """The results of each turn that has scorers, over all conversations that have it."""
    for index in range(max(map(len, conversations))):
        owns = [turns[index].own for turns in conversations if index < len(turns)]
        own = Scorers(
            list({scorer.id: scorer for own in owns for scorer in own.scorers}.values()),
            list({gate.id: gate for own in owns for gate in own.gates}.values()),
            {id: threshold for own in owns for id, threshold in own.thresholds.items()},
        )
        if own.all:
            found = own.tally([told[index] for told in results if index < len(told)])
            plain = {scorer.id: found.means[scorer.id] for scorer in own.scorers if scorer.id not in own.thresholds}
            yield TurnResult(index, found.gates or None, found.thresholds or None, plain or None)
