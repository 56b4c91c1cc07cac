from __future__ import annotations

import itertools

import pytest

from halluscope._internal.judges.embedded.quantities.alignment import prepare
from halluscope._internal.judges.embedded.quantities.number_match import number_matches
from halluscope._internal.judges.embedded.quantities.quantity import Date, NumberMatch
from halluscope._internal.judges.embedded.quantities.reading import read

from ...helpers.random_text import random_texts
from ...helpers.timing import taken


def stood(claim: str, context: str) -> list[NumberMatch]:
    (found,) = number_matches([claim], context)
    return found


def only(text: str) -> tuple[str, str, float, float, str]:
    (found,) = read(text)
    assert text[found.start : found.end] == found.text
    return found.kind, found.dimension, found.low, found.high, found.bound


@pytest.mark.parametrize(
    "text, value",
    [
        ("1,234.5 units", 1234.5),
        ("1.5 million units", 1.5e6),
        ("38M rows", 38e6),
        ("3k rows", 3000),
        ("twelve rows", 12),
        ("twenty-four rows", 24),
        ("two hundred and five rows", 205),
        ("half a million rows", 5e5),
        ("a dozen rows", 12),
        ("-36 rows", -36),
        ("2\u00a0000 rows", 2000),
    ],
)
def test_numbers(text: str, value: float) -> None:
    kind, dimension, low, high, bound = only(text)
    assert (kind, dimension, bound) == ("number", "", "plain")
    assert low == high == pytest.approx(value)


@pytest.mark.parametrize(
    "text, kind, dimension, low, high",
    [
        ("two-thirds of them", "percent", "percent", 66.667, 66.667),
        ("one in six", "percent", "percent", 16.667, 16.667),
        ("half of it", "percent", "percent", 50, 50),
        ("4.2 %", "percent", "percent", 4.2, 4.2),
        ("12 per cent", "percent", "percent", 12, 12),
        ("2.2 percentage points", "measure", "percentage points", 2.2, 2.2),
        ("$1,299.99", "money", "USD", 1299.99, 1299.99),
        ("NOK 8.6 billion", "money", "NOK", 8.6e9, 8.6e9),
        ("84.2 million euros", "money", "EUR", 84.2e6, 84.2e6),
        ("12.50 EUR", "money", "EUR", 12.5, 12.5),
        ("£58k", "money", "GBP", 58000, 58000),
        ("$5m", "money", "USD", 5e6, 5e6),
        ("US$40", "money", "USD", 40, 40),
        ("R$ 40", "money", "BRL", 40, 40),
        ("₩9,000", "money", "KRW", 9000, 9000),
        ("300 rubles", "money", "RUB", 300, 300),
        ("16GB", "measure", "data", 16e9, 16e9),
        ("300 m", "measure", "length", 300, 300),
        ("0.3 km", "measure", "length", 300, 300),
        ("1.2 kg", "measure", "mass", 1200, 1200),
        ("160 °C", "measure", "temperature", 160, 160),
        ("320 degrees Fahrenheit", "measure", "temperature", 160, 160),
        ("293.15 kelvin", "measure", "temperature", 20, 20),
        ("32 psi", "measure", "pressure", 220632, 220632),
        ("64 KiB", "measure", "data", 65536, 65536),
        ("214 km/h", "measure", "speed", 59.444, 59.444),
        ("2 hours 30 minutes", "measure", "duration", 9000, 9000),
        ("two and a half hours", "measure", "duration", 9000, 9000),
        ("7h25m", "measure", "duration", 26700, 26700),
        ("half an hour", "measure", "duration", 1800, 1800),
        ("3 additional leave days", "measure", "duration", 259200, 259200),
        ("5–7 km", "measure", "length", 5000, 7000),
        ("5 to 7 km", "measure", "length", 5000, 7000),
        ("between 10 and 20 people", "number", "", 10, 20),
        ("10–20%", "percent", "percent", 10, 20),
        ("third place", "ordinal", "", 3, 3),
        ("the 21st floor", "ordinal", "", 21, 21),
        ("at 22:15", "time", "time", 1335, 1335),
        ("at 5 pm", "time", "time", 1020, 1020),
        ("1:01:47", "measure", "duration", 3707, 3707),
    ],
)
def test_units(text: str, kind: str, dimension: str, low: float, high: float) -> None:
    found = only(text)
    assert found[:2] == (kind, dimension)
    assert found[2] == pytest.approx(low, rel=1e-3)
    assert found[3] == pytest.approx(high, rel=1e-3)


@pytest.mark.parametrize(
    "text, date",
    [
        ("January 9, 2007", Date((2007, 2007), (1, 1), 9)),
        ("9 Jan 2007", Date((2007, 2007), (1, 1), 9)),
        ("2007-01-09", Date((2007, 2007), (1, 1), 9)),
        ("09.01.2007", Date((2007, 2007), (1, 1), 9)),
        ("13/04/2020", Date((2020, 2020), (4, 4), 13)),
        ("03/04/2020", Date((2020, 2020), None, None)),
        ("in 2007", Date((2007, 2007))),
        ("in 1066", Date((1066, 1066))),
        ("the 1990s", Date((1990, 1999))),
        ("the late 1970s", Date((1975, 1979))),
        ("Q3 2021", Date((2021, 2021), (7, 9))),
        ("the third quarter of 2022", Date((2022, 2022), (7, 9))),
        ("31 March", Date(None, (3, 3), 31)),
        ("by May", Date(None, (5, 5))),
        ("2019–2021", Date((2019, 2021))),
        ("the 19th century", Date((1800, 1900))),
    ],
)
def test_dates(text: str, date: Date) -> None:
    (found,) = read(text)
    assert found.date == date


@pytest.mark.parametrize(
    "text", ["ticket AB-123", "host 10.4.1.11", "see #3310", "https://a.example/2020/12", "R4 arms", "version 4.2"]
)
def test_what_only_looks_like_a_number(text: str) -> None:
    assert read(text) == []


def test_2000_people_is_no_year() -> None:
    assert only("2000 people")[0] == "number"
    assert only("$2000")[0] == "money"


@pytest.mark.parametrize(
    "text, bound",
    [
        ("about 1,200 people", "about"),
        ("approx. 12 people", "about"),
        ("~12 people", "about"),
        ("nearly 12 people", "nearly"),
        ("just over 12 people", "just over"),
        ("more than 12 people", "over"),
        ("at least 12 people", "at least"),
        ("12 or more people", "at least"),
        ("no more than 12 people", "at most"),
        ("up to 12 people", "at most"),
        ("may not exceed 12 people", "at most"),
        ("fewer than 12 people", "under"),
        ("exactly 12 people", "exactly"),
        ("12 people", "plain"),
        ("It is over. 12 people came", "plain"),
    ],
)
def test_bounding_words(text: str, bound: str) -> None:
    assert only(text)[4] == bound


MATCHES = [
    ("The first iPhone was released in 2007.", "The first iPhone was released on June 29, 2007."),
    ("The company has about 1,200 employees.", "The company has 1,187 employees."),
    ("The company sold 1.2 million phones.", "The company sold 1,187,400 phones."),
    ("The company has 1,187 employees.", "The company has 1,187 employees."),
    ("The company was founded in the 1990s.", "The company was founded in 1994."),
    ("Around 3,000 people work there.", "The yard employs 2,940 people."),
    ("The tower is 300 m tall.", "The tower is 0.3 km tall."),
    ("The tunnel is almost three miles long.", "The tunnel is 4.7 kilometres long."),
    ("The meeting lasted 90 minutes.", "The meeting lasted one and a half hours."),
    ("It is cooked at about 320 degrees Fahrenheit.", "It is cooked at 160 °C."),
    ("Half of the members voted.", "50% of the members voted."),
    ("More than 1,000 employees work there.", "The company has 1,187 employees."),
    ("Fewer than 1,200 employees work there.", "The company has 1,187 employees."),
    ("Roughly 12% of patients had nausea.", "Nausea occurred in 11.8 % of patients."),
    ("Notice of at least 90 days is needed.", "Tenants must give at least 90 days' notice."),
    ("It lasts 5 to 7 days.", "It lasts 5–7 days."),
    ("The file has 2 GB.", "The file has 2,000 MB."),
    ("It runs at exactly 10 m/s.", "It runs at 36 km/h."),
    ("The train leaves at 5 pm.", "The train leaves at 17:00."),
]
CONFLICTS = [
    ("Einstein won the Nobel Prize in 1969.", "Einstein won the Nobel Prize in 1921.", "1969", "1921"),
    ("The company has exactly 1,200 employees.", "The company has 1,187 employees.", "exactly 1,200", "1,187"),
    ("The company has 1,900 employees.", "The company has 1,187 employees.", "1,900", "1,187"),
    ("The company has about 2,000 employees.", "The company has 1,187 employees.", "about 2,000", "1,187"),
    ("More than 1,500 employees work there.", "More than 1,187 employees work there.", "over 1,500", "over 1,187"),
    ("At least 90 people came.", "At most 90 people came.", "at least 90", "at most 90"),
    ("The tower is 330 m tall.", "The tower is 300 metres tall and has 1,665 steps.", "330 m", "300 metres"),
    ("Each tablet contains 250 micrograms.", "Each tablet contains 250 mg.", "250 micrograms", "250 mg"),
    ("The company was founded in the 1980s.", "The company was founded in 1994.", "1980s", "1994"),
    ("The Model 3 has a range of 400 miles.", "Model 3 — range: 358 miles", "400 miles", "358 miles"),
    ("The unit price is 15 euros.", "sku: CLN-500; unit price: 12.50 EUR", "15 euros", "12.50 EUR"),
]  # fmt: skip


@pytest.mark.parametrize("claim, evidence", MATCHES)
def test_agreement(claim: str, evidence: str) -> None:
    found = stood(claim, evidence)
    assert found and {number.status for number in found} == {"stated"}, found


@pytest.mark.parametrize("claim, evidence, said, known", CONFLICTS)
def test_conflict(claim: str, evidence: str, said: str, known: str) -> None:
    (found,) = (number for number in stood(claim, evidence) if number.status == "conflicts")
    (place,) = found.evidence
    assert found.claim.of(claim) in said and place.of(evidence) in known
    assert found.doubt >= 0.5


def test_the_other_date_of_the_same_phone() -> None:
    context = "The first iPhone was announced on January 9, 2007.\nIt was released on June 29, 2007."
    statuses = [number.status for number in stood("The first iPhone was announced on June 29, 2007.", context)]
    assert "conflicts" in statuses
    assert all(number.status == "stated" for number in stood("The first iPhone was announced in 2007.", context))


def test_each_number_finds_its_own_counterpart() -> None:
    claim = "The laptop has 16GB RAM and a 256GB SSD."
    context = "Product spec: 16GB DDR4 RAM\nStorage: 512GB NVMe SSD"
    ram, disk = stood(claim, context)
    assert (ram.status, disk.status) == ("stated", "conflicts")
    assert (disk.claim.of(claim), disk.evidence[0].of(context)) == ("256GB", "512GB")


@pytest.mark.parametrize(
    "claim, evidence",
    [
        ("Tesla sold 500 cars.", "Tesla was founded in 2003."),
        ("The fair drew 900 guests.", "The tower has 1,665 steps."),
        ("Tesla was founded in 2003.", ""),
        ("Tesla was founded on July 1, 2003.", "Tesla was founded in 2003."),
        ("The firm employs 498 people.", "The firm has about 500 employees."),
        ("The pass is 2,312 m high.", "The pass is roughly 2,300 m high."),
    ],
)
def test_a_number_without_counterpart_is_missing(claim: str, evidence: str) -> None:
    (found,) = stood(claim, evidence)
    assert (found.status, found.evidence) == ("missing", ())


@pytest.mark.parametrize(
    "claim, evidence",
    [
        (
            "The Fenwick estate bought a total of 1,620 hectares of moor.",
            "The Fenwick estate bought 1,240 hectares of moor in 1995 and a further 380 hectares in 2007.",
        ),
        (
            "The express passport costs 56 crowns more than the standard one.",
            "A standard passport costs 74 crowns. An express passport costs 130 crowns.",
        ),
        ("Three of the five wells found no gas.", "Two of the five wells found gas."),
    ],
)
def test_sums_are_no_conflicts(claim: str, evidence: str) -> None:
    assert {number.status for number in stood(claim, evidence)} <= {"follows", "stated"}


def test_places_and_prepared_texts() -> None:
    claim, evidence = "It sold 940 arms in 2022.", "In 2022 the company sold 385 lamps and 940 arms."
    found = stood(claim, evidence)
    assert [number.claim.of(claim) for number in found] == ["940", "2022"]
    assert [place.of(evidence) for number in found for place in number.evidence] == ["940", "2022"]
    assert number_matches([claim], prepare(evidence)) == [found]


@pytest.mark.slow("reads thousands of texts")
def test_every_quantity_is_the_characters_at_its_place() -> None:
    drawn = random_texts(1500, seed=5)
    for text, other in itertools.pairwise(drawn):
        found = read(text)
        assert all(text[quantity.start : quantity.end] == quantity.text for quantity in found)
        assert all(left.end <= right.start for left, right in itertools.pairwise(found))
        assert len(stood(text, other)) <= len(found)


@pytest.mark.slow("reads long texts to see how the time grows")
@pytest.mark.parametrize(
    "piece", ["12 ", "1,", "one ", "2020-", "from 5 to ", "1.1.", "a@", "about ", "two hundred ", "the 5 "]
)
def test_time_grows_with_length_only(piece: str) -> None:
    def compared(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        return taken(lambda: stood("It has 12 rows.", text))

    assert compared(40_000) < 25 * compared(4_000) + 1
