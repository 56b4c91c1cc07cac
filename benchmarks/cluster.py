"""What a Ray cluster on this machine makes of the embedded judge, and of a million rows with a stub in its place.

    python -m benchmarks.cluster [--cases 200]        # rate with 1 and 2 workers, overhead, memory of a worker
    python -m benchmarks.cluster --rows 1000000       # a million rows through the whole path, with a stub judge

The first prints, for the same cases, the rate of the plain runner with one core and with two, and that of a cluster
with as many workers of one core each, both without the time that processes and models take to start; and the CPU time
of a case, which says the same on a machine that has other things to do. The second prints the memory of the process
that started the run, as the rows go by.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import ray

from halluscope._internal.core.plumbing.threads import use_cores
from halluscope._internal.runs.runner import evaluate
from halluscope._internal.runs.store import Store
from halluscope.distributed import evaluate as evaluate_on_cluster

from .million import StubModel, memory, rows
from .sample_cases import rows as sample_rows

_FILES = 8
_WARM = 4
"""Cases that are scored before anything is measured."""


@contextmanager
def cluster(cpus: int) -> Iterator[None]:
    ray.init(
        address="local",
        num_cpus=cpus,
        object_store_memory=400 * 2**20,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
    )
    try:
        yield
    finally:
        ray.shutdown()


def write(folder: Path, made: list[dict[str, Any]], files: int = 1) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    size = -(-len(made) // files)
    for number in range(files):
        pq.write_table(pa.Table.from_pylist(made[number * size : (number + 1) * size]), folder / f"{number}.parquet")


def _parent(process: Path) -> str:
    return (process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]


class Workers:
    """The processes that score, looked at now and then: the most memory that one held, and the CPU time of each."""

    def __init__(self) -> None:
        self.most = 0.0
        self._seconds: dict[str, list[float]] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._over.wait(0.2):
            for process in Path("/proc").glob("[0-9]*"):
                try:
                    ours = _parent(Path(f"/proc/{_parent(process)}")) == str(os.getpid())  # by way of the raylet
                    if ours and b"MapWorker" in (process / "cmdline").read_bytes():
                        self._look(process)
                except (OSError, IndexError):  # it ended while it was looked at
                    continue

    def _look(self, process: Path) -> None:
        status = (process / "status").read_text(encoding="utf-8").splitlines()
        held = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
        self.most = max(self.most, held / 1024)
        times = (process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        seconds = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
        self._seconds.setdefault(process.name, []).append(seconds)

    def stop(self) -> float:
        """Seconds of CPU of all of them."""
        self._over.set()
        self._thread.join()
        return sum(seen[-1] for seen in self._seconds.values())


def plain(made: list[dict[str, Any]], cores: int, folder: Path) -> tuple[float, float]:
    """Cases a second of the plain runner, and milliseconds of CPU for a case."""
    use_cores(cores)
    with Store(folder / f"plain-{cores}.db") as store:
        evaluate(made[:_WARM], "hallucination", store=store, progress=False)
        wall, cpu = time.perf_counter(), time.process_time()
        evaluate(made[_WARM:], "hallucination", store=store, progress=False)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        count = len(made) - _WARM
        return count / wall, 1000 * cpu / count


def on_cluster(made: list[dict[str, Any]], workers: int, folder: Path) -> tuple[float, float]:
    """Seconds of CPU of the workers, and the most memory that one of them held."""
    home = folder / f"cluster-{workers}-{len(made)}"
    write(home / "data", made)
    watched = Workers()
    size = max(1, len(made) // 20)
    run = evaluate_on_cluster(
        str(home / "data"), "hallucination", output=home / "out", workers=workers, partition_rows=size, progress=False
    )
    seconds = watched.stop()
    assert run.summary().cases == len(made)
    return seconds, watched.most


def figures_written(folder: Path) -> list[float]:
    """When each partition was written down, the first first."""
    return sorted(path.stat().st_mtime for path in (folder / "out" / "figures").glob("*.json"))


def rates(count: int) -> None:
    """Print rate, overhead and memory."""
    made = list(sample_rows(count))
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given)
        for number in (1, 2):
            alone, alone_cpu = plain(made, number, folder)
            with cluster(number):
                starting, _ = on_cluster(made[: _WARM * number], number, folder)
                whole, held = on_cluster(made, number, folder)
            written = figures_written(folder / f"cluster-{number}-{count}")
            # From the moment that every worker has finished a partition to the end of the last.
            size = max(1, count // 20)
            together = (len(written) - number) * size / (written[-1] - written[number - 1])
            together_cpu = 1000 * (whole - starting) / (count - _WARM * number)
            print(
                f"{number} core(s): plain runner {alone:.2f} cases/s, {alone_cpu:.0f} ms of CPU a case; cluster of "
                f"{number} worker(s) {together:.2f} cases/s ({alone / together - 1:+.0%} time), {together_cpu:.0f} ms "
                f"({together_cpu / alone_cpu - 1:+.0%}), at most {held:.0f} MB in a worker",
                flush=True,
            )


def million(count: int) -> None:
    """Print how the memory of the driver goes while many rows go by."""
    with tempfile.TemporaryDirectory() as given, cluster(2):
        folder = Path(given)
        source = rows(count)
        size = -(-count // _FILES)
        for number in range(_FILES):
            write(folder / f"data/{number}", [row for _, row in zip(range(size), source, strict=False)])
        print(f"{count:,} rows are written; {memory():.0f} MB before", flush=True)
        figures, over = folder / "out" / "figures", threading.Event()
        held: list[float] = []

        def watch() -> None:
            told, start = 0, time.perf_counter()
            while not over.wait(1.0):
                held.append(memory())
                done = 2000 * len(list(figures.glob("*.json"))) if figures.is_dir() else 0
                if done - told >= count // 10:
                    told = done
                    rate = done / (time.perf_counter() - start)
                    print(f"{done:>10,} rows {rate:>8,.0f} rows/s {held[-1]:>6.0f} MB", flush=True)

        threading.Thread(target=watch, daemon=True).start()
        start = time.perf_counter()
        run = evaluate_on_cluster(
            f"{folder}/data/*/*.parquet", judge=StubModel(), output=folder / "out", partition_rows=2000, progress=False
        )
        wall = time.perf_counter() - start
        over.set()
        assert run.summary()["hallucination"].scored == count
        middle = held[len(held) // 4]
        print(
            f"{count:,} rows in {wall:.0f} s ({count / wall:,.0f} a second), driver {middle:.0f} MB after a quarter of "
            f"the time, at most {max(held):.0f} MB"
        )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--rows", type=int)
    given = parser.parse_args()
    if given.rows:
        million(given.rows)
    else:
        rates(given.cases)


if __name__ == "__main__":
    main()
