"""The score that Mastra, Opik, DeepEval and Phoenix give the same verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from ...core.case import Case
from ...core.result import Direction, Outcome, Result
from ...core.verdict import Support, Verdict

_NOTHING_SAID = (Outcome.EMPTY_OUTPUT, Outcome.NO_CLAIMS, Outcome.REFUSAL)

Unit = Literal["claim", "passage", "output"]


class SystemWord(Struct, frozen=True):
    """A system's verdict on a claim (by id), a passage (by number, from 1) or the whole output."""

    unit: Unit
    id: str
    word: str


class SystemScore(Struct, frozen=True, kw_only=True):
    """One system's score and verdicts. If `score` is None, `reason` says why."""

    system: str
    name: str
    formula: str
    direction: Direction
    score: float | None = None
    words: tuple[SystemWord, ...] = ()
    reason: str | None = None


class _System(Struct, frozen=True, kw_only=True):
    """How a system scores: what it has verdicts on, its words for what is supported, contradicted and unsupported, and
    the words of which it counts the share. Without an entry in `nothing_said`, outputs without claims get no score.
    """

    system: str
    name: str
    direction: Direction
    formula: str
    unit: Unit
    words: tuple[str, str, str]
    counted: tuple[str, ...]
    nothing_said: dict[Outcome, float] = {}


_SYSTEMS = msgspec.json.decode(Path(__file__).with_name("systems.json").read_bytes(), type=tuple[_System, ...])


def systems_of(case: Case, result: Result) -> tuple[SystemScore, ...]:
    """Score a claim-by-claim result as each system does. A case that was not judged gets no scores."""
    if result.outcome is not Outcome.SCORED and result.outcome not in _NOTHING_SAID:
        return ()
    return tuple(_scored(system, case, result) for system in _SYSTEMS)


def _scored(system: _System, case: Case, result: Result) -> SystemScore:
    judged = () if result.outcome in _NOTHING_SAID else _units(system.unit, case, result)
    meant = dict(zip((Support.SUPPORTED, Support.CONTRADICTED, Support.UNSUPPORTED), system.words, strict=True))
    words = tuple(SystemWord(system.unit, id, meant[support]) for id, support in judged)
    if words:
        share = sum(word.word in system.counted for word in words) / len(words)
        score: float | None = round(share, 2) if system.system == "Mastra" else share
    else:
        score = system.nothing_said.get(result.outcome)
    return SystemScore(
        system=system.system,
        name=system.name,
        formula=system.formula,
        direction=system.direction,
        score=score,
        words=words,
        reason=None if words else result.reason,
    )


def _units(unit: Unit, case: Case, result: Result) -> Iterator[tuple[str, Support]]:
    """What a system has verdicts on, each with its support."""
    claims = [v for v in result.verdicts if v.passage is None and v.support is not Support.NOT_A_CLAIM]
    if unit == "claim":
        yield from ((verdict.claim.id, verdict.support) for verdict in claims)
    elif unit == "passage":
        for index, _ in case.passages if claims else ():
            wrong = any(_contradicts(verdict, index) for verdict in claims)
            yield str(index + 1), Support.CONTRADICTED if wrong else Support.SUPPORTED
    elif claims:
        yield "", Support.SUPPORTED if all(verdict.support.holds for verdict in claims) else Support.UNSUPPORTED


def _contradicts(verdict: Verdict, passage: int) -> bool:
    return verdict.support is Support.CONTRADICTED and any(
        piece.stance == "against" and piece.passage == passage for piece in verdict.evidence
    )
