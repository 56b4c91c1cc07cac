"""A chat model's server on loopback: real HTTP, OpenAI's and Anthropic's wire formats, and faults on demand.

    with Loopback(faults=Faults(throttled=0.2)) as server:
        judge = openai_judge("any-model", base_url=server.base_url)

It runs in a thread of its own, or as a process: `python -m tests.helpers.loopback --latency 0.1` prints its
address. Whether a call meets a fault depends on the seed, the question and how often it was asked
before, never on the order in which calls arrive.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, fields
from email.utils import formatdate
from typing import Any, Union

from aiohttp import web

from halluscope._internal.core.plumbing.time_limit import time_limit

from .batches import Batches
from .oracle import Asked, oracle, understood

Reply = Union[str, dict[str, Any], list[Any], None]
"""What the model says: a text as it is, or data to be written as JSON."""


@dataclass(frozen=True)
class Faults:
    """The share of calls that meet each fault, from 0 to 1. Shares add up; at most one fault meets a call."""

    throttled: float = 0.0
    """HTTP 429, with `retry_after` as its header where that is given."""
    failed: float = 0.0
    """HTTP 500."""
    busy: float = 0.0
    """HTTP 503, with `retry_after` where that is given."""
    reset: float = 0.0
    """The connection is reset before anything is sent."""
    hung_up: float = 0.0
    """The connection ends in the middle of the response."""
    not_json: float = 0.0
    """HTTP 200 with a page instead of a response."""
    invalid: float = 0.0
    """The reply is no JSON."""
    truncated: float = 0.0
    """The reply stops half-way, finish_reason is length."""
    silently_truncated: float = 0.0
    """The reply stops half-way and nothing says so."""
    fenced: float = 0.0
    """The reply stands in a markdown fence."""
    prose: float = 0.0
    """The reply stands between sentences."""
    listed: float = 0.0
    """The reply is the list alone, without the object around it."""
    number: float = 0.0
    """Texts in the reply are numbers."""
    empty: float = 0.0
    missing: float = 0.0
    """Half of the verdicts are left out."""
    unknown_ids: float = 0.0
    """Every verdict carries an id nobody asked about."""
    invented: float = 0.0
    """There is one more verdict, on a sentence that is not in the answer."""
    refused: float = 0.0
    """The model declines."""
    seed: int = 0
    retry_after: str | None = None
    """Seconds, or "date:2" for the date two seconds from now."""
    times: int | None = None
    """Only the first so many times that a question is asked."""

    def meets(self, question: str, before: int) -> str | None:
        """The fault that this call meets."""
        if self.times is not None and before >= self.times:
            return None
        drawn = random.Random(f"{self.seed} {before} {question}").random()
        for fault in fields(self):
            share = getattr(self, fault.name)
            if not isinstance(share, float):
                continue
            if drawn < share:
                return fault.name
            drawn -= share
        return None


@dataclass(frozen=True)
class Features:
    """What the server takes. `window` is in characters of the whole prompt."""

    schema: bool = True
    json: bool = True
    temperature: bool = True
    seed: bool = True
    newer_max_tokens: bool = False
    window: int | None = None
    key: str | None = None
    usage: bool = True
    logprobs: float | bool | None = None
    """The probability of the word that a verdict says; None: the fields are ignored; False: they are refused."""


@dataclass(frozen=True)
class Served:
    """One call as it was answered. `good` says that a whole, usable reply went out."""

    asked: Asked
    status: int
    fault: str | None
    at: float = field(default_factory=time.monotonic)
    batch: bool = False

    @property
    def good(self) -> bool:
        return self.status == 200 and self.fault in (None, "fenced", "listed", "invented")


class Loopback:
    """The server. Change `answer`, `faults`, `features` and `latency` while it runs, and read `calls`."""

    def __init__(
        self,
        answer: Callable[[Asked], Reply] = oracle,
        *,
        faults: Faults | None = None,
        features: Features | None = None,
        latency: float = 0.0,
    ) -> None:
        self.answer = answer
        self.faults = faults or Faults()
        self.features = features or Features()
        self.latency = latency
        self.until: Callable[[Asked], bool] | None = None
        """Holds every call back until this says yes, looked at again whenever a call comes; for a minute at most."""
        self.calls: list[Served] = []
        self.batches = Batches(self.outcome)
        self.at_once = 0
        self.most_at_once = 0
        self._seen: Counter[str] = Counter()
        self._arrived = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._runner: web.ServerRunner | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """For Anthropic's protocol."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        """For OpenAI's protocol."""
        return f"{self.url}/v1"

    @property
    def answered(self) -> Counter[str]:
        """How often each question got a usable reply."""
        return Counter(call.asked.key for call in self.calls if call.good)

    def kinds(self) -> list[str]:
        """The kinds of question asked, in order."""
        return [call.asked.kind for call in self.calls]

    def forget(self) -> None:
        """Start counting anew."""
        self.calls.clear()
        self._seen.clear()

    def quiet(self) -> int:
        """How many calls there were, once none is under way and nobody is connected who could make one."""
        return asyncio.run_coroutine_threadsafe(self._quiet(), self._loop).result()

    async def _quiet(self) -> int:
        assert self._runner is not None and self._runner.server is not None
        end, turns = time.monotonic() + 60, 0
        # The loop takes a few turns from the first byte of a call to its being under way.
        while turns < 10:
            assert time.monotonic() < end, f"{self.at_once} calls are still under way"
            busy = self.at_once or self._runner.server.connections
            turns = 0 if busy else turns + 1
            await asyncio.sleep(0.005 if busy else 0)
        return len(self.calls)

    def __enter__(self) -> Loopback:
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), name="loopback", daemon=True)
        self._thread.start()
        started.wait()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self.start())
        started.set()
        self._loop.run_forever()

    async def start(self, port: int = 0) -> None:
        """Listen, in the running loop."""
        self._runner = web.ServerRunner(web.Server(self._handle, access_log=None), shutdown_timeout=0.01)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port, backlog=1024)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def _stop(self) -> None:
        assert self._runner is not None
        await self._runner.cleanup()
        waiting = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self._arrived.set()
        self._arrived.clear()
        try:
            return await self._respond(request)
        finally:
            self.at_once -= 1

    async def _respond(self, request: web.BaseRequest) -> web.StreamResponse:
        if (about_batches := await self.batches.respond(request)) is not None:
            return about_batches
        body = json.loads(await request.content.read())
        headers = {name.lower(): value for name, value in request.headers.items()}
        asked = understood(request.path, body, headers)
        await self._held_back(asked)
        if self.latency:
            await asyncio.sleep(self.latency)
        if asked.path not in ("/v1/chat/completions", "/v1/messages"):
            return self._refuse(asked, 404, "not_found", f"no route {asked.path}")
        refusal = self._unfit(asked)
        if refusal:
            return self._refuse(asked, *refusal)
        fault = self.faults.meets(asked.key, self._seen[asked.key])
        self._seen[asked.key] += 1
        if fault is not None and fault in _STATUS:
            return self._refuse(asked, _STATUS[fault], fault, f"a made-up fault: {fault}", fault)
        self.calls.append(Served(asked, 200, fault))
        if fault == "reset":
            return _reset(request)
        if fault == "not_json":
            return web.Response(text="<html>a page of some proxy</html>", content_type="text/html")
        reply = self.answer(asked) if asked.kind != "unknown" or self.answer is not oracle else "?"
        text = reply if isinstance(reply, str) else "" if reply is None else json.dumps(reply, ensure_ascii=False)
        text = _spoilt(fault, text)
        if asked.body.get("stream"):
            return await _streamed(request, asked, text, fault)
        made = self._made(asked, text, fault)
        content = json.dumps(made).encode("utf-8", "surrogatepass")
        if fault == "hung_up":
            response = web.StreamResponse(headers={"content-type": "application/json"})
            response.content_length = len(content)
            await response.prepare(request)
            await response.write(content[: len(content) // 2])
            return _reset(request)
        return web.Response(body=content, content_type="application/json")

    def outcome(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Status and body of the response to one request of a batch. Faults of a connection cannot meet it."""
        asked = understood(path, body, headers)
        fault = self.faults.meets(asked.key, self._seen[asked.key])
        self._seen[asked.key] += 1
        refusal = self._unfit(asked)
        if refusal is None and fault in _STATUS:
            refusal = (_STATUS[fault], fault, f"a made-up fault: {fault}")
        self.calls.append(Served(asked, 200 if refusal is None else refusal[0], fault, batch=True))
        if refusal is not None:
            return refusal[0], _error(asked, *refusal[1:])
        reply = self.answer(asked)
        text = _spoilt(fault, reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False))
        return 200, self._made(asked, text, fault)

    def _made(self, asked: Asked, text: str, fault: str | None) -> dict[str, Any]:
        """The body of a response."""
        made = _messages(asked, text, fault) if asked.path == "/v1/messages" else _completion(asked, text, fault)
        if not self.features.usage:
            del made["usage"]
        if self.features.logprobs and asked.body.get("logprobs") and fault != "refused":
            made["choices"][0]["logprobs"] = {"content": _logprobs(text, self.features.logprobs), "refusal": None}
        return made

    async def _held_back(self, asked: Asked) -> None:
        end = time.monotonic() + 60
        while self.until is not None and not self.until(asked) and time.monotonic() < end:
            with suppress(asyncio.TimeoutError):
                async with time_limit(0.02):
                    await self._arrived.wait()

    def _unfit(self, asked: Asked) -> tuple[int, str, str] | None:
        """Status, code and message for a request this server does not take."""
        body, takes = asked.body, self.features
        if takes.key is not None:
            given = asked.headers.get("authorization", "").removeprefix("Bearer ") or asked.headers.get("x-api-key")
            if given != takes.key:
                return 401, "invalid_api_key", "Incorrect API key provided."
        wanted = (body.get("response_format") or {}).get("type")
        if not takes.schema and (wanted == "json_schema" or "tools" in body):
            what = "tools" if "tools" in body else "response_format"
            return 400, "invalid_request_error", f"Invalid parameter: '{what}' of this type is not supported."
        if not takes.json and wanted == "json_object":
            return 400, "invalid_request_error", "response_format json_object is not supported by this model."
        for name in ("temperature", "seed"):
            if name in body and not getattr(takes, name):
                return 400, "unsupported_value", f"Unsupported parameter: '{name}' is not supported with this model."
        if takes.logprobs is False and "logprobs" in body:
            return 400, "unsupported_parameter", "logprobs are not supported with reasoning models."
        if takes.newer_max_tokens and "max_tokens" in body:
            return (
                400,
                "unsupported_parameter",
                (
                    "Unsupported parameter: 'max_tokens' is not supported with this model. "
                    "Use 'max_completion_tokens' instead."
                ),
            )
        if takes.window is not None and len(asked.prompt) > takes.window:
            if asked.path == "/v1/messages":
                return 400, "invalid_request_error", "prompt is too long: more tokens than the maximum"
            return 400, "context_length_exceeded", f"This model's maximum context length is {takes.window // 3} tokens."
        return None

    def _refuse(
        self, asked: Asked, status: int, code: str, message: str, fault: str | None = None
    ) -> web.StreamResponse:
        self.calls.append(Served(asked, status, fault))
        headers = {}
        if fault in ("throttled", "busy") and self.faults.retry_after is not None:
            headers["retry-after"] = _retry_after(self.faults.retry_after)
        return web.json_response(_error(asked, code, message), status=status, headers=headers)


async def _streamed(request: web.BaseRequest, asked: Asked, text: str, fault: str | None) -> web.StreamResponse:
    """The reply word by word, as events of the protocol; with the fault "hung_up" it breaks off half-way."""
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    words = [word + " " for word in text.split(" ")[:-1]] + text.split(" ")[-1:]
    for place, word in enumerate(words):
        if fault == "hung_up" and place >= len(words) // 2:
            return _reset(request)
        if asked.path == "/v1/messages":
            event: dict[str, Any] = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": word}}
        else:
            event = {"choices": [{"index": 0, "delta": {"content": word}}]}
        await response.write(f"data: {json.dumps(event)}\n\n".encode())
    await response.write(b"data: [DONE]\n\n")
    return response


_STATUS = {"throttled": 429, "failed": 500, "busy": 503}


def _retry_after(value: str) -> str:
    if not value.startswith("date:"):
        return value
    return formatdate(time.time() + float(value.removeprefix("date:")), usegmt=True)


def _reset(request: web.BaseRequest) -> web.StreamResponse:
    transport = request.transport
    if transport is not None:
        raw = transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    return web.Response()


def _spoilt(fault: str | None, text: str) -> str:
    """The reply with its fault."""
    if fault == "invalid":
        return "Let me think about the statements one by one before I answer"
    if fault == "empty":
        return ""
    if fault in ("truncated", "silently_truncated"):
        return text[: max(1, len(text) * 2 // 3)]
    if fault == "fenced":
        return f"```json\n{text}\n```"
    if fault == "prose":
        return f"Here is what I found:\n\n{text}\n\nLet me know if you need anything else!"
    if fault not in ("listed", "number", "missing", "unknown_ids", "invented"):
        return text
    data = json.loads(text)
    key = next((key for key, value in data.items() if isinstance(value, list)), None)
    items = data[key] if key else []
    if fault == "listed":
        return json.dumps(items if key and "verdict" not in data else [data])
    if fault == "number":
        return json.dumps(dict.fromkeys(data, 7))
    if key == "verdicts":
        if fault == "missing":
            data[key] = items[: len(items) // 2]
        elif fault == "unknown_ids":
            data[key] = [{**item, "id": f"x{place}"} for place, item in enumerate(items)]
        elif fault == "invented":
            statement = "Bananas were invented on the far side of the moon."
            data[key] = [*items, {**items[0], "id": "c999", "statement": statement}] if items else items
    return json.dumps(data)


def _completion(asked: Asked, text: str, fault: str | None) -> dict[str, Any]:
    refused = fault == "refused"
    message = {"role": "assistant", "content": None if refused else text, "refusal": _DECLINES if refused else None}
    finish = "length" if fault == "truncated" else "stop"
    read, written = len(asked.prompt) // 4, len(text) // 4
    return {
        "id": "chatcmpl-loopback",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": str(asked.body.get("model")),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
    }


def _error(asked: Asked, code: str, message: str) -> dict[str, Any]:
    if asked.path == "/v1/messages":
        return {"type": "error", "error": {"type": code, "message": message}}
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


_OTHER_WORDS = {"factual": "h", "hall": "fact", "yes": "no", "no": "yes", "uns": "yes", "idk": "no"}
"""The first piece of another word, for the first piece of each word of a verdict."""


def _logprobs(text: str, certain: float) -> list[dict[str, Any]]:
    """The tokens of a text. The word after "verdict" has this probability, and another word the rest."""
    listed = []
    for match in re.finditer(r"\s*[A-Za-z]{1,4}|\s*.", text, re.DOTALL):
        piece = match.group()
        begins = re.search(r'"verdict"\s*:\s*"$', text[: match.start()]) is not None
        other = next((o for w, o in _OTHER_WORDS.items() if begins and w.startswith(piece[:3])), None)
        choices = [(piece, certain), (other, 1 - certain)] if other else [(piece, 0.999)]
        top: list[dict[str, Any]] = [
            {"token": token, "logprob": math.log(max(p, 1e-9)), "bytes": list(token.encode("utf-8", "replace"))}
            for token, p in choices
        ]
        listed.append({**top[0], "top_logprobs": sorted(top, key=lambda each: -each["logprob"])})
    return listed


def _messages(asked: Asked, text: str, fault: str | None) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": text}
    stop = "end_turn"
    if asked.body.get("tools"):
        try:
            given = json.loads(text)
        except ValueError:
            given = None
        if isinstance(given, dict):
            block = {"type": "tool_use", "id": "toolu_loopback", "name": asked.kind, "input": given}
            stop = "tool_use"
    if fault == "truncated":
        stop = "max_tokens"
    if fault == "refused":
        block, stop = {"type": "text", "text": _DECLINES}, "refusal"
    return {
        "id": "msg_loopback",
        "type": "message",
        "role": "assistant",
        "model": str(asked.body.get("model")),
        "content": [block],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": len(asked.prompt) // 4, "output_tokens": len(text) // 4},
    }


_DECLINES = "I'm sorry, I cannot help with that."


def main() -> None:
    """Serve until killed, and say where."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    given = parser.parse_args()

    async def serve() -> None:
        server = Loopback(latency=given.latency)
        server.calls = _Nothing()
        await server.start(given.port)
        print(server.base_url, flush=True)
        await asyncio.Event().wait()

    asyncio.run(serve())


class _Nothing(list[Served]):
    """Keeps no calls: a benchmark makes many."""

    def append(self, _: Served) -> None:
        return


if __name__ == "__main__":
    main()
