"""Whether a judge quotes the sentence that decides, for cases with gold evidence."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.result import Result
from ...runs.labelled_case import GoldEvidence, LabelledCase
from ...text import sentences
from ...text.words import content_words


def quotes_evidence(item: LabelledCase, result: Result) -> bool | None:
    """Whether the first quotation for the deciding claim is gold evidence. None without gold evidence.

    The deciding claim is the first one that is not supported, or the first one if all are supported.
    """
    if not item.evidence:
        return None
    wrong = [verdict for verdict in result.verdicts if not verdict.support.holds]
    quoted = [quote for verdict in (wrong or result.verdicts)[:1] for quote in verdict.evidence[:1]]
    return any(is_gold(GoldEvidence(quote.passage, quote.start, quote.end), item.evidence) for quote in quoted)


def overlap_quotes_evidence(item: LabelledCase) -> bool | None:
    """Whether the sentence that shares most words with the output is gold evidence."""
    if not item.evidence:
        return None
    said = set(content_words(item.case.output))
    found = [
        (len(said & set(content_words(span.of(text)))), -number, GoldEvidence(number, span.start, span.end))
        for number, text in enumerate(item.case.context or ())
        for span in sentences(text)
    ]
    return bool(found) and is_gold(max(found)[2], item.evidence)


def is_gold(quote: GoldEvidence, evidence: Sequence[GoldEvidence]) -> bool:
    """A quotation counts if it contains half of a gold quotation, or half of it is in one."""
    return any(
        quote.passage == gold.passage
        and 2 * (min(quote.end, gold.end) - max(quote.start, gold.start))
        >= min(quote.end - quote.start, gold.end - gold.start)
        for gold in evidence
    )
