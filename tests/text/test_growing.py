"""Sentences of a text that comes piece by piece are those of the whole, wherever it is cut."""

from __future__ import annotations

import random

import pytest

from halluscope._internal.text import sentences
from halluscope._internal.text.growing import GrowingText, Sentence

from ..helpers.random_text import random_texts
from ..helpers.timing import taken

_BITS = [
    *"Mr. Dr. Smith The cat sat U.S. Army 1. 2.5 million . ! ? ... code. x=1. e.g. “Stop!” he said No. 5".split(),
    *("\n", "\n\n", "\r\n", "- ", "* ", "```\n", "```python\n", "~~~\n", "|a|b|\n", "# Head\n", "---\n", "> "),
    *("(a) ", "iv. ", "J. ", "。", "日本", "！", "”", "  ", " ", " "),
    "and so on it goes for a while until the line is long enough to be wrapped by somebody",
]


def given(text: str, cuts: list[int]) -> tuple[list[Sentence], str]:
    growing = GrowingText()
    found: list[Sentence] = []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        found += growing.add(text[start:end])
    left, rest = growing.end()
    return found + left, rest


def cut_anywhere(text: str, source: random.Random) -> list[int]:
    if source.random() < 0.5:
        return list(range(1, len(text)))
    return sorted(source.randrange(len(text) + 1) for _ in range(source.randrange(20)))


@pytest.mark.slow("reads thousands of texts")
@pytest.mark.parametrize("seed", range(4))
def test_it_is_cut_as_the_whole_is(seed: int) -> None:
    source = random.Random(seed)
    for _ in range(250):
        text = "".join(source.choice(_BITS) + source.choice(("", " ", " ")) for _ in range(source.randint(1, 25)))
        found, rest = given(text, cut_anywhere(text, source))
        assert [(s.start, s.start + len(s.text)) for s in found] == [tuple(span) for span in sentences(text)], text
        assert "".join(s.before + s.text for s in found) + rest == text


def test_no_character_is_lost_whatever_comes() -> None:
    source = random.Random(5)
    for text in random_texts(300, seed=6):
        found, rest = given(text, cut_anywhere(text, source))
        assert "".join(s.before + s.text for s in found) + rest == text
        assert all(text[s.start : s.start + len(s.text)] == s.text for s in found)


@pytest.mark.parametrize(
    "text, held_back",
    [
        ("It is 3.", "It is 3."),
        ("It is 3.5 m. Then", "It is 3.5 m. Then"),
        ("Ask Dr. Smith about it", "Ask Dr. Smith about it"),
        ("He lives in the U.S. A", "He lives in the U.S. A"),
        ("One. Two is", " Two is"),
        ("Run this:\n```\na = b. C = d. E = 1\n", "\n```\na = b. C = d. E = 1\n"),
        ("这是一个句子。这是", "这是"),
    ],
)
def test_nothing_is_given_out_that_could_still_change(text: str, held_back: str) -> None:
    growing = GrowingText()
    growing.add(text)
    assert growing.waiting == held_back


@pytest.mark.slow("reads long texts to see how the time grows")
@pytest.mark.parametrize("endless", ["word ", "word\n", "x", "```\ncode. More\n", "Short one. ", "a。"])
def test_time_grows_with_the_text_not_with_its_square(endless: str) -> None:
    def stream(length: int) -> None:
        text = (endless if endless.startswith("```") else "") + (endless.lstrip("`\n") * (length // len(endless)))
        growing = GrowingText()
        for start in range(0, len(text), 20):
            growing.add(text[start : start + 20])
        growing.end()

    stream(2_000)
    short, long = taken(lambda: stream(8_000)), taken(lambda: stream(32_000))
    assert long < 10 * short + 0.05
