"""Mastra's kinds of cases with the judge in the package: appositives, may and might, shares, pairs of dates."""

from __future__ import annotations

import pytest

from halluscope.compat.mastra import create_hallucination_scorer

CASES = {
    "an appositive that the context has": (
        ["The mill in Ulm, a listed building, was built in 1850."],
        "The mill in Ulm, which is a listed building, was built in 1850.",
        0.0,
    ),
    "an appositive that it has not": (
        ["The mill in Ulm was built in 1850."],
        "The mill in Ulm, the largest in the country, was built in 1850.",
        0.5,
    ),
    "might, of what the context knows": (
        ["The mill was built around 1850.", "It grinds rye."],
        "The mill may have been built around 1850.",
        0.0,
    ),
    "might, of what it does not know": (
        ["The mill was built in 1850."],
        "The mill might have a second floor, and it might be sold to a museum.",
        1.0,
    ),
    "a share that is right": (
        ["Of the 200 workers 50 live in Ulm."],
        "A quarter of the workers live in Ulm.",
        0.0,
    ),
    "a share that is wrong": (
        ["30 percent of the flour is rye."],
        "60 percent of the flour is rye.",
        1.0,
    ),
    "a pair of dates, both right": (
        ["The mill opened on 3 May 1850.", "It closed on 9 June 1921."],
        "The mill opened on 3 May 1850 and closed on 9 June 1921.",
        0.0,
    ),
    "a pair of dates, one wrong": (
        ["The mill opened on 3 May 1850.", "It closed on 9 June 1921."],
        "The mill opened on 3 May 1850. It closed on 9 June 1931.",
        0.5,
    ),
}


@pytest.mark.parametrize(("context", "output", "score"), CASES.values(), ids=CASES)
def test_scores_are_within_a_quarter(context: list[str], output: str, score: float) -> None:
    found = create_hallucination_scorer("local", {"context": context}).run(input="Tell me about it.", output=output)
    assert found.score is not None and abs(found.score - score) <= 0.25, found.analyze_step_result
