"""Stress: each change must really change the meaning, or really leave it; and the counting must be right."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from halluscope._internal.cli import app
from halluscope._internal.core.case import Case
from halluscope._internal.core.errors import InputError, JudgeError, UnknownName
from halluscope._internal.core.verdict import Support
from halluscope._internal.engine.metrics import Label
from halluscope._internal.proof.sets.public_sets import load_set
from halluscope._internal.proof.stress.answers import PACKAGED, from_passage, read_answers, wording
from halluscope._internal.proof.stress.changes.add_sentence import add_sentence
from halluscope._internal.proof.stress.changes.change_date import change_date, dates
from halluscope._internal.proof.stress.changes.change_name import change_name, names
from halluscope._internal.proof.stress.changes.change_number import change_number
from halluscope._internal.proof.stress.changes.change_unit import change_unit
from halluscope._internal.proof.stress.changes.harmless import greet, reorder, rewrite_date, rewrite_number
from halluscope._internal.proof.stress.changes.mutant import Edit, Perturbation, applied, fair
from halluscope._internal.proof.stress.changes.negation import negate
from halluscope._internal.proof.stress.changes.plain_numbers import bound, near, numbers, spelled, values_in
from halluscope._internal.proof.stress.changes.swap_roles import swap_roles
from halluscope._internal.proof.stress.changes.word_swaps import change_order, change_quantity
from halluscope._internal.proof.stress.mutation import HARMFUL, HARMLESS, KINDS, change, mutants
from halluscope._internal.proof.stress.stress_test import astress, stress

from ..helpers.views import NO, YES, View, ViewsJudge

SHIPYARD = (
    "Halvorsen Marine was founded in Bergen on 3 March 1987. The shipyard employs 2,940 people. In 2023 it delivered "
    "14 vessels, down from 17 in 2022. Its order book stood at NOK 8.6 billion after the merger with Fjordline. "
    "More than 300 suppliers were paid within 30 days. Ingrid Dahl succeeded Olav Moen in 2019."
)


def outcomes(perturbation: Perturbation, answer: str, context: str | None = None, tries: int = 60) -> set[str]:
    """All that the change makes of an answer, over many seeds."""
    made = set()
    for seed in range(tries):
        edit = perturbation(answer, answer if context is None else context, Random(seed))
        if edit is not None:
            made.add(applied(answer, edit))
    return made


def only(text: str) -> float:
    (found,) = numbers(text)
    return found.value * found.scale


class TestNumbers:
    def test_what_is_read_as_a_number(self) -> None:
        text = (
            "In 12 of 1,204 cases (see [3] and Table 4), v2.1 and AB-123 cost $3.50 or twelve million, 5-7 days at "
            "10:30, twenty-five percent of 1/2, the 3rd 5G phone, 2021-05-06."
        )
        assert [(n.text, n.value * n.scale) for n in numbers(text)] == [
            ("12", 12),
            ("1,204", 1204),
            ("3.50", 3.5),
            ("twelve", 12e6),
            ("twenty-five", 25),
        ]

    @pytest.mark.parametrize(
        ("answer", "forbidden"),
        [
            ("It employs 2,940 people.", lambda v: 0.7 < v / 2940 < 1.4),
            ("It employs about 3,000 people.", lambda v: 0.6 < v / 3000 < 1.6),
            ("It delivered 14 vessels.", lambda v: v in (14, 17)),
            ("More than 300 suppliers were paid.", lambda v: v <= 300),
            ("At least 14 vessels were delivered.", lambda v: v <= 14),
            ("Suppliers were paid within 30 days.", lambda v: v >= 30),
            ("It has up to 14 vessels.", lambda v: v >= 14),
            ("It has 14 vessels or more.", lambda v: v <= 14),
            ("Its margin was 60% of sales.", lambda v: v >= 100),
        ],
    )
    def test_the_new_number_is_untrue(self, answer: str, forbidden: Any) -> None:
        context = SHIPYARD + " Its margin was 60%."
        made = outcomes(change_number, answer, context)
        assert len(made) > 1, "several values are possible"
        for text in made:
            assert not forbidden(only(text)), text
            assert not near(only(text), values_in(context)), text

    def test_the_form_stays(self) -> None:
        assert all(re.fullmatch(r"It cost \$\d+\.\d\d\.", t) for t in outcomes(change_number, "It cost $43.50."))
        assert all(
            re.fullmatch(r"It cost \d+\.\d billion\.", t) for t in outcomes(change_number, "It cost 8.6 billion.")
        )
        assert all(re.search(r"\d,\d{3}|\b\d{3}\b", t) for t in outcomes(change_number, "It has 2,940 parts."))
        words = outcomes(change_number, "Twelve people came.")
        assert words and all(re.fullmatch(r"[A-Z][a-z]+(?:-[a-z]+)? people came\.", t) for t in words)

    @pytest.mark.parametrize(
        "answer",
        [
            "It was founded in 1987.",
            "It was founded on 3 March 1987.",
            "One day it closed.",
            "1. First item",
            "See [12].",
            "The meeting is at 10:30.",
            "Apple sold the iPhone 15 there.",
            "60 percent is not enough.",
            "If 30 members ask, it is held.",
            "Order HB-2291047 arrived.",
            "Nothing is counted here.",
        ],
    )
    def test_what_is_no_amount_is_left_alone(self, answer: str) -> None:
        assert outcomes(change_number, answer) == set()

    def test_a_bound_of_the_answers_own_making_is_left_alone(self) -> None:
        """The context says 12: "fewer than 20" is as true as "fewer than 50"."""
        assert outcomes(change_number, "Fewer than 50 came.", "Twelve people came.") == set()

    def test_never_a_number_the_context_states_in_whatever_form(self) -> None:
        context = "It has 4 doors, two, three, 5, six, 7, 8, 9, ten and 11 windows."
        assert all(only(text) > 11 for text in outcomes(change_number, "It has 4 doors.", context))


class TestDates:
    @pytest.mark.parametrize(
        ("text", "parts"),
        [
            ("on 1921-06-01", (1921, 6, 1)),
            ("on June 1, 1921", (1921, 6, 1)),
            ("on 1st of June 1921", (1921, 6, 1)),
            ("on 1 Jun 1921", (1921, 6, 1)),
            ("in June 1921", (1921, 6, None)),
            ("in 1921", (1921, None, None)),
            ("on 1 June", (None, 6, 1)),
            ("on May 31", (None, 5, 31)),
        ],
    )
    def test_reading(self, text: str, parts: tuple[int | None, ...]) -> None:
        (found,) = dates(text)
        assert (found.year, found.month, found.day) == parts

    @pytest.mark.parametrize("text", ["1987 people", "May I ask", "version 2021.05", "ISO-2021-05-06x", "march 3"])
    def test_what_is_no_date(self, text: str) -> None:
        assert dates(text) == []

    def test_the_new_date_is_another_one_and_exists(self) -> None:
        for text in outcomes(change_date, "It was founded on 30 January 1987.", SHIPYARD):
            (found,) = dates(text)
            assert (found.year, found.month, found.day) != (1987, 1, 30)
            assert found.form == "dmy" and found.month is not None and found.day is not None
            assert not (found.month == 2 and found.day > 29)

    @pytest.mark.parametrize(
        ("answer", "allowed"),
        [
            ("He left before 1990.", lambda y: y < 1990),
            ("He left after 1990.", lambda y: y > 1990),
            ("He ruled from 1321 to 1323.", lambda y: y < 1321 or y > 1323),
            ("It opened around 1900.", lambda y: abs(y - 1900) >= 20),
        ],
    )
    def test_bounds_and_ranges_are_kept_in_mind(self, answer: str, allowed: Any) -> None:
        before = [d.year for d in dates(answer)]
        made = outcomes(change_date, answer)
        assert made
        for text in made:
            new = [d.year for d in dates(text) if d.year not in before]
            assert len(new) == 1 and allowed(new[0]), text

    def test_never_a_date_the_context_states(self) -> None:
        context = " ".join(f"In {year} it rained." for year in range(1978, 1995) if year != 1990)
        assert outcomes(change_date, "It began in 1987.", context) == {"It began in 1990."}

    def test_weekdays_and_times(self) -> None:
        assert all("Monday" not in t for t in outcomes(change_date, "It closes on Monday.", "Monday, not Tuesday."))
        assert not any("Tuesday" in t for t in outcomes(change_date, "It closes on Monday.", "Monday, not Tuesday."))
        made = outcomes(change_date, "It leaves at 11:30 pm.")
        assert made and all(re.fullmatch(r"It leaves at \d+:30 [ap]m\.", t) for t in made)
        assert "It leaves at 11:30 am." not in made


class TestNames:
    def test_which_names_can_be_changed(self) -> None:
        found = set(names("Ingrid Dahl left Bergen. The President met her.", SHIPYARD))
        assert found == {"Dahl", "Bergen"}

    def test_the_name_is_changed_everywhere_to_an_unused_one(self) -> None:
        answer = "Bergen is where it began. Bergen's yard is old."
        for text in outcomes(change_name, answer, SHIPYARD):
            assert "Bergen" not in text and text.endswith("'s yard is old.")
            word = text.split()[0]
            assert text.count(word) == 2 and word not in SHIPYARD

    @pytest.mark.parametrize(
        "answer",
        ["The yard is old.", "On Monday in March it opened.", "The French and Italian yards closed.", "Oslo grew."],
    )
    def test_no_name_no_change(self, answer: str) -> None:
        assert outcomes(change_name, answer, SHIPYARD + " The French and Italian yards closed on Monday.") == set()


class TestRoles:
    @pytest.mark.parametrize(
        ("answer", "swapped"),
        [
            ("Ingrid Dahl succeeded Olav Moen in 2019.", "Olav Moen succeeded Ingrid Dahl in 2019."),
            ("The tenant pays the landlord.", "The landlord pays the tenant."),
            ("In May Acme was acquired by Globex.", "In May Globex was acquired by Acme."),
            ("Ada moved from Oslo to Bergen.", "Ada moved from Bergen to Oslo."),
            ("The Sahel is lighter than the Nomad.", "The Nomad is lighter than the Sahel."),
            ("Ada came back to defeat Bob in May.", "Bob came back to defeat Ada in May."),
        ],
    )
    def test_the_two_change_places(self, answer: str, swapped: str) -> None:
        context = f"As told: {answer} So said Ada, Bob, Acme, Globex, Sahel, Nomad."
        assert swapped in outcomes(swap_roles, answer, context)

    @pytest.mark.parametrize(
        "answer",
        [
            "Ada and Bob defeated time.",
            "Ada met Bob in May.",
            "Ada married Bob.",
            "The drive from Oslo to Bergen is long.",
            "The tenants pays the landlord.",
            "Nearly two thirds were asked by Polmark.",
            "He followed from September to October.",
        ],
    )
    def test_equals_and_the_unclear_are_left_alone(self, answer: str) -> None:
        assert outcomes(swap_roles, answer, f"{answer} So said Ada, Bob, Oslo, Bergen, Polmark.") == set()

    def test_what_the_context_also_says_is_no_change(self) -> None:
        assert outcomes(swap_roles, "Ada followed Bob.", "So Ada followed Bob. Then Bob followed Ada.") == set()


class TestNegation:
    @pytest.mark.parametrize(
        ("answer", "negated"),
        [
            ("The yard is old.", "The yard is not old."),
            ("The yard was not sold.", "The yard was sold."),
            ("The yard wasn't sold.", "The yard was sold."),
            ("They cannot leave.", "They can leave."),
            ("He has never won.", "He has won."),
            ("The yard has closed.", "The yard has not closed."),
            ("The yard, which was old, will close.", "The yard, which was old, will not close."),
        ],
    )
    def test_a_statement_becomes_its_opposite(self, answer: str, negated: str) -> None:
        assert outcomes(negate, answer) == {negated}

    @pytest.mark.parametrize(
        "answer",
        [
            "The yard had three ships.",
            "Is the yard old?",
            "It may be old.",
            "It is not only old but rusty.",
            "He did not say anything.",
            "Nobody was not there.",
            "The yard grew.",
        ],
    )
    def test_what_would_read_badly_or_mean_the_same_is_left_alone(self, answer: str) -> None:
        assert outcomes(negate, answer) == set()


class TestUnits:
    def test_another_unit_of_the_family(self) -> None:
        assert outcomes(change_unit, "It took 30 days.") == {
            f"It took 30 {unit}." for unit in ("minutes", "hours", "weeks", "months")
        }
        assert outcomes(change_unit, "A three-day trip.") <= {
            f"A three-{unit} trip." for unit in ("minute", "hour", "week", "month")
        }
        assert outcomes(change_unit, "It cost 8.6 million.") == {
            f"It cost 8.6 {scale}." for scale in ("thousand", "billion", "trillion")
        }

    def test_only_in_the_direction_that_is_untrue(self) -> None:
        assert outcomes(change_unit, "Paid within 30 days.") == {"Paid within 30 hours.", "Paid within 30 minutes."}
        assert outcomes(change_unit, "At least 30 days.") == {"At least 30 weeks.", "At least 30 months."}

    def test_never_an_amount_the_context_states(self) -> None:
        context = "It took 12 months, which is 365 days, 52 weeks, 720 minutes or 12 hours."
        assert outcomes(change_unit, "It took 12 months.", context) <= {
            f"It took 12 {unit}." for unit in ("days", "weeks", "years", "decades")
        }
        assert "It took 360 days." not in outcomes(change_unit, "It took 360 hours.", "It took 51.4 weeks.")

    @pytest.mark.parametrize("answer", ["It took one day.", "It was long.", "Version 3 m2 x.", "30 dayspring"])
    def test_no_measure_no_change(self, answer: str) -> None:
        assert outcomes(change_unit, answer) == set()


@pytest.mark.parametrize(
    ("perturbation", "answer", "changed"),
    [
        (change_quantity, "More than 300 came.", "Less than 300 came."),
        (change_quantity, "It has no more than 6 doors.", "It has more than 6 doors."),
        (change_quantity, "All workers left.", "No workers left."),
        (change_quantity, "Most old houses fell.", "Few old houses fell."),
        (change_quantity, "Prices rose by 3%.", "Prices fell by 3%."),
        (change_quantity, "It is the largest yard.", "It is the smallest yard."),
        (change_quantity, "At least 5 came.", "Less than 5 came."),
        (change_order, "He left after the war.", "He left before the war."),
        (change_order, "Before the war he left.", "After the war he left."),
        (change_order, "It was followed by rain.", "It was preceded by rain."),
        (change_order, "They met two years later.", "They met two years earlier."),
        (change_order, "He left the following year.", "He left the previous year."),
    ],
)
def test_words_of_quantity_and_order(perturbation: Perturbation, answer: str, changed: str) -> None:
    assert outcomes(perturbation, answer) == {changed}


@pytest.mark.parametrize(
    ("perturbation", "answer"),
    [
        (change_quantity, "He came all the others past."),
        (change_quantity, "The most recent one is red."),
        (change_quantity, "It is nice."),
        (change_order, "The street is named after a king."),
        (change_order, "He appeared before the court."),
        (change_order, "Day after day it rained."),
        (change_order, "The best-before date is near."),
        (change_order, "It closed after 30 days."),
    ],
)
def test_idioms_are_left_alone(perturbation: Perturbation, answer: str) -> None:
    assert outcomes(perturbation, answer) == set()


def test_an_added_sentence_is_new_and_stands_between_sentences() -> None:
    answer = "Bergen is old. The yard is new."
    made = outcomes(add_sentence, answer, SHIPYARD, tries=200)
    assert len(made) > 10
    for text in made:
        (start,) = [place for place in (text.find("Bergen is old."), text.find("The yard is new.")) if place == 0] or [
            0
        ]
        added = text.replace("Bergen is old.", "").replace("The yard is new.", "").strip()
        assert added.endswith(".") and added not in SHIPYARD and start == 0


def test_a_sentence_the_context_may_hold_is_not_added() -> None:
    context = "Insurance covered two thirds of the damage. Tickets sold out within an hour of the announcement."
    made = outcomes(add_sentence, "It burned.", context, tries=200)
    assert made and not any("Insurance" in text or "Tickets" in text for text in made)


class TestHarmless:
    @pytest.mark.parametrize(
        ("answer", "ways"),
        [
            ("It has 1,200 rooms.", {"1.2 thousand", "twelve hundred", "1200"}),
            ("It has 12 rooms.", {"twelve"}),
            ("It has twelve rooms.", {"12"}),
            ("It fell by 30%.", {"30 percent"}),
            ("It fell by 30 percent.", {"30%"}),
            ("It cost 8.6 billion.", {"8,600,000,000"}),
            ("It has 2,940 rooms.", {"2940"}),
            ("It cost $3,500.", {"3.5 thousand", "3500"}),
        ],
    )
    def test_numbers_written_otherwise(self, answer: str, ways: set[str]) -> None:
        made = outcomes(rewrite_number, answer)
        assert {way for way in ways if any(way in text for text in made)} == ways
        assert len(made) == len(ways)

    @pytest.mark.parametrize(
        "answer", ["It has 12 km to go.", "Twelve came.", "Two and three quarters of it.", "In 1,9 it was.", "In 1987."]
    )
    def test_numbers_better_left_alone(self, answer: str) -> None:
        assert outcomes(rewrite_number, answer) == set()

    def test_a_rewritten_number_has_the_same_value(self) -> None:
        for value in (2, 17, 64, 99, 1100, 1200, 7300, 45_600, 999_900):
            text = f"It has {value:,} rooms."
            for other in outcomes(rewrite_number, text):
                assert only(other.replace(",", "")) == value, other

    @pytest.mark.parametrize(
        ("answer", "ways"),
        [
            ("Born on 1921-06-01.", {"Born on June 1, 1921.", "Born on 1 June 1921."}),
            ("Born on June 1, 1921.", {"Born on 1 June 1921."}),
            ("Born on 1 June 1921.", {"Born on June 1, 1921."}),
            ("Born on 21st June.", {"Born on June 21."}),
            ("Held on 14 and 15 June 2021.", set()),
            ("Born in 1921.", set()),
        ],
    )
    def test_dates_written_otherwise(self, answer: str, ways: set[str]) -> None:
        assert outcomes(rewrite_date, answer) == ways

    def test_sentences_that_stand_alone_are_reordered(self) -> None:
        assert outcomes(reorder, "Oslo is cold. Rome is hot.") == {"Rome is hot. Oslo is cold."}

    @pytest.mark.parametrize(
        "answer", ["Oslo is cold.", "Oslo is cold. It is far.", "Oslo is cold. However, Rome is hot.", "- Oslo\n- Rome"]
    )
    def test_sentences_that_lean_on_others_are_not(self, answer: str) -> None:
        assert outcomes(reorder, answer) == set()

    def test_greetings_leave_the_answer_whole(self) -> None:
        made = outcomes(greet, "Oslo is cold. ")
        assert len(made) > 5 and all("Oslo is cold." in text and len(text) > 17 for text in made)


CASES = [
    Case.of(answer, f"{SHIPYARD} {answer}")
    for answer in (
        SHIPYARD,
        "Halvorsen Marine was founded in Bergen on 3 March 1987. The shipyard employs 2,940 people.",
        "More than 300 suppliers were paid within 30 days after the merger with Fjordline.",
    )
]


@pytest.mark.parametrize("case", CASES, ids=["passage", "founding", "suppliers"])
def test_every_mutant_says_what_was_changed_and_where(case: Case) -> None:
    made = [mutant for seed in range(20) for mutant in mutants(case, seed=seed)]
    assert {m.kind for m in made} >= {"numbers", "names", "negation", "added", "greeting", "numbers rewritten"}
    assert case is CASES[1] or {m.kind for m in made} >= {"units", "quantities", "order"}
    for m in made:
        assert case.output[m.start : m.end] == m.before
        assert m.output != case.output and m.harmless is (m.kind in HARMLESS)
        assert m.after in m.output and m.what
        if m.kind != "names":
            assert m.output == case.output[: m.start] + m.after + case.output[m.end :]


def test_the_same_seed_makes_the_same_mutants_whatever_else_is_made() -> None:
    case = CASES[0]
    assert mutants(case, seed=4) == mutants(case, seed=4)
    assert len({tuple(m.output for m in mutants(case, seed=seed)) for seed in range(5)}) == 5
    assert mutants(case, kinds=["dates"], seed=4) == [m for m in mutants(case, seed=4) if m.kind == "dates"]


def test_a_change_into_what_the_context_says_is_not_fair() -> None:
    context = "The yard is old. The yard is not old."
    assert not fair("The yard is old.", context, Edit(11, 11, " not"))
    assert change(Case.of("The yard is old.", context), "negation") is None
    assert not fair("It is A.", "c", Edit(6, 7, "A"))


@pytest.mark.parametrize(
    "text", ["", " ", "?", "a", "12", "\u202e 12 мая 2021 года", "{}[]" * 50, "A. " * 300, "1 " * 500]
)
def test_odd_texts_do_no_harm(text: str) -> None:
    for kind in KINDS:
        change(Case.of(text, [text, "12 A."]), kind)


def test_unknown_kinds_are_named() -> None:
    with pytest.raises(UnknownName, match="numbers"):
        mutants(CASES[0], kinds=["colours"])


def test_spelled_numbers() -> None:
    assert [spelled(n) for n in (2, 12, 20, 21, 99, 100)] == [
        "two",
        "twelve",
        "twenty",
        "twenty-one",
        "ninety-nine",
        None,
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("more than 5", "lower"),
        ("at least 5", "lower"),
        ("5 or more", "lower"),
        ("up to 5", "upper"),
        ("no more than 5", "upper"),
        ("5 or fewer", "upper"),
        ("about 5", "about"),
        ("roughly $5", "about"),
        ("exactly 5", "none"),
        ("the 5", "none"),
        ("moreover 5", "none"),
    ],
)
def test_bounds(text: str, expected: str) -> None:
    start = text.index("5")
    assert bound(text, start, start + 1) == expected


# What the answer puts in words of its own

RULES = (
    "Guests: members bring three guests at most. The pool is open Monday to Friday from 9:00 to 17:00. "
    "The course ran from 2018 to 2023. Hedda Lunn trained Piet Rask. The request came 17 hours before the slot. "
    "Pills are taken before or after meals. Kiln 4 was fired on 12 May. It took 130 min. The fee is 40 euros."
)


@pytest.mark.slow("changes every answer in the package")
@pytest.mark.parametrize(
    ("perturbation", "kind", "answer"),
    [
        (change_number, "numbers", "You may come with three guests."),
        (change_number, "numbers", "She asked less than 24 hours ahead."),
        (change_number, "numbers", "Bringing three guests costs nothing."),
        (change_number, "numbers", "The price is 40 euros or 3 vouchers."),
        (change_unit, "units", "The request came more than 16 hours early."),
        (change_date, "dates", "People swim there on Monday."),
        (change_date, "dates", "Courses were held in 2018."),
        (change_date, "dates", "Courses were held in 2020."),
        (change_date, "dates", "The kiln was cold before 12 May."),
        (change_date, "dates", "The kiln was never used on 12 May."),
        (change_name, "names", "Nobody there was trained by Rask."),
        (change_order, "order", "You take one pill after the other."),
        (change_order, "order", "Take the pill before lunch."),
        (negate, "negation", "Two of the guests are members."),
        (negate, "negation", "If the pool is open, guests swim."),
        (change_quantity, "quantities", "Members do not bring more than 3 guests."),
    ],
)
def test_what_may_stay_true_is_not_changed(perturbation: Perturbation, kind: str, answer: str) -> None:
    """The change can be made, and of a copied sentence it is; of these it might say what is so."""
    made = [perturbation(answer, answer, Random(seed)) for seed in range(20)]
    assert any(made), "there is nothing to be careful with"
    assert not [m.output for seed in range(20) for m in mutants(Case.of(answer, RULES), kinds=[kind], seed=seed)]


def test_the_lesser_part_of_a_measure_is_left_alone() -> None:
    """Two hours and eleven minutes are two hours and ten, as such things are said."""
    case = Case.of("It took two hours and ten minutes.", RULES)
    assert all("ten minutes" in m.output for seed in range(20) for m in mutants(case, kinds=["numbers"], seed=seed))


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("numbers", "The charge comes to 40 euros."),
        ("numbers", "The firing took about 130 minutes."),
        ("dates", "They fired the kiln on 12 May."),
        ("names", "Piet Rask learned it from Hedda Lunn."),
        ("roles", "Years ago Lunn taught Rask."),
        ("units", "The firing took 130 minutes."),
        ("negation", "The kiln was lit in May."),
        ("order", "He learned the craft before the war."),
        ("quantities", "The course lasted more than 4 years."),
    ],
)
def test_what_is_surely_untrue_afterwards_is_changed(kind: str, answer: str) -> None:
    context = RULES.replace("before or after", "with")
    made = mutants(Case.of(answer, context), kinds=[kind])
    assert [m.kind for m in made] == [kind] and made[0].output != answer


def test_a_pair_that_is_named_twice_may_be_true_both_ways() -> None:
    context = "On stage Ure came first, Frayne second, then Ure again. The director was Blythe."
    answer = "At first Ure was followed by Frayne, then Ure played it again."
    assert outcomes(swap_roles, answer, context) and not mutants(Case.of(answer, context), kinds=["roles"])


# The runner


def reader(known: str, blind_to: str = "") -> ViewsJudge:
    """A judge that supports what it can read in `known`, and whatever holds a word it is blind to."""

    def view(text: str, _: int) -> View:
        seen = text.strip() in known or (blind_to and blind_to in text)
        return (YES if seen else NO), None

    return ViewsJudge("reader", view)


async def test_the_catch_rate_counts_what_is_flagged_of_what_was_not() -> None:
    rows = [{"output": "Oslo has 40 parks.", "context": "Oslo has 40 parks."} for _ in range(3)]
    rows.append({"output": "Rome is unknown here.", "context": "Oslo has 40 parks."})
    report = await astress(rows, reader("Oslo has 40 parks."), kinds=["numbers", "greeting"])
    assert (report.unchanged.n, report.unchanged.flagged, report.unchanged.unjudged) == (4, 1, 0)
    assert report.unchanged.rate == 0.25
    row = report.kind("numbers")
    assert (row.n, row.flagged, row.rate) == (3, 3, 1.0)
    assert row.interval is not None and row.interval[0] == pytest.approx(0.05 ** (1 / 3) / 2 ** (1 / 3), abs=0.01)
    assert row.interval[1] == 1.0
    assert report.catch_rate == 1.0
    assert {t.mutant.kind for t in report.tried} == {"numbers", "greeting"}


async def test_a_judge_blind_to_a_change_is_found_out() -> None:
    rows = [{"id": "a", "output": "Oslo has 40 parks.", "context": "Oslo has 40 parks."}]
    report = await astress(rows, reader("Oslo has 40 parks.", blind_to="Oslo has"), kinds=["numbers", "negation"])
    assert report.kind("numbers").rate == 0.0
    assert report.kind("negation").rate is None and report.kind("negation").n == 0
    (missed,) = report.missed()
    assert (missed.case_id, missed.mutant.before) == ("a", "40")


async def test_false_alarms_are_counted_apart() -> None:
    rows = [{"output": "Oslo is cold. Rome is hot.", "context": "Oslo is cold. Rome is hot."}]
    report = await astress(rows, reader("Oslo is cold. Rome is hot."), kinds=["reordered", "greeting", "negation"])
    assert report.kind("reordered").rate == 0.0
    assert report.kind("greeting").rate == 1.0, "this judge minds greetings"
    assert report.false_alarms == 0.5 and report.catch_rate == 1.0


async def test_copied_and_reworded_answers_are_counted_apart() -> None:
    context = "Oslo has 40 parks. Rome has 12 gates."
    rows = [
        {"id": "same", "output": "Oslo has 40 parks.", "context": context},
        {"id": "same", "output": "Rome has 12 gates. Oslo has 40 parks.", "context": context},
        {"id": "same", "output": "There are 40 parks in Oslo.", "context": context},
    ]
    report = await astress(rows, reader(context, blind_to="parks in Oslo"), kinds=["numbers", "greeting"])
    copied, reworded = report.parts["copied"], report.parts["reworded"]
    assert (copied.cases, reworded.cases, report.cases) == (2, 1, 3), "by what they say, not by their id"
    assert (copied.kind("numbers").rate, reworded.kind("numbers").rate) == (1.0, 0.0)
    assert (copied.catch_rate, reworded.catch_rate) == (1.0, 0.0)
    assert report.catch_rate == pytest.approx(2 / 3)
    assert reworded.catch_interval == pytest.approx((0, 0.975), abs=0.001)
    assert [t.wording for t in report.missed("numbers")] == ["reworded"]
    only_copied = await astress(rows[:1], reader(context), kinds=["numbers"])
    assert list(only_copied.parts) == ["copied"]


@pytest.mark.slow("changes every answer in the package")
def test_the_answers_in_the_package_are_of_both_wordings_and_can_be_changed_in_every_way() -> None:
    rows = list(read_answers(PACKAGED))
    assert not [row for row in rows if isinstance(row, str)], "a row that cannot be used"
    known = [row for row in rows if isinstance(row, Case)]
    reworded = [case for case in known if wording(case) == "reworded"]
    assert 200 <= len(reworded) <= 300 and len(known) - len(reworded) >= 50
    tried = Counter(mutant.kind for case in reworded for mutant in mutants(case))
    assert set(tried) == set(KINDS) and min(tried.values()) >= 15, tried
    bench = {item.case.context for item in load_set("rag").cases}
    assert not [case.id for case in known if case.context in bench]


async def test_cases_without_a_score_are_no_misses() -> None:
    class Failing(ViewsJudge):
        async def answer(self, question: Any, call: Any) -> Any:
            if "parks" in str(question) and "40" not in str(question):
                raise JudgeError("down")
            return await super().answer(question, call)

    rows = [{"output": "Oslo has 40 parks.", "context": "Oslo has forty parks."}]
    report = await astress(rows, Failing("f", lambda text, _: (Support.SUPPORTED, None)), kinds=["numbers"])
    assert (report.kind("numbers").n, report.kind("numbers").unjudged) == (0, 1)
    assert report.catch_rate is None


async def test_rows_that_are_wrong_empty_or_unreadable_are_left_out_with_a_reason() -> None:
    rows: list[Any] = [
        {"output": "Oslo is cold.", "context": "c", "label": "contradicted"},
        {"output": "Oslo is cold.", "context": "c", "label": 1},
        {"output": " ", "context": "c"},
        {"output": "Oslo is cold.", "context": []},
        {"weather": "cold"},
        7,
        {"output": "Oslo is cold.", "context": "Oslo is cold.", "label": "supported"},
    ]
    report = await astress(rows, reader("Oslo is cold."), kinds=["added"])
    assert (report.cases, len(report.skipped)) == (1, 6)
    assert report.skipped[0].startswith("row 1: ") and "label" in report.skipped[0]


def test_passages_alone_give_answers_of_whole_sentences() -> None:
    for seed in range(20):
        case = from_passage(SHIPYARD, seed=seed)
        assert case.output in SHIPYARD and case.output.endswith(".") and case.context == (SHIPYARD,)
    assert from_passage(SHIPYARD, seed=3) == from_passage(SHIPYARD, seed=3)
    made = list(read_answers([SHIPYARD, {"text": SHIPYARD, "id": "b"}, "too short", {"passage": ["x", SHIPYARD]}]))
    assert [type(row).__name__ for row in made] == ["Case", "Case", "str", "Case"]
    assert isinstance(made[1], Case) and made[1].id == "b"


def test_data_without_answers_is_one_sentence() -> None:
    with pytest.raises(InputError, match="no answer to change"):
        stress([{"output": ""}], reader(""))
    with pytest.raises(InputError, match="`limit` must be 1 or more"):
        stress([SHIPYARD], reader(""), limit=0)


def test_options_beside_a_metric_that_is_made_already_are_refused() -> None:
    assert stress([SHIPYARD], reader(SHIPYARD), metric=Label(), kinds=["added"]).metric == "label"
    with pytest.raises(InputError, match="where the metric is created"):
        stress([SHIPYARD], reader(SHIPYARD), metric=Label(), threshold=0.2)


async def test_limit_and_progress() -> None:
    seen: list[tuple[int, int]] = []
    known = SHIPYARD
    report = await astress(
        [known] * 5, reader(known), limit=2, kinds=["added"], progress=lambda done, total: seen.append((done, total))
    )
    assert report.cases == 2
    assert seen[-1] == (4, 4)


def test_the_command_prints_table_and_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "answers.jsonl.gz"
    rows = [{"answer": "Oslo has 40 parks.", "contexts": ["Oslo has 40 parks."]}] * 2
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    monkeypatch.setattr(
        "halluscope._internal.proof.stress.stress_test.resolve_judge", lambda *_, **__: reader("Oslo has 40 parks.")
    )
    result = CliRunner().invoke(app, ["stress", str(path), "--kind", "numbers", "--kind", "greeting", "--limit", "1"])
    assert result.exit_code == 0, result.output
    assert re.search(r"numbers\s*│\s*1 of 1\s*│\s*1\.00 \(0\.0[23]-1\.00\)", result.output)
    assert "false alarm, greeting" in result.output
    printed = CliRunner().invoke(app, ["stress", str(path), "--json", "--kind", "numbers"])
    data = json.loads(printed.output)
    assert data["kinds"][0]["kind"] == "numbers" and data["kinds"][0]["n"] == 2
    assert data["tried"][0]["mutant"]["before"] == "40"


def test_the_command_uses_the_singular_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "answers.jsonl"
    known, unknown = "Oslo has 40 parks.", "Rome is unknown here."
    rows = [{"output": known, "context": known}, {"output": unknown, "context": known}, {"context": known}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr("halluscope._internal.proof.stress.stress_test.resolve_judge", lambda *_, **__: reader(known))
    told = " ".join(CliRunner().invoke(app, ["stress", str(path), "--kind", "numbers"]).output.split())
    assert "1 copied answer and 1 reworded answer" in told
    assert "1 answer was flagged before any change" in told
    assert "1 row was skipped" in told


def test_the_command_refuses_what_it_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"output": "x", "context": "c"}\n')
    for arguments, words in [
        ([str(tmp_path / "none.jsonl")], "none.jsonl"),
        ([str(path), "--kind", "colours"], "colours"),
        ([str(path), "--map", "output"], "--map"),
        ([str(path), "--base-url", "http://127.0.0.1:1"], "--judge"),
    ]:
        result = CliRunner().invoke(app, ["stress", *arguments])
        assert result.exit_code == 2, arguments
        assert words in result.output


def test_all_kinds_of_the_issue_are_there() -> None:
    assert set(HARMFUL) == set("numbers dates names roles negation units quantities order added".split())
    assert len(KINDS) == len(set(KINDS)) == 13
