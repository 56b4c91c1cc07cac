"""The batch APIs of OpenAI and Anthropic, as their servers speak them: strict, and slow or lossy on demand."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from aiohttp import web

Answer = Callable[[str, dict[str, Any], dict[str, str]], tuple[int, dict[str, Any]]]
"""From path, body and headers of one request to status and body of its response."""

_CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass
class Submitted:
    """One batch."""

    id: str
    requests: dict[str, dict[str, Any]]
    headers: dict[str, str]
    metadata: dict[str, str] = field(default_factory=dict)
    file: str = ""
    created: int = field(default_factory=lambda: int(time.time()))
    outcomes: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)
    status: str = "in_progress"


class Batches:
    """All batches of a server, for both protocols."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.submitted: list[Submitted] = []
        self.files: dict[str, bytes] = {}
        self.held = False
        """Whether batches stay in progress."""
        self.expires: Callable[[int], bool] = lambda place: False
        """Whether the request at this place of a batch expires."""
        self.offered = True
        """Whether the server has batch APIs at all."""
        self.takes: int | None = None
        """So many requests OpenAI's validation lets through."""
        self.lost_responses = 0
        """So many batches are created without a response: the connection breaks off."""
        self.polls = 0

    def ids(self) -> list[str]:
        """The custom ids of all requests that were ever submitted."""
        return [id for batch in self.submitted for id in batch.requests]

    async def respond(self, request: web.BaseRequest) -> web.StreamResponse | None:
        """The response to a request about batches, None for any other."""
        path, method = request.path, request.method
        anthropic = path.startswith("/v1/messages/batches")
        if not anthropic and not path.startswith(("/v1/files", "/v1/batches")):
            return None
        content = await request.content.read()
        if not self.offered:
            return web.json_response({"error": {"message": "Not Found"}}, status=404)
        headers = {name.lower(): value for name, value in request.headers.items()}
        try:
            if (method, path) == ("POST", "/v1/files"):
                return web.json_response(self._upload(content, headers))
            if (method, path) in (("POST", "/v1/batches"), ("POST", "/v1/messages/batches")):
                made = self._create(json.loads(content), headers, anthropic)
                if self.lost_responses:
                    self.lost_responses -= 1
                    assert request.transport is not None
                    request.transport.abort()
                return web.json_response(_shown(made, anthropic))
        except AssertionError as error:
            return web.json_response({"error": {"message": f"bad request: {error}"}}, status=400)
        assert method == "GET", method
        if path.startswith("/v1/files/"):
            return web.Response(body=self.files[path.split("/")[3]], content_type="application/octet-stream")
        if path in ("/v1/batches", "/v1/messages/batches"):
            return self._list(request, anthropic)
        found = next((batch for batch in self.submitted if batch.id == path.split("/")[4 if anthropic else 3]), None)
        if found is None:
            return web.json_response({"error": {"message": "no such batch"}}, status=404)
        if path.endswith("/results"):
            assert found.status == "ended"
            return web.Response(body=self.files[f"{found.id}-results"], content_type="application/x-jsonl")
        self.polls += 1
        self._work(found, anthropic)
        return web.json_response(_shown(found, anthropic))

    def _upload(self, content: bytes, headers: dict[str, str]) -> dict[str, Any]:
        boundary = headers["content-type"].partition("boundary=")[2]
        assert headers["content-type"].startswith("multipart/form-data") and boundary
        parts = content.split(f"--{boundary}".encode())
        assert parts[0] == b"" and parts[-1].strip() == b"--", "not closed"
        fields: dict[str, bytes] = {}
        for part in parts[1:-1]:
            head, _, value = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
            name = re.search(rb'name="(\w+)"', head)
            assert name is not None and head.lower().startswith(b"content-disposition: form-data;"), head
            fields[name.group(1).decode()] = value.removesuffix(b"\r\n")
            assert name.group(1) != b"file" or re.search(rb'filename="[^"]+\.jsonl"', head), "the file has no name"
        assert fields["purpose"] == b"batch"
        id = f"file-{len(self.files)}"
        self.files[id] = fields["file"]
        return {"id": id, "object": "file", "bytes": len(fields["file"]), "created_at": int(time.time()),
                "filename": "x.jsonl", "purpose": "batch", "status": "processed"}  # fmt: skip

    def _create(self, body: dict[str, Any], headers: dict[str, str], anthropic: bool) -> Submitted:
        if anthropic:
            assert set(body) == {"requests"}, sorted(body)
            assert (headers.get("x-api-key") or headers.get("authorization")) and headers.get("anthropic-version"), (
                sorted(headers)
            )
            requests = [(item["custom_id"], item["params"]) for item in body["requests"]]
            assert all({"model", "messages", "max_tokens"} <= set(params) for _, params in requests), "params"
            assert all(_CUSTOM_ID.fullmatch(id) for id, _ in requests), "custom_id"
            made = Submitted(f"msgbatch_{len(self.submitted)}", dict(requests), headers)
        else:
            assert set(body) <= {"input_file_id", "endpoint", "completion_window", "metadata"}, "fields"
            assert body["endpoint"] == "/v1/chat/completions" and body["completion_window"] == "24h"
            assert all(isinstance(v, str) and len(v) <= 512 for v in body.get("metadata", {}).values()), "metadata"
            lines = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
            assert all(set(line) == {"custom_id", "method", "url", "body"} for line in lines), "lines"
            assert all(line["method"] == "POST" and line["url"] == body["endpoint"] for line in lines), "url"
            assert len({line["body"]["model"] for line in lines}) == 1, "more than one model"
            requests = [(line["custom_id"], line["body"]) for line in lines]
            made = Submitted(f"batch_{len(self.submitted)}", dict(requests), headers, body.get("metadata", {}))
            made.file = body["input_file_id"]
        assert requests and len(made.requests) == len(requests), "a custom_id comes twice"
        self.submitted.append(made)
        return made

    def _work(self, batch: Submitted, anthropic: bool) -> None:
        """Answer all requests of a batch, unless they are held."""
        if self.held or batch.status != "in_progress":
            return
        if self.takes is not None and len(batch.requests) > self.takes:
            batch.status = "failed"
            return
        path = "/v1/messages" if anthropic else "/v1/chat/completions"
        expired = [id for place, id in enumerate(batch.requests) if self.expires(place)]
        for id, body in batch.requests.items():
            if id not in expired:
                batch.outcomes[id] = self._answer(path, body, batch.headers)
        batch.status = "ended" if anthropic else "expired" if expired else "completed"
        order = sorted(batch.requests, reverse=True)  # not that of the requests
        if anthropic:
            lines = [{"custom_id": id, "result": _result(batch.outcomes.get(id))} for id in order]
            self.files[f"{batch.id}-results"] = _jsonl(lines)
            return
        good = [id for id in order if batch.outcomes.get(id, (0,))[0] == 200]
        self.files[f"{batch.id}-output"] = _jsonl([_line(id, *batch.outcomes[id]) for id in good])
        self.files[f"{batch.id}-error"] = _jsonl(
            [_line(id, *batch.outcomes.get(id, (None, {}))) for id in order if id not in good]
        )

    def _list(self, request: web.BaseRequest, anthropic: bool) -> web.Response:
        """Two batches a page, the latest first."""
        after = request.query.get("after_id" if anthropic else "after")
        kind = [batch for batch in reversed(self.submitted) if batch.id.startswith("msg") is anthropic]
        start = next((place + 1 for place, batch in enumerate(kind) if batch.id == after), 0)
        page = kind[start : start + 2]
        first, last = (page[0].id, page[-1].id) if page else (None, None)
        listed = {"data": [_shown(b, anthropic) for b in page], "first_id": first, "last_id": last}
        return web.json_response({"object": "list", **listed, "has_more": start + 2 < len(kind)})


def _shown(batch: Submitted, anthropic: bool) -> dict[str, Any]:
    answered = [status for status, _ in batch.outcomes.values()]
    good, bad, total = answered.count(200), len(answered) - answered.count(200), len(batch.requests)
    if anthropic:
        ended = batch.status == "ended"
        counts = {"processing": 0 if ended else total, "succeeded": good, "errored": bad, "canceled": 0,
                  "expired": total - len(answered) if ended else 0}  # fmt: skip
        when = datetime.fromtimestamp(batch.created, timezone.utc).isoformat().replace("+00:00", "Z")
        return {
            "id": batch.id, "type": "message_batch", "processing_status": batch.status, "request_counts": counts,
            "created_at": when, "expires_at": when, "ended_at": when if ended else None, "archived_at": None,
            "cancel_initiated_at": None, "results_url": f"https://elsewhere.invalid/{batch.id}" if ended else None,
        }  # fmt: skip
    done = batch.status in ("completed", "expired")
    return {
        "id": batch.id, "object": "batch", "endpoint": "/v1/chat/completions", "input_file_id": batch.file,
        "completion_window": "24h", "status": batch.status, "created_at": batch.created, "metadata": batch.metadata,
        "errors": None if batch.status != "failed" else _VALIDATION,
        "output_file_id": f"{batch.id}-output" if done and good else None,
        "error_file_id": f"{batch.id}-error" if done and good < total else None,
        "request_counts": {"total": total, "completed": good, "failed": bad},
    }  # fmt: skip


_VALIDATION: dict[str, Any] = {
    "object": "list",
    "data": [{"code": "token_limit_exceeded", "line": None, "message": "Enqueued token limit reached.", "param": None}],
}


def _line(id: str, status: int | None, body: dict[str, Any]) -> dict[str, Any]:
    if status is None:
        error = {"code": "batch_expired", "message": "This request could not be executed before the batch expired."}
        return {"id": f"batch_req_{id}", "custom_id": id, "response": None, "error": error}
    response = {"status_code": status, "request_id": "req_1", "body": body}
    return {"id": f"batch_req_{id}", "custom_id": id, "response": response, "error": None}


def _result(outcome: tuple[int, dict[str, Any]] | None) -> dict[str, Any]:
    if outcome is None:
        return {"type": "expired"}
    status, body = outcome
    return {"type": "succeeded", "message": body} if status == 200 else {"type": "errored", "error": body}


def _jsonl(lines: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()
