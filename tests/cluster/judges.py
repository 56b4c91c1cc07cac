"""Judges that travel to the workers of a cluster: a module of its own, as each worker has to import it."""

from __future__ import annotations

import os
from pathlib import Path

from ..helpers.waiting import wait_until

LONG = 600.0
"""Seconds after which what a judge waits for will not come."""


def always_factual(prompt: str) -> str:
    return "factual"


class Noting:
    """Writes down that it was asked."""

    name = "noting"

    def __init__(self, log: Path) -> None:
        self._log = log

    def fingerprint(self) -> str:
        return self.name

    def complete(self, prompt: str) -> str:
        with self._log.open("a", encoding="utf-8") as log:  # one write of one line, by several processes
            log.write("asked\n")
        return "factual"

    def asked(self) -> int:
        """How often."""
        return len(self._log.read_text(encoding="utf-8").splitlines()) if self._log.exists() else 0


class Halting:
    """Answers at once until so many files are in a folder, and from then on only when another file is there."""

    name = "halting"

    def __init__(self, folder: Path, files: int, until: Path) -> None:
        self._folder = folder
        self._files = files
        self._until = until

    def fingerprint(self) -> str:
        return self.name

    def complete(self, prompt: str) -> str:
        if len(list(self._folder.glob("[!.]*"))) < self._files:
            return "factual"
        self._halted.touch()
        wait_until(self._until.exists, longest=LONG, every=0.05)  # seldom: each call under way looks for itself
        return "factual"

    @property
    def _halted(self) -> Path:
        return self._until.with_name(f"halted-{os.getpid()}")

    def halted(self) -> int:
        """How many processes it waits in, or has waited in."""
        return len(list(self._until.parent.glob("halted-*")))
