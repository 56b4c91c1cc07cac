"""JSON as language models write it."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Any

import pytest

from halluscope._internal.core.errors import JudgeError
from halluscope._internal.core.verdict import Claim, Support
from halluscope._internal.engine.questions import (
    ComparePassages,
    ExtractClaims,
    ExtractTruths,
    LabelAnswer,
    Passage,
    VerifyClaims,
)
from halluscope._internal.text.lenient_json import Unreadable, parse_json

READ: list[tuple[str, Any, bool]] = [
    ('{"a": 1}', {"a": 1}, False),
    ("\ufeff [1, 2] ", [1, 2], False),
    ('```json\n{"a": 1}\n```', {"a": 1}, False),
    ('```\n{"a": 1}', {"a": 1}, False),
    ('"{\\"a\\": 1}"', {"a": 1}, False),
    ("{'a': 'b',}", {"a": "b"}, False),
    ("""{'a': 'it\\'s "b"', 'c': "it's"}""", {"a": 'it\'s "b"', "c": "it's"}, False),
    ('{"a": [True, None,]}', {"a": [True, None]}, False),
    ('{"a": "b", "c": "True, ]",}', {"a": "b", "c": "True, ]"}, False),
    ('<think>{"a": 0}</think>{"a": 1}', {"a": 1}, False),
    ('<thinking>hm</thinking>\n```json\n{"a": 1}\n```', {"a": 1}, False),
    ('{"a": "x\\ud800"}', {"a": "x\ufffd"}, False),
    ('{"a": [{"b": 1}, {"b": ', {"a": [{"b": 1}]}, True),
    ("null", None, False),
]


@pytest.mark.parametrize(("text", "value", "cut_off"), READ, ids=[text[:25] for text, *_ in READ])
def test_what_is_read(text: str, value: Any, cut_off: bool) -> None:
    found, short = parse_json(text)
    if cut_off:
        assert found["a"][0] == value["a"][0]
    else:
        assert found == value
    assert short is cut_off


@pytest.mark.parametrize(
    "text",
    [
        "",
        "factual",
        '"factual"',
        "I think {the answer} is factual",
        "see [1]",
        "<think> {}",
        "{...}",
        "[" * 100_000 + "]",
        'Here you are: {"a": 1}',
        '{"a": 1} I hope it helps',
        'hm {"a": 0} </think> {"a": 1}',
        '{"a": "he said "no" to it", "b": 1}',
        "{'a': 'it's no', 'b': 1}",
    ],
)
def test_what_is_no_value(text: str) -> None:
    with pytest.raises(Unreadable):
        parse_json(text)


@pytest.mark.slow("reads very long replies")
@pytest.mark.parametrize(
    "text",
    ["{" * 10**6, '"' * 10**6, '{"a": "' * 10**5, '{"x": "' + "y" * 10**6, "<think>" * 10**5, "{a} " * 10**5],
    ids=lambda text: text[:12],
)
def test_a_large_reply_is_given_up_before_it_takes_minutes(text: str) -> None:
    with suppress(Unreadable):
        assert parse_json(text) == ({}, True)


CLAIMS = (Claim("c1", "The mill is in Ulm."), Claim("c2", "It grinds 5 tons."))
PASSAGES = (Passage(0, "The mill is in Ulm."), Passage(1, "It grinds 5 tons."))
WORDS = {"yes": Support.SUPPORTED, "no": Support.CONTRADICTED}
QUESTIONS = (
    ExtractClaims(output="The mill is in Ulm. It grinds 5 tons."),
    ExtractTruths(passages=PASSAGES),
    VerifyClaims(claims=CLAIMS, passages=PASSAGES, words=WORDS),
    ComparePassages(output="The mill is in Ulm.", passages=PASSAGES),
    LabelAnswer(output="The mill is in Ulm.", passages=PASSAGES),
)
PIECES: tuple[Any, ...] = (
    None, True, 0, -1.5, "", "yes", "no", "factual", "c1", "c2", "p1", "The mill is in Ulm.", [], {}, [[]], "\x00",
)  # fmt: skip
KEYS = ("verdicts", "verdict", "id", "statement", "reason", "evidence", "basis", "claims", "truths", "results", "x")


def _anything(draw: random.Random, depth: int = 0) -> Any:
    kind = draw.randrange(4) if depth < 4 else 0
    if kind == 1:
        return [_anything(draw, depth + 1) for _ in range(draw.randrange(4))]
    if kind >= 2:
        return {draw.choice(KEYS): _anything(draw, depth + 1) for _ in range(draw.randrange(5))}
    return draw.choice(PIECES)


@pytest.mark.slow("reads thousands of replies")
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.kind)
def test_no_reply_of_any_shape_is_more_than_an_error(question: Any) -> None:
    draw = random.Random(7)
    answered = 0
    for _ in range(3000):
        text = json.dumps(_anything(draw))
        for shape in (text, f"```{text}", text[: draw.randrange(len(text) + 1)]):
            try:
                question.read_reply(shape, draw.random() < 0.1)
                answered += 1
            except JudgeError:
                continue
    assert answered


def test_half_a_verdict_is_none() -> None:
    question = VerifyClaims(claims=CLAIMS, passages=PASSAGES, words=WORDS)
    text = '{"verdicts": [{"id": "c1", "verdict": "yes"}, {"id": "c2", "verdict": "no'
    assert [verdict.claim.id for verdict in question.read_reply(text).verdicts] == ["c1"]
