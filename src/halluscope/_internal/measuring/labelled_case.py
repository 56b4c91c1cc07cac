"""Labelled cases: an output, its context, and what people say of it."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..case import Case, clean
from ..errors import InputError
from ..plumbing.public import public

BAD = frozenset(
    "hallucinated contradicted unsupported not_supported partially_supported refuted inconsistent 1".split()
)
GOOD = frozenset("factual supported faithful grounded consistent 0".split())
"""Words that say the same wherever they are used; "yes" and "pass" do not, and are left to each set's reader."""


@public
class LabelledCase(Struct, frozen=True, kw_only=True):
    """A case with its label.

    `spans` are the hallucinated characters, None where nobody looked for them. `group` is the part of
    the set it belongs to; `kind` is the kind of error it holds, or how a right answer was made.
    `score` is a judge's score that came with it, for calibration without a judge.
    """

    case: Case
    hallucinated: bool
    label: str
    spans: tuple[tuple[int, int], ...] | None = None
    group: str | None = None
    kind: str | None = None
    score: float | None = None


def read_label(value: object) -> bool:
    """Whether a label says hallucinated. Words are known in both directions; 1 is hallucinated, 0 is not."""
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)) and value in (0, 1):
        return bool(value)
    word = label_word(value)
    if word in BAD:
        return True
    if word in GOOD:
        return False
    raise InputError(
        f"the label {value!r} is not known: use supported, contradicted, unsupported, hallucinated, factual, 0 or 1."
    )


def label_word(value: object) -> str:
    """A label as it is compared: "Not supported" and "not-supported" are one word."""
    return str(value).strip().casefold().replace(" ", "_").replace("-", "_")


def labelled(
    *,
    output: object,
    context: object,
    hallucinated: bool,
    label: str | None = None,
    input: object = None,
    id: str | None = None,
    spans: Iterable[tuple[int, int]] | None = None,
    group: str | None = None,
    kind: str | None = None,
    score: float | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> LabelledCase:
    """A labelled case; spans that lie outside the output are an error."""
    case = Case.of(output, context, input, id=id, metadata=metadata)
    marked = None if spans is None else tuple(spans)
    for start, end in marked or ():
        if not 0 <= start < end <= len(case.output):
            raise InputError(f"the span {start}:{end} does not lie in the output of {len(case.output)} characters.")
    name = label or ("hallucinated" if hallucinated else "factual")
    return LabelledCase(
        case=case, hallucinated=hallucinated, label=name, spans=marked, group=group, kind=kind, score=score
    )


def places(piece: str, text: str) -> list[tuple[int, int]]:
    """Where a marked piece stands in the text, for sets that quote their spans."""
    piece = clean(piece).strip()
    start = text.find(piece) if piece else -1
    return [] if start < 0 else [(start, start + len(piece))]


def sample_of_cases(cases: Sequence[LabelledCase], limit: int | None, seed: int = 0) -> list[LabelledCase]:
    """At most `limit` cases, drawn by seed, in the order of the file; the same ones on every machine."""
    if limit is None or limit >= len(cases):
        return list(cases)
    if limit < 1:
        raise InputError("the limit must be at least 1 case.")
    chosen = sorted(random.Random(seed).sample(range(len(cases)), limit))
    return [cases[i] for i in chosen]


def fingerprint_of_cases(cases: Sequence[LabelledCase]) -> str:
    """Names the cases and their labels by content, so that two tables can be seen to be about the same."""
    digest = hashlib.sha256()
    for item in cases:
        digest.update(f"{item.case.id}\0{item.case.output}\0{int(item.hallucinated)}\n".encode())
    return digest.hexdigest()[:12]
