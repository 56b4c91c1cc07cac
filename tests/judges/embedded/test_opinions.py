from __future__ import annotations

import pytest

from halluscope._internal.judges.embedded.deciding.verdicts import is_subjective

from ...helpers.random_text import random_texts


@pytest.mark.parametrize(
    "text",
    [
        "Tesla is an amazing company.",
        "I think it is fine.",
        "It is one of the most respected shipyards in Scandinavia.",
        "In my opinion, the film is too long.",
        "The 2019 Reserve is an elegant wine.",
        "This is the best hotel.",
    ],
)
def test_opinions(text: str) -> None:
    assert is_subjective(text)


@pytest.mark.parametrize(
    "text",
    ["The tower is 300 m tall.", "Tesla was founded in 2003.", "It is the largest lake in the country."],
)
def test_facts(text: str) -> None:
    assert not is_subjective(text)


def test_odd_text_breaks_nothing() -> None:
    assert not all(is_subjective(text) for text in random_texts(1000, seed=4))
