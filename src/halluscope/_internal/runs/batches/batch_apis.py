"""The batch APIs of OpenAI and Anthropic: many requests at half the price, answered within 24 hours."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import aclosing
from datetime import datetime
from typing import Any, Union

import msgspec
from msgspec import Struct

from ...core.errors import HalluscopeError, JudgeRejected, JudgeUnavailable
from ...judges.chat import http
from ...judges.chat.anthropic import AnthropicModel
from ...judges.chat.openai import OpenAIModel
from ...judges.chat.served_model import ServedModel
from .submitted_batches import Batch

BATCH_DISCOUNT = 0.5
"""The price of a request in a batch, as a share of the usual one."""
_TIMEOUT = 600.0
"""Seconds for one transfer of a file."""
_CLOCKS_APART = 300.0
"""Seconds that the clock of a server may be behind ours."""
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
"""The HTTP status of Anthropic's kinds of errors; others are 500."""


class ItemLost(JudgeUnavailable):
    """A request in a batch was not answered, because the batch expired or was cancelled."""


Outcome = Union[dict[str, Any], HalluscopeError]
"""The response to a request in a batch, or the error."""


class BatchState(Struct, frozen=True, kw_only=True):
    """The state of a batch on the server. `too_large`: the server refused it because too much is queued already."""

    ended: bool
    answered: int
    total: int
    files: tuple[str, ...] = ()
    problem: str | None = None
    too_large: bool = False


class BatchApi:
    """The batch API of a provider."""

    def __init__(self, model: ServedModel, url: str) -> None:
        self._url = url
        self._headers = model.request_headers
        self._limit = model.response_limit

    async def submit(self, batch: Batch, requests: Mapping[str, dict[str, Any]]) -> str:
        """Submit the requests, by custom id, and return the id of the batch."""
        raise NotImplementedError

    async def find(self, batch: Batch, ids: Collection[str], known: Collection[str]) -> str | None:
        """Find a batch that may have been submitted before the process ended. `known` are the ids of other batches."""
        raise NotImplementedError

    async def state(self, remote: str) -> BatchState:
        raise NotImplementedError

    def outcomes(self, remote: str, state: BatchState) -> AsyncGenerator[tuple[str, Outcome], None]:
        """The outcome of each request of a batch that has ended, by custom id."""
        raise NotImplementedError

    async def _get(self, path: str) -> dict[str, Any]:
        return await http.post(f"{self._url}{path}", self._headers, None, _TIMEOUT, self._limit, "GET")

    async def _post(self, path: str, body: Any, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        return await http.post(f"{self._url}{path}", {**self._headers, **(headers or {})}, body, _TIMEOUT, self._limit)

    async def _pages(self, path: str, after: str) -> AsyncGenerator[dict[str, Any], None]:
        """The entries of a list, page by page."""
        last = ""
        while True:
            page = await self._get(f"{path}?limit=100{f'&{after}={last}' if last else ''}")
            entries = [entry for entry in page.get("data") or () if isinstance(entry, dict)]
            for entry in entries:
                yield entry
            if not page.get("has_more") or not entries:
                return
            last = str(entries[-1].get("id"))


class OpenAIBatches(BatchApi):
    """OpenAI's Batch API: a file of requests, a batch that names it, and files of outputs and errors."""

    def __init__(self, model: OpenAIModel) -> None:
        super().__init__(model, model.base_url)

    async def submit(self, batch: Batch, requests: Mapping[str, dict[str, Any]]) -> str:
        lines = [
            msgspec.json.encode({"custom_id": id, "method": "POST", "url": "/v1/chat/completions", "body": body})
            for id, body in requests.items()
        ]
        fields = (
            'name="purpose"\r\n\r\nbatch',
            f'name="file"; filename="halluscope-{batch.key}.jsonl"\r\ncontent-type: application/jsonl\r\n\r\n',
        )
        edge = f"--{batch.key}\r\ncontent-disposition: form-data; "
        form = (
            f"{edge}{fields[0]}\r\n{edge}{fields[1]}".encode() + b"\n".join(lines) + f"\r\n--{batch.key}--\r\n".encode()
        )
        multipart = {"content-type": f"multipart/form-data; boundary={batch.key}"}
        body = {
            "input_file_id": _id_in(await self._post("/files", form, multipart)),
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "metadata": {"halluscope": batch.key},
        }
        return _id_in(await self._post("/batches", body))

    async def find(self, batch: Batch, ids: Collection[str], known: Collection[str]) -> str | None:
        async with aclosing(self._pages("/batches", "after")) as entries:
            async for entry in entries:
                if (entry.get("metadata") or {}).get("halluscope") == batch.key:
                    return _id_in(entry)
                if (entry.get("created_at") or batch.created) < batch.created - _CLOCKS_APART:
                    return None
        return None

    async def state(self, remote: str) -> BatchState:
        found = await self._get(f"/batches/{remote}")
        counts = found.get("request_counts") or {}
        errors = (found.get("errors") or {}).get("data") or []
        failed = found.get("status") == "failed"
        said = "; ".join(str(error.get("message")) for error in errors[:3]) or "no reason is given"
        return BatchState(
            ended=failed or found.get("status") in ("completed", "expired", "cancelled"),
            answered=counts.get("completed", 0) + counts.get("failed", 0),
            total=counts.get("total", 0),
            files=tuple(str(found[name]) for name in ("output_file_id", "error_file_id") if found.get(name)),
            problem=said if failed else None,
            too_large=any(error.get("code") == "token_limit_exceeded" for error in errors),
        )

    async def outcomes(self, remote: str, state: BatchState) -> AsyncGenerator[tuple[str, Outcome], None]:
        for file in state.files:
            async for line in http.fetched_lines(f"{self._url}/files/{file}/content", self._headers, _TIMEOUT):
                yield str(line.get("custom_id")), _openai_outcome(line)


def _openai_outcome(line: dict[str, Any]) -> Outcome:
    error, response = line.get("error") or {}, line.get("response") or {}
    if error.get("code") in ("batch_expired", "batch_cancelled"):
        return ItemLost(f"the batch ended before it reached this question ({error['code']})")
    body = response.get("body")
    if response.get("status_code") == 200 and isinstance(body, dict):
        return body
    shown = msgspec.json.encode(body or error).decode()
    return http.error_of(int(response.get("status_code") or 500), shown)


class AnthropicBatches(BatchApi):
    """Anthropic's Message Batches: one request holds all requests, and the results are one file."""

    def __init__(self, model: AnthropicModel) -> None:
        super().__init__(model, f"{model.base_url}/v1/messages/batches")

    async def submit(self, batch: Batch, requests: Mapping[str, dict[str, Any]]) -> str:
        asked = [{"custom_id": id, "params": body} for id, body in requests.items()]
        return _id_in(await self._post("", {"requests": asked}))

    async def find(self, batch: Batch, ids: Collection[str], known: Collection[str]) -> str | None:
        """A batch has no name of ours: those of its time and size are compared by the custom ids of their results."""
        import asyncio

        async with aclosing(self._pages("", "after_id")) as entries:
            async for entry in entries:
                if _seconds(entry.get("created_at"), batch.created) < batch.created - _CLOCKS_APART:
                    return None
                remote = _id_in(entry)
                if remote in known or sum((entry.get("request_counts") or {}).values()) != len(ids):
                    continue
                wait = 1.0
                while not (state := await self.state(remote)).ended:
                    await asyncio.sleep(wait)
                    wait = min(60.0, wait * 1.5)
                async with aclosing(self.outcomes(remote, state)) as results:
                    async for id, _ in results:
                        if id in ids:
                            return remote
                        break
        return None

    async def state(self, remote: str) -> BatchState:
        found = await self._get(f"/{remote}")
        counts = found.get("request_counts") or {}
        total = sum(counts.values())
        ended = found.get("processing_status") == "ended"
        return BatchState(ended=ended, answered=total - counts.get("processing", 0), total=total)

    async def outcomes(self, remote: str, state: BatchState) -> AsyncGenerator[tuple[str, Outcome], None]:
        # Not the `results_url` of the response: the key goes to no other server.
        async for line in http.fetched_lines(f"{self._url}/{remote}/results", self._headers, _TIMEOUT):
            yield str(line.get("custom_id")), _anthropic_outcome(line.get("result") or {})


def _anthropic_outcome(result: dict[str, Any]) -> Outcome:
    kind, message = result.get("type"), result.get("message")
    if kind in ("expired", "canceled"):
        return ItemLost(f"the batch ended before it reached this question ({kind})")
    if kind == "succeeded" and isinstance(message, dict):
        return message
    error = result.get("error") or {}
    inner = error.get("error") or error
    return http.error_of(_STATUS.get(str(inner.get("type")), 500), msgspec.json.encode(error).decode())


def batch_api_of(model: object) -> BatchApi | None:
    if isinstance(model, OpenAIModel):
        return OpenAIBatches(model)
    return AnthropicBatches(model) if isinstance(model, AnthropicModel) else None


def _id_in(entry: dict[str, Any]) -> str:
    if not isinstance(entry.get("id"), str):
        raise JudgeRejected("the server's response to a batch has no id: it may have no batch API")
    return str(entry["id"])


def _seconds(date: Any, otherwise: float) -> float:
    """The seconds of an RFC 3339 date."""
    try:
        return datetime.fromisoformat(str(date).replace("Z", "+00:00")).timestamp()
    except ValueError:
        return otherwise
