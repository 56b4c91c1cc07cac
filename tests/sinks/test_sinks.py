"""What each sink sends, checked by a server that takes nothing else, and what happens when it is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import halluscope
from halluscope import InputError, RetryPolicy, Store
from halluscope._internal.cli import app
from halluscope._internal.sinks.delivery import deliver
from halluscope.errors import SendError
from halluscope.sinks import Ids, Langfuse, MLflow, OpenTelemetry, Opik, Phoenix, Score, Sent, Sink, send_run

from .receiving import SPAN, TRACE, Receiver, cases, result

UUID_TRACE = "0190c5b2-7c1e-7a3f-8d6e-2b1f0c9a8e7d"
QUICK = RetryPolicy(deadline=5.0, timeout=2.0, first_wait=0.01)


@pytest.fixture
def server() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver
    assert receiver.refused == []


def langfuse(server: Receiver) -> Langfuse:
    return Langfuse(server.url, public_key="pk-lf-1", secret_key="sk-lf-1")


def score(trace: str = TRACE, span: str | None = SPAN, **of: Any) -> Score:
    return Score(Ids(trace, span), "night", result(**of), 1_700_000_000.0)


def sent(sink: Sink, *scores: Score) -> Sent:
    return asyncio.run(deliver(sink, scores, QUICK))


def test_langfuse_gets_a_number_for_the_metric_and_a_category_for_each_claim(server: Receiver) -> None:
    assert sent(langfuse(server), score()) == Sent(1)
    whole, first, second = server.scores.values()
    assert (whole.traceId, whole.observationId, whole.name, whole.value) == (TRACE, SPAN, "hallucination", 0.5)
    assert whole.comment == "1 of 2 claims is contradicted."
    assert whole.metadata["judge"] == "local" and whole.metadata["run"] == "night"
    assert [first.name, first.value] == ["hallucination/claim_1", "supported"]
    assert [second.value, second.comment] == ["contradicted", "It is 200 m high.: It is 300 m high."]
    assert first.comment == "It opened in 1889.: “in 1889”"


def test_phoenix_gets_annotations_on_the_span_else_on_the_trace(server: Receiver) -> None:
    assert sent(Phoenix(server.url), score(), score(span=None, score=None, case="2")) == Sent(2)
    on_span = [one for (target, _, _), one in server.annotations.items() if target == SPAN]
    assert [(one.name, one.result.label, one.result.score) for one in on_span] == [
        ("hallucination", "hallucinated", 0.5),
        ("hallucination/claim_1", "supported", 1.0),
        ("hallucination/claim_2", "contradicted", 0.0),
    ]
    (refusal,) = (one for (target, _, _), one in server.annotations.items() if target == TRACE)
    assert (refusal.result.score, refusal.result.label) == (None, "refusal")
    assert refusal.result.explanation == "The output declines to answer."


def test_opik_gets_feedback_scores_with_the_support_as_category(server: Receiver) -> None:
    sink = Opik(server.url, api_key="key", workspace="team", project="towers")
    span = "0190c5b2-7c1e-7a3f-8d6e-000000000001"
    assert sent(sink, score(UUID_TRACE, None), score(UUID_TRACE, span, case="2")) == Sent(2)
    (method, _, headers), _ = server.requests
    assert (method, headers["authorization"], headers["comet-workspace"]) == ("PUT", "key", "team")
    assert {(kind, id) for kind, id, _ in server.feedback} == {("trace", UUID_TRACE), ("span", span)}
    claim = server.feedback["trace", UUID_TRACE, "hallucination/claim_2"]
    assert (claim.value, claim.category_name, claim.project_name) == (0.0, "contradicted", "towers")


def test_mlflow_gets_assessments_that_are_updated_and_not_repeated(server: Receiver) -> None:
    server.traces[f"tr-{TRACE}"] = {}
    sink = MLflow(server.url)
    here = Score(sink.ids(Ids(TRACE, SPAN)), "night", result(), 1_700_000_000.0)
    missing = Score(Ids("tr-none"), "night", result(case="2"), 0.0)
    assert sent(sink, here, missing) == Sent(1, ("there is no trace 'tr-none'",))
    assert sent(sink, here) == Sent(1)
    whole, _, claim = server.traces[f"tr-{TRACE}"].values()
    assert (whole.assessment_name, whole.feedback.value, whole.span_id) == ("hallucination", 0.5, SPAN)
    assert (claim.feedback.value, claim.metadata["claim"]) == ("contradicted", "It is 200 m high.")
    assert (claim.rationale, whole.source.source_id) == ("It is 200 m high.: It is 300 m high.", "local")


def test_mlflow_gets_the_reason_where_there_is_no_score(server: Receiver) -> None:
    server.traces["tr-1"] = {}
    assert sent(MLflow(server.url), score("tr-1", None, score=None)) == Sent(1)
    (refusal,) = server.traces["tr-1"].values()
    assert refusal.feedback.error is not None
    assert refusal.feedback.error.error_code == "REFUSAL"


def test_a_collector_gets_the_event_of_the_semantic_conventions(server: Receiver) -> None:
    assert sent(OpenTelemetry(server.url), score()) == Sent(1)
    (record,) = server.records
    assert (record.traceId, record.spanId, record.eventName) == (TRACE, SPAN, "gen_ai.evaluation.result")
    attributes = {pair.key: pair.plain for pair in record.attributes}
    assert attributes["gen_ai.evaluation.name"] == "hallucination"
    assert attributes["gen_ai.evaluation.score.value"] == 0.5
    assert attributes["gen_ai.evaluation.explanation"] == "1 of 2 claims is contradicted."
    assert attributes["halluscope.passed"] is False
    assert attributes["log.record.uid"] == score().id


@pytest.mark.parametrize("make", [langfuse, lambda s: Phoenix(s.url), lambda s: OpenTelemetry(s.url)])
def test_a_busy_server_is_asked_again(server: Receiver, make: Any) -> None:
    server.statuses = [429, 503, 500]
    assert sent(make(server), score()) == Sent(1)
    assert len(server.requests) == 4


def test_the_same_score_sent_twice_is_there_once(server: Receiver) -> None:
    for sink in (langfuse(server), Phoenix(server.url)):
        assert sent(sink, score()) == sent(sink, score()) == Sent(1)
    assert len(server.scores) == len(server.annotations) == 3


def test_scores_go_in_batches(server: Receiver) -> None:
    assert sent(langfuse(server), *(score(case=str(n)) for n in range(120))) == Sent(120)
    assert len(server.requests) == 3 and len(server.scores) == 360


def test_an_earlier_langfuse_gets_scores_one_by_one(server: Receiver) -> None:
    server.takes_lists = False
    assert sent(langfuse(server), score()) == Sent(1)
    assert len(server.scores) == 3


def test_what_langfuse_rejects_is_said(server: Receiver) -> None:
    server.rejects = {"hallucination"}
    assert sent(langfuse(server), score()) == Sent(0, ("hallucination is not allowed",))


def test_a_wrong_key_is_one_sentence_without_the_key(server: Receiver) -> None:
    sink = Langfuse(server.url, public_key="pk-lf-1", secret_key="sk-lf-wrong")
    with pytest.raises(SendError, match=r"^langfuse refused the scores \(HTTP 401: Invalid credentials\)\. Check") as e:
        sent(sink, score())
    assert e.value.status == 401 and "wrong" not in repr(sink)


def test_keys_go_to_no_other_host(server: Receiver) -> None:
    server.statuses = [307]
    with pytest.raises(SendError, match="HTTP 307"):
        sent(langfuse(server), score())
    assert len(server.requests) == 1


def test_a_server_that_is_not_there_is_given_up() -> None:
    with pytest.raises(SendError, match=r"^phoenix did not take the scores: could not reach 127.0.0.1:9: "):
        sent(Phoenix("http://127.0.0.1:9"), score())


@pytest.mark.parametrize(
    ("sink", "ids"), [(Opik(), Ids("not-a-uuid")), (OpenTelemetry(), Ids("short")), (OpenTelemetry(), Ids(TRACE, "x"))]
)
def test_ids_of_another_tool_are_refused(sink: Sink, ids: Ids) -> None:
    with pytest.raises(InputError, match=r"is no id of (Opik|OpenTelemetry)"):
        sink.ids(ids)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (Langfuse, "LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY"),
        (lambda: MLflow("sqlite:///mlflow.db"), "through a tracking server"),
        (lambda: Phoenix("localhost:6006"), r"address of phoenix is not usable: write it as http\(s\)://"),
    ],
)
def test_what_is_missing_is_said_at_once(make: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        make()


def test_addresses_and_keys_come_from_the_variables_of_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHOENIX_COLLECTOR_ENDPOINT", "http://phoenix.test:6006/v1/traces")
    monkeypatch.setenv("PHOENIX_API_KEY", "phoenix-key")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=a%20b,authorization=Bearer%20t")
    monkeypatch.setenv("OPIK_API_KEY", "opik-key")
    assert (Phoenix().url, Phoenix().headers) == ("http://phoenix.test:6006", {"authorization": "Bearer phoenix-key"})
    assert OpenTelemetry().headers == {"x-team": "a b", "authorization": "Bearer t"}
    assert Opik().url == "https://www.comet.com/opik/api"


def test_a_stored_run_goes_to_the_traces_in_its_columns(server: Receiver, tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        rows = [*cases(2, trace=TRACE, observation=SPAN), *cases(1)]
        run = halluscope.evaluate(rows, metrics=["hallucination"], run="night", store=store)
        done = send_run(run, langfuse(server), trace_id="trace", span_id="observation")
    assert done == Sent(2, without_trace=1)
    assert {(one.traceId, one.observationId) for one in server.scores.values()} == {(TRACE, SPAN)}


def test_a_case_whose_id_is_that_of_a_trace_needs_no_column(server: Receiver, tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        case = halluscope.Case.of("The tower is 200 metres high.", ["The tower is 300 metres high."], id=TRACE)
        run = halluscope.evaluate([case], metrics=["hallucination"], store=store)
        assert send_run(run, Phoenix(server.url)) == Sent(1)
    assert {target for target, _, _ in server.annotations} == {TRACE}


def test_the_command_sends_and_says_what_did_not_arrive(
    server: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path))
    monkeypatch.setenv("PHOENIX_ENDPOINT", server.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
    rows = [*cases(2, trace_id=TRACE, span_id=SPAN), *cases(1)]
    halluscope.evaluate(rows, metrics=["hallucination"], run="night")
    done = CliRunner().invoke(app, ["export", "night", "--to", "phoenix", "--to", "otel"])
    assert (done.exit_code, done.stdout.count("2 results sent to ")) == (0, 2)
    assert "1 result not sent, without the id of a trace" in done.stderr
    assert len(server.records) == 2
    monkeypatch.setenv("PHOENIX_ENDPOINT", f"{server.url}/elsewhere")
    failed = CliRunner().invoke(app, ["export", "night", "--to", "phoenix"])
    assert failed.exit_code == 3
    assert failed.stderr.startswith("halluscope: phoenix refused the scores (HTTP 404: there is no POST /elsewhere")
    unnamed = CliRunner().invoke(app, ["export", "night"])
    assert (unnamed.exit_code, unnamed.stderr.count("say where to export to")) == (2, 1)
