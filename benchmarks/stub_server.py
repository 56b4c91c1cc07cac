"""An OpenAI-compatible server that answers any tool's questions with a reply of the right shape, after a while.

    python -m benchmarks.stub_server --latency 0.1

Prints its address. The reply is built from the JSON schema or the tool that the request names; where
there is none, from words that only one tool's prompts have. It answers our own prompts too, so that all
are measured against the same server. GET /calls says how many calls were made.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from typing import Any

from aiohttp import web

_STATEMENTS = ["The library was rebuilt.", "Its roof rests on columns.", "The harbour took ships."]


def shaped(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """Some value that the schema allows."""
    if "$ref" in schema:
        found: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return shaped(found, root)
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return shaped(schema[union][0], root)
    kind = schema.get("type")
    if kind == "object":
        return {name: shaped(held, root) for name, held in schema.get("properties", {}).items()}
    if kind == "array":
        items = schema.get("items", {})
        return _STATEMENTS if items.get("type") == "string" else [shaped(items, root) for _ in range(3)]
    return {"number": 0.0, "integer": 1, "boolean": True}.get(str(kind), "yes")


def unshaped(prompt: str) -> Any:
    """The reply to a prompt that came without a schema."""
    if "statements" in prompt and "verdict" in prompt:
        return {"statements": [{"statement": s, "reason": "stated", "verdict": 1} for s in _STATEMENTS]}
    if "statements" in prompt:
        return {"statements": _STATEMENTS}
    if '"verdicts"' in prompt or "'verdicts'" in prompt:
        return {"verdicts": [{"verdict": "yes", "reason": "stated"}] * 3}
    return {"score": 0.0, "reason": ["stated"]}


def ours(user: str, wanted: str) -> Any:
    """The reply to one of our own prompts: the output's sentences, or a verdict for each claim that is asked about.

    Everything here depends on the case, or our cache would save calls that the others have to make.
    """
    if '"claims"' in wanted and "<output-" in user:
        return {"claims": [sentence.rstrip(".") + "." for sentence in _fenced(user, "output").split(". ")]}
    if "<claims-" not in user:
        return None
    claims = _fenced(user, "claims")
    verdict = {"verdict": "no", "reason": "stated"}
    return {"verdicts": [{"id": claim["id"], "statement": claim["statement"], **verdict} for claim in claims]}


def _fenced(user: str, name: str) -> Any:
    start = user.index(f"<{name}-")
    return json.loads(user[user.index("\n", start) + 1 : user.index(f"\n</{name}-", start)])


class Server:
    """Answers after `latency` seconds and counts."""

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.calls = 0

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.method == "GET":
            return web.json_response({"calls": self.calls})
        body = json.loads(await request.content.read())
        due = time.monotonic() + self.latency
        self.calls += 1
        made = {
            "id": "stub",
            "object": "chat.completion",
            "created": 0,
            "model": body.get("model"),
            "choices": [{"index": 0, "message": self._message(body), "finish_reason": "stop", "logprobs": None}],
            "usage": {"prompt_tokens": 500, "completion_tokens": 50, "total_tokens": 550},
        }
        content = json.dumps(made).encode()
        await asyncio.sleep(due - time.monotonic())
        return web.Response(body=content, content_type="application/json")

    def _message(self, body: dict[str, Any]) -> dict[str, Any]:
        tools = body.get("tools")
        if tools:
            wanted = tools[0]["function"]
            arguments = json.dumps(shaped(wanted["parameters"], wanted["parameters"]))
            call = {"id": "c1", "type": "function", "function": {"name": wanted["name"], "arguments": arguments}}
            return {"role": "assistant", "content": None, "tool_calls": [call]}
        prompt = "\n".join(str(message.get("content")) for message in body["messages"])
        described = (body.get("response_format") or {}).get("json_schema")
        reply = ours(prompt, json.dumps(described))
        if reply is None:
            reply = shaped(described["schema"], described["schema"]) if described else unshaped(prompt)
        return {"role": "assistant", "content": json.dumps(reply), "refusal": None}


async def serve(latency: float) -> None:
    """Serve until killed, and say where."""
    runner = web.ServerRunner(web.Server(Server(latency).handle, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.1)
    asyncio.run(serve(parser.parse_args().latency))
