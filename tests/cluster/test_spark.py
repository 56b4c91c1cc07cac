"""Scores as a column of a DataFrame, on a real Spark of two cores on this machine."""

from __future__ import annotations

import gc
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import halluscope
from halluscope import InputError, Store
from halluscope.distributed import spark_udf

from ..helpers.loopback import Loopback
from ..helpers.systems import posix

pytestmark = [
    pytest.mark.slow("starts Spark"),
    posix,
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # its sockets are its own to close
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    patch = pytest.MonkeyPatch()
    patch.setenv("PYSPARK_PYTHON", sys.executable)
    patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    patch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]))
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "512m",
        "spark.ui.showConsoleProgress": "false",
        # Java would compile what runs once, thoroughly, on the processors that the scoring needs.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
    patch.undo()
    gc.collect()  # its sockets, which would otherwise be collected, and warned of, during a later test


def test_scores_are_those_of_one_machine_to_the_bit(spark: Any, tmp_path: Path) -> None:
    given = [json.loads(line) for line in Path(halluscope.sample()).read_text(encoding="utf-8").splitlines()[::2]]
    frame = spark.createDataFrame(
        [(row["id"], row["output"], row["context"], row.get("input")) for row in given],
        "id string, answer string, contexts array<string>, question string",
    )
    judged = frame.withColumn("judged", spark_udf("hallucination")("answer", "contexts", "question"))
    there = {row.id: row.judged for row in judged.collect()}
    with Store(tmp_path / "store.db") as store:
        here = {result.case_id: result for result in halluscope.evaluate(given, store=store)}
    assert {id: (row.score, row.passed, row.outcome, row.reason) for id, row in there.items()} == {
        id: (result.score, result.passed, result.outcome.value, result.reason) for id, result in here.items()
    }
    claims = {id: [verdict["claim"]["text"] for verdict in json.loads(row.verdicts)] for id, row in there.items()}
    assert claims == {id: [verdict.claim.text for verdict in result.verdicts] for id, result in here.items()}


def test_a_chat_judge_is_asked_by_the_tasks_within_their_limit(spark: Any, server: Loopback) -> None:
    rows = [(f"The tower has {i} floors.", [f"The tower has {i} floors."]) for i in range(24)]
    frame = spark.createDataFrame(rows, "output string, context array<string>").repartition(2)
    judge = spark_udf(
        "label", "openai/gpt-4o", base_url=server.base_url, api_key="sk-a-key", concurrency=4, calls_per_minute=1200
    )
    server.latency = 0.02
    found = frame.select(judge("output", "context").alias("judged")).select("judged.*").collect()
    assert [row.outcome for row in found] == ["scored"] * 24 and sum(row.calls for row in found) == 24
    assert server.most_at_once <= 4
    times = sorted(call.at for call in server.calls)
    assert len(times) == 24
    assert times[-1] - times[0] >= (24 - 2) / 20 - 0.35, "at twenty a second, but for two at once and late first calls"


def test_a_row_that_cannot_be_read_is_one_with_a_reason(spark: Any) -> None:
    frame = spark.createDataFrame([("An answer.", 7.5), ("Another.", None)], "output string, context double")
    found = frame.select(spark_udf("label")("output", "context").alias("judged")).select("judged.*").collect()
    assert found[0].outcome == "bad_row" and "the context is a float" in found[0].reason and found[0].score is None
    assert found[1].outcome != "bad_row"


def test_one_column_holds_one_metric() -> None:
    with pytest.raises(InputError, match="one metric"):
        spark_udf(["label", "hallucination"])  # type: ignore[arg-type]
