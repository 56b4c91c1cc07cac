"""A real Chromium, driven over its DevTools protocol."""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp

from .waiting import LONG

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--no-default-browser-check"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"),
    *("--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-dev-shm-usage"),
    *(
        "--disable-backgrounding-occluded-windows",
        "--hide-scrollbars",
        "--force-color-profile=srgb",
        "--remote-debugging-port=0",
    ),
)
KEYS = {"Enter": "\r", "Escape": "", "Tab": "", "ArrowDown": "", "ArrowUp": "", "ArrowLeft": "", "ArrowRight": ""}


def find_chromium() -> str | None:
    """Where Chromium is, None where there is none."""
    named = os.environ.get("CHROMIUM")
    names = (named,) if named else ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next((found for found in map(shutil.which, names) if found), None)


@contextmanager
def chromium(executable: str) -> Iterator[str]:
    """A running Chromium; gives the address of its DevTools."""
    profile = tempfile.mkdtemp(prefix="halluscope-chromium-")
    process = subprocess.Popen(
        [executable, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://127.0.0.1:{_port(Path(profile) / 'DevToolsActivePort', process)}"
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(profile, ignore_errors=True)


def _port(file: Path, process: subprocess.Popen[bytes]) -> int:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"Chromium ended at its start, with code {process.returncode}")
        if file.exists() and file.read_text(encoding="utf-8").strip():
            return int(file.read_text(encoding="utf-8").split()[0])
        time.sleep(0.05)
    raise RuntimeError("Chromium did not open its DevTools within two minutes")


class Page:
    """One tab. `requests` are the addresses it asked for, `errors` what went wrong in it."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._heard: dict[str, Callable[[dict[str, Any]], None]] = {
            "Network.requestWillBeSent": lambda event: self.requests.append(event["request"]["url"]),
            "Runtime.exceptionThrown": lambda event: self.errors.append(str(event["exceptionDetails"])),
            "Log.entryAdded": self._logged,
            "Page.javascriptDialogOpening": lambda event: self.errors.append(f"a dialog: {event['message']}"),
            "Page.loadEventFired": lambda event: self._loaded.set(),
        }
        self._loaded = asyncio.Event()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._reader = asyncio.ensure_future(self._read())

    def _logged(self, event: dict[str, Any]) -> None:
        if event["entry"]["level"] == "error":
            self.errors.append(event["entry"]["text"])

    async def _read(self) -> None:
        try:
            async for message in self._socket:
                data = message.json()
                if "id" in data:
                    self._waiting.pop(data["id"]).set_result(data)
                elif data["method"] in self._heard:
                    self._heard[data["method"]](data["params"])
        finally:
            for future in self._waiting.values():
                future.set_exception(ConnectionError("the tab is gone"))
            self._waiting.clear()

    async def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command, and its result."""
        id = next(self._ids)
        future = self._waiting[id] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": id, "method": method, "params": parameters})
        reply = await asyncio.wait_for(asyncio.shield(future), LONG)
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']['message']}")
        result: dict[str, Any] = reply["result"]
        return result

    async def start(self, width: int = 1400, height: int = 900) -> None:
        for domain in ("Page", "Runtime", "Network", "Log"):
            await self.send(f"{domain}.enable")
        await self.size(width, height)
        await self.prefer()

    async def close(self) -> None:
        with suppress(ConnectionError):  # the tab may be gone before it can say so
            await self.send("Page.close")
        await self._socket.close()
        await self._reader

    async def size(self, width: int, height: int, mobile: bool = False) -> None:
        """The size of the window, or of a phone's screen, which is touched."""
        await self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile
        )
        await self.send("Emulation.setTouchEmulationEnabled", enabled=mobile)

    async def prefer(self, **features: str) -> None:
        """Media features, such as `prefers_color_scheme="dark"`; and no motion, which a test would have to wait for."""
        wanted = {"prefers_reduced_motion": "reduce", **features}
        listed = [{"name": name.replace("_", "-"), "value": value} for name, value in wanted.items()]
        await self.send("Emulation.setEmulatedMedia", features=listed)

    async def open(self, path: Path, hash: str = "") -> None:
        """Load a file and wait until its script has run."""
        await self.visit(path.as_uri() + hash)

    async def visit(self, address: str) -> None:
        """Load a page and wait until its script has run."""
        for url in ("about:blank", address):
            self._loaded.clear()
            await self.send("Page.navigate", url=url)
            await asyncio.wait_for(self._loaded.wait(), LONG)
        await self.until("document.documentElement.dataset.ready")

    async def run(self, expression: str) -> Any:
        """The value of a JavaScript expression; promises are awaited."""
        result = await self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    async def until(self, expression: str, seconds: float = LONG) -> Any:
        """Wait until the expression is true."""
        end = time.monotonic() + seconds
        while (value := await self.run(expression)) in (None, False, 0, ""):
            if time.monotonic() > end:
                raise AssertionError(f"after {seconds:g} s this is still not so: {expression}; errors: {self.errors}")
            await asyncio.sleep(0.02)
        return value

    async def texts(self, selector: str) -> list[str]:
        """The text of every element that matches."""
        found: list[str] = await self.run(f"[...document.querySelectorAll({selector!r})].map((e) => e.textContent)")
        return found

    async def click(self, selector: str, containing: str = "") -> None:
        """A real click, in the middle of the first match that holds the text."""
        place = await self.until(
            f"""(() => {{
                const all = [...document.querySelectorAll({selector!r})];
                const found = all.find((e) => e.textContent.includes({containing!r}));
                if (!found) return null;
                found.scrollIntoView({{ block: "center", behavior: "instant" }});
                const box = found.getClientRects()[0];
                return box && {{ x: box.x + Math.min(box.width / 2, 200), y: box.y + box.height / 2 }};
            }})()"""
        )
        for kind in ("mousePressed", "mouseReleased"):
            await self.send("Input.dispatchMouseEvent", type=kind, **place, button="left", clickCount=1)

    async def press(self, *keys: str, held: int = 0) -> None:
        """Real key strokes; `held` are the modifiers, 2 for Ctrl."""
        for key in keys:
            text = "" if held else KEYS.get(key, key if len(key) == 1 else "")
            named: dict[str, Any] = {"key": key, "code": key if len(key) > 1 else "", "text": text, "modifiers": held}
            if key in _CODES:
                named["windowsVirtualKeyCode"] = _CODES[key]
            await self.send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **named)
            await self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def type(self, text: str) -> None:
        await self.send("Input.insertText", text=text)

    async def screenshot(self) -> bytes:
        """The visible page as a PNG."""
        shot = await self.send("Page.captureScreenshot", format="png")
        return base64.b64decode(shot["data"])


_CODES = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39}


async def new_page(session: aiohttp.ClientSession, address: str) -> Page:
    """A new, empty tab."""
    async with session.put(f"{address}/json/new?about:blank") as response:
        target = await response.json()
    socket = await session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0)
    page = Page(socket)
    await page.start()
    return page
