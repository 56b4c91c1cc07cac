"""Checks over HTTP: the same answers as the library's, streamed, bounded, and ended when nobody waits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import msgspec
import pytest

import halluscope
from halluscope import Result
from halluscope._internal.core.plumbing import threads
from halluscope._internal.serving.http.settings import ServerSettings
from halluscope._internal.serving.service.limits import Limits
from halluscope.compat import deepeval, mastra, opik, phoenix

from ...helpers.loopback import Loopback
from ...helpers.serving import Served
from ...helpers.waiting import until

CASES = [json.loads(line) for line in halluscope.sample().read_text(encoding="utf-8").splitlines()]
CHECK = {
    "output": "Einstein won the Nobel Prize in 1969. He was born in Ulm.",
    "context": ["Einstein won the Nobel Prize in 1921.", "Einstein was born in Ulm."],
}
LINES = {"accept": "application/x-ndjson"}


def sent(case: dict[str, Any]) -> dict[str, Any]:
    return {name: case[name] for name in ("output", "context", "input")}


def bare(result: Any) -> Any:
    """What must be the same whoever asked: all but the time it took, and what only the server says."""
    data = msgspec.json.decode(msgspec.json.encode(result))
    return {key: value for key, value in data.items() if key not in ("latency_ms", "systems", "exchanges")}


async def lines(response: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
    assert response.status == 200, await response.text()
    assert response.headers["content-type"] == "application/x-ndjson"
    async for line in response.content:
        yield json.loads(line)


async def test_a_check_is_the_librarys(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/check", json=CHECK) as response:
        assert response.status == 200
        answer = await response.json()
    expected = halluscope.check(CHECK["output"], CHECK["context"])
    assert bare(answer) == bare(expected)
    assert msgspec.convert(bare(answer), Result).verdicts == expected.verdicts


CANCEL = {"name": "cancel", "arguments": '{"id": "🏮 A-1044"}'}
TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "Cancel my 🏮 order."},
    {
        "role": "assistant",
        "tool_calls": [{"id": "1", "function": {"name": "cancel", "arguments": '{"id": "🏮 A-1044"}'}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "Einstein won the Nobel Prize in 1921."},
    {"role": "assistant", "content": "Einstein won the Nobel Prize in 1921."},
]


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(held) for key, held in value.items() if key not in ("latency_ms", "exchanges")}
    return [without_times(held) for held in value] if isinstance(value, list) else value


async def test_the_turns_of_a_conversation_are_judged_as_by_the_library(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/check", json={"output": TALK, "turns": "all", "systems": True}) as response:
        assert response.status == 200, await response.text()
        answer = await response.json()
    assert answer.pop("systems") == []
    expected = halluscope.check(TALK, turns="all")
    assert without_times(answer) == without_times(json.loads(expected.to_json()))
    assert [turn["result"]["passed"] for turn in answer["turns"]] == [False, True]
    async with client.post(
        "/v1/check", json={"output": TALK, "turns": "all", "places": "utf16"}, headers=LINES
    ) as response:
        events = [event async for event in lines(response)]
    (claim,) = [verdict["claim"] for verdict in events[-1]["result"]["turns"][0]["result"]["verdicts"]]
    call = events[-1]["result"]["turns"][0]["case"]["output"].encode("utf-16-le")
    assert call[2 * claim["start"] : 2 * claim["end"]].decode("utf-16-le") == '"🏮 A-1044"'


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"output": "a text", "turns": "all"}, "judging all turns needs a conversation with an answer"),
        ({"output": TALK, "turns": "each"}, "turns"),
        ({"output": TALK, "context_from": ["tool"]}, "context_from"),
    ],
)
async def test_a_wrong_choice_of_turns_is_refused(
    client: aiohttp.ClientSession, wanted: dict[str, Any], said: str
) -> None:
    async with client.post("/v1/check", json=wanted) as response:
        assert (response.status, said in await response.text()) == (422, True)


async def test_a_conversation_with_too_many_turns_is_refused_before_it_is_read(client: aiohttp.ClientSession) -> None:
    long = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}] * 1100
    async with client.post("/v1/check", json={"output": long, "turns": "all"}) as response:
        assert response.status == 422
        assert "the conversation has more than" in await response.text()


async def test_the_sources_of_a_conversations_context_can_be_chosen(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/check", json={"output": TALK, "context_from": ["user"]}) as response:
        assert (await response.json())["outcome"] == "no_context"


@pytest.mark.slow("judges many cases at the same time")
async def test_what_else_is_judged_at_the_same_time_changes_nothing(client: aiohttp.ClientSession) -> None:
    """To the bit: sixty requests at once, and each alone."""

    async def ask(case: dict[str, Any]) -> Any:
        async with client.post("/v1/check", json=sent(case)) as response:
            return bare(await response.json())

    alone = [bare(halluscope.check(**sent(case))) for case in CASES]
    together = await asyncio.gather(*(ask(case) for case in CASES * 3))
    assert together == alone * 3


@pytest.mark.slow("judges many cases at the same time")
async def test_questions_of_many_requests_are_taken_together(client: aiohttp.ClientSession) -> None:
    async def figure(name: str) -> float:
        async with client.get("/metrics") as response:
            found = [line for line in (await response.text()).splitlines() if line.startswith(f"{name} ")]
        return float(found[0].split()[1])

    before = await figure("halluscope_batch_questions_sum"), await figure("halluscope_batch_questions_count")
    bodies = [{**CHECK, "output": f"Einstein won the Nobel Prize in {1901 + n}."} for n in range(40)]
    answers = await asyncio.gather(*(client.post("/v1/check", json=body) for body in bodies))
    assert {answer.status for answer in answers} == {200}
    questions = await figure("halluscope_batch_questions_sum") - before[0]
    assert questions == 2 * 40
    assert await figure("halluscope_batch_questions_count") - before[1] <= questions / 2


async def test_a_check_is_streamed(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/check", json=CHECK, headers=LINES) as response:
        events = [event async for event in lines(response)]
    assert [event["event"] for event in events] == ["claims", "verdicts", "result"]
    assert [claim["text"] for claim in events[0]["claims"]] == [v["claim"]["text"] for v in events[1]["verdicts"]]
    assert events[2]["result"]["verdicts"] == events[1]["verdicts"]


async def test_places_are_counted_as_the_client_counts(client: aiohttp.ClientSession) -> None:
    owl: dict[str, Any] = {"output": "🦉🦉 The tower is 83 metres tall.", "context": ["🌙 It is 38 metres tall."]}
    for event in ("result", "verdicts"):
        for counting, width in (("characters", 1), ("utf16", 2)):
            async with client.post("/v1/check", json={**owl, "places": counting}, headers=LINES) as response:
                told = {found["event"]: found async for found in lines(response)}
            verdicts = told[event]["result"]["verdicts"] if event == "result" else told[event]["verdicts"]
            encoded = [text.encode("utf-16-le") for text in (owl["output"], owl["context"][0])]
            for verdict in verdicts:
                claim, evidence = verdict["claim"], verdict["evidence"][0]
                if width == 2:
                    said = encoded[0][2 * claim["start"] : 2 * claim["end"]].decode("utf-16-le")
                    quote = encoded[1][2 * evidence["start"] : 2 * evidence["end"]].decode("utf-16-le")
                else:
                    said = owl["output"][claim["start"] : claim["end"]]
                    quote = owl["context"][0][evidence["start"] : evidence["end"]]
                assert said.endswith("The tower is 83 metres tall.")
                assert quote == evidence["quote"]


@pytest.mark.slow("imports every façade")
@pytest.mark.usefixtures("remembered_readings")
async def test_the_same_verdicts_become_each_systems_score(client: aiohttp.ClientSession) -> None:
    """As the façades give them when they ask the embedded judge themselves."""
    for case in (CASES[1], CASES[2], CASES[8], CASES[10], CASES[11]):
        async with client.post("/v1/check", json={**sent(case), "systems": True}) as response:
            systems = {(s["system"], s["name"]): s["score"] for s in (await response.json())["systems"]}
        said, context, asked = case["output"], case["context"], case["input"]
        for name, create in (
            ("hallucination scorer", mastra.create_hallucination_scorer),
            ("faithfulness scorer", mastra.create_faithfulness_scorer),
        ):
            told = await create("local", context=context).arun(input=asked, output=said)
            assert systems["Mastra", name] == told.score, case["id"]
        if not said or "don't know" in said:
            continue  # there the systems' own rules speak, and the judge is not asked
        opiks = await opik.Hallucination(model="local").ascore(input=asked, output=said, context=context)
        assert systems["Opik", "Hallucination"] == opiks.value
        test_case = deepeval.TestCase(input=asked, actual_output=said, context=context)
        faithful = await deepeval.Faithfulness.a_measure(test_case, model="local")
        assert systems["DeepEval", "Faithfulness"] == faithful.score
        asked_so = {"input": asked, "output": said, "context": context}
        (phoenixs,) = await phoenix.HallucinationEvaluator(llm="local").async_evaluate(asked_so)
        assert systems["Phoenix", "HallucinationEvaluator"] == phoenixs.score
        assert systems["DeepEval", "Hallucination"] is not None


async def test_a_batch_gives_each_result_and_an_end(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/batch", json={"cases": [sent(case) for case in CASES]}) as response:
        events = [event async for event in lines(response)]
    assert events[-1] == {"event": "end", "cases": 12, "scored": 10}
    assert sorted(event["place"] for event in events[:-1]) == list(range(12))
    scores = [event["result"]["score"] for event in sorted(events[:-1], key=lambda event: event["place"])]
    assert scores == [0.0, 0.5, 0.5, 1.0, 0.0, 1.0, 1.0, 0.0, 0.5, 1.0, None, None]


async def test_a_case_with_too_many_claims_ends_alone_in_a_batch(client: aiohttp.ClientSession) -> None:
    long = " ".join(f"The mill number {n} has {n} wheels." for n in range(60))
    cases = [{"output": long, "context": ["Mills."]}, CHECK]
    async with client.post("/v1/batch", json={"cases": cases}) as response:
        events = {event["place"]: event["result"] async for event in lines(response) if event["event"] == "result"}
    assert events[0]["outcome"] == "failed" and "the limit is 30" in events[0]["reason"]
    assert events[1]["outcome"] == "scored"


@pytest.mark.parametrize("metric", ["hallucination", "label", "contradiction", "truth_faithfulness"])
async def test_claims_are_bounded_for_every_metric(client: aiohttp.ClientSession, metric: str) -> None:
    long = " ".join(f"The mill number {n} has {n} wheels." for n in range(60))
    body = {"output": long, "context": ["Mills have wheels."], "metric": metric}
    for headers in ({}, LINES):
        async with client.post("/v1/check", json=body, headers=headers) as response:
            told = await response.text()
        assert response.status == 422, told
        assert json.loads(told)["error"]["code"] == "too_many"


@pytest.mark.slow("judges many cases at the same time")
async def test_a_full_queue_says_when_to_come_back() -> None:
    with Served(ServerSettings(limits=Limits(waiting=2))) as served:
        async with aiohttp.ClientSession(served.url) as client:
            bodies = [{**CHECK, "output": f"Einstein won {n} prizes. " * 20} for n in range(12)]
            answers = await asyncio.gather(*(client.post("/v1/check", json=body) for body in bodies))
            refused = [answer for answer in answers if answer.status == 429]
            assert {answer.status for answer in answers} == {200, 429}
            assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
            assert (await refused[0].json())["error"]["code"] == "busy"
            async with client.post("/v1/check", json=CHECK) as answer:
                assert answer.status == 200


async def test_time_is_bounded() -> None:
    with Served(ServerSettings(limits=Limits(seconds=0.001))) as served:
        async with aiohttp.ClientSession(served.url) as client:
            for headers in ({}, LINES):
                async with client.post("/v1/check", json=CHECK, headers=headers) as response:
                    assert headers or response.status in (429, 504)
                    last = json.loads((await response.text()).splitlines()[-1])  # of a stream that had begun, too
                    assert last["error"]["code"] in ("busy", "too_long")
        await until(lambda: not served.application.service.under_way)


@pytest.mark.slow("judges many cases at the same time")
@pytest.mark.parametrize("headers", [{}, LINES], ids=["whole", "streamed"])
async def test_a_client_that_goes_away_stops_its_work(headers: dict[str, str]) -> None:
    long = " ".join(f"The mill number {n} has {n} wheels and stands in Ulm." for n in range(4000))
    with Served(ServerSettings(limits=Limits(claims=100_000))) as served:
        service = served.application.service
        async with aiohttp.ClientSession(served.url) as client:
            asking = asyncio.ensure_future(client.post("/v1/check", json={**CHECK, "output": long}, headers=headers))
            await until(lambda: service.local._asked and not service.local.waiting)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        await until(lambda: not service.under_way and not service.local._asked)
        await until(lambda: not threads._running().threads)


async def test_a_chat_model_is_asked_as_the_server_was_told(server: Loopback) -> None:
    settings = ServerSettings(judges=("local", "openai/any"), judge_options={"base_url": server.base_url})
    with Served(settings) as served:
        async with aiohttp.ClientSession(served.url) as client:
            async with client.post("/v1/check", json={**CHECK, "judge": "openai/any"}, headers=LINES) as response:
                events = [event async for event in lines(response)]
            assert [event["event"] for event in events] == ["claims", "verdicts", "result"]
            assert events[-1]["result"]["judge"] == "openai/any"
            assert events[-1]["result"]["exchanges"] == []
            async with client.post("/v1/check", json={**CHECK, "judge": "openai/other"}) as response:
                assert response.status == 422
                assert "local, openai/any" in (await response.json())["error"]["message"]
    assert server.calls
