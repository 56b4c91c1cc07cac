"""Runs `halluscope` commands in one process, as the installed program would: the model is loaded once for all of them.

It is run by the Python of another environment and knows nothing of the tests. It prints its address, and takes one
command after the other, each with its folder and its environment.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import entry_points
from multiprocessing.connection import Listener


def main() -> None:
    """Serve until the process is ended."""
    with Listener() as listener:
        print(listener.address, flush=True)
        while True:
            with listener.accept() as connection:
                connection.send(done(*connection.recv()))


def done(command: list[str], folder: str, environment: dict[str, str]) -> tuple[int, str]:
    """Exit code and output of a command."""
    (program,) = entry_points(group="console_scripts", name=command[0])
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = command
    code = 0
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with redirect_stdout(output), redirect_stderr(output):
        try:
            program.load()()
        except SystemExit as end:
            code = int(end.code or 0)
    output.seek(0)
    return code, output.read()


if __name__ == "__main__":
    main()
