"""What every test has: no network but loopback, no judge from the environment, and a server when it asks for one."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from halluscope._internal.judges.chat import http, response_modes

from .helpers.browser import Page, chromium, find_chromium, new_page
from .helpers.loopback import Loopback
from .helpers.readings import remembered
from .helpers.workers import Together, begin_with_long_ones


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-llm", action="store_true", help="also run the tests against a real model (tests/llm)")
    parser.addoption(
        "--run-hosts", action="store_true", help="also run the tests inside other tools (tests/integrations)"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    for folder, option in (("llm", "--run-llm"), ("integrations", "--run-hosts")):
        if collection_path == Path(__file__).parent / folder and not config.getoption(option):
            return True
    return None


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    begin_with_long_ones(items, config.rootpath)
    for item in items:
        for mark in item.iter_markers("slow"):
            if len(mark.args) != 1:
                raise pytest.UsageError(
                    f"{item.nodeid}: say why it is slow, as in pytest.mark.slow('starts Chromium')."
                )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together:
    return Together(config, log)


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """A connection to anything but this machine is a mistake in the test."""
    patch = pytest.MonkeyPatch()
    for name in ("connect", "connect_ex"):
        patch.setattr(socket.socket, name, _only_loopback(getattr(socket.socket, name)))
    yield
    patch.undo()


@pytest.fixture(autouse=True, scope="session")
def _interruptible() -> None:
    """What is started in the background is often told to ignore Ctrl-C: the tests that press it need it heard."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _only_loopback(connect: Any) -> Any:
    def checked(self: socket.socket, address: Any) -> Any:
        near = not isinstance(address, tuple) or str(address[0]).startswith(("127.", "::1", "localhost"))
        if self.family in (socket.AF_INET, socket.AF_INET6) and not near:
            raise AssertionError(f"a test tried to reach {address[0]}")
        return connect(self, address)

    return checked


@pytest.fixture(autouse=True, scope="session")
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is kept, is kept where nobody else looks."""
    patch = pytest.MonkeyPatch()
    patch.setenv("HALLUSCOPE_HOME", str(tmp_path_factory.mktemp("home")))
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the environment, or an earlier test, says of judges does not count."""
    for name in (
        "HALLUSCOPE_JUDGE",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "http_proxy",
        "https_proxy",
    ):
        monkeypatch.delenv(name, raising=False)
    response_modes.forget()
    http._reached.clear()  # a server of an earlier test may have had the port that is nobody's now


@pytest.fixture
def server() -> Iterator[Loopback]:
    """A chat model's server; see `loopback`."""
    with Loopback() as served:
        yield served


@pytest.fixture
def remembered_readings() -> Iterator[None]:
    """For tests that have the same texts judged again and again."""
    with remembered():
        yield


@pytest.fixture(scope="session")
def devtools() -> Iterator[str]:
    """The address of a running Chromium."""
    executable = find_chromium()
    if executable is None:
        missing = "no Chromium: install the package `chromium`, or set CHROMIUM to where it is"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    with chromium(executable) as address:
        yield address


@pytest.fixture
async def page(devtools: str) -> AsyncIterator[Page]:
    """An empty tab."""
    async with aiohttp.ClientSession() as session:
        tab = await new_page(session, devtools)
        yield tab
        await tab.close()
