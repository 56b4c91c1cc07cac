"""Bad requests: each is answered with a clear 4xx, and the server goes on."""

from __future__ import annotations

import json
import random

import pytest

from ...helpers.serving import Served
from .conftest import TOKEN

GOOD = b'{"output": "Paris.", "context": ["Paris."]}'
JSON = "application/json"


def post(
    body: bytes, *, path: str = "/v1/check", kind: str = JSON, extra: str = "", length: int | None = None
) -> bytes:
    size = len(body) if length is None else length
    head = (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\ncontent-type: {kind}\r\n"
        f"content-length: {size}\r\n{extra}\r\n"
    )
    return head.encode() + body


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n\r\n".encode()


def field(**fields: object) -> bytes:
    return json.dumps({"output": "Paris.", "context": ["Paris."], **fields}).encode()


BAD = {
    "no body": (post(b""), 400, "not_json"),
    "no JSON": (post(b"output=Paris"), 400, "not_json"),
    "half of it": (post(GOOD[:20]), 400, "not_json"),
    "two of it": (post(GOOD + GOOD), 400, "not_json"),
    "not UTF-8": (post(b'{"output": "\xff\xfe\xfa"}'), 400, "not_json"),
    "UTF-16": (post('{"output": "Paris."}'.encode("utf-16")), 400, "not_json"),
    "with a byte order mark": (post(b"\xef\xbb\xbf" + GOOD), 400, "not_json"),
    "a lone surrogate": (post(b'{"output": "\\ud800"}'), 400, "not_json"),
    "NaN": (post(b'{"output": "Paris.", "threshold": NaN}'), 400, "not_json"),
    "a huge number": (post(b'{"output": "Paris.", "threshold": 1e999}'), 422, "invalid"),
    "nested lists": (post(b'{"output": ' + b"[" * 50_000), 400, "not_json"),
    "nested objects": (post(b'{"output": {"a":' + b'{"a":' * 20_000), 400, "not_json"),
    "a nested context": (post(b'{"output": "x", "context": ' + b"[" * 9000 + b"]" * 9000 + b"}"), 400, "not_json"),
    "an output nested 500 levels": (post(b'{"output": {"a": ' + b"[" * 500 + b"]" * 500 + b"}}"), 422, "invalid"),
    "a passage nested 300 levels": (
        post(b'{"output": "x", "context": [{"a": ' + b"[" * 300 + b"]" * 300 + b"}]}"),
        422,
        "invalid",
    ),
    "a list": (post(b"[1, 2]"), 422, "invalid"),
    "null": (post(b"null"), 422, "invalid"),
    "no output": (post(b'{"context": ["x"]}'), 422, "invalid"),
    "an output that is a number": (post(field(output=5)), 422, "invalid"),
    "a context that is a number": (post(field(context=5)), 422, "invalid"),
    "a passage that is a truth value": (post(field(context=[True])), 422, "invalid"),
    "an unknown field": (post(field(outptu="x")), 422, "invalid"),
    "an unknown metric": (post(field(metric="truth")), 422, "invalid"),
    "an unknown judge": (post(field(judge="openai/gpt-4o")), 422, "invalid"),
    "a judge of the client's own": (post(field(base_url="http://10.0.0.1")), 422, "invalid"),
    "a threshold out of range": (post(field(threshold=7)), 422, "invalid"),
    "a threshold that is a text": (post(field(threshold="high")), 422, "invalid"),
    "too large": (post(field(output="x" * 300_000)), 413, "too_large"),
    "told to be too large": (post(b"", length=10**15), 413, "too_large"),
    "another form": (post(GOOD, kind="text/plain"), 415, "media_type"),
    "a web form": (post(GOOD, kind="application/x-www-form-urlencoded"), 415, "media_type"),
    "compressed": (post(GOOD, extra="content-encoding: gzip\r\n"), 415, "media_type"),
    "another path": (post(GOOD, path="/v1/chek"), 404, "not_found"),
    "a path upwards": (get("/assets/../../pyproject.toml"), 404, "not_found"),
    "an encoded path upwards": (get("/assets/%2e%2e%2fapp.py"), 404, "not_found"),
    "another method": (get("/v1/check"), 405, "method"),
    "an empty batch": (post(b'{"cases": []}', path="/v1/batch"), 422, "invalid"),
    "a large batch": (post(json.dumps({"cases": [{"output": "x"}] * 21}).encode(), path="/v1/batch"), 422, "too_many"),
    "an unknown run": (get("/v1/runs/nowhere"), 404, "not_found"),
    "an unknown run to compare": (get("/v1/comparison?before=a&after=b"), 404, "not_found"),
    "no run to compare": (get("/v1/comparison"), 422, "invalid"),
    "a start before the start": (get("/v1/runs/nightly-1/results?start=-1"), 422, "invalid"),
    "a limit beyond the limit": (get("/v1/runs/nightly-1/results?limit=100000"), 422, "invalid"),
    "a start that is no number": (get("/v1/runs/nightly-1/results?start=x"), 422, "invalid"),
    "a start beyond all numbers": (get("/v1/runs/nightly-1/results?start=" + "9" * 5000), 422, "invalid"),
    "a parameter twice": (get("/v1/runs/nightly-1/results?start=1&start=2"), 422, "invalid"),
    "a metric that the run does not have": (get("/v1/runs/nightly-1/results?metric=label"), 422, "invalid"),
}


@pytest.mark.slow("waits until the server's time limits are over")
@pytest.mark.parametrize("name", BAD)
def test_a_bad_request_is_told_what_is_wrong(served: Served, name: str) -> None:
    sent, status, code = BAD[name]
    answered, headers, body = served.raw(sent)
    assert (answered, headers["content-type"]) == (status, JSON), body
    problem = json.loads(body)["error"]
    assert problem["code"] == code
    assert problem["message"].endswith(".") and "\n" not in problem["message"] and "Traceback" not in problem["message"]
    assert served.raw(post(GOOD))[0] == 200


def test_what_is_no_http_at_all_is_refused(served: Served) -> None:
    for sent in (b"hello\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01", b"GET / HTTP/1.1\r\nx: " + b"y" * 200_000):
        status, headers, body = served.raw(sent)
        assert (status, json.loads(body)["error"]["code"], headers["connection"]) == (400, "not_http", "close")


@pytest.mark.slow("waits until the server's time limits are over")
@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param((b"",), id="nothing"),
        pytest.param((b"POST /v1/check HTTP/1.1\r\nhost: loc",), id="half of the headers"),
        pytest.param((post(b'{"output": "Par', length=60),), id="half of the body"),
        pytest.param((post(b"{", length=600), *(x for n in range(15) for x in (0.1, b" "))), id="byte for byte"),
    ],
)
def test_a_slow_sender_is_not_waited_for(served: Served, pieces: tuple[object, ...]) -> None:
    first, *more = pieces
    assert isinstance(first, bytes)
    status, headers, body = served.raw(first, *more)
    assert status == 408, body
    assert headers["connection"] == "close"
    assert json.loads(body)["error"]["code"] == "slow"


def test_noise_is_never_an_error_of_ours(served: Served) -> None:
    drawn = random.Random(7)
    for _ in range(60):
        body = bytearray(field(metric="label", strict=True, id="x"))
        for _ in range(drawn.randrange(1, 6)):
            body[drawn.randrange(len(body))] = drawn.randrange(256)
        assert served.raw(post(bytes(body)))[0] in (200, 400, 422)
