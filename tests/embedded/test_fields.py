from __future__ import annotations

import json
import time

import pytest

from halluscope._internal.embedded.reading.fields import Field, FieldFinding, compare_fields, read_fields
from halluscope._internal.embedded.reading.readable import structured
from halluscope._internal.embedded.reading.stance import Said

from ..growth import assert_linear
from ..random_text import random_texts

DELI = (
    "name: Danny's Deli; city: Santa Barbara; hours: none; business stars: 4.0\n"
    "Danny's Deli attributes: Business Parking garage: no; Business Parking street: none; Business Parking lot: yes; "
    "Restaurants Reservations: yes; Outdoor Seating: yes; Wi Fi: no; Restaurants Take Out: none; "
    "Restaurants Good For Groups: yes; Music: none; Ambience romantic: no; Ambience touristy: no; "
    "Ambience casual: yes\n"
    "Danny's Deli review info: review stars: 5.0; review text: We loved it. The patio is nice and there was a DJ."
)


def found(claim: str, context: str) -> dict[str, str]:
    """What was found, by the last words of the field: {"Wi Fi: no": "conflicts"}."""
    return {finding.field.text: finding.status for finding in compare_fields(claim, read_fields(context))}


def flat(value: object) -> str:
    return read(json.dumps(value))


def read(passage: str) -> str:
    """A passage as the rules read it."""
    return "\n".join(statement.text for statement in structured(passage))


def only(claim: str, context: str) -> FieldFinding:
    (finding,) = compare_fields(claim, read_fields(context))
    return finding


# --- what a claim makes of a field --------------------------------------------------------------------


@pytest.mark.parametrize(
    "claim, field, status",
    [
        ("The restaurant does not take reservations.", "Restaurants Reservations: yes", "conflicts"),
        ("The restaurant takes reservations.", "Restaurants Reservations: yes", "agrees"),
        ("Wi-Fi is available.", "Wi Fi: no", "conflicts"),
        ("There is free WiFi.", "Wi Fi: no", "conflicts"),
        ("Wifi isn't available.", "Wi Fi: no", "agrees"),
        ("It offers take-out services.", "Restaurants Take Out: none", "unknown"),
        ("You cannot order takeout.", "Restaurants Take Out: none", "unknown"),
        ("It lacks outdoor seating.", "Outdoor Seating: yes", "conflicts"),
        ("It has indoor and outdoor seating.", "Outdoor Seating: yes", "agrees"),
        ("Outdoor seating is unavailable.", "Outdoor Seating: yes", "conflicts"),
        ("It is suitable for groups.", "Restaurants Good For Groups: yes", "agrees"),
        ("The ambiance is romantic.", "Ambience romantic: no", "conflicts"),
        ("Guests can use the garage for parking.", "Business Parking garage: no", "conflicts"),
        ("OutdoorSeating: No", "Outdoor Seating: yes", "conflicts"),
        ("There is live music.", "Music: none", "unknown"),
    ],
)
def test_a_claim_against_one_field(claim: str, field: str, status: str) -> None:
    assert found(claim, DELI) == {field: status}


@pytest.mark.parametrize(
    "claim, expected",
    [
        (
            "The restaurant does not take reservations, but offers outdoor seating and Wi-Fi.",
            {"Restaurants Reservations": "conflicts", "Outdoor Seating": "agrees", "Wi Fi": "conflicts"},
        ),
        (
            "They do not take reservations, offer Wi-Fi, or provide outdoor seating.",
            {"Restaurants Reservations": "conflicts", "Wi Fi": "agrees", "Outdoor Seating": "conflicts"},
        ),
        ("Outdoor seating and Wi-Fi are not available.", {"Outdoor Seating": "conflicts", "Wi Fi": "agrees"}),
        ("The ambience is casual, and WiFi is not available.", {"Ambience casual": "agrees", "Wi Fi": "agrees"}),
        ("While it does not have Wi-Fi, it is casual.", {"Wi Fi": "agrees", "Ambience casual": "agrees"}),
        ("Neither Wi-Fi nor outdoor seating is offered.", {"Wi Fi": "agrees", "Outdoor Seating": "conflicts"}),
        (
            "It does not offer garage parking, yet a lot is there.",
            {"Business Parking garage": "agrees", "Business Parking lot": "agrees"},
        ),
        ("Not only Wi-Fi but also outdoor seating is offered.", {"Wi Fi": "conflicts", "Outdoor Seating": "agrees"}),
    ],
)
def test_each_part_of_a_claim_by_itself(claim: str, expected: dict[str, str]) -> None:
    told = {field.rpartition(":")[0]: status for field, status in found(claim, DELI).items()}
    assert told == expected


@pytest.mark.parametrize(
    "claim",
    [
        "The deli is on State Street.",  # a street without parking
        "Locals and tourists like it.",  # tourists are not touristy
        "The seating is comfortable.",
        "Reservations are not required.",
        "Ask whether Wi-Fi is available.",
        "The deli has a cozy atmosphere.",  # the name of a group says nothing alone
        "It is open for 24 hours.",  # that no hours are given is no answer
        "",
        "...",
    ],
)
def test_claims_that_say_nothing_sure_of_a_field(claim: str) -> None:
    assert found(claim, DELI) == {}


def test_a_no_reaches_all_members_of_a_list() -> None:
    assert found("There is no Wi-Fi or outdoor seating.", DELI) == {
        "Wi Fi: no": "agrees",
        "Outdoor Seating: yes": "conflicts",
    }


def test_saying_that_the_context_is_silent() -> None:
    assert found("It does not mention whether there is music.", DELI) == {"Music: none": "agrees"}
    assert found("No information about outdoor seating is given.", DELI) == {"Outdoor Seating: yes": "conflicts"}
    assert found("There is no mention of Wi-Fi.", DELI) == {}  # nearly the same as no


def test_the_characters_of_a_claim() -> None:
    claim = "Well, the place does not take reservations, I hear."
    finding = only(claim, DELI)
    assert claim[finding.start : finding.end] == "not take reservations"
    claim = "Enjoy the outdoor seating."
    finding = only(claim, DELI)
    assert claim[finding.start : finding.end] == "outdoor seating"


def test_findings_come_in_the_order_of_the_claim() -> None:
    claim = "It has Wi-Fi, takes reservations, offers outdoor seating and is casual."
    findings = compare_fields(claim, read_fields(DELI))
    assert len(findings) == 4
    assert [finding.start for finding in findings] == sorted(finding.start for finding in findings)


def test_a_group_is_there_when_one_of_it_is() -> None:
    (status,) = found("There is no parking.", DELI).values()
    assert status == "conflicts"
    (status,) = found("Parking is available.", DELI).values()
    assert status == "agrees"
    none = DELI.replace("lot: yes", "lot: no").replace("street: none", "street: no")
    (status,) = found("Parking is available.", none).values()
    assert status == "conflicts"
    assert found("It does not offer parking validation.", DELI) == {}


def test_strength_falls_with_what_speaks_against_it() -> None:
    sure = only("The ambience is romantic.", DELI).strength
    unnamed = only("It is a romantic place.", DELI).strength
    hedged = only("The ambience is probably romantic.", DELI).strength
    told = only("One reviewer described the ambience as romantic.", DELI).strength
    assert 0 < unnamed < hedged <= told < sure < 1
    affirmed, denied = only("There is music.", DELI).strength, only("There is no music.", DELI).strength
    assert denied < affirmed


def test_sentences_of_the_context_may_know_better() -> None:
    with_music = DELI + " The music was loud."
    assert only("There is live music.", DELI).status == "unknown"
    assert found("There is live music.", with_music) == {}
    with_wifi = DELI + " Their wi-fi works."
    assert 0 < only("Wi-Fi is available.", with_wifi).strength < only("Wi-Fi is available.", DELI).strength
    assert found("One reviewer praised the Wi-Fi.", with_wifi) == {}


# --- other values, other shapes -----------------------------------------------------------------------

HOTEL = flat(
    {
        "hotel": "Alba",
        "amenities": {
            "pool": True,
            "gym": False,
            "pets_allowed": False,
            "airport_shuttle": None,
            "wifi": "free",
            "breakfastIncluded": True,
            "smoking": False,
            "wheelchair_accessible": True,
        },
        "alcohol": "beer_and_wine",
        "status": "closed",
        "floors": 1,
    }
)


@pytest.mark.parametrize(
    "claim, expected",
    [
        ("The hotel has a pool and a gym.", ["agrees", "conflicts"]),
        ("Pets are welcome.", ["conflicts"]),
        ("Pets are not allowed.", ["agrees"]),
        ("There is an airport shuttle.", ["unknown"]),
        ("Wi-Fi is free.", ["agrees"]),
        ("Breakfast is not included in the price.", ["conflicts"]),
        ("It is a non-smoking hotel.", ["agrees"]),
        ("The hotel isn't wheelchair accessible.", ["conflicts"]),
        ("The hotel serves alcohol.", []),
        ("It has no alcohol licence.", []),
        ("The hotel opened in 1990.", []),
        ("It has no floors.", []),
    ],
)
def test_other_kinds_of_values(claim: str, expected: list[str]) -> None:
    assert [finding.status for finding in compare_fields(claim, read_fields(HOTEL))] == expected


USERS = flat(
    {
        "users": [
            {"name": "Ada Byron", "active": True, "admin": False, "email_verified": True, "plan": "A", "logins": 4},
            {"name": "Max Weber", "active": False, "admin": True, "email_verified": False, "plan": "B", "logins": 7},
        ]
    }
)


@pytest.mark.parametrize(
    "claim, expected",
    [
        ("Ada Byron is an admin.", {"users: name: Ada Byron; admin: no": "conflicts"}),
        ("Max is an admin.", {"users: name: Max Weber; admin: yes": "agrees"}),
        ("Max Weber is inactive.", {"users: name: Max Weber; active: no": "agrees"}),
        ("Ada's email is not verified.", {"users: name: Ada Byron; email verified: yes": "conflicts"}),
        ("Max Weber has an unverified email.", {"users: name: Max Weber; email verified: no": "agrees"}),
        ("The user on plan B is active.", {"users: name: Max Weber; active: no": "conflicts"}),
        ("Ada Byron, who logged in 7 times, is active.", {"users: name: Ada Byron; active: yes": "agrees"}),
        ("One of the users is active.", {}),
        ("Ada Byron and Max Weber are active.", {}),
    ],
)
def test_the_record_that_the_claim_names(claim: str, expected: dict[str, str]) -> None:
    assert found(claim, USERS) == expected


def test_records_that_agree_need_no_name() -> None:
    context = flat({"rooms": [{"name": "Elbe", "wifi": True}, {"name": "Danube", "wifi": True}]})
    assert list(found("The rooms have no Wi-Fi.", context).values()) == ["conflicts"]


def test_a_record_without_the_field_is_not_another_one() -> None:
    rooms = flat({"rooms": [{"name": "Elbe", "wifi": False, "bath": True}, {"name": "Danube", "bath": False}]})
    assert found("Danube has Wi-Fi.", rooms) == {}
    assert found("Elbe has Wi-Fi.", rooms) == {"wifi: no": "conflicts"}
    hotels = "## Hotel Alba\nWi-Fi: yes\nPool: no\n\n## Hotel Brava\nWi-Fi: no\nPool: yes\n"
    assert list(found("Hotel Brava has Wi-Fi.", hotels).values()) == ["conflicts"]
    assert list(found("Hotel Alba has Wi-Fi but no pool.", hotels).values()) == ["agrees", "agrees"]
    assert found("The hotel has Wi-Fi.", hotels) == {}


def test_a_table_of_things_in_rows_or_in_columns() -> None:
    rows = read(
        "| Plan | SSO | Audit log |\n|---|---|---|\n| Free | no | no |\n| Team | no | yes |\n| Max | yes | yes |\n"
    )
    assert found("The Team plan includes SSO.", rows) == {"Plan: Team; SSO: no": "conflicts"}
    assert found("The Free plan has an audit log.", rows) == {"Plan: Free; Audit log: no": "conflicts"}
    columns = read(
        "| | Alpha Bank | Beta Bank |\n|---|---|---|\n| Rate | 3.4% | 3.2% |\n| Term | 10 years | 12 years |\n"
        "| Life insurance | no | yes |\n"
    )
    assert found("Beta Bank does not ask for life insurance.", columns) == {
        "Life insurance; Beta Bank: yes": "conflicts"
    }
    assert found("Alpha Bank includes life insurance.", columns) == {"Life insurance; Alpha Bank: no": "conflicts"}
    assert found("Alpha Bank has a lower rate.", columns) == {}


def test_lines_and_lists() -> None:
    listed = "Facts\n- **Wi-Fi:** Yes\n- **Pool:** Not available\n- **Pets:** N/A\n- **Minibar:** None\n"
    assert found("There is Wi-Fi and a pool.", listed) == {"Wi-Fi: Yes": "agrees", "Pool: Not available": "conflicts"}
    assert found("Pets are allowed.", listed) == {"Pets: N/A": "unknown"}
    piped = "Patient: J. Doe | Smoker: no | Diabetic: yes"
    assert found("The patient is a smoker and diabetic.", piped) == {
        "Smoker: no": "conflicts",
        "Diabetic: yes": "agrees",
    }


def test_places_in_the_text() -> None:
    for context in (DELI, HOTEL, USERS):
        for field in read_fields(context):
            shown = context[field.start : field.end]
            assert shown.endswith(field.text.rpartition(":")[2].strip()), field


# --- what is no field ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The answer is simple: no. She had one wish: none.",
        "He had two aims: peace; and one fear: none.",
        "Note that it is closed; the reason: no staff.",
        "[10:12] Tomasz: yes\n[10:14] Leon: no",
        "Caller: I lost my card.\nAgent: Shall I block it?\nCaller: yes\nAgent: Is that all, madam?\nCaller: no\n",
        "Dear all,\nMy view: no\nBest regards",
        "See https://example.org/a: none of it is true.",
        "location: Tromsø; country: NO; language: NO",
    ],
)
def test_prose_has_no_fields(text: str) -> None:
    assert read_fields(text) == ()


def test_without_fields_nothing_is_found() -> None:
    assert compare_fields("Wi-Fi is available.", ()) == []


def test_odd_text_breaks_nothing() -> None:
    odd = random_texts(150, seed=11)
    fields = list(read_fields(DELI))
    for text, claim in zip(odd, reversed(odd), strict=True):
        assert all(0 <= field.start <= field.end <= len(text) for field in read_fields(text))
        mixed = f"{text}; Wi Fi: no; {claim}: yes; {text[:20]}: none\n{claim}"
        mine = [*fields, *read_fields(mixed)]
        for said in (claim, f"{claim} wifi {text}", f"not {text} parking lot {claim}"):
            for finding in compare_fields(said, mine):
                assert 0 <= finding.start < finding.end <= len(said)
                assert 0 < finding.strength <= 1


def test_long_texts_take_time_in_proportion() -> None:
    def work(rows: int) -> None:
        text = "\n".join(f"rows: name: Row{n} of many; wifi: {'yes' if n % 2 else 'no'}; pool: no" for n in range(rows))
        text += "\n" + "one customer and some guests " * rows + "no " * rows
        fields: tuple[Field, ...] = read_fields(text)
        assert len(fields) >= 2 * rows
        assert len(compare_fields("Row7 has wifi " + "and one room and some more " * rows, fields)) == 1

    assert_linear(work, start=200, longest=2_000)


@pytest.mark.parametrize(
    "filler", [" ", "\n", "\n ", "- ", "a ", "a: ", ": ", "; ", "# ", "| ", "no ", "no, ", "{", '"']
)
def test_long_runs_of_anything(filler: str) -> None:
    run = filler * 10_000
    begun = time.process_time()
    fields = read_fields(f"a: yes; wifi: no\n{run}\nkey: {run}#{run}: no\n{run} | x: no")
    compare_fields(f"There is {run} no wifi {run} and {run}", [*fields, *read_fields(DELI)])
    assert time.process_time() - begun < 10


# --- stance -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, kind",
    [
        ("It offers parking.", "affirms"),
        ("It doesn’t offer parking.", "denies"),
        ("It does not, however, offer parking.", "denies"),
        ("Despite not offering parking, it is full.", "denies"),
        ("No parking.", "denies"),
        ("None of them has parking.", "denies"),
        ("Parking was never allowed.", "denies"),
        ("The lack of parking annoys.", "denies"),
        ("Parking is not only free.", "affirms"),
        ("Parking: no", "denies"),
        ("Parking = yes", "affirms"),
        ("If parking is free, fine.", "open"),
        ("Parking is not needed.", "open"),
        ("Nothing is said; parking is not specified.", "silent"),
        ("They say no, but parking exists.", "affirms"),
    ],
)
def test_stance(text: str, kind: str) -> None:
    said = Said(text)
    place = next(place for place, token in enumerate(said.tokens) if token.text == "parking")
    assert said.stance(place, place).kind == kind
