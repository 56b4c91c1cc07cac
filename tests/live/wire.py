"""A model's server on loopback that calls a tool before it answers: OpenAI's chat and responses, Anthropic's messages.

The model asks for the tool `look_up` where it is offered and was not used yet, and says the same thing ever after. Each
protocol is spoken whole and in a stream of events.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

from aiohttp import web

SAID = "The tower is 300 metres high. It was built in 1889."
PIECES = [SAID[at : at + 9] for at in range(0, len(SAID), 9)]
CALL = {"id": "call_1", "name": "look_up", "arguments": '{"what": "tower"}'}
USAGE = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
Events = list[tuple[str | None, Any]]


class Wire:
    """`with Wire() as server:`; `server.url` is where it listens, `server.requests` what it was sent."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Wire:
        self._thread.start()
        port = asyncio.run_coroutine_threadsafe(self._serve(), self._loop).result(30)
        self.url = f"http://127.0.0.1:{port}"
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()

    async def _serve(self) -> int:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._speaking(_chat, _chat_events))
        app.router.add_post("/v1/responses", self._speaking(_response, _response_events))
        app.router.add_post("/v1/messages", self._speaking(_message, _message_events))
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        return int(self._runner.addresses[0][1])

    def _speaking(self, whole: Callable[[Any], Any], events: Callable[[Any], Events]) -> Any:
        async def answer(request: web.Request) -> web.StreamResponse:
            body = await request.json()
            self.requests.append(body)
            if not body.get("stream"):
                return web.json_response(whole(body))
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            await response.prepare(request)
            for name, data in events(body):
                text = data if isinstance(data, str) else json.dumps(data)
                await response.write(f"{f'event: {name}' + chr(10) if name else ''}data: {text}\n\n".encode())
            return response

        return answer


def _calls(body: Any) -> bool:
    """Whether it is the tool's turn."""
    return bool(body.get("tools")) and "tool_result" not in json.dumps(body) and '"tool"' not in _roles(body)


def _roles(body: Any) -> str:
    items = body.get("messages") or body.get("input") or ()
    used = [item for item in items if isinstance(item, dict)]
    return json.dumps(["tool" if i.get("type") == "function_call_output" else i.get("role") for i in used])


def _chat(body: Any) -> Any:
    tool = {"id": CALL["id"], "type": "function", "function": {"name": CALL["name"], "arguments": CALL["arguments"]}}
    message = {"role": "assistant", "content": None, "tool_calls": [tool]} if _calls(body) else _spoken()
    why = "tool_calls" if _calls(body) else "stop"
    choices = [{"index": 0, "message": message, "finish_reason": why}]
    return {"id": "chat-1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices, "usage": USAGE}


def _spoken() -> Any:
    return {"role": "assistant", "content": SAID}


def _chat_events(body: Any) -> Events:
    def chunk(delta: Any, why: str | None = None) -> Any:
        choices = [{"index": 0, "delta": delta, "finish_reason": why}]
        return {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}

    deltas = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": piece}) for piece in PIECES)]
    return [(None, data) for data in (*deltas, chunk({}, "stop"), "[DONE]")]


def _response(body: Any) -> Any:
    call = {"type": "function_call", "id": "fc_1", "call_id": CALL["id"], "status": "completed"}
    text = {"type": "output_text", "text": SAID, "annotations": [], "logprobs": []}
    spoken = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
    searched = {
        "type": "file_search_call",
        "id": "fs_1",
        "status": "completed",
        "queries": ["tower"],
        "results": [{"file_id": "f", "filename": "f.txt", "score": 1.0, "text": "From the server's own search."}],
    }
    asked_to_search = any(tool.get("type") == "file_search" for tool in body.get("tools") or ())
    output: list[Any] = [searched, spoken] if asked_to_search else [spoken]
    if _calls(body) and not asked_to_search:
        output = [{**call, "name": CALL["name"], "arguments": CALL["arguments"]}]
    return {
        "id": "resp-1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "m",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 9,
            "output_tokens": 9,
            "total_tokens": 18,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


def _response_events(body: Any) -> Events:
    whole = _response(body)
    base = {"output_index": 0, "content_index": 0, "item_id": "msg_1", "logprobs": []}
    part = {"type": "output_text", "text": "", "annotations": []}
    item = {**whole["output"][-1], "content": [], "status": "in_progress"}
    events: list[Any] = [
        {"type": "response.created", "response": {**whole, "output": [], "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.content_part.added", **base, "part": part},
        *({"type": "response.output_text.delta", **base, "delta": piece} for piece in PIECES),
        {"type": "response.output_text.done", **base, "text": SAID},
        {"type": "response.content_part.done", **base, "part": {**part, "text": SAID}},
        {"type": "response.output_item.done", "output_index": 0, "item": whole["output"][-1]},
        {"type": "response.completed", "response": whole},
    ]
    return [(event["type"], {**event, "sequence_number": n}) for n, event in enumerate(events)]


def _message(body: Any) -> Any:
    tool = {"type": "tool_use", "id": CALL["id"], "name": CALL["name"], "input": {"what": "tower"}}
    calls = _calls(body)
    return {
        "id": "msg-1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [tool if calls else {"type": "text", "text": SAID}],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 9},
    }


def _message_events(body: Any) -> Events:
    events: list[Any] = [
        {"type": "message_start", "message": {**_message(body), "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
            for piece in PIECES
        ),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 9},
        },
        {"type": "message_stop"},
    ]
    return [(event["type"], event) for event in events]
