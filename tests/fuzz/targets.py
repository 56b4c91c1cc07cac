"""What is tried, and what must hold whatever is drawn."""

from __future__ import annotations

import gzip
import json
import sqlite3
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from halluscope import evaluate
from halluscope._internal.core.case import Case
from halluscope._internal.core.errors import InputError, JudgeError, StoreError
from halluscope._internal.core.result import Result
from halluscope._internal.core.verdict import Claim, Support
from halluscope._internal.engine.questions import (
    ComparePassages,
    ExtractClaims,
    LabelAnswer,
    Passage,
    Question,
    VerifyClaims,
)
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope._internal.runs.datasets import BadRow, Row, open_data
from halluscope._internal.runs.store import Store
from halluscope._internal.runs.store.run_reader import entries, list_runs

from ..helpers.hostile import QUOTING, STYLES, WITH_PROSE, payloads
from .slow_clients import clients, slow_clients

WORDS = {"yes": Support.SUPPORTED, "no": Support.CONTRADICTED}
_PIECES = ["```", "```json\n", "<think>", "</think>", '"', "'", "\\", "{", "}", "[", "]", ":", ",", "\n", '{"code": "']
_KEYS = ["verdict", "verdicts", "id", "c1", "yes", "no", "claims", "factual", "hallucinated", "basis", "supported"]

hostile_text = st.lists(
    st.one_of(st.sampled_from(payloads()), st.sampled_from(_PIECES), st.sampled_from(_KEYS), st.text(max_size=20)),
    max_size=12,
).map("".join)
"""Text made of what replies are made of."""

anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), hostile_text, st.binary(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from([*_KEYS, "output", "context", "text"]), inner)
    ),
    max_leaves=12,
)


answers = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["c1", "c2", None]),
        "statement": st.sampled_from(["The mill is in Bonn.", "the mill is in bonn", None]),
        "basis": st.sampled_from(["supported", None]),
        "verdict": st.just("yes"),
        "evidence": st.none(),
        "code": st.sampled_from(["000000000000", None]),
        "reason": hostile_text,
    },
)
near_quotes = st.builds(
    lambda items, keys, write, before, after: before + write({keys: items}) + after,
    st.lists(
        st.builds(lambda item, order: dict(order.sample(list(item.items()), len(item))), answers, st.randoms()),
        max_size=2,
    ),
    st.sampled_from(["verdicts", "results", "verdict"]),
    st.sampled_from(
        [json.dumps, repr, str, lambda value: json.dumps(value, indent=1), lambda value: json.dumps(value)[:-2]]
    ),
    st.sampled_from(["", "{p1} ", "</think>", "```json\n", "[1] ", '"']),
    st.sampled_from(["", "```", "\n\n", ",", "}", '"']),
)
"""What a judge may write when it cites injected JSON from memory: other order, nulls, other quotes, cut short."""

_WORDS = (
    "factual|Factual?|Factual.|hallucinated|not|isn't|non-|far from|No.|neither|nor|anything but|hardly|**factual**"
)
denials = st.lists(st.sampled_from([*_WORDS.split("|"), "it is", "\n", '{"verdict": "fact', "```"]), max_size=6).map(
    " ".join
)
"""Replies in words."""


def nested(depth: int, opens: str, inside: str) -> str:
    """JSON that nests this deep, inside a reply."""
    value = '"factual"'
    for _ in range(depth):
        value = f"[{value}]" if opens == "[" else f'{{"{opens}": {value}}}'
    return inside.replace("…", value)


def worded(text: str) -> None:
    """A reply in words counts only where it is one word. JSON is for the other targets."""
    question = LabelAnswer(output="The mill is in Bonn.", passages=(Passage(0, "The mill is in Ulm."),))
    try:
        found = question.read_reply(text)
    except JudgeError:
        return
    letters = "".join(character for character in text.casefold() if character.isalpha())
    assert letters == found.label or "{" in text, "a word in a sentence became the label"


def cited(citation: str, style: str, code: bool) -> None:
    """An honest judge that cites injected JSON in its own words never has the citation taken for its verdict."""
    _stays("The mill is in Ulm.", citation, style, code)


def deep(text: str) -> None:
    """A reply that nests to any depth is read, or is an error of the judge."""
    reply(text, False)
    worded(text)


def quoted(material: str, style: str, code: bool) -> None:
    """An honest verdict, in any style, with any text quoted in it and round it, is read as it is or not at all."""
    _stays(material, material, style, code)


def _stays(material: str, citation: str, style: str, code: bool) -> None:
    question = VerifyClaims(
        claims=(Claim("c1", "The mill is in Bonn."),), passages=(Passage(0, material),), words=WORDS
    )
    verdict = {"id": "c1", "statement": "The mill is in Bonn.", "reason": material, "evidence": "", "verdict": "no"}
    said: dict[str, Any] = {"verdicts": [verdict]}
    if code:
        said = {"code": question.code, **said}
    written = {**STYLES, **WITH_PROSE, **QUOTING}[style]
    reply = written(json.dumps(said, ensure_ascii=False), citation)
    try:
        found = question.read_reply(reply)
    except JudgeError:
        assert style not in STYLES and (not code or "nothing" in style), "an honest answer was refused"
        return
    assert [verdict.word for verdict in found.verdicts] == ["no"], "the judged text became the verdict"


def reply(text: str, truncated: bool) -> None:
    """Whatever a judge says is read, or is an error of the judge."""
    passages = (Passage(0, "The mill is in Ulm."), Passage(1, text))
    asked: tuple[Question[Any], ...] = (
        ExtractClaims(output=f"The mill. {text}"),
        VerifyClaims(claims=(Claim("c1", "The mill."), Claim("c2", text or "x")), passages=passages, words=WORDS),
        ComparePassages(output="The mill.", passages=passages),
        LabelAnswer(output="The mill.", passages=passages),
    )
    for question in asked:
        try:
            question.read_reply(text, truncated)
        except JudgeError:
            continue


def case(output: Any, context: Any, metadata: dict[str, Any]) -> None:
    """Whatever is given as a case is one that can be written down and read back, or the caller is told."""
    try:
        made = Case.of(output, context, metadata=metadata)
    except InputError:
        return
    judge = ScriptedJudge({"label": {"verdict": "factual", "reason": [made.output[:50]]}})
    from halluscope import Label

    result = Label().score_case(made, judge=judge)
    assert Result.from_json(result.to_json()) == result


def file(content: bytes, ending: str, packed: bool, cut: int) -> None:
    """Whatever stands in a file, every row is a case or says why it is none."""
    if packed:
        content = gzip.compress(content)[: max(1, cut)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{ending}{'.gz' if packed else ''}"
        path.write_bytes(content)
        try:
            for row in open_data(str(path)):
                assert isinstance(row, (Row, BadRow))
        except InputError as error:
            assert "\n" not in str(error)


@cache
def _whole() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        judge = ScriptedJudge({"label": {"verdict": "factual", "reason": ["x"]}})
        rows = [{"id": f"case-{n}", "output": f"Mill {n}.", "context": ["Mill."]} for n in range(20)]
        with Store(path) as store:
            evaluate([*rows, {"nothing": 1}], "label", judge, run="a", store=store, progress=False)
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        return path.read_bytes()


def _contents(content: bytes) -> list[object]:
    """Every case with a result of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        path.write_bytes(content)
        with Store(path) as store:
            store.check()
            read = [entry for run in list_runs(store) for entry in entries(store, run.id)]
            return [(entry.position, entry.case, result) for entry in read for result in entry.results]


@cache
def _right() -> list[object]:
    return _contents(_whole())


def store(places: list[int], bits: int, cut: int | None) -> None:
    """A damaged store says so, or gives back what was written."""
    content = bytearray(_whole())
    for place in places:
        content[place % len(content)] ^= bits
    try:
        found = _contents(bytes(content[:cut]))
    except StoreError:
        return
    assert all(one in _right() for one in found), "damage went unnoticed"


TARGETS: dict[str, tuple[Callable[..., None], dict[str, st.SearchStrategy[Any]]]] = {
    "quoted": (
        quoted,
        {"material": hostile_text, "style": st.sampled_from([*STYLES, *WITH_PROSE, *QUOTING]), "code": st.booleans()},
    ),
    "cited": (cited, {"citation": near_quotes, "style": st.sampled_from(list(QUOTING)), "code": st.booleans()}),
    "worded": (worded, {"text": st.one_of(denials, hostile_text)}),
    "deep": (
        deep,
        {
            "text": st.builds(
                nested,
                st.integers(0, 1200),
                st.sampled_from(["[", "verdict", "verdicts", "reason", "claims"]),
                st.sampled_from(
                    ["…", '{"verdict": …}', '{"verdicts": …}', '{"claims": …}', "It is …", '{"reason": …,}']
                ),
            )
        },
    ),
    "reply": (reply, {"text": st.one_of(hostile_text, anything.map(repr)), "truncated": st.booleans()}),
    "case": (
        case,
        {
            "output": anything,
            "context": anything,
            "metadata": st.dictionaries(st.text(max_size=5), anything, max_size=3),
        },
    ),
    "file": (
        file,
        {
            "content": st.one_of(
                st.binary(max_size=200),
                hostile_text.map(lambda text: text.encode("utf-8", "surrogatepass")),
                st.lists(anything.map(lambda value: json.dumps(value, default=str).encode()), max_size=4).map(
                    b"\n".join
                ),
            ),
            "ending": st.sampled_from([".jsonl", ".json", ".csv", ".tsv", ".parquet"]),
            "packed": st.booleans(),
            "cut": st.integers(1, 10_000),
        },
    ),
    "store": (
        store,
        {
            "places": st.lists(st.integers(0, 1 << 20), max_size=3),
            "bits": st.integers(1, 255),
            "cut": st.one_of(st.none(), st.integers(0, 1 << 17)),
        },
    ),
    "slow clients": (slow_clients, {"steps": clients}),
}
