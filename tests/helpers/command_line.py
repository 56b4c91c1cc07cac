"""The command line in this process: the function that the installed program calls, with streams of bytes."""

from __future__ import annotations

import signal
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from halluscope._internal.cli import main


def halluscope(
    *arguments: str, folder: Path, stdin: str = "", encoding: str = "utf-8", **variables: str
) -> CompletedProcess[bytes]:
    """Run it in a folder, which is its home as well, with streams of that encoding."""
    streams = {name: TextIOWrapper(BytesIO(), encoding=encoding) for name in ("stdout", "stderr")}
    handlers = {sign: signal.getsignal(sign) for sign in (signal.SIGINT, signal.SIGTERM)}
    code = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, value in {"HALLUSCOPE_HOME": str(folder), **variables}.items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", ["halluscope", *arguments])
        patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(stdin.encode()), encoding="utf-8"))
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            for sign, handler in handlers.items():
                signal.signal(sign, handler)
    for stream in streams.values():
        stream.flush()
    stdout, stderr = (stream.buffer.getvalue() for stream in streams.values())
    return CompletedProcess(arguments, code, stdout, stderr)
