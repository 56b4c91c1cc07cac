"""Live scoring with turns="all": the tool calls since the user's last message are scored beside the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from halluscope import Result, Run, Store
from halluscope.errors import InputError
from halluscope.live import Live

from ..core.conversation.test_turns import TALK, call, returned, says, user

LATER = [*TALK, user("How much was it?"), call("price", "3", order="B-7777"), returned("49.90 euros", "3")]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "live.db")


def scored(live: Live, store: Store) -> list[tuple[str, str, bool | None]]:
    assert live.flush(60)
    return [(e.case.id, e.case.output.partition("(")[0], e.results[0].passed) for e in Run("live", store).entries()]


def test_tool_calls_are_scored_beside_the_answer(store: Store) -> None:
    heard: list[Result] = []
    live = Live(turns="all", store=store, on_result=lambda result, case: heard.append(result))
    live.record("The red lamp costs 49.90 euros.", input=TALK[:-1], trace_id="a")
    assert scored(live, store) == [
        ("a/1", "find_orders", True),
        ("a/2", "cancel_order", False),
        ("a/3", "The red lamp costs 49.90 euros.", True),
    ]
    assert [verdict.claim.argument for result in heard for verdict in result.failing] == ["order_id"]
    assert (live.counts.seen, live.counts.stored, live.counts.waiting) == (3, 3, 0)
    assert Run("live", store).summary()["hallucination"].conversations == 1
    live.record(says("It was 49.90 euros."), input=LATER, trace_id="b")
    assert scored(live, store)[3:] == [("b/1", "price", False), ("b/2", "It was 49.90 euros.", True)]


def test_an_answer_without_tool_calls_is_one_case(store: Store) -> None:
    live = Live(turns="all", store=store)
    live.record("It opens at 10.", ["It opens at 10."], "When does it open?", trace_id="a")
    assert scored(live, store) == [("a", "It opens at 10.", True)]


def test_the_filter_sees_each_tool_call(store: Store) -> None:
    live = Live(turns="all", store=store, filter=lambda case: not case.is_tool_call)
    live.record("The red lamp costs 49.90 euros.", input=TALK[:-1], trace_id="a")
    assert [id for id, _, _ in scored(live, store)] == ["a/3"]


def test_by_default_the_answer_alone_is_scored(store: Store) -> None:
    live = Live(store=store)
    live.record("The red lamp costs 49.90 euros.", input=TALK[:-1], trace_id="a")
    assert [id for id, _, _ in scored(live, store)] == ["a"]
    unknown: Any = "each"
    with pytest.raises(InputError, match="`turns` is 'last' or 'all'"):
        Live(turns=unknown, store=store)
