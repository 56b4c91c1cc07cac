"""Patterns in lower case find what patterns that ignore case find, in the same places."""

from __future__ import annotations

import random
import re

import pytest

from halluscope._internal.text.caseless import Caseless

_PATTERN = r"\b(?:not|never|i\s+think|is|kelvin|no\s+longer)\b|\b\w+n['’]t\b|[,;]\W"
_WORDS = (
    "NOT Never i I THINK think Is kelvin K\u212aelvin \u212aelvin \u0130s \u0131s \u017fo i\u017f no LONGER longer "
    "don't DON’T didn’T É é ß ẞ Σ σς , ; — \u00a0 42 _not_"
).split(" ")


def test_it_finds_what_a_pattern_that_ignores_case_finds() -> None:
    caseless, plain = Caseless(_PATTERN), re.compile(_PATTERN, re.IGNORECASE)
    rng = random.Random(5)
    for _ in range(3_000):
        text = rng.choice(("", " ", "a")).join(f"{rng.choice(_WORDS)} " for _ in range(rng.randint(0, 9)))
        places = [match.span() for match in plain.finditer(text)]
        assert [match.span() for match in caseless.finditer(text)] == places
        first = caseless.search(text)
        assert (first.span() if first else None) == (places[0] if places else None)
        start, end = sorted((rng.randint(0, 12), rng.randint(0, 40)))
        pairs = (
            (caseless.search(text, start, end), plain.search(text, start, end)),
            (caseless.match(text, start), plain.match(text, start)),
        )
        for mine, theirs in pairs:
            assert (mine.span() if mine else None) == (theirs.span() if theirs else None)


def test_a_capital_in_the_pattern_is_refused() -> None:
    with pytest.raises(ValueError, match="lower case"):
        Caseless(r"\bI\s+think\b")
    assert Caseless(r"\W\S\D\Bx").search("a--X") is None
