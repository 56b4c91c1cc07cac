"""Scores as OpenTelemetry's events, with its SDK and in-memory exporters."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from halluscope import JudgeError, RetryPolicy
from halluscope.judges import ScriptedJudge

from .answering import FACT, Scored, content

ROOT = Path(__file__).parents[2]


class Exported:
    """What was sent: spans, and events by the output that they are about."""

    def __init__(self) -> None:
        from opentelemetry import _logs
        from opentelemetry.sdk._logs import LoggerProvider
        from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
        from opentelemetry.sdk.trace import TracerProvider

        self.tracer = TracerProvider().get_tracer("application")
        self._records = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]
        self._provider = LoggerProvider()
        self._provider.add_log_record_processor(SimpleLogRecordProcessor(self._records))
        self._logs = _logs

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(self._logs._internal, "_LOGGER_PROVIDER", self._provider)

    def events(self) -> list[Any]:
        return [data.log_record for data in self._records.get_finished_logs()]


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> Iterator[Exported]:
    made = Exported()
    made.install(monkeypatch)
    yield made
    made._provider.shutdown()


def test_each_score_is_an_event_on_the_span_of_its_answer(tmp_path: Path, exported: Exported) -> None:
    judge = ScriptedJudge(lambda q: {"verdict": "factual", "reason": []} if q.kind == "label" else content(q))
    scored = Scored(tmp_path, judge, metrics=["hallucination", "label"])

    @scored.live.watch
    def answer(question: str, context: str) -> str:
        return FACT

    with exported.tracer.start_as_current_span("chat") as span:
        answer("How high?", FACT)
    names = span.get_span_context()
    case = scored.cases()[0]
    assert case.id == format(names.trace_id, "032x")
    events = exported.events()
    assert [(event.trace_id, event.span_id) for event in events] == [(names.trace_id, names.span_id)] * 2
    assert [event.event_name for event in events] == ["gen_ai.evaluation.result"] * 2
    first = dict(events[0].attributes)
    assert first.pop("gen_ai.evaluation.explanation")
    assert first == {
        "gen_ai.evaluation.name": "hallucination",
        "gen_ai.evaluation.score.value": 0.0,
        "gen_ai.evaluation.score.label": "factual",
        "halluscope.judge": "scripted",
        "halluscope.passed": True,
    }


def test_the_names_are_those_of_the_semantic_conventions(tmp_path: Path, exported: Exported) -> None:
    from opentelemetry.semconv._incubating.attributes import error_attributes, gen_ai_attributes

    known = {
        getattr(module, name)
        for module in (gen_ai_attributes, error_attributes)
        for name in dir(module)
        if name.isupper() and isinstance(getattr(module, name), str)
    }
    scored = Scored(tmp_path, ScriptedJudge({"extract": JudgeError("down")}), retry_policy=RetryPolicy(retries=0))
    with scored.live.answer("How high?", FACT) as answer:
        answer.output, answer.response_id = FACT, "resp-1"
    scored.cases()
    (event,) = exported.events()
    attributes = dict(event.attributes)
    assert attributes["error.type"] and attributes["gen_ai.response.id"] == "resp-1"
    assert "gen_ai.evaluation.score.value" not in attributes
    assert not event.trace_id
    assert {name for name in attributes if not name.startswith("halluscope.")} <= known


def test_it_can_be_switched_off(tmp_path: Path, exported: Exported) -> None:
    scored = Scored(tmp_path, telemetry=False)
    scored.live.record(FACT, FACT)
    assert scored.cases() and not exported.events()


def test_an_application_without_it_does_not_load_it(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from tests.live.answering import FACT, Scored
scored = Scored(Path(sys.argv[1]))
scored.live.record(FACT, FACT)
assert scored.only().output == FACT
print([name for name in sys.modules if name.split(".")[0] in ("opentelemetry", "openai", "anthropic", "agents",
    "langchain_core", "pydantic_ai", "onnxruntime")])
"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
