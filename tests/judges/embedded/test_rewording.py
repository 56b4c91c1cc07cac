"""Numbers written as the context writes them."""

from __future__ import annotations

import pytest

from halluscope._internal.core.verdict import Claim
from halluscope._internal.judges.embedded.deciding.signals import as_written_there
from halluscope._internal.judges.embedded.quantities.number_match import number_matches


def read(claim: str, context: str, question: str | None = None) -> str | None:
    (found,) = number_matches([claim], context)
    other = as_written_there(Claim("c1", claim), found, question)
    return other.text if other else None


@pytest.mark.parametrize(
    ("claim", "context", "text"),
    [
        ("The lamp costs 12.50 euros.", "The lamp costs 12.5 euros.", "The lamp costs 12.5 euros."),
        ("It has twelve rooms.", "The house has 12 rooms.", "It has 12 rooms."),
        ("It opened in 2007.", "It opened on January 9, 2007.", "It opened in January 9, 2007."),
        ("It has over 1,000 seats.", "The hall has 1,187 seats.", "It has 1,187 seats."),
        ("It has 1,000 seats or more.", "The hall has 1,187 seats.", "It has 1,000 seats or more."),
        ("It has over a thousand seats.", "The hall has over 1,000 seats.", "It has over 1,000 seats."),
        ("It has 13 rooms.", "The house has 12 rooms.", "It has 13 rooms."),
        ("Nothing to read here.", "The house has 12 rooms.", "Nothing to read here."),
    ],
)
def test_only_numbers_that_agree_are_written_alike(claim: str, context: str, text: str) -> None:
    assert (read(claim, context) or claim) == text


def test_a_bare_answer_is_reworded_behind_its_question() -> None:
    question = "How many rooms has it?"
    assert read(f"{question} Twelve", "The house has 12 rooms.", question) == "12"
