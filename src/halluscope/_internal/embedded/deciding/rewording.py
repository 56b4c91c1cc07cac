"""A claim with its numbers written as the context writes them.

`12.50` for `12.5`, `twelve hundred` for `1,200` and `2007` for `January 9, 2007` have been found to agree by
rule. A small model does not know that and takes another spelling for another number, so it is shown the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..quantities.standing import Standing

__all__ = ["Reworded", "reworded"]


@dataclass(frozen=True, slots=True)
class Reworded:
    """The text to read, and the way back: what was swapped, in its places there and in the claim."""

    text: str
    swaps: tuple[tuple[int, int, int, int], ...] = ()

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the claim that `start`:`end` of the text stand for."""
        return self._back(start, first=True), self._back(end, first=False)

    def _back(self, place: int, *, first: bool) -> int:
        shift = 0
        for new_start, new_end, old_start, old_end in self.swaps:
            if place < new_start or (place == new_start and first):
                break
            if place < new_end or (place == new_end and not first):
                return old_start if first else old_end
            shift = old_end - new_end
        return place + shift


def reworded(stated: str, numbers: Sequence[Standing], before: int = 0) -> Reworded:
    """`stated` with every number that the context states written as there.

    `before` is how many characters of the claim, which the numbers have their places in, come before `stated`.
    """
    pieces: list[str] = []
    swaps: list[tuple[int, int, int, int]] = []
    done = length = 0
    for found in numbers:
        start, end, theirs = found.claim.start - before, found.claim.end - before, found.written
        if not theirs or start < done or stated[start:end] == theirs:
            continue
        kept = stated[done:start]
        length += len(kept)
        swaps.append((length, length + len(theirs), start, end))
        pieces += [kept, theirs]
        length += len(theirs)
        done = end
    return Reworded("".join([*pieces, stated[done:]]), tuple(swaps))
