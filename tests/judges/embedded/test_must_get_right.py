"""What a careful reader would get right, on texts that nothing was fitted on.

Where a network decides, single cases may go wrong and more would be flaky: so many of a table must be right.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import halluscope
from halluscope import Result, Support


def judged(output: str, context: str | Sequence[str], question: str | None = None) -> Result:
    passages = [context] if isinstance(context, str) else list(context)
    return halluscope.check(output, passages, input=question, judge="local")


def holds(output: str, context: str | Sequence[str], question: str | None = None) -> bool:
    result = judged(output, context, question)
    return bool(result.verdicts) and all(verdict.support.holds for verdict in result.verdicts)


def right(pairs: Sequence[tuple[bool, str]], context: str | Sequence[str], question: str | None = None) -> list[str]:
    """The outputs that are judged otherwise than they should be."""
    return [output for wanted, output in pairs if holds(output, context, question) is not wanted]


ROLES = [
    ("The parish leased the orchard to Maren Holt in March.", "The orchard was leased to Maren Holt by the parish."),
    ("The brewery sued Calder Mutual and lost.", "Calder Mutual was sued by the brewery."),
    ("Novum was taken over by Brandt Steel in May.", "Brandt Steel took over Novum in May."),
    ("Ines Roca beat Tara Quill in the final.", "Tara Quill was beaten by Ines Roca."),
    ("The bank lent the town two million euros.", "The town was lent two million euros by the bank."),
    ("The letter was sent to Dr Okafor by Mrs Lind.", "Mrs Lind sent the letter to Dr Okafor."),
]
SWAPPED = [
    "The orchard was leased to the parish by Maren Holt.",
    "The brewery was sued by Calder Mutual.",
    "Novum took over Brandt Steel in May.",
    "Ines Roca was beaten by Tara Quill.",
    "The bank was lent two million euros by the town.",
    "Dr Okafor sent the letter to Mrs Lind.",
]


def test_who_did_what_to_whom() -> None:
    missed = [swapped for (context, _), swapped in zip(ROLES, SWAPPED, strict=True) if holds(swapped, context)]
    alarms = [same for context, same in ROLES if not holds(same, context)]
    assert len(missed) + len(alarms) <= 2, (missed, alarms)


TABLE = "| Room | Seats | Projector | Floor |\n| --- | --- | --- | --- |\n" + "\n".join(
    ["| Alder | 12 | yes | 2 |", "| Birch | 40 | no | 0 |", "| Cedar | 24 | yes | 1 |"]
)
RECORDS = (
    '[{"order": "A-17", "status": "shipped", "city": "Leeds"}, {"order": "A-18", "status": "on hold", "city": "York"},'
    ' {"order": "A-19", "status": "cancelled", "city": "Hull"}]'
)
LIST = "Fees:\n- Bronze membership: 40 euros a year\n- Silver membership: 75 euros a year\n- Gold membership: 120 euros"


@pytest.mark.slow("judges hundreds of claims")
@pytest.mark.parametrize(
    ("context", "pairs"),
    [
        (
            TABLE,
            [
                (True, "Cedar has 24 seats."),
                (False, "Alder has 40 seats."),
                (True, "There is no projector in Birch."),
                (False, "Birch is on floor 2."),
            ],
        ),
        (
            RECORDS,
            [
                (True, "Order A-18 is on hold."),
                (False, "Order A-17 was cancelled."),
                (True, "Order A-19 was for Hull."),
                (False, "Order A-18 has been shipped."),
            ],
        ),
        (
            LIST,
            [
                (True, "Silver membership costs 75 euros a year."),
                (False, "Gold membership costs 75 euros."),
                (True, "The bronze membership is 40 euros a year."),
                (False, "Silver membership costs 120 euros a year."),
            ],
        ),
    ],
    ids=["table", "records", "list"],
)
def test_a_value_belongs_to_its_own_item(context: str, pairs: list[tuple[bool, str]]) -> None:
    wrong = right(pairs, context)
    assert len(wrong) <= 1, wrong


PREMISES = [
    ("Why was the ferry to Lunn stopped after the fire of 1998?", "The ferry to Lunn was stopped in 2003."),
    ("Who wrote the hymn that Queen Anna ordered?", "The hymn was written by Otto Reis."),
    ("When did the bankrupt mill reopen under Dutch owners?", "The mill reopened in May."),
]


@pytest.mark.parametrize(("question", "context"), PREMISES)
def test_the_question_is_no_evidence(question: str, context: str) -> None:
    echoed = {
        0: "The ferry to Lunn was stopped after the fire of 1998.",
        1: "Queen Anna ordered the hymn.",
        2: "The mill reopened under Dutch owners.",
    }[PREMISES.index((question, context))]
    assert not holds(echoed, context, question)


def test_bare_answers_are_judged_with_their_question() -> None:
    context = "The museum opens at 10:00 and closes at 18:00. On Mondays it is closed. Tickets cost 9 euros."
    wrong = [
        *right([(True, "9 euros"), (False, "18 euros")], context, "What does a ticket cost?"),
        *right([(True, "At 18:00."), (False, "At 10:00.")], context, "When does the museum close?"),
        *right([(True, "No."), (False, "Yes.")], context, "Is the museum open on Mondays?"),
        *right([(True, "Mondays"), (False, "Sundays")], context, "On which day is the museum closed?"),
    ]
    assert len(wrong) <= 2, wrong


@pytest.mark.parametrize("mark", ["[2]", "[1, 3]", "(Hollis, 2020)", "[^4]", "【3】"])
def test_marks_of_citation_are_neither_claims_nor_numbers(mark: str) -> None:
    context = "The dam at Orre was finished in 1962 and holds eighty million cubic metres."
    plain = judged("The dam at Orre was finished in 1962.", context)
    marked = judged(f"The dam at Orre was finished in 1962 {mark}.", context)
    assert [verdict.support for verdict in marked.verdicts] == [Support.SUPPORTED]
    assert [v.confidence for v in marked.verdicts] == pytest.approx([v.confidence for v in plain.verdicts], abs=0.05)


def test_what_the_context_does_not_tell_is_no_claim() -> None:
    context = "The kettle holds 1.7 litres and is made of steel."
    result = judged("It holds 1.7 litres. The documents do not mention the warranty.", context, "Tell me about it.")
    assert [verdict.support for verdict in result.verdicts] == [Support.SUPPORTED, Support.NOT_A_CLAIM]
    assert result.score == 0.0


NUMBERS = (
    "The hall has 80 seats; 20 of them are reserved. The show begins at 17:30 and lasts 90 minutes. Rent was 400 euros."
)


@pytest.mark.slow("judges hundreds of claims")
def test_numbers_that_follow_and_numbers_that_do_not() -> None:
    wrong = right(
        [
            (True, "The show begins at 5:30 pm."),
            (False, "The show begins at 7:30 pm."),
            (True, "A quarter of the seats are reserved."),
            (True, "60 seats are not reserved."),
            (False, "70 seats are not reserved."),
            (True, "The show lasts an hour and a half."),
            (False, "The rent was 450 euros."),
            (True, "The rent was four hundred euros."),
        ],
        NUMBERS,
    )
    assert len(wrong) <= 2, wrong


@pytest.mark.parametrize("number", [37, 412, 9051])
@pytest.mark.parametrize("noun", ["employees", "trees", "tickets"])
def test_a_number_that_is_nowhere_is_never_supported(number: int, noun: str) -> None:
    context = f"The park had 240 {noun} in spring and 260 in autumn. Its director is Ada Brandt."
    assert not holds(f"The park had {number} {noun} in spring.", context)
    assert holds(f"The park had 240 {noun} in spring.", context)


@pytest.mark.slow("judges hundreds of claims")
@pytest.mark.parametrize(
    ("context", "follows", "not_so"),
    [
        (
            "Revenue was $5.0 million in 2022 and $4.4 million in 2023.",
            "Revenue fell by 12% to $4.4 million.",
            "Revenue fell by 20% to $4.4 million.",
        ),
        (
            "Revenue was $5.0 million in 2022 and $4.4 million in 2023.",
            "It fell by $0.6 million.",
            "It fell by $0.9 million.",
        ),
        ("A ticket costs 14 euros; children pay half.", "Children pay 7 euros.", "Children pay 9 euros."),
        (
            "The train left Bergen at 08:15 and arrived in Oslo at 14:55.",
            "The journey took 6 hours and 40 minutes.",
            "The journey took 7 hours and 20 minutes.",
        ),
        ("Of the 240 members, 90 voted for the plan and 60 against it.", "150 members voted.", "170 members voted."),
        (
            "Anna Holm was born in 1951. She died in 2021.",
            "Anna Holm died at about 70.",
            "Anna Holm died at the age of 82.",
        ),
    ],
)
def test_what_so_few_numbers_do_not_make_is_never_supported(context: str, follows: str, not_so: str) -> None:
    assert holds(follows, context)
    assert not holds(not_so, context)


def test_a_number_that_follows_from_nothing_is_named_beside_what_the_context_says() -> None:
    (verdict,) = judged("The review ends at 17:15.", "Project review: 15:00, duration 1.5 h, room B.").verdicts
    assert verdict.reason == "The context says “Project review: 15:00, duration 1.5 h, room B”, not “17:15”."


@pytest.mark.parametrize(
    "output",
    [
        "Der Turm wurde 1902 gebaut.",
        "La torre fue construida en 1902 por el ayuntamiento.",
        "塔は1902年に建てられた。",
        "Башня была построена в 1902 году.",
    ],
)
def test_another_language_is_refused_in_one_line(output: str) -> None:
    result = judged(output, "The tower was built in 1902 by the town council.")
    assert result.score is None
    assert "cannot read the output" in (result.reason or "")


def test_a_verdict_against_a_claim_says_what_is_wrong_where_and_against_what() -> None:
    output = "The bridge was opened in 1931 by the mayor."
    context = "The bridge was opened by the mayor in 1913, after six years of work."
    (verdict,) = (verdict for verdict in judged(output, context).verdicts if not verdict.support.holds)
    assert verdict.support is Support.CONTRADICTED
    assert (verdict.reason or "").startswith("The context says “The bridge was opened by the mayor in 1913")
    assert any("1931" in output[start:end] for start, end in verdict.marks)
    assert "1913" in verdict.evidence[0].quote
