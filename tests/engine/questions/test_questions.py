"""Reading replies: what may be trusted, what must be refused."""

from __future__ import annotations

from typing import Any

import pytest

from halluscope._internal.core.errors import ReplyError
from halluscope._internal.core.verdict import Claim, Support, Verdict
from halluscope._internal.engine.questions import (
    ComparePassages,
    Explain,
    ExtractClaims,
    ExtractTruths,
    LabelAnswer,
    Passage,
    Verification,
    VerifyClaims,
)

from ...helpers.timing import paces

WORDS = {"yes": Support.UNSUPPORTED, "no": Support.SUPPORTED}
CLAIMS = (Claim("c1", "The tower is in Paris."), Claim("c2", "It was built in 1889."))
PASSAGES = (Passage(0, "The tower stands in Paris."), Passage(1, "It was completed in 1889, for the fair."))


def verify(**changes: Any) -> VerifyClaims:
    return VerifyClaims(**{"claims": CLAIMS, "passages": PASSAGES, "words": WORDS, **changes})


def words(answer: Any) -> dict[str, str]:
    return {verdict.claim.id: verdict.word for verdict in answer.verdicts}


def test_verdicts_are_matched_by_id_whatever_their_order() -> None:
    data = {"verdicts": [{"id": "c2", "verdict": "yes"}, {"id": "c1", "verdict": "No."}]}
    assert words(verify().read(data)) == {"c1": "no", "c2": "yes"}


def test_verdicts_are_matched_by_statement_without_ids() -> None:
    data = {"verdicts": [{"statement": "it was built in  1889", "verdict": "yes", "reason": "r"}]}
    assert words(verify().read(data)) == {"c2": "yes"}


def test_verdicts_without_id_and_statement_count_only_as_a_complete_list() -> None:
    assert words(verify().read({"verdicts": [{"verdict": "no"}, {"verdict": "yes"}]})) == {"c1": "no", "c2": "yes"}
    with pytest.raises(ReplyError):
        verify().read({"verdicts": [{"verdict": "no"}]})


@pytest.mark.parametrize(
    "item",
    [
        {"id": "c9", "verdict": "no"},
        {"id": "c2", "verdict": "maybe"},
        {"id": "c2", "verdict": None},
        {"id": "c2", "verdict": True},
        {"statement": "The moon is made of cheese.", "verdict": "no"},
        {"id": "c2", "statement": "Bananas are yellow fruit.", "verdict": "no"},
        "c2: no",
    ],
)
def test_what_was_not_asked_or_is_no_word_of_ours_is_refused(item: object) -> None:
    answer = verify().read({"verdicts": [{"id": "c1", "verdict": "no"}, item]})
    assert words(answer) == {"c1": "no"}
    assert answer.refused or item == "c2: no"


def test_two_different_verdicts_on_one_claim_are_both_refused() -> None:
    items = [{"id": "c1", "verdict": "no"}, {"id": "c2", "verdict": "no"}, {"id": "c1", "verdict": "yes"}]
    answer = verify().read({"verdicts": items})
    assert words(answer) == {"c2": "no"}
    assert "c1" in answer.refused[0]


def test_the_same_verdict_twice_is_one() -> None:
    items = [{"id": "c1", "verdict": "no"}, {"id": "c1", "verdict": "no"}, {"id": "c2", "verdict": "no"}]
    assert words(verify().read(items)) == {"c1": "no", "c2": "no"}


def test_evidence_is_found_in_its_passage_or_dropped_and_marked() -> None:
    items = [
        {"id": "c1", "verdict": "no", "evidence": "stands in  Paris"},
        {"id": "c2", "verdict": "yes", "basis": "contradicted", "evidence": "built by the Romans"},
    ]
    first, second = verify().read({"verdicts": items}).verdicts
    assert [(e.passage, e.quote, e.stance) for e in first.evidence] == [(0, "stands in Paris", "for")]
    assert PASSAGES[0].text[first.evidence[0].start : first.evidence[0].end] == "stands in Paris"
    assert second.evidence == ()
    assert "not in the context" in second.notes[0]
    assert second.support is Support.CONTRADICTED


@pytest.mark.parametrize(("word", "basis"), [("yes", "supported"), ("no", "contradicted"), ("no", "unsupported")])
def test_a_verdict_that_contradicts_itself_is_refused(word: str, basis: str) -> None:
    items = [{"id": "c1", "verdict": word, "basis": basis}, {"id": "c2", "verdict": "no", "basis": "supported"}]
    answer = verify().read({"verdicts": items})
    assert words(answer) == {"c2": "no"}
    assert "c1" in answer.refused[0]


@pytest.mark.parametrize("data", [{}, {"verdicts": "none"}, 7, "text", None, {"verdicts": []}, []])
def test_replies_of_another_shape_are_refused(data: object) -> None:
    with pytest.raises(ReplyError):
        verify().read(data)


def test_splitting_a_long_context_loses_no_character_and_keeps_places() -> None:
    text = "".join(f"Sentence number {i} says {i * i}. " for i in range(200))
    question = verify(passages=(Passage(0, "short"), Passage(3, text)))
    parts = question.split(500)
    pieces = [p for part in parts for p in part.passages if p.index == 3]
    assert "".join(p.text for p in pieces) == text
    assert all(text[p.offset : p.offset + len(p.text)] == p.text for p in pieces)
    assert all(part.size <= 500 for part in parts)


def verified(support: Support, *ids: str) -> Verification:
    return Verification(tuple(Verdict(c, support) for c in CLAIMS if c.id in ids))


def test_merging_parts_supported_wins_and_missing_stays_missing() -> None:
    parts = [verify(claims=CLAIMS[:1])] * 3
    answers = [verified(support, "c1") for support in (Support.UNSUPPORTED, Support.SUPPORTED, Support.CONTRADICTED)]
    merged = verify().merge(parts, answers)
    assert [(v.claim.id, v.support) for v in merged.verdicts] == [("c1", Support.SUPPORTED)]


def test_a_claim_that_one_part_left_out_is_supported_by_another_or_has_no_verdict() -> None:
    parts = [verify(claims=CLAIMS[:2])] * 2
    answers = [verified(Support.UNSUPPORTED, "c1", "c2"), verified(Support.SUPPORTED, "c1")]
    assert [v.claim.id for v in verify().merge(parts, answers).verdicts] == ["c1"]
    answers = [verified(Support.SUPPORTED, "c1", "c2"), verified(Support.UNSUPPORTED, "c1")]
    assert [v.claim.id for v in verify().merge(parts, answers).verdicts] == ["c1", "c2"]


def test_a_passage_that_one_piece_of_the_output_was_not_compared_with_does_not_agree() -> None:
    question = ComparePassages(output="said and done", passages=PASSAGES[:2])
    first, second = question.passages
    agrees, contradicts = question.verdict(first, True), question.verdict(second, False)
    answers = [Verification((agrees, contradicts)), Verification((question.verdict(second, True),))]
    merged = question.merge([question, question], answers)
    assert [(v.passage, v.support.holds) for v in merged.verdicts] == [(1, False)]
    answers[1] = Verification((agrees, question.verdict(second, True)))
    assert [v.passage for v in question.merge([question, question], answers).verdicts] == [0, 1]


def test_claims_get_their_place_in_the_output() -> None:
    output = "Sure! The tower is in Paris, and it was built in 1889."
    claims = ExtractClaims(output=output).read({"claims": ["The tower is in Paris", "The tower was built in 1889."]})
    assert [claim.id for claim in claims] == ["c1", "c2"]
    assert claims[0].start is not None
    assert output[claims[0].start : claims[0].end] == "The tower is in Paris"
    assert claims[1].start is not None


@pytest.mark.parametrize(
    ("output", "stated"),
    [
        ("Der Turm steht in Paris. Er wurde rot gestrichen.", ["The tower is in Paris.", "It was painted red."]),
        ("塔はパリにある。赤く塗られた。", ["The tower is in Paris.", "It was painted red."]),
        ("塔はパリにある。赤く塗られた。", ["塔はパリにあります", "塔は赤く塗られました"]),
    ],
)
def test_no_claim_is_dropped_in_whatever_language(output: str, stated: list[str]) -> None:
    claims = ExtractClaims(output=output).read({"claims": stated})
    assert [claim.text for claim in claims] == stated


def test_a_claim_without_spaces_has_its_place() -> None:
    output = "塔はパリにある。1889年に完成した。"
    (claim,) = ExtractClaims(output=output).read({"claims": ["塔は1889年に完成した"]})
    assert output[claim.start : claim.end].strip("。") == "1889年に完成した"


@pytest.mark.parametrize("data", [[["a one"]], [{"claims": ["a one"]}], [True], [17, "a one"]])
def test_an_item_that_is_no_claim_is_asked_for_again_and_not_dropped(data: object) -> None:
    with pytest.raises(ReplyError, match="must contain only texts"):
        ExtractClaims(output="a one").read({"claims": data})


@pytest.mark.parametrize(
    ("statement", "kept"),
    [
        ("塔はパリにあります。", True),
        ("The tower is in Paris.", True),
        ("塔は1887年にパリに建った。", False),
        ("バナナは黄色い果物です。", False),
    ],
)
def test_a_claim_restated_in_another_script_is_the_claim_unless_its_numbers_differ(statement: str, kept: bool) -> None:
    question = verify(claims=(Claim("c1", "塔はパリにある"), Claim("c2", "It was built in 1889.")))
    answer = question.read(
        {"verdicts": [{"id": "c1", "statement": statement, "verdict": "no"}, {"id": "c2", "verdict": "no"}]}
    )
    assert ("c1" in words(answer)) is kept


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (["a one", "b two", "a one"], ["a one", "b two"]),
        ({"claims": [{"claim": "a one"}, {"text": "b two"}, 42]}, ["a one", "b two", "42"]),
        ({"claims": "a one"}, ["a one"]),
        ({"claims": []}, []),
    ],
)
def test_claims_in_the_shapes_models_give_them(data: object, texts: list[str]) -> None:
    assert [claim.text for claim in ExtractClaims(output="a one b two 42").read(data)] == texts


def test_truths_are_limited() -> None:
    question = ExtractTruths(passages=PASSAGES, limit=2)
    facts = ["The tower is in Paris.", "Bananas grow quickly.", "It was completed in 1889.", "It was for the fair."]
    assert question.read({"truths": facts}) == ("The tower is in Paris.", "Bananas grow quickly.")
    assert "2 most important" in str(question.slots()["wanted"])


@pytest.mark.parametrize(
    ("data", "label"),
    [
        ({"verdict": "Factual", "reason": ["x"]}, "factual"),
        ({"label": "hallucinated", "explanation": "x"}, "hallucinated"),
        ([{"verdict": "factual"}], "factual"),
    ],
)
def test_labels(data: object, label: str) -> None:
    assert LabelAnswer(output="a").read(data).label == label


@pytest.mark.parametrize("text", ["factual or hallucinated", "not factual", "neither", "not really hallucinated"])
def test_a_label_that_is_not_plain_is_refused(text: str) -> None:
    with pytest.raises(ReplyError):
        LabelAnswer(output="a").read_text(text)


def test_compare_matches_by_id_or_as_a_complete_list() -> None:
    question = ComparePassages(output="a", passages=PASSAGES)
    by_id = question.read({"verdicts": [{"id": "p2", "verdict": "no"}]})
    assert [(v.passage, v.support.holds) for v in by_id.verdicts] == [(1, False)]
    by_order = question.read({"verdicts": [{"verdict": "yes"}, {"verdict": "no"}]})
    assert [(v.passage, v.support.holds) for v in by_order.verdicts] == [(0, True), (1, False)]
    with pytest.raises(ReplyError):
        question.read({"verdicts": [{"verdict": "yes"}]})


def test_compare_in_parts_never_shows_one_passage_twice() -> None:
    long = Passage(0, "word " * 400)
    parts = ComparePassages(output="said", passages=(long, Passage(1, "short"))).split(800)
    for part in parts:
        assert len({p.index for p in part.passages}) == len(part.passages)
    assert "".join(p.text for part in parts for p in part.passages if p.index == 0) == long.text


@pytest.mark.parametrize(
    ("reason", "fine"),
    [
        ("The score is 0.5 because one of two is wrong.", True),
        ("The score is 0.50, as 1 of 2 claims is wrong.", True),
        ("One claim of 3 is wrong, in 1969.", True),
        ("The score is 0.8 because all is well.", False),
        ("A score of 1 is fitting.", False),
        ("", False),
    ],
)
def test_a_reason_may_not_name_another_score(reason: str, fine: bool) -> None:
    question = Explain(score=0.5, scale=1.0, meaning="m", verdicts=(), summary="s")
    if fine:
        assert question.read({"reason": reason}) == reason
    else:
        with pytest.raises(ReplyError):
            question.read({"reason": reason})


def test_fingerprints_follow_content_and_prompt() -> None:
    prints = {
        verify().fingerprint(),
        verify(template="other").fingerprint(),
        verify(claims=CLAIMS[:1]).fingerprint(),
        verify(examples=({"a": 1},)).fingerprint(),
        ComparePassages(output="a", passages=PASSAGES).fingerprint(),
    }
    assert len(prints) == 5
    assert verify().fingerprint() == verify().fingerprint()


def test_many_claims_in_other_words_find_their_sentences_in_little_time() -> None:
    sentences = [f"It has the mill number {n} standing near the river {n * 7} in Ulm." for n in range(300)]
    claims = [f"The city of Ulm has a mill numbered {n} which stands near river {n * 7}." for n in range(300)]
    output = " ".join(sentences)
    assert paces(lambda: ExtractClaims(output=output).read({"claims": claims})) < 30
    found = ExtractClaims(output=output).read({"claims": claims})
    assert [output[c.start : c.end] for c in found] == sentences
