"""Specialised models on a server with OpenAI's protocol, on loopback: requests in any but their own format fail."""

from __future__ import annotations

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import log
from threading import Thread
from typing import Any, Union

import msgspec
from msgspec import Struct

Answering = dict[str, Union[str, list[tuple[str, float, str, float]]]]


class Message(Struct, forbid_unknown_fields=True):
    role: str
    content: str


class Document(Struct, forbid_unknown_fields=True):
    doc_id: str
    text: str


class Completion(Struct, forbid_unknown_fields=True, kw_only=True):
    model: str
    messages: list[Message]
    temperature: float
    max_tokens: int
    logprobs: bool = False
    top_logprobs: int = 0
    documents: Union[list[Document], None] = None
    chat_template_kwargs: Union[dict[str, Any], None] = None


class Models(ThreadingHTTPServer):
    """`tokens` makes the reply: each token with the probability of what the model says and of the other word."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[Completion] = []
        self.with_logprobs = True
        self.knows_logprobs = True
        self.right = "300"
        self.fails = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def __enter__(self) -> Models:
        Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


def reply(asked: Completion, right: str) -> list[tuple[str, str]]:
    """The tokens of a reply, each with the word it might have been instead. What does not hold `right` is wrong."""
    last = asked.messages[-1].content
    if "minicheck" in asked.model.lower():
        found = re.fullmatch(r"Document: (.+)\nClaim: (.+)", last, re.DOTALL)
        assert found, last
        return [("Yes", "No")] if right in found[2] else [("No", "Yes")]
    if "lynx" in asked.model.lower():
        assert last.startswith("Given the following QUESTION, DOCUMENT and ANSWER") and "{document}" not in last
        answer = last.partition("\nANSWER:\n")[2].partition("\n\n--\n")[0]
        score = ("PASS", "FAIL") if right in answer else ("FAIL", "PASS")
        reason = '{"REASONING": ["The height is checked."], "SCORE": "'
        return [(reason, reason), score, ('"}', '"}')]
    answer = next(message.content for message in reversed(asked.messages) if message.role == "assistant")
    word = ("no", "yes") if right in answer else ("yes", "no")
    if "3." in asked.model and "3.3" not in asked.model:
        return [(word[0].title(), word[1].title())]
    return [("<think>\n</think><score> ",) * 2, word, (" </score>", " </score>")]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Models

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        server = self.server
        if server.fails:
            server.fails -= 1
            return self.send(503, {"error": {"message": "loading the model"}})
        if self.path != "/v1/chat/completions":
            return self.send(404, {"error": {"message": "no such path"}})
        try:
            asked = msgspec.json.decode(body, type=Completion)
            if asked.logprobs and not server.knows_logprobs:
                return self.send(400, {"error": {"message": "Unrecognized request argument: logprobs"}})
            server.asked.append(asked)
            tokens = reply(asked, server.right)
        except (msgspec.ValidationError, AssertionError, StopIteration) as error:
            return self.send(422, {"error": {"message": f"{type(error).__name__}: {error}"}})
        choice: dict[str, Any] = {
            "index": 0,
            "message": {"role": "assistant", "content": "".join(said for said, _ in tokens)},
            "finish_reason": "stop",
        }
        if asked.logprobs and server.with_logprobs:
            choice["logprobs"] = {"content": [_token(said, other) for said, other in tokens]}
        usage = {"prompt_tokens": 100, "completion_tokens": len(tokens), "total_tokens": 100 + len(tokens)}
        self.send(200, {"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage})

    def send(self, status: int, answer: Any) -> None:
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _token(said: str, other: str) -> dict[str, Any]:
    top = [{"token": said, "logprob": log(0.9)}]
    if other != said:
        top.append({"token": other, "logprob": log(0.1)})
    return {"token": said, "logprob": log(0.9), "top_logprobs": top}
