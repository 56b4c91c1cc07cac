from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import mlflow
import pytest

import halluscope
from halluscope import Store
from halluscope.integrations.mlflow import Groundedness, log_run
from halluscope.live import Live
from halluscope.sinks import MLflow, Sent, send_run

PASSAGE = "The tower was built in 1889 and is 300 metres high."


@pytest.fixture(autouse=True)
def tracking(tmp_path: Path) -> None:
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'mlflow.db'}")


def test_context_comes_from_the_retrievers_of_the_trace() -> None:
    @mlflow.trace(span_type="RETRIEVER")  # type: ignore[untyped-decorator]
    def retrieve(question: str) -> list[dict[str, str]]:
        return [{"page_content": PASSAGE}]

    @mlflow.trace  # type: ignore[untyped-decorator]
    def answer(question: str) -> str:
        retrieve(question)
        return "The tower is 200 metres high."

    evaluated = mlflow.genai.evaluate(
        data=[{"inputs": {"question": "How high?"}}], predict_fn=answer, scorers=[Groundedness(per_claim=False)]
    )
    assert evaluated.metrics == {"groundedness/mean": 0.0}
    assert "300 metres" in evaluated.result_df["groundedness/rationale"][0]


def test_an_output_without_a_score_is_an_error_of_the_assessment_and_not_in_the_mean() -> None:
    rows = [
        {"inputs": {"question": "How high?", "context": [PASSAGE]}, "outputs": output}
        for output in ("I cannot answer that.", "It is 300 metres high.")
    ]
    evaluated = mlflow.genai.evaluate(data=rows, scorers=[Groundedness()])
    assert evaluated.metrics["groundedness/mean"] == 1.0
    (feedback,) = Groundedness()(inputs={"context": [PASSAGE]}, outputs="I cannot answer that.")
    assert feedback.value is None and "no score (refusal)" in str(feedback.error)


def test_a_stored_run_is_logged_with_its_figures_and_results() -> None:
    cases = [halluscope.Case.of(f"The tower is {high} metres high.", [PASSAGE]) for high in (200, 300)]
    run = halluscope.evaluate(cases, metrics=["faithfulness"])
    logged = mlflow.get_run(log_run(run, experiment="towers"))
    assert logged.data.metrics["faithfulness/mean"] == 0.5
    assert logged.data.metrics["faithfulness/coverage"] == 1.0
    table = mlflow.load_table("halluscope/results.json", run_ids=[logged.info.run_id])
    assert sorted(table["score"]) == [0.0, 1.0]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["server", "--port", str(port), "--workers", "1", "--artifacts-destination", str(tmp_path / "artifacts")]
    process = subprocess.Popen(
        [sys.executable, "-m", "mlflow", *words, "--backend-store-uri", f"sqlite:///{tmp_path / 'server.db'}"],
        env={**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
    )
    url = f"http://127.0.0.1:{port}"
    end = time.monotonic() + 300
    try:
        while True:
            try:
                urllib.request.urlopen(f"{url}/health", timeout=1)
                break
            except OSError:
                assert time.monotonic() < end
                time.sleep(0.2)
        mlflow.set_tracking_uri(url)
        mlflow.set_experiment(experiment_id="0")
        yield url
    finally:
        process.terminate()
        process.wait(30)


def test_a_score_is_an_assessment_on_the_trace_once_and_is_updated(server: str, tmp_path: Path) -> None:
    @mlflow.trace  # type: ignore[untyped-decorator]
    def answer(question: str) -> str:
        live.record("The tower is 200 metres high.", [PASSAGE], question)
        return "The tower is 200 metres high."

    with Store(tmp_path / "live.db") as store:
        live = Live(["hallucination"], store=store, sinks=MLflow(server))
        answer("How high?")
        mlflow.flush_trace_async_logging()
        assert live.flush(60)
        assert (live.counts.sent, live.counts.not_sent) == (1, 0)
    trace_id = mlflow.get_last_active_trace_id()

    def assessments() -> dict[str, object]:
        found = mlflow.get_trace(trace_id).info.assessments
        return {one.name: (one.feedback.value, one.source.source_id, one.rationale) for one in found}

    sent = assessments()
    assert set(sent) == {"hallucination", "hallucination/claim_1"}
    assert sent["hallucination"][:2] == (1.0, "local")  # type: ignore[index]
    assert sent["hallucination/claim_1"][0] == "contradicted"  # type: ignore[index]
    with Store(tmp_path / "night.db") as store:
        rows = [halluscope.Case.of("It is 300 metres high.", [PASSAGE], metadata={"trace_id": trace_id})]
        rows.append(halluscope.Case.of("I cannot answer that.", [PASSAGE], metadata={"trace_id": trace_id}))
        run = halluscope.evaluate(rows, metrics=["faithfulness"], run="night", store=store)
        assert send_run(run, MLflow(server)) == send_run(run, MLflow(server)) == Sent(2)
    found = [one for one in mlflow.get_trace(trace_id).info.assessments if one.name == "faithfulness"]
    assert len(found) == 2
    assert {one.feedback.value for one in found} == {1.0, None}
    (refusal,) = (one.feedback.error for one in found if one.feedback.value is None)
    assert refusal.error_code == "REFUSAL"
