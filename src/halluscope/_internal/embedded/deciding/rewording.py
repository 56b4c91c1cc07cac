"""A claim with its numbers written as the context writes them.

`12.50` for `12.5`, `twelve hundred` for `1,200` and `2007` for `January 9, 2007` have been found to agree by
rule. A small model does not know that and takes another spelling for another number, so it is shown the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..quantities.standing import Standing

__all__ = ["reworded"]


def reworded(stated: str, numbers: Sequence[Standing], before: int = 0) -> str:
    """`stated` with every number that the context states written as there.

    `before` is how many characters of the claim, which the numbers have their places in, come before `stated`.
    """
    made = ""
    done = 0
    for found in numbers:
        start = found.claim.start - before
        if found.written and start >= done:
            made += stated[done:start] + found.written
            done = found.claim.end - before
    return made + stated[done:]
