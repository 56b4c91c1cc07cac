"""What a run would ask and cost, without asking: the flows are driven with answers of the usual size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from ..case import Case
from ..datasets import Row, open_data
from ..judge import Judge
from ..metric import Metric
from ..questions import (
    FACTUAL,
    ComparePassages,
    Explain,
    ExtractClaims,
    ExtractTruths,
    LabelAnswer,
    Labelled,
    PassageVerdict,
    Question,
    Verification,
    VerifyClaims,
    numbered,
)
from ..result import Usage
from ..text.counting import count_of
from ..text.sentences import sentences
from ..verdict import Claim, Support, Verdict

_PER_TOKEN = 4.0
"""Characters of English in a token, as a rule of thumb."""
_PER_VERDICT, _PER_ANSWER = 70, 90
"""Tokens of a reply for each verdict, and of one that is a label or a reason."""


class Estimate(Struct, frozen=True, kw_only=True):
    """What a run is expected to take. `usage.cost` is None where the price of the judge is not known.

    Calls are those of a judge that needs no second try and has kept no reply; each sentence counts as a claim.
    """

    judge: str
    cases: int
    bad_rows: int
    calls_by_kind: dict[str, int]
    usage: Usage

    def __str__(self) -> str:
        rows = f", {count_of(self.bad_rows, 'row')} could not be read" if self.bad_rows else ""
        if not self.usage.calls:
            return f"{count_of(self.cases, 'case')}{rows}: no call is paid for, {self.judge} judges on this machine"
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in self.calls_by_kind.items())
        cost = "the price is not known" if self.usage.cost is None else f"${self.usage.cost:.4f}"
        read, written = self.usage.input_tokens, self.usage.output_tokens
        return (
            f"{count_of(self.cases, 'case')}{rows}: about {count_of(self.usage.calls, 'call')} of {self.judge} "
            f"({kinds}), {read:,}+{written:,} tokens, {cost}; fewer where replies are kept"
        )


def estimated(cases: Iterable[Case], metrics: Sequence[Metric], judge: Judge, *, bad_rows: int = 0) -> Estimate:
    """What these cases would take."""
    counted: dict[str, int] = {}
    seen: set[str] = set()
    read = written = number = 0
    for case in cases:
        number += 1
        for metric in metrics:
            for question in _asked(metric, case):
                parts = question.split(judge.window) if judge.window and question.size > judge.window else (question,)
                for part in parts:
                    if (name := part.fingerprint()) in seen:  # asked once, and kept
                        continue
                    seen.add(name)
                    counted[part.kind] = counted.get(part.kind, 0) + 1
                    read += round(len(str(part.prompt)) / _PER_TOKEN)
                    written += _reply_tokens(part)
    if judge.name == "local" and not judge.asks:
        return Estimate(judge=judge.name, cases=number, bad_rows=bad_rows, calls_by_kind={}, usage=Usage())
    calls = sum(counted.values())
    usage = Usage(calls, read, written, _cost(judge, calls, read, written))
    return Estimate(judge=judge.name, cases=number, bad_rows=bad_rows, calls_by_kind=counted, usage=usage)


def dry_run(
    data: object,
    metrics: Sequence[Metric],
    judge: Judge,
    *,
    map: dict[str, str] | None = None,
    limit: int | None = None,
) -> Estimate:
    """What a run over the rows of `data` would take."""
    cases: list[Case] = []
    bad = 0
    for row in open_data(data, map):
        if limit is not None and len(cases) + bad >= limit:
            break
        if isinstance(row, Row):
            cases.append(row.case)
        else:
            bad += 1
    return estimated(cases, metrics, judge, bad_rows=bad)


def _asked(metric: Metric, case: Case) -> Iterable[Question[Any]]:
    flow = metric.flow(case)
    try:
        questions = next(flow)
        while True:
            yield from questions
            questions = flow.send(tuple(_answer(question) for question in questions))
    except StopIteration:
        return


def _answer(question: Question[Any]) -> Any:
    if isinstance(question, ExtractClaims):
        return _claims(question.output)
    if isinstance(question, ExtractTruths):
        return tuple(claim.text for p in question.passages for claim in _claims(p.text))[: question.limit]
    if isinstance(question, VerifyClaims):
        return Verification(tuple(Verdict(claim, Support.SUPPORTED) for claim in question.claims))
    if isinstance(question, ComparePassages):
        return tuple(PassageVerdict(passage.index, True) for passage in question.passages)
    if isinstance(question, LabelAnswer):
        return Labelled(FACTUAL)
    return "" if isinstance(question, Explain) else ()


def _claims(text: str) -> tuple[Claim, ...]:
    return numbered([Claim("", text[s.start : s.end], s.start, s.end) for s in sentences(text)])


def _reply_tokens(question: Question[Any]) -> int:
    if isinstance(question, ExtractClaims):
        return round(len(question.output) / _PER_TOKEN * 1.2) + 10
    if isinstance(question, ExtractTruths):
        return round(question.size / _PER_TOKEN)
    if isinstance(question, VerifyClaims):
        return _PER_VERDICT * len(question.claims)
    if isinstance(question, ComparePassages):
        return _PER_VERDICT * len(question.passages)
    return _PER_ANSWER


def _cost(judge: Judge, calls: int, read: int, written: int) -> float | None:
    """The price of so many tokens, as the judge's own table has it."""
    priced = getattr(judge, "priced", None)
    if not calls or priced is None:
        return None
    cost = priced(read // calls, written // calls)
    return None if cost is None else float(cost) * calls
