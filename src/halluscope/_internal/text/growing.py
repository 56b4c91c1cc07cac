"""Sentences of a text that is still being written: each is given as soon as nothing that follows can change it."""

from __future__ import annotations

import re
from typing import NamedTuple

from .sentences import Span, blocks, open_fence, sentences_in

_TOKEN_AFTER = re.compile(r"\s*\S+\s")
"""Whether a sentence ends is told by the first word after it, which must be there whole."""

_ENDS_AT_ONCE = re.compile(r"[。！？｡][\"'”’»)\]*_]*$")
_MORE_OF_THE_END = frozenset("。！？｡\"'”’»)]*_")

_LONG = 1_000
"""Characters from which text without an end of a sentence is looked through less and less often: a stream that never
ends one takes time in proportion to its length."""

_LONG_BLOCK = 4_000
"""Characters of a paragraph after which the next sentence is read as if it began one."""


class Sentence(NamedTuple):
    """A sentence with what stands before it: white space, a list's marker. `start` is its place in the whole text."""

    before: str
    text: str
    start: int


class GrowingText:
    """Text that comes piece by piece. Together, its sentences are those that `sentences` finds in the whole."""

    def __init__(self) -> None:
        self._block = ""
        """The text from the line on which the block begins that is being written."""
        self._offset = 0
        """Where that is in the whole."""
        self._given = 0
        """How much of the block has been given out."""
        self._look_at = 0
        """The length of the block at which it is looked through again."""

    @property
    def waiting(self) -> str:
        """What has come and was not given out yet."""
        return self._block[self._given :]

    def add(self, piece: str) -> list[Sentence]:
        """The sentences that are whole now."""
        self._block += piece
        if len(self._block) < self._look_at:
            return []
        found = self._settled()
        given = [self._give(sentence) for _, sentence in found]
        waiting = len(self._block) - self._given
        self._look_at = len(self._block) + waiting // 16 if waiting > _LONG else 0
        if found:
            self._forget(found[-1][0])
        return given

    def end(self) -> tuple[list[Sentence], str]:
        """The sentences that are left, now that no more text comes, and what stands behind the last."""
        left = [one for block in blocks(self._block) for one in sentences_in(self._block, block, self._given)]
        given = [self._give(sentence) for sentence in left]
        rest = self.waiting
        self._given = len(self._block)
        return given, rest

    def _settled(self) -> list[tuple[Span, Span]]:
        """The sentences that can no longer change and were not given out, each with its block."""
        text = self._block
        fence = open_fence(text)
        known = len(text) if fence is None else fence
        found: list[tuple[Span, Span]] = []
        for block in blocks(text):
            for sentence in sentences_in(text, block, self._given):
                if sentence.end > known or not self._is_settled(sentence.end, within=sentence.end < block.end):
                    return found
                found.append((block, sentence))
        return found

    def _is_settled(self, end: int, *, within: bool) -> bool:
        """Whether a sentence that ends here, within its block or with it, ends here whatever comes."""
        if _TOKEN_AFTER.match(self._block, end):
            return True
        at_once = _ENDS_AT_ONCE.search(self._block, max(0, end - 10), end)
        return within and at_once is not None and self._block[end] not in _MORE_OF_THE_END

    def _give(self, sentence: Span) -> Sentence:
        before = self._block[self._given : sentence.start]
        self._given = sentence.end
        return Sentence(before, sentence.of(self._block), self._offset + sentence.start)

    def _forget(self, block: Span) -> None:
        """Let go of the blocks before the last one that sentences were given of: nothing depends on them."""
        if self._given - block.start > _LONG_BLOCK:
            begin = self._given
        else:
            begin = max(self._block.rfind("\n", 0, block.start), self._block.rfind("\r", 0, block.start)) + 1
        self._block = self._block[begin:]
        self._offset += begin
        self._given -= begin
        self._look_at = max(0, self._look_at - begin)
