"""Made-up records of what a place, a thing or a plan has and has not, and what an overview says of them.

    python -m training.features

A record has flags, choices and groups of flags, some of them empty, as the results of tools have; it is shown as JSON,
as lines, as a table or as a list. The overview names a few of them. Its wording is drawn before it is decided whether
it is right, so that the wording says nothing about the label: a wrong one turns a flag, takes another choice or
another member of a group, or states what the record leaves empty.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from training.bindings import CONTRADICTED, SUPPORTED, UNSUPPORTED, Made

Value = bool | str | None


@dataclass(frozen=True, slots=True)
class Feature:
    """A key and the sentences that say each of its values; several ways to say one are cut by a bar."""

    key: str
    says: dict[Any, str]

    def say(self, value: Value, rng: random.Random) -> str:
        return rng.choice(self.says[value].split("|"))


def has(key: str, thing: str) -> Feature:
    """Whether it has something."""
    bare, are = thing.removeprefix("a ").removeprefix("an "), "are" if thing.endswith("s") else "is"
    have = f"it has {thing}|it offers {thing}|it comes with {thing}|{thing} {are} available|there {are} {thing}"
    lack = f"it has no {bare}|it does not offer {thing}|it lacks {thing}|there {are} no {bare}|it comes without {thing}"
    return Feature(key, {True: f"{have}|you get {thing}", False: f"{lack}|{bare} {are} not available"})


def does(key: str, third: str, base: str, passive: str = "") -> Feature:
    """Whether it does something."""
    subject, _, done = passive.partition(" are ")
    more = f"|{passive}" if passive else ""
    less = f"|{subject} are not {done}|no {subject} are {done}" if passive else ""
    return Feature(
        key, {True: f"it {third}|it does {base}{more}", False: f"it does not {base}|it doesn't {base}{less}"}
    )


def being(key: str, adjective: str, opposite: str = "") -> Feature:
    """Whether it is something."""
    other = f"|it is {opposite}" if opposite else ""
    return Feature(key, {True: f"it is {adjective}", False: f"it is not {adjective}|it isn't {adjective}{other}"})


def one_of(key: str, **says: str) -> Feature:
    """Which of several it is; an underscore in a value is one in the record."""
    return Feature(key, {**says})


def any_of(key: str, whole: str, **members: str) -> Feature:
    """A group of flags: the members that it has, by what is said of each; `whole` is said where it has none."""
    return Feature(key, {**one_of(key, **members).says, False: whole})


DOMAINS: dict[str, list[Feature]] = {
    "restaurant": [
        has("OutdoorSeating", "outdoor seating"),
        does("RestaurantsReservations", "takes reservations", "take reservations", "reservations are accepted"),
        does("RestaurantsTakeOut", "does takeout", "do takeout", "takeaway orders are accepted"),
        does("RestaurantsDelivery", "delivers", "deliver"),
        being("RestaurantsGoodForGroups", "good for groups", "unsuited for large groups"),
        being("GoodForKids", "good for children", "unsuited for children"),
        has("Music", "live music"),
        has("HasTV", "a television"),
        does("BusinessAcceptsCreditCards", "accepts credit cards", "accept credit cards", "credit cards are accepted"),
        being("WheelchairAccessible", "wheelchair accessible"),
        does("Caters", "caters for events", "cater for events"),
        one_of(
            "WiFi",
            free="it offers free Wi-Fi|Wi-Fi is free",
            paid="it charges for Wi-Fi|Wi-Fi costs extra",
            no="it has no Wi-Fi|there is no Wi-Fi",
        ),
        one_of("NoiseLevel", quiet="it is a quiet place", average="the noise level is average", loud="it gets loud"),
        one_of(
            "Alcohol",
            none="no alcohol is served",
            beer_and_wine="it serves beer and wine",
            full_bar="it has a full bar",
        ),
        one_of("RestaurantsAttire", casual="dress is casual", dressy="guests dress up", formal="dress is formal"),
        any_of(
            "BusinessParking",
            "it has no parking",
            garage="you can park in a garage",
            street="there is street parking",
            lot="it has a parking lot",
            valet="valet parking is offered",
            validated="parking is validated",
        ),
        any_of(
            "Ambience",
            "nothing is said for its ambience",
            romantic="the ambience is romantic",
            classy="the ambience is classy",
            hipster="it has a hipster feel",
            trendy="it is a trendy place",
            casual="the ambience is casual",
            touristy="it is touristy",
            upscale="it is upscale",
        ),
        any_of(
            "GoodForMeal",
            "it is good for no meal",
            breakfast="it is good for breakfast",
            brunch="it is good for brunch",
            lunch="it is a good place for lunch",
            dinner="it is good for dinner",
            dessert="it is good for dessert",
        ),
    ],
    "hotel": [
        has("swimming_pool", "a swimming pool"),
        has("sauna", "a sauna"),
        has("gym", "a gym"),
        has("lift", "a lift"),
        has("airport_shuttle", "an airport shuttle"),
        has("room_service", "room service"),
        has("air_conditioning", "air conditioning"),
        has("laundry", "a laundry service"),
        being("pets_allowed", "open to pets", "closed to pets"),
        being("smoke_free", "smoke-free"),
        does("late_checkout", "allows late checkout", "allow late checkout"),
        does("groups", "takes groups", "take groups", "groups are welcomed"),
        one_of(
            "breakfast", included="breakfast is included", extra="breakfast costs extra", none="no breakfast is served"
        ),
        one_of(
            "cancellation",
            free="cancelling is free",
            fee="a fee is charged for cancelling",
            none="bookings cannot be cancelled",
        ),
        any_of(
            "rooms",
            "no rooms are listed",
            single="it has single rooms",
            double="it has double rooms",
            family="it has family rooms",
            suites="it has suites",
        ),
    ],
    "laptop": [
        has("touchscreen", "a touchscreen"),
        has("backlit_keyboard", "a backlit keyboard"),
        has("webcam", "a webcam"),
        has("fingerprint_reader", "a fingerprint reader"),
        has("ethernet", "an Ethernet port"),
        has("hdmi", "an HDMI port"),
        has("card_reader", "a card reader"),
        has("charger_in_box", "a charger in the box"),
        does("memory_upgrade", "lets you add memory", "let you add memory"),
        does("charges_over_usb", "charges over USB", "charge over USB"),
        being("fanless", "fanless"),
        one_of(
            "warranty",
            standard="it has the standard warranty",
            extended="it has an extended warranty",
            none="it is sold without a warranty",
        ),
        one_of("screen", matte="the screen is matte", glossy="the screen is glossy"),
        any_of(
            "colours",
            "no colours are listed",
            silver="it comes in silver",
            black="it comes in black",
            blue="it comes in blue",
            rose="it comes in rose",
        ),
    ],
    "flat": [
        has("balcony", "a balcony"),
        has("cellar", "a cellar"),
        has("dishwasher", "a dishwasher"),
        has("lift", "a lift"),
        has("fitted_kitchen", "a fitted kitchen"),
        has("garden", "a garden"),
        has("bathtub", "a bathtub"),
        being("furnished", "furnished", "unfurnished"),
        being("pets", "open to pets", "closed to pets"),
        being("available_now", "available now"),
        does("shared_use", "allows shared use", "allow shared use"),
        one_of("heating", included="heating is included", separate="heating is paid separately"),
        one_of("parking", garage="a garage goes with it", street="you park on the street", none="it has no parking"),
        any_of(
            "floors",
            "no floors are listed",
            wood="it has wooden floors",
            tiles="it has tiled floors",
            carpet="it has carpets",
            stone="it has stone floors",
        ),
    ],
    "plan": [
        has("phone_support", "phone support"),
        has("audit_log", "an audit log"),
        has("api_access", "API access"),
        has("single_sign_on", "single sign-on"),
        has("custom_domain", "a custom domain"),
        has("backups", "backups"),
        has("offline_mode", "an offline mode"),
        has("guest_accounts", "guest accounts"),
        does("refunds", "gives refunds", "give refunds", "refunds are given"),
        does("monthly_payment", "can be paid monthly", "come with monthly payment"),
        one_of("storage_region", eu="data is kept in the EU", us="data is kept in the US", asia="data is kept in Asia"),
        one_of("billing", monthly="it is billed monthly", yearly="it is billed yearly"),
        any_of(
            "exports",
            "it exports nothing",
            csv="it exports to CSV",
            pdf="it exports to PDF",
            excel="it exports to Excel",
            json="it exports to JSON",
        ),
    ],
    "venue": [
        has("stage", "a stage"),
        has("projector", "a projector"),
        has("kitchen", "a kitchen"),
        has("cloakroom", "a cloakroom"),
        has("green_room", "a green room"),
        has("step_free_access", "step-free access"),
        has("bar", "a bar"),
        does("outside_catering", "allows outside catering", "allow outside catering"),
        does("weekend_hire", "can be hired at weekends", "open for hire at weekends"),
        being("licensed", "licensed for weddings"),
        one_of(
            "deposit",
            refundable="the deposit is refundable",
            kept="the deposit is not given back",
            none="no deposit is asked for",
        ),
        any_of(
            "layouts",
            "no layouts are listed",
            theatre="it can be set up as a theatre",
            banquet="banquets are possible",
            classroom="it can be set up as a classroom",
            standing="standing events are possible",
        ),
    ],
}
_NAMES = (
    "Brindle,Oakmere,Calloway,Juniper,Solvay,Tamarind,Westering,Halcyon,Marlow,Orchard,Pinecrest,Quayside,Larkspur,"
    "Copperfield,Nimbus,Verano,Alder,Saltmarsh,Bellweather,Kingfisher,Foxglove,Harbour,Monarch,Driftwood"
).split(",")
_SECOND = {
    "restaurant": "Kitchen,Grill,Bistro,Diner,Table,Cantina",
    "hotel": "Hotel,Inn,Lodge,House",
    "laptop": "14,Pro,Air,X2",
    "flat": "Court,Lane 4,Street 12,Terrace",
    "plan": "Team,Basic,Business,Plus",
    "venue": "Hall,Rooms,Barn,Theatre",
}
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_JOINTS = {True: (" and ", ", and ", "; "), False: (", but ", " but ", ", although ", "; ")}
_EMPTY = 0.2
"""How many of the keys are there and empty."""


def _record(rng: random.Random, features: list[Feature]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for feature in features:
        values = list(feature.says)
        if rng.random() < _EMPTY:
            record[feature.key] = None
        elif True in feature.says:
            record[feature.key] = rng.random() < 0.55
        elif False in feature.says:
            members = [value for value in values if value]
            record[feature.key] = {str(name): rng.random() < 0.4 for name in members}
        else:
            record[feature.key] = rng.choice(values)
    return record


def _statement(rng: random.Random, feature: Feature, value: Any, label: int) -> tuple[str, bool] | None:
    """What is said of a feature so that it has this label, and whether that is a good thing; None where it cannot."""
    if label == UNSUPPORTED:
        said = rng.choice([key for key in feature.says if key is not False or True in feature.says])
        return (feature.say(said, rng), bool(said)) if value is None else None
    if value is None:
        return None
    if isinstance(value, dict):
        there, absent = [n for n, on in value.items() if on], [n for n, on in value.items() if not on]
        if label == SUPPORTED:
            return (feature.say(rng.choice(there), rng), True) if there else (feature.say(False, rng), False)
        if there and rng.random() < 0.3:
            return feature.say(False, rng), False
        return (feature.say(rng.choice(absent), rng), True) if absent else None
    others = [key for key in feature.says if key != value]
    said = value if label == SUPPORTED else rng.choice(others)
    return feature.say(said, rng), bool(said) and said not in ("no", "none")


def _shown(rng: random.Random, name: str, domain: str, record: dict[str, Any], hours: dict[str, str]) -> str:
    """The record in one of the ways in which tools and pages show such things."""
    more = {"hours": hours} if hours else {}
    flat = {**record, **more}
    style = rng.choice(("json", "json", "nested", "lines", "table", "bullets", "python"))
    if style in ("json", "nested", "python"):
        data: dict[str, Any] = {"name": name, "type": domain}
        data |= {"attributes": record, **more} if style == "nested" else flat
        return str(data) if style == "python" else json.dumps(data, indent=rng.choice((None, 1, 2)))
    words = {True: "yes", False: "no", None: rng.choice(("n/a", "unknown", "-", "not stated"))}

    def told(value: Any) -> str:
        if isinstance(value, dict):
            return ", ".join(f"{key} {words.get(one, one)}" for key, one in value.items())
        return str(words.get(value, value))

    pairs = [(key.replace("_", " "), told(value)) for key, value in flat.items()]
    if style == "table":
        return "\n".join([f"{name} ({domain})", *(f"{key} | {value}" for key, value in pairs)])
    mark = "- " if style == "bullets" else ""
    return "\n".join([f"Name: {name}", *(f"{mark}{key}: {value}" for key, value in pairs)])


def _hour(rng: random.Random, minutes: int, plain: bool) -> str:
    if plain:
        return f"{minutes // 60}:{minutes % 60:02}"
    hour, rest = minutes // 60 % 12 or 12, f":{minutes % 60:02}" if minutes % 60 else ""
    return f"{hour}{rest}{rng.choice((' ', ''))}{'PM' if minutes >= 720 else 'AM'}"


def _open(rng: random.Random, opening: dict[str, tuple[int, int]], label: int) -> tuple[str, str]:
    """A sentence on the hours of one day, and its wrong words."""
    day = rng.choice(list(opening))
    start, end = opening[day]
    if label == CONTRADICTED:
        others = [times for times in opening.values() if times != (start, end)]
        start, end = rng.choice(others) if others else (start + 90, end + 60)
    plain = rng.random() < 0.4
    times = f"from {_hour(rng, start, plain)} to {_hour(rng, end, plain)}"
    text = rng.choice((f"on {day} it is open {times}", f"it opens {times} on {day}s", f"{day} hours run {times}"))
    return text, times if label == CONTRADICTED else ""


def _case(rng: random.Random) -> Made | None:
    domain = rng.choice(list(DOMAINS))
    name = f"{rng.choice(_NAMES)} {rng.choice(_SECOND[domain].split(','))}"
    features = rng.sample(DOMAINS[domain], rng.randint(4, min(9, len(DOMAINS[domain]))))
    record = _record(rng, features)
    opening: dict[str, tuple[int, int]] = {}
    if domain in ("restaurant", "venue") and rng.random() < 0.6:
        kinds = [(rng.randrange(420, 720, 30), rng.randrange(840, 1410, 30)) for _ in range(rng.randint(2, 3))]
        opening = {day: rng.choice(kinds) for day in _DAYS if rng.random() < 0.9}
    hours = {day: f"{_hour(rng, a, True)}-{_hour(rng, b, True)}" for day, (a, b) in opening.items()}
    label = rng.choices((SUPPORTED, CONTRADICTED, UNSUPPORTED), (48, 36, 16))[0]
    told: list[tuple[str, bool, str]] = []
    if opening and label != UNSUPPORTED and rng.random() < 0.25:
        text, failing = _open(rng, opening, label)
        told.append((text, True, failing))
    rng.shuffle(features)
    wanted = rng.choice((1, 1, 2, 2, 3))
    for feature in features:
        if len(told) >= wanted:
            break
        now = SUPPORTED if any(wrong for *_, wrong in told) else label if not told else SUPPORTED
        found = _statement(rng, feature, record[feature.key], now)
        if found:
            told.append((*found, found[0] if now != SUPPORTED else ""))
    if not told or (label != SUPPORTED and not told[0][2]):
        return None
    failing = told[0][2].removeprefix("it ")
    kind = (
        ""
        if not failing
        else "invented"
        if label == UNSUPPORTED
        else "date"
        if failing.startswith("from ")
        else "status"
    )
    rng.shuffle(told)
    text, good = told[0][0], told[0][1]
    for more, better, _ in told[1:]:
        text += rng.choice(_JOINTS[better == good]) + more
    subject = rng.choice((name, f"the {domain}", "it"))
    if text.startswith("it "):
        text = subject + text[2:]
    text = text[0].upper() + text[1:] + "."
    wrong: tuple[tuple[int, int], ...] = ()
    if failing:
        at = text.lower().find(failing.lower())
        wrong = ((at, at + len(failing)),)
    evidence = _shown(rng, name, domain, record, hours)
    asked = rng.choice(
        (f"Give an overview of {name}.", f"What should I know about {name}?", "", f"Tell me about {name}.")
    )
    return Made(asked, text, evidence, label, wrong, kind)


def made(count: int, seed: int = 0) -> Iterator[Made]:
    """So many cases; a draw that gives no clear label is drawn anew."""
    rng = random.Random(seed)
    while count > 0:
        case = _case(rng)
        if case is not None:
            count -= 1
            yield case


def main() -> None:
    for case in made(12, seed=random.randrange(10**6)):
        wrong = [case.text[a:b] for a, b in case.wrong]
        print(f"--- label {case.label} {case.kind} {wrong}\nlead: {case.lead}\ntext: {case.text}\n{case.evidence}\n")


if __name__ == "__main__":
    main()
