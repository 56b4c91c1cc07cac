"""Runs over conversations, in which every answer and every tool call is a case."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from halluscope import Case, Run, Store, evaluate
from halluscope._internal.runs.report import write_report
from halluscope.errors import InputError

from ...core.conversation.test_turns import TALK, says, user

MUSEUM = [user("Context: The museum opens at 10.\n\nQuestion: When does it open?"), says("The museum opens at 10.")]
ROWS: list[dict[str, Any]] = [
    {"id": "t1", "messages": TALK, "team": "shop"},
    {"id": "t2", "messages": MUSEUM},
    {"id": "t3", "output": "The museum opens at 9.", "context": ["The museum opens at 10."]},
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs.db")


def test_every_turn_is_a_case_and_conversations_are_counted(store: Store) -> None:
    run = evaluate(ROWS, run="talks", turns="all", store=store)
    assert [entry.case.id for entry in run.entries()] == ["t1/1", "t1/2", "t1/3", "t2/1", "t3"]
    assert [result.passed for result in run.results()] == [True, False, True, True, False]
    summary = run.summary()["hallucination"]
    assert (summary.results, summary.conversations, summary.conversations_passed) == (5, 2, 1)
    assert "1 of 2 conversations passed" in str(run.summary())
    entry = list(run.entries())[1]
    assert entry.case.turn is not None
    assert (entry.case.turn.tool, entry.case.turn.arguments) == (
        "cancel_order",
        {"order_id": "A-1044", "reason": "changed mind"},
    )
    assert entry.case.metadata == {"team": "shop"}
    talks = list(run.conversations("hallucination"))
    assert [(talk.case_id, talk.passed, len(talk.turns)) for talk in talks] == [("t1", False, 3), ("t2", True, 1)]
    assert talks[0].score == pytest.approx(1 / 3)


def test_a_run_that_is_made_again_keeps_its_results(store: Store) -> None:
    evaluate(ROWS, run="talks", turns="all", store=store)
    first = [result.to_json() for result in Run("talks", store).results()]
    again = evaluate(ROWS, run="talks", turns="all", store=store)
    assert [result.to_json() for result in again.results()] == first
    shorter = evaluate(ROWS, run="talks", store=store)
    assert [entry.case.id for entry in shorter.entries()] == ["t1", "t2", "t3"]
    assert shorter.summary()["hallucination"].conversations == 0
    assert list(shorter.conversations()) == []


def test_a_limit_counts_rows_and_not_turns(store: Store) -> None:
    run = evaluate(ROWS, run="talks", turns="all", limit=1, store=store)
    assert run.info.cases == 3
    whole = evaluate(ROWS, run="talks", turns="all", store=store)
    assert whole.info.cases == 5


def test_a_text_that_is_the_same_as_a_call_is_judged_by_itself(store: Store) -> None:
    (called,) = [case for case in Case.of_turns(TALK, id="x") if case.turn and case.turn.tool == "cancel_order"]
    text = Case.of(called.output, called.context, called.input, id="text")
    run = evaluate([called, text], run="same", store=store)
    arguments = [[verdict.claim.argument for verdict in result.verdicts] for result in run.results()]
    assert arguments[0] == ["order_id", "reason"]
    assert set(arguments[1]) <= {None}


def test_the_sources_of_context_can_be_chosen(store: Store) -> None:
    run = evaluate(ROWS[1:2], run="none", context_from=["tools"], store=store)
    assert [result.outcome.value for result in run.results()] == ["no_context"]
    with pytest.raises(InputError, match="no context comes from 'tool'"):
        evaluate(ROWS, context_from=["tool"], store=store)
    with pytest.raises(InputError, match="`turns` is 'last' or 'all'"):
        evaluate(ROWS, turns="every", store=store)  # type: ignore[arg-type]


def test_exports_name_the_conversation_the_turn_and_the_tool(store: Store, tmp_path: Path) -> None:
    run = evaluate(ROWS, run="talks", turns="all", store=store)
    wanted = [("t1", 1, "find_orders"), ("t1", 2, "cancel_order"), ("t1", 3, None), ("t2", 1, None), (None, None, None)]
    run.export(tmp_path / "talks.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "talks.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["conversation"], line["turn"], line["tool"]) for line in lines] == wanted
    run.export(tmp_path / "talks.csv")
    with (tmp_path / "talks.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["conversation"], row["turn"], row["tool"]) for row in csv.DictReader(file)]
    assert rows[1:3] == [("t1", "2", "cancel_order"), ("t1", "3", "")]
    run.export(tmp_path / "talks.parquet")
    assert list(run.to_pandas()["tool"])[:2] == ["find_orders", "cancel_order"]
    assert write_report(run, tmp_path / "talks.html").stat().st_size > 0
