"""How a pair of texts becomes numbers: token ids, and for each token what it is and whether its word is met.

A small model is bad at noticing that one word of a claim occurs nowhere in the evidence, and that is what
most wrong claims differ in. So each token carries a kind, beside its id: whether its word occurs on the
other side, and whether it is a number. Training and run time share this file.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from halluscope._internal.embedded.reading.evidence import stem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

EVIDENCE, CLAIM_MET, EVIDENCE_MET, CLAIM_NEW, CLAIM_NEW_NUMBER, QUESTION, CLAIM_ASKED = range(7)
KINDS = 7
MAX_QUESTION, MAX_EVIDENCE, MAX_CLAIM = 48, 230, 90
"""Tokens of each part; of a longer question its end is kept, where it says what is asked."""
_ENDINGS = frozenset(("##s", "##es", "##ed", "##d", "##ing", "##e", "##y"))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the kinds need to know about each token id."""

    keys: Numbers
    """A number for the stem of the token; 0 for a mere ending."""
    continues: Any
    """Whether the token continues a word."""
    digits: Any
    """Whether it holds a digit."""


def vocabulary(tokens: Sequence[str]) -> Vocabulary:
    """Read off the token strings, in the order of their ids."""
    import numpy as np

    keys = np.zeros(len(tokens), dtype=np.int64)
    for place, token in enumerate(tokens):
        if token not in _ENDINGS:
            keys[place] = zlib.crc32((token if token.startswith("##") else stem(token)).encode())
    continues = np.array([token.startswith("##") for token in tokens])
    digits = np.array([any(character.isdigit() for character in token) for token in tokens])
    return Vocabulary(keys, continues, digits)


def word_keys(ids: Numbers, table: Vocabulary, starts: Numbers | None = None) -> Numbers:
    """For each token the key of the whole word it belongs to; `starts` are the places where a text begins."""
    import numpy as np

    if not len(ids):
        return np.zeros(0, dtype=np.int64)
    first = ~table.continues[ids]
    first[0] = True
    if starts is not None:
        first[starts] = True
    word = np.cumsum(first) - 1
    place = np.arange(len(ids)) - np.flatnonzero(first)[word]
    sums = np.zeros(int(word[-1]) + 1, dtype=np.int64)
    np.add.at(sums, word, table.keys[ids] * (2 * place + 1))
    keys: Numbers = sums[word]
    return keys


def kinds(question: Numbers, evidence: Numbers, claim: Numbers, table: Vocabulary) -> tuple[Numbers, Numbers, Numbers]:
    """The kind of each token of the three parts, given their ids."""
    import numpy as np

    asked, said, stated = (word_keys(part, table) for part in (question, evidence, claim))
    of_evidence = np.where(_among(said, stated), EVIDENCE_MET, EVIDENCE)
    new = np.where(table.digits[claim], CLAIM_NEW_NUMBER, CLAIM_NEW)
    of_claim = np.where(_among(stated, said), CLAIM_MET, np.where(_among(stated, asked), CLAIM_ASKED, new))
    return np.full(len(question), QUESTION), of_evidence, of_claim


def _among(keys: Numbers, others: Numbers) -> Any:
    """Which keys occur among the others. For so few, comparing all with all is faster than `isin`."""
    return (keys[:, None] == others).any(axis=1)
