"""Time grows with the length of what comes in, not with its square: over every way in, with strings made to hurt."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import halluscope
from halluscope._internal.core.case import Case
from halluscope._internal.core.conversation import read_prompt
from halluscope._internal.core.errors import HalluscopeError
from halluscope._internal.core.redaction import redacted
from halluscope._internal.core.verdict import Claim, Support
from halluscope._internal.engine.driver import RetryPolicy
from halluscope._internal.engine.judge import resolve
from halluscope._internal.engine.metrics.arguments import judged_arguments
from halluscope._internal.engine.questions import (
    ComparePassages,
    Explain,
    ExtractClaims,
    ExtractTruths,
    LabelAnswer,
    Passage,
    Question,
    VerifyClaims,
)
from halluscope._internal.runs.datasets import open_data
from halluscope._internal.runs.gates import Gate
from halluscope._internal.text.lenient_json import Unreadable, parse_json
from halluscope._internal.text.quotes import locate, resemblance

from .helpers.growth import assert_linear

pytestmark = pytest.mark.slow("reads long texts to see how the time grows")

LONGEST = 30_000

HOSTILE: dict[str, tuple[str, str, str]] = {
    "escaped quotes": ('{"', '\\"', "\\"),
    "quotes": ("", '"', ""),
    "apostrophes": ("{", "'", "}"),
    "braces": ("", "{", ""),
    "brackets": ("", "[", ""),
    "closed braces": ("", "{}", ""),
    "closed lists": ("[", "[],", "]"),
    "objects": ("", '{"a": 1} ', ""),
    "nested objects": ("", '{"a": ', ""),
    "nested lists in an object": ('{"verdicts": ', "[", "]"),
    "open strings": ("", '{"a": "', ""),
    "fences": ("", "```\n", ""),
    "spaces in a fence": ("```\n", " ", "x"),
    "thoughts": ("", "<think>", ""),
    "ends of thoughts": ("", "</think>", "{"),
    "codes": ("", '{"code": "0123456789ab", ', ""),
    "backslashes": ('{"a": "', "\\", '"}'),
    "spaces": ("x", " ", "x"),
    "newlines": ("", "\n", "x"),
    "one letter": ("", "a ", "b"),
    "one word": ("", "a", ""),
    "marks": ("", ".", ""),
    "initials": ("", "A. ", ""),
    "commas": ("", "x, ", ""),
    "dashes": ("", "- x\n", ""),
    "cells": ("", "| a ", "|\n"),
    "links": ("", "http://a.b/", ""),
    "umlauts": ("", "ä", ""),
    "full-width": ("", "ａ", ""),
    "emoji": ("", "👩‍👩‍👧", ""),
    "tags": ("", "<doc>", ""),
    "labels": ("", "Context:\n", "Question: x?"),
    "questions": ("Context:\n", "Question: x\n", "Answer:"),
    "numbered documents": ("", "[1] x\n", "Question: x?"),
    "announcements": ("", "following context ", "\n"),
    "brackets of names": ("cascade", "(", ")"),
    "scores": ("The score is ", "score ", "0.5"),
}

OUTPUT = "The mill is in Ulm. It grinds 5 tons."
PASSAGES = (Passage(0, "The mill is in Ulm."), Passage(1, "It grinds 5 tons."))
CLAIMS = (Claim("c1", "The mill is in Ulm."), Claim("c2", "It grinds 5 tons."))
WORDS = {"yes": Support.SUPPORTED, "no": Support.CONTRADICTED}
QUESTIONS: tuple[Question[Any], ...] = (
    ExtractClaims(output=OUTPUT),
    ExtractTruths(passages=PASSAGES),
    VerifyClaims(claims=CLAIMS, passages=PASSAGES, words=WORDS),
    ComparePassages(output=OUTPUT, passages=PASSAGES),
    LabelAnswer(output=OUTPUT, passages=PASSAGES),
    Explain(score=0.5, scale=1.0, meaning="x", verdicts=(), summary="x"),
)
ONCE = RetryPolicy(retries=0, repairs=0)


def quoting(prompt: str) -> str:
    """A judge that says nothing of use, so that only the way in and out is measured."""
    return '{"verdict": "factual", "reason": ["x"]}'


def called(text: str) -> None:
    """A tool call whose argument is the text, in a conversation that has it as well, and in other words."""
    call = {"role": "assistant", "tool_calls": [{"function": {"name": text[:20_000], "arguments": {"a": text}}}]}
    for said in (text, f"x {text[1:]}"):
        for case in Case.of_turns([{"role": "user", "content": said}, call]):
            judged_arguments(case)


def listed(text: str) -> None:
    """A reply that is valid, and quotes the text wherever a reply may."""
    question = VerifyClaims(claims=CLAIMS, passages=(Passage(0, text),), words=WORDS)
    said = {"id": "c1", "statement": text, "reason": text, "evidence": text[: len(text) // 2], "verdict": "yes"}
    question.read({"verdicts": [said, {"id": "c2", "evidence": text[1:], "verdict": "yes"}]})


def claimed(text: str) -> None:
    ExtractClaims(output=text).read({"claims": [text, text[: len(text) // 2], "x " + text]})


WAYS_IN: dict[str, Callable[[str], object]] = {
    "any reply": lambda text: parse_json(text),
    "a reply with a code": lambda text: parse_json('{"code": "0123456789ab", ' + text, "0123456789ab"),
    "a reply in prose": lambda text: parse_json(f"Here: {text}", "0123456789ab"),
    **{f"a reply to {question.kind}": question.read_reply for question in QUESTIONS},
    "a verdict that quotes": listed,
    "claims": claimed,
    "a quotation": lambda text: locate(text[1:], f"x {text}"),
    "a resemblance": lambda text: resemblance(text, text[::-1]),
    "a case": lambda text: Case.of(text, [text, {"text": text}], text, metadata={"x": text}),
    "an output and its context": lambda text: halluscope.check(
        text, [text, text], text, metric="label", judge=quoting, retry_policy=ONCE
    ),
    "a judge's reply": lambda text: halluscope.check(
        "x is y", ["z"], metric="label", judge=lambda _: text, retry_policy=ONCE
    ),
    "a judge's error": lambda text: halluscope.check(
        "x is y", ["z"], metric="label", judge=lambda _: [][len(text)], retry_policy=ONCE
    ),
    "a name of a judge": lambda text: resolve(text[:20_000]),
    "a gate": lambda text: Gate.parse(text, ["hallucination"]),
    "a row": lambda text: list(open_data([{"output": text, "context": text, "x": text}])),
    "a message": redacted,
    "a tool call": called,
    "a prompt": read_prompt,
    "a system prompt": lambda text: read_prompt(text, instructions=True),
}


def made(parts: tuple[str, str, str], length: int) -> str:
    first, again, last = parts
    return first + again * max(1, (length - len(first) - len(last)) // len(again)) + last


@pytest.mark.parametrize("way", WAYS_IN)
def test_time_grows_no_faster_than_the_text(way: str) -> None:
    work = WAYS_IN[way]
    for name, parts in HOSTILE.items():
        texts: dict[int, str] = {}

        def on_text(length: int, parts: tuple[str, str, str] = parts, texts: dict[int, str] = texts) -> None:
            with suppress(HalluscopeError, Unreadable, IndexError):
                work(texts.setdefault(length, made(parts, length)))

        assert_linear(on_text, start=3_000, longest=LONGEST, name=name)


def test_a_file_of_hostile_cells(tmp_path: Path) -> None:
    for name, parts in HOSTILE.items():
        if "\n" in parts[1]:
            continue
        path = tmp_path / "x.csv"

        def read(length: int, path: Path = path, parts: tuple[str, str, str] = parts) -> None:
            cell = made(parts, length).replace('"', '""')
            path.write_text(f'output,context\nx is y,"[{cell}]"\n', encoding="utf-8")
            with suppress(HalluscopeError):
                list(open_data(str(path)))

        assert_linear(read, start=20_000, longest=20_000, name=name)


FOR_THE_EMBEDDED_JUDGE = {
    **{name: HOSTILE[name] for name in ("spaces in a fence", "escaped quotes", "initials", "commas", "codes")},
    "numbers": ("We sold ", "12 ", "mills."),
    "shares": ("The shares were ", "1%", " in the end."),
}


@pytest.mark.parametrize("hostile", FOR_THE_EMBEDDED_JUDGE)
def test_the_embedded_judge_takes_time_in_proportion(hostile: str) -> None:
    def judged(length: int) -> None:
        text = made(FOR_THE_EMBEDDED_JUDGE[hostile], length)
        halluscope.check(text, ["The mill is in Ulm."], metric="label", judge="local")
        halluscope.check("The mill is in Ulm.", [text], metric="label", judge="local")

    judged(20)  # the model is loaded once
    assert_linear(judged, start=1_000, longest=1_000, name=hostile)


@pytest.mark.parametrize(
    "claim",
    [
        "Anna built mill {n} in {year}.",
        "In {year} the mill with number {n} was erected by Anna.",
        "Anna owned {n} mills of Ulm.",
    ],
    ids=["as it stands", "in other words", "of common words"],
)
def test_many_claims_over_as_many_sentences(claim: str) -> None:
    def read(count: int) -> None:
        numbers = [{"n": n, "year": 1800 + n % 200} for n in range(count)]
        output = " ".join("Anna built mill {n} in {year}.".format(**number) for number in numbers)
        claims = ExtractClaims(output=output).read({"claims": [claim.format(**number) for number in numbers]})
        assert len(claims) == count

    assert_linear(read, start=200, longest=3_200)
