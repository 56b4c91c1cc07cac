from __future__ import annotations

import random

import pytest

from halluscope._internal.judges.embedded.claims.extracting import extract, unread
from halluscope._internal.text.kinds import classify, is_refusal

from ...helpers.random_text import random_texts
from ...helpers.timing import taken


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
        (
            "Anna Holm was born in 1951 and died aged 70 in 2021.",
            ["Anna Holm was born in 1951.", "Anna Holm died aged 70 in 2021."],
        ),
        ("Havel left in 2014; Rao stayed. Her firm grew.", ["Havel left in 2014; Rao stayed.", "Her firm grew."]),
        (
            "The bank is in Oslo, but the branch was closed in 2019.",
            ["The bank is in Oslo.", "The branch was closed in 2019."],
        ),
        (
            "The parade, which began in 1920, attracts 5,000 visitors.",
            ["The parade began in 1920.", "The parade attracts 5,000 visitors."],
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
        "The bridge was designed and built by Smith.",
        "The press publishes works by classic and established writers in the genre.",
        "Johnson and Johnson was founded in 1886.",
        "Trinidad and Tobago lies off Venezuela.",
        "The river forms the border between France and Germany.",
        "The trip takes 2 hours and 30 minutes.",
        "The walk takes an hour and a half.",
        "It starts two and a half hours earlier than first planned.",
        "The house has three and a half rooms.",
        "She sold the house to a man and a woman.",
        "The drink is a mixture of a syrup and a wine.",
        "Prices range from 5 euros and 10 cents to 20 euros.",
        "The law was passed by a government elected in 1990.",
        "The plan covers only the house and the garden.",
        "Anna and Ben have two dogs.",
        "The price of the car and the boat is high.",
        "The two firms exchanged a letter and a gift.",
        "The Basic and the Pro plan cost 10 euros and 20 euros respectively.",
        "Most of the loss comes from adults who leave to study in the capital and do not return.",
        "Not everything is larch: the frames and the deck are oak.",
        "The museum does not have a shop and a café.",
        "The main difference between a rock and a stone is their size.",
        "The lawyer says the boys are in rough shape and the recovery will be long.",
        "If the fee is paid and the form is signed, the permit is issued.",
        "She was found with her hands bound and causes of death being unknown.",
        "They met family and friends, who had a great time and didn't want to leave.",
        '"I came, and I was glad," he said.',
        "It is likely that it will rain.",
        "The band sold records, books and shirts.",
        "Compared with last year, the firm grew by a third.",
        "The mill is in Bonn, by the time that the guests arrive.",
        "The mill was in use until 1950, in the end only on Sundays.",
        "Based on the report, the mill is closed.",
        "Asked by a reporter, the mayor declined.",
        "The mayor, pressed by a reporter, declined.",
        "The plan led to shops being shut in May and moved to Bonn.",
        "The book was written by Jane Doe in 1990.",
        "Built in 1890 by Anna Rao, the two mills are in Bonn.",
        "The pool will open in May and close in June.",
        "Tickets cost $14 for the museum and $19 for the tower.",
        "The hotel had 75 % and the Tippings 25 % of the shares.",
        "She sold the house of the man and the woman.",
    ],
)
def test_what_is_not_surely_two_statements_stays_one(output: str) -> None:
    assert texts(output) == [output]


@pytest.mark.parametrize(
    "second",
    [
        "It was Tom Roe who objected.",
        "It was Jane Hill, the founder, who paid.",
        "It was in Bonn that the treaty was signed.",
        "It was only after the merger that sales rose.",
    ],
)
def test_what_is_put_first_to_stress_it_is_no_pronoun(second: str) -> None:
    assert texts(f"Acme Corp was sold. {second}")[1] == second


def test_a_company_that_is_described_is_a_pronoun() -> None:
    assert texts("Acme Corp was sold. It was in debt. It is a firm whose owners live in Bonn.")[1:] == [
        "Acme Corp was in debt.",
        "Acme Corp is a firm whose owners live in Bonn.",
    ]


def test_a_pronoun_without_a_fitting_name_is_left() -> None:
    assert texts("The rooms are large. He was happy.")[1] == "He was happy."
    assert texts("The workers were tired. It was closed.")[1] == "It was closed."
    assert texts("The bank opened. She was born in 1990.")[1] == "She was born in 1990."
    assert texts("He was born in 1990.") == ["He was born in 1990."]
    assert texts("Oslo is old. It is important to note that rain falls.")[1].startswith("It is important")


@pytest.mark.parametrize(
    "question, answer, expected",
    [
        ("What is the capital of France?", "Paris", "What is the capital of France? Paris."),
        ("Who directed Inception?", "Christopher Nolan.", "Who directed Inception? Christopher Nolan."),
        ("How many people live there?", "42", "How many people live there? 42."),
        ("Was the pump replaced on 11 January?", "No.", "Was the pump replaced on 11 January? No."),
        ("Are the keys in the office?", "Yes!", "Are the keys in the office? Yes."),
        ("I sing tenor. When do I have to come?", "At 7.", "When do I have to come? At 7."),
        ("Has it been shipped, or is it being packed?", "Yes", "Has it been shipped, or is it being packed? Yes."),
        ("Which bus stops there?", "Both N2 and N4", "Which bus stops there? Both N2 and N4."),
        (
            "Which bin does it go in?",
            "Yellow, emptied on Mondays.",
            "Which bin does it go in? Yellow, emptied on Mondays.",
        ),
        ("What is the name of?", "Bob", "What is the name of? Bob."),
    ],
)
def test_a_bare_answer_is_read_with_its_question(question: str, answer: str, expected: str) -> None:
    (claim,) = extract(answer, question)
    assert claim.text == expected
    assert answer[claim.start : claim.end].rstrip(".!") == answer.rstrip(".!")


def test_a_bare_word_before_the_explanation_is_read_with_its_question() -> None:
    found = texts("No. The pump was only cleaned in May.", "Was the pump replaced in May?")
    assert found == ["Was the pump replaced in May? No.", "The pump was only cleaned in May."]
    assert texts("**Paris**\n\nIt has an old tower.", "What is the capital?")[0] == "What is the capital? Paris."
    assert texts("**Refunds**\n\nThey take 5 days.", "How long do refunds take?") == ["They take 5 days."]
    assert texts("- Anna\n- Ben", "Who wrote it?") == ["Who wrote it? Anna.", "Who wrote it? Ben."]
    assert texts("**Answer:** Paris", "What is the capital?") == ["What is the capital? Paris."]


def test_a_full_sentence_does_not_need_the_question() -> None:
    assert texts("The capital is Paris.", "What is the capital of France?") == ["The capital is Paris."]
    assert texts("Paris", None) == ["Paris"]
    assert texts("Paris", "Name a city") == ["Paris"]


# Outputs that the documents of the tools we stand beside show, with what a careful reader finds in them.
@pytest.mark.parametrize(
    "output, places",
    [
        ("Einstein won the Nobel Prize in 1969.", ["Einstein won the Nobel Prize in 1969."]),
        ("Einstein was awarded the Nobel Prize for physics.", ["Einstein was awarded the Nobel Prize for physics."]),
        ("The laptop has 16GB RAM and a 256GB SSD.", ["The laptop has 16GB RAM", "a 256GB SSD."]),
        (
            "Einstein won the Nobel Prize in Physics in 1969 for his work on\nthe photoelectric effect. This"
            " groundbreaking "
            "discovery revolutionized\nour understanding of quantum mechanics.",
            [
                "Einstein won the Nobel Prize in Physics in 1969 for his work on\nthe photoelectric effect.",
                "This groundbreaking discovery revolutionized\nour understanding of quantum mechanics.",
            ],
        ),
        (
            "The capital of France is Paris. It is famous for its iconic Eiffel Tower and rich cultural heritage.",
            ["The capital of France is Paris.", "It is famous for its iconic Eiffel Tower and rich cultural heritage."],
        ),
        ("The Eiffel Tower is located in Paris, France.", ["The Eiffel Tower is located in Paris, France."]),
        (
            "The company was founded in 1995 by John Smith but has 1,000 employees.",
            ["The company was founded in 1995 by John Smith", "has 1,000 employees."],
        ),
    ],
)
def test_examples_of_other_tools(output: str, places: list[str]) -> None:
    assert [output[claim.start : claim.end] for claim in extract(output)] == places


@pytest.mark.parametrize(
    "output, expected",
    [
        (
            "The laptop has 16 GB of RAM and a 256 GB SSD.",
            ["The laptop has 16 GB of RAM.", "The laptop has a 256 GB SSD."],
        ),
        (
            "The company was founded in 1995 by John Smith but has 1,000 employees.",
            [
                "The company was founded in 1995 by John Smith.",
                "The company has 1,000 employees.",
            ],
        ),
        (
            "Grave 14 held a bronze brooch, 46 glass beads and an antler whorl.",
            ["Grave 14 held a bronze brooch.", "Grave 14 held 46 glass beads.", "Grave 14 held an antler whorl."],
        ),
        (
            "Orders can be returned within 30 days and exchanged within 60 days.",
            ["Orders can be returned within 30 days.", "Orders can be exchanged within 60 days."],
        ),
        (
            "A guest praised the wine and the service provided by the owners.",
            ["A guest praised the wine.", "A guest praised the service provided by the owners."],
        ),
        (
            "On Sundays you can board at 12:00, and an adult single costs £9.20.",
            ["On Sundays you can board at 12:00.", "An adult single costs £9.20."],
        ),
        (
            "The company, founded in New York, specializes in software and has offices worldwide.",
            [
                "The company was founded in New York.",
                "The company specializes in software.",
                "The company has offices worldwide.",
            ],
        ),
        (
            "The two mills, built in 1890 by Anna Rao, are in Bonn.",
            ["The two mills were built in 1890 by Anna Rao.", "The two mills are in Bonn."],
        ),
        (
            "The Fox Mill, located near Ulm, opened in 1890 and closed in 1950.",
            ["The Fox Mill is located near Ulm.", "The Fox Mill opened in 1890.", "The Fox Mill closed in 1950."],
        ),
        (
            "Gideon lets Nell drive; she damaged the van and did not pay.",
            ["Gideon lets Nell drive.", "She damaged the van.", "She did not pay."],
        ),
    ],
)
def test_parts_that_stand_alone_are_claims_of_their_own(output: str, expected: list[str]) -> None:
    assert texts(output) == expected


FALSE = "The mill stands in Bonn."


@pytest.mark.parametrize(
    "dressed",
    [
        f"# {FALSE}",
        "## The mill stands in Bonn",
        f"{FALSE}\n====",
        f"**{FALSE}**",
        f"**Answer: {FALSE}**",
        f"Note: {FALSE}",
        f"```\n{FALSE}\n```",
        f"> {FALSE}",
        f"- {FALSE}",
        f"[^1]: {FALSE}",
        f"✅ {FALSE}",
        "Did you know that the mill stands in Bonn?",
        "Did you know the mill stands in Bonn?",
        "The mill stands in Bonn, doesn't it?",
        "The mill stands in Bonn, right?",
        "<b>The</b> <b>mill</b> <b>stands</b> in <i>Bonn.</i>",
        "The m**il**l st\u200bands in Bonn [3].",
        "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in FALSE),
    ],
)
def test_a_statement_is_found_whatever_it_is_dressed_as(dressed: str) -> None:
    output = f"{dressed}\n\nIt was built in 1890."
    first, second = extract(output)
    assert first.text.rstrip(".") == "The mill stands in Bonn"
    assert second.text == "The mill was built in 1890."


def test_the_line_that_opens_a_list_counts_where_it_says_something() -> None:
    assert texts("The firm sells three products:\n- bread\n- cake")[0] == "The firm sells three products."
    assert texts("The firm sells the following products:\n- bread") == ["The firm sells the following products: bread"]


@pytest.mark.parametrize("opening", ["You can check your tax return by:", "The parcel was sent by mail from:"])
def test_a_line_that_breaks_off_before_its_list_says_nothing_itself(opening: str) -> None:
    claims = extract(f"{opening}\n- the online form\n- the local office")
    assert [claim.text for claim in claims] == [f"{opening} the online form", f"{opening} the local office"]


def test_rows_and_records_are_claims() -> None:
    output = "Prices:\n\n| Model | Price |\n|---|---|\n| Fox | $5 |\n| Elk | $7 |\n\nPrices may change."
    assert texts(output) == ["Model: Fox; Price: $5", "Model: Elk; Price: $7", "Prices may change."]
    found = extract('{"name": "Fox", "price": 5, "parts": [{"id": 1}, {"id": 2}], "stock": true}')
    assert [claim.text for claim in found] == [
        "name: Fox; price: 5; stock: yes",
        "Fox parts: id: 1",
        "Fox parts: id: 2",
    ]


@pytest.mark.parametrize(
    "output",
    [
        "# Overview",
        "## Key Features of the Model\n\n**Summary**",
        "What is the mill made of?",
        "Do you know who built the mill?",
        "Did you know?",
        "Hello! Here is the answer:",
        "```python\nx = 1\nprint(x)\n```",
        "[1][2]",
        "---",
    ],
)
def test_what_states_nothing_is_no_claim(output: str) -> None:
    assert extract(output) == []


def test_code_that_is_not_judged_is_named() -> None:
    output = "Run it:\n\n```python\nx = 1\nprint(x)\n```\n\nIt prints 1."
    (place,) = unread(output)
    assert place.of(output).startswith("```python") and place.of(output).endswith("```")
    assert texts(output)[-1] == "It prints 1."


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


@pytest.mark.slow("reads thousands of texts")
def test_every_claim_has_a_place() -> None:
    for output in random_texts(1500, seed=2):
        for claim in extract(output, "What is it?"):
            assert claim.start is not None and claim.end is not None
            assert claim.text.strip() and output[claim.start : claim.end].strip()


@pytest.mark.slow("reads thousands of texts")
def test_places_lie_in_order_and_do_not_overlap() -> None:
    source = random.Random(5)
    for output in (*random_texts(1500, seed=3), *(" ".join(source.choices(SENTENCES, k=4)) for _ in range(500))):
        reached = 0
        for claim in extract(output, source.choice((None, "What is it?"))):
            assert claim.start is not None and claim.end is not None
            assert reached <= claim.start < claim.end <= len(output)
            reached = claim.end


SENTENCES = [
    "The mill, which stands in Ulm, was built in 1890 by Anna and sold to the"
    " city;", "it has **16 rooms** and a tower [1].",
    "\n- Item: 5\n", "| a | b |\n|--|--|\n| 1 | 2"
                     " |\n", '{"a": {"b": [{"c": 1}]}, "d": 2}', "Yes.", "Did you know that it fell?",
    "```\nThe barn fell in 1900, and it was"
    " rebuilt.\n```\n", "She can open, close and sell it, but will not.", "# Heads\n",
    "He bought a barn, 3 cows and the (old) mill, who is from Bonn.", "\n\n",
]  # fmt: skip


@pytest.mark.slow("reads long texts to see how the time grows")
@pytest.mark.parametrize(
    "piece",
    [
        "It was and ",
        "The mill has 5 rooms and a tower, ",
        "He can open, close and ",
        "Did you know that ",
        "| a |\n|--|\n",
        '{"a":',
        "The cat, which was ",
        "I am sorry ",
        "a; ",
        "- x\n",
        "based on the ",
    ],
)
def test_time_grows_with_length_only(piece: str) -> None:
    def extracted(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        return taken(lambda: extract(text))

    assert extracted(100_000) < 25 * extracted(10_000) + 1


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (
            "Paris, a city known for its iconic Eiffel Tower, is in the north of France.",
            [
                (
                    "Paris is a city known for its iconic Eiffel Tower.",
                    "Paris, a city known for its iconic Eiffel Tower",
                ),
                ("Paris is in the north of France.", "is in the north of France."),
            ],
        ),
        (
            "It was designed by Gustave Eiffel, a French engineer.",
            [
                ("It was designed by Gustave Eiffel.", "It was designed by Gustave Eiffel"),
                ("Gustave Eiffel was a French engineer.", "a French engineer"),
            ],
        ),
    ],
)
def test_appositions_are_claims_of_their_own(output: str, expected: list[tuple[str, str]]) -> None:
    assert [(claim.text, output[claim.start : claim.end]) for claim in extract(output)] == expected


@pytest.mark.parametrize(
    "output",
    [
        "Ann, the director, and Bob left early.",
        "It sold 40,000 units in May, a record for the firm.",
        "The tower, a symbol of the city, and the hall were rebuilt.",
    ],
)
def test_what_only_looks_like_an_apposition_is_left_whole(output: str) -> None:
    assert [claim.text for claim in extract(output)] == [output]
