"""Taking a stretch out of a text: what is left reads well."""

from __future__ import annotations

import pytest

from halluscope._internal.text.taking_out import removal


@pytest.mark.parametrize(
    "text, gone, left",
    [
        ("It is old. It is red. It is big.", "It is red.", "It is old. It is big."),
        ("It is red. It is big.", "It is red.", "It is big."),
        ("It is old. It is red.", "It is red", "It is old."),
        ("It is old. It is red. [2] It is big.", "It is red.", "It is old. It is big."),
        ("It is old. It is red [2]. It is big.", "It is red", "It is old. It is big."),
        ("It closed in 1921, because he died.", "because he died", "It closed in 1921."),
        ("It closed in 1921, because he died [1].", "because he died", "It closed in 1921 [1]."),
        ("It closed in 1921 and it was sold [1].", "it was sold", "It closed in 1921 [1]."),
        ("It closed and it was sold [1].", "it was sold [1].", "It closed [1]."),
        ("It closed; it was sold!", "it was sold", "It closed!"),
        ("Because of rain, it closed.", "Because of rain", "It closed."),
        ("It is old, and it is red.", "It is old", "It is red."),
        ("The mill, built in 1890, is closed.", ", built in 1890,", "The mill is closed."),
        ("The mill (built in 1890) is closed.", " (built in 1890)", "The mill is closed."),
        ("The mill, built in 1890, is closed.", "built in 1890", "The mill is closed."),
        ("It has a pool, a bar, and a park.", "a bar", "It has a pool and a park."),
        ("It has a pool, a bar, a sauna and a park.", "a bar", "It has a pool, a sauna and a park."),
        ("It has a pool, a bar and a park.", "a bar", "It has a pool and a park."),
        ("- It is old.\n- It is red.\n- It is big.", "It is red.", "- It is old.\n- It is big."),
        ("1. It is old.\n2. It is red.", "It is old.", "2. It is red."),
        ("- It is old. It is red.", "It is old.", "- It is red."),
        ("It is old.\n\n**It is red.**\n\nIt is big.", "It is red.", "It is old.\n\nIt is big."),
        ("It is red.", "It is red.", ""),
    ],
)
def test_what_is_left(text: str, gone: str, left: str) -> None:
    start = text.index(gone)
    assert removal(text, start, start + len(gone)).applied(text) == left


def test_nothing_before_or_behind_the_sentence_is_touched() -> None:
    before, after = "# Title\n\nA line,  with odd   blanks .\n", "\n\n> a quote\n| a | b |\n"
    text = f"{before}It is old. It is red.{after}"
    start = text.index("It is red.")
    assert removal(text, start, start + 10).applied(text) == f"{before}It is old.{after}"
