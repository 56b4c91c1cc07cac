"""Sinks with the hosts' own SDKs, and with a whole server of Phoenix: what was sent is what they read."""

from __future__ import annotations

import asyncio
import base64
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from opentelemetry.sdk.trace import TracerProvider

from halluscope import Store
from halluscope._internal.sinks.delivery import deliver
from halluscope._internal.sinks.sink import Sink
from halluscope.live import Live
from halluscope.sinks import Ids, Langfuse, OpenTelemetry, Opik, Phoenix, Request, Score

sys.path.insert(0, str(Path(__file__).parents[4]))

from tests.sinks.receiving import SPAN, TRACE, Receiver, result

UUID_TRACE = "0190c5b2-7c1e-7a3f-8d6e-2b1f0c9a8e7d"
PASSAGE = "The tower was built in 1889 and is 300 metres high."


def requests_of(sink: Sink, score: Score) -> list[Request]:
    flow = sink.flow([score])
    sent = [next(flow)]
    while True:
        try:
            sent.append(flow.send({}))
        except StopIteration:
            return sent


def scored(trace_id: str = TRACE, span_id: str | None = SPAN) -> Score:
    return Score(Ids(trace_id, span_id), "night", result(), time.time())


def as_received(request: Request) -> Any:
    return msgspec.json.decode(msgspec.json.encode(request.body))


@pytest.fixture
def server() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver
    assert receiver.refused == []


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.db") as opened:
        yield opened


def test_langfuse_reads_its_scores() -> None:
    from langfuse.api.core.pydantic_utilities import parse_obj_as
    from langfuse.api.scores.types import CreateScoreRequest

    sink = Langfuse("http://langfuse.test", public_key="pk-lf-1", secret_key="sk-lf-1")
    (request,) = requests_of(sink, scored())
    read = [parse_obj_as(CreateScoreRequest, body) for body in as_received(request)]
    assert [(one.name, one.value) for one in read] == [
        ("hallucination", 0.5),
        ("hallucination/claim_1", "supported"),
        ("hallucination/claim_2", "contradicted"),
    ]
    assert {(one.trace_id, one.observation_id) for one in read} == {(TRACE, SPAN)}
    assert all(not one.model_extra for one in read)


def test_an_answer_in_a_span_of_langfuse_gets_its_score_there(server: Receiver, store: Store) -> None:
    from langfuse import Langfuse as Client

    client = Client(public_key="pk-lf-1", secret_key="sk-lf-1", base_url=server.url, tracer_provider=TracerProvider())
    live = Live(["hallucination"], store=store, sinks=Langfuse(server.url, public_key="pk-lf-1", secret_key="sk-lf-1"))
    with client.start_as_current_observation(name="answer", as_type="span"):
        there = client.get_current_trace_id(), client.get_current_observation_id()
        live.record("The tower is 200 metres high.", [PASSAGE])
    assert live.flush(30)
    assert {(one.traceId, one.observationId) for one in server.scores.values()} == {there}


def test_opik_reads_its_feedback_scores() -> None:
    from opik.rest_api.types.feedback_score_batch_item import FeedbackScoreBatchItem

    (request,) = requests_of(Opik("http://opik.test/api"), scored(UUID_TRACE, None))
    read = [FeedbackScoreBatchItem.model_validate(body) for body in as_received(request)["scores"]]
    assert [(one.id, one.value, one.category_name) for one in read] == [
        (UUID_TRACE, 0.5, "hallucinated"),
        (UUID_TRACE, 1.0, "supported"),
        (UUID_TRACE, 0.0, "contradicted"),
    ]
    assert all(not one.model_extra for one in read)


def test_an_answer_in_a_tracked_function_of_opik_gets_its_score_there(server: Receiver, store: Store) -> None:
    import opik

    live = Live(["hallucination"], store=store, sinks=Opik(server.url))
    there: dict[str, str] = {}

    with opik.start_as_current_trace("answer"), opik.start_as_current_span("model") as span:
        there["span"] = span.id
        live.record("The tower is 200 metres high.", [PASSAGE])
    assert live.flush(30)
    assert {(kind, id) for kind, id, _ in server.feedback} == {("span", there["span"])}


def test_a_collector_reads_the_events() -> None:
    from google.protobuf.json_format import ParseDict
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

    (request,) = requests_of(OpenTelemetry("http://collector.test"), scored())
    body = as_received(request)
    (record,) = body["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    for name in ("traceId", "spanId"):  # OTLP's JSON has these in hexadecimal, that of protobuf in base64
        record[name] = base64.b64encode(bytes.fromhex(record[name])).decode()
    (read,) = ParseDict(body, ExportLogsServiceRequest()).resource_logs[0].scope_logs[0].log_records
    assert (read.trace_id.hex(), read.span_id.hex(), read.event_name) == (TRACE, SPAN, "gen_ai.evaluation.result")
    attributes = {pair.key: pair.value for pair in read.attributes}
    assert attributes["gen_ai.evaluation.score.value"].double_value == 0.5
    assert attributes["halluscope.passed"].bool_value is False


@pytest.fixture(scope="module")
def phoenix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        grpc = free.getsockname()[1]
    settings = {
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(grpc),
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_WORKING_DIR": str(tmp_path_factory.mktemp("phoenix")),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "phoenix.server.main", "serve"],
        env={**os.environ, **settings},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        until(lambda: urllib.request.urlopen(f"{url}/healthz", timeout=1).status == 200, 180)
        yield url
    finally:
        process.terminate()
        process.wait(30)


def until(condition: Any, seconds: float) -> Any:
    end = time.monotonic() + seconds
    while True:
        try:
            if found := condition():
                return found
        except Exception:
            if time.monotonic() > end:
                raise
        assert time.monotonic() < end
        time.sleep(0.2)


def test_phoenix_shows_a_score_on_its_span_once(phoenix: str) -> None:
    from phoenix.client import Client

    client = Client(base_url=phoenix)
    client.spans.log_spans(
        project_identifier="default",
        spans=[
            {
                "name": "answer",
                "context": {"trace_id": TRACE, "span_id": SPAN},
                "span_kind": "LLM",
                "start_time": "2026-01-01T00:00:00Z",
                "end_time": "2026-01-01T00:00:01Z",
                "status_code": "OK",
                "attributes": {},
            }
        ],
    )
    until(lambda: client.spans.get_spans(project_identifier="default"), 60)
    for _ in range(2):
        assert asyncio.run(deliver(Phoenix(phoenix), [scored()])).sent == 1

    def found() -> Any:
        listed = client.spans.get_span_annotations(span_ids=[SPAN], project_identifier="default")
        return listed if len(listed) >= 3 else None

    annotations = {one["name"]: one for one in until(found, 60)}
    assert set(annotations) == {"hallucination", "hallucination/claim_1", "hallucination/claim_2"}
    whole = annotations["hallucination"]
    assert whole["annotator_kind"] == "LLM"
    assert whole["result"]["score"] == 0.5 and whole["result"]["label"] == "hallucinated"
    assert whole["result"]["explanation"] == "1 of 2 claims is contradicted."
    assert annotations["hallucination/claim_2"]["result"]["label"] == "contradicted"
    time.sleep(1)
    assert len(client.spans.get_span_annotations(span_ids=[SPAN], project_identifier="default")) == 3
