"""Which parts of a context are read against a claim."""

from __future__ import annotations

from halluscope._internal.judges.embedded.reading.evidence import EvidenceIndex, content_words, sentences, stem


def test_sentences_have_places() -> None:
    text = 'Dr. Smith went. He said: "Hi there." Then left.\n- one item\n- two items'
    assert [text[a:b] for a, b in sentences(text)] == [
        "Dr. Smith went.", 'He said: "Hi there."', "Then left.", "- one item", "- two items",
    ]  # fmt: skip


def test_windows_cover_every_word_once() -> None:
    text = "Short. " + " ".join(f"word{number}" for number in range(200)) + ". The end of it all is here."
    joined = " ".join(text[w.start : w.end] for w in EvidenceIndex([text]).windows)
    assert joined.split() == text.split()


def test_evidence_is_found_in_a_long_context() -> None:
    noise = [
        f"Paragraph {number} speaks of weather, trade and the price of bread in town {number}."
        for number in range(3000)
    ]
    noise.insert(1777, "The lighthouse of Orvik was lit for the first time by Marta Lind.")
    index = EvidenceIndex([" ".join(noise[:1500]), " ".join(noise[1500:])])
    selection = index.select("Marta Lind lit the lighthouse of Orvik.")
    assert selection.best is not None
    assert "Marta Lind" in index.text(selection.best)
    assert "Marta Lind" in selection.text
    assert len(selection.text.split()) <= 100
    assert not selection.complete


def test_a_short_context_is_taken_whole() -> None:
    selection = EvidenceIndex(["One passage here.", "Another passage there."]).select("Nothing shared")
    assert selection.complete
    assert selection.best is None
    assert selection.text == "One passage here. Another passage there."


def test_of_rows_that_hold_as_much_the_one_that_the_claim_is_about_is_quoted() -> None:
    index = EvidenceIndex(["| plan | price |\n| Basic | $20 |\n| Pro | $45 |"])
    for claim, row in (("The Pro plan costs $20.", "| Pro | $45 |"), ("Basic costs $45.", "| Basic | $20 |")):
        best = index.select(claim).best
        assert best is not None
        assert index.text(best) == row


def test_an_empty_context_gives_empty_evidence() -> None:
    for passages in ([], [""], ["   "]):
        selection = EvidenceIndex(passages).select("A claim.")
        assert selection.text == ""
        assert selection.windows == ()


def test_words_and_stems() -> None:
    assert content_words("The 1,250 moved boxes, and moving men") == ["1250", "mov", "box", "mov", "men"]
    assert stem("cities") == stem("city")
