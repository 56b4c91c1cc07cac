"""From a reply's text to the answer of a question."""

from __future__ import annotations

import re
from typing import TypeVar

from ..errors import JudgeRefused, ReplyError, ReplyTruncated
from ..text.lenient_json import NoJson, Unreadable, parse_json
from . import ComparePassages, Question, VerifyClaims

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
        data, cut_off = parse_json(text, question.code, lambda: question.material)
    except NoJson:
        if _REFUSAL.match(text):
            raise JudgeRefused("the judge declined to answer", body=text) from None
        if truncated:
            raise ReplyTruncated("the reply stops before its end", reply=text) from None
        return question.read_text(text)
    except Unreadable as error:
        raise ReplyError(f"{error}; it must be one JSON object, with the code it was asked for", reply=text) from None
    short = cut_off or truncated
    if short and not isinstance(question, (VerifyClaims, ComparePassages)):
        raise ReplyTruncated("the reply stops before its end", reply=text)
    try:
        return question.read(data)
    except ReplyError as error:
        if short:
            raise ReplyTruncated("the reply stops before its end", reply=text) from error
        error.reply = error.body = text
        raise
