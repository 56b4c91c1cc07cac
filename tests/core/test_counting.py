"""Numbers of things."""

from __future__ import annotations

import pytest

from halluscope._internal.core.counting import count_of


@pytest.mark.parametrize(("count", "told"), [(0, "0 cases"), (1, "1 case"), (2, "2 cases"), (2000, "2,000 cases")])
def test_one_is_one_and_more_are_more(count: int, told: str) -> None:
    assert count_of(count, "case") == told


def test_more_of_a_thing_may_be_a_word_of_their_own() -> None:
    assert count_of(1, "reply", "replies") == "1 reply"
    assert count_of(3, "row was", "rows were") == "3 rows were"
