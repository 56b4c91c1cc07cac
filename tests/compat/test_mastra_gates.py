"""runEvals: thresholds, gates, and what reaches scorers and targets."""

from __future__ import annotations

from typing import Any

import pytest

from halluscope._internal.core.errors import InputError
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.mastra import Agent, create_hallucination_scorer, create_scorer, run_evals


def fixed(id: str, score: float | None) -> Any:
    return create_scorer(id=id).generate_score(lambda: score)


def evaluated(**more: Any) -> Any:
    return run_evals(**{"data": [{"input": "a"}, {"input": "b"}], "target": str, **more})


@pytest.mark.parametrize(
    ("scorers", "gates", "verdict"),
    [
        ([fixed("s", 0.5)], [], None),
        ([fixed("s", 0.5)], [fixed("g", 1.0)], "passed"),
        ([fixed("s", 0.5)], [fixed("g", 1.0), fixed("h", 0.9)], "failed"),
        ([fixed("s", 0.5)], [fixed("g", None)], "failed"),
        ([{"scorer": fixed("s", 0.7), "threshold": 0.7}], [], "passed"),
        ([{"scorer": fixed("s", 0.69), "threshold": 0.7}], [], "scored"),
        ([{"scorer": fixed("s", 0.2), "threshold": {"max": 0.3}}], [], "passed"),
        ([{"scorer": fixed("s", 0.2), "threshold": {"min": 0.3, "max": 0.7}}], [], "scored"),
        ([{"scorer": fixed("s", None), "threshold": 0.0}], [], "scored"),
        ([{"scorer": fixed("s", 0.1), "threshold": 0.7}], [fixed("g", 1.0)], "scored"),
        ([{"scorer": fixed("s", 0.9), "threshold": 0.7}], [fixed("g", 0.0)], "failed"),
        ([], [fixed("g", 1.0)], "passed"),
    ],
)
def test_what_gates_and_thresholds_say_together(scorers: Any, gates: Any, verdict: str | None) -> None:
    result = evaluated(scorers=scorers, gates=gates)
    assert result.verdict == verdict
    assert [gate.id for gate in result.gate_results or []] == [gate.id for gate in gates]
    assert set(result.scores) == {entry["scorer"].id if isinstance(entry, dict) else entry.id for entry in scorers}


def test_each_is_told_one_by_one() -> None:
    held = {"scorer": fixed("quality", 0.3), "threshold": 0.7}
    result = evaluated(scorers=[held, fixed("bare", 0.5)], gates=[fixed("gate", 1.0)])
    (threshold,) = result.threshold_results
    assert (threshold.id, threshold.passed, threshold.average_score, threshold.threshold) == (
        "quality",
        False,
        0.3,
        0.7,
    )
    (gate,) = result.gate_results
    assert (gate.id, gate.passed, gate.score) == ("gate", True, 1.0)
    assert set(result.items[0].scorer_results) == {"quality", "bare", "gate"}


@pytest.mark.parametrize(("verdict", "passed"), [("no", True), ("yes", False)])
def test_a_gate_for_hallucinations_passes_where_there_are_none(verdict: str, passed: bool) -> None:
    judge = ScriptedJudge(
        {"extract": {"claims": ["a is so"]}, "verify": {"verdicts": [{"id": "c1", "verdict": verdict}]}}
    )
    gate = create_hallucination_scorer(judge, {"context": ["c"], "include_reason": False})
    result = evaluated(target=lambda _: "a is so.", gates=[gate])
    assert (result.gate_results[0].passed, result.verdict) == (passed, "passed" if passed else "failed")


def test_scorers_of_an_agent_have_their_means_under_its_name() -> None:
    result = evaluated(scorers={"agent": [fixed("s", 0.5), {"scorer": fixed("t", 0.9), "threshold": 0.5}]})
    assert result.scores == {"agent": {"s": 0.5, "t": 0.9}}
    assert result.verdict == "passed"


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"scorers": [{"scorer": fixed("s", 1), "threshold": 1.1}]}, "between 0 and 1"),
        ({"scorers": [{"scorer": fixed("s", 1), "threshold": float("nan")}]}, "between 0 and 1"),
        ({"scorers": [{"scorer": fixed("s", 1), "threshold": {"least": 1}}]}, "min"),
        ({"scorers": [{"scorer": fixed("s", 1), "threshold": {"min": 0.8, "max": 0.2}}]}, r"min \(0.8\) greater"),
        ({"scorers": [{"threshold": 0.5}]}, "must look like"),
        ({"scorers": {"workflow": [fixed("s", 1)]}}, "workflow"),
        ({"scorers": "hallucination"}, "list of scorers"),
        ({"scorers": ["hallucination"]}, "is no scorer"),
        ({"scorers": [fixed("s", 1)], "gates": [fixed("s", 1)]}, "two scorers"),
        ({"scorers": [fixed("s", 1)], "target_options": {"max_steps": 3}}, "max_steps"),
        ({"scorers": [fixed("s", 1)], "target": lambda x, **_: x, "target_options": {"scorers": []}}, "scorers"),
    ],
)
def test_wrong_settings_are_said_before_anything_runs(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        evaluated(**more)


def test_a_threshold_is_on_the_scorers_own_scale() -> None:
    judge = ScriptedJudge(
        {"extract": {"claims": ["a is so"]}, "verify": {"verdicts": [{"id": "c1", "verdict": "yes"}]}}
    )
    scorer = create_hallucination_scorer(judge, {"context": ["c"], "scale": 10, "include_reason": False})
    result = evaluated(target=lambda _: "a is so.", scorers=[{"scorer": scorer, "threshold": {"max": 5}}])
    assert (result.scores, result.verdict) == ({"hallucination-scorer": 10.0}, "scored")


def test_the_requests_context_and_the_truth_reach_target_and_scorers() -> None:
    seen: list[Any] = []

    def target(text: str, *, request_context: Any = None, max_steps: int = 1) -> str:
        seen.append(("target", request_context, max_steps))
        return text

    scorer = create_scorer(id="s").generate_score(
        lambda run: seen.append((run.ground_truth, run.request_context)) or 1.0  # type: ignore[func-returns-value]
    )
    run_evals(
        data=[{"input": "a", "groundTruth": "A", "requestContext": {"user": 1}}, {"input": "b", "ground_truth": "B"}],
        scorers=[scorer],
        target=target,
        target_options={"maxSteps": 3},
        request_context={"user": 0},
    )
    assert seen == [("target", {"user": 1}, 3), ("A", {"user": 1}), ("target", {"user": 0}, 3), ("B", {"user": 0})]


def test_an_agents_own_scorers_rest_while_it_is_evaluated() -> None:
    own = fixed("own", 0.1)
    agent = Agent(id="a", model=lambda prompt: "right", scorers=[own])
    result = run_evals(data=[{"input": "q"}], scorers=[fixed("s", 0.5)], target=agent)
    assert agent.flush(60)
    assert (result.scores, agent.scores) == ({"s": 0.5}, [])
    agent.generate("q")
    assert agent.flush(60)
    assert [score.scorer_id for score in agent.scores] == ["own"]
