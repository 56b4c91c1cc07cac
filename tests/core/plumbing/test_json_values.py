"""Values nested to any depth, wherever they come in: each is used or refused, and none raises RecursionError."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import halluscope
from halluscope._internal.core.case import Case
from halluscope._internal.core.conversation import as_passage, extract_tool_results
from halluscope._internal.core.errors import CaseError, InputError
from halluscope._internal.core.plumbing.json_values import DEEPEST, decode_json, too_deep
from halluscope._internal.core.result import Outcome
from halluscope._internal.engine.driver import RetryPolicy
from halluscope._internal.judges.chat.http import words_of_error
from halluscope._internal.judges.chat.user_model import from_model
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope._internal.runs.datasets import open_data
from halluscope._internal.runs.store import Store

DEPTHS = (90, 110, 250, 330, 400, 495, 500, 700, 950, 990, 5000)
QUICK = RetryPolicy(repairs=0, first_wait=0.001)


def in_lists(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


def in_objects(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = {"text": value}
    return value


def lists(depth: int) -> str:
    return "[" * depth + '"x"' + "]" * depth


def objects(depth: int) -> str:
    return '{"text": ' * depth + '"x"' + "}" * depth


def test_the_limit_is_exact_and_holds_for_values_that_contain_themselves() -> None:
    assert not too_deep(in_lists(DEEPEST))
    assert too_deep(in_lists(DEEPEST + 1))
    assert too_deep(in_objects(DEEPEST + 1))
    itself: list[Any] = []
    itself += [itself, itself, "x"]
    assert too_deep({"a": itself})
    assert not too_deep({"a": [[1, "x"], (2.0, None), {3}] * 1000})
    assert decode_json(lists(DEEPEST)) == in_lists(DEEPEST)
    for text in (lists(DEEPEST + 1), lists(100_000), objects(100_000), "", "{"):
        with pytest.raises(ValueError):
            decode_json(text)


REPLIES: dict[str, Callable[[str], str]] = {
    "alone": lambda deep: deep,
    "as the verdict": lambda deep: f'{{"verdict": {deep}, "reason": ["x"]}}',
    "as the reason": lambda deep: f'{{"verdict": "maybe", "reason": {deep}}}',
    "as the verdicts": lambda deep: f'{{"verdicts": {deep}}}',
    "as the claims": lambda deep: f'{{"claims": {deep}}}',
    "in prose": lambda deep: f"It is {deep}.",
    "badly written": lambda deep: f"{{'verdict': {deep},}}",
    "cut off": lambda deep: f'{{"verdicts": [{{"id": "c1", "reason": {deep}}}, {{"id"',
}


@pytest.mark.slow("reads deeply nested replies with every metric")
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("written", [lists, objects])
@pytest.mark.parametrize("reply", REPLIES)
def test_a_nested_reply_is_a_failed_result(reply: str, written: Callable[[int], str], depth: int) -> None:
    text = REPLIES[reply](written(depth))
    for metric in ("label", "hallucination", "contradiction"):
        result = halluscope.check(
            "The mill is in Ulm.", ["The mill."], metric=metric, judge=lambda prompt: text, retry_policy=QUICK
        )
        assert result.score is None
        assert result.outcome is Outcome.FAILED or (metric, reply) == ("hallucination", "as the claims")


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("value", [in_lists, in_objects])
def test_a_nested_case_is_read_or_refused(value: Callable[[int], Any], depth: int) -> None:
    deep = value(depth)
    call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": lists(depth)}}]}
    talk = [call, {"role": "tool", "tool_call_id": "1", "content": lists(depth)}, {"role": "assistant", "content": "x"}]
    made: list[Callable[[], object]] = [
        lambda: Case.of(deep, ["x"]),
        lambda: Case.of("x", deep),
        lambda: Case.of("x", [deep]),
        lambda: Case.of("x", ["x"], deep),
        lambda: Case.of("x", ["x"], metadata={"a": deep}),
        lambda: Case.of([{"role": "assistant", "content": deep}]),
        lambda: Case.of([{"role": "tool", "content": deep}, {"role": "assistant", "content": "x"}]),
        lambda: Case.of(talk),
        lambda: [as_passage(found) for found in extract_tool_results([{"role": "tool", "name": "f", "content": deep}])],
    ]
    refused = 0
    for make in made:
        try:
            make()
        except CaseError as error:
            assert "levels deep" in str(error)
            refused += 1
    assert refused == (0 if depth < DEEPEST - 5 else len(made) - 1), "all but the conversation, which has texts alone"


@pytest.mark.parametrize("depth", DEPTHS)
def test_nested_rows_are_cases_or_say_why_they_are_none(depth: int, tmp_path: Path) -> None:
    deep = lists(depth)
    lines = tmp_path / "rows.jsonl"
    lines.write_text(
        f'{{"output": "a", "context": ["x"], "extra": {deep}}}\n'
        f'{{"output": {deep}, "context": ["x"]}}\n'
        f'{{"output": "b", "context": {deep}}}\n'
        f'{{"messages": [{{"role": "assistant", "content": {deep}}}]}}\n'
        '{"output": "c", "context": ["x"]}\n'
    )
    cells = tmp_path / "rows.csv"
    cells.write_text(f'output,context,messages\na,"{deep.replace(chr(34), chr(34) * 2)}","{deep.replace("x", "")}"\n')
    judge = ScriptedJudge({"label": {"verdict": "factual", "reason": ["x"]}})
    with Store(tmp_path / "a.db") as store:
        for source in (lines, cells):
            run = halluscope.evaluate(source, "label", judge, run=source.name, store=store, progress=False)
            run.export(tmp_path / "out.jsonl")
            run.export(tmp_path / "out.csv")
            run.report(tmp_path / "out.html")
            summary = run.summary()
            assert (summary.state, summary.cases + summary.bad_rows) == ("finished", 5 if source is lines else 1)
        store.check()
    rows = [{"output": "a", "context": ["x"], "extra": in_lists(depth)}, {"output": in_objects(depth)}]
    assert len(list(open_data(rows))) == 2


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_nested_error_of_a_server_is_read_for_its_words_or_shown(depth: int) -> None:
    body = '{"error": ' * depth + '"too long"' + "}" * depth
    assert words_of_error(body) in ("too long", body[:300])


def test_options_that_contain_themselves_are_read_for_secrets() -> None:
    class Model:
        def __init__(self) -> None:
            self.options: dict[str, Any] = {"api_key": "a-secret-of-the-tests-1"}
            self.options["options"] = self.options

        def complete(self, prompt: str) -> str:
            return json.dumps({"reason": ["the key is a-secret-of-the-tests-1"], "verdict": "factual"})

    result = halluscope.check("x", ["x"], metric="label", judge=from_model(Model()))
    assert "a-secret-of-the-tests-1" not in result.to_json()


def test_a_recording_that_nests_too_deeply_is_said_to_be_unreadable(tmp_path: Path) -> None:
    from halluscope._internal.judges.replay import Recording

    path = tmp_path / "recording.json"
    path.write_text(f'{{"halluscope_recording": 1, "replies": {{"a": {{"question": "x", "reply": {lists(9000)}}}}}}}')
    with pytest.raises(InputError, match="cannot be read"):
        Recording(path)
