"""Alert rules: on stored runs from the command line, and on live results; what is posted, and what is not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import halluscope
from halluscope import Case, InputError, Store
from halluscope._internal.cli import app
from halluscope._internal.runs.alerts import AlertRule, Observation
from halluscope._internal.sinks.score import moment
from halluscope.judges import ScriptedJudge
from halluscope.live import Live

from .receiving import Receiver, result

NOW = 1_800_000_000.0
HOUR = 3600.0
CONTEXT = ["The tower is 300 metres high."]


@pytest.fixture
def server() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver
    assert receiver.refused == []


def scored(score: float | None, hours_ago: float, metric: str = "hallucination") -> Observation:
    return Observation(NOW - hours_ago * HOUR, result(score, metric=metric))


def fires(rule: str, *observations: Observation) -> bool:
    return AlertRule.parse(rule, ["hallucination", "faithfulness"]).check("live", observations, NOW).firing


def test_a_rule_looks_at_its_time_and_its_metric_alone() -> None:
    bad, good = [scored(0.5, 0.5)] * 10, [scored(0.0, 3)] * 10
    other = [scored(0.0, 0.5, "faithfulness")] * 50
    assert fires("hallucination > 0.2 over 1 h", *bad, *good, *other)
    assert not fires("hallucination > 0.2 over 1 h", *good, *other)
    assert fires("hallucination > 0.2 over 1 day", *bad, *good)
    assert not fires("hallucination > 30% over 4 h", *bad, *good)
    assert fires("hallucination.pass_rate < 90% over 60 min", *bad)


def test_a_few_results_are_no_reason_for_an_alert_except_about_a_whole_run() -> None:
    assert not fires("hallucination > 0.2 over 1 h", *[scored(1.0, 0.5)] * 9)
    assert fires("hallucination > 0.2", scored(1.0, 900))
    assert not fires("hallucination > 0.2", scored(None, 0.5))


def test_results_without_a_score_count_as_coverage_only() -> None:
    mixed = [scored(None, 0.5)] * 5 + [scored(0.0, 0.5)] * 5
    assert not fires("hallucination > 0 over 1 h", *mixed)
    assert fires("hallucination.coverage < 0.9 over 1 h", *mixed)


def test_a_drift_is_a_change_for_the_worse_beyond_chance() -> None:
    before = [scored(0.1 * (n % 3), 30 + n) for n in range(60)]
    worse = [scored(0.4 + 0.1 * (n % 3), 0.5) for n in range(30)]
    same = [scored(0.1 * (n % 3), 0.5) for n in range(30)]
    better = [scored(0.0, 0.5) for _ in range(30)]
    assert fires("hallucination drifts over 1 d", *before, *worse)
    assert not fires("hallucination drifts over 1 d", *before, *same)
    assert not fires("hallucination drifts over 1 d", *before, *better)
    assert not fires("hallucination drifts over 1 d", *worse)


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("hallucination over 1 h", "cannot be read"),
        ("hallucination > 0.2 over 1.2.3 h", "no time that can be read"),
        ("hallucination drifts", "needs a time"),
        ("labels drifts over 1 h", "about 'labels'"),
        ("cost > 5 over 1 h", "about no metric"),
        ("", "rule is empty"),
    ],
)
def test_a_rule_that_cannot_be_read_says_why(rule: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        AlertRule.parse(rule, ["hallucination"])


def wrong(question: Any) -> Any:
    """A judge that contradicts everything."""
    if question.kind == "extract":
        return {"claims": [question.output]}
    if question.kind == "verify":
        return {"verdicts": [{"id": c.id, "verdict": "yes", "basis": "contradicted"} for c in question.claims]}
    return {"reason": "It is wrong."}


def test_the_command_posts_alerts_and_fails(server: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path))
    monkeypatch.setenv("HALLUSCOPE_WEBHOOK", f"{server.url}/hook")
    rows = [
        Case.of(f"It is {n} m high.", CONTEXT, metadata={"answered_at": moment(time.time() - 60)}) for n in range(12)
    ]
    halluscope.evaluate(rows, metrics=["hallucination"], judge=ScriptedJudge(wrong), run="live")
    rules = ["--rule", "hallucination > 0.2 over 1 h", "--rule", "hallucination > 2"]
    done = CliRunner().invoke(app, ["alert", *rules])
    assert done.exit_code == 1, done.stderr
    assert done.stdout.splitlines()[0] == "ALERT  hallucination > 0.2 over 1 h: it is 1"
    assert done.stdout.splitlines()[1].startswith("ok     hallucination > 2")
    (posted,) = server.alerts
    assert posted == {
        "text": "halluscope: hallucination > 0.2 over 1 h: it is 1 in the run live (12 results)",
        "rule": "hallucination > 0.2 over 1 h",
        "run": "live",
        "firing": True,
        "value": 1.0,
        "reason": "it is 1",
        "results": 12,
    }
    assert CliRunner().invoke(app, ["alert", "--rule", "hallucination > 2"]).exit_code == 0
    unset = CliRunner().invoke(app, ["alert"])
    assert (unset.exit_code, "there is no alert rule" in unset.stderr) == (2, True)


def test_a_webhook_that_refuses_is_said_without_its_path(
    server: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path))
    halluscope.evaluate([Case.of("It is high.", CONTEXT)], judge=ScriptedJudge(wrong), run="live")
    words = ["alert", "--rule", "hallucination > 0.2", "--webhook", f"{server.url}/secret-of-the-channel"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 3
    assert done.stderr.startswith("halluscope: the webhook refused the alert (HTTP 404")
    assert "secret-of-the-channel" not in done.stderr


def test_live_scoring_posts_an_alert_once(server: Receiver, tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        live = Live(
            ["hallucination"],
            ScriptedJudge(wrong),
            store=store,
            alerts="hallucination > 0.2 over 1 h",
            webhook=f"{server.url}/hook",
        )
        for part in range(2):
            for number in range(12):
                live.record(f"It is {part}{number} m high.", CONTEXT)
            assert live.flush(30)
    assert [alert["value"] for alert in server.alerts] == [1.0]


def test_a_rule_and_a_webhook_are_checked_when_live_scoring_is_set_up() -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Live(alerts="whenever it is bad")
    with pytest.raises(InputError, match="not a web address"):
        Live(alerts="hallucination > 0.2 over 1 h", webhook="chat.example.org")
