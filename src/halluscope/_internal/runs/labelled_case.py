"""Labelled cases: an output, its context, and whether people consider it hallucinated."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from ..core.case import Case, clean
from ..core.errors import InputError
from ..core.plumbing.public import public

BAD = frozenset(
    "hallucinated contradicted unsupported not_supported partially_supported refuted inconsistent 1".split()
)
GOOD = frozenset("factual supported faithful grounded consistent 0".split())
"""Labels with the same meaning in all datasets. "yes" and "pass" are not among them."""


class GoldEvidence(NamedTuple):
    """A part of a context that decides: `context[passage][start:end]`."""

    passage: int
    start: int
    end: int


@public
class LabelledCase(Struct, frozen=True, kw_only=True):
    """A case with its label.

    Attributes:
        case: The case.
        hallucinated: Whether the output is hallucinated.
        label: The original label.
        spans: Start and end of hallucinated characters, or None if they were not marked.
        group: The part of the dataset.
        kind: The kind of error, or how a correct answer was written.
        score: A judge's score from the file, for calibration without a judge.
        evidence: The parts of the context that support or contradict the output, or None if they were not marked.
    """

    case: Case
    hallucinated: bool
    label: str
    spans: tuple[tuple[int, int], ...] | None = None
    group: str | None = None
    kind: str | None = None
    score: float | None = None
    evidence: tuple[GoldEvidence, ...] | None = None


def read_label(value: object) -> bool:
    """Whether a label means hallucinated. 1 is hallucinated, 0 is not."""
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
    """Normalise a label: "Not supported" and "not-supported" are equal."""
    return str(value).strip().casefold().replace(" ", "_").replace("-", "_")


def labelled(
    *,
    output: object,
    context: object,
    hallucinated: bool,
    label: str | None = None,
    input: object = None,
    id: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    spans: Iterable[tuple[int, int]] | None = None,
    evidence: Iterable[tuple[int, int, int]] | None = None,
    **more: Any,
) -> LabelledCase:
    """Create a labelled case. `more` are its `group`, `kind` and `score`.

    Raises `InputError` if a span is outside the output, or evidence outside the context.
    """
    case = Case.of(output, context, input, id=id, metadata=metadata)
    marked = None if spans is None else tuple(spans)
    for start, end in marked or ():
        if not 0 <= start < end <= len(case.output):
            raise InputError(f"the span {start}:{end} is outside the output of {len(case.output)} characters.")
    gold = None if evidence is None else tuple(GoldEvidence(*place) for place in evidence)
    context_of = case.context or ()
    for passage, start, end in gold or ():
        if not (0 <= passage < len(context_of) and 0 <= start < end <= len(context_of[passage])):
            raise InputError(f"the evidence {passage}:{start}:{end} is outside the context.")
    name = label or ("hallucinated" if hallucinated else "factual")
    return LabelledCase(case=case, hallucinated=hallucinated, label=name, spans=marked, evidence=gold, **more)


def places(piece: str, text: str) -> list[tuple[int, int]]:
    """Find a quoted span in the text."""
    piece = clean(piece).strip()
    start = text.find(piece) if piece else -1
    return [] if start < 0 else [(start, start + len(piece))]


def sample_of_cases(cases: Sequence[LabelledCase], limit: int | None, seed: int = 0) -> list[LabelledCase]:
    """Draw up to `limit` cases at random, in the order of the file. A seed gives the same cases on every machine.

    Hallucinated and factual outputs keep their shares. With a limit of two or more, there is at least one of each.
    """
    if limit is None or limit >= len(cases):
        return list(cases)
    if limit < 1:
        raise InputError("the limit must be at least 1 case.")
    wrong = [place for place, item in enumerate(cases) if item.hallucinated]
    right = [place for place, item in enumerate(cases) if not item.hallucinated]
    share = round(limit * len(wrong) / len(cases))
    if wrong and right and limit > 1:
        share = min(max(1, share), limit - 1)
    draw = random.Random(seed).sample
    return [cases[place] for place in sorted(draw(wrong, share) + draw(right, limit - share))]


def fingerprint_of_cases(cases: Sequence[LabelledCase]) -> str:
    """Return a hash of the cases and their labels."""
    digest = hashlib.sha256()
    for item in cases:
        digest.update(f"{item.case.id}\0{item.case.output}\0{int(item.hallucinated)}\n".encode())
    return digest.hexdigest()[:12]
