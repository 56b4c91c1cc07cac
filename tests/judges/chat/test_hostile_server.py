"""Servers that send too much, and servers that repeat what nobody else should see."""

from __future__ import annotations

import base64
import gzip
import json
import re
import threading
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from typer.testing import CliRunner

import halluscope
from halluscope._internal.cli.app import app
from halluscope._internal.core.errors import InputError, JudgeUnavailable
from halluscope._internal.core.redaction import SHOWN
from halluscope._internal.engine.driver import RetryPolicy
from halluscope._internal.judges.chat import http
from halluscope._internal.judges.chat.anthropic import anthropic_judge
from halluscope._internal.judges.chat.openai import openai_judge

from ...helpers.scoring import Scorer

Response = tuple[int, dict[str, str], bytes]
CASE: dict[str, Any] = {"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}
ONCE = RetryPolicy(deadline=30, timeout=10, retries=0, repairs=0)


@contextmanager
def serving(answer: Callable[[dict[str, str]], Response]) -> Iterator[str]:
    """A server that gives this answer to every request, which it knows the headers of."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            status, headers, body = answer({name.lower(): value for name, value in self.headers.items()})
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), "Connection": "close", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except ConnectionError:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def completion(text: str) -> bytes:
    """A response of either protocol."""
    both = {"choices": [{"message": {"content": text}}], "content": [{"type": "text", "text": text}]}
    return json.dumps(both).encode()


GOOD = completion('{"verdict": "factual", "reason": ["It is there."]}')
PACKED: dict[str, tuple[str, bytes]] = {
    "plain": ("identity", GOOD),
    "gzip": ("gzip", gzip.compress(GOOD)),
    "deflate": ("deflate", zlib.compress(GOOD)),
    "deflate without its heading": ("deflate", zlib.compress(GOOD)[2:-4]),
}


@pytest.mark.parametrize(("packing", "body"), PACKED.values(), ids=PACKED)
def test_a_packed_response_is_unpacked(packing: str, body: bytes) -> None:
    with serving(lambda _: (200, {"Content-Encoding": packing}, body)) as host:
        result = Scorer("label", openai_judge("m", base_url=f"http://{host}/v1"), retry_policy=ONCE).score(**CASE)
    assert result.label == "factual", result.failure


TOO_LARGE: dict[str, tuple[dict[str, str], Callable[[], bytes]]] = {
    "a bomb": ({"Content-Encoding": "gzip"}, lambda: gzip.compress(bytes(200_000_000), 9)),
    "a bomb of the other kind": ({"Content-Encoding": "deflate"}, lambda: zlib.compress(bytes(200_000_000), 9)),
    "a plain one": ({}, lambda: b" " * 20_000_000),
    "a failure": ({"Content-Encoding": "gzip"}, lambda: gzip.compress(b"{" * 200_000_000, 9)),
}
"""Made where they are sent: packing them takes seconds, and every worker imports this file."""


@pytest.mark.slow("sends hundreds of megabytes")
@pytest.mark.parametrize(("headers", "made"), TOO_LARGE.values(), ids=TOO_LARGE)
async def test_a_response_without_end_is_not_taken_into_memory(
    headers: dict[str, str], made: Callable[[], bytes]
) -> None:
    body = made()
    with serving(lambda _: (200, headers, body)) as host:
        tracemalloc.start()
        try:
            with pytest.raises(JudgeUnavailable, match=r"larger than the limit of 8 MB|exceeds the configured limit"):
                await http.post(f"http://{host}/v1", {}, {}, 30)
            assert tracemalloc.get_traced_memory()[1] < 60 * 2**20
        finally:
            tracemalloc.stop()


def test_the_limit_is_the_judges_own() -> None:
    padded = completion('{"verdict": "factual", "reason": ["' + "x" * 5000 + '"]}')
    with serving(lambda _: (200, {}, padded)) as host:
        for limit, label in ((4000, None), (20_000, "factual")):
            judge = openai_judge("m", base_url=f"http://{host}/v1", response_limit=limit)
            assert Scorer("label", judge, retry_policy=ONCE).score(**CASE).label == label


@pytest.mark.parametrize("packing", ["br", "zstd", "gzip"])
async def test_a_response_that_cannot_be_unpacked_is_a_failure_of_that_call(packing: str) -> None:
    with (
        serving(lambda _: (200, {"Content-Encoding": packing}, b"\x00nonsense")) as host,
        pytest.raises(JudgeUnavailable, match=r"Can not decode content-encoding"),
    ):
        await http.post(f"http://{host}/v1", {}, {}, 30)


KEY, PASSWORD, TOKEN = "sk-SECRETKEY-0123456789abcdef", "hunter2/PASSWORD", "tok-ABCDEFGH-0123456789"


def echoing(status: int) -> Callable[[dict[str, str]], Response]:
    """Repeats all it was given, in its error or, where there is none, in the model's words."""

    def answer(headers: dict[str, str]) -> Response:
        given = [headers.get(name, "") for name in ("authorization", "x-api-key", "x-gateway-token")]
        basic = [base64.b64decode(text[6:]).decode() for text in given if text.startswith("Basic ")]
        said = f"Invalid token passed. Received {' '.join(given + basic)} " + "x" * 1900 + " ".join(given + basic)
        if status != 200:
            return status, {}, json.dumps({"error": {"message": said}}).encode()
        reply = json.dumps({"verdict": "hallucinated", "reason": [said]})
        return 200, {}, completion(reply)

    return answer


def artefacts(folder: Path, *options: str) -> dict[str, bytes]:
    """Everything that a run leaves behind."""
    data = folder / "data.jsonl"
    data.write_text(json.dumps(CASE) + "\n")
    runner = CliRunner()
    files = {"junit": "j.xml", "markdown": "m.md", "report": "r.html"}
    asked = [part for name, file in files.items() for part in (f"--{name}", str(folder / file))]
    run = runner.invoke(app, ["eval", str(data), "-m", "label", "--run", "a", *options, *asked])
    found = {"eval": run.output.encode()}
    for command in (["show", "a"], ["show", "a", "--json"], ["runs", "--json"], ["compare", "a", "a", "--json"]):
        found[" ".join(command)] = runner.invoke(app, command).output.encode()
    case = json.loads(runner.invoke(app, ["show", "a", "--json"]).output)
    assert case["cases"] == 1, run.output
    for ending in ("jsonl", "csv", "parquet"):
        runner.invoke(app, ["export", "a", "-o", str(folder / f"x.{ending}")])
        found[ending] = (folder / f"x.{ending}").read_bytes()
    for name, file in files.items():
        found[name] = (folder / file).read_bytes()
    blocks = re.findall(rb'type="text/plain" id="[^"]+">([^<]+)<', found["report"])
    found["report, unpacked"] = b"".join(zlib.decompress(base64.b64decode(block)) for block in blocks)
    for kept in folder.glob("halluscope.db*"):
        found[kept.name] = kept.read_bytes()
    return found


@pytest.mark.slow("writes every report and export and searches them")
def test_what_is_searched_would_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other tests look for secrets in these artefacts: what the server says does reach them."""
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path))
    with serving(lambda _: (401, {}, b"NOTHING-TO-HIDE")) as host:
        found = artefacts(tmp_path, "--judge", "openai/m", "--base-url", f"http://{host}/v1")
    holding = {name for name, content in found.items() if b"NOTHING-TO-HIDE" in content}
    assert {"eval", "junit", "report, unpacked", "jsonl", "csv"} <= holding


@pytest.mark.slow("writes every report and export and searches them")
@pytest.mark.parametrize("status", [401, 403, 429, 500, 200])
@pytest.mark.parametrize("given", ["key", "password", "key of Anthropic"])
def test_no_secret_is_in_anything_that_is_shown_or_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, given: str
) -> None:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with serving(echoing(status)) as host:
        quoted = PASSWORD.replace("/", "%2F")
        address = f"http://user:{quoted}@{host}/v1" if given == "password" else f"http://{host}/v1"
        judge = "anthropic/m" if "Anthropic" in given else "openai/m"
        retry_policy = RetryPolicy(retries=0, repairs=0)
        result = Scorer("label", judge, base_url=address, retry_policy=retry_policy).score(**CASE)
        found = artefacts(tmp_path, "--judge", judge, "--base-url", address) if status in (401, 200) else {}
    found["result"] = result.to_json().encode()
    secrets = [KEY, PASSWORD, quoted, base64.b64encode(f"user:{PASSWORD}".encode()).decode()]
    for name, content in found.items():
        bare = re.sub(rb"\s+", b"", content)
        assert [secret for secret in secrets if secret.encode() in bare or secret[:-6].encode() in bare] == [], name
    if given == "key" and status != 429:
        assert SHOWN in result.to_json()


@pytest.mark.slow("writes every report and export and searches them")
@pytest.mark.parametrize("status", [401, 500, 200])
def test_a_secret_in_another_form_is_in_nothing_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    key = "sk-Ab/Cd+Ef0123456789xyz"
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", key)
    basic = base64.b64encode(f"user:{key}".encode()).decode()
    escaped = [key.replace("/", "\\/"), key.replace("+", "\\u002B"), key.replace("+", "&#43;"), quote(key)]
    forms = [*escaped, key[:12], basic]
    said = "Invalid: " + " ".join(forms)
    body = completion(json.dumps({"verdict": "hallucinated", "reason": [said]})) if status == 200 else said.encode()
    with serving(lambda _: (status, {}, body)) as host:
        address = f"http://{host}/v1"
        result = Scorer("label", "openai/m", base_url=address, retry_policy=ONCE).score(**CASE)
        found = artefacts(tmp_path, "--judge", "openai/m", "--base-url", address) if status != 500 else {}
    found["result"] = result.to_json().encode()
    for name, content in found.items():
        bare = re.sub(rb"[\s\\]+", b"", content)
        assert [part for part in (b"Ef01234567", b"sk-Ab/Cd+Ef0", basic.encode()[10:30]) if part in bare] == [], name
    assert SHOWN in result.to_json()


def test_headers_and_a_models_own_key_are_secrets_too() -> None:
    with serving(echoing(401)) as host:
        judge = openai_judge("m", base_url=f"http://{host}/v1", headers={"X-Gateway-Token": TOKEN})
        told = Scorer("label", judge, retry_policy=ONCE).score(**CASE).to_json()
    assert TOKEN not in told and SHOWN in told

    class Model:
        def __init__(self) -> None:
            self.api_key = "own-KEY-0123456789"

        def complete(self, prompt: str) -> str:
            raise RuntimeError(f"refused {self.api_key}")

    told = halluscope.check(**CASE, metric="label", judge=Model()).to_json()
    assert "own-KEY" not in told and SHOWN in told


@pytest.mark.parametrize(
    "base_url",
    [
        "http://user:hunter2PASSWORD@127.0.0.1:99999/v1",
        "http://user:hunter2PASSWORD@[::1/v1",
        "http://user:hunter2PASSWORD@/v1",
        "ftp://user:hunter2PASSWORD@127.0.0.1/v1",
        "http://[::1/v1",
        "http://host:port/v1",
        "http://host:0/v1",
        "http://a b/v1",
        "http://a\x00b/v1",
        "http://a..b/v1",
        "http://" + "a" * 64 + ".test/v1",
        "http://" + "ü" * 70 + "/v1",
        "http://host/v1\ud800",
        "http://us\ud800er:hunter2PASSWORD@host/v1",
        "//host/v1",
        "",
        " ",
    ],
)
def test_an_address_that_is_none_is_said_without_its_password(base_url: str) -> None:
    with pytest.raises(InputError, match="is not the address of a judge") as told:
        http.address(base_url)
    assert "hunter2" not in str(told.value)


@pytest.mark.parametrize("rest", ["?api-version=1", "#top", "?a#b"])
def test_an_address_ends_with_its_path(rest: str) -> None:
    for judge in (openai_judge, anthropic_judge):
        with pytest.raises(InputError, match=r"no \?query and no #fragment: .* 'http://host/v1'") as told:
            judge("m", api_key=KEY, base_url=f"http://user:hunter2PASSWORD@host/v1{rest}")
        assert "hunter2" not in str(told.value)


def test_a_password_is_in_no_text_made_of_a_judge() -> None:
    judge = openai_judge("m", base_url="http://user:hunter2PASSWORD@127.0.0.1:1/v1/")
    assert judge.model.server == "http://127.0.0.1:1/v1"
    other = anthropic_judge("m", api_key=KEY, base_url="http://user:hunter2PASSWORD@127.0.0.1:1/v1")
    for made in (judge.model, other.model):
        assert "hunter2" not in repr(made) + str(made) and KEY not in repr(made)


def test_user_and_password_go_out_as_a_header_and_not_beside_a_key() -> None:
    seen: list[str] = []

    def answer(headers: dict[str, str]) -> Response:
        seen.append(headers.get("authorization", ""))
        return 200, {}, GOOD

    with serving(answer) as host:
        address = f"http://user:p%40ss@{host}/v1"
        assert Scorer("label", openai_judge("m", base_url=address), retry_policy=ONCE).score(**CASE).label == "factual"
        with pytest.raises(InputError, match="pass only one of them"):
            openai_judge("m", base_url=address, api_key=KEY)
    assert seen == [f"Basic {base64.b64encode(b'user:p@ss').decode()}"]
