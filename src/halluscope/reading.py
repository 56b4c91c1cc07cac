"""From a reply's text to the answer of a question."""

from __future__ import annotations

import re
from typing import TypeVar

from .errors import JudgeRefused, ReplyError, ReplyTruncated
from .questions import Question, VerifyClaims
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
    if (cut_off or truncated) and not isinstance(question, VerifyClaims):
        raise ReplyTruncated("the reply stops before its end", reply=text)
    try:
        return question.read(data)
    except ReplyError as error:
        error.reply = error.body = text
        raise
