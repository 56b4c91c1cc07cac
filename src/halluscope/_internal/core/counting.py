"""Counts in words, with the right plural."""

from __future__ import annotations


def count_of(count: int, thing: str, things: str | None = None) -> str:
    """Return a count with its noun, as in "1 case" or "2,000 cases". `things` is an irregular plural."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {things or f'{thing}s'}"


def share_of_claims(part: int, claims: int) -> str:
    """Return the beginning of a sentence, as in "1 of 3 claims is"."""
    if claims == 1:
        return "The only claim is" if part else "The only claim is not"
    if part == claims:
        return "Both claims are" if claims == 2 else f"All {claims} claims are"
    return f"{part or 'None'} of {claims} claims {'is' if part <= 1 else 'are'}"
