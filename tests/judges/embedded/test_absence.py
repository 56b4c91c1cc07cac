from __future__ import annotations

import pytest

from halluscope._internal.judges.embedded.claims.absence import speaks_of_absence
from halluscope._internal.judges.embedded.claims.extracting import extract

from ...helpers.random_text import random_texts
from ...helpers.timing import taken


@pytest.mark.parametrize(
    "sentence",
    [
        "The documents do not mention the price.",
        "The leaflet doesn't give a price for delivery, so ask the desk.",
        "The provided context does not contain information about the author.",
        "The report says nothing about the cause of the fire.",
        "None of the passages mentions a refund.",
        "There is no information about the opening hours in the context.",
        "The cost of repair is not given.",
        "Lift A works, and the date of the repair isn't known yet.",
        "No date for its return is known.",
        "Delivery not mentioned.",
        "Exam: not mentioned.",
        "It is not clear who paid the bill.",
        "Whether finished pots can be delivered isn't said.",
        "I cannot tell the price from the documents.",
        "Nothing is said about how old a company has to be.",
        "The obituary doesn't reveal whom she married.",
        "Section 4 does not specify how long the deposit is held.",
        "How the ferry got its name is left open.",
        "There's nothing in the minutes about the roof.",
        "Nothing in the ledger indicates who bought the mare.",
        "We aren't told when the bakery closed.",
        "The wattage cannot be found anywhere in the brochure.",
        "I don't have any details about the second flight.",
        "The table has no calving date for Sorrel.",
        "No explanation is offered for the delay.",
        "The bulletin is silent on what the repair cost.",
        "It doesn't say.",
        "What it cost, the page doesn't let on.",
        "How old she was cannot be deduced.",
        "The name of the broker is left unmentioned.",
        "The weight of the windows is nowhere disclosed.",
        "The passages shed no light on where it was held.",
    ],
)
def test_what_is_said_to_be_missing(sentence: str) -> None:
    assert speaks_of_absence(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The hotel has no pool.",
        "It has no pool.",
        "The site offers no parking.",
        "Breakfast is not included.",
        "Dark mode isn't available on Android.",
        "The policy does not cover floods.",
        "He was not paid.",
        "No fee is charged for that.",
        "There is no lift.",
        "The price is 5 euros.",
        "The documents mention the price.",
        "The jury saw no reason to act.",
        "The raffle is not included in the ticket price.",
        "The work was late because of boulders missing from the survey.",
        "She has not been seen on the site since spring.",
        "Damage to the blade is not covered by the contract.",
        "The model needs no estimate of demand.",
        "If it isn't cleared, the actors leave on the left.",
        "He does not say much.",
        "The camera is off, so it does not record.",
        "It puts no strain on the battery.",
        "They pass over the bridge at noon.",
        "It never reports an error.",
        "When it is far out, a bright edge is left over.",
        "None of the founders owns a share today.",
    ],
)
def test_what_is_an_ordinary_claim(sentence: str) -> None:
    assert not speaks_of_absence(sentence)


def test_absences_are_claims_until_the_context_has_decided() -> None:
    output = "The mill is in Ulm. The context does not mention the price."
    found = extract(output)
    assert [output[claim.start : claim.end] for claim in found][1] == "The context does not mention the price."


def test_nothing_breaks_it() -> None:
    for text in random_texts(1000, seed=9):
        speaks_of_absence(text)


@pytest.mark.parametrize("piece", ["no ", "the text does not ", "not known ", "a b ", "it is not ", "none of "])
def test_time_is_bounded(piece: str) -> None:
    assert taken(lambda: speaks_of_absence((piece * 400)[:399])) < 0.5
    assert taken(lambda: speaks_of_absence((piece * 40_000)[:100_000])) < 0.5
