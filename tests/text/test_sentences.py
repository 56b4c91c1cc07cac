from __future__ import annotations

import itertools

import pytest

from halluscope._internal.text import content_words, sentences, stem, word_places, words

from ..helpers.random_text import random_texts
from ..helpers.timing import paces, taken


def split(text: str) -> list[str]:
    return [span.of(text) for span in sentences(text)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Dr. J. Smith met Mrs. Jones. They left.", ["Dr. J. Smith met Mrs. Jones.", "They left."]),
        (
            "It dates from c. 1491 at most. In Harlan v. Board of Trade the court agreed. Take vitamin c. It helps.",
            [
                "It dates from c. 1491 at most.",
                "In Harlan v. Board of Trade the court agreed.",
                "Take vitamin c.",
                "It helps.",
            ],
        ),
        ("Then Det. Fairley called. Cllr. Moss left.", ["Then Det. Fairley called.", "Cllr. Moss left."]),
        ("It grew to 3.5 million. Then it fell.", ["It grew to 3.5 million.", "Then it fell."]),
        ("The U.S. Army came. He left.", ["The U.S. Army came.", "He left."]),
        ("He lives in the U.S. The house is old.", ["He lives in the U.S.", "The house is old."]),
        ("Use a tool, e.g. a saw, i.e. this one. Stop.", ["Use a tool, e.g. a saw, i.e. this one.", "Stop."]),
        ("Apple Inc. announced it. Apple Inc. The end.", ["Apple Inc. announced it.", "Apple Inc.", "The end."]),
        ("It is in Santa Barbara, CA. The bar is open.", ["It is in Santa Barbara, CA.", "The bar is open."]),
        ("No. 5 is alive. Is it? No. It is not.", ["No. 5 is alive.", "Is it?", "No.", "It is not."]),
        ("It takes approx. 12 min. See Fig. 3 for more.", ["It takes approx. 12 min. See Fig. 3 for more."]),
        ('"Stop!" he said. "Go on." She left.', ['"Stop!" he said.', '"Go on."', "She left."]),
        ("Wait... what? He slept... Then he woke.", ["Wait... what?", "He slept...", "Then he woke."]),
        ("See https://a.example/x.y?z=1. Next one.", ["See https://a.example/x.y?z=1.", "Next one."]),
        ("Version 4.2.1 is out. Good.", ["Version 4.2.1 is out.", "Good."]),
        ("这是一个句子。这是另一个！", ["这是一个句子。", "这是另一个！"]),
        ("the progress failed . the crew waited .", ["the progress failed .", "the crew waited ."]),
        ("He said (it is true.) and left. Fine.", ["He said (it is true.) and left.", "Fine."]),
    ],
)
def test_where_sentences_end(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_a_wrapped_line_goes_on() -> None:
    text = (
        "\n  Einstein won the Nobel Prize in Physics in 1969 for his work on\n  the photoelectric effect. "
        "This groundbreaking discovery revolutionized\n  our understanding of quantum mechanics.\n"
    )
    assert split(text) == [
        "Einstein won the Nobel Prize in Physics in 1969 for his work on\n  the photoelectric effect.",
        "This groundbreaking discovery revolutionized\n  our understanding of quantum mechanics.",
    ]


def test_lines_that_begin_something_new() -> None:
    text = "# Title\n\nThe features are:\n- 16GB RAM\n* 1TB SSD. It is fast.\n1. First\n2) Second\n(a) third\n\nThe end"
    assert split(text) == [
        "Title", "The features are:", "16GB RAM", "1TB SSD.", "It is fast.", "First", "Second", "third", "The end",
    ]  # fmt: skip


def test_a_person_with_an_initial_is_no_list_item() -> None:
    assert split("J. Smith wrote it.\nK. Jones read it.") == ["J. Smith wrote it.", "K. Jones read it."]


def test_code_and_table_rows_stay_whole() -> None:
    code = "```python\nx = 1. \ny = 2.\n```"
    assert split(f"Before.\n{code}\nAfter.") == ["Before.", code, "After."]
    assert split("| a. b | c |\n|---|---|\n| 1. 2 | 3 |") == ["| a. b | c |", "|---|---|", "| 1. 2 | 3 |"]


def test_an_unclosed_fence_hides_nothing() -> None:
    assert split("One.\n```\nTwo. Three.")[-2:] == ["Two.", "Three."]


@pytest.mark.parametrize("text", ["", " ", "\n\n\t", "---", "=====\n"])
def test_nothing_to_find(text: str) -> None:
    assert sentences(text) == []


def test_spans_are_trimmed_ordered_and_lose_no_word() -> None:
    for text in random_texts(1500, seed=1):
        spans = sentences(text)
        assert all(span.of(text) and span.of(text) == span.of(text).strip() for span in spans)
        assert all(left.end <= right.start for left, right in itertools.pairwise(spans))
        covered = set().union(*(range(span.start, span.end) for span in spans))
        lost = [text[place] for place in range(len(text)) if place not in covered and text[place].isalpha()]
        assert not [char for char in lost if char not in "aBxéΩ中Ωх"], (text, lost)  # letters may be list markers


@pytest.mark.parametrize("piece", ["a. ", ". ", "```\n", "1. ", "- ", "\"'", "A.B.", "| ", "U.S. ", "> "])
def test_time_grows_with_length_only(piece: str) -> None:
    def cut(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        return taken(lambda: sentences(text))

    assert cut(80_000) < 25 * cut(8_000) + 1


@pytest.mark.slow("splits megabytes of text")
@pytest.mark.parametrize("piece", ["A", "x\n", "Some words of a sentence that ends. "])
def test_a_megabyte_takes_bounded_time(piece: str) -> None:
    text = (piece * (1_000_000 // len(piece) + 1))[:1_000_000]
    assert paces(lambda: sentences(text)) < 1000


def test_words_are_folded() -> None:
    assert words("Liège’s CAFÉ isn't 1,200.5 big_data") == ["liege", "cafe", "isn't", "1,200.5", "big", "data"]
    assert content_words("The cat is on the mat") == ["cat", "mat"]


def test_word_places_point_at_the_word() -> None:
    text = "Einstein's brain, 3.5 kg"
    assert [text[word.start : word.end] for word in word_places(text)] == ["Einstein", "brain", "3.5", "kg"]


@pytest.mark.parametrize(
    "left, right",
    [("employs", "employees"), ("founded", "founding"), ("rose", "rise"), ("men", "man"), ("cities", "city")],
)
def test_related_words_share_a_stem(left: str, right: str) -> None:
    assert stem(left) == stem(right)


@pytest.mark.parametrize("left, right", [("increase", "decrease"), ("import", "export"), ("north", "south")])
def test_opposites_do_not(left: str, right: str) -> None:
    assert stem(left) != stem(right)
