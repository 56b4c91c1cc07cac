"""What judges that ask other judges share."""

from __future__ import annotations

from typing import Any

from ...errors import InputError, JudgeError
from ...judge import Answer, Ask, Call, Judge
from ...questions import Question


def asker(judge: Judge, call: Call) -> Ask:
    """The way to ask others that came with the call."""
    if call.ask is None:
        raise InputError(
            f"the judge {judge.name} asks other judges and cannot be called alone: score with it, "
            "or pass a Call with `ask`."
        )
    return call.ask


async def attempted(
    ask: Ask, judge: Judge, question: Question[Any], sample: int | None = None
) -> Answer[Any] | JudgeError:
    """The judge's answer, or why there is none: where several are asked, one that fails stops no other."""
    try:
        return await ask(judge, question, sample=sample)
    except JudgeError as error:
        return error
