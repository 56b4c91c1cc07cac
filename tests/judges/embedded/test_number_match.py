from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

from halluscope._internal.judges.embedded.quantities.alignment import prepare
from halluscope._internal.judges.embedded.quantities.number_match import number_matches
from halluscope._internal.judges.embedded.quantities.quantity import NumberMatch
from halluscope._internal.judges.embedded.quantities.reading import read

from ...helpers.growth import assert_linear

ORDER = """Item | Pieces | Price | Line
Oak shelf | 6 | £45.50 | £273.00
Bracket | 24 | £3.25 | £78.00
Wall plug | 48 | £0.40 | £19.20
Members of the guild get 15% off the shelves. Delivery costs £18.00."""
MILL = (
    "The Harrow mill opened on 3 May 1986 with 80 looms. In 1994 it ran 124 looms and employed 310 people. "
    "The last shift ended on 30 September 2011 at 17:30. The hall is 48 m long."
)


def only(claim: str, context: str, question: str = "") -> NumberMatch:
    ((found,),) = number_matches([claim], context, question)
    return found


def quoted(found: NumberMatch, context: str) -> list[str]:
    return [place.of(context) for place in found.evidence]


@pytest.mark.parametrize(
    "claim, context, operands",
    [
        ("The shelves are £195.00 dearer than the brackets.", ORDER, ["£273.00", "£78.00"]),
        ("Guild members save £40.95.", ORDER, ["£273.00", "15%"]),
        ("There were 44 more looms than at the start.", MILL, ["124", "80"]),
        ("The mill had 2.5 workers per loom.", MILL, ["310", "124"]),
    ],
)
def test_what_can_be_worked_out_follows(claim: str, context: str, operands: list[str]) -> None:
    found = only(claim, context)
    assert found.status == "follows"
    assert found.doubt < 0.5
    assert quoted(found, context) == operands


@pytest.mark.parametrize("claim", ["The mill ran for 25 years.", "The mill ran for about a quarter of a century."])
def test_the_time_between_two_dates_follows(claim: str) -> None:
    assert {one.status for one in number_matches([claim], MILL)[0]} <= {"follows", "stated"}


def test_what_was_worked_out_is_used_again() -> None:
    claims = ["With the brackets the shelves come to £351.00.", "With delivery that makes £369.00."]
    first, second = number_matches(claims, ORDER)
    assert [one.status for one in (*first, *second)] == ["follows", "follows"]
    assert quoted(first[0], ORDER) == ["£273.00", "£78.00"]
    assert quoted(second[0], ORDER) == ["£18.00"]


@pytest.mark.parametrize(
    "claim, context",
    [
        ("The three lines come to £391.45.", ORDER),
        ("The mill employed 347 people in 1994.", MILL),
        ("The mill opened in 1971.", MILL),
        ("The hall is 63 m long.", MILL),
    ],
)
def test_a_number_from_nowhere_does_not_stand(claim: str, context: str) -> None:
    assert {"missing", "conflicts"} & {one.status for one in number_matches([claim], context)[0]}


@pytest.mark.parametrize(
    "claim, context",
    [
        ("The film earned less than $100 million.", "The film earned $85 million worldwide."),
        ("The shop has more than twenty branches.", "The shop has 25 branches."),
        ("Android 10 does not meet the requirement.", "The app needs Android 12 or later."),
        ("Hold the button for 60 seconds.", "Hold the button for a minute."),
        ("Hold the button for a minute.", "Hold the button for 60 seconds."),
        ("A third of the 412 were women.", "412 people answered. 137 of them were women."),
        ("The battery does not last 12 hours.", "The battery lasts 10 hours."),
        ("Penicillin was discovered before 1940.", "Penicillin was discovered in 1928."),
        ("In 1920 penicillin had not yet been discovered.", "Penicillin was discovered in 1928."),
        ("The insulin treatment came earlier than 1930.", "Insulin was first used in 1922."),
        ("Mozart was born before the nineteenth century.", "Mozart was born in Salzburg in 1756."),
        ("Yuki was working at Penhall Bank in 2018.", "Yuki has worked at Penhall Bank since 2015."),
        ("A cabin bag of 9 kg is too heavy.", "One cabin bag of up to 7 kg is allowed."),
        ("A drone of 180 grams needs no permit here.", "Drones under 250 grams need no permit."),
        ("An order of $80 ships free.", "Orders over $50 ship free."),
        ("One signature is not enough for a €900 payment.", "Payments over €500 need two signatures."),
        ("A return after 45 days is too late.", "Returns are accepted within 30 days."),
    ],
)
def test_comparisons_and_cases_are_not_wrong_numbers(claim: str, context: str) -> None:
    found = number_matches([claim], context)[0]
    assert all(one.doubt < 0.5 and one.status not in ("missing", "conflicts") for one in found), found


@pytest.mark.parametrize(
    "claim, context",
    [
        ("The film earned more than $100 million.", "The film earned $85 million worldwide."),
        ("The shop has more than thirty branches.", "The shop has 25 branches."),
        ("The battery lasts over 12 hours.", "The battery lasts 10 hours."),
        ("Penicillin was discovered before 1920.", "Penicillin was discovered in 1928."),
        ("Penicillin was discovered after 1940.", "Penicillin was discovered in 1928."),
        ("Cabin bags may weigh up to 9 kg.", "One cabin bag of up to 7 kg is allowed."),
        ("Hold the button for 90 seconds.", "Hold the button for a minute."),
        ("Returns are accepted within 45 days.", "Returns are accepted within 30 days."),
    ],
)
def test_a_comparison_that_fails_is_a_conflict(claim: str, context: str) -> None:
    found = number_matches([claim], context)[0]
    assert any(one.doubt > 0.5 and one.status in ("missing", "conflicts") for one in found), found


GREW = "Sales grew from $3.1 million to $4.2 million while the staff fell from 120 to 96. The shop is open 9:00–17:00."


@pytest.mark.parametrize(
    "claim",
    ["Sales grew to $4.2 million.", "The staff fell to 96.", "The staff fell from 120.", "It is open until 17:00."],
)
def test_one_end_of_a_change_is_not_at_odds_with_the_other(claim: str) -> None:
    found = only(claim, GREW)
    assert found.status == "stated" and found.doubt < 0.35, found


@pytest.mark.parametrize("claim", ["Sales grew to $3.1 million.", "The staff fell from 96.", "It is open until 9:00."])
def test_the_one_end_is_not_the_other(claim: str) -> None:
    found = only(claim, GREW)
    assert found.status == "conflicts" and found.doubt > 0.5, found


QUARTER = "Q3 results (USD million; Q3 of last year in brackets)\nRevenue: 84.2 (79.0)\nOperating profit: 12.6 (13.4)"
MONEY = "Budget: 4.2 million euros – Nordic Fund 2.5; Kauri Foundation 1.1; Ministry 0.6 (in kind)."
SALES = "(In millions, except per-share amounts)\nNet sales 394,328\nCost of sales 223,546\nEarnings per share 6.11"


@pytest.mark.parametrize(
    "claim, context",
    [
        ("Revenue was $84.2 million.", QUARTER),
        ("Last year revenue was $79 million.", QUARTER),
        ("Revenue was 84.2.", QUARTER),
        ("The Nordic Fund gave 2.5 million euros.", MONEY),
        ("The Kauri Foundation gave €1.1 million.", MONEY),
        ("Net sales were $394,328 million.", SALES),
        ("Net sales were $394.3 billion.", SALES),
        ("Earnings per share were $6.11.", SALES),
        ("The town has 48,000 inhabitants.", "Population (thousands)\nTown: 48\nCounty: 310"),
        ("The town has 48,000 inhabitants.", "Population in thousands: town 48, county 310"),
        (
            "In all 1.815 million came.",
            "| Line | Passengers (000) |\n| --- | --- |\n| Home | 412 |\n| All | 1,815 |",
        ),
        ("It sold 12 million cars.", "| Year | Cars sold (millions) |\n| --- | --- |\n| 2020 | 12 |\n| 2021 | 14 |"),
    ],
)
def test_a_scale_that_is_said_once_holds_for_the_numbers_behind_it(claim: str, context: str) -> None:
    found = only(claim, context)
    assert (found.status, found.doubt < 0.3) == ("stated", True), found


@pytest.mark.parametrize("claim", ["Revenue was $84.2 billion.", "Revenue was $842 million."])
def test_it_is_that_scale_and_no_other(claim: str) -> None:
    assert only(claim, QUARTER).status == "conflicts"


def test_the_letter_of_the_next_point_is_no_scale_and_no_unit() -> None:
    context = "A. In municipal shelters: 1,318\nB. In shelters of charities: 402\nC. On the street: 287"
    found = only("The count found 1,318 people in municipal shelters.", context)
    assert (found.status, quoted(found, context)) == ("stated", ["1,318"])


@pytest.mark.parametrize(
    "text, bound",
    [
        ("never exceed 5 W", "at most"),
        ("is not to exceed 70 %", "at most"),
        ("should never be more than 5 kg", "at most"),
        ("won't go above 30 °C", "at most"),
        ("without exceeding 4 hours", "at most"),
        ("No main course costs more than 24 euros.", "at most"),
        ("no later than 5 May", "at most"),
        ("cannot be less than 5", "at least"),
        ("not sooner than 3 days", "at least"),
        ("exceeds 20 kg", "over"),
        ("It did not rain, and over 20 people came.", "over"),
    ],
)
def test_a_bound_that_is_denied_is_the_other_one(text: str, bound: str) -> None:
    (found,) = read(text)
    assert found.bound == bound


def test_a_range_has_one_currency_and_one_scale() -> None:
    assert [(one.low, one.high, one.kind) for one in read("from £54–57 million to £48–51 million")] == [
        (54e6, 57e6, "money"),
        (48e6, 51e6, "money"),
    ]


def test_the_end_of_a_span_of_years_is_stated() -> None:
    assert only("The choir was done by 1420.", "3. Choir, 1391–1420, rebuilt after the fire of 1388").status == "stated"


def test_what_only_names_something_in_the_context_is_not_missing_there() -> None:
    assert number_matches(["Otterburn Saddlery was on 11.2."], "Case 5521, Otterburn Saddlery, version 11.2") == [[]]


@pytest.mark.parametrize("claim", ["In Room 2.", "In Room 5."])
def test_a_number_that_is_stated_is_not_wrong_because_another_fits_as_well(claim: str) -> None:
    context = "Its oldest work, a panel by Ilse Varro, hangs in Room 2; the most visited, 'Harvest', is in Room 5."
    found = only(claim, context)
    assert (found.status, found.doubt < 0.5) == ("stated", True)


def test_numbers_in_a_scale_are_reckoned_with() -> None:
    found = only("Revenue and operating profit come to $96.8 million.", QUARTER)
    assert (found.status, quoted(found, QUARTER)) == ("follows", ["84.2", "12.6"])


def test_a_scale_holds_only_behind_the_place_where_it_is_said() -> None:
    assert (
        only("The bridge cost 2.5 million euros.", "The bridge has 2.5 lanes and cost 4.2 million euros.").doubt > 0.6
    )


REGISTER = "Parish register, baptisms 1871\nNo. 34 – 12 May: Domenica.\nPassenger list, steamer Adela, 3 October 1893"


@pytest.mark.parametrize(
    "claim, context",
    [
        ("Domenica was baptised on 12 May 1871.", REGISTER),
        (
            "The board met on March 14, 2024.",
            "Minutes, 2024\n14 March: budget approved.\n2 April: no quorum.",
        ),
        ("It was delivered on 2 January 2025.", "Ordered on 20 December 2024. Delivered on 2 January."),
    ],
)
def test_a_day_is_of_the_year_that_was_named_last(claim: str, context: str) -> None:
    assert only(claim, context).status == "stated"


def test_a_day_of_another_year_is_not() -> None:
    assert only("Domenica was baptised on 12 May 1893.", REGISTER).status != "stated"


SENT = "On 14 March the clerk drew up the bill and sent it. The customer paid on 2 April."


@pytest.mark.parametrize("day", ["12", "13", "15", "16"])
def test_a_day_does_not_follow_from_the_one_beside_it(day: str) -> None:
    assert only(f"The invoice was sent on {day} March.", SENT).status in ("conflicts", "missing")


def test_the_day_after_follows_where_one_is_spoken_of() -> None:
    context = "The clerk drew up the bill on 14 March and posted it the next day. The customer paid on 2 April."
    found = only("The bill was posted on 15 March.", context)
    assert (found.status, quoted(found, context)) == ("follows", ["14 March"])
    assert only("The bill was posted on 16 March.", context).status in ("conflicts", "missing")


HOURS = "twelve one two three four five six seven eight nine ten eleven".split()
PAST = {5: "five", 10: "ten", 15: "a quarter", 20: "twenty", 25: "twenty-five", 30: "half"}


def spoken(minutes: int) -> str:
    """A time of day as people say it."""
    hour, minute = divmod(minutes, 60)
    part = "in the morning" if hour < 12 else "in the afternoon" if hour < 18 else "in the evening"
    if minute == 0:
        return f"{HOURS[hour % 12]} o'clock {part}"
    if minute <= 30:
        return f"{PAST[minute]} past {HOURS[hour % 12]} {part}"
    return f"{PAST[60 - minute]} to {HOURS[(hour + 1) % 12]} {part}"


@pytest.mark.parametrize("minutes", range(60, 23 * 60, 35))
def test_a_time_in_words_is_the_one_in_digits_and_no_other(minutes: int) -> None:
    said = f"It begins at {spoken(minutes)}."
    same, other = (f"It begins at {at // 60:02}:{at % 60:02}." for at in (minutes, minutes + 5))
    assert only(said, same).status == "stated"
    assert only(same, said).status == "stated"
    assert only(said, other).status in ("conflicts", "missing")


@pytest.mark.parametrize(
    "text", ["Ten to twelve people came.", "Five to six weeks", "From 9 to 5", "A half to two thirds", "Take 20 to 30."]
)
def test_ranges_are_no_times(text: str) -> None:
    assert not [found for found in read(text) if found.kind == "time"]


@pytest.mark.parametrize(
    "text",
    [
        "Twenty\nfive past\tsix", "at ſix o'clock", "٥ past six", "half past ſeven", "at ²", "a ſixth of them",
        "the late ſixth century", "on 5 ſeptember 2020",
    ],
)  # fmt: skip
def test_odd_letters_break_nothing(text: str) -> None:
    read(text)


TRIP = "Start in the valley at 07:30. Two hours twenty to the hut, 40 minutes' rest, two and a half hours to the pass."


@pytest.mark.parametrize(
    "claim, context, question, status",
    [
        ("6:00", "Bus 61 runs every 20 minutes from 5:40 to 20:00.", "When is the second bus?", "follows"),
        ("13:00", TRIP, "When are we at the pass?", "follows"),
        ("13:20", TRIP, "When are we at the pass?", "missing"),
        ("From 11 o'clock.", "Calcium at least 4 hours later.", "I take it at 7. When is calcium due?", "follows"),
        ("It was due at 05:15.", "06:15 arrival, an hour later than planned.", "", "follows"),
        ("At noon", "Breakfast 8-11, lunch 12-15.", "When does lunch begin?", "stated"),
        ("At 11.", "Box office Tue-Sat 11-18, and one hour before each show.", "When does it open?", "stated"),
        ("Nine", "The paper was founded in 1902 and banned in 1911.", "For how many years did it exist?", "follows"),
        ("Four years after his rule", "Radomir (ruled 1412-1431) had no heir. The court moved in 1435.", "", "follows"),
        ("The other offer is 550 less.", "One asks for 1,650 euros. The other offers 1,100 euros.", "", "follows"),
        ("16 March.", "The rink closes on 17 March. The last disco is the evening before.", "When is it?", "follows"),
        ("It opens on 20 June.", "The old shop shuts on 14 June, the new one opens on the 20th.", "", "stated"),
        ("It opens on 21 June.", "The old shop shuts on 14 June, the new one opens on the 20th.", "", "conflicts"),
        ("More than a quarter of a million books", "It holds 260,000 books.", "", "stated"),
        ("More than three quarters of a million books", "It holds 144,000 books.", "", "conflicts"),
        ("$41.0 million", "In thousand dollars\nRoads    6,300    7,050\nTotal   41,000   40,000", "", "stated"),
        ("Tsarik holds 13 million more.", "Lake | Volume (million m3)\nImra | 21\nTsarik | 34", "", "follows"),
    ],
)  # fmt: skip
def test_everyday_reckoning(claim: str, context: str, question: str, status: str) -> None:
    assert only(claim, context, question).status == status


@pytest.mark.slow("starts processes")
def test_a_doubt_is_the_same_in_every_process() -> None:
    """Sums over words, which come in another order wherever the interpreter draws another seed."""
    code = (
        "import sys; from halluscope._internal.judges.embedded.quantities.number_match import number_matches;"
        "print([one.doubt.hex() for one in number_matches([sys.argv[1]], sys.argv[2])[0]])"
    )
    claim = "Savora Foods already had 118 shops at the end of 2012."
    context = (
        "Savora Foods opened its first shop in Lisbon in May 2006.\n"
        "By the end of 2012 it ran 47 shops; by the end of 2022 it ran 118.\nAbout 60 % of its shops are franchises."
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code, claim, context],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3", "4")
    }
    assert len(found) == 1


def test_a_conflict_shows_its_counterpart() -> None:
    found = only("The hall is 63 m long.", MILL)
    assert (found.status, quoted(found, MILL)) == ("conflicts", ["48 m"])


@pytest.mark.parametrize(
    "claim, context, said, known",
    [
        ("The vote was on 5 July 2019.", "The vote was on 4 July 2019.", "5 July 2019", "4 July 2019"),
        ("The loss was 75%.", "The loss was 25%.", "75%", "25%"),
        ("The barn holds 24 horses.", "The barn holds 12 horses.", "24", "12"),
        ("The rent is €20 a month.", "The rent is €10 a month.", "€20", "€10"),
        ("The society has 1000 members.", "It has 500 members and meets in Leeds.", "1000", "500"),
        ("The society counts 36 libraries.", "Libraries: 12 are run by it.", "36", "12"),
    ],
)
def test_a_number_does_not_follow_from_the_one_whose_place_it_takes(
    claim: str, context: str, said: str, known: str
) -> None:
    found = only(claim, context)
    assert (found.status, found.claim.of(claim), quoted(found, context)) == ("conflicts", said, [known])
    assert found.doubt >= 0.5


@pytest.mark.parametrize(
    "claim, context",
    [
        ("60% of the patients failed the test.", "40% of the patients passed the test."),
        ("The rent is €120 a year.", "The rent is €10 a month."),
        ("The rent is €120 a year.", "name: Linden 4; rent: €10 a month; rooms: 2"),
        ("The yearly rent is €120.", "The monthly rent is €10."),
        ("The barn holds 24 horses in all.", "The barn holds 12 horses on each side."),
    ],
)
def test_it_follows_where_something_else_is_said_of_it(claim: str, context: str) -> None:
    assert only(claim, context).status == "follows"


@pytest.mark.parametrize("day", ["June 2008", "1 July 2008"])
def test_a_date_is_not_worked_out_more_closely_than_it_is_known(day: str) -> None:
    context = "The firm opened in 2003. It ran for 5 years."
    assert only("The firm closed in 2008.", context).status == "follows"
    assert only(f"The firm closed in {day}.", context).status != "follows"


def test_the_question_is_no_evidence() -> None:
    found = only("All 75 looms were sold.", "The looms were sold to a museum.", "Who bought the 75 looms?")
    assert (found.status, found.evidence) == ("asked", ())


RESTATED = [
    ("The pipe is 2,400 m long.", ["2.4 km", "2400 metres", "2.4 kilometres", "exactly 2,400 m"]),
    ("The talk starts at 17:30.", ["5:30 pm", "17:30", "5.30 p.m."]),
    ("The boiler cost €3,870.", ["€3,870.00", "3,870 euros", "about €3,900", "EUR 3870", "nearly €3,900"]),
    ("The seal held for 90 minutes.", ["one and a half hours", "1.5 hours", "1 h 30 min", "ninety minutes"]),
    ("The loss was 25%.", ["a quarter", "25 percent", "25.0 %", "one in four"]),
    ("The vote was on 4 July 2019.", ["July 4, 2019", "2019-07-04", "04.07.2019", "July 2019", "2019"]),
    ("The barn holds 12 horses.", ["twelve horses", "a dozen horses", "12 horses"]),
    ("It fell to 50 °F.", ["10 °C", "50 degrees Fahrenheit"]),
]  # fmt: skip


@pytest.mark.parametrize("said, other", [(said, other) for said, others in RESTATED for other in others])
def test_the_same_in_other_words_is_never_flagged(said: str, other: str) -> None:
    stated = read(said)[0]
    claim = f"{said[: stated.start]}{other}{said[stated.end :]}"
    found = number_matches([claim], f"Notes of the day. {said} The rest was quiet.")[0]
    assert found and all(one.status in ("stated", "follows") for one in found), found


@pytest.mark.parametrize("seed", range(40))
def test_a_changed_digit_is_always_flagged(seed: int) -> None:
    draw = random.Random(seed)
    amount = f"{draw.randint(1001, 9899) / 100:.2f}"
    place = draw.choice([at for at, sign in enumerate(amount) if sign.isdigit()])
    digit = draw.choice([sign for sign in "123456789" if sign != amount[place]])
    wrong = f"{amount[:place]}{digit}{amount[place + 1 :]}"
    context = f"The Linden office rents a crane from Ostrow Lifting. The crane costs ${amount} an hour."
    found = number_matches([f"The crane costs ${wrong} an hour."], context)[0]
    assert [one.status for one in found] == ["conflicts"] and found[0].doubt >= 0.5, found


@pytest.mark.parametrize(
    "text",
    [
        "The dam is old [2].",
        "The dam is old [1][3].",
        "The dam is old [1, 3].",
        "The dam is old [2–4].",
        "The dam is old (Okafor, 2020).",
        "The dam is old (Okafor et al., 2020).",
        "The dam is old (Okafor & Lind, 2020a).",
    ],
)
def test_citation_marks_are_no_numbers(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize("text, count", [("scores: [2]", 1), ('"sizes": [12, 14]', 2), ("(in May 2020)", 1)])
def test_lists_and_dates_in_brackets_are(text: str, count: int) -> None:
    assert len(read(text)) == count


def test_two_and_three_quarters() -> None:
    (found,) = read("two and three quarter hours")
    assert found.low == 2.75 * 3600


def test_of_very_many_numbers_the_first_are_looked_at() -> None:
    claim = "The shares were " + ", ".join(f"{number}%" for number in range(1, 90)) + "."
    found = number_matches([claim], "The shares rose.")[0]
    assert [one.claim.of(claim) for one in found] == [f"{number}%" for number in range(1, 61)]


@pytest.mark.slow("reads long texts to see how the time grows")
@pytest.mark.parametrize(
    "piece", ["17%, ", "1% ", '12" ', "3,", "7 kg and ", "9|", "2020, ", "5:30 pm, ", "8" * 40 + " ", "1\n"]
)
@pytest.mark.parametrize("both", [False, True])
def test_time_grows_with_length_only(piece: str, both: bool) -> None:
    def look(length: int) -> None:
        text = (piece * (length // len(piece) + 1))[:length]
        prepare.cache_clear()
        number_matches([text], text if both else "It has 12 rows and 7 kg.")

    assert_linear(look, start=3_000, longest=12_000, name=piece)


def test_of_few_numbers_a_further_one_is_very_likely_wrong() -> None:
    few, many = "It was 15:00, room 4.", " ".join(f"Row {number} has {number * 7 + 1} seats." for number in range(3, 9))
    (here,), (there,) = (
        number_matches(["The fee is 481 euros."], few)[0],
        number_matches(["The fee is 481 euros."], many)[0],
    )
    assert here.status == there.status == "missing"
    assert there.doubt < 0.6 <= here.doubt


def test_length_by_width_makes_an_area() -> None:
    (area,) = number_matches(["It covers 300 square metres."], "The pool is 25 m long and 12 m wide.")[0]
    assert (area.status, len(area.evidence)) == ("follows", 2)


@pytest.mark.parametrize(
    ("claim", "context"),
    [
        ("1.44 billion went into home loans.", "The bank lent 2.4 billion last year, of which 60% were home loans."),
        ("They fell 16 points short.", "Drivers: 49%. Target for every group: at least 65%."),
    ],
)
def test_what_follows_from_a_year_ago_and_from_percentages(claim: str, context: str) -> None:
    assert [found.status for found in number_matches([claim], context)[0]] == ["follows"]


def test_the_year_of_a_date_is_not_missing() -> None:
    context = "John Graves Simcoe (February 25, 1752 – October 26, 1806) was a general."
    assert number_matches(["What year was he born? 1752."], context, "What year was he born?") == [[]]


FLATS = "Of the 240 flats, 180 have been sold."
SATISFIED = "In the survey, 31% of customers were satisfied."


@pytest.mark.parametrize(
    ("context", "claim", "holds", "written"),
    [
        (FLATS, "Most of the flats have been sold.", True, "180 of"),
        (FLATS, "Three quarters of the flats have been sold.", True, "180 of"),
        (FLATS, "Fewer than half of the flats have been sold.", False, "180 of"),
        (FLATS, "Only a few flats have been sold.", False, "180 of"),
        (SATISFIED, "A minority of customers were satisfied.", True, "31% of"),
        (SATISFIED, "Nearly a third of customers were satisfied.", True, "31% of"),
        (SATISFIED, "Most customers were satisfied.", False, "31% of"),
        (SATISFIED, "All customers were satisfied.", False, "31% of"),
    ],
)
def test_shares_in_words_are_computed(context: str, claim: str, holds: bool, written: str) -> None:
    ((found,),) = number_matches([claim], context)
    assert (found.status, found.written) == ("stated" if holds else "conflicts", written)
    assert (found.doubt < 0.1) is holds


@pytest.mark.parametrize(
    "claim",
    ["The most expensive flats have been sold.", "At most 200 flats have been sold.", "Most of the rain fell in May."],
)
def test_what_is_no_share_of_the_things_counted_is_left_alone(claim: str) -> None:
    (found,) = number_matches([claim], FLATS)
    assert "180 of" not in [one.written for one in found]


@pytest.mark.parametrize(
    ("context", "claim", "status"),
    [
        ("Hold the button for 60 seconds.", "Hold the button for a minute.", "stated"),
        ("Take 60 tablets.", "Take it three times a day.", "missing"),
        ("The shop opens at 9 am and closes at 6 pm.", "The shop opens before 10 am.", "stated"),
        ("The film lasts 95 minutes.", "The film is over two hours long.", "conflicts"),
        ("The journey takes 95 minutes.", "The journey takes under an hour.", "conflicts"),
        ("The film lasts 95 minutes.", "The film lasts more than an hour.", "stated"),
    ],
)
def test_lengths_and_limits_are_compared(context: str, claim: str, status: str) -> None:
    ((found,),) = number_matches([claim], context)
    assert found.status == status
    assert (found.doubt > 0.8) is (status == "conflicts")
