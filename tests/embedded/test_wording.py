from __future__ import annotations

import itertools

import pytest

from halluscope._internal.embedded.deciding.wording import is_subjective, negations, polarity_conflict

from ..random_text import random_texts


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


@pytest.mark.parametrize(
    "text, expected",
    [
        ("It did not rain and nobody came.", ["not", "nobody"]),
        ("He isn't here and can’t come without her.", ["isn't", "can’t", "without"]),
        ("No. 5 costs no more than 6.", []),
        ("Not only the king came.", []),
        ("He noted nothing notable.", ["nothing"]),
    ],
)
def test_negations(text: str, expected: list[str]) -> None:
    assert [span.of(text) for span in negations(text)] == expected


@pytest.mark.parametrize(
    "claim, evidence, words",
    [
        ("Sales increased in Norway in 2021.", "Sales decreased in Norway in 2021.", ("increased", "decreased")),
        (
            "The board rejected the sale of the mine.",
            "The board approved the sale of the mine.",
            ("rejected", "approved"),
        ),
        ("The road opened before the war ended.", "The road opened after the war ended.", ("before", "after")),
        ("The lake always freezes in winter.", "The lake never freezes in winter.", ("always", "never")),
    ],
)
def test_words_that_turn_it_round(claim: str, evidence: str, words: tuple[str, str]) -> None:
    found = polarity_conflict(claim, evidence)
    assert found == f"the claim says “{words[0]}”, the context says “{words[1]}”"


def test_a_denial_turns_it_round() -> None:
    found = polarity_conflict("The board did not approve the sale.", "The board did approve the sale.")
    assert found == "the claim says “not”, the context does not"


def test_only_the_nearest_sentence_counts() -> None:
    evidence = "It was never cold. Sales decreased in Norway. Nobody knew why."
    assert "the context says “decreased”" in (polarity_conflict("Sales increased in Norway.", evidence) or "")
    assert polarity_conflict("Sales decreased in Norway.", evidence) is None


@pytest.mark.parametrize(
    "claim, evidence",
    [
        ("Sales increased in Norway.", "Sales rose in Norway."),
        ("Sales did not increase in Norway.", "Sales decreased in Norway."),
        ("Sales increased in Norway.", "Sales increased in Norway and decreased in Sweden."),
        ("Sales increased in Norway.", "The team lost the final and morale decreased."),
        ("Sales increased in Norway.", "Sales increased in Norway."),
        ("", "Sales decreased."),
        ("Sales increased.", ""),
    ],
)
def test_no_flip(claim: str, evidence: str) -> None:
    assert polarity_conflict(claim, evidence) is None


def test_odd_text_breaks_nothing() -> None:
    drawn = random_texts(1000, seed=4)
    for text, other in itertools.pairwise(drawn):
        assert polarity_conflict(text, other) != ""
        assert all(span.of(text) for span in negations(text))
