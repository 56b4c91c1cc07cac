"""Words and their stems."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from halluscope._internal.text import stem


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads that take turns in the middle of everything."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize(
    "words", ["employs employed employing employment", "nation national nationally", "win wins won", "grew grown grows"]
)
def test_forms_of_a_word_have_one_stem(words: str) -> None:
    assert len(set(map(stem, words.split()))) == 1


@pytest.mark.parametrize("words", ["1921 1969", "paris parish", "new news", "", "ß 東京 i"])
def test_other_words_are_told_apart(words: str) -> None:
    assert len(set(map(stem, words.split()))) == len(words.split())


def test_threads_do_not_mix_up_their_words(hasty_threads: None) -> None:
    words = [base + end for base in ("employ", "organis", "discover", "generous") for end in ("ing", "ness", "ation")]
    alone = [stem(word) for word in words]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda _: [stem.__wrapped__(word) for word in words], range(60)))
    assert all(stems == alone for stems in together)
