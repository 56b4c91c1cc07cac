from __future__ import annotations

import pytest

from halluscope._internal.judges.embedded.reading.judged_text import judged, literal_words
from halluscope._internal.text import fold

from ...helpers.growth import assert_linear
from ...helpers.random_text import random_texts


@pytest.mark.parametrize(
    "given, read",
    [
        ("**Answer: The mill** stands in _Bonn_.", "Answer: The mill stands in Bonn."),
        ("It ac**quir**ed <b>the</b> <i>m</i>ill.", "It acquired the mill."),
        ("~~Old~~ `code` and [the page](https://x.org/a_(b)).", "Old code and the page."),
        ("![A mill](mill.png) <https://x.org>", "A mill https://x.org"),
        ("Fish &amp; chips&nbsp;cost<br/>5", "Fish & chips cost\n5"),
        (
            "\uff34\uff48\uff45 mi\u200bll \u2060is \ufb01ne, cafe\u0301, \U0001d401old.",
            "The mill is fine, café, Bold.",
        ),
        ("✅ The mill\n- ❌ The barn", "The mill\n- The barn"),
        ("```\nThe mill stands in Bonn.\n```", "\nThe mill stands in Bonn.\n"),
        ("~~~text\nThe mill stands in Bonn.\n~~~", "\nThe mill stands in Bonn.\n"),
    ],
)
def test_mark_up_and_odd_letters_are_read_as_they_look(given: str, read: str) -> None:
    assert judged(given).text == read


@pytest.mark.parametrize("blank", ["\u3164", "\uffa0", "\u115f", "\u1680", "\u2800", "\U0001d159", "\u00a0", "\u3000"])
def test_what_shows_as_a_gap_is_a_blank(blank: str) -> None:
    assert judged(f"The{blank}mill{blank}is{blank}old.").text == "The mill is old."


@pytest.mark.parametrize("hidden", ["\u200b", "\u2063", "\u180b", "\ufffc", "\U000e0101", "\U0001bca0", "\U0001d173"])
def test_what_does_not_show_is_left_out(hidden: str) -> None:
    assert judged(hidden.join("The mill.")).text == "The mill."


@pytest.mark.parametrize(
    "mark", ["\u20dd", "\u20e3", "\ufe0f\u20e3", "\u0336", "\u0301\u0316\u035f", "\u1ab0", "\u0488"]
)
def test_rings_strokes_and_heaps_of_accents_leave_the_letter(mark: str) -> None:
    marked = "".join(char + mark * char.isalnum() for char in "The kiwi of 1950.")
    assert fold(judged(marked).text) == "the kiwi of 1950."


@pytest.mark.parametrize(
    "given, read",
    [
        ("Ulm. \u202e.nnoB ni si llim ehT\u202c", "Ulm. The mill is in Bonn."),
        ("\u202e.nnoB ni si llim ehT\nIt is old.", "The mill is in Bonn.\nIt is old."),
        ("\u2067\u202e.nnoB ni si llim ehT\u202c\u2069 It is old.", "The mill is in Bonn. It is old."),
        ("\u202e.nnoB\u202d in mill \u202cdlo\u202c", "Bonn. in mill old"),
        ("\u202bThe mill\u202c is \u2067old\u2069.", "The mill is old."),
    ],
)
def test_letters_that_a_mark_turns_round_are_read_as_they_are_shown(given: str, read: str) -> None:
    assert judged(given).text == read


@pytest.mark.parametrize(
    "given, read",
    [
        ("It was built in ¹⁹⁵⁰.", "It was built in 1950."),
        ("It was built in ₁₉₅₀.", "It was built in 1950."),
        ("It was built in¹⁹⁵⁰.", "It was built in 1950."),
        ("It was built in ¹9⁵0.", "It was built in 1950."),
        ("³⁰⁰ dollars ($²⁰)", "300 dollars ($20)"),
        ("ᵗʰᵉ ᵐⁱˡˡ, 20ᵗʰ", "the mill, 20th"),
        ("ᴛʜᴇ ᴍɪʟʟ ɪꜱ ɪɴ ʙᴏɴɴ.", "THE MILL IS IN BONN."),
        ("🅃🄷🄴 🅜🅘🅛🅛 🅸🆂 ⒪⒧⒟.", "THE MILL IS OLD."),
        ("🇧🇴🇳🇳 and \u200b🇧\u200b🇴", "BONN and BO"),
        ("T h e   m i l l   i s   o l d .", "The mill is old."),
    ],
)
def test_odd_letters_and_digits_are_read_as_they_look(given: str, read: str) -> None:
    assert judged(given).text == read


@pytest.mark.parametrize(
    "text", ["x² + 10³ km² H₂O 10¹⁰⁰⁰ a²⁰", "① ½ n²", "Germany 🇩🇪 won.", "x ⁿ", "A B C", "नमस्ते", "𝄞"]
)
def test_what_means_something_by_its_form_stays(text: str) -> None:
    assert judged(text).text == text


@pytest.mark.parametrize(
    "text, words",
    [
        ("Тhе mіll ɪs ǝʌoqɐ Bonn.", ["Тhе", "mіll", "ǝʌoqɐ"]),
        ("5 µg, 3 kΩ, β-carotene, café, Łódź, 1ˢᵗ", []),
    ],
)
def test_words_of_other_letters_are_compared_letter_by_letter(text: str, words: list[str]) -> None:
    assert literal_words(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "2*3*4 = 24 and 2**10 = 1024",
        "# A heading\n\n* an item\n- another\n1. third",
        "snake_case_name and a_b",
        "5 * 3",
        "List<String> and a < b > c",
        "x² + 10³ km² ½ ① 9 °C",
        "AT&T; Q&A",
        "```python\nx = 1\nprint(x)\n```",
        "| a | b |\n|---|---|\n| 1 | 2 |",
    ],
)
def test_what_is_no_mark_up_stays(text: str) -> None:
    assert judged(text).text == text


@pytest.mark.parametrize(
    "given, read",
    [
        ("He won [1][3].", "He won."),
        ("He won[1-3], she lost [2, 4].", "He won, she lost."),
        ("He won (Smith, 2020).", "He won."),
        ("He won (Smith et al., 2020; Lee 2019) twice.", "He won twice."),
        ("He won (see Jones & Lee, 2019, p. 4).", "He won."),
        ("He won [Smith 2020].", "He won."),
        ("He won (source: the leaflet).", "He won."),
        ("He won (Document 3) [Doc 2].", "He won."),
        ("He won.[^1]\n\n[^1]: The mill is old.", "He won.\n\nThe mill is old."),
        ("He took the prize.² It ended¹².", "He took the prize. It ended."),
        ("He won.<sup>3</sup> It ended<sup>[4]</sup>.", "He won. It ended."),
        ("He won【4†source】.", "He won."),
        ("[1] The mill is old.", "The mill is old."),
        ("As shown in [2], it rose.", "As shown in the source, it rose."),
        ("[1] says it rose; [2] does not mention it.", "The source says it rose; the source does not mention it."),
        ("It rose [1]. [2] states that it fell.", "It rose. The source states that it fell."),
        ("The report [2] says it rose.", "The report says it rose."),
        ("It is old [citation needed].", "It is old."),
    ],
)
def test_marks_of_citation_are_left_out(given: str, read: str) -> None:
    assert judged(given).text == read


@pytest.mark.parametrize(
    "text",
    [
        "It ended (2020).",
        "He wrote teh [sic] text.",
        "Smith (2020) won.",
        "It opened (March 2020) in Oslo.",
        "The Games (Tokyo 2020) were late.",
        "It is 12 km² and x² and 5 m².",
        'The list is {"tags": [1, 2]}.',
        "Values lie in the range [1, 5] and x[3] is 2.",
        "It has five stars (see below).",
        "See Table 2 (Section 4).",
        "The years [1990] and (1999) count.",
    ],
)
def test_what_looks_like_a_citation_and_is_none_stays(text: str) -> None:
    assert judged(text).text == text


def test_program_code_is_named_and_left_alone() -> None:
    text = "**Use** this:\n\n```python\nx = *y*\nprint(x)\n```\n\nIt prints **3**."
    read = judged(text)
    (code,) = read.code
    assert code.of(read.text) == "```python\nx = *y*\nprint(x)\n```"
    assert read.in_source(*code).of(text) == code.of(read.text)
    assert read.text.startswith("Use this:") and read.text.endswith("It prints 3.")


def test_a_remark_beside_code_is_code_and_a_fence_round_remarks_is_not() -> None:
    assert judged("```\n# Adds the two numbers.\nx = a + b\n```").code
    assert not judged("```\n# The mill stands in Bonn.\n```").code
    assert not judged("```python\nThe mill stands in Bonn.\n```").code


def test_places_lead_both_ways() -> None:
    text = "The **mill** ac**quir**ed [1] a ｂarn."
    read = judged(text)
    assert read.text == "The mill acquired a barn."
    start = read.text.index("acquired")
    place = read.in_source(start, start + 8)
    assert place.of(text) == "ac**quir**ed"
    assert read.in_text(*place).of(read.text) == "acquired"
    mark = text.index("[1]")
    assert read.in_text(mark, mark + 3).of(read.text) == ""
    assert read.in_source(0, len(read.text)) == (0, len(text))


@pytest.mark.slow("reads thousands of texts")
def test_every_character_has_a_place_and_places_are_in_order() -> None:
    for text in (*random_texts(1500, seed=11), *MARKED):
        read = judged(text)
        before = 0
        for index in range(len(read.text)):
            place = read.in_source(index, index + 1)
            assert 0 <= place.start < place.end <= len(text)
            assert place.start >= before or place.start == read.in_source(index - 1, index).start
            before = max(before, place.start)
            back = read.in_text(*place)
            assert back.start <= index < back.end
        assert judged(read.text).text is not None


MARKED = [
    "**a** [1] <b>c</b> `d` ﬁ &amp; ```\nx\n``` (Smith, 2020)",
    "*" * 50,
    "[" * 50 + "1" + "]" * 50,
    "<sup>1</sup>" * 10,
    "a**b" * 20,
]


@pytest.mark.slow("reads long texts to see how the time grows")
@pytest.mark.parametrize(
    "piece",
    ["**a", "[1]", "(Smith, 2020; ", "<b>", "[a](", "```\n", "_a_ ", "&amp;", "\u200b", "(source: ",
     "<!-- ", "[^1]", "¹", "~~", "`", "A et al., "],
)  # fmt: skip
def test_time_grows_with_length_only(piece: str) -> None:
    def read(length: int) -> None:
        judged((piece * (length // len(piece) + 1))[:length])

    read(1_000)
    assert_linear(read, start=20_000, longest=80_000, name=piece)
