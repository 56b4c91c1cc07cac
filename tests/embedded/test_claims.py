from __future__ import annotations

import pytest

from halluscope._internal.embedded.claims.extracting import extract
from halluscope._internal.text.kinds import classify, is_refusal

from ..random_text import random_texts
from ..timing import taken


def texts(output: str, question: str | None = None) -> list[str]:
    return [claim.text for claim in extract(output, question)]


@pytest.mark.parametrize(
    "output, expected",
    [
        ("Einstein won the Nobel Prize in 1969.", ["Einstein won the Nobel Prize in 1969."]),
        (
            "The capital of France is Paris. It is famous for its iconic Eiffel Tower and rich cultural heritage.",
            [
                "The capital of France is Paris.",
                "The capital of France is famous for its iconic Eiffel Tower and rich cultural heritage.",
            ],
        ),
        (
            "Albert Einstein was born in Ulm and won the Nobel Prize in 1921. He died in Princeton.",
            [
                "Albert Einstein was born in Ulm.",
                "Albert Einstein won the Nobel Prize in 1921.",
                "Albert Einstein died in Princeton.",
            ],
        ),
        ("Havel left in 2014; Rao stayed. Her firm grew.", ["Havel left in 2014; Rao stayed.", "Her firm grew."]),
        (
            "The bank is in Oslo, but the branch was closed in 2019.",
            ["The bank is in Oslo.", "The branch was closed in 2019."],
        ),
        (
            "The parade, which began in 1920, attracts 5,000 visitors.",
            ["The parade attracts 5,000 visitors.", "The parade began in 1920."],
        ),
        (
            "The museum is in Ulm, which is a city on the Danube.",
            ["The museum is in Ulm.", "Ulm is a city on the Danube."],
        ),
        (
            "The bridge was finished in 1990. In 1995, it was closed.",
            ["The bridge was finished in 1990.", "In 1995, the bridge was closed."],
        ),
        (
            "Sunita Rao and Marek Havel founded Teal. They sold 940 arms.",
            ["Sunita Rao and Marek Havel founded Teal.", "Sunita Rao and Marek Havel sold 940 arms."],
        ),
        ("Marie Curie won twice. Her daughter won too.", ["Marie Curie won twice.", "Marie Curie's daughter won too."]),
    ],
)
def test_statements_with_their_subject(output: str, expected: list[str]) -> None:
    assert texts(output) == expected


@pytest.mark.parametrize(
    "output",
    [
        "The laptop has 16GB RAM and a 256GB SSD.",
        "The bridge was designed and built by Smith.",
        "The press publishes works by classic and established writers in the genre.",
        "A guest praised the wine and the service provided by the owners.",
        "The main difference between a rock and a stone is their size.",
        "The lawyer says the boys are in rough shape and the recovery will be long.",
        "If the fee is paid and the form is signed, the permit is issued.",
        "She was found with her hands bound and causes of death being unknown.",
        "They met family and friends, who had a great time and didn't want to leave.",
        '"I came, and I was glad," he said.',
        "It is likely that it will rain.",
        "The band sold records, books and shirts.",
    ],
)
def test_what_is_not_surely_two_statements_stays_one(output: str) -> None:
    assert texts(output) == [output]


def test_a_pronoun_without_a_fitting_name_is_left() -> None:
    assert texts("The rooms are large. He was happy.")[1] == "He was happy."
    assert texts("The workers were tired. It was closed.")[1] == "It was closed."
    assert texts("The bank opened. She was born in 1990.")[1] == "She was born in 1990."
    assert texts("He was born in 1990.") == ["He was born in 1990."]
    assert texts("Oslo is old. It is important to note that rain falls.")[1].startswith("It is important")


@pytest.mark.parametrize(
    "question, answer, expected",
    [
        ("What is the capital of France?", "Paris", "The capital of France is Paris."),
        ("Who directed Inception?", "Christopher Nolan.", "Christopher Nolan directed Inception."),
        ("How many people live there?", "42", "How many people live there? 42."),
        ("Is Oslo a capital?", "Yes.", "Is Oslo a capital? Yes."),
        ("What is the name of?", "Bob", "What is the name of? Bob."),
    ],
)
def test_a_bare_answer_is_read_with_its_question(question: str, answer: str, expected: str) -> None:
    (claim,) = extract(answer, question)
    assert claim.text == expected
    assert answer[claim.start : claim.end].rstrip(".") == answer.rstrip(".")


def test_a_full_sentence_does_not_need_the_question() -> None:
    assert texts("The capital is Paris.", "What is the capital of France?") == ["The capital is Paris."]
    assert texts("Paris", None) == ["Paris"]
    assert texts("Paris", "Name a city") == ["Paris"]


def test_list_items_take_their_lead_in_along() -> None:
    output = "Here is the summary:\n\n# Laptop\n\nThe laptop has:\n- 16GB RAM\n- The screen is bright.\n\nIt is light."
    assert texts(output) == ["The laptop has: 16GB RAM", "The screen is bright.", "The screen is light."]


@pytest.mark.parametrize(
    "sentence, kind",
    [
        ("What do you think?", "question"),
        ("Hello there!", "greeting"),
        ("Sure!", "greeting"),
        ("Thank you for asking.", "thanks"),
        ("I don't know.", "refusal"),
        ("I’m sorry, but I cannot answer that.", "refusal"),
        ("The context does not say who won.", "refusal"),
        ("The provided passages do not mention a price.", "refusal"),
        ("Unable to answer based on given passages.", "refusal"),
        ("There is no information about the price in the context.", "refusal"),
        ("Based on the context, I cannot determine the year.", "refusal"),
        ("Not mentioned.", "refusal"),
        ("Let me know if you have any questions!", "offer"),
        ("I hope this helps.", "offer"),
        ("Would you like me to look further?", "offer"),
        ("Here is the summary:", "lead_in"),
        ("Sure, here are the key points:", "lead_in"),
        ("In summary:", "lead_in"),
        ("```\nx = 1\n```", "code"),
        ("***", "empty"),
        ("Paris", "claim"),
        ("42", "claim"),
        ("The Unknown Soldier lies in Paris.", "claim"),
        ("He does not know the answer.", "claim"),
        ("The law does not mention dogs.", "claim"),
        ("No data loss was reported.", "claim"),
        ("It is unclear whether the strikes will resume.", "claim"),
        ("Thankfully the fire was put out.", "claim"),
        ("Hello Kitty was created in 1974.", "claim"),
        ("The summary of the report was published in May.", "claim"),
        ("Sorry is a song by Justin Bieber.", "claim"),
        ("Welcome to New York was released in 2014.", "claim"),
    ],
)
def test_what_a_sentence_is_for(sentence: str, kind: str) -> None:
    assert classify(sentence) == kind


@pytest.mark.parametrize(
    "output", ["I don't know.", "I'm sorry, I can't help with that. Let me know if you need more help!"]
)
def test_refusals(output: str) -> None:
    assert is_refusal(output)
    assert extract(output) == []


@pytest.mark.parametrize("output", ["", "Paris.", "The context does not say. But Bob won.", "What?"])
def test_not_refusals(output: str) -> None:
    assert not is_refusal(output)


def test_no_claims_in_talk() -> None:
    assert extract("Hello! How are you? Thanks. Here is the answer:") == []


def test_ids_and_places() -> None:
    output = "Hi!\n\nTesla was founded in 2003 and is led by Musk.\n* It sells cars."
    claims = extract(output)
    assert [claim.id for claim in claims] == ["c1", "c2", "c3"]
    assert [output[claim.start : claim.end] for claim in claims] == [
        "Tesla was founded in 2003",
        "is led by Musk.",
        "It sells cars.",
    ]
    assert [claim.text for claim in claims] == [
        "Tesla was founded in 2003.",
        "Tesla is led by Musk.",
        "Tesla sells cars.",
    ]


def test_every_claim_has_a_place() -> None:
    for output in random_texts(1500, seed=2):
        for claim in extract(output, "What is it?"):
            assert claim.start is not None and claim.end is not None
            assert claim.text.strip() and output[claim.start : claim.end].strip()


@pytest.mark.parametrize(
    "piece", ["It was and ", "The cat, which was ", "I am sorry ", "a; ", "- x\n", "based on the "]
)
def test_time_grows_with_length_only(piece: str) -> None:
    def extracted(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        return taken(lambda: extract(text))

    assert extracted(100_000) < 25 * extracted(10_000) + 1
