"""The servers that scores are sent to, on loopback: each takes what its API documents, and refuses everything else."""

from __future__ import annotations

import base64
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Annotated, Any, Literal, Union

import msgspec
from msgspec import Meta, Struct

from halluscope import Case, Outcome, Result, Support, Verdict
from halluscope.judges import Claim, Evidence

Hex16 = Annotated[str, Meta(pattern=r"^[0-9a-f]{16}$")]
Hex32 = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$")]
Uuid = Annotated[str, Meta(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
Nanoseconds = Annotated[str, Meta(pattern=r"^\d{19}$")]


class LangfuseScore(Struct, forbid_unknown_fields=True, kw_only=True):
    id: str
    traceId: str
    name: str
    value: Union[float, str]
    dataType: Literal["NUMERIC", "CATEGORICAL"]
    observationId: Union[str, None] = None
    comment: Union[str, None] = None
    metadata: Any = None

    def __post_init__(self) -> None:
        if isinstance(self.value, str) != (self.dataType == "CATEGORICAL"):
            raise ValueError("the value does not match the dataType")


class AnnotationResult(Struct, forbid_unknown_fields=True):
    label: Union[str, None] = None
    score: Union[float, None] = None
    explanation: Union[str, None] = None


class Annotation(Struct, forbid_unknown_fields=True, kw_only=True):
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN"]
    result: AnnotationResult
    metadata: Union[dict[str, Any], None] = None
    identifier: str = ""


class SpanAnnotation(Annotation, kw_only=True):
    span_id: Hex16


class TraceAnnotation(Annotation, kw_only=True):
    trace_id: Hex32


class SpanAnnotations(Struct, forbid_unknown_fields=True):
    data: list[SpanAnnotation]


class TraceAnnotations(Struct, forbid_unknown_fields=True):
    data: list[TraceAnnotation]


class FeedbackScore(Struct, forbid_unknown_fields=True, kw_only=True):
    id: Uuid
    name: str
    value: float
    source: Literal["ui", "sdk", "online_scoring"]
    project_name: Union[str, None] = None
    category_name: Union[str, None] = None
    reason: Union[str, None] = None


class FeedbackScores(Struct, forbid_unknown_fields=True):
    scores: Annotated[list[FeedbackScore], Meta(min_length=1, max_length=1000)]


class AssessmentSource(Struct, forbid_unknown_fields=True):
    source_type: Literal["LLM_JUDGE", "HUMAN", "CODE"]
    source_id: str


class AssessmentError(Struct, forbid_unknown_fields=True):
    error_code: str
    error_message: str


class Feedback(Struct, forbid_unknown_fields=True):
    value: Union[float, str, None] = None
    error: Union[AssessmentError, None] = None


class Assessment(Struct, forbid_unknown_fields=True, kw_only=True):
    assessment_name: str
    trace_id: Annotated[str, Meta(pattern="^tr-")]
    source: AssessmentSource
    create_time: Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
    last_update_time: str
    feedback: Feedback
    rationale: str
    metadata: dict[str, str]
    span_id: Union[Hex16, None] = None
    assessment_id: Union[str, None] = None


class CreateAssessment(Struct, forbid_unknown_fields=True):
    assessment: Assessment


class UpdateAssessment(Struct, forbid_unknown_fields=True):
    assessment: Assessment
    update_mask: Literal["feedback,rationale,metadata"]


class AnyValue(Struct, forbid_unknown_fields=True):
    stringValue: Union[str, None] = None
    doubleValue: Union[float, None] = None
    boolValue: Union[bool, None] = None


class KeyValue(Struct, forbid_unknown_fields=True):
    key: str
    value: AnyValue

    @property
    def plain(self) -> Any:
        return next(one for one in msgspec.structs.astuple(self.value) if one is not None)


class LogRecord(Struct, forbid_unknown_fields=True, kw_only=True):
    timeUnixNano: Nanoseconds
    observedTimeUnixNano: Nanoseconds
    severityNumber: Annotated[int, Meta(ge=1, le=24)]
    severityText: str
    eventName: str
    attributes: list[KeyValue]
    traceId: Hex32
    spanId: Union[Hex16, None] = None


class ScopeLogs(Struct, forbid_unknown_fields=True):
    scope: dict[str, str]
    logRecords: list[LogRecord]


class ResourceLogs(Struct, forbid_unknown_fields=True):
    resource: dict[str, list[KeyValue]]
    scopeLogs: list[ScopeLogs]


class ExportLogs(Struct, forbid_unknown_fields=True):
    resourceLogs: list[ResourceLogs]


class Receiver(ThreadingHTTPServer):
    """All of them in one. `statuses` are answered first; `takes_lists` is what earlier servers of Langfuse do not."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.statuses: list[int] = []
        self.takes_lists = True
        self.rejects: set[str] = set()
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.refused: list[str] = []
        self.scores: dict[str, LangfuseScore] = {}
        self.annotations: dict[tuple[str, str, str], Annotation] = {}
        self.feedback: dict[tuple[str, str, str], FeedbackScore] = {}
        self.traces: dict[str, dict[str, Assessment]] = {}
        self.records: list[LogRecord] = []
        self.alerts: list[Any] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Receiver:
        Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Receiver

    def do(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        server = self.server
        server.requests.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}))
        if server.statuses:
            return self.reply(server.statuses.pop(0), {"message": "not now"})
        try:
            status, answer = self.taken(body)
        except (msgspec.ValidationError, msgspec.DecodeError, AssertionError) as error:
            server.refused.append(f"{self.path}: {error}")
            status, answer = 422, {"detail": str(error)}
        self.reply(status, answer)

    do_GET = do_POST = do_PUT = do_PATCH = do

    def reply(self, status: int, answer: Any) -> None:
        content = b"" if answer is None else msgspec.json.encode(answer)
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def taken(self, body: bytes) -> tuple[int, Any]:
        server, path = self.server, self.path
        if (self.command, path) == ("POST", "/api/public/otel/v1/traces"):
            return 200, None  # the spans that Langfuse's SDK sends after a few seconds
        if self.command != "GET":
            assert self.headers["content-type"] == "application/json"
        if (self.command, path) == ("POST", "/api/public/scores"):
            return self.langfuse(body)
        if (self.command, path) == ("POST", "/v1/span_annotations"):
            for one in msgspec.json.decode(body, type=SpanAnnotations).data:
                server.annotations[one.span_id, one.name, one.identifier] = one
            return 200, {"data": []}
        if (self.command, path) == ("POST", "/v1/trace_annotations"):
            for each in msgspec.json.decode(body, type=TraceAnnotations).data:
                server.annotations[each.trace_id, each.name, each.identifier] = each
            return 200, {"data": []}
        if found := re.fullmatch(r"/v1/private/(trace|span)s/feedback-scores", path):
            assert self.command == "PUT"
            for score in msgspec.json.decode(body, type=FeedbackScores).scores:
                server.feedback[found[1], score.id, score.name] = score
            return 204, None
        if found := re.fullmatch(r"/api/3\.0/mlflow/traces/([^/]+)(/assessments(?:/(.+))?)?", path):
            return self.mlflow(body, found[1], found[2] is not None, found[3])
        if (self.command, path) == ("POST", "/v1/logs"):
            for resource in msgspec.json.decode(body, type=ExportLogs).resourceLogs:
                for scope in resource.scopeLogs:
                    server.records += scope.logRecords
            return 200, {}
        if (self.command, path) == ("POST", "/hook"):
            server.alerts.append(msgspec.json.decode(body))
            return 200, None
        return 404, {"message": f"there is no {self.command} {path}"}

    def langfuse(self, body: bytes) -> tuple[int, Any]:
        server = self.server
        if self.headers.get("authorization") != f"Basic {base64.b64encode(b'pk-lf-1:sk-lf-1').decode()}":
            return 401, {"message": "Invalid credentials"}
        if not body.startswith(b"["):
            score = msgspec.json.decode(body, type=LangfuseScore)
            server.scores[score.id] = score
            return 200, {"id": score.id}
        if not server.takes_lists:
            return 400, {"message": "Invalid request data"}
        scores = msgspec.json.decode(body, type=list[LangfuseScore])
        server.scores.update({score.id: score for score in scores if score.name not in server.rejects})
        errors = [{"message": f"{score.name} is not allowed"} for score in scores if score.name in server.rejects]
        if not errors:
            return 202, {"message": "Accepted"}
        return 207, {"accepted": len(scores) - len(errors), "rejected": len(errors), "errors": errors}

    def mlflow(self, body: bytes, trace: str, assessing: bool, known: str | None) -> tuple[int, Any]:
        there = self.server.traces.get(trace)
        if there is None:
            return 404, {"error_code": "RESOURCE_DOES_NOT_EXIST", "message": f"Trace with ID {trace} is not found."}
        if self.command == "GET" and not assessing:
            found = [msgspec.to_builtins(one) | {"assessment_id": id} for id, one in there.items()]
            return 200, {"trace": {"trace_info": {"trace_id": trace, "assessments": found}}}
        if self.command == "PATCH" and known in there:
            there[known] = msgspec.json.decode(body, type=UpdateAssessment).assessment
            return 200, {"assessment": {}}
        assert (self.command, known) == ("POST", None)
        there[f"a-{len(there)}"] = msgspec.json.decode(body, type=CreateAssessment).assessment
        return 200, {"assessment": {}}

    def log_message(self, *_: object) -> None:
        """Say nothing."""


TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def result(score: float | None = 0.5, case: str = "1", metric: str = "hallucination") -> Result:
    """A result with a claim that holds and one that does not; without a score, a refusal."""
    verdicts = (
        Verdict(Claim("c1", "It opened in 1889."), Support.SUPPORTED, evidence=(Evidence(0, 0, 7, "in 1889"),)),
        Verdict(Claim("c2", "It is 200 m high."), Support.CONTRADICTED, reason="It is 300 m high.", confidence=0.9),
    )
    return Result(
        metric=metric,
        metric_version="1",
        judge="local",
        case_id=case,
        outcome=Outcome.REFUSAL if score is None else Outcome.SCORED,
        score=score,
        direction="lower",
        threshold=0.0,
        passed=None if score is None else False,
        label=None if score is None else "hallucinated",
        reason="The output declines to answer." if score is None else "1 of 2 claims is contradicted.",
        verdicts=() if score is None else verdicts,
    )


def cases(count: int, **metadata: Any) -> list[Case]:
    context = ["The tower was built in 1889 and is 300 metres high."]
    return [
        Case.of(f"The tower is {200 + n} metres high.", context, id=str(n), metadata={**metadata, "n": n})
        for n in range(count)
    ]
