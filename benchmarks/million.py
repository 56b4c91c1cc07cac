"""A million rows through the pipeline of the embedded judge, with a stub in place of its model.

    python -m benchmarks.million [--rows 1000000] [--again 200000] [--metric hallucination] [--text]

The stub stands for the whole judge, so that the runner and the store are what is measured. With `--text` it
stands for the pair model alone: claims, evidence, numbers and names are read as they are for users, which
takes some ten times as long.

Prints the rate and the memory as the rows go by and the processor time of a row, then runs the first rows once
more: every result is in the store by then, and the rate is that of reading, looking up and writing a run. The
memory is that of the whole process.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from halluscope._internal.core.verdict import Claim, Support, Verdict
from halluscope._internal.engine.judge import Answer, Call
from halluscope._internal.engine.questions import (
    ComparePassages,
    Explain,
    ExtractClaims,
    ExtractTruths,
    LabelAnswer,
    Labelled,
    Question,
    Verification,
    VerifyClaims,
    numbered,
)
from halluscope._internal.judges.embedded.deciding import verdicts as reader
from halluscope._internal.judges.embedded.embedded_judge import EmbeddedJudge
from halluscope._internal.judges.embedded.network.model import KINDS, ClaimView, Reading, view_of
from halluscope._internal.runs.runner import evaluate
from halluscope._internal.runs.store import Store

T = TypeVar("T")


class StubPairs:
    """Takes the pair model's place in the embedded judge: every claim is supported, no token doubtful."""

    def read(self, readings: Sequence[Reading]) -> list[tuple[ClaimView, ...]]:
        return [tuple(view_of((4.0, 0.0, 0.0), (0.0,) * len(KINDS), ()) for _ in item.claims) for item in readings]


def text_judge() -> EmbeddedJudge:
    """The embedded judge with all it reads by rule, and the stub for its model."""
    reader.load = StubPairs  # type: ignore[assignment]
    return EmbeddedJudge()


class StubModel:
    """Takes the embedded judge's place and name, so that the runner treats it alike; finds every claim supported."""

    name = "local"
    window = None
    asks = False

    def fingerprint(self) -> str:
        return "stub"

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        return Answer(judge=self.name, value=self._value(question))

    def _value(self, question: Question[Any]) -> Any:
        if isinstance(question, ExtractClaims):
            return numbered(_sentences(question.output))
        if isinstance(question, VerifyClaims):
            return Verification(tuple(Verdict(c, Support.SUPPORTED, word="supported") for c in question.claims))
        if isinstance(question, LabelAnswer):
            return Labelled(label="factual", reasons=("nothing is wrong",))
        if isinstance(question, ComparePassages):
            return question.typical_answer()
        if isinstance(question, ExtractTruths):
            return tuple(passage.text for passage in question.passages)
        assert isinstance(question, Explain)
        return question.summary


def _sentences(text: str) -> list[Claim]:
    claims, start = [], 0
    for sentence in text.split(". "):
        claims.append(Claim("", sentence, start, start + len(sentence)))
        start += len(sentence) + 2
    return claims


def rows(count: int) -> Iterator[dict[str, Any]]:
    """Cases of three sentences with three passages, no two alike."""
    for i in range(count):
        yield {
            "id": f"case-{i}",
            "input": f"What is known about item {i}?",
            "output": f"Item {i} was made in {1900 + i % 100}. It weighs {i % 977} grams. It came from Town {i % 331}.",
            "context": [
                f"Item {i} was made in {1900 + i % 100}, when the workshop had moved to the other side of the river.",
                f"The ledger gives its weight as {i % 977} grams, without the case in which it was kept.",
                f"It came from Town {i % 331}, like all items between {i - i % 10} and {i - i % 10 + 9}.",
            ],
        }


class Watch:
    """Rows as they are read, with the rate and the memory printed now and then."""

    def __init__(self, step: int) -> None:
        self.peak = 0.0
        self._step = step
        self._started = time.perf_counter()
        threading.Thread(target=self._look, daemon=True).start()

    def __call__(self, given: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        last = time.perf_counter()
        for number, row in enumerate(given):
            if number and number % self._step == 0:
                now = time.perf_counter()
                print(f"{number:>10,} rows {self._step / (now - last):>8,.0f} rows/s {memory():>6.0f} MB", flush=True)
                last = now
            yield row

    def _look(self) -> None:
        while True:
            self.peak = max(self.peak, memory())
            time.sleep(0.2)


def memory() -> float:
    """Megabytes that the process holds at this moment."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--again", type=int, default=200_000)
    parser.add_argument("--metric", default="hallucination")
    parser.add_argument("--text", action="store_true", help="stub the pair model only")
    given = parser.parse_args()
    judge = text_judge() if given.text else StubModel()
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store.db") as store:
        watch = Watch(max(1, given.rows // 20))
        start, cpu = time.perf_counter(), time.process_time()
        run = evaluate(watch(rows(given.rows)), given.metric, judge, store=store, progress=False)
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        assert run.summary()[given.metric].results == given.rows
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 2**20
        print(
            f"{given.rows:,} rows: {given.rows / wall:,.0f} a second ({1000 * cpu / given.rows:.2f} ms of CPU a row), "
            f"at most {watch.peak:.0f} MB of memory, {size:,.0f} MB on disk"
        )
        again = min(given.again, given.rows)
        start, cpu = time.perf_counter(), time.process_time()
        run = evaluate(rows(again), given.metric, judge, store=store, progress=False)
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        assert run.summary()[given.metric].results == again
        print(f"{again:,} rows again: {again / wall:,.0f} a second ({again / cpu:,.0f} per second of CPU)")


if __name__ == "__main__":
    main()
