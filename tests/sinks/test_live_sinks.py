"""Live scores arrive at sinks, on the trace in which the answer was given, and no sink holds anything up."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from halluscope import Run, Store
from halluscope.live import Live
from halluscope.sinks import Langfuse, MLflow, OpenTelemetry, Opik, Phoenix, Sent, Sink, send_run

from .receiving import TRACE, Receiver

CONTEXT = "The tower was built in 1889 and is 300 metres high."


@pytest.fixture
def server() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver
    assert receiver.refused == []


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.db") as opened:
        yield opened


def langfuse(server: Receiver) -> Langfuse:
    return Langfuse(server.url, public_key="pk-lf-1", secret_key="sk-lf-1")


def test_a_score_goes_to_the_span_that_was_open(server: Receiver, store: Store) -> None:
    from opentelemetry.sdk.trace import TracerProvider

    live = Live(["hallucination"], store=store, sinks=[langfuse(server), Phoenix(server.url)], telemetry=False)
    with TracerProvider().get_tracer("application").start_as_current_span("chat") as span:
        live.record("The tower is 200 metres high.", [CONTEXT], "How high is it?")
    assert live.flush(30)
    names = span.get_span_context()
    trace, span_id = format(names.trace_id, "032x"), format(names.span_id, "016x")
    assert {(one.traceId, one.observationId) for one in server.scores.values()} == {(trace, span_id)}
    assert {target for target, _, _ in server.annotations} == {span_id}
    assert (live.counts.sent, live.counts.not_sent) == (2, 0)
    before = set(server.scores)
    assert send_run(Run("live", store), langfuse(server)) == Sent(1)
    assert set(server.scores) == before


def test_an_answer_names_its_trace_or_is_not_sent(server: Receiver, store: Store) -> None:
    live = Live(["hallucination"], store=store, sinks=langfuse(server))
    live.record("The tower is 200 metres high.", [CONTEXT], trace_id="trace-of-mine")
    live.record("The tower is 300 metres high.", [CONTEXT])
    assert live.flush(30)
    assert {one.traceId for one in server.scores.values()} == {"trace-of-mine"}
    assert (live.counts.sent, live.counts.not_sent, live.counts.stored) == (1, 1, 2)


@pytest.mark.parametrize("name", ["opik", "mlflow"])
def test_ids_come_from_the_tool_itself_where_it_has_a_trace(
    name: str, server: Receiver, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace, span = "0190c5b2-7c1e-7a3f-8d6e-2b1f0c9a8e7d", "0190c5b2-7c1e-7a3f-8d6e-000000000001"
    sink: Sink = Opik(server.url)
    if name == "opik":
        data = SimpleNamespace(id=trace), SimpleNamespace(id=span, trace_id=trace)
        context = SimpleNamespace(get_current_trace_data=lambda: data[0], get_current_span_data=lambda: data[1])
        monkeypatch.setitem(sys.modules, "opik.opik_context", context)
    else:
        sink, server.traces[f"tr-{TRACE}"] = MLflow(server.url), {}
        active = SimpleNamespace(trace_id=f"tr-{TRACE}", span_id="b7ad6b7169203331")
        monkeypatch.setitem(sys.modules, "mlflow", SimpleNamespace(get_current_active_span=lambda: active))
    live = Live(["hallucination"], store=store, sinks=[sink])
    live.record("The tower is 200 metres high.", [CONTEXT])
    assert live.flush(30) and live.counts.sent == 1
    found: Any = server.feedback or server.traces[f"tr-{TRACE}"]
    assert len(found) == 2


def test_a_sink_that_is_out_of_order_costs_scores_there_and_nothing_else(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from halluscope._internal.sinks import delivery

    monkeypatch.setattr(delivery, "_UNREACHABLE_RETRIES", 0)
    live = Live(["hallucination"], store=store, sinks=[Phoenix("http://127.0.0.1:9")])
    began = time.monotonic()
    live.record("The tower is 200 metres high.", [CONTEXT], trace_id=TRACE)
    assert time.monotonic() - began < 5
    assert live.flush(60)
    assert (live.counts.stored, live.counts.sent, live.counts.not_sent) == (1, 0, 1)


def test_an_unknown_sink_is_said_when_live_scoring_is_set_up() -> None:
    with pytest.raises(ValueError, match="'langfuze'; did you mean 'langfuse'"):
        Live(sinks=["langfuze"])


def test_an_event_is_sent_once_where_the_collector_is_a_sink(server: Receiver, store: Store) -> None:
    from opentelemetry.sdk.trace import TracerProvider

    live = Live(["hallucination"], store=store, sinks=OpenTelemetry(server.url))
    assert live._plan.telemetry is False
    with TracerProvider().get_tracer("application").start_as_current_span("chat"):
        live.record("The tower is 200 metres high.", [CONTEXT])
    assert live.flush(30)
    assert len(server.records) == 1
