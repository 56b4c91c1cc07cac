"""Cases and results made by hand, for the tests of the report: no judge could be relied on to say these things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from halluscope import Case, Claim, Evidence, Outcome, Result, Support, Usage, Verdict
from halluscope._internal.core.result import Direction, Exchange, Failure

SUPPORTS = {"S": Support.SUPPORTED, "C": Support.CONTRADICTED, "U": Support.UNSUPPORTED, "N": Support.NOT_A_CLAIM}


def judged(
    case: Case,
    statements: Sequence[tuple[str, str, str]] = (),
    *,
    metric: str = "hallucination",
    threshold: float = 0.5,
    score: float | None = None,
    exchanges: tuple[Exchange, ...] = (),
    judge: str = "scripted",
    reason: str | None = "Because.",
    usage: Usage | None = None,
) -> Result:
    """The result of a metric on the case: each statement has a letter for its support and a quote from the context."""
    verdicts = tuple(_verdict(case, i, *statement) for i, statement in enumerate(statements))
    wrong = sum(not v.support.holds for v in verdicts)
    direction: Direction = "lower" if metric == "hallucination" else "higher"
    if score is None:
        share = wrong / max(1, len(verdicts))
        score = share if direction == "lower" else 1 - share
    return Result(
        metric=metric,
        metric_version="v1",
        judge=judge,
        case_id=case.id,
        outcome=Outcome.SCORED,
        score=score,
        direction=direction,
        threshold=threshold,
        passed=score <= threshold if direction == "lower" else score >= threshold,
        label="hallucinated" if wrong else "factual",
        reason=reason,
        verdicts=verdicts,
        exchanges=exchanges,
        usage=usage or Usage(calls=1, input_tokens=10, output_tokens=5, cost=0.001),
        latency_ms=12.5,
    )


def unscored(case: Case, outcome: Outcome, reason: str, failure: Failure | None = None) -> Result:
    """A result without a score."""
    return Result(
        metric="hallucination",
        metric_version="v1",
        judge="scripted",
        case_id=case.id,
        outcome=outcome,
        score=None,
        direction="lower",
        threshold=0.5,
        passed=None,
        reason=reason,
        failure=failure,
    )


def _verdict(case: Case, number: int, statement: str, letter: str, quote: str) -> Verdict:
    support = SUPPORTS[letter]
    start = case.output.index(statement)
    evidence: tuple[Evidence, ...] = ()
    if quote:
        context = case.context or ()
        passage = next(i for i, text in enumerate(context) if quote in text)
        at = context[passage].index(quote)
        evidence = (Evidence(passage, at, at + len(quote), quote, "for" if support.holds else "against"),)
    claim = Claim(f"c{number + 1}", statement, start, start + len(statement))
    return Verdict(claim, support, reason=f"Reason {number + 1}.", confidence=0.9, evidence=evidence, word="yes")


def many(n: int, *, offset: float = 0.0) -> Iterator[tuple[Case, Result]]:
    """A run of `n` cases: every tenth has no score, the others between none and all of four claims wrong."""
    for i in range(n):
        statements = [f"Statement {i}.{k} is made here." for k in range(4)]
        wrong = min(4, (i * 7 % 5) + (1 if offset and i % 3 == 0 else 0))
        case = Case.of(
            " ".join(statements), [f"The context of case {i}.", "It says more."], f"Question {i}?", id=f"id-{i}"
        )
        if i % 10 == 9:
            yield case, unscored(case, Outcome.FAILED, "No score: the judge failed.", Failure("throttled", "slow", 429))
            continue
        quote = f"context of case {i}"
        marked = [(s, "C" if k < wrong else "S", quote if k == 0 else "") for k, s in enumerate(statements)]
        yield case, judged(case, marked)
