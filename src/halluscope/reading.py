"""From a reply's text to the answer of a question."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from .errors import JudgeRefused, ReplyError, ReplyTruncated
from .questions import ComparePassages, Question, VerifyClaims
from .text.lenient import Unreadable, parse_json

T = TypeVar("T")

_REFUSAL = re.compile(
    r"\s*(?:I(?:'|’)?m (?:very )?sorry|I am sorry|sorry,|I (?:can(?:no|')t|can’t|am unable to|won(?:'|’)t) )",
    re.IGNORECASE,
)


def read_reply(question: Question[T], text: str, truncated: bool = False) -> T:
    """The answer in `text`, or the error that says what is wrong with it.

    A truncated reply is refused, but for a list of verdicts: there the complete ones count and
    the missing ones are asked for again.
    """
    if not text.strip():
        raise ReplyError("the reply is empty", reply=text)
    try:
        data, cut_off = parse_json(text)
    except Unreadable:
        if _REFUSAL.match(text):
            raise JudgeRefused("the judge declined to answer", body=text) from None
        if truncated:
            raise ReplyTruncated("the reply stops before its end", reply=text) from None
        return question.read_text(text)
    short = cut_off or truncated
    if short and not isinstance(question, (VerifyClaims, ComparePassages)):
        raise ReplyTruncated("the reply stops before its end", reply=text)
    if cut_off:
        data = _without_last(data)
    try:
        return question.read(data)
    except ReplyError as error:
        if short:
            raise ReplyTruncated("the reply stops before its end", reply=text) from error
        error.reply = error.body = text
        raise


def _without_last(data: Any) -> Any:
    """A reply that was cut off, without the item it was cut off in: half a verdict is none."""
    if isinstance(data, list):
        return data[:-1]
    if isinstance(data, dict):
        return {key: value[:-1] if isinstance(value, list) else value for key, value in data.items()}
    return data
