"""Showing the progress of a run."""

from __future__ import annotations

import time

from msgspec import Struct

from ...core.counting import count_of

_MIN_STEPS = 200
"""Minimum length of a case to show its progress."""


class Progress(Struct):
    """The progress of a run. `total` may be an estimate."""

    cases: int = 0
    """Finished cases."""
    total: int | None = None
    skipped: int = 0
    """Cases that were finished before."""
    failed: int = 0
    bad_rows: int = 0
    cost: float | None = 0.0
    trouble: str | None = None
    steps: tuple[int, int] | None = None
    """Progress of the longest running case: steps done, and in total."""


class Display:
    """Shows progress. This one shows nothing."""

    def start(self) -> None:
        return

    def show(self, progress: Progress) -> None:
        return

    def stop(self) -> None:
        return


class Bar(Display):
    """A progress bar on stderr, with cases, rate, time and cost."""

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[said]}", markup=False),
            console=Console(stderr=True),
            refresh_per_second=5,
            transient=True,
        )
        self._task = self._bar.add_task(name, total=None, said="")
        self._began = time.monotonic()

    def start(self) -> None:
        self._began = time.monotonic()
        self._bar.start()

    def show(self, progress: Progress) -> None:
        parts = [*pace(progress, time.monotonic() - self._began)]
        if progress.cost is None:
            parts.append("$ unknown")
        elif progress.cost:
            parts.append(f"${progress.cost:.4f}")
        if progress.failed:
            parts.append(f"{progress.failed} failed")
        if progress.bad_rows:
            parts.append(count_of(progress.bad_rows, "bad row"))
        if progress.steps and progress.steps[1] >= _MIN_STEPS:
            parts.append("longest case {:,} of {:,}".format(*progress.steps))
        if progress.trouble:
            parts.append("".join(c if c.isprintable() else " " for c in progress.trouble[:60]))
        self._bar.update(self._task, completed=progress.cases, total=progress.total, said=" · ".join(parts))

    def stop(self) -> None:
        self._bar.stop()


def pace(progress: Progress, seconds: float) -> list[str]:
    """Return finished cases, cases per second, elapsed time, and an estimate of the remaining time."""
    scored = progress.cases - progress.skipped
    parts = [f"{progress.cases}/{progress.total}" if progress.total else f"{progress.cases}"]
    if scored and seconds > 0:
        rate = scored / seconds
        parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s" if rate >= 0.1 else f"{rate * 60:.1f}/min")
    parts.append(_clock(seconds))
    left = (progress.total or 0) - progress.cases
    if scored and left > 0:
        parts.append(f"about {_clock(left * seconds / scored)} left")
    return parts


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


def display_for(name: str, wanted: bool | None) -> Display:
    """Return a progress bar if it is wanted, by default in a terminal."""
    import sys

    if wanted is None:
        wanted = sys.stderr is not None and sys.stderr.isatty()
    return Bar(name) if wanted else Display()
