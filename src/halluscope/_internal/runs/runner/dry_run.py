"""Estimating the calls and the cost of a run, by driving the metrics with typical answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from ...core.case import Case
from ...core.counting import count_of
from ...core.result import Usage
from ...engine.judge import Judge
from ...engine.metric import Metric
from ...engine.questions import Question
from ...engine.questions.question import CHARACTERS_PER_TOKEN
from ..datasets import Row, Turns, open_data


class Estimate(Struct, frozen=True, kw_only=True):
    """The expected calls and cost of a run. `usage.cost` is None if the price of the judge is unknown.

    The estimate assumes no retries and no cached replies. Each sentence counts as one claim.
    `batch_cost` is the cost in batches, None if the judge has none or its price is not known.
    """

    judge: str
    cases: int
    bad_rows: int
    calls_by_kind: dict[str, int]
    usage: Usage
    batch_cost: float | None = None

    def __str__(self) -> str:
        rows = f", {count_of(self.bad_rows, 'row')} could not be read" if self.bad_rows else ""
        if not self.usage.calls:
            return f"{count_of(self.cases, 'case')}{rows}: no judge calls, because {self.judge} runs on this machine"
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in self.calls_by_kind.items())
        cost = "price unknown" if self.usage.cost is None else f"${self.usage.cost:.4f}"
        if self.batch_cost is not None:
            cost += f", or ${self.batch_cost:.4f} in batches (--batch)"
        read, written = self.usage.input_tokens, self.usage.output_tokens
        return (
            f"{count_of(self.cases, 'case')}{rows}: about {count_of(self.usage.calls, 'call')} of {self.judge} "
            f"({kinds}), {read:,}+{written:,} tokens, {cost}; fewer if replies are cached"
        )


def dry_run(
    data: object,
    metrics: Sequence[Metric],
    judge: Judge,
    *,
    map: dict[str, str] | None = None,
    limit: int | None = None,
    turns: Turns = "last",
) -> Estimate:
    """Estimate the calls and the cost of a run."""
    counted: Counter[str] = Counter()
    seen: set[str] = set()
    read = written = cases = bad_rows = 0
    for row in open_data(data, map, limit=limit, turns=turns):
        if not isinstance(row, Row):
            bad_rows += 1
            continue
        cases += 1
        for question in (question for metric in metrics for question in asked_questions(metric, row.case)):
            parts = question.split(judge.window) if judge.window and question.size > judge.window else (question,)
            for part in parts:
                if (name := part.fingerprint()) in seen:  # cached
                    continue
                seen.add(name)
                counted[part.kind] += 1
                read += round(len(str(part.prompt)) / CHARACTERS_PER_TOKEN)
                written += part.typical_reply_tokens()
    if judge.name == "local" and not judge.asks:
        return Estimate(judge=judge.name, cases=cases, bad_rows=bad_rows, calls_by_kind={}, usage=Usage())
    from ..batches.batch_apis import BATCH_DISCOUNT, batch_api_of  # with all of the chat judges

    calls = counted.total()
    usage = Usage(calls, read, written, _cost(judge, calls, read, written))
    batched = batch_api_of(getattr(judge, "model", None)) is not None
    return Estimate(
        judge=judge.name,
        cases=cases,
        bad_rows=bad_rows,
        calls_by_kind=dict(counted),
        usage=usage,
        batch_cost=usage.cost * BATCH_DISCOUNT if batched and usage.cost is not None else None,
    )


def asked_questions(metric: Metric, case: Case) -> Iterable[Question[Any]]:
    """The questions of a metric about a case, if every answer has its usual size."""
    if case.is_tool_call and not metric.judges_calls:
        return
    flow = metric.flow(case)
    try:
        questions = next(flow)
        while True:
            yield from questions
            questions = flow.send(tuple(question.typical_answer() for question in questions))
    except StopIteration:
        return


def _cost(judge: Judge, calls: int, read: int, written: int) -> float | None:
    """Return the cost of the tokens, if the judge knows its price."""
    priced = getattr(judge, "priced", None)
    if not calls or priced is None:
        return None
    cost = priced(read // calls, written // calls)
    return None if cost is None else float(cost) * calls
