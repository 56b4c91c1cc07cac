"""What judges that ask other judges share."""

from __future__ import annotations

from ..errors import InputError
from ..judge import Ask, Call, Judge


def asker(judge: Judge, call: Call) -> Ask:
    """The way to ask others that came with the call."""
    if call.ask is None:
        raise InputError(
            f"the judge {judge.name} asks other judges and cannot be called alone: score with it, "
            "or pass a Call with `ask`."
        )
    return call.ask
