"""Who may ask, what an answer carries, and what never leaves."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from halluscope._internal.cli.app import app
from halluscope._internal.core.errors import InputError
from halluscope._internal.serving.http.application import Application
from halluscope._internal.serving.http.settings import ServerSettings
from halluscope._internal.serving.http.transport.logs import Redacting

from ...helpers.serving import Served
from .conftest import TOKEN


def asked(path: str = "/v1/about", **headers: str) -> bytes:
    given = {"host": "localhost", **headers}
    return "\r\n".join([f"GET {path} HTTP/1.1", *(f"{n}: {v}" for n, v in given.items()), "", ""]).encode()


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer  {TOKEN} ", 200),
        (None, 401),
        ("", 401),
        ("Bearer", 401),
        (f"Basic {TOKEN}", 401),
        (f"Bearer {TOKEN[:-1]}", 401),
        (f"Bearer {TOKEN}x", 401),
        (f"Bearer {TOKEN.upper()}", 401),
        ("Bearer \xe9\xff", 401),
    ],
)
def test_the_token_is_demanded(served: Served, header: str | None, status: int) -> None:
    sent = asked(**({} if header is None else {"authorization": header}))
    answered, headers, body = served.raw(sent)
    assert answered == status, body
    if status == 401:
        assert headers["www-authenticate"].startswith("Bearer")
        assert TOKEN not in body.decode()


def test_what_probes_ask_needs_no_token(served: Served) -> None:
    assert json.loads(served.raw(asked("/healthz"))[2]) == {"status": "alive"}
    assert json.loads(served.raw(asked("/readyz"))[2]) == {"status": "ready"}
    for path in ("/metrics", "/v1/runs", "/v1/runs/nightly-1/report"):
        assert served.raw(asked(path))[0] == 401


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "example.org", ""])
def test_a_server_beyond_loopback_requires_a_token(host: str) -> None:
    with pytest.raises(InputError, match="needs a token"):
        Application(ServerSettings(host=host))
    Application(ServerSettings(host=host, token=TOKEN))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_a_server_on_loopback_requires_no_token(host: str) -> None:
    Application(ServerSettings(host=host))


@pytest.mark.parametrize("token", ["short", "x" * 15, "blank in the middle of it", "ünïcödé-ünïcödé-ünïcödé"])
def test_a_token_that_protects_nothing_is_refused(token: str) -> None:
    with pytest.raises(InputError, match="at least 16"):
        Application(ServerSettings(host="0.0.0.0", token=token))


def test_a_page_of_another_site_gets_nothing() -> None:
    """Neither by a request across origins, nor by a name that was made to lead to this machine."""
    with Served() as served:
        assert served.raw(asked())[0] == 200
        for host in ("localhost:99", "127.0.0.1", "[::1]:80"):
            assert served.raw(asked(host=host))[0] == 200
        for host in ("evil.example", "localhost.evil.example", "", "[::2]"):
            assert served.raw(asked(host=host))[0] == 421
        assert served.raw(asked(origin="http://localhost"))[0] == 200
        for origin in ("http://evil.example", "null", "http://localhost:9", "http://[::1", "http://[", "http://", ""):
            assert served.raw(asked(origin=origin))[0] == 403


def test_every_answer_is_kept_out_of_frames_and_caches(served: Served) -> None:
    for sent in (asked(), asked(authorization=f"Bearer {TOKEN}"), asked("/nowhere"), asked("/healthz")):
        _, headers, _ = served.raw(sent)
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers


def test_an_unexpected_error_reveals_nothing(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    with Served(ServerSettings(token=TOKEN)) as served:

        async def broken(*_: Any) -> None:
            raise RuntimeError(f"the key {TOKEN} is in /etc/secret")

        monkeypatch.setattr(served.application.service, "check", broken)
        body = b'{"output": "x", "context": []}'
        sent = b"POST /v1/check HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer %s\r\n" % TOKEN.encode()
        sent += b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)
        with caplog.at_level(logging.INFO, "halluscope.server"):
            status, _, told = served.raw(sent)
    problem = json.loads(told)["error"]
    assert (status, problem["code"]) == (500, "unexpected")
    assert "secret" not in told.decode() and "RuntimeError" not in told.decode() and TOKEN not in told.decode()
    (logged,) = [record for record in caplog.records if record.exc_info or record.exc_text]
    line = Redacting("%(message)s").format(logged)
    assert "RuntimeError" in line and problem["message"].split()[-1].rstrip(".") in line
    assert TOKEN not in line and "[redacted]" in line


def test_the_command_says_in_one_sentence_why_it_does_not_start(
    tmp_path: Path, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HALLUSCOPE_TOKEN", raising=False)
    empty = tmp_path / "token"
    empty.write_text("\n", encoding="utf-8")
    for arguments, said in (
        (["--host", "0.0.0.0"], "needs a token"),
        (["--token-file", str(tmp_path / "none")], "cannot read the token"),
        (["--token-file", str(empty)], "is empty"),
        (["--judge", "openai"], "needs a model"),
    ):
        done = CliRunner().invoke(app, ["serve", *arguments])
        assert done.exit_code == 2, done.output
        assert said in done.output and len(done.output.strip().splitlines()) == 1, done.output
    with pytest.raises(InputError, match="cannot listen on"):
        Application(ServerSettings(port=served.port)).run()
