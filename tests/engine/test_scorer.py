"""Scoring: a metric is asked for a score, with a judge and its options."""

from __future__ import annotations

import asyncio
import inspect
import threading
from typing import Any

import pytest

import halluscope
from halluscope._internal.core.errors import InputError, UnknownName
from halluscope._internal.engine import metrics
from halluscope._internal.engine.judge import COMBINATIONS, PROVIDERS, load
from halluscope._internal.engine.metrics import Label
from halluscope._internal.engine.metrics.check import CheckOptions
from halluscope._internal.judges.chat.chat_judge import ChatSettings
from halluscope._internal.judges.scripted import ScriptedJudge

FACTUAL = {"label": {"verdict": "factual", "reason": ["stated"]}}


def test_options_go_to_the_metric_and_the_rest_to_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    base_url = "http://127.0.0.1:1/v1"
    result = halluscope.check(
        "", ["c"], metric="faithfulness", judge="openai/m", threshold=0.8, base_url=base_url, temperature=0.5
    )
    assert result.threshold == 0.8
    assert result.judge == "openai/m"


def test_an_unknown_option_is_reported() -> None:
    metric = halluscope.Faithfulness()
    with pytest.raises(InputError, match="treshold"):
        metric.score(output="a", judge="openai/m", api_key="k", treshold=0.8)
    with pytest.raises(InputError, match="'local' does not take the option 'treshold'"):
        metric.score(output="a", judge="local", treshold=0.8)
    with pytest.raises(InputError, match="does not take a model"):
        metric.score(output="a", judge="local/large")
    with pytest.raises(InputError, match="where the judge is created"):
        metric.score(output="a", judge=ScriptedJudge(FACTUAL), temperature=1)
    with pytest.raises(InputError, match="where the metric is created"):
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
    with pytest.raises(InputError, match="is not a judge"):
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


@pytest.mark.parametrize(
    "options, meant",
    [
        ({"judge": "gpt-4o"}, "did you mean 'openai/gpt-4o'?"),
        ({"judge": "Claude-sonnet-4-5"}, "did you mean 'anthropic/Claude-sonnet-4-5'?"),
        ({"judge": "opnai/gpt-4o"}, "did you mean 'openai/gpt-4o'?"),
        ({"judge": "locl"}, "did you mean 'local'?"),
        ({"treshold": 0.5}, "did you mean 'threshold'?"),
        ({"judge": "openai/x", "api_key": "k", "base_ulr": "http://x"}, "did you mean 'base_url'?"),
        ({"judge": "openai/x", "api_key": "k", "temprature": 1}, "did you mean 'temperature'?"),
        ({"threshold": 3}, "go from 0 to 1: the threshold cannot be 3"),
        ({"threshold": -0.1}, "the threshold cannot be -0.1"),
        ({"metric": "faithfulness", "threshold": 6, "scale": 5}, "go from 0 to 5: the threshold cannot be 6"),
        ({"metric": "contradiction", "threshold": 2}, "the threshold cannot be 2"),
    ],
)
def test_misspelt_and_impossible_options_are_answered_with_what_was_meant(options: dict[str, Any], meant: str) -> None:
    with pytest.raises(InputError) as raised:
        halluscope.check("The mill is in Ulm.", ["The mill is in Ulm."], **options)
    assert meant in str(raised.value)


def test_type_checkers_know_every_option_of_check() -> None:
    with pytest.raises(InputError):
        halluscope.check("The mill is in Ulm.", ["x"], treshold=0.5)  # type: ignore[call-arg]  # mypy holds this line
    known = set(CheckOptions.__annotations__)
    for metric in metrics.METRICS.values():
        assert known.issuperset(metric.__struct_fields__)
    for factory in [one.factory for one in PROVIDERS] + [one.factory for one in COMBINATIONS]:
        taken = inspect.signature(load(factory)).parameters.values()
        assert known.issuperset(one.name for one in taken if one.kind is one.KEYWORD_ONLY)
    assert known.issuperset(ChatSettings.__struct_fields__)
