from __future__ import annotations

import itertools

import pytest

from halluscope._internal.embedded.deciding.names import missing_names, names

from ..random_text import random_texts

EVIDENCE = (
    "Einstein won the Nobel Prize in Physics in 1921. The National Aeronautics and Space Administration paid. "
    "John Smith and M. Curie were in France, near Liège. Order HB-2291047 was shipped by DPD."
)


def missing(claim: str, evidence: str = EVIDENCE) -> list[str]:
    return [name.text for name in missing_names(claim, evidence)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Albert Einstein was born in Ulm, Germany.", ["Albert Einstein", "Ulm", "Germany"]),
        ("In Paris, NASA met the Bank of England and O'Brien's team.", ["Paris", "NASA", "Bank of England", "O'Brien"]),
        ("The first iPhone was shown at Macworld.", ["iPhone", "Macworld"]),
        ("Ticket AB-123 was read by J. K. Rowling.", ["AB-123", "J. K. Rowling"]),
        ("It was called “The Old Man” in May.", ["Old Man"]),
        ("The revenue rose on Monday.", []),
        ("Revenue rose.", []),
        ("", []),
    ],
)
def test_names_of_a_text(text: str, expected: list[str]) -> None:
    assert [name.text for name in names(text)] == expected


def test_kinds() -> None:
    kinds = {name.text: name.kind for name in names("The firm NASA sent AB-12 to Bob Ray.")}
    assert kinds == {"NASA": "acronym", "AB-12": "identifier", "Bob Ray": "name"}


@pytest.mark.parametrize(
    "claim",
    [
        "Albert Einstein won the Nobel Prize.",
        "The prize of Einstein's life was in Physics.",
        "It was paid by NASA.",
        "It was paid for J. Smith.",
        "Then Marie Curie came.",
        "The French town of Liege is small.",
        "The parcel HB-2291047 went by dpd.",
        "Someone won the Nobel prize.",
    ],
)
def test_names_that_are_there_in_another_form(claim: str) -> None:
    assert missing(claim) == []


@pytest.mark.parametrize(
    "claim, expected",
    [
        ("He won the Nobel Prize in Chemistry.", ["Chemistry"]),
        ("Then Niels Bohr won.", ["Niels Bohr"]),
        ("It was Jane Smith who came.", ["Jane Smith"]),
        ("The order HB-2291048 was shipped.", ["HB-2291048"]),
        ("The carrier was UPS.", ["UPS"]),
        ("They lived in Lyon and in France.", ["Lyon"]),
        ("It was Pierre Curie.", ["Pierre Curie"]),
    ],
)
def test_names_that_are_not_there(claim: str, expected: list[str]) -> None:
    assert missing(claim) == expected


def test_nothing_is_in_an_empty_text() -> None:
    assert missing("It was Niels Bohr.", "") == ["Niels Bohr"]


def test_a_name_is_the_characters_at_its_place() -> None:
    for text in random_texts(1500, seed=3):
        found = names(text)
        assert all(text[name.start : name.end] == name.text for name in found)
        assert all(left.end <= right.start for left, right in itertools.pairwise(found))
        assert len(missing_names(text, "")) <= len(found)
