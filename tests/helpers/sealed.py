"""Child processes that die when they open an internet socket, and whose home folder starts empty."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import subprocess
import sys
from pathlib import Path

_SOCKET = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""By machine: how seccomp names it, and the number of its `socket` call."""
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _KILL, _NOT_SUPPORTED = 0x7FFF0000, 0x80000000, 0x00050000 + errno.EAFNOSUPPORT
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2

KILLED = -31
"""The return code of a process that opened a socket: SIGSYS."""


class Sealed:
    """Runs Python in a home folder of its own, where an internet socket ends the process with SIGSYS.

    The kernel holds the seal: it covers compiled libraries, threads and child processes, and DNS look-ups too.
    """

    def __init__(self, folder: Path) -> None:
        self.home, self.ours, self.temporary = folder / "home", folder / "ours", folder / "tmp"
        for made in (self.home, self.ours, self.temporary):
            made.mkdir()

    def run(self, *arguments: str, sealed: bool = True) -> subprocess.CompletedProcess[str]:
        """Run `python ARGUMENTS`."""
        environment = {
            "HOME": str(self.home),
            "HALLUSCOPE_HOME": str(self.ours),
            "TMPDIR": str(self.temporary),
            "PATH": os.environ["PATH"],
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return subprocess.run(
            [sys.executable, *arguments],
            env=environment,
            cwd=self.temporary,
            capture_output=True,
            text=True,
            timeout=240,
            preexec_fn=forbid_internet_sockets if sealed else None,
        )

    def files(self) -> list[str]:
        """What has been left outside the folder that is ours."""
        return [str(path) for top in (self.home, self.temporary) for path in top.rglob("*") if path.is_file()]


def forbid_internet_sockets() -> None:
    """From now on the kernel kills this process, and each of its children, when it opens an internet socket.

    It is as if there were no IPv6: libraries try that when they are imported, and what they send goes over IPv4.
    """
    architecture, number = _SOCKET[platform.machine()]
    program = b"".join(
        struct.pack("=HBBI", *instruction)
        for instruction in (
            (_LOAD, 0, 0, 4),  # the architecture
            (_EQUAL, 0, 7, architecture),
            (_LOAD, 0, 0, 0),  # the call
            (_EQUAL, 0, 5, number),
            (_LOAD, 0, 0, 16),  # its first argument: the family
            (_EQUAL, 0, 1, 2),  # AF_INET
            (_RETURN, 0, 0, _KILL),
            (_EQUAL, 0, 1, 10),  # AF_INET6
            (_RETURN, 0, 0, _NOT_SUPPORTED),
            (_RETURN, 0, 0, _ALLOW),
        )
    )
    held = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    libc = ctypes.CDLL(None, use_errno=True)
    filter = Program(len(program) // 8, ctypes.addressof(held))
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(filter), 0, 0):
        raise OSError(ctypes.get_errno(), "the kernel takes no seccomp filter")
