"""Claims of several cases in one call: fewer bytes, and exactly one verdict for each claim as before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from halluscope import Store, evaluate
from halluscope._internal.core.errors import InputError
from halluscope._internal.engine.judge import resolve
from halluscope._internal.judges.combined.packed_cases import Packed
from halluscope._internal.runs import Run

from ...helpers.loopback import Faults, Features, Loopback
from ...helpers.oracle import Asked, oracle

ROWS: list[dict[str, Any]] = [
    {
        "id": f"case-{i}",
        "output": f"Item {i} was made in {1900 + i}. It weighs {i} grams.",
        "context": [f"Item {i} was made in {1900 + i}.", f"It weighs {i + i % 2} grams."],
    }
    for i in range(12)
]


def run_of(server: Loopback, folder: Path, name: str, **options: Any) -> Run:
    options = {"include_reason": False, "base_url": server.base_url, **options}
    return evaluate(ROWS, "hallucination", "openai/any", store=Store(folder / f"{name}.db"), progress=False, **options)


def told(run: Run) -> dict[str, Any]:
    return {r.case_id: [(v.claim.text, v.support, v.word) for v in r.verdicts] for r in run.results("hallucination")}


def verify_calls(server: Loopback) -> list[Asked]:
    return [call.asked for call in server.calls if call.asked.kind == "verify"]


def packed_verdicts(asked: Asked) -> list[dict[str, Any]] | None:
    """The verdicts of the oracle, if the question is of several cases."""
    if asked.kind != "verify" or "case" not in asked.material["context"][0]:
        return None
    found: list[dict[str, Any]] = oracle(asked)["verdicts"]
    return found


def test_the_verdicts_are_those_of_single_calls_and_the_bytes_are_fewer(server: Loopback, tmp_path: Path) -> None:
    server.features = Features(logprobs=0.9)
    single = told(run_of(server, tmp_path, "single"))
    bytes_alone = sum(len(asked.prompt) for asked in verify_calls(server))
    server.forget()
    run = run_of(server, tmp_path, "packed", pack=4)
    assert told(run) == single
    assert len(verify_calls(server)) <= 6 and sum(len(a.prompt) for a in verify_calls(server)) < bytes_alone / 2
    assert all(v.confidence for r in run.results("hallucination") for v in r.verdicts)
    usage = run.summary().usage
    assert usage.calls == len(server.calls)
    assert usage.input_tokens == sum(len(call.asked.prompt) // 4 for call in server.calls)


def test_every_case_has_a_code_that_its_verdicts_carry(server: Loopback, tmp_path: Path) -> None:
    run_of(server, tmp_path, "packed", pack=4)
    asked = next(asked for asked in verify_calls(server) if "case" in asked.material["context"][0])
    codes = [each["case"] for each in asked.material["context"]]
    assert len(set(codes)) == len(codes) > 1
    ids = [claim["id"] for claim in asked.material["claims"]]
    assert {id.partition("-")[0] for id in ids} == set(codes) and len(set(ids)) == len(ids)
    schema: Any = asked.schema
    assert schema["properties"]["verdicts"]["items"]["properties"]["id"]["enum"] == ids


@pytest.mark.slow("waits between retries")
@pytest.mark.parametrize("fault", ["missing", "doubled", "of no case", "without a code", "swapped"])
def test_what_is_missing_or_doubled_is_asked_alone(server: Loopback, tmp_path: Path, fault: str) -> None:
    expected = told(run_of(server, tmp_path, "single"))
    server.forget()

    def spoilt(asked: Asked) -> Any:
        verdicts = packed_verdicts(asked)
        if verdicts is None:
            return oracle(asked)
        first = verdicts[0]
        other = {"verdict": "yes" if first["verdict"] == "no" else "no", "basis": "unsupported"}
        other["basis"] = "supported" if other["verdict"] == "no" else "unsupported"
        if fault == "missing":
            verdicts = verdicts[1:]
        elif fault == "doubled":
            verdicts = [*verdicts, {**first, **other}]
        elif fault == "of no case":
            verdicts = [{**first, **other, "id": "zzzz-c1"}, *verdicts[1:]]
        elif fault == "without a code":
            verdicts = [{**first, **other, "id": "c1"}, *verdicts[1:]]
        else:  # the verdict on one case's statement under the id of another's
            verdicts = [{**verdicts[-1], "id": first["id"]}, *verdicts[1:]]
        return {"verdicts": verdicts}

    server.answer = spoilt
    assert told(run_of(server, tmp_path, "packed", pack=4)) == expected
    alone = [asked for asked in verify_calls(server) if "case" not in asked.material["context"][0]]
    packs = len(verify_calls(server)) - len(alone)
    assert sum(len(asked.material["claims"]) == 1 for asked in alone) >= packs >= 3


@pytest.mark.parametrize("fault", ["invalid", "empty", "refused", "truncated"])
def test_a_packed_reply_that_cannot_be_read_costs_no_case(server: Loopback, tmp_path: Path, fault: str) -> None:
    expected = told(run_of(server, tmp_path, "single"))

    def spoilt(asked: Asked) -> Any:
        if packed_verdicts(asked) is None:
            return oracle(asked)
        return {"invalid": "no JSON", "empty": "", "refused": "I'm sorry, I can't help.", "truncated": '{"verd'}[fault]

    server.answer = spoilt
    assert told(run_of(server, tmp_path, "packed", pack=4)) == expected


@pytest.mark.slow("waits between retries")
def test_a_server_that_fails_now_and_then(server: Loopback, tmp_path: Path) -> None:
    expected = told(run_of(server, tmp_path, "single"))
    server.faults = Faults(throttled=0.3, failed=0.2, times=1)
    assert told(run_of(server, tmp_path, "packed", pack=4)) == expected


def test_long_cases_are_asked_alone(server: Loopback, tmp_path: Path) -> None:
    rows = [{**row, "context": ["word " * 1200, *row["context"]]} for row in ROWS[:3]]
    options: dict[str, Any] = {"include_reason": False, "base_url": server.base_url, "pack": 3}
    evaluate(rows, "hallucination", "openai/any", store=Store(tmp_path / "x.db"), progress=False, **options)
    assert [len(asked.material["claims"]) for asked in verify_calls(server)] == [2, 2, 2]


def test_names_and_options(server: Loopback) -> None:
    judge = resolve("packed(openai/any, n=3)", base_url=server.base_url)
    assert isinstance(judge, Packed) and judge.name == "packed(openai/any, n=3)" and judge.n == 3
    both = resolve("openai/any", base_url=server.base_url, pack=3, votes=5)
    assert both.name == "consistent(packed(openai/any, n=3), n=5, if_needed=true)"
    with pytest.raises(InputError, match="at least 2 cases"):
        resolve("openai/any", base_url=server.base_url, pack=1)
    with pytest.raises(InputError, match="pack the judges in it"):
        Packed(resolve("consistent(local)"))
