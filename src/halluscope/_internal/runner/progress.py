"""What a run tells while it goes on."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import Struct

from ..text.counting import count_of

_MANY_STEPS = 200
"""A case with fewer is done before anybody could read how far it is."""


class Progress(Struct):
    """How far a run is. `total` is an estimate of the cases in the data where the data does not say."""

    cases: int = 0
    """Cases that have all their results."""
    total: int | None = None
    reused: int = 0
    """Results that were there already."""
    results: int = 0
    failed: int = 0
    bad_rows: int = 0
    cost: float | None = 0.0
    at_once: int = 0
    trouble: str | None = None
    steps: tuple[int, int] | None = None
    """How far the longest case under way is: pairs of claim and evidence read, and in all."""


class Display(Protocol):
    """Shows progress to somebody."""

    def start(self) -> None: ...

    def show(self, progress: Progress) -> None: ...

    def stop(self) -> None: ...


class Silence:
    """Shows nothing."""

    def start(self) -> None:
        return

    def show(self, progress: Progress) -> None:
        return

    def stop(self) -> None:
        return


class Bar:
    """A bar on standard error: cases, rate, time left and money spent."""

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, ProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress
        from rich.text import Text

        class Rate(ProgressColumn):
            def render(self, task: Any) -> Text:
                speed = task.finished_speed or task.speed
                return Text("" if not speed else f"{speed:.1f}/s" if speed < 100 else f"{speed:,.0f}/s")

        self._bar = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[counted]}", markup=False),
            Rate(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[said]}", markup=False),
            console=Console(stderr=True),
            refresh_per_second=5,
            transient=True,
            speed_estimate_period=10,
        )
        self._task = self._bar.add_task(name, total=None, counted="", said="")

    def start(self) -> None:
        self._bar.start()

    def show(self, progress: Progress) -> None:
        of = f"/{progress.total}" if progress.total else ""
        said = ["$ unknown" if progress.cost is None else f"${progress.cost:.4f}"]
        if progress.failed:
            said.append(f"{progress.failed} failed")
        if progress.bad_rows:
            said.append(count_of(progress.bad_rows, "bad row"))
        if progress.steps and progress.steps[1] >= _MANY_STEPS:
            said.append("longest case {:,} of {:,}".format(*progress.steps))
        if progress.trouble:
            said.append("".join(c if c.isprintable() else " " for c in progress.trouble[:60]))
        self._bar.update(
            self._task,
            completed=progress.cases,
            total=progress.total,
            counted=f"{progress.cases}{of}",
            said=" · ".join(said),
        )

    def stop(self) -> None:
        self._bar.stop()


def display_for(name: str, wanted: bool | None) -> Display:
    """A bar where somebody can see it: when asked for, or by default on a terminal."""
    import sys

    if wanted is None:
        wanted = sys.stderr is not None and sys.stderr.isatty()
    return Bar(name) if wanted else Silence()
