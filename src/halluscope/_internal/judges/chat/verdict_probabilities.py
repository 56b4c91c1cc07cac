"""Probabilities of a judge's verdicts, from the log-probabilities of the tokens of its reply."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from itertools import accumulate
from typing import Any

from msgspec import Struct

from ...engine.questions import WordProbabilities

_VERDICT = re.compile(r'"(?:verdict|label)"\s*:\s*"\s*')
_END_OF_WORD = re.compile(r"""["'`*.,;:!}\]\n]""")
_BEFORE_WORD = " \n\t\"'`*"


class Token(Struct, frozen=True):
    """A token of a reply, and the probabilities of the likeliest tokens in its place, its own included."""

    text: str
    alternatives: dict[str, float]


def tokens_of(logprobs: Any) -> tuple[Token, ...]:
    """The tokens in the `logprobs` of a choice of the chat completions API; empty if they cannot be read."""
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    found: list[Token] = []
    for entry in content if isinstance(content, list) else ():
        if not isinstance(entry, dict) or not isinstance(entry.get("token"), str):
            return ()
        listed = [each for each in entry.get("top_logprobs") or () if isinstance(each, dict)]
        alternatives = {
            str(each.get("token")): math.exp(min(0.0, logprob))
            for each in [*listed, entry]
            if isinstance(logprob := each.get("logprob"), (int, float)) and logprob == logprob
        }
        found.append(Token(entry["token"], alternatives))
    return tuple(found)


def verdict_probabilities(tokens: tuple[Token, ...], words: Collection[str]) -> tuple[WordProbabilities, ...]:
    """For each verdict of the reply the word that was said and the probability of each word, in order.

    A reply without JSON may be a single word. Empty if the tokens do not tell.
    """
    text = "".join(token.text for token in tokens)
    starts = [match.end() for match in _VERDICT.finditer(text)] or [len(text) - len(text.lstrip(_BEFORE_WORD))]
    found = [word_probabilities(tokens, start, words) for start in starts]
    return tuple(each for each in found if each is not None) if None not in found else ()


def word_probabilities(tokens: tuple[Token, ...], start: int, words: Collection[str]) -> WordProbabilities | None:
    """The word that begins at the character `start` of the reply, and the probability of each word in its place.

    Alternatives count up to the token from which only one word is possible. Unlisted words share what is left of 1.
    """
    ends = accumulate(len(token.text) for token in tokens)
    place = next((place for place, end in enumerate(ends) if end > start), len(tokens))
    shares = dict.fromkeys(words, 0.0)
    said, reached = "", 1.0
    for token in tokens[place:]:
        unlisted = 1.0
        for text, probability in token.alternatives.items():
            unlisted -= probability
            meant = _meant(said + text, words)
            if len(meant) == 1 and text != token.text:
                shares[meant[0]] += reached * probability
        chosen, own = _meant(said + token.text, words), token.alternatives.get(token.text)
        if not chosen or own is None:
            return None
        if len(chosen) == 1:
            shares[chosen[0]] += reached * own
            unseen = [word for word, share in shares.items() if not share]
            for word in unseen:
                shares[word] = reached * max(0.0, unlisted) / len(unseen)
            total = sum(shares.values())
            return (chosen[0], {word: share / total for word, share in shares.items()}) if total else None
        said, reached = said + token.text, reached * own
    return None


def _meant(text: str, words: Collection[str]) -> list[str]:
    """The words that a text may be, or may become with more tokens. Quotation marks before it do not count."""
    begun = text.lstrip(_BEFORE_WORD)
    end = _END_OF_WORD.search(begun)
    head = begun[: end.start()].rstrip().casefold() if end else begun.rstrip().casefold()
    return [word for word in words if (word == head if end else word.startswith(head))]
