"""Scoring: a metric is asked for a score, with a judge and its options."""

from __future__ import annotations

import asyncio
import threading

import pytest

import halluscope
from halluscope._internal import metrics
from halluscope._internal.errors import InputError, UnknownName
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope._internal.metrics import Label

FACTUAL = {"label": {"verdict": "factual", "reason": ["stated"]}}


def test_options_go_to_the_metric_and_the_rest_to_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    base_url = "http://127.0.0.1:1/v1"
    result = halluscope.check(
        "", ["c"], metric="faithfulness", judge="openai/m", threshold=0.8, base_url=base_url, temperature=0.5
    )
    assert result.threshold == 0.8
    assert result.judge == "openai/m"


def test_an_option_that_is_nobodys_is_said() -> None:
    metric = halluscope.Faithfulness()
    with pytest.raises(InputError, match="treshold"):
        metric.score(output="a", judge="openai/m", api_key="k", treshold=0.8)
    with pytest.raises(InputError, match="'local' does not take the option 'treshold'"):
        metric.score(output="a", judge="local", treshold=0.8)
    with pytest.raises(InputError, match="does not take a model"):
        metric.score(output="a", judge="local/large")
    with pytest.raises(InputError, match="set them on the judge"):
        metric.score(output="a", judge=ScriptedJudge(FACTUAL), temperature=1)
    with pytest.raises(InputError, match="set them on the metric"):
        metrics.resolve(Label(), threshold=1)


def test_what_is_exported_is_what_a_run_takes_and_an_author_subclasses() -> None:
    for kind in (halluscope.Hallucination, halluscope.Faithfulness, halluscope.Label):
        assert issubclass(kind, halluscope.Metric)
        assert type(metrics.resolve(kind)) is kind is type(metrics.resolve(kind.name))


@pytest.mark.parametrize(
    ("name", "said"),
    [("gpt-4o", "there is no judge"), ("openai/", "needs a model"), ("", None), ("nobody/x", "local, openai/<model>")],
)
def test_names_of_judges(name: str, said: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HALLUSCOPE_JUDGE", raising=False)
    if said is None:
        with pytest.raises(UnknownName):
            halluscope.Label().score(output="a", judge=name)
    else:
        with pytest.raises(InputError, match=said):
            halluscope.Label().score(output="a", judge=name)


def test_the_default_judge_is_the_variable_else_local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALLUSCOPE_JUDGE", "openai/from-the-variable")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert halluscope.Label().score(output="").judge == "openai/from-the-variable"
    monkeypatch.delenv("HALLUSCOPE_JUDGE")
    assert halluscope.Label().score(output="").judge == "local"


def test_what_is_no_judge_is_said() -> None:
    with pytest.raises(InputError, match="is no judge"):
        halluscope.Label().score(output="a", judge=42)


def test_one_metric_serves_many_threads_and_loops() -> None:
    metric, judge = halluscope.Label(), ScriptedJudge(FACTUAL, latency=0.01)
    labels: list[str | None] = []

    def work() -> None:
        labels.append(metric.score(output="a", context=["a"], judge=judge).label)
        labels.append(asyncio.run(metric.ascore(output="a", context=["a"], judge=judge)).label)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert labels == ["factual"] * 16


def test_metadata_and_ids_come_back() -> None:
    result = halluscope.Label().score(
        judge=ScriptedJudge(FACTUAL), output="a", context=["a"], id="row 7", metadata={"team": "x", "n": 1}
    )
    assert (result.case_id, result.metadata) == ("row 7", {"team": "x", "n": 1})
