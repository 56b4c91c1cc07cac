"""Secrets in every form that a server may repeat them in, and texts that are not to be touched."""

from __future__ import annotations

import base64
import html
import json
import logging
from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from halluscope._internal.core import redaction
from halluscope._internal.core.errors import JudgeError
from halluscope._internal.core.plumbing.loggers import logger
from halluscope._internal.core.redaction import SHOWN, as_cause, keep_secret, keep_user_secret, redacted

from ..helpers.growth import assert_linear
from ..test_growth import HOSTILE

KEY = "sk-Ab/Cd+Ef0123456789=xyz"


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This key alone is secret."""
    monkeypatch.setattr(redaction, "_secrets", {})
    keep_secret(KEY)
    yield


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "JSON as PHP writes it": lambda key: key.replace("/", "\\/"),
    "JSON as .NET writes it": lambda key: key.replace("+", "\\u002B").replace("=", "\\u003d"),
    "JSON in JSON": lambda key: json.dumps(json.dumps(key.replace("/", "\\/"))),
    "all in Unicode escapes": lambda key: "".join(f"\\u{ord(c):04x}" for c in key),
    "hexadecimal escapes": lambda key: key.replace("+", "\\x2b"),
    "HTML, decimal": lambda key: key.replace("+", "&#43;").replace("/", "&#047;"),
    "HTML, hexadecimal": lambda key: key.replace("+", "&#x2B;"),
    "HTML, named": lambda key: key.replace("+", "&plus;").replace("/", "&sol;"),
    "HTML in HTML": lambda key: html.escape(key.replace("+", "&#43;")),
    "HTML in JSON": lambda key: json.dumps(key.replace("+", "&#43;").replace("/", "\\/")),
    "an address": lambda key: quote(key, safe=""),
    "an address in small letters": lambda key: quote(key, safe="").replace("%2F", "%2f").replace("%2B", "%2b"),
    "an address in an address": lambda key: quote(quote(key, safe=""), safe=""),
    "JSON in an address": lambda key: quote(json.dumps(key.replace("/", "\\/")), safe=""),
    "a Basic header": lambda key: encoded(f"user:{key}"),
    "a Basic header, shifted by one": lambda key: encoded(f"u:{key}"),
    "a Basic header, shifted by two": lambda key: encoded(f"us:{key}"),
    "a Basic header in an address": lambda key: quote(encoded(f"user:{key}"), safe=""),
    "base64 for addresses": lambda key: base64.urlsafe_b64encode(f":{key}".encode()).decode(),
    "the first half": lambda key: key[: len(key) // 2],
    "the last half": lambda key: key[len(key) // 2 :],
    "the middle": lambda key: key[5:-5],
    "the last half, escaped": lambda key: key[5:].replace("+", "\\u002B"),
    "a repr": repr,
}


@pytest.mark.parametrize("key", [KEY, "p/ss+w=rd&\"q'uote" + "\\" + "d_xyz", "sk-proj-" + "aB3/xY9+" * 19 + "wxyz"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_secret_is_found_in_every_form(form: Callable[[str], str], key: str) -> None:
    keep_secret(key)
    there = form(key)
    told = redacted(f"Invalid key {there}, 100% sure & \\ sorry")
    assert told.startswith("Invalid key ") and told.endswith(", 100% sure & \\ sorry")
    assert SHOWN in told and len(told) < len("Invalid key , 100% sure & \\ sorry") + len(SHOWN) + 30
    for start in range(len(there) - 12):
        assert there[start : start + 13] not in told


def test_what_is_shown_of_a_key_by_custom_stays() -> None:
    assert (
        redacted("Incorrect API key provided: sk-Ab***********=xyz")
        == "Incorrect API key provided: sk-Ab***********=xyz"
    )


def test_several_in_a_row() -> None:
    keep_secret("another-SECRET-0123")
    assert redacted(f"{KEY}another-SECRET-0123 {KEY}") == f"{SHOWN} {SHOWN}"
    assert redacted(f"a {KEY} b {KEY[3:]} c") == f"a {SHOWN} b {SHOWN} c"


def test_a_password_with_its_user() -> None:
    keep_user_secret("me", "hunter2/PASSWORD")
    header = base64.b64encode(b"me:hunter2/PASSWORD").decode()
    assert redacted(f"Basic {header}; hunter2%2fPASSWORD") == f"Basic {SHOWN}; {SHOWN}"


def test_short_or_wordy_values_are_found_in_whole_alone() -> None:
    keep_secret("EMPTY", "password123", "correct horse battery staple")
    for text in ("EMPTY", "a password", "the horse battery", "correct horse"):
        assert redacted(text) == text
    assert redacted("password123 / correct horse battery staple") == f"{SHOWN} / {SHOWN}"


def test_a_secret_that_cannot_be_encoded() -> None:
    keep_secret("SECRET-\ud800-0123456789")
    assert redacted("SECRET-\ud800-0123456789") == SHOWN


@given(st.text(st.sampled_from('ab \\%&u0043;#x+/2F5C\n"'), max_size=80))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_without_secrets_stays(text: str) -> None:
    assert redacted(text) == text
    assert redacted(f"{text} {KEY} {text}") == f"{text} {SHOWN} {text}"


@pytest.mark.slow("reads long texts to see how the time grows")
@pytest.mark.parametrize("name", HOSTILE)
def test_it_takes_time_in_proportion(name: str) -> None:
    start, middle, end = HOSTILE[name]
    assert_linear(lambda length: redacted(start + middle * (length // len(middle)) + end), start=3_000, longest=300_000)


@pytest.mark.slow("reads long texts to see how the time grows")
@pytest.mark.parametrize("middle", ["\\", "%25", "&amp;", "&#", "\\u005c", KEY[:11], KEY, "=", encoded(KEY)])
def test_it_takes_time_in_proportion_to_what_looks_like_a_secret(middle: str) -> None:
    keep_secret("=" * 40)
    assert_linear(lambda length: redacted(middle * (length // len(middle))), start=3_000, longest=300_000)


def test_an_error_that_tells_a_secret_is_no_cause() -> None:
    plain, secret = ValueError("refused"), ValueError(f"refused {KEY}")
    assert as_cause(plain) is plain and as_cause(secret) is None
    try:
        raise plain from secret
    except ValueError as error:
        assert as_cause(error) is None
    try:
        raise JudgeError("x") from as_cause(secret)
    except JudgeError as error:
        assert error.__cause__ is None and error.__suppress_context__


def test_a_log_holds_no_secret_whoever_handles_it() -> None:
    records: list[logging.LogRecord] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    log, handler = logger("test"), Handler()
    log.addHandler(handler)
    try:
        try:
            raise ValueError(f"refused {quote(KEY)}")
        except ValueError:
            log.exception("failed with %s", KEY)
        try:
            raise ValueError("plain")
        except ValueError:
            log.exception("failed with %s", "nothing")
    finally:
        log.removeHandler(handler)
    first, second = (logging.Formatter().format(record) for record in records)
    assert first.startswith(f"failed with {SHOWN}\nTraceback") and f"refused {SHOWN}" in first
    assert records[0].exc_info is None and records[1].exc_info and "ValueError: plain" in second
