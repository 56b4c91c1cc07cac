"""Interrupts a synchronous call once at every moment at which Python looks for interrupts, one call after the other.

Run by itself, in a process of its own: a call that an interrupt leaves hanging can only be killed.
"""

from __future__ import annotations

import asyncio
import dis
import inspect
import sys
import time
from types import FrameType
from typing import Any

from halluscope._internal.core.plumbing import sync

LOOKED_AFTER = ("CALL", "RESUME", "JUMP_BACKWARD", "JUMP_ABSOLUTE")
"""Instructions after which a signal's handler may run."""
MOMENTS = 160
"""Enough for several turns of waiting."""


class Interrupt:
    """A trace function that raises the interrupt at one moment, counted from when it is set."""

    def __init__(self, moment: int) -> None:
        self._left = moment
        self._latest: dict[FrameType, str] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        frame.f_trace_opcodes = True
        if "weakref" in frame.f_code.co_filename:  # what is raised in a callback is lost, whoever raised it
            return None
        if event == "opcode":
            before = self._latest.get(frame, "")
            self._latest[frame] = dis.opname[frame.f_code.co_code[frame.f_lasti]]
            self._left -= before.startswith(LOOKED_AFTER)
            if not self._left:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self


def main() -> None:
    sync.have_loop()
    sync._INTERRUPT_INTERVAL = 0.0002
    for moment in range(1, MOMENTS + 1):
        work = asyncio.sleep(3600)
        began = time.monotonic()
        sys.settrace(Interrupt(moment))
        try:
            sync.run(work)
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)
        if time.monotonic() - began > 10:
            sys.exit(f"at moment {moment} it waited for what was over")
        if inspect.getcoroutinestate(work) not in (inspect.CORO_CLOSED, inspect.CORO_CREATED):
            sys.exit(f"at moment {moment} the work was not cancelled")
        work.close()
    print(MOMENTS, "interrupts")


if __name__ == "__main__":
    main()
