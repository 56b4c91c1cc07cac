"""Arguments of tool calls: which values have to come from the conversation, and which do."""

from __future__ import annotations

import json
from typing import Any

import pytest

import halluscope
from halluscope import Case, Outcome, Result, Support
from halluscope._internal.engine.metrics.arguments import judged_arguments

S, U, N = Support.SUPPORTED, Support.UNSUPPORTED, Support.NOT_A_CLAIM
SAID = "I am Anna Berg, anna@berg.example. Move order #A-1043 (1,250 kroner) from 3 May to tomorrow, for two, please."


def called(**arguments: Any) -> Case:
    function = {"name": "move", "arguments": json.dumps(arguments)}
    talk = [
        {"role": "user", "content": SAID},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]},
    ]
    return Case.of_turns(talk)[0]


@pytest.mark.parametrize(
    ("name", "value", "support"),
    [
        ("order_id", "A-1043", S),
        ("order_id", "A1043", S),
        ("order_id", "A-1044", U),
        ("order_id", "A-10432", U),
        ("email", "anna@berg.example", S),
        ("email", "anna.berg@mail.example", U),
        ("customer", "anna berg", S),
        ("url", "https://shop.example/orders/1", U),
        ("phone", "+4722334455", U),
        ("amount", 1250, S),
        ("amount", 1250.0, S),
        ("people", 2, S),
        ("limit", 10, N),
        ("max_results", 5, N),
        ("unit", "kilograms", N),
        ("currency", "NOK", N),
        ("force", True, N),
        ("note", None, N),
        ("comment", "", N),
        ("message", "Please move order A-1043 for Anna Berg as soon as you can.", S),
        ("message", "Please move order A-9999 for Anna Berg as soon as you can.", U),
        ("message", "Please move my order number a-9999 to tomorrow, as soon as you can.", U),
        ("message", f"{'Please. ' * 50} It is A-1043.", S),
        ("message", f"{'Please. ' * 50} It is A-9999.", U),
        ("query", "what are the rules for moving an order", N),
        # What can be derived is for the judge to say.
        ("date", "2026-05-03", None),
        ("date", "2026-05-03T10:00:00Z", None),
        ("time", "3 pm", None),
        ("city", "Bergen", None),
        ("amount", 1300, None),
        ("people", 7, None),
    ],
)
def test_a_value_is_looked_up_in_the_conversation(name: str, value: Any, support: Support | None) -> None:
    (argument,) = judged_arguments(called(**{name: value}))
    assert (argument.verdict.support if argument.verdict else None) == support
    if support is S:
        assert argument.verdict is not None
        for evidence in argument.verdict.evidence:
            assert SAID[evidence.start : evidence.end] == evidence.quote


def test_values_inside_objects_and_lists_have_paths() -> None:
    case = called(filters={"orderId": "A-1043"}, ids=["A-1043", "B-7777"], n=1)
    arguments = judged_arguments(case)
    assert [argument.claim.argument for argument in arguments] == ["filters.orderId", "ids[0]", "ids[1]", "n"]
    assert arguments[0].claim.text == "The filters order id is A-1043."
    claim = arguments[2].claim
    assert case.output[claim.start : claim.end] == '"B-7777"'


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("order_id", "A-1043", "The order id is A-1043."),
        ("orderId", "A-1043", "The order id is A-1043."),
        ("duration_minutes", 60, "The duration is 60 minutes."),
        ("to", "a@b.example", "The value of “to” is a@b.example."),
        ("body", "It is done.", "The body is It is done."),
    ],
)
def test_a_claim_can_be_read_alone(name: str, value: Any, sentence: str) -> None:
    assert judged_arguments(called(**{name: value}))[0].claim.text == sentence


def test_a_judge_is_asked_only_what_the_texts_leave_open() -> None:
    prompts: list[str] = []

    def judge(prompt: str) -> str:
        prompts.append(prompt)
        code = prompt[prompt.rindex('"code"') :].split('"')[3] if '"code"' in prompt else ""
        said = {"id": "a2", "statement": "The date is 2026-05-04.", "verdict": "no", "reason": "Tomorrow."}
        return json.dumps({"code": code, "verdicts": [said]})

    case = called(order_id="A-1043", date="2026-05-04")
    result = halluscope.Hallucination().score_case(case, judge=judge)
    assert result.reason == "Both claims are supported by the context."
    assert [verdict.support for verdict in result.verdicts] == [S, S]
    assert len(prompts) == 1
    assert "2026-05-04" in prompts[0]
    assert "The order id is" not in prompts[0]


def _scores(case: Case) -> dict[str, Result]:
    names = ("hallucination", "faithfulness", "truth_faithfulness", "label", "citations")
    return {name: halluscope.metrics.resolve(name).score_case(case) for name in names}


def test_every_metric_has_its_own_score_for_a_call() -> None:
    results = _scores(called(order_id="A-1044", customer="Anna Berg", limit=5))
    scores = {name: result.score for name, result in results.items()}
    assert scores == {
        "hallucination": 0.5, "faithfulness": 0.5, "truth_faithfulness": 1.0, "label": 1.0, "citations": None
    }  # fmt: skip
    assert results["citations"].reason == "No score: citations judges answers, and this is a tool call."
    assert results["label"].label == "hallucinated"


def test_a_call_whose_values_are_all_the_agents_own_has_no_score() -> None:
    result = halluscope.Hallucination().score_case(called(limit=5, verbose=True))
    assert (result.outcome, result.score) == (Outcome.NO_CLAIMS, None)
    assert [verdict.support for verdict in result.verdicts] == [N, N]
    assert result.reason == "No score: the call has no argument that must come from the conversation."


def test_arguments_that_are_no_object_are_judged_too() -> None:
    function = {"name": "move", "arguments": "order B-7777, not JSON"}
    talk = [
        {"role": "user", "content": SAID},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]},
    ]
    whole = halluscope.check(talk, turns="all")
    assert whole.turns[0].result.failing[0].claim.argument == "arguments"
