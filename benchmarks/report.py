"""How long a report of ten thousand cases takes to write and to open, and whether it scrolls without stutter.

    python -m benchmarks.report [--cases 10000]

Needs Chromium (Debian's package `chromium`). Run it from the root of the repository.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
from tests.helpers.browser import Page, chromium, find_chromium, new_page
from tests.helpers.reporting import judged

from halluscope import Case, Result
from halluscope._internal.core.result import Exchange, Usage
from halluscope._internal.runs.report import write_results

WORDS = "the river runs past old mills and quiet towns where people work by day and rest at night".split()

FRAMES = """(async () => {
  const list = document.querySelector("#list");
  const frames = [];
  const next = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let before = await next();
  for (let i = 0; i < 240; i++) {
    list.scrollTop = %s;
    const now = await next();
    frames.push(now - before);
    before = now;
  }
  return frames;
})()"""

SCROLLS = {
    "scroll": "i * 120",
    "jump": "((i * 7919) % 240) / 240 * (list.scrollHeight - list.clientHeight)",
}

TIMED = """(async () => {
  const started = performance.now();
  %s
  return performance.now() - started;
})()"""


def pairs(n: int) -> Iterator[tuple[Case, Result]]:
    """Ordinary cases: five sentences, three passages of sixty words, prompts and replies."""
    for i in range(n):
        sentences = [
            f"Fact {i}-{k}: {' '.join(WORDS[(i + k * 3 + j) % len(WORDS)] for j in range(12))}." for k in range(5)
        ]
        context = [" ".join(WORDS[(i * 5 + p + j) % len(WORDS)] for j in range(60)) + f" ({i}-{p})" for p in range(3)]
        case = Case.of(" ".join(sentences), context, f"Question {i}?", id=f"case-{i:06d}")
        quote = f"({i}-1)"
        marked = [(s, "SSCUS"[(i + k) % 5], quote if k < 2 else "") for k, s in enumerate(sentences)]
        asked = tuple(
            Exchange(
                kind,
                "openai/any",
                f"{kind}: {case.output} {' '.join(context)}",
                '{"claims": []}',
                Usage(1, 700, 90, 0.001),
            )
            for kind in ("extract", "verify", "explain")
        )
        yield case, judged(case, marked, exchanges=asked)


async def spent(page: Page) -> float:
    """Milliseconds of processor time the page's main thread has used, whatever else the machine does."""
    metrics = {metric["name"]: metric["value"] for metric in (await page.send("Performance.getMetrics"))["metrics"]}
    return 1000 * float(metrics["ThreadTime"])


async def measure(page: Page, path: Path) -> None:
    started = time.perf_counter()
    await page.open(path)
    print(f"open             {time.perf_counter() - started:8.2f} s until the list can be used")
    await page.send("Performance.enable", timeDomain="threadTicks")
    for name, place in SCROLLS.items():
        before = await spent(page)
        frames: list[float] = await page.run(FRAMES % place)
        work = (await spent(page) - before) / len(frames)
        late = sorted(frames)[int(0.95 * len(frames))]
        print(
            f"{name:16} {statistics.median(frames):8.1f} ms per frame, 95 % within {late:.1f} ms; "
            f"{work:.1f} ms of processor time per frame"
        )
    chip = "document.querySelector('.chip').click(); await new Promise(requestAnimationFrame);"
    print(f"filter           {await page.run(TIMED % chip):8.1f} ms until the next frame")
    await page.run(TIMED % chip)
    await page.press("j")
    await page.until("document.querySelector('.case')")
    id = "document.querySelector('.case-id').textContent"
    steps = []
    for _ in range(20):
        shown = await page.run(id)
        started = time.perf_counter()
        await page.press("j")
        await page.until(f"{id} !== {shown!r}")
        steps.append((time.perf_counter() - started) * 1000)
    print(f"next case        {statistics.median(steps):8.1f} ms from key to page, driver included")
    for first in (True, False):
        await page.run("document.querySelector('#search').value = ''")
        await page.press("/")
        started = time.perf_counter()
        await page.type(f'"question {4321 if first else 1234}?"')
        await page.until("document.querySelector('.list-space').offsetHeight === 68", seconds=120)
        what = "search, first    " if first else "search, again    "
        print(f"{what}{(time.perf_counter() - started) * 1000:8.0f} ms, 120 of them waiting for more letters")
        await page.press("Escape", "Escape")
    heap: dict[str, Any] = await page.send("Runtime.getHeapUsage")
    print(f"memory           {heap['usedSize'] / 1e6:8.0f} MB of script heap after all this")


async def main(n: int) -> None:
    executable = find_chromium()
    if executable is None:
        sys.exit("no Chromium: install the package `chromium`, or set CHROMIUM to where it is")
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        path = write_results(pairs(n), Path(folder) / "report.html", baseline=pairs(n))
        size = path.stat().st_size / 1e6
        print(f"write            {time.perf_counter() - started:8.2f} s for {n:,} cases, {size:.1f} MB")
        with chromium(executable) as address:
            async with aiohttp.ClientSession() as session:
                page = await new_page(session, address)
                await measure(page, path)
                await page.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    asyncio.run(main(parser.parse_args().cases))
