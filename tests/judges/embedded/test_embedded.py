"""The embedded judge, asked as a user asks it: the documents' examples, its own edges, the same answer each time."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

import halluscope
from halluscope import Outcome, Result, Support

S, C, U = Support.SUPPORTED, Support.CONTRADICTED, Support.UNSUPPORTED

IPHONE = [
    "The first iPhone was announced on January 9, 2007.",
    "It was released on June 29, 2007.",
    "Steve Jobs introduced it at Macworld.",
]
EINSTEIN = [
    "Albert Einstein won the Nobel Prize in Physics in 1921.",
    "Einstein received the prize for his explanation of the photoelectric effect.",
    "The photoelectric effect demonstrated the quantum nature of light.",
]
TESLA = [
    "The Tesla Model 3 was unveiled in March 2016 and deliveries began in July 2017.",
    "The Long Range version has an estimated range of 358 miles.",
    "Tesla has about 127,855 employees as of 2022.",
]
EIFFEL = (
    "The Eiffel Tower is located in Paris, France. It was constructed in 1889 as the entrance arch to the 1889 "
    "World's Fair."
)


def check(output: str, context: list[str], metric: str = "hallucination", asked: str | None = None) -> Result:
    result = halluscope.check(output, context, asked, metric=metric, judge="local")
    assert Result.from_json(result.to_json()) == result
    return result


@pytest.mark.parametrize(
    ("output", "context", "support"),
    [
        # dates
        ("The first iPhone was announced on January 9, 2007.", IPHONE, S),
        ("The first iPhone was announced in 2007.", IPHONE, S),
        ("The first iPhone was announced in January 2007.", IPHONE, S),
        ("The first iPhone was announced on January 9, 2008.", IPHONE, C),
        ("The first iPhone was released on June 29, 2006.", IPHONE, C),
        ("Steve Jobs introduced the iPhone at Macworld.", IPHONE, S),
        ("Einstein won the Nobel Prize in 1969.", ["Einstein won the Nobel Prize in 1921."], C),
        ("Einstein was awarded the Nobel Prize for physics.", ["Einstein won the Nobel Prize in Physics."], S),
        # counts and approximations
        ("Tesla has 127,855 employees.", TESLA, S),
        ("Tesla has about 128,000 employees.", TESLA, S),
        ("Tesla has nearly 130,000 employees.", TESLA, S),
        ("Tesla has exactly 120,000 employees.", TESLA, C),
        ("Tesla has 12,785 employees.", TESLA, C),
        ("The Long Range version has a range of 358 miles.", TESLA, S),
        ("The Long Range version has a range of 258 miles.", TESLA, C),
        ("The Model 3 was unveiled in 2016.", TESLA, S),
        ("The Model 3 was unveiled in 2018.", TESLA, C),
        # speculation
        ("Einstein may have won the Nobel Prize in 1921.", ["Einstein won the Nobel Prize in 1921."], S),
        ("The company might open an office on the moon.", TESLA, U),
        # what the context does not have
        ("The iPhone costs 999 dollars in Japan.", IPHONE, U),
        ("The Eiffel Tower is located in Paris, France.", [EIFFEL], S),
        ("The Eiffel Tower is located in Rome, Italy.", [EIFFEL], C),
    ],
)
def test_the_documents_own_claims(output: str, context: list[str], support: Support) -> None:
    (verdict,) = check(output, context).verdicts
    wrong_either_way = {support} if support is S else {C, U}
    assert verdict.support in wrong_either_way, verdict
    assert verdict.confidence is not None and 0.5 <= verdict.confidence <= 1
    assert verdict.reason


def test_deepeval_einstein_is_a_half() -> None:
    context = [
        "Einstein won the Nobel Prize in 1921.",
        "Einstein won it for his discovery of the photoelectric effect.",
    ]
    result = check("Einstein won the Nobel Prize in 1969.", context, "contradiction")
    assert result.score == 0.5
    assert "1921" in (result.reason or "") and "1969" in (result.reason or "")


def test_deepeval_complete_example_is_a_third() -> None:
    output = (
        "Einstein won the Nobel Prize in Physics in 1969 for his work on\nthe photoelectric effect. This "
        "groundbreaking discovery revolutionized\nour understanding of quantum mechanics.\n"
    )
    result = check(output, EINSTEIN, "contradiction")
    assert result.score == pytest.approx(1 / 3)


def test_deepeval_laptop_contradicts_the_storage() -> None:
    context = ["Product spec: 16GB DDR4 RAM", "Storage: 512GB NVMe SSD"]
    result = check("The laptop has 16GB RAM and a 256GB SSD.", context, "contradiction")
    assert [verdict.support for verdict in result.verdicts] == [S, C]


def test_opik_france_with_context() -> None:
    context = [
        "France is a country in Western Europe. Its capital is Paris, which is known for landmarks like the "
        "Eiffel Tower."
    ]
    result = check("The capital of France is Paris.", context, "label", "What is the capital of France?")
    assert (result.label, result.score) == ("factual", 0.0)
    result = check("The capital of France is Lyon.", context, "label", "What is the capital of France?")
    assert (result.label, result.score) == ("hallucinated", 1.0)


def test_phoenix_eiffel_is_factual() -> None:
    result = check(
        "The Eiffel Tower is located in Paris, France.", [EIFFEL], "label", "Where is the Eiffel Tower located?"
    )
    assert result.label == "factual"
    assert result.probability is not None and result.probability < 0.5


def test_a_mixed_answer_scores_in_between_and_points_at_the_wrong_part() -> None:
    output = "The first iPhone was announced on January 9, 2007. It was released in March 2009."
    result = check(output, IPHONE)
    assert result.score == 0.5
    (wrong,) = result.failing
    assert wrong.claim.start is not None and wrong.claim.end is not None
    assert "March 2009" in output[wrong.claim.start : wrong.claim.end]


def test_pleasantries_questions_and_offers_are_no_claims() -> None:
    output = "Sure, happy to help! The first iPhone was announced in 2007. Would you like to know more?"
    result = check(output, IPHONE)
    assert len(result.verdicts) == 1
    assert result.score == 0.0


@pytest.mark.parametrize("metric", ["hallucination", "faithfulness", "truth_faithfulness", "label", "contradiction"])
@pytest.mark.parametrize(
    ("output", "outcome"),
    [
        ("I don't know.", Outcome.REFUSAL),
        ("What do you mean?", Outcome.NO_CLAIMS),
        ("Hello!", Outcome.NO_CLAIMS),
        ("", Outcome.EMPTY_OUTPUT),
        ("La tour est très belle et elle se trouve dans la ville de Paris depuis longtemps.", Outcome.UNJUDGEABLE),
        ("東京は日本の首都です。人口は約千四百万人です。", Outcome.UNJUDGEABLE),
        ("for (int i = 0; i < n; i++) { total += values[i]; }\nreturn total;", Outcome.UNJUDGEABLE),
    ],
)
def test_what_cannot_be_judged_is_said(metric: str, output: str, outcome: Outcome) -> None:
    result = check(output, IPHONE, metric)
    assert (result.outcome, result.score) == (outcome, None)
    assert "No score" in (result.reason or "")


def test_a_foreign_passage_among_others_is_named() -> None:
    german = "Das iPhone wurde im Januar vorgestellt und ist seitdem ein großer Erfolg für die Firma gewesen."
    result = check("The first iPhone was announced on January 9, 2007.", [german, *IPHONE])
    assert result.score == 0.0
    assert any("passage 1 was not read" in note for note in result.notes)
    assert result.verdicts[0].evidence[0].passage == 1


def test_without_context_the_embedded_judge_says_that_it_knows_nothing() -> None:
    result = halluscope.check("Paris is the capital of France.", metric="label", judge="local")
    assert result.outcome is Outcome.UNJUDGEABLE


def test_every_metric_gives_a_score_and_a_reason() -> None:
    for metric in ("hallucination", "faithfulness", "truth_faithfulness", "label", "contradiction"):
        result = check("The first iPhone was announced on January 9, 2007.", IPHONE, metric)
        assert result.outcome is Outcome.SCORED and result.passed, metric
        assert result.reason
        assert result.usage.cost == 0.0


def test_evidence_is_quoted_to_the_letter_also_from_tool_results() -> None:
    passage = json.dumps({"order": 1187, "items": [{"name": "Desk lamp", "unit_price": 12.5, "in_stock": True}]})
    result = check("The desk lamp has a unit price of 12.50.", [passage])
    for verdict in result.verdicts:
        for evidence in verdict.evidence:
            assert passage[evidence.start : evidence.end] == evidence.quote
    assert result.score == 0.0
    assert check("The desk lamp has a unit price of 21.50.", [passage]).score == 1.0


LONG = " ".join(
    f"In section {i} the committee reviewed budget item {i * 7 % 1000} and postponed decision {i * 13 % 977}."
    for i in range(7000)
)


@pytest.mark.slow("searches a hundred thousand words")
def test_a_hundred_thousand_words_are_searched() -> None:
    context = [LONG[: len(LONG) // 2], LONG[len(LONG) // 2 :] + " The harbour bridge was closed on 4 May 2019."]
    result = check("The harbour bridge was closed on 4 May 2019.", context)
    assert result.score == 0.0
    evidence = result.verdicts[0].evidence[0]
    assert "harbour bridge" in context[evidence.passage][evidence.start : evidence.end]
    assert check("The harbour bridge was closed on 4 May 2014.", context).score == 1.0


CASES = [
    ("The first iPhone was announced on January 9, 2007. It was released in March 2009.", IPHONE),
    ("Tesla has about 128,000 employees, and the Model 3 was unveiled in 2016.", TESLA),
    ("Einstein won the Nobel Prize in Physics in 1969.", EINSTEIN),
    ("The Eiffel Tower is in Paris. It is 330 metres tall and was built by the Romans.", [EIFFEL]),
]


def confidences(pairs: list[tuple[str, list[str]]]) -> list[list[float | None]]:
    return [[verdict.confidence for verdict in check(*pair).verdicts] for pair in pairs]


@pytest.mark.slow("scores many cases in threads")
def test_the_same_case_scores_the_same_to_the_bit_alone_or_among_others() -> None:
    alone = confidences(CASES)
    assert confidences(CASES[::-1])[::-1] == alone
    with ThreadPoolExecutor(8) as pool:
        assert [list(part[0]) for part in pool.map(lambda pair: confidences([pair]), CASES * 3)] == alone * 3

    async def together() -> list[list[float | None]]:
        metric = halluscope.Hallucination()
        results = await asyncio.gather(*(metric.ascore(output=o, context=c, judge="local") for o, c in CASES * 2))
        return [[verdict.confidence for verdict in result.verdicts] for result in results]

    assert asyncio.run(together()) == alone * 2


@pytest.mark.slow("starts processes")
def test_the_same_case_scores_the_same_in_another_process_whatever_the_threads() -> None:
    program = (
        "import json; from tests.judges.embedded.test_embedded import CASES, confidences; "
        "print(json.dumps(confidences(CASES)))"
    )
    outputs = {json.dumps(confidences(CASES))}
    for threads in ("1", "4"):
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "PYTHONHASHSEED": threads}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        outputs.add(done.stdout.strip())
    assert len(outputs) == 1


@pytest.mark.parametrize(
    "output, context",
    [
        ("The code is " + "7f3a" * 40 + ".", "The mill was sold in 1900 for 12 dollars."),
        ("The key is " + "AbCdEfGhIj" * 11 + ".", "The key is " + "ZyXwVuTsRq" * 11 + "."),
        ("The mill cost " + "9" * 20 + " dollars.", "The mill cost 12 dollars."),
        (f"The hash is {'ab' * 63}cd.", f"The hash is {'ab' * 64}."),
    ],
)
def test_a_word_too_long_to_read_stands_in_the_context_or_is_not_supported(output: str, context: str) -> None:
    (verdict,) = check(output, [context]).verdicts
    assert not verdict.support.holds


def test_a_long_word_that_stands_in_the_context_is_supported() -> None:
    said = f"The hash of the image is {'ab12' * 32}."
    (verdict,) = check(said, [said]).verdicts
    assert verdict.support.holds


def test_a_statement_in_mark_up_is_judged_and_code_is_said_to_be_unread() -> None:
    context = ["The mill stands in Ulm. It was built in 1890 by Anna."]
    result = check("# The mill stands in Bonn.\n\nIt was built in 1890.", context)
    assert [verdict.support.holds for verdict in result.verdicts] == [False, True]
    noted = check("The mill stands in Ulm.\n\n```python\nx = 1\nprint(x)\n```", context)
    assert any("program code was not judged" in note for note in noted.notes)


DISGUISES: dict[str, Callable[[str], str]] = {
    "blanks that are letters": lambda text: text.replace(" ", "\u3164"),
    "blanks of braille": lambda text: text.replace(" ", "\u2800"),
    "turned round": lambda text: f"\u202e{text[::-1]}\u202c",
    "rings": lambda text: "".join(char + "\u20dd" * char.isalnum() for char in text),
    "raised digits": lambda text: text.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")),
    "small capitals": lambda text: text.lower().translate(str.maketrans("abdehilmnostuw", "ᴀʙᴅᴇʜɪʟᴍɴᴏꜱᴛᴜᴡ")),
    "squares": lambda text: "".join(chr(0x1F130 + ord(char) - 65) if char.isalpha() else char for char in text.upper()),
    "dark squares": lambda text: "".join(
        chr(0x1F170 + ord(char) - 65) if char.isalpha() else char for char in text.upper()
    ),
    "letters of other scripts": lambda text: text.translate(str.maketrans("aeiouT", "аеіоυТ")),
    "upside down": lambda text: text.lower().translate(str.maketrans("abdehimntuw", "ɐqpǝɥıɯuʇnʍ"))[::-1],
    "braille": lambda text: text.lower().translate(
        str.maketrans("abcdefghijklmnopqrstuvwxyz.", "⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵⠲")
    ),
    "spaced out": " ".join,
    "a table without rows": lambda text: f"\n| {text} |\n|---|\n| |\n",
}


@pytest.mark.slow("reads hundreds of texts with the network")
@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("false", ["The mill stands in Bonn.", "It was built in 1950."])
def test_a_false_sentence_in_disguise_does_not_pass_beside_a_true_one(disguise: str, false: str) -> None:
    dressed = DISGUISES[disguise](false)
    if dressed != false:
        context = ["The mill stands in Ulm. It was built in 1890 by Anna, who sold it to the city for 300 dollars."]
        assert not check(f"The mill stands in Ulm. {dressed}", context).passed
