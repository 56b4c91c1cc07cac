"""What comes in: any text, any shape, nothing lost and nothing that crashes later."""

from __future__ import annotations

import datetime
import json
from types import SimpleNamespace
from typing import Any

import pytest

import halluscope
from halluscope import Case
from halluscope._internal.core.errors import CaseError


def test_strings_and_lists() -> None:
    case = Case.of("said", ["one", "two"], "asked")
    assert (case.output, case.context, case.input) == ("said", ("one", "two"), "asked")
    assert Case.of("said", "one").context == ("one",)
    assert Case.of("said", (text for text in ("a", "b"))).context == ("a", "b")


def test_none_is_not_empty() -> None:
    assert Case.of("said").context is None
    assert Case.of("said", []).context == ()
    assert Case.of(None).output == ""


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({"text": "held"}, "held"),
        ({"page_content": "held", "metadata": {}}, "held"),
        ({"content": "held"}, "held"),
        (SimpleNamespace(page_content="held"), "held"),
        (None, ""),
    ],
)
def test_documents_are_read_as_their_text(document: Any, text: str) -> None:
    assert Case.of("said", [document]).context == (text,)


def test_structured_output_is_judged_as_json() -> None:
    case = Case.of({"answer": [1, "zwei"]})
    assert json.loads(case.output) == {"answer": [1, "zwei"]}
    assert any("JSON" in note for note in case.notes)


def test_unreadable_characters_are_replaced_in_place() -> None:
    case = Case.of("a\ud800b\x00c", ["x\udfff"], "q\x00")
    assert case.output == "a\ufffdb\ufffdc"
    assert case.context == ("x\ufffd",)
    assert len(case.notes) == 3
    case.output.encode()


def test_a_surrogate_inside_structured_output() -> None:
    case = Case.of({"answer": "a\ud800"})
    case.output.encode()


def test_a_pair_of_surrogates_is_an_emoji_and_stays() -> None:
    assert Case.of("😀").output == "😀"


@pytest.mark.parametrize("wrong", [object(), b"bytes", True])
def test_what_cannot_be_read_is_said(wrong: object) -> None:
    with pytest.raises(CaseError, match="the output is a"):
        Case.of(wrong)


def test_the_type_is_named_in_english() -> None:
    with pytest.raises(CaseError, match="the context is an int: "):
        Case.of("x", 4)


@pytest.mark.parametrize("wrong", [3, 1.5, b"bytes", object()])
def test_a_context_that_is_no_list_is_said(wrong: object) -> None:
    with pytest.raises(CaseError, match="pass a string or a list"):
        Case.of("said", wrong)


def test_ids_follow_the_content() -> None:
    assert Case.of("a", ["b"]).id == Case.of("a", ["b"]).id
    ids = {Case.of("a", ["b"]).id, Case.of("a", ["b", ""]).id, Case.of("a", None).id, Case.of("ab", []).id}
    assert len(ids) == 4
    assert Case.of("a", id="mine").id == "mine"


def test_blank_passages_keep_the_others_in_place() -> None:
    assert Case.of("a", ["", "two", " \n", "four"]).passages == ((1, "two"), (3, "four"))


@pytest.mark.parametrize(
    "metadata",
    [
        {"x": "\ud800"},
        {"x": object()},
        {"x": (1, {2}), 3: None},
        {"x": float("nan"), "y": 2**70},
        {"x": {"\udc00": datetime.date(2026, 1, 2)}},
    ],
)
def test_whatever_is_in_the_metadata_a_result_is_written_and_read_without_loss(metadata: Any) -> None:
    def judge(prompt: str) -> str:
        return '{"verdict": "factual", "reason": ["said"]}'

    result = halluscope.Label().score(output="said", context=["said"], id="\ud800 1", metadata=metadata, judge=judge)
    assert halluscope.Result.from_json(result.to_json()) == result


def test_metadata_that_is_no_mapping_or_holds_itself_is_refused() -> None:
    with pytest.raises(CaseError, match="dictionary"):
        Case.of("said", metadata=[1])  # type: ignore[arg-type]
    round: dict[str, Any] = {}
    round["and"] = round
    with pytest.raises(CaseError, match="contains itself"):
        Case.of("said", metadata=round)


def test_an_id_is_kept_as_text_also_zero() -> None:
    assert Case.of("said", id=0).id == "0"
    assert Case.of("said", id="").id == Case.of("said").id != ""
