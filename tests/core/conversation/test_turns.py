"""Every answer and every tool call of a conversation, each with what was known at that point."""

from __future__ import annotations

import json
from typing import Any

import pytest

import halluscope
from halluscope import Case, Outcome, Result, Support
from halluscope.errors import InputError

from .test_conversation import ANTHROPIC, ASKED, MASTRA, OPENAI, RESPONSES, SAID


def call(name: str, id: str = "1", **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": id, "type": "function", "function": function}]}


def returned(content: str, id: str = "1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def says(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


@pytest.mark.parametrize(
    ("talk", "tools"),
    [
        (OPENAI, [None, "archive", None]),
        (ANTHROPIC, ["archive", None]),
        (MASTRA, ["archive", None]),
        (RESPONSES, ["archive", None]),
    ],
    ids=["openai", "anthropic", "mastra", "items"],
)
def test_every_answer_and_every_call_is_a_turn(talk: Any, tools: list[str | None]) -> None:
    cases = Case.of_turns(talk)
    turns = [case.turn for case in cases]
    assert [turn.tool for turn in turns if turn] == tools
    assert [(turn.number, turn.of) for turn in turns if turn] == [(n, len(tools)) for n in range(1, len(tools) + 1)]
    assert len({turn.conversation for turn in turns if turn}) == 1
    called, answered = cases[-2:]
    assert called.is_tool_call
    assert "27 November" not in str(called.context), "a call is made before its result is known"
    assert (answered.output, answered.input) == (SAID, ASKED)
    assert answered.context == Case.of(talk).context, "the last turn is what is judged by itself"


def test_what_comes_later_is_not_known_yet() -> None:
    talk = [
        user("Is it open?"),
        says("It opens at 9."),
        user("It opens at 10, the sign says."),
        says("It opens at 10."),
    ]
    first, second = Case.of_turns(talk)
    assert first.context is None
    assert second.context == ("Is it open?",), "a question is none, and the last message is the question"


def test_a_later_result_of_the_same_call_replaces_the_earlier_one() -> None:
    talk = [
        user("Where is parcel Z-771?"),
        call("track", "1", parcel="Z-771"),
        returned("In Oslo since Monday.", "1"),
        says("It is in Oslo."),
        user("And now?"),
        call("track", "2", parcel="Z-771"),
        returned("Delivered in Bergen.", "2"),
        says("It is in Oslo."),
    ]
    case = Case.of_turns(talk, context_from=["tools"])[-1]
    assert case.context == ("Delivered in Bergen.",)
    assert "an earlier result of track was left out" in case.notes[1]
    other = [*talk[:5], call("track", "2", parcel="Z-772"), *talk[6:]]
    assert Case.of_turns(other, context_from=["tools"])[-1].context == ("In Oslo since Monday.", "Delivered in Bergen.")


def test_a_failed_repetition_leaves_the_earlier_result() -> None:
    use = {"type": "tool_use", "name": "track", "input": {"parcel": "Z-771"}}
    back = {"type": "tool_result", "content": "In Oslo."}
    talk = [
        user("Where is parcel Z-771?"),
        {"role": "assistant", "content": [{**use, "id": "1"}]},
        {"role": "user", "content": [{**back, "tool_use_id": "1"}]},
        {"role": "assistant", "content": [{**use, "id": "2"}]},
        {"role": "user", "content": [{**back, "tool_use_id": "2", "content": "timeout", "is_error": True}]},
        says("It is in Oslo."),
    ]
    assert Case.of_turns(talk)[-1].context == ("In Oslo.", "timeout")


def test_calls_of_one_message_do_not_know_each_others_results() -> None:
    invocations = [
        {"state": "result", "toolCallId": str(n), "toolName": "track", "args": {"n": n}, "result": f"parcel {n}"}
        for n in (1, 2)
    ]
    talk = [user("Where?"), {"role": "assistant", "content": "Here.", "toolInvocations": invocations}]
    first, second, answer = Case.of_turns(talk)
    assert first.context == ("Where?",)
    assert second.context == ("Where?", "parcel 1"), "in a list of invocations they were made one after the other"
    assert answer.context == ("parcel 1", "parcel 2")


def test_a_given_context_is_used_for_answers_and_added_to_for_calls() -> None:
    talk = [user("Cancel A-1043."), call("cancel", order="A-1043"), returned("done"), says("It is done.")]
    called, answered = Case.of_turns(talk, ["The rules."], id="talk 7", metadata={"lang": "en"})
    assert called.context == ("The rules.", "Cancel A-1043.")
    assert answered.context == ("The rules.",)
    assert [case.id for case in (called, answered)] == ["talk 7/1", "talk 7/2"]
    assert called.metadata == {"lang": "en"}


def test_only_the_turns_since_the_users_last_message_are_read_on_request() -> None:
    cases = Case.of_turns({"role": "assistant", "content": "In 1851."}, input=OPENAI[:-1], since_user=True)
    assert [case.output for case in cases] == ['archive(q="Ada")', "In 1851."]
    assert len(Case.of_turns("In 1851.", input=OPENAI[:-1])) == 3


@pytest.mark.parametrize("given", ["text", [user("Hello?")], [], {"a": 1}])
def test_without_an_answer_there_are_no_turns(given: Any) -> None:
    assert Case.of_turns(given) == ()
    with pytest.raises(InputError, match="needs a conversation with an answer"):
        halluscope.check(given, turns="all")


def test_an_unknown_choice_of_turns_is_named() -> None:
    with pytest.raises(InputError, match="`turns` is 'last' or 'all', not 'each'"):
        halluscope.check([user("a"), says("b")], turns="each")  # type: ignore[arg-type]


TALK = [
    user("Please cancel my order. My name is Anna Berg."),
    call("find_orders", "1", customer="Anna Berg", limit=10, status="open"),
    returned('[{"order_id":"A-1043","item":"red lamp","price":49.9}]', "1"),
    call("cancel_order", "2", order_id="A-1044", reason="changed mind"),
    returned('{"status": "cancelled"}', "2"),
    says("The red lamp costs 49.90 euros."),
]


def test_a_conversation_has_a_result_and_one_for_each_turn() -> None:
    whole = halluscope.check(TALK, turns="all")
    assert [turn.result.passed for turn in whole.turns] == [True, False, True]
    assert whole.score == pytest.approx(1 / 3)
    assert (whole.passed, whole.label) == (False, "hallucinated")
    assert whole.reason == "1 of 3 judged turns failed (turn 2: “The order id is A-1044.”)."
    (wrong,) = whole.failing
    assert (wrong.claim.argument, wrong.support) == ("order_id", Support.UNSUPPORTED)
    assert wrong.reason == "“A-1044” appears nowhere in the conversation before the call."
    assert whole.turns[1].case.output[wrong.claim.start : wrong.claim.end] == '"A-1044"'
    line = '2. tool call  1.00 failed, hallucinated  cancel_order(order_id="A-1044", reason="changed mind")'
    assert line in whole.explain()
    assert "The order id is A-1044." in whole._repr_html_()
    assert Result.from_json(whole.to_json()) == whole
    assert repr(whole) == "<Result hallucination 0.33 failed, hallucinated: 1 of 3 claims fails>"


def test_a_turn_that_the_judge_failed_on_leaves_the_whole_without_a_score() -> None:
    def judge(prompt: str) -> str:
        raise RuntimeError("down")

    talk = [*TALK[:3], says("The red lamp costs 49.90 euros.")]
    whole = halluscope.check(talk, turns="all", judge=judge, retry_policy=halluscope.RetryPolicy(retries=0))
    assert [turn.result.outcome for turn in whole.turns] == [Outcome.SCORED, Outcome.FAILED]
    assert (whole.outcome, whole.score, whole.passed, whole.label) == (Outcome.INCOMPLETE, None, None, None)
    assert whole.reason == "No score: 1 turn of 2 could not be judged."
    assert whole.failure is not None


def test_a_conversation_in_which_nothing_is_claimed_has_no_score() -> None:
    whole = halluscope.check(
        [user("Hello!"), says("Hello! How can I help you?")], turns="all", context=["It opens at 9."]
    )
    assert (whole.outcome, whole.score) == (Outcome.NO_CLAIMS, None)
