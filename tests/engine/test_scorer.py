"""Scorers: a metric, a judge and their options in one hand."""

from __future__ import annotations

import asyncio
import threading

import pytest

import halluscope
from halluscope._internal.errors import InputError, UnknownName
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope._internal.metrics import Label

FACTUAL = {"label": {"verdict": "factual", "reason": ["stated"]}}


def test_options_go_to_the_metric_and_the_rest_to_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    scorer = halluscope.Faithfulness(judge="openai/m", threshold=0.8, base_url="http://127.0.0.1:1/v1", temperature=0.5)
    assert scorer.metric.threshold == 0.8
    assert scorer.judge.name == "openai/m"


def test_an_option_that_is_nobodys_is_said() -> None:
    with pytest.raises(InputError, match="treshold"):
        halluscope.Faithfulness(judge="openai/m", api_key="k", treshold=0.8)
    with pytest.raises(InputError, match="'local' does not take the option 'treshold'"):
        halluscope.Faithfulness(judge="local", treshold=0.8)
    with pytest.raises(InputError, match="does not take a model"):
        halluscope.Faithfulness(judge="local/large")
    with pytest.raises(InputError, match="set them on the judge"):
        halluscope.Label(judge=ScriptedJudge(FACTUAL), temperature=1)
    with pytest.raises(InputError, match="set them on the metric"):
        halluscope._internal.metrics.resolve(Label(), threshold=1)


@pytest.mark.parametrize(
    ("name", "said"),
    [("gpt-4o", "there is no judge"), ("openai/", "needs a model"), ("", None), ("nobody/x", "local, openai/<model>")],
)
def test_names_of_judges(name: str, said: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HALLUSCOPE_JUDGE", raising=False)
    if said is None:
        with pytest.raises(UnknownName):
            halluscope.Label(judge=name)
    else:
        with pytest.raises(InputError, match=said):
            halluscope.Label(judge=name)


def test_the_default_judge_is_the_variable_else_local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALLUSCOPE_JUDGE", "openai/from-the-variable")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert halluscope.Label().judge.name == "openai/from-the-variable"
    monkeypatch.delenv("HALLUSCOPE_JUDGE")
    assert halluscope.Label().judge.name == "local"


def test_what_is_no_judge_is_said() -> None:
    with pytest.raises(InputError, match="is no judge"):
        halluscope.Label(judge=42)


def test_one_scorer_serves_many_threads_and_loops() -> None:
    scorer = halluscope.Label(judge=ScriptedJudge(FACTUAL, latency=0.01))
    labels: list[str | None] = []

    def work() -> None:
        labels.append(scorer.score(output="a", context=["a"]).label)
        labels.append(asyncio.run(scorer.ascore(output="a", context=["a"])).label)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert labels == ["factual"] * 16


def test_metadata_and_ids_come_back() -> None:
    result = halluscope.Label(judge=ScriptedJudge(FACTUAL)).score(
        output="a", context=["a"], id="row 7", metadata={"team": "x", "n": 1}
    )
    assert (result.case_id, result.metadata) == ("row 7", {"team": "x", "n": 1})
