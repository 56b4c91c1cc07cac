"""The way in: `halluscope.guard`."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Sequence
from typing import Any, Union, overload

from ..conversation import text_of_piece
from ..errors import InputError, UnknownName
from ..judge import JudgeSpec
from ..metric import is_number
from ..plumbing.public import public
from ..verdict import Support
from .guarded_sentence import REMOVED, Policy
from .guarded_streams import AsyncGuarded, Guarded, guarded
from .guarding import Guarding, Rules

_WRONG = (Support.CONTRADICTED, Support.UNSUPPORTED)


@overload
def guard(
    stream: AsyncIterable[Any],
    context: object,
    input: object = None,
    *,
    policy: Policy = "mark",
    replacement: str = REMOVED,
    flags: Sequence[str] = _WRONG,
    min_confidence: float = 0.0,
    flag_unchecked: bool = False,
    text: Callable[[Any], str] | None = None,
    judge: JudgeSpec = "local",
    **options: Any,
) -> AsyncGuarded: ...


@overload
def guard(
    stream: Iterable[Any],
    context: object,
    input: object = None,
    *,
    policy: Policy = "mark",
    replacement: str = REMOVED,
    flags: Sequence[str] = _WRONG,
    min_confidence: float = 0.0,
    flag_unchecked: bool = False,
    text: Callable[[Any], str] | None = None,
    judge: JudgeSpec = "local",
    **options: Any,
) -> Guarded: ...


@public
def guard(
    stream: object,
    context: object,
    input: object = None,
    *,
    policy: Policy = "mark",
    replacement: str = REMOVED,
    flags: Sequence[str] = _WRONG,
    min_confidence: float = 0.0,
    flag_unchecked: bool = False,
    text: Callable[[Any], str] | None = None,
    judge: JudgeSpec = "local",
    **options: Any,
) -> Union[Guarded, AsyncGuarded]:
    """The stream of an answer, each sentence of it checked against the context before it is passed on.

    `stream`: an iterator or asynchronous iterator of text, of pieces as the clients of OpenAI, Anthropic, LangChain and
    Mastra stream them, or of whatever `text` finds the text in. `policy` is what
    becomes of a sentence that does not hold up: `"pass"` it on, `"mark"` it, `"replace"` it by `replacement`, `"stop"`
    the stream before it, or a function from the sentence to the text to show, None to stop. A sentence is held against
    that has a claim whose support is one of `flags`, with at least `min_confidence` where the judge says how sure it
    is; with `flag_unchecked` also one that could not be judged. `input` is the question that is answered. `options`
    are those of a judge given by name.
    """
    if not is_number(min_confidence):
        raise InputError(f"`min_confidence` must be a number from 0 to 1, not {min_confidence!r}.")
    rules = Rules(
        policy=policy,
        replacement=replacement,
        flags=frozenset(_support(flag) for flag in ([flags] if isinstance(flags, str) else flags)),
        min_confidence=min_confidence,
        flag_unchecked=flag_unchecked,
    )
    made = guarded(stream, Guarding(context, input, judge, rules, options), text or _text)
    if made is None:
        raise InputError(f"a {type(stream).__name__} is no stream: pass an iterator of text, asynchronous or not.")
    return made


def _support(flag: str) -> Support:
    try:
        return Support(flag)
    except ValueError:
        raise UnknownName("support", str(flag), [str(support) for support in _WRONG]) from None


def _text(piece: Any) -> str:
    found = text_of_piece(piece)
    if found is not None:
        return found
    raise InputError(f"a piece of the stream is a {type(piece).__name__}: pass `text`, a function that finds its text.")
