"""Made-up cases of who did what to whom and which item has which value, right and wrong in the same wordings.

A case is a small set of facts of one kind (deals, matches, rows of a table), shown as prose, list, table, CSV, JSON,
key-value block, chat or log, and a claim on it. The wording of the claim is drawn before its label, so that the wording
says nothing about the label: the same templates are filled with what the evidence says, with a neighbour's value or the
two sides exchanged, or with something the evidence is silent on.
"""

from __future__ import annotations

import csv
import datetime
import io
import itertools
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

SUPPORTED, CONTRADICTED, UNSUPPORTED = 0, 1, 2
_OPEN, _SHUT = "\x02", "\x03"


@dataclass(frozen=True, slots=True)
class Made:
    lead: str
    text: str
    evidence: str
    label: int
    wrong: tuple[tuple[int, int], ...]
    kind: str


class _Skip(Exception):
    """The draw cannot give a case with a clear label: draw anew."""


class Val(NamedTuple):
    key: float
    text: str
    alts: tuple[str, ...] = ()


# ---------------------------------------------------------------- names

_FIRST = (
    "Dana Karim Leonie Marcus Priya Tomasz Ines Hugo Amara Viktor Noor Elias Greta Samuel Yuki Oskar Farah Bruno Celia "
    "Anton Maren Idris Paula Rashid Helen Mateo Sofia Kwame Linnea Dmitri Aisha Julian Petra Omar Naomi Felix Rosa "
    "Stefan Keiko Louis Miriam Andre Tamsin Rafael Birgit Hassan Clara Jonas Zainab Peter Ingrid Luca Fatima Edward "
    "Wanda Nikhil Estelle Gavin Mei Arturo Sunita Colin Adaeze Pavel Rhona Tariq Beatriz Magnus Lydia Chidi Yasmin "
    "Gregor Salma Patrick Anneke Ravi Monique Simon Thandi Walter Olga Desmond Carmen Henrik Layla Bernard Nadia Callum"
).split()
_LAST = (
    "Whitlock Haddad Berger Oyelaran Castellano Novak Lindqvist Mbeki Tanaka Ferreira Okafor Sandoval Petrov Harcourt "
    "Iyer Moreau Jansen Kowalski Delgado Ashworth Bianchi Nakamura Rahman Vance Holt Pemberton Achterberg Suzuki "
    "Duarte "
    "Brennan Yilmaz Falk Mercer Rossi Adeyemi Thornbury Kessler Lowell Nguyen Saito Marsh Eriksen Patel Quigley Romero "
    "Stroud Tremblay Ueda Varga Wexler Zielinski Abbott Barlow Cho Dempsey Ekström Fairley Gupta Hofmann Ivers Juarez "
    "Kimura Larkin Madaki Norling Osei Pryce Rennard Sato Tolland Ulrich Voss Winslow Yeboah Zamora Alder Bexley Crane "
    "Dunmore Ellery Fontaine Greaves Hartigan Ingram Keating Loftus"
).split()
_HEAD = (
    "Bra Cor Del Fen Gal Har Kel Lor Mar Nor Or Pel Quin Ros Sal Tor Ul Ver Wes Zan Al Bel Cal Dun Er Fal Hol Is "
    "Jun Lin "
    "Mon Os Pra Ren Sten Tal Var Wol Yar Ast"
).split()
_MID = "an er i o el a ar en u al in".split()
_PLACE = "ley ford wick mere stead by ton burgh holm dale port mouth haven bridge field gate combe worth".split()
_FIRM = "dex tor via nis lon tra ro mico sys qua vent lis dyne gen cor nex mont dara".split()
_TAIL = (
    "Labs,Foods,Systems,Energy,Partners,Logistics,Group,Robotics,Health,Media,Motors,Textiles,Software,Bank,"
    "Airlines,Pharma,Mining,Retail"
).split(",")
_THING = (
    "Aurora Beacon Comet Drift Ember Falcon Granite Harbor Indigo Juniper Kestrel Lantern Meadow Nimbus Onyx Pioneer "
    "Quartz Raven Summit Tundra Umber Vector Willow Zephyr Atlas Breeze Cobalt Delta Echo Fjord Glacier Heron Ivory "
    "Jade Karst Lumen Mosaic Nova Opal Prism Ridge Sable Topaz Vertex Walnut Yonder Bramley Cinder Dahlia Fern"
).split()
_ROOT = (
    "Harrow Milbrook Castor Elmgrove Dunley Larkfield Pinehurst Redwater Stonegate Tarrant Underhill Westmoor Ashdown "
    "Birchwood Copperfield Drayton Eastlake Fairholm Greystone Hollin Ironbridge Kingsmead Longacre Merrow"
).split()
_LAND = (
    "Norway Peru Kenya Vietnam Portugal Chile Jordan Finland Morocco Canada Thailand Ghana Uruguay Poland Nepal "
    "Ireland "
    "Senegal Croatia Mexico Latvia Oman Bolivia Denmark Malaysia Tunisia Austria Zambia Iceland Estonia Cuba"
).split()
_BEAST = (
    "the barn owl,the field vole,the pike,the roach,the stoat,the rabbit,the heron,the frog,the ladybird,the aphid,"
    "the orca,the harbour seal,the mantis,the cricket,the kestrel,the shrew,the otter,the crayfish,the lynx,the hare"
).split(",")
_CAUSES = (
    "the power cut,the cooling failure,the late delivery,the software update,the burst pipe,the strike,the heatwave,"
    "the price rise,the faulty sensor,the heavy rain,the road closure,the landslide,the staff shortage,the data loss,"
    "the network outage,the drop in sales,the recall,the evacuation,the production halt,the flood in the cellar,"
    "the fire alarm,the signal fault,the long queues,the cancelled flights,the budget freeze,the hiring stop"
).split(",")
_MONTHS = ("January February March April May June July August September October November December").split()


def _pick(rng: random.Random, words: Sequence[str]) -> str:
    return words[int(rng.random() * len(words))]


def _root(rng: random.Random) -> str:
    return _pick(rng, _HEAD) + (_pick(rng, _MID) if rng.random() < 0.5 else "")


def _place(rng: random.Random) -> str:
    return _root(rng) + _pick(rng, _PLACE)


def _company(rng: random.Random) -> str:
    name = _root(rng) + _pick(rng, _FIRM)
    draw = rng.random()
    return (
        f"{name} {_pick(rng, _TAIL)}"
        if draw < 0.45
        else f"{_pick(rng, _LAST)} {_pick(rng, _TAIL)}"
        if draw < 0.6
        else name
    )


def _person(rng: random.Random) -> str:
    draw = rng.random()
    if draw < 0.2:
        return _pick(rng, _FIRST)
    if draw < 0.32:
        return f"{_pick(rng, ('Dr', 'Ms', 'Mr', 'Professor'))} {_pick(rng, _LAST)}"
    return f"{_pick(rng, _FIRST)} {_pick(rng, _LAST)}"


def _full(rng: random.Random) -> str:
    return f"{_pick(rng, _FIRST)} {_pick(rng, _LAST)}"


def _product(rng: random.Random) -> str:
    draw = rng.random()
    if draw < 0.4:
        return f"{_pick(rng, _THING)} {rng.choice((2, 3, 5, 7, 10, 20, 40, 100, 300, 500))}"
    if draw < 0.6:
        return f"{_pick(rng, _THING)} {_pick(rng, ('Pro', 'Lite', 'Max', 'Air', 'Mini', 'Plus'))}"
    return _pick(rng, _THING)


def _code(rng: random.Random) -> str:
    return "".join(rng.choice("ABCDEFGHKLMNPRSTVW") for _ in range(3)) + str(rng.randint(1, 19))


def _estate(rng: random.Random) -> str:
    kinds = ("warehouse", "vineyard", "mill", "brickworks", "shipyard", "quarry", "hotel", "bakery", "print shop")
    return f"the {_pick(rng, _ROOT)} {_pick(rng, kinds)}"


def _goods(rng: random.Random) -> str:
    what = (
        "office chairs",
        "steel pipes",
        "solar panels",
        "coffee cups",
        "laptops",
        "bicycles",
        "floor tiles",
        "printers",
    )
    return f"the {rng.choice((40, 60, 75, 120, 150, 200, 300, 450, 800))} {_pick(rng, what)}"


def _message(rng: random.Random) -> str:
    what = ("contract draft", "budget sheet", "floor plan", "test report", "press release", "invoice", "travel form")
    also = ("", "revised ", "signed ", "first ", "final ")
    return f"the {_pick(rng, also)}{_pick(rng, what)}"


def _work(rng: random.Random) -> str:
    kinds = ("novel", "opera", "bridge", "library", "chapel", "sonata", "mural", "museum", "play", "stadium")
    return f"the {_pick(rng, _ROOT)} {_pick(rng, kinds)}"


def _course(rng: random.Random) -> str:
    what = "Algebra,Botany,Spanish,Statistics,Ethics,Drawing,Geology,Latin,Robotics,Acoustics,Logic,Pottery,Economics"
    return f"{_pick(rng, what.split(','))} {rng.choice((101, 102, 201, 210, 305))}"


def _item(*words: str) -> Callable[[random.Random], str]:
    return lambda rng: _pick(rng, words)


def _numbered(*stems: str, low: int = 1, high: int = 60) -> Callable[[random.Random], str]:
    return lambda rng: f"{_pick(rng, stems)}{rng.randint(low, high)}"


_COLOUR = "red blue green white black yellow grey orange silver brown".split()
_PATHS = "search orders users export files events reports login invoices webhooks images".split()
_BRANCHES = "Retail Energy Marine Health Leasing Paper Foods Optics Travel Plastics".split()
_MAKERS: dict[str, tuple[Callable[[random.Random], str], str]] = {
    "person": (_person, "person"),
    "company": (_company, "company"),
    "place": (_place, "town"),
    "country": (_item(*_LAND), "country"),
    "team": (lambda rng: f"{_place(rng)} {_pick(rng, ('United', 'Rovers', 'City', 'Athletic', 'Wanderers'))}", "team"),
    "player": (_full, "player"),
    "product": (_product, "product"),
    "protein": (_code, "protein"),
    "animal": (_item(*_BEAST), "animal"),
    "estate": (_estate, "property"),
    "goods": (_goods, "lot"),
    "message": (_message, "document"),
    "work": (_work, "work"),
    "course": (_course, "course"),
    "cause": (_item(*_CAUSES), "event"),
    "ship": (lambda rng: f"the {_pick(rng, _THING)}", "ship"),
    "car": (
        lambda rng: f"the {_pick(rng, _COLOUR)} {_pick(rng, ('van', 'truck', 'taxi', 'lorry', 'bus', 'tractor'))}",
        "vehicle",
    ),
    "module": (
        lambda rng: f"{_pick(rng, _THING).lower()}-{_pick(rng, ('core', 'auth', 'api', 'queue', 'cache', 'ui'))}",
        "module",
    ),
}
_LOOSE = {"the", "dr", "ms", "mr", "professor", "room", "of", "and"}


def _words(name: str) -> set[str]:
    return {w for w in re.findall(r"\w+", name.lower()) if w not in _LOOSE}


def _several(
    rng: random.Random, make: Callable[[random.Random], str], count: int, taken: Sequence[str] = ()
) -> list[str]:
    """Names of which no two share a word, nor one with those taken."""
    seen: set[str] = set()
    for name in taken:
        seen |= _words(name)
    found: list[str] = []
    for _ in range(60 * count):
        name = make(rng)
        words = _words(name)
        if not words & seen:
            seen |= words
            found.append(name)
            if len(found) == count:
                return found
    raise _Skip


def _loosely(
    rng: random.Random, make: Callable[[random.Random], str], count: int, taken: Sequence[str] = ()
) -> list[str]:
    """Names that differ, though they may share words (room 12 and room 14)."""
    found: list[str] = []
    for _ in range(60 * count):
        name = make(rng)
        if not any(name in other or other in name for other in (*found, *taken)):
            found.append(name)
            if len(found) == count:
                return found
    raise _Skip


# ---------------------------------------------------------------- values

ValueMaker = Callable[[random.Random, int], Val]


def _money(low: int, high: int, step: int = 1, cents: bool = False) -> ValueMaker:
    def make(rng: random.Random, style: int) -> Val:
        amount = rng.randrange(low, high + 1, step)
        sign, word = (("$", "dollars"), ("€", "euros"), ("£", "pounds"))[style % 3]
        if cents and style % 2:
            part = rng.choice((0, 50, 90, 99, 25))
            return Val(amount + part / 100, f"{sign}{amount}.{part:02d}")
        if amount >= 1_000_000 and amount % 100_000 == 0:
            short = f"{amount / 1e6:g} million"
            return Val(amount, f"{sign}{short}", (f"{sign}{amount:,}", f"{short} {word}"))
        return Val(amount, f"{sign}{amount:,}", (f"{amount:,} {word}",))

    return make


def _amount(unit: str, low: int, high: int, step: int = 1, tenths: bool = False) -> ValueMaker:
    def make(rng: random.Random, style: int) -> Val:
        n = rng.randrange(low, high + 1, step)
        if tenths:
            value = n + rng.randint(0, 9) / 10
            return Val(value, f"{value:.1f}{unit}")
        alts = (f"{n}{unit}",) if n >= 1000 else ()
        return Val(n, f"{n:,}{unit}", alts)

    return make


def _day(low: int = 2012, high: int = 2025) -> ValueMaker:
    def make(rng: random.Random, style: int) -> Val:
        day = datetime.date(rng.randint(low, high), rng.randint(1, 12), rng.randint(1, 28))
        month = _MONTHS[day.month - 1]
        forms = [f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", day.isoformat()]
        first = forms.pop(style % 3)
        return Val(day.toordinal(), first, tuple(forms))

    return make


def _clock(low: int = 6, high: int = 22) -> ValueMaker:
    def make(rng: random.Random, style: int) -> Val:
        hour, minute = rng.randint(low, high), rng.choice((0, 5, 10, 15, 20, 30, 40, 45, 50, 55))
        day = f"{hour:02d}:{minute:02d}"
        half = f"{(hour - 1) % 12 + 1}:{minute:02d} {'am' if hour < 12 else 'pm'}"
        return Val(hour * 60 + minute, *((day, (half,)) if style % 2 else (half, (day,))))

    return make


def _year(low: int = 1920, high: int = 2024) -> ValueMaker:
    def make(rng: random.Random, style: int) -> Val:
        n = rng.randint(low, high)
        return Val(n, str(n))

    return make


def _named(make_name: Callable[[random.Random], str]) -> ValueMaker:
    return lambda rng, style: Val(0.0, make_name(rng))


# what may stand at the end of an event: how it is said, its column, the values, the kind of error
_EXTRAS: dict[str, tuple[str, str, ValueMaker, str]] = {
    "date": (" on {v}", "Date", lambda rng, style: _day()(rng, style % 2), "date"),
    "year": (" in {v}", "Year", _year(1950), "date"),
    "sum": (" for {v}", "Price", _money(2_000_000, 90_000_000, 100_000), "number"),
    "price": (" for {v}", "Price", _money(300, 9800, 50), "number"),
    "place": (" in {v}", "Place", _named(_place), "name"),
    "clock": (" at {v}", "Time", _clock(), "date"),
    "score": (" by {v}", "Margin", _amount(" points", 2, 40), "number"),
    "area": (
        " in {v}",
        "Tissue",
        _named(_item("the liver", "muscle", "the kidney", "the retina", "the heart", "the skin")),
        "name",
    ),
}

# ---------------------------------------------------------------- relations


@dataclass(frozen=True)
class Rel:
    """One relation between {a} and {b} (over {t}), in wordings that all say the same."""

    title: str
    cols: tuple[str, ...]
    a: str
    b: str
    t: str
    forms: tuple[str, ...]
    ask_a: tuple[str, ...]
    ask_b: tuple[str, ...]
    ask_t: tuple[str, ...] = ()
    yes: tuple[tuple[str, str, str], ...] = ()  # question, its subject, its auxiliary
    extras: tuple[str, ...] = ()
    sole: bool = True  # a {b} has one {a} only, so that another one is wrong
    single: bool = False  # and an {a} one {b} only
    kind: str = "role"


def _inflect(spec: str) -> tuple[str, str, str, str]:
    """Base, past, participle, third person of "buy:bought:bought" or of a regular verb; _ stands for a blank."""
    base, *rest = spec.replace("_", " ").split(":")
    head, *particle = base.split(" ")
    tail = "".join(f" {p}" for p in particle)
    if rest:
        past, part = rest[0], rest[-1]
    else:
        stem = head + "d" if head.endswith("e") else head[:-1] + "ied" if re.search("[^aeiou]y$", head) else head + "ed"
        past = part = stem + tail
    third = (
        head[:-1] + "ies"
        if re.search("[^aeiou]y$", head)
        else head + ("es" if re.search("(s|sh|ch|x|o)$", head) else "s")
    )
    return base, past, part, third + tail


def _verbs(
    title: str,
    a: str,
    b: str,
    cols: str,
    verbs: str,
    *,
    extras: str = "",
    sole: bool = True,
    single: bool = False,
    present: bool = False,
    more: str = "",
    kind: str = "role",
) -> tuple[Rel, ...]:
    if "/" in verbs:  # sets of verbs that do not mean the same: each on its own, with columns that say which
        first, *others = verbs.split("/")
        sets: list[Rel] = []
        for chosen in (first, *others):
            part = _inflect(chosen.split()[0])[2]
            heads = f"{part.capitalize()} by,{_MAKERS[b][1].capitalize()} {part}"
            sets += _verbs(
                title,
                a,
                b,
                heads,
                chosen,
                extras=extras,
                sole=sole,
                single=single,
                present=present,
                more=more if chosen is first else "",
                kind=kind,
            )
        return tuple(sets)
    forms: list[str] = []
    ask_a: list[str] = []
    ask_b: list[str] = []
    yes: list[tuple[str, str, str]] = []
    human_a, human_b = a in {"person", "player"}, b in {"person", "player"}
    noun_a, noun_b = _MAKERS[a][1], _MAKERS[b][1]
    that_a = "who" if human_a else "that"
    be, do = ("is", "does") if present else ("was", "did")
    for spec in verbs.split():
        base, past, part, third = _inflect(spec)
        fin = third if present else past
        forms += [
            f"{{a}} {fin} {{b}}{{x}}",
            f"{{a}} {fin} {{b}}{{x}}",
            f"{{b}} {be} {part} by {{a}}{{x}}",
            f"{{b}} {be} {part} by {{a}}{{x}}",
            f"it {be} {{a}} {that_a} {fin} {{b}}{{x}}",
            f"it {be} {{b}} that {be} {part} by {{a}}{{x}}",
            f"the {noun_a} {that_a} {fin} {{b}}{{x}} {be} {{a}}",
            f"{{b}} {be} the {noun_b} that {{a}} {fin}{{x}}",
        ]
        if a == b:
            forms.append(f"{{a}} {fin} {{b}}{{x}}, not the other way round")
            forms.append(f"{{b}} {be} {part} by {{a}}{{x}}, not the reverse")
        if sole:
            forms.append(f"{{b}} {be} {part} by {{a}}, not by {{c}}{{x}}")
            forms.append(f"it {be} {{a}}, not {{c}}, {that_a} {fin} {{b}}{{x}}")
            forms.append(f"{{a}} rather than {{c}} {fin} {{b}}{{x}}")
        ask_a += [
            f"{'Who' if human_a else f'Which {noun_a}'} {fin} {{b}}?",
            f"By {'whom' if human_a else f'which {noun_a}'} {be} {{b}} {part}?",
        ]
        ask_b += [
            f"{'Who' if human_b else f'Which {noun_b}'} {be} {part} by {{a}}?",
            f"{'Whom' if human_b else f'Which {noun_b}'} {do} {{a}} {base}?",
        ]
        yes += [(f"{do.title()} {{a}} {base} {{b}}?", "a", do), (f"{be.title()} {{b}} {part} by {{a}}?", "b", be)]
        yes.append((f"Is it correct that {{a}} {fin} {{b}}?", "", ""))
        yes.append((f"Is it correct that {{b}} {be} {part} by {{a}}?", "", ""))
    for line in filter(None, more.split("|")):
        forms += [line if not present and re.search(" (is|owes) ", line) else line + "{x}"] * 2
    return (
        Rel(
            title,
            tuple(cols.split(",")),
            a,
            b,
            "",
            tuple(forms),
            tuple(ask_a),
            tuple(ask_b),
            (),
            tuple(yes),
            tuple(extras.split()),
            sole,
            single,
            kind,
        ),
    )


def _three(
    title: str,
    a: str,
    b: str,
    t: str,
    cols: str,
    forms: str,
    ask_a: str,
    ask_b: str,
    ask_t: str,
    yes: str,
    extras: str = "",
) -> Rel:
    """A relation of three: {a} hands {t} to {b}; every {t} changes hands once."""
    lines = [f if "{x}" in f else f + "{x}" for f in forms.split("|")]
    asked: list[tuple[str, str, str]] = []
    for entry in yes.split("|"):
        question, subject, aux = entry.split(";")
        asked.append((question, subject, aux))
    return Rel(
        title,
        tuple(cols.split(",")),
        a,
        b,
        t,
        tuple(lines),
        tuple(ask_a.split("|")),
        tuple(ask_b.split("|")),
        tuple(ask_t.split("|")),
        tuple(asked),
        tuple(extras.split()),
    )


def _state(
    title: str,
    a: str,
    b: str,
    cols: str,
    forms: str,
    ask_a: str,
    ask_b: str,
    yes: str,
    *,
    sole: bool = True,
    single: bool = False,
) -> Rel:
    """A standing relation with its converses."""
    asked: list[tuple[str, str, str]] = []
    for entry in yes.split("|"):
        question, subject, aux = entry.split(";")
        asked.append((question, subject, aux))
    lines = tuple(f + "{x}" for f in forms.split("|"))
    return Rel(
        title,
        tuple(cols.split(",")),
        a,
        b,
        "",
        lines,
        tuple(ask_a.split("|")),
        tuple(ask_b.split("|")),
        (),
        tuple(asked),
        (),
        sole,
        single,
    )


_RELS: tuple[Rel | tuple[Rel, ...], ...] = (
    _verbs(
        "Acquisitions",
        "company",
        "company",
        "Buyer,Target",
        "acquire buy:bought:bought purchase take_over:took_over:taken_over",
        extras="date sum year",
        more="{a} became the owner of {b}|{b} passed into the ownership of {a}|{a} was the buyer of {b}",
    ),
    _verbs(
        "Mergers",
        "company",
        "company",
        "Absorbing company,Absorbed company",
        "absorb swallow_up",
        extras="year date",
        more="{b} was merged into {a}|{b} became part of {a}",
    ),
    _verbs(
        "Takeover bids that failed",
        "company",
        "company",
        "Rejecting company,Rejected bidder",
        "reject rebuff turn_down",
        extras="date place",
        more="the bid by {b} was refused by {a}",
        sole=False,
    ),
    _verbs(
        "Cup results",
        "team",
        "team",
        "Winner,Loser",
        "beat:beat:beaten defeat overcome:overcame:overcome",
        extras="date score place",
        sole=True,
        single=True,
        more="{b} lost to {a}|{a} won against {b}|the win went to {a} over {b}",
    ),
    _verbs(
        "Knockout round",
        "player",
        "player",
        "Winner,Eliminated",
        "eliminate knock_out",
        extras="date place",
        single=True,
        more="{b} went out to {a}|{b} lost the tie against {a}",
    ),
    _verbs(
        "Race notes",
        "player",
        "player",
        "Passing rider,Passed rider",
        "overtake:overtook:overtaken pass",
        extras="clock place",
        sole=False,
        more="{b} fell behind {a}|{a} moved ahead of {b}",
    ),
    _verbs(
        "Court filings",
        "company",
        "company",
        "Plaintiff,Defendant",
        "sue",
        extras="year date place",
        sole=True,
        more=(
            "{a} filed a lawsuit against {b}|{a} brought the case against {b}|in the case between the two, {a} "
            "was the plaintiff and {b} the defendant"
        ),
    ),
    _verbs("Hearing record", "person", "person", "Accuser,Accused", "accuse/denounce", extras="date place"),
    _verbs(
        "Inquiry",
        "person",
        "person",
        "Questioner,Witness",
        "question interview/cross-examine",
        extras="date clock place",
        more="{b} answered the questions of {a}",
    ),
    _verbs(
        "Staff changes",
        "person",
        "person",
        "Successor,Predecessor",
        "replace succeed",
        extras="date year",
        single=True,
        more="{a} took over from {b}|{b} made way for {a}|{b} handed the post over to {a}",
    ),
    _verbs(
        "Hirings",
        "company",
        "person",
        "Employer,New hire",
        "hire recruit take_on:took_on:taken_on",
        extras="date year place",
        more="{b} was given a job by {a}|{b} joined the staff of {a}",
    ),
    _verbs(
        "Dismissals",
        "company",
        "person",
        "Employer,Person dismissed",
        "dismiss fire sack/lay_off:laid_off:laid_off",
        extras="date year",
        more="{b} lost the job at {a}|{b} was let go by {a}",
    ),
    _verbs(
        "Appointments",
        "person",
        "person",
        "Appointed by,Appointee",
        "appoint/nominate/choose:chose:chosen",
        extras="date year",
        more="{b} owes the post to the decision of {a}",
    ),
    _verbs(
        "Promotions",
        "person",
        "person",
        "Promoted by,Promoted",
        "promote",
        extras="date year",
        more="the promotion of {b} was the decision of {a}",
    ),
    _verbs(
        "Training scheme",
        "person",
        "person",
        "Trainer,Trainee",
        "teach:taught:taught/train/coach/mentor/tutor/instruct",
        extras="year place",
        more="{b} was a pupil of {a}",
    ),
    _verbs(
        "Ward round",
        "person",
        "person",
        "Clinician,Patient",
        "treat/examine/operate_on/vaccinate",
        extras="date clock",
        more="{b} was a patient of {a}",
    ),
    _verbs(
        "Rescue log",
        "person",
        "person",
        "Rescuer,Rescued",
        "rescue save",
        extras="date clock place",
        more="{b} owes the rescue to {a}",
    ),
    _verbs("Police notes", "person", "person", "Officer,Detained", "arrest/detain/search", extras="date clock place"),
    _verbs(
        "Reception",
        "person",
        "person",
        "Host,Guest",
        "host/welcome greet/receive/invite",
        extras="date place",
        more="{b} was a guest of {a}|{a} was the host of {b}",
    ),
    _verbs(
        "Calls",
        "person",
        "person",
        "Caller,Called",
        "phone call ring:rang:rung",
        extras="clock date",
        more="{b} got a call from {a}|the caller was {a} and the person called was {b}",
    ),
    _verbs(
        "Incident: collisions",
        "car",
        "car",
        "Striking vehicle,Struck vehicle",
        "hit:hit:hit strike:struck:struck/ram:rammed:rammed/scrape",
        extras="clock place",
        more="{a} ran into {b}",
    ),
    _verbs(
        "Convoy log",
        "ship",
        "ship",
        "Towing ship,Towed ship",
        "tow/pull/escort/follow",
        extras="date clock",
        more="{b} was on the towline of {a}",
    ),
    _verbs(
        "Naval history",
        "ship",
        "ship",
        "Attacker,Sunk",
        "sink:sank:sunk/torpedo:torpedoed:torpedoed/shell",
        extras="year date",
        more="{b} went down after an attack by {a}",
    ),
    _verbs(
        "Creators",
        "person",
        "work",
        "Author,Work",
        "create/design",
        extras="year place",
        more="{b} is the work of {a}|{a} is the creator of {b}",
    ),
    _verbs(
        "Donors",
        "company",
        "work",
        "Donor,Work",
        "fund finance/sponsor/pay_for:paid_for:paid_for",
        extras="year",
        more="{b} owes its funding to {a}",
    ),
    _verbs(
        "Patents",
        "person",
        "product",
        "Inventor,Product",
        "invent devise/develop/patent",
        extras="year place",
        more="{b} is an invention of {a}|{a} is the inventor of {b}",
    ),
    _verbs(
        "Founders",
        "person",
        "company",
        "Founder,Company",
        "found establish set_up:set_up:set_up start",
        extras="year place",
        more="{a} is the founder of {b}",
    ),
    _verbs(
        "Manufacturing",
        "company",
        "product",
        "Maker,Product",
        "make:made:made manufacture/build:built:built/assemble",
        extras="year place",
        more="{a} is the maker of {b}",
    ),
    _verbs(
        "Colonial history",
        "country",
        "place",
        "Power,Town",
        "capture seize/occupy/conquer/besiege",
        extras="year",
        more="{b} fell to {a}",
    ),
    _verbs(
        "Recognition",
        "country",
        "country",
        "Recognising state,Recognised state",
        "recognise",
        extras="year date",
        more="{b} obtained recognition from {a}",
        sole=False,
    ),
    _verbs(
        "Border talks",
        "country",
        "country",
        "Host,Visitor",
        "host",
        extras="date year",
        more="{b} was a guest of {a} at the talks|{a} was the host and {b} the guest at the talks",
    ),
    _verbs(
        "Trade measures",
        "country",
        "country",
        "Imposing state,Affected state",
        "sanction/penalise",
        extras="year date",
        sole=False,
        more="{a} imposed sanctions on {b}|{b} came under sanctions from {a}",
    ),
    _verbs(
        "Signalling pathway",
        "protein",
        "protein",
        "Regulator,Target",
        "inhibit/block/suppress",
        extras="area",
        present=True,
        sole=False,
        more="{a} is an inhibitor of {b}",
    ),
    _verbs(
        "Activation map",
        "protein",
        "protein",
        "Activator,Target",
        "activate switch_on",
        extras="area",
        present=True,
        sole=False,
        more="{a} is an activator of {b}",
    ),
    _verbs(
        "Enzyme notes",
        "protein",
        "protein",
        "Enzyme,Substrate",
        "cleave cut:cut:cut/phosphorylate/degrade/bind:bound:bound/stabilise",
        extras="area",
        present=True,
        sole=False,
        more="{b} is a substrate of {a}",
    ),
    _verbs(
        "Food web",
        "animal",
        "animal",
        "Predator,Prey",
        "prey_on/eat:ate:eaten/hunt",
        present=True,
        sole=False,
        more="{b} is the prey of {a}|{b} serves as food for {a}",
    ),
    _verbs(
        "Code dependencies",
        "module",
        "module",
        "Caller,Callee",
        "import/invoke/load/wrap:wrapped:wrapped/configure",
        present=True,
        sole=False,
        more="{a} depends on {b}|{b} is a dependency of {a}",
    ),
    _verbs(
        "Reviews",
        "person",
        "person",
        "Reviewer,Author reviewed",
        "criticise/censure/mock",
        extras="year date",
        more="{b} drew criticism from {a}",
        sole=False,
    ),
    _verbs(
        "Mail bag",
        "person",
        "person",
        "Praising,Praised",
        "praise/commend/thank",
        extras="date",
        more="{b} received kind words from {a}",
        sole=False,
    ),
    _verbs(
        "Elections",
        "player",
        "player",
        "Elected,Defeated candidate",
        "defeat/outpoll",
        extras="year place",
        single=True,
        more="{b} lost the seat to {a}|{a} won the seat against {b}",
    ),
    _verbs(
        "Chess round",
        "player",
        "player",
        "Winner,Loser",
        "beat:beat:beaten/checkmate/outplay",
        extras="date place",
        single=True,
        more="{b} lost to {a}|{a} won against {b}",
    ),
    _verbs(
        "Adoptions",
        "person",
        "person",
        "Brought up by,Child",
        "bring_up:brought_up:brought_up raise/adopt/foster",
        extras="year place",
        more="{b} grew up in the care of {a}",
    ),
    _verbs(
        "Causes found",
        "cause",
        "cause",
        "Cause,Effect",
        "cause trigger bring_about:brought_about:brought_about",
        kind="cause",
        single=True,
        more=(
            "{b} resulted from {a}|{a} led to {b}|{b} was a consequence of {a}|the reason for {b} was {a}|{a} "
            "resulted in {b}"
        ),
    ),
    _verbs(
        "Supervision",
        "person",
        "person",
        "Supervisor,Supervised",
        "supervise oversee:oversaw:overseen/direct",
        extras="year place",
        more="{b} worked under {a}|{b} reported to {a}",
    ),
    _verbs(
        "Shadow cabinet",
        "person",
        "person",
        "Sacked by,Sacked",
        "remove/demote/expel:expelled:expelled/suspend",
        extras="date year",
        more="{b} was forced out by {a}",
    ),
    _verbs(
        "Diary",
        "person",
        "person",
        "By,Of",
        "visit/photograph/sketch/insult/forgive:forgave:forgiven/betray:betrayed:betrayed/imitate/reprimand/"
        "bribe/blackmail/defend/represent/flatter/warn/deceive/wake:woke:woken",
        extras="date place year",
        sole=False,
    ),
    _verbs(
        "Business relations",
        "company",
        "company",
        "By,Of",
        "audit/advise/insure/inspect/outbid:outbid:outbid/represent/undercut:undercut:undercut",
        extras="year date",
        sole=False,
    ),
    _three(
        "Sales",
        "person",
        "person",
        "estate",
        "Seller,Buyer,Property",
        "{a} sold {t} to {b}|{b} bought {t} from {a}|{t} was sold by {a} to {b}|"
        "{t} was bought by {b} from {a}|{t} passed from {a} to {b} in a sale|"
        "{b} was the buyer and {a} the seller of {t}|the seller of {t} was {a} and the buyer {b}",
        "Who sold {t}?|Who was the seller of {t}?|From whom did {b} buy {t}?",
        "Who bought {t}?|To whom did {a} sell {t}?|Who was the buyer of {t}?",
        "What did {a} sell to {b}?|What did {b} buy from {a}?",
        "Did {a} sell {t} to {b}?;a;did|Did {b} buy {t} from {a}?;b;did|Was {t} sold to {b} by {a}?;t;was",
        "date sum",
    ),
    _three(
        "Wholesale orders",
        "company",
        "company",
        "goods",
        "Supplier,Customer,Goods",
        "{a} supplied {t} to {b}|{b} ordered {t} from {a}|{b} received {t} from {a}|"
        "{t} were delivered to {b} by {a}|{a} delivered {t} to {b}|{t} went from {a} to {b}",
        "Which company supplied {t}?|Who delivered {t}?|From which company did {b} receive {t}?",
        "Which company received {t}?|To which company were {t} delivered?",
        "What did {a} deliver to {b}?|What did {b} receive from {a}?",
        "Did {a} deliver {t} to {b}?;a;did|Did {b} receive {t} from {a}?;b;did|Were {t} delivered to {b} by "
        "{a}?;t;were",
        "date clock price",
    ),
    _three(
        "Documents sent",
        "person",
        "person",
        "message",
        "From,To,Document",
        "{a} sent {t} to {b}|{b} received {t} from {a}|{t} was sent to {b} by {a}|{t} came to {b} from {a}|"
        "{a} forwarded {t} to {b}|{b} got {t} from {a}|the sender of {t} was {a} and its recipient {b}",
        "Who sent {t}?|From whom did {b} get {t}?|Who was the sender of {t}?",
        "Who received {t}?|To whom did {a} send {t}?|Who was the recipient of {t}?",
        "What did {a} send to {b}?|What did {b} get from {a}?",
        "Did {a} send {t} to {b}?;a;did|Did {b} get {t} from {a}?;b;did|Was {t} sent by {a} to {b}?;t;was",
        "date clock",
    ),
    _three(
        "Loans of equipment",
        "person",
        "person",
        "car",
        "Lender,Borrower,Vehicle",
        "{a} lent {t} to {b}|{b} borrowed {t} from {a}|{t} was lent by {a} to {b}|"
        "{t} was borrowed by {b} from {a}|{b} had {t} on loan from {a}|"
        "{a} was the lender and {b} the borrower of {t}",
        "Who lent {t}?|From whom was {t} borrowed?|Who was the lender of {t}?",
        "Who borrowed {t}?|To whom was {t} lent?|Who was the borrower of {t}?",
        "What did {a} lend to {b}?|What did {b} borrow from {a}?",
        "Did {a} lend {t} to {b}?;a;did|Did {b} borrow {t} from {a}?;b;did|Was {t} lent to {b} by {a}?;t;was",
        "date clock",
    ),
    _three(
        "Leases",
        "company",
        "company",
        "estate",
        "Landlord,Tenant,Property",
        "{a} lets {t} to {b}|{b} rents {t} from {a}|{t} is rented out by {a} to {b}|"
        "for {t}, {b} pays rent to {a}|{a} is the landlord of {b} at {t}|{b} is the tenant of {a} at {t}",
        "Which company is the landlord at {t}?|Who lets {t} to {b}?",
        "Which company is the tenant at {t}?|Who rents {t} from {a}?",
        "What does {b} rent from {a}?|What does {a} let to {b}?",
        "Does {a} let {t} to {b}?;a;does|Does {b} rent {t} from {a}?;b;does|Is {t} rented out to {b} by {a}?;t;is",
    ),
    _three(
        "Transfers of works",
        "place",
        "place",
        "work",
        "Origin,Destination,Work",
        "the model of {t} was moved from {a} to {b}|{b} took in the model of {t} from {a}|"
        "the model of {t} left {a} for {b}|{a} gave up the model of {t} to {b}|"
        "the model of {t} reached {b} from {a}",
        "From which town was the model of {t} moved?|Which town gave up the model of {t}?",
        "To which town was the model of {t} moved?|Which town took in the model of {t}?",
        "Which model went from {a} to {b}?",
        "Was the model of {t} moved from {a} to {b}?;;|Did {b} take in the model of {t} from {a}?;b;did|Did {a} "
        "give up the model of {t} to {b}?;a;did",
        "date year",
    ),
    _three(
        "Debts",
        "company",
        "company",
        "goods",
        "Creditor,Debtor,Goods",
        "{b} owes {a} the money for {t}|{a} is owed the money for {t} by {b}|for {t}, {b} is in debt to {a}|"
        "for {t}, {a} is the creditor and {b} the debtor|the money for {t} is due from {b} to {a}",
        "To whom is the money for {t} owed?|Which company is the creditor for {t}?",
        "Who owes the money for {t}?|Which company is the debtor for {t}?",
        "For what does {b} owe money to {a}?",
        "Does {b} owe {a} the money for {t}?;b;does|Is {a} owed the money for {t} by {b}?;a;is|Is the money for "
        "{t} due from {b} to {a}?;;",
    ),
    _three(
        "Teaching plan",
        "person",
        "person",
        "course",
        "Teacher,Assistant,Course",
        "{a} teaches {t} with {b} as assistant|{t} is taught by {a}, assisted by {b}|{b} assists {a} in {t}|"
        "in {t}, {a} is the teacher and {b} the assistant|in {t}, {a} has the help of {b} as assistant",
        "Who teaches {t}?|Whom does {b} assist in {t}?",
        "Who is the assistant in {t}?|Who assists {a} in {t}?",
        "In which course does {b} assist {a}?",
        "Does {a} teach {t} with {b} as assistant?;a;does|Does {b} assist {a} in {t}?;b;does|Is {t} taught by "
        "{a}, with {b} as assistant?;t;is",
    ),
    _state(
        "Group structure",
        "company",
        "company",
        "Parent company,Subsidiary",
        "{a} is the parent company of {b}|{b} is a subsidiary of {a}|{b} belongs to {a}|{a} owns {b}|"
        "{b} is owned by {a}|{b} is part of the group headed by {a}",
        "Which company owns {b}?|What is the parent company of {b}?",
        "Which company is a subsidiary of {a}?|Which company does {a} own?",
        "Does {a} own {b}?;a;does|Is {b} a subsidiary of {a}?;b;is|Is {a} a subsidiary of {b}?;!;",
    ),
    _state(
        "Reporting lines",
        "person",
        "person",
        "Manager,Employee",
        "{b} reports to {a}|{a} manages {b}|{a} is the line manager of {b}|{b} is managed by {a}|"
        "{b} has {a} as line manager|{a} is the boss of {b}",
        "Who manages {b}?|To whom does {b} report?|Who is the boss of {b}?",
        "Who reports to {a}?|Whom does {a} manage?",
        "Does {b} report to {a}?;b;does|Does {a} manage {b}?;a;does|Does {a} report to {b}?;!;",
    ),
    _state(
        "Family tree",
        "person",
        "person",
        "Parent,Child",
        "{a} is a parent of {b}|{b} is a child of {a}|{b} is one of the children of {a}|"
        "{a} has a child named {b}|{b} has {a} as a parent",
        "Who is a parent of {b}?|Whose child is {b}?",
        "Who is a child of {a}?",
        "Is {a} a parent of {b}?;a;is|Is {b} a child of {a}?;b;is|Is {a} a child of {b}?;!;",
        sole=False,
    ),
    _state(
        "Village register",
        "person",
        "person",
        "Uncle or aunt,Nephew or niece",
        "{b} is a nephew or niece of {a}|{a} is an uncle or aunt of {b}|{a} belongs to the generation before "
        "{b}, as uncle or aunt",
        "Who is an uncle or aunt of {b}?",
        "Who is a nephew or niece of {a}?",
        "Is {a} an uncle or aunt of {b}?;a;is|Is {b} a nephew or niece of {a}?;b;is|Is {a} a nephew or niece of "
        "{b}?;!;",
        sole=False,
    ),
    _state(
        "Route notes",
        "place",
        "place",
        "Northern town,Southern town",
        "{a} lies north of {b}|{b} lies south of {a}|{a} is further north than {b}|{b} is to the south of {a}|"
        "from {b}, one drives north to reach {a}",
        "Which town lies north of {b}?",
        "Which town lies south of {a}?",
        "Does {a} lie north of {b}?;a;does|Is {b} to the south of {a}?;b;is|Is {b} further north than {a}?;!;",
        sole=False,
    ),
    _state(
        "River survey",
        "place",
        "place",
        "Upstream town,Downstream town",
        "{a} lies upstream of {b}|{b} lies downstream of {a}|the river passes {a} before it reaches {b}|"
        "the river reaches {b} after {a}|a boat drifting with the current passes {a} first and {b} later",
        "Which town lies upstream of {b}?",
        "Which town lies downstream of {a}?",
        "Does {a} lie upstream of {b}?;a;does|Does {b} lie downstream of {a}?;b;does|Is {b} upstream of {a}?;!;",
        sole=False,
    ),
    _state(
        "Heights compared",
        "player",
        "player",
        "Taller,Shorter",
        "{a} is taller than {b}|{b} is shorter than {a}|{b} is not as tall as {a}|"
        "of the two, {a} is the taller and {b} the shorter",
        "Who is taller than {b}?",
        "Who is shorter than {a}?",
        "Is {a} taller than {b}?;a;is|Is {b} shorter than {a}?;b;is|Is {b} taller than {a}?;!;",
        sole=False,
    ),
    _state(
        "Ages compared",
        "person",
        "person",
        "Older,Younger",
        "{a} is older than {b}|{b} is younger than {a}|{a} was born before {b}|{b} was born after {a}|"
        "{b} is not as old as {a}",
        "Who is older than {b}?",
        "Who is younger than {a}?",
        "Is {a} older than {b}?;a;is|Was {b} born after {a}?;b;was|Is {a} younger than {b}?;!;",
        sole=False,
    ),
    _state(
        "Product succession",
        "product",
        "product",
        "Earlier product,Later product",
        "{a} is the predecessor of {b}|{b} is the successor of {a}|{b} came after {a}|{a} came before {b}|"
        "{b} followed {a} in the range|{a} was followed by {b} in the range",
        "Which product came before {b}?|What is the predecessor of {b}?",
        "Which product came after {a}?|What is the successor of {a}?",
        "Did {a} come before {b}?;a;did|Is {b} the successor of {a}?;b;is|Is {a} the successor of {b}?;!;",
        single=True,
    ),
    _state(
        "Release order of modules",
        "module",
        "module",
        "Starts first,Starts later",
        "{a} starts before {b}|{b} starts after {a}|{b} waits until {a} has started|"
        "{a} has to be up before {b} starts|{b} is started later than {a}",
        "Which module starts before {b}?|On which module does {b} wait?",
        "Which module starts after {a}?|Which module waits for {a}?",
        "Does {a} start before {b}?;a;does|Does {b} wait for {a}?;b;does|Does {a} wait for {b}?;!;",
        sole=False,
    ),
)


# ---------------------------------------------------------------- records


@dataclass(frozen=True)
class Attr:
    """A column with ordered or named values."""

    col: str
    make: ValueMaker
    says: tuple[str, ...]
    ask: tuple[str, ...]
    back: tuple[str, ...] = ()  # the item told by its value
    up: tuple[str, ...] = ()  # {i} has more of it than {j}
    down: tuple[str, ...] = ()
    top: tuple[str, ...] = ()  # a verb phrase that holds for the item with the most
    low: tuple[str, ...] = ()
    kind: str = "number"


@dataclass(frozen=True)
class Cell:
    """One value of a state: how it is written, said, denied, said of several, asked."""

    cell: str
    says: tuple[str, ...]
    denies: tuple[str, ...]
    many: str
    asks: tuple[str, str]  # question, auxiliary


@dataclass(frozen=True)
class State:
    col: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Fam:
    title: str
    noun: str
    plural: str
    item: Callable[[random.Random], str]
    attrs: tuple[Attr, ...]
    states: tuple[State, ...] = ()
    strict: bool = True  # names share no word


def _attr(
    col: str,
    make: ValueMaker,
    says: str,
    ask: str,
    back: str = "",
    up: str = "",
    down: str = "",
    top: str = "",
    low: str = "",
    kind: str = "number",
) -> Attr:
    def cut(part: str) -> tuple[str, ...]:
        return tuple(filter(None, part.split("|")))

    return Attr(col, make, cut(says), cut(ask), cut(back), cut(up), cut(down), cut(top), cut(low), kind)


def _be(col: str, *values: str) -> State:
    """A state said with to be; "cell=phrase" where the two differ."""
    cells = []
    for value in values:
        cell, _, phrase = value.partition("=")
        says = phrase or cell
        cells.append(
            Cell(cell, (f"{{i}} is {says}",), (f"{{i}} is not {says}",), f"are {says}", (f"Is {{i}} {says}?", "is"))
        )
    return State(col, tuple(cells))


def _does(col: str, base: str, third: str, yes: str = "yes", no: str = "no") -> State:
    """A state that an item has or lacks, said with a verb."""
    has = Cell(yes, (f"{{i}} {third}",), (f"{{i}} does not {base}",), base, (f"Does {{i}} {base}?", "does"))
    lacks = Cell(
        no, (f"{{i}} does not {base}",), (f"{{i}} {third}",), f"do not {base}", (f"Does {{i}} {base}?", "!does")
    )
    return State(col, (has, lacks))


def _who(col: str, says: str, ask: str, back: str = "") -> Attr:
    return _attr(col, _named(_full), says, ask, back, kind="name")


_FAMS: tuple[Fam, ...] = (
    Fam(
        "Plans and prices",
        "plan",
        "plans",
        _item(
            "Basic",
            "Starter",
            "Team",
            "Business",
            "Enterprise",
            "Solo",
            "Growth",
            "Studio",
            "Premium",
            "Classroom",
            "Agency",
            "Scale",
        ),
        (
            _attr(
                "Monthly price",
                _money(5, 240, cents=True),
                "{i} costs {v} a month|the monthly price of {i} is {v}|for {i}, customers pay {v} a month",
                "How much does {i} cost a month?|What is the monthly price of {i}?",
                "the plan for {v} a month is {i}",
                "{i} costs more than {j}|{i} is more expensive than {j}",
                "{i} costs less than {j}|{i} is cheaper than {j}",
                "costs the most|is the most expensive",
                "costs the least|is the cheapest",
            ),
            _attr(
                "Storage",
                _amount(" GB", 5, 900, 5),
                "{i} comes with {v} of storage|{i} offers {v} of storage",
                "How much storage does {i} offer?",
                "the plan with {v} of storage is {i}",
                "{i} offers more storage than {j}",
                "{i} offers less storage than {j}",
                "offers the most storage",
                "offers the least storage",
            ),
            _attr(
                "Seats",
                _amount(" seats", 2, 250),
                "{i} includes {v}|{v} are included in {i}",
                "How many seats does {i} include?",
                "the plan with {v} is {i}",
                "{i} has more seats than {j}",
                "{i} has fewer seats than {j}",
                "has the most seats",
                "has the fewest seats",
            ),
        ),
        (
            _does("Single sign-on", "include single sign-on", "includes single sign-on"),
            _does("Phone support", "come with phone support", "comes with phone support"),
        ),
    ),
    Fam(
        "Laptops compared",
        "model",
        "models",
        _product,
        (
            _attr(
                "Weight",
                _amount(" kg", 1, 3, tenths=True),
                "{i} weighs {v}|the weight of {i} is {v}",
                "How much does {i} weigh?",
                "the model that weighs {v} is {i}",
                "{i} is heavier than {j}|{i} weighs more than {j}",
                "{i} is lighter than {j}|{i} weighs less than {j}",
                "is the heaviest",
                "is the lightest",
            ),
            _attr(
                "Battery life",
                _amount(" hours", 5, 26),
                "{i} runs for {v} on one charge|the battery of {i} lasts {v}",
                "How long does the battery of {i} last?",
                "the model whose battery lasts {v} is {i}",
                "the battery of {i} lasts longer than that of {j}",
                "the battery of {i} does not last as long as that of {j}",
                "has the longest battery life",
                "has the shortest battery life",
            ),
            _attr(
                "Memory",
                _amount(" GB", 4, 128, 4),
                "{i} has {v} of memory|{v} of memory are built into {i}",
                "How much memory does {i} have?",
                "the model with {v} of memory is {i}",
                "{i} has more memory than {j}",
                "{i} has less memory than {j}",
                "has the most memory",
                "has the least memory",
            ),
            _attr(
                "Price",
                _money(450, 3200, 10),
                "{i} sells for {v}|the price of {i} is {v}",
                "What does {i} sell for?",
                "the model sold for {v} is {i}",
                "{i} is dearer than {j}",
                "{i} is cheaper than {j}",
                "is the most expensive",
                "is the cheapest",
            ),
        ),
        (
            _does("Touchscreen", "have a touchscreen", "has a touchscreen"),
            _be("Availability", "in stock", "sold out", "discontinued"),
        ),
    ),
    Fam(
        "Timetable",
        "train",
        "trains",
        _numbered("train ", high=980, low=100),
        (
            _attr(
                "Departure",
                _clock(5, 21),
                "{i} leaves at {v}|the departure of {i} is at {v}",
                "When does {i} leave?|At what time does {i} depart?",
                "the train that leaves at {v} is {i}",
                "{i} leaves later than {j}|{i} leaves after {j}",
                "{i} leaves earlier than {j}|{i} leaves before {j}",
                "leaves last|leaves latest",
                "leaves first|leaves earliest",
                "date",
            ),
            _attr(
                "Destination",
                _named(_place),
                "{i} goes to {v}|{i} runs to {v}|the destination of {i} is {v}",
                "Where does {i} go?|What is the destination of {i}?",
                "the train to {v} is {i}",
                kind="name",
            ),
            _attr(
                "Platform",
                _amount("", 1, 24),
                "{i} departs from platform {v}|platform {v} is used by {i}",
                "From which platform does {i} depart?",
                "the train on platform {v} is {i}",
            ),
        ),
        (_be("Status", "on time", "delayed", "cancelled"),),
        False,
    ),
    Fam(
        "Room bookings",
        "room",
        "rooms",
        _numbered("room ", "hall ", "studio ", high=48),
        (
            _who(
                "Booked by",
                "{i} is booked by {v}|{v} has booked {i}|the booking of {i} is in the name of {v}",
                "Who has booked {i}?|By whom is {i} booked?",
                "the room that {v} has booked is {i}",
            ),
            _attr(
                "From",
                _clock(8, 18),
                "the booking of {i} starts at {v}|{i} is taken from {v}",
                "From what time is {i} taken?",
                "the room taken from {v} is {i}",
                "the booking of {i} starts later than that of {j}",
                "the booking of {i} starts earlier than that of {j}",
                "is booked latest in the day",
                "is booked earliest in the day",
                "date",
            ),
            _attr(
                "Capacity",
                _amount(" people", 4, 220, 2),
                "{i} holds {v}|there is space for {v} in {i}",
                "How many people does {i} hold?",
                "the room for {v} is {i}",
                "{i} holds more people than {j}",
                "{i} holds fewer people than {j}",
                "holds the most people",
                "holds the fewest people",
            ),
        ),
        (
            _does("Projector", "have a projector", "has a projector"),
            _be("Booking", "confirmed", "provisional", "cancelled"),
        ),
        False,
    ),
    Fam(
        "Open tickets",
        "ticket",
        "tickets",
        _numbered("OPS-", "WEB-", "APP-", "INF-", low=100, high=2999),
        (
            _who(
                "Assignee",
                "{i} is assigned to {v}|{v} is working on {i}|the assignee of {i} is {v}",
                "To whom is {i} assigned?|Who is the assignee of {i}?",
                "the ticket assigned to {v} is {i}",
            ),
            _attr(
                "Opened",
                _day(2022),
                "{i} was opened on {v}|{v} is the day on which {i} was opened",
                "When was {i} opened?",
                "the ticket opened on {v} is {i}",
                "{i} was opened later than {j}|{i} was opened after {j}",
                "{i} was opened earlier than {j}|{i} was opened before {j}",
                "is the newest",
                "is the oldest",
                "date",
            ),
            _attr(
                "Estimate",
                _amount(" hours", 2, 60),
                "{i} is estimated at {v}|the estimate for {i} is {v}",
                "What is the estimate for {i}?",
                "the ticket estimated at {v} is {i}",
                "{i} has a higher estimate than {j}",
                "{i} has a lower estimate than {j}",
                "has the highest estimate",
                "has the lowest estimate",
            ),
        ),
        (_be("Status", "open=still open", "blocked", "in review", "resolved"),),
        False,
    ),
    Fam(
        "Trial arms",
        "arm",
        "arms",
        _item(
            "the placebo arm",
            "the low-dose arm",
            "the high-dose arm",
            "the combination arm",
            "the standard-care arm",
            "the weekly arm",
            "the exercise arm",
            "the diet arm",
        ),
        (
            _attr(
                "Participants",
                _amount(" participants", 24, 480),
                "{i} had {v}|{v} were enrolled in {i}",
                "How many participants did {i} have?",
                "the arm with {v} was {i}",
                "{i} had more participants than {j}",
                "{i} had fewer participants than {j}",
                "had the most participants",
                "had the fewest participants",
            ),
            _attr(
                "Response rate",
                _amount("%", 8, 84),
                "{v} of the patients in {i} responded|the response rate in {i} was {v}",
                "What was the response rate in {i}?",
                "the arm with a response rate of {v} was {i}",
                "the response rate was higher in {i} than in {j}",
                "the response rate was lower in {i} than in {j}",
                "had the highest response rate",
                "had the lowest response rate",
            ),
            _attr(
                "Dropouts",
                _amount(" dropouts", 2, 60),
                "there were {v} in {i}|{i} saw {v}",
                "How many dropouts were there in {i}?",
                "the arm with {v} was {i}",
                "{i} saw more dropouts than {j}",
                "{i} saw fewer dropouts than {j}",
                "saw the most dropouts",
                "saw the fewest dropouts",
            ),
        ),
        (),
        False,
    ),
    Fam(
        "Menu",
        "dish",
        "dishes",
        _item(
            "the lentil soup",
            "the walnut tart",
            "the fish pie",
            "the mushroom risotto",
            "the beef stew",
            "the rice pudding",
            "the pea curry",
            "the onion quiche",
            "the prawn noodles",
            "the bean chilli",
        ),
        (
            _attr(
                "Price",
                _money(4, 29, cents=True),
                "{i} costs {v}|the price of {i} is {v}",
                "What does {i} cost?",
                "the dish for {v} is {i}",
                "{i} costs more than {j}",
                "{i} costs less than {j}|{i} is cheaper than {j}",
                "is the most expensive",
                "is the cheapest",
            ),
            _attr(
                "Calories",
                _amount(" calories", 180, 980, 10),
                "{i} has {v}|a portion of {i} comes to {v}",
                "How many calories does {i} have?",
                "the dish with {v} is {i}",
                "{i} has more calories than {j}",
                "{i} has fewer calories than {j}",
                "has the most calories",
                "has the fewest calories",
            ),
        ),
        (
            _does("Gluten", "contain gluten", "contains gluten"),
            _does("Nuts", "contain nuts", "contains nuts"),
        ),
    ),
    Fam(
        "Weather stations",
        "station",
        "stations",
        _place,
        (
            _attr(
                "Temperature",
                _amount(" °C", 2, 39),
                "{i} reported {v}|the temperature at {i} was {v}",
                "What was the temperature at {i}?",
                "the station that reported {v} was {i}",
                "it was warmer at {i} than at {j}",
                "it was colder at {i} than at {j}",
                "was the warmest",
                "was the coldest",
            ),
            _attr(
                "Rainfall",
                _amount(" mm", 1, 88),
                "{v} of rain fell at {i}|{i} measured {v} of rain",
                "How much rain fell at {i}?",
                "the station that measured {v} of rain was {i}",
                "{i} had more rain than {j}",
                "{i} had less rain than {j}",
                "was the wettest",
                "was the driest",
            ),
            _attr(
                "Wind",
                _amount(" km/h", 5, 118),
                "the wind at {i} reached {v}|gusts of {v} were recorded at {i}",
                "What wind speed was reached at {i}?",
                "the station with gusts of {v} was {i}",
                "the wind was stronger at {i} than at {j}",
                "the wind was weaker at {i} than at {j}",
                "was the windiest",
                "was the calmest",
            ),
        ),
        (_be("Sensor", "online", "offline", "under repair"),),
    ),
    Fam(
        "Warehouse stock",
        "article",
        "articles",
        _item(
            "the desk lamp",
            "the garden hose",
            "the steel kettle",
            "the wall clock",
            "the camping stove",
            "the bike pump",
            "the paper shredder",
            "the tool box",
            "the foot rest",
            "the door mat",
        ),
        (
            _attr(
                "Units",
                _amount(" units", 3, 2400),
                "there are {v} of {i} in stock|{i} is stocked with {v}",
                "How many units of {i} are in stock?",
                "the article with {v} in stock is {i}",
                "there are more units of {i} than of {j}",
                "there are fewer units of {i} than of {j}",
                "has the most units in stock",
                "has the fewest units in stock",
            ),
            _attr(
                "Shelf",
                lambda rng, style: Val(0.0, f"{rng.choice('ABCDEF')}{rng.randint(1, 40)}"),
                "{i} is kept on shelf {v}|shelf {v} holds {i}",
                "On which shelf is {i} kept?",
                "the article on shelf {v} is {i}",
                kind="name",
            ),
            _attr(
                "Supplier",
                _named(_company),
                "{i} comes from {v}|{v} supplies {i}|{i} is supplied by {v}",
                "Who supplies {i}?|From which supplier does {i} come?",
                "the article supplied by {v} is {i}",
                kind="name",
            ),
        ),
        (_be("Reorder", "on order", "not needed=well stocked", "discontinued"),),
    ),
    Fam(
        "Election results",
        "candidate",
        "candidates",
        _full,
        (
            _attr(
                "Votes",
                _amount(" votes", 900, 48000),
                "{i} received {v}|{v} went to {i}",
                "How many votes did {i} receive?",
                "the candidate with {v} was {i}",
                "{i} received more votes than {j}|{i} finished ahead of {j} in votes",
                "{i} received fewer votes than {j}|{i} finished behind {j} in votes",
                "received the most votes",
                "received the fewest votes",
            ),
            _attr(
                "District",
                _named(_place),
                "{i} ran in {v}|the district of {i} was {v}",
                "In which district did {i} run?",
                "the candidate in {v} was {i}",
                kind="name",
            ),
            _attr(
                "Party",
                _named(
                    _item(
                        "the Civic Union",
                        "the Green List",
                        "the Labour Front",
                        "the Farmers' League",
                        "the Reform Party",
                        "the Liberal Bloc",
                        "the Harbour Alliance",
                        "the New Centre",
                    )
                ),
                "{i} stood for {v}|{v} fielded {i}|{i} was the candidate of {v}",
                "For which party did {i} stand?",
                "the candidate of {v} was {i}",
                kind="name",
            ),
        ),
    ),
    Fam(
        "Exam grades",
        "student",
        "students",
        _full,
        (
            _attr(
                "Mark",
                _amount("", 41, 99),
                "{i} scored {v} in the exam|the exam mark of {i} was {v}",
                "What mark did {i} get in the exam?",
                "the student with an exam mark of {v} was {i}",
                "{i} scored higher than {j} in the exam",
                "{i} scored lower than {j} in the exam",
                "got the highest exam mark",
                "got the lowest exam mark",
            ),
            _attr(
                "Absences",
                _amount(" days", 1, 29),
                "{i} missed {v}|the absences of {i} came to {v}",
                "How many days did {i} miss?",
                "the student who missed {v} was {i}",
                "{i} missed more days than {j}",
                "{i} missed fewer days than {j}",
                "missed the most days",
                "missed the fewest days",
            ),
            _attr(
                "Project topic",
                _named(
                    _item(
                        "glaciers",
                        "solar cells",
                        "medieval trade",
                        "bird song",
                        "tides",
                        "railway signals",
                        "bread making",
                        "printing",
                        "earthworms",
                        "coral reefs",
                    )
                ),
                "{i} wrote the project on {v}|{v} was the project topic of {i}",
                "What was the project topic of {i}?",
                "the student who wrote on {v} was {i}",
                kind="name",
            ),
        ),
        (
            _be(
                "Result",
                "passed=through to the next year",
                "failed=required to repeat the year",
                "pending=still awaiting a result",
            ),
        ),
    ),
    Fam(
        "Warranties",
        "appliance",
        "appliances",
        _product,
        (
            _attr(
                "Warranty",
                _amount(" months", 6, 96, 6),
                "{i} is covered for {v}|the warranty on {i} runs for {v}",
                "How long does the warranty on {i} run?",
                "the appliance covered for {v} is {i}",
                "{i} has a longer warranty than {j}",
                "{i} has a shorter warranty than {j}",
                "has the longest warranty",
                "has the shortest warranty",
            ),
            _attr(
                "Excess",
                _money(10, 190, 5),
                "a repair of {i} carries an excess of {v}|the excess on {i} is {v}",
                "What is the excess on {i}?",
                "the appliance with an excess of {v} is {i}",
                "the excess on {i} is higher than on {j}",
                "the excess on {i} is lower than on {j}",
                "has the highest excess",
                "has the lowest excess",
            ),
        ),
        (
            _be(
                "Cover for water damage",
                "included=covered for water damage",
                "excluded=excluded from cover for water damage",
            ),
            State(
                "Repair",
                (
                    Cell(
                        "only with receipt",
                        (
                            "{i} is repaired free of charge only if a receipt is shown",
                            "without a receipt, {i} is not repaired free of charge, but with one it is",
                        ),
                        ("a receipt is not what the free repair of {i} depends on",),
                        "are repaired free of charge only with a receipt",
                        ("Is {i} repaired free of charge only if a receipt is shown?", "is"),
                    ),
                    Cell(
                        "with or without receipt",
                        (
                            "{i} is repaired free of charge with or without a receipt",
                            "no receipt is needed for the free repair of {i}",
                        ),
                        ("{i} is not repaired free of charge with or without a receipt alike",),
                        "are repaired free of charge even without a receipt",
                        ("Is {i} repaired free of charge even without a receipt?", "is"),
                    ),
                    Cell(
                        "never free",
                        (
                            "{i} is never repaired free of charge",
                            "with or without a receipt, the repair of {i} has to be paid for",
                        ),
                        ("there are cases in which {i} is repaired free of charge",),
                        "are never repaired free of charge",
                        ("Is {i} never repaired free of charge?", ""),
                    ),
                ),
            ),
        ),
    ),
    Fam(
        "Shipping",
        "tier",
        "tiers",
        _item("Economy", "Standard", "Express", "Overnight", "Priority", "Saver", "Parcel Plus", "Locker"),
        (
            _attr(
                "Fee",
                _money(2, 60, cents=True),
                "{i} costs {v} per parcel|the fee for {i} is {v} per parcel",
                "What is the fee for {i}?",
                "the tier for {v} per parcel is {i}",
                "{i} costs more than {j}",
                "{i} costs less than {j}",
                "costs the most",
                "costs the least",
            ),
            _attr(
                "Delivery time",
                _amount(" days", 2, 21),
                "{i} takes {v}|with {i}, parcels arrive within {v}",
                "How long does {i} take?",
                "the tier that takes {v} is {i}",
                "{i} takes longer than {j}|{i} is slower than {j}",
                "{i} takes less time than {j}|{i} is faster than {j}",
                "is the slowest",
                "is the fastest",
            ),
            _attr(
                "Weight limit",
                _amount(" kg", 2, 45),
                "{i} accepts parcels of up to {v}|the weight limit of {i} is {v}",
                "What is the weight limit of {i}?",
                "the tier with a limit of {v} is {i}",
                "{i} accepts heavier parcels than {j}",
                "{i} has a lower weight limit than {j}",
                "has the highest weight limit",
                "has the lowest weight limit",
            ),
        ),
        (
            _does("Tracking", "include tracking", "includes tracking"),
            _does("Insurance", "come with insurance", "comes with insurance"),
        ),
    ),
    Fam(
        "Opening hours",
        "branch",
        "branches",
        lambda rng: f"the {_place(rng)} branch",
        (
            _attr(
                "Opens",
                _clock(6, 11),
                "{i} opens at {v}|the doors of {i} open at {v}",
                "When does {i} open?",
                "the branch that opens at {v} is {i}",
                "{i} opens later than {j}",
                "{i} opens earlier than {j}",
                "opens latest",
                "opens earliest",
                "date",
            ),
            _attr(
                "Closes",
                _clock(14, 23),
                "{i} closes at {v}|closing time at {i} is {v}",
                "When does {i} close?",
                "the branch that closes at {v} is {i}",
                "{i} closes later than {j}|{i} stays open later than {j}",
                "{i} closes earlier than {j}",
                "closes latest",
                "closes earliest",
                "date",
            ),
            _who(
                "Manager",
                "{i} is run by {v}|{v} runs {i}|the manager of {i} is {v}",
                "Who runs {i}?|Who is the manager of {i}?",
                "the branch run by {v} is {i}",
            ),
        ),
        (
            _be("Sunday", "open=open on Sundays", "closed=closed on Sundays"),
            _does("Parking", "have a car park", "has a car park"),
        ),
        False,
    ),
    Fam(
        "Doses",
        "drug",
        "drugs",
        lambda rng: _root(rng) + _pick(rng, ("vastin", "pril", "zole", "mab", "cillin", "dipine", "xaban", "tinib")),
        (
            _attr(
                "Daily dose",
                _amount(" mg", 5, 900, 5),
                "the daily dose of {i} is {v}|{i} is given at {v} a day",
                "What is the daily dose of {i}?",
                "the drug given at {v} a day is {i}",
                "the daily dose of {i} is higher than that of {j}",
                "the daily dose of {i} is lower than that of {j}",
                "has the highest daily dose",
                "has the lowest daily dose",
            ),
            _attr(
                "Course",
                _amount(" days", 3, 90),
                "{i} is taken for {v}|a course of {i} lasts {v}",
                "How long does a course of {i} last?",
                "the drug taken for {v} is {i}",
                "a course of {i} lasts longer than one of {j}",
                "a course of {i} is shorter than one of {j}",
                "is taken longest",
                "is taken for the shortest time",
            ),
        ),
        (
            _be(
                "Prescription",
                "prescription only=available on prescription only",
                "over the counter=sold over the counter",
            ),
            State(
                "Intake",
                (
                    Cell(
                        "with food",
                        ("{i} is to be taken with food",),
                        ("{i} is not to be taken with food",),
                        "are to be taken with food",
                        ("Is {i} to be taken with food?", "is"),
                    ),
                    Cell(
                        "empty stomach",
                        ("{i} is to be taken on an empty stomach",),
                        ("{i} is not to be taken on an empty stomach",),
                        "are to be taken on an empty stomach",
                        ("Is {i} to be taken on an empty stomach?", "is"),
                    ),
                ),
            ),
        ),
    ),
    Fam(
        "API limits",
        "endpoint",
        "endpoints",
        lambda rng: f"/{_pick(rng, _PATHS)}",
        (
            _attr(
                "Rate limit",
                _amount(" requests per minute", 10, 3000, 10),
                "{i} allows {v}|the limit on {i} is {v}",
                "What is the rate limit on {i}?",
                "the endpoint that allows {v} is {i}",
                "{i} allows more requests per minute than {j}",
                "{i} allows fewer requests per minute than {j}",
                "has the highest rate limit",
                "has the lowest rate limit",
            ),
            _attr(
                "Timeout",
                _amount(" seconds", 2, 120),
                "{i} times out after {v}|the timeout of {i} is {v}",
                "What is the timeout of {i}?",
                "the endpoint that times out after {v} is {i}",
                "{i} has a longer timeout than {j}",
                "{i} has a shorter timeout than {j}",
                "has the longest timeout",
                "has the shortest timeout",
            ),
            _attr(
                "Page size",
                _amount(" records", 20, 1000, 10),
                "{i} returns up to {v} per page|a page of {i} holds up to {v}",
                "How many records does {i} return per page?",
                "the endpoint that returns up to {v} per page is {i}",
                "{i} returns larger pages than {j}",
                "{i} returns smaller pages than {j}",
                "returns the largest pages",
                "returns the smallest pages",
            ),
        ),
        (_be("State", "stable", "deprecated", "in beta"), _does("Needs token", "require a token", "requires a token")),
    ),
    Fam(
        "Staff list",
        "employee",
        "employees",
        _full,
        (
            _attr(
                "Role",
                _named(
                    _item(
                        "head of sales",
                        "chief accountant",
                        "site manager",
                        "legal adviser",
                        "press officer",
                        "product designer",
                        "lab technician",
                        "data analyst",
                        "safety officer",
                        "head of purchasing",
                    )
                ),
                "{i} works as {v}|{i} holds the post of {v}|the post of {v} is held by {i}",
                "What is the role of {i}?|What post does {i} hold?",
                "the person who works as {v} is {i}",
                kind="binding",
            ),
            _attr(
                "Joined",
                _year(1994),
                "{i} joined in {v}|{v} is the year in which {i} joined",
                "When did {i} join?|In which year did {i} join?",
                "the employee who joined in {v} is {i}",
                "{i} joined later than {j}|{i} joined after {j}",
                "{i} joined earlier than {j}|{i} joined before {j}",
                "joined most recently",
                "joined first",
                "date",
            ),
            _attr(
                "Office",
                _named(_place),
                "{i} is based in {v}|the office of {i} is in {v}",
                "Where is {i} based?",
                "the employee based in {v} is {i}",
                kind="name",
            ),
        ),
        (
            _be("Status", "on leave", "at work", "abroad"),
            _does("First aid", "have a first-aid certificate", "has a first-aid certificate"),
        ),
    ),
    Fam(
        "Treaties",
        "treaty",
        "treaties",
        lambda rng: f"the Treaty of {_place(rng)}",
        (
            _attr(
                "Signed",
                _year(1801, 1999),
                "{i} was signed in {v}|the signing of {i} took place in {v}",
                "When was {i} signed?|In which year was {i} signed?",
                "the treaty signed in {v} is {i}",
                "{i} was signed later than {j}|{i} was signed after {j}",
                "{i} was signed earlier than {j}|{i} was signed before {j}",
                "was signed last",
                "was signed first",
                "date",
            ),
            _attr(
                "Signatories",
                _amount(" states", 2, 61),
                "{i} was signed by {v}|{v} put their names to {i}",
                "How many states signed {i}?",
                "the treaty signed by {v} is {i}",
                "more states signed {i} than {j}",
                "fewer states signed {i} than {j}",
                "has the most signatories",
                "has the fewest signatories",
            ),
            _attr(
                "Kept in",
                _named(_item(*_LAND)),
                "the original of {i} is kept in {v}|{v} keeps the original of {i}",
                "Where is the original of {i} kept?",
                "the treaty whose original is kept in {v} is {i}",
                kind="name",
            ),
        ),
        (_be("Force", "in force", "suspended", "terminated=no longer valid"),),
        False,
    ),
    Fam(
        "Bridges",
        "bridge",
        "bridges",
        lambda rng: f"the {_pick(rng, _ROOT)} bridge",
        (
            _attr(
                "Length",
                _amount(" m", 60, 2900, 10),
                "{i} is {v} long|{i} has a length of {v}",
                "How long is {i}?",
                "the bridge with a length of {v} is {i}",
                "{i} is longer than {j}",
                "{i} is shorter than {j}",
                "is the longest",
                "is the shortest",
            ),
            _attr(
                "Opened",
                _year(1850, 2022),
                "{i} was opened in {v}|traffic has used {i} since {v}",
                "When was {i} opened?",
                "the bridge opened in {v} is {i}",
                "{i} is newer than {j}|{i} was opened after {j}",
                "{i} is older than {j}|{i} was opened before {j}",
                "is the newest",
                "is the oldest",
                "date",
            ),
            _who(
                "Engineer",
                "{i} was designed by {v}|{v} designed {i}|the engineer of {i} was {v}",
                "Who designed {i}?",
                "the bridge designed by {v} is {i}",
            ),
        ),
        (
            _be("Traffic", "open=open to lorries", "restricted=closed to lorries"),
            _be("Inspection", "passed=in good condition", "due=due for inspection"),
        ),
        False,
    ),
    Fam(
        "Projects",
        "project",
        "projects",
        lambda rng: f"project {_pick(rng, _THING)}",
        (
            _attr(
                "Budget",
                _money(20_000, 900_000, 5000),
                "the budget of {i} is {v}|{v} have been set aside for {i}",
                "What is the budget of {i}?",
                "the project with a budget of {v} is {i}",
                "{i} has a larger budget than {j}",
                "{i} has a smaller budget than {j}",
                "has the largest budget",
                "has the smallest budget",
            ),
            _attr(
                "Deadline",
                _day(2023, 2027),
                "{i} is due on {v}|the deadline for {i} is {v}",
                "When is {i} due?|What is the deadline for {i}?",
                "the project due on {v} is {i}",
                "{i} is due later than {j}|{i} is due after {j}",
                "{i} is due earlier than {j}|{i} is due before {j}",
                "is due last",
                "is due first",
                "date",
            ),
            _who(
                "Lead",
                "{i} is led by {v}|{v} leads {i}|the lead of {i} is {v}",
                "Who leads {i}?|By whom is {i} led?",
                "the project that {v} leads is {i}",
            ),
        ),
        (
            State(
                "Approval",
                (
                    Cell(
                        "approved",
                        ("{i} has been approved", "{i} has been approved without conditions"),
                        ("{i} has not been approved",),
                        "have been approved",
                        ("Has {i} been approved?", "has"),
                    ),
                    Cell(
                        "rejected",
                        ("{i} has been rejected",),
                        ("{i} has not been rejected",),
                        "have been rejected",
                        ("Has {i} been rejected?", "has"),
                    ),
                    Cell(
                        "pending",
                        ("a decision on {i} is still pending", "{i} has been neither approved nor rejected so far"),
                        ("{i} is no longer awaiting a decision",),
                        "are still awaiting a decision",
                        ("Is {i} still awaiting a decision?", "is"),
                    ),
                ),
            ),
        ),
    ),
    Fam(
        "Planets of the system",
        "planet",
        "planets",
        lambda rng: f"{_root(rng)}{_pick(rng, ('os', 'ia', 'us', 'on'))} {_pick(rng, ('b', 'c', 'd', 'e'))}",
        (
            _attr(
                "Orbit",
                _amount(" days", 3, 900),
                "{i} takes {v} for one orbit|one orbit of {i} lasts {v}",
                "How long does one orbit of {i} last?",
                "the planet with an orbit of {v} is {i}",
                "{i} has a longer orbit than {j}",
                "{i} has a shorter orbit than {j}",
                "has the longest orbit",
                "has the shortest orbit",
            ),
            _attr(
                "Discovered",
                _year(1991, 2024),
                "{i} was discovered in {v}|the discovery of {i} dates from {v}",
                "When was {i} discovered?",
                "the planet discovered in {v} is {i}",
                "{i} was discovered later than {j}|{i} was discovered after {j}",
                "{i} was discovered earlier than {j}|{i} was discovered before {j}",
                "was discovered last",
                "was discovered first",
                "date",
            ),
            _attr(
                "Moons",
                _amount(" moons", 2, 70),
                "{i} has {v}|{v} circle {i}",
                "How many moons does {i} have?",
                "the planet with {v} is {i}",
                "{i} has more moons than {j}",
                "{i} has fewer moons than {j}",
                "has the most moons",
                "has the fewest moons",
            ),
        ),
        (_does("Rings", "have rings", "has rings"),),
        False,
    ),
    Fam(
        "Quarterly report",
        "division",
        "divisions",
        lambda rng: f"the {_pick(rng, _BRANCHES)} division",
        (
            _attr(
                "Revenue",
                _money(1_000_000, 95_000_000, 100_000),
                "{i} took in {v}|the revenue of {i} was {v}",
                "What was the revenue of {i}?",
                "the division with revenue of {v} was {i}",
                "{i} took in more than {j}",
                "{i} took in less than {j}",
                "had the highest revenue",
                "had the lowest revenue",
            ),
            _attr(
                "Staff",
                _amount(" employees", 30, 4800),
                "{i} employs {v}|{v} work in {i}",
                "How many employees does {i} have?",
                "the division with {v} is {i}",
                "{i} employs more people than {j}",
                "{i} employs fewer people than {j}",
                "employs the most people",
                "employs the fewest people",
            ),
            _who(
                "Director",
                "{i} is headed by {v}|{v} heads {i}|the director of {i} is {v}",
                "Who heads {i}?|Who is the director of {i}?",
                "the division headed by {v} is {i}",
            ),
        ),
        (_be("Outlook", "growing", "shrinking", "stable"), _does("Profit", "make a profit", "makes a profit")),
        False,
    ),
    Fam(
        "Course catalogue",
        "course",
        "courses",
        _course,
        (
            _who(
                "Lecturer",
                "{i} is taught by {v}|{v} teaches {i}|the lecturer for {i} is {v}",
                "Who teaches {i}?|By whom is {i} taught?",
                "the course taught by {v} is {i}",
            ),
            _attr(
                "Credits",
                _amount(" credits", 2, 24),
                "{i} is worth {v}|students earn {v} with {i}",
                "How many credits is {i} worth?",
                "the course worth {v} is {i}",
                "{i} is worth more credits than {j}",
                "{i} is worth fewer credits than {j}",
                "is worth the most credits",
                "is worth the fewest credits",
            ),
            _attr(
                "Day",
                _named(_item("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")),
                "{i} meets on {v}|the class for {i} is held on {v}",
                "On which day does {i} meet?",
                "the course that meets on {v} is {i}",
                kind="date",
            ),
        ),
        (
            _be("Places", "full", "open=open for enrolment", "cancelled"),
            _does("Exam", "end with an exam", "ends with an exam"),
        ),
    ),
    Fam(
        "Concert programme",
        "concert",
        "concerts",
        lambda rng: f"the {_pick(rng, _THING)} concert",
        (
            _attr(
                "Date",
                _day(2023, 2026),
                "{i} takes place on {v}|{v} is the date of {i}",
                "When does {i} take place?|On what date is {i}?",
                "the concert on {v} is {i}",
                "{i} takes place later than {j}|{i} comes after {j}",
                "{i} takes place earlier than {j}|{i} comes before {j}",
                "takes place last",
                "takes place first",
                "date",
            ),
            _attr(
                "Ticket",
                _money(8, 140),
                "a ticket for {i} costs {v}|{i} costs {v} to attend",
                "What does a ticket for {i} cost?",
                "the concert with tickets at {v} is {i}",
                "tickets for {i} cost more than those for {j}",
                "tickets for {i} cost less than those for {j}",
                "has the most expensive tickets",
                "has the cheapest tickets",
            ),
            _who(
                "Soloist",
                "the soloist at {i} is {v}|{v} is the soloist at {i}|{i} features {v}",
                "Who is the soloist at {i}?",
                "the concert that features {v} is {i}",
            ),
        ),
        (_be("Tickets", "sold out", "cancelled", "available=still available"),),
        False,
    ),
    Fam(
        "Servers",
        "server",
        "servers",
        _numbered("db-", "web-", "cache-", "node-", low=10, high=98),
        (
            _attr(
                "Uptime",
                _amount(" days", 2, 800),
                "{i} has been up for {v}|the uptime of {i} is {v}",
                "How long has {i} been up?",
                "the server with an uptime of {v} is {i}",
                "{i} has been up longer than {j}",
                "{i} has not been up as long as {j}",
                "has been up longest",
                "has been up for the shortest time",
            ),
            _attr(
                "Load",
                _amount("%", 3, 98),
                "the load on {i} is {v}|{i} runs at a load of {v}",
                "What is the load on {i}?",
                "the server with a load of {v} is {i}",
                "{i} is under a higher load than {j}",
                "{i} is under a lower load than {j}",
                "has the highest load",
                "has the lowest load",
            ),
            _attr(
                "Region",
                _named(_place),
                "{i} stands in {v}|{i} is located in {v}",
                "Where is {i} located?",
                "the server in {v} is {i}",
                kind="name",
            ),
        ),
        (_be("Health", "healthy", "degraded", "down"), _does("Backup", "have a backup", "has a backup")),
        False,
    ),
)

# ---------------------------------------------------------------- orders of steps

_STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "Restoration of the panel",
        (
            "the frame was removed",
            "the surface was cleaned",
            "the cracks were filled",
            "the colours were retouched",
            "the varnish was applied",
            "the panel was photographed",
        ),
    ),
    (
        "Account of the journey",
        (
            "the tents were packed",
            "the river was crossed",
            "the guide was paid",
            "the pass was reached",
            "the supplies were shared out",
            "the map was redrawn",
        ),
    ),
    (
        "Release notes",
        (
            "the tests were run",
            "the branch was frozen",
            "the image was built",
            "the database was migrated",
            "the cache was cleared",
            "the customers were told",
        ),
    ),
    (
        "Sample preparation",
        (
            "the sample was dried",
            "the sample was weighed",
            "the acid was added",
            "the mixture was heated",
            "the filter was changed",
            "the residue was rinsed",
        ),
    ),
    (
        "Minutes",
        (
            "the minutes were read out",
            "the budget was voted on",
            "the chair was elected",
            "the complaint was heard",
            "the contract was signed",
            "the guests were thanked",
        ),
    ),
    (
        "House renovation",
        (
            "the roof was repaired",
            "the cables were laid",
            "the walls were plastered",
            "the floor was tiled",
            "the windows were fitted",
            "the garden was cleared",
        ),
    ),
    (
        "Incident timeline",
        (
            "the alarm went off",
            "the pump failed",
            "the valve was closed",
            "the crew was called in",
            "the tank was drained",
            "the line was restarted",
        ),
    ),
    (
        "History of the club",
        (
            "the club house was built",
            "the youth team was formed",
            "the first trophy was won",
            "the ground was sold",
            "the name was changed",
            "the women's team was founded",
        ),
    ),
)

# ---------------------------------------------------------------- filler

_FILLER = (
    "The overview was last checked in {m}.|Questions can be sent to the front desk.|The figures have not been audited.|"
    "A longer version is available on request.|The page was moved to the new site in {m}.|"
    "Some of the details were added later.|"
    "The next update is planned for {m}.|Nothing else was recorded that week.|The weather was mild throughout.|"
    "Staff were asked to keep the list up to date.|Earlier notes on the subject have been archived.|"
    "The file has {n} pages in all.|"
    "Copies were sent to the regional offices.|The committee meets again in {m}.|"
    "Spelling follows the original documents.|"
    "This section is kept short on purpose.|Several readers had asked for such a summary.|"
    "The list is not in any particular order.|"
    "Photographs are kept in a separate folder.|A spokesperson declined to comment further.|"
    "The report runs to {n} pages.|"
    "Local newspapers gave the matter little space.|The archive is open to visitors in {m}.|"
    "Changes are announced by e-mail.|"
    "Rounding was kept to a minimum.|The layout of this page may change.|Sources are given at the end.|"
    "An audio version is in preparation.|The editors thank all who helped.|The notes were typed up the following week.|"
    "Feedback was mostly friendly.|The meeting room was too small for everyone.|Coffee was served afterwards.|"
    "Please do not reply to this message.|All of this was agreed in writing.|The appendix holds further material.|"
    "The printing of the brochure took {n} days.|A correction was printed in {m}.|"
    "The summary below leaves out minor points.|"
    "The wording was approved by the legal team.|Some links on this page no longer work.|"
    "The help desk is closed on public holidays.|"
    "An earlier draft had a different heading.|Translations are provided for convenience.|"
    "The first {n} copies were free.|"
    "The survey will be repeated in {m}.|Access to the folder is restricted.|"
    "Interested readers will find more in the library.|"
    "The document was signed off without discussion.|No photographs were allowed.|"
    "The audience had no further questions.|"
    "The newsletter goes out every {n} weeks.|The template was borrowed from another office.|"
    "Each entry was checked twice.|"
    "The site is maintained by volunteers.|Older entries were removed in {m}.|The background is well known.|"
    "It was a quiet season otherwise.|The interns helped with the typing.|Only the main points are given here.|"
    "The full text is kept in the safe.|The press was informed the same week.|A short film on the subject exists.|"
    "The handbook explains the terms used.|Comments are welcome until the end of {m}.|The binder has a grey cover.|"
    "The map on the last page is out of date.|This is the {n}th issue of the bulletin.|"
    "There was little public interest.|"
    "The rules have been the same for years.|The page loads slowly on older phones.|"
    "The search function is being improved.|"
    "An index will follow.|The committee took note of the summary.|The agenda had {n} other points.|"
    "The notice board in the lobby shows the same text.|The data were collected by hand.|A reminder goes out in {m}.|"
    "The office moved to another floor in {m}.|The subject came up again over lunch.|The report was read by few.|"
    "Nobody objected to the procedure.|The archive number is {n}.|The usual disclaimers apply.|"
    "Parts of the text were shortened.|The secretary keeps the original.|Definitions are given in the glossary.|"
    "A training video explains the form.|The old form is no longer accepted.|Thanks go to everyone who took part."
).split("|")


def _fill(rng: random.Random) -> str:
    line = _pick(rng, _FILLER)
    return line.replace("{m}", _pick(rng, _MONTHS)).replace("{n}", str(rng.choice((14, 16, 18, 24, 26, 28, 34, 36))))


# ---------------------------------------------------------------- marks and sentences


def _mark(text: str) -> str:
    return f"{_OPEN}{text}{_SHUT}"


def _plain(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    out: list[str] = []
    ranges: list[tuple[int, int]] = []
    start = 0
    for char in text:
        if char == _OPEN:
            start = len(out)
        elif char == _SHUT:
            ranges.append((start, len(out)))
        else:
            out.append(char)
    return "".join(out), tuple(ranges)


def _cap(text: str) -> str:
    at = 1 if text.startswith(_OPEN) else 0
    head = text[at : at + 1]
    word = re.match(r"[\w-]*", text[at:])
    if word and re.search(r"-\w*\d|-(core|auth|api|queue|cache|ui)$", word.group()):
        return text  # identifiers keep their case
    return text[:at] + head.upper() + text[at + 1 :]


def _sentence(text: str) -> str:
    return _cap(text) + "."


# ---------------------------------------------------------------- renderings

Rows = list[dict[str, str]]
_SPEAKERS = "ops-bot,Desk,Reader,Caller,Agent,Editor,Support,Moderator,Visitor,Office".split(",")


def _key(col: str) -> str:
    return re.sub(r"\W+", "_", col.lower()).strip("_")


def _table(rows: Rows, style: str) -> str:
    cols = list(rows[0])
    cells = [[row.get(c, "") for c in cols] for row in rows]
    if style == "markdown":
        return "\n".join("| " + " | ".join(r) + " |" for r in (cols, ["---"] * len(cols), *cells))
    if style == "pipe":
        return "\n".join(" | ".join(r) for r in (cols, *cells))
    if style == "tabs":
        return "\n".join("\t".join(r) for r in (cols, *cells))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([[_key(c) for c in cols], *cells])
    return out.getvalue().strip()


def _block(rng: random.Random, rows: Rows, said: list[list[str]]) -> str:
    """The facts in one of the renderings; rows and sentences are in the same order."""
    style = rng.choices(
        (
            "prose",
            "bullets",
            "numbered",
            "markdown",
            "pipe",
            "tabs",
            "csv",
            "json",
            "keys",
            "chat",
            "log",
            "fields",
            "yaml",
        ),
        (34, 7, 5, 9, 5, 3, 7, 7, 7, 6, 4, 6, 3),
    )[0]
    if style == "prose":
        lines = [s for group in said for s in group]
        return " ".join(lines)
    if style in {"bullets", "numbered"}:
        mark = rng.choice("-*•")
        return "\n".join(
            f"{k}. {' '.join(g)}" if style == "numbered" else f"{mark} {' '.join(g)}" for k, g in enumerate(said, 1)
        )
    if style in {"markdown", "pipe", "tabs", "csv"}:
        return _table(rows, style)
    if style == "json":
        data = [{_key(c): v for c, v in row.items()} for row in rows]
        return json.dumps(data, ensure_ascii=False, indent=rng.choice((None, None, 1)))
    if style == "keys":
        return "\n\n".join("\n".join(f"{c}: {v}" for c, v in row.items()) for row in rows)
    if style == "yaml":
        return "\n".join(
            "\n".join(("- " if k == 0 else "  ") + f"{_key(c)}: {v}" for k, (c, v) in enumerate(row.items()))
            for row in rows
        )
    if style == "fields":
        joint = rng.choice(("; ", ", ", " – "))
        return "\n".join("- " + joint.join(f"{c.lower()}: {v}" for c, v in row.items()) for row in rows)
    if style == "log":
        day = datetime.date(rng.randint(2021, 2025), rng.randint(1, 12), rng.randint(1, 28))
        return "\n".join(f"{day} [info] " + " ".join(f'{_key(c)}="{v}"' for c, v in row.items()) for row in rows)
    first, second = rng.sample(_SPEAKERS, 2)
    asks = ("And the next?", "Go on.", "Noted.", "Anything else?", "OK, next one?", "Thanks, and then?")
    talk: list[str] = []
    for k, group in enumerate(said):
        talk.append(f"{first}: {' '.join(group)}")
        if k + 1 < len(said) and rng.random() < 0.6:
            talk.append(f"{second}: {_pick(rng, asks)}")
    return "\n".join(talk)


def _evidence(rng: random.Random, title: str, rows: Rows, said: list[list[str]]) -> str:
    cols = list(rows[0])
    if rng.random() < 0.4:
        rng.shuffle(cols)
    rows = [{c: row[c] for c in cols} for row in rows]
    order = list(range(len(rows)))
    rng.shuffle(order)
    block = _block(rng, [rows[k] for k in order], [said[k] for k in order])
    return _wrap(rng, title, block)


def _wrap(rng: random.Random, title: str, block: str) -> str:
    goal = min(175, max(16, round(rng.gauss(75, 32))))
    before: list[str] = []
    after: list[str] = []
    size = len(block.split())
    while size < goal and len(before) + len(after) < 9:
        line = _fill(rng)
        if line in before or line in after:
            continue
        (before if rng.random() < 0.5 else after).append(line)
        size += len(line.split())
    flat = "\n" not in block and rng.random() < 0.8
    joint = " " if flat else "\n\n" if rng.random() < 0.6 else "\n"
    parts = [" ".join(before), block, " ".join(after)]
    text = joint.join(p for p in parts if p)
    if rng.random() < 0.35:
        text = f"{rng.choice(('', '', '## ', '# '))}{title}\n{text}"
    if not 15 <= len(text.split()) <= 180:
        raise _Skip
    return text


def _label(rng: random.Random) -> int:
    return rng.choices((SUPPORTED, CONTRADICTED, UNSUPPORTED), (45, 40, 15))[0]


def _short(rng: random.Random, yes: bool, subject: str, aux: str) -> str:
    """A yes or a no, at times with its short clause."""
    word = "Yes" if yes else "No"
    if aux and rng.random() < 0.45:
        who = subject
        return f"{word}, {who} {aux}{'' if yes else ' not'}."
    return rng.choice((word, f"{word}.", f"{word}.", word.lower() if rng.random() < 0.3 else f"{word}."))


def _done(lead: str, text: str, evidence: str, label: int, kind: str) -> Made:
    clean, wrong = _plain(text)
    if label == SUPPORTED:
        return Made(_cap(lead), clean, evidence, label, (), "")
    if not wrong:
        wrong = ((0, len(clean.rstrip(".")) or len(clean)),)
    return Made(_cap(lead), clean, evidence, label, wrong, kind)


_VAGUE = (
    "What is known about this?",
    "Can you sum it up?",
    "What do the notes say?",
    "What happened?",
    "Tell me about {x}.",
    "What about {x}?",
)


def _vague(rng: random.Random, subject: str) -> str:
    return _pick(rng, _VAGUE).replace("{x}", subject)


# ---------------------------------------------------------------- relation cases


@dataclass
class _Fact:
    slots: dict[str, str]
    extras: dict[str, Val] = field(default_factory=dict)


def _facts(rng: random.Random, rel: Rel, count: int) -> tuple[list[_Fact], dict[str, str], list[str]]:
    """The facts, names not among them, and the extras they are told with."""
    same = rel.a == rel.b
    if same:
        names = _several(rng, _MAKERS[rel.a][0], 2 * count + 2)
        left, right = names[: count + 1], names[count + 1 :]
    else:
        left = _several(rng, _MAKERS[rel.a][0], count + 1)
        right = _several(rng, _MAKERS[rel.b][0], count + 1, left)
    things = (
        _several(rng, _MAKERS[rel.t][0], count + 1, left + right)
        if rel.t and rel.t != "message" and rel.t != "goods"
        else []
    )
    if rel.t in {"message", "goods"}:
        things = _loosely(rng, _MAKERS[rel.t][0], count + 1)
    facts = []
    told = [e for e in rel.extras if rng.random() < 0.55]
    if len(told) == len(rel.extras) and told:
        told.remove(rng.choice(told))
    if "date" in told and "year" in told:
        told.remove(rng.choice(("date", "year")))
    style = rng.randrange(6)
    for k in range(count):
        fact = _Fact({"a": left[k], "b": right[k]})
        if things:
            fact.slots["t"] = things[k]
        facts.append(fact)
    if (
        same
        and not rel.t
        and not rel.single
        and rel.kind != "cause"
        and count >= 2
        and rng.random() < 0.35
        and rel.title not in _OPEN_CHAIN
    ):
        facts[1].slots["a"] = facts[0].slots["b"]  # one is on either side
    for e in told:
        for fact, value in zip(facts, _values(rng, _EXTRAS[e][2], style, count), strict=True):
            fact.extras[e] = value
    fresh = {"a": left[count], "b": right[count]}
    if things:
        fresh["t"] = things[count]
    return facts, fresh, told


_OPEN_CHAIN = {
    "Heights compared",
    "Ages compared",
    "Route notes",
    "River survey",
    "Release order of modules",
    "Race notes",
    "Product succession",
}


def _values(rng: random.Random, make: ValueMaker, style: int, count: int, taken: Sequence[Val] = ()) -> list[Val]:
    found: list[Val] = []
    seen = {v.text for v in taken}
    for _ in range(40 * count):
        value = make(rng, style)
        if value.text not in seen:
            seen.add(value.text)
            found.append(value)
            if len(found) == count:
                return found
    raise _Skip


def _say(form: str, slots: dict[str, str], tail: str = "") -> str:
    for slot, value in slots.items():
        form = form.replace("{" + slot + "}", value)
    return form.replace("{x}", tail)


def _tail(fact: _Fact, e: str, rng: random.Random, other: bool = False) -> str:
    value = fact.extras[e]
    return _EXTRAS[e][0].replace("{v}", rng.choice((value.text, *value.alts)) if other else value.text)


def _rel_case(rng: random.Random, rel: Rel) -> Made:
    count = rng.choice((2, 2, 3, 3, 4, 5))
    label = _label(rng)
    facts, fresh, told = _facts(rng, rel, count)
    plain_forms = [f for f in rel.forms if "{c}" not in f and "not the" not in f and ("{x}" in f or not told)]
    said: list[list[str]] = []
    rows: Rows = []
    for fact in facts:
        extras = "".join(_tail(fact, e, rng) for e in sorted(told, key=lambda e: (e in {"date", "year", "clock"}, e)))
        said.append([_sentence(_say(rng.choice(plain_forms), fact.slots, extras))])
        row = {rel.cols[0]: fact.slots["a"], rel.cols[1]: fact.slots["b"]}
        if rel.t:
            row[rel.cols[2]] = fact.slots["t"]
        row |= {_EXTRAS[e][1]: fact.extras[e].text for e in told}
        rows.append(row)
    fact = rng.choice(facts)
    others = [f for f in facts if not set(f.slots.values()) & set(fact.slots.values())]
    evidence = _evidence(rng, rel.title, rows, said)
    same = rel.a == rel.b
    mode = rng.choices(("sentence", "bare", "yes"), (62, 22, 16))[0]

    def silent() -> dict[str, str]:
        """The fact with something in it that the evidence does not know."""
        new = dict(fact.slots)
        if rel.t:
            new["t"] = fresh["t"]
        elif rel.single or rng.random() < 0.35:
            new["a"], new["b"] = fresh["a"], fresh["b"]
        else:
            new["b"] = fresh["b"]
        return new

    def bent() -> tuple[dict[str, str], str]:
        """The fact with the sides exchanged or with a neighbour's side, and the kind of error."""
        ways = ["swap"] * 5 if same else []
        if rel.sole and others:
            ways += ["a", "t"] if rel.t else ["a"]
            ways += ["b"] if rel.t or rel.single or not same else []
        if not ways:
            raise _Skip
        way = rng.choice(ways)
        new = dict(fact.slots)
        if way == "swap":
            new["a"], new["b"] = new["b"], new["a"]
            return new, rel.kind
        new[way] = rng.choice(others).slots[way]
        return new, "binding" if rel.kind == "role" else rel.kind

    def marked(new: dict[str, str], old: dict[str, str]) -> dict[str, str]:
        return {s: _mark(v) if old.get(s) != v else v for s, v in new.items()}

    if mode == "sentence":
        form = rng.choice(rel.forms)
        tail_on = bool(rel.extras) and "{x}" in form and rng.random() < 0.4
        if tail_on and not told:
            raise _Skip
        slots = dict(fact.slots)
        kind, tail = "", ""
        contrast = "{c}" in form
        if contrast and not others:
            raise _Skip
        rival = rng.choice(others).slots["a"] if contrast else ""
        if contrast:
            slots["c"] = rival
        if label == SUPPORTED:
            if tail_on:
                tail = _tail(fact, rng.choice(told), rng, True)
            shown = slots
        elif label == CONTRADICTED:
            shown = slots
            wrong_tail = tail_on and bool(others) and rng.random() < 0.5
            if tail_on:
                e = rng.choice(told)
                tail = _tail(fact, e, rng, True)
                if wrong_tail:
                    value = rng.choice(others).extras[e]
                    lead, _, rest = _EXTRAS[e][0].partition("{v}")
                    tail = lead + _mark(rng.choice((value.text, *value.alts))) + rest
                    kind = _EXTRAS[e][3]
            if not wrong_tail:
                if contrast:
                    shown = {**slots, "a": _mark(rival), "c": _mark(slots["a"])}
                    kind = "binding"
                else:
                    new, kind = bent()
                    shown = marked(new, slots)
        else:
            kind = "invented"
            missing = [e for e in rel.extras if e not in told and not ({e, *told} >= {"date", "year"})]
            if tail_on and missing and rng.random() < 0.6:
                e = rng.choice(missing)
                lead, _, rest = _EXTRAS[e][0].partition("{v}")
                value = _EXTRAS[e][2](rng, rng.randrange(6))
                tail = lead + _mark(value.text) + rest
                shown = slots
            else:
                new = silent()
                if contrast:
                    new["c"] = rival
                shown = marked(new, slots)
                if tail_on and told:
                    tail = _tail(rng.choice(facts), rng.choice(told), rng, True)
        text = _sentence(_say(form, shown, tail))
        bare = {s: _plain(v)[0] for s, v in shown.items()}
        lead = ""
        if rng.random() < 0.5:
            pool = rng.choice([p for p in (rel.ask_a, rel.ask_b, rel.ask_t) if p])
            lead = _say(rng.choice(pool), bare) if rng.random() < 0.75 else _vague(rng, bare[rng.choice("ab")])
        return _done(lead, text, evidence, label, kind)

    if mode == "yes":
        if not rel.sole and not any(entry[1] == "!" for entry in rel.yes):
            raise _Skip  # it may hold either way: a no would be open to dispute
        question, subject, aux = rng.choice(rel.yes)
        yes = rng.random() < 0.5
        turned = subject == "!"  # the question has the sides exchanged
        slots = dict(fact.slots)
        kind = "negation"
        if label == UNSUPPORTED:
            slots, kind = silent(), "invented"
        else:
            want = (label == SUPPORTED) == yes  # whether the fact asked for holds
            if want == turned:
                slots, kind = (dict(slots, a=slots["b"], b=slots["a"]), "role") if turned else bent()
            if label == CONTRADICTED and want:
                kind = "negation"
            elif label == CONTRADICTED and turned:
                kind = "role"
        lead = _say(question, slots)
        named = slots.get(subject, "")
        text = _short(rng, yes, named, aux if named else "")
        return _done(lead, text, evidence, label, kind)

    asked = rng.choice(["a", "b", "t"] if rel.t else ["a", "b"])
    pool = {"a": rel.ask_a, "b": rel.ask_b, "t": rel.ask_t}[asked]
    question = rng.choice(pool)
    slots = dict(fact.slots)
    kind = rel.kind
    if label == SUPPORTED:
        answer = slots[asked]
    elif label == CONTRADICTED:
        answer = ""
        apart = rel.sole and bool(others) and (asked == "a" or bool(rel.t) or rel.single)
        if asked in "ab" and same and (not apart or rng.random() < 0.6):
            if rel.t and "{b}" not in question and "{a}" not in question:
                answer = slots["b" if asked == "a" else "a"]
            else:
                slots["a"], slots["b"] = slots["b"], slots["a"]
                answer = slots[asked]
                clash = [f for f in facts if all(f.slots[s] == slots[s] for s in slots if s != asked)]
                if clash:
                    raise _Skip
        elif apart:
            if rng.random() < 0.12:
                answer, kind = fresh[asked], "name"
            else:
                answer, kind = rng.choice(others).slots[asked], "binding"
        if not answer:
            raise _Skip
    else:
        slots = silent()
        if asked == "b" and not rel.t and slots["b"] == fresh["b"] and slots["a"] != fresh["a"]:
            slots["a"] = fresh["a"]
        if asked == "t":
            raise _Skip
        answer = rng.choice(others).slots[asked] if others and rng.random() < 0.5 else fresh[asked]
        if f"{{{asked}}}" in question or (
            answer == fresh[asked] and slots.get("t") is None and asked == "a" and slots["b"] != fresh["b"]
        ):
            raise _Skip
        if slots["a"] == answer or slots["b"] == answer:
            other = _several(rng, _MAKERS[rel.a if asked == "a" else rel.b][0], 1, [*fresh.values(), *slots.values()])[
                0
            ]
            answer = other if answer in fresh.values() else answer
        kind = "invented"
    lead = _say(question, slots)
    text = _answer(rng, answer)
    if answer in lead:
        raise _Skip
    return _done(lead, text, evidence, label, kind)


def _answer(rng: random.Random, value: str) -> str:
    draw = rng.random()
    text = _cap(value) if draw < 0.8 else value
    return text + ("." if rng.random() < 0.45 else "")


# ---------------------------------------------------------------- record cases


def _record_case(rng: random.Random, fam: Fam) -> Made:
    count = rng.choice((2, 3, 3, 4, 4, 5, 6, 7))
    names = (_several if fam.strict else _loosely)(rng, fam.item, count + 1)
    new, names = names[-1], names[:-1]
    columns: list[Attr | State] = [*fam.attrs, *fam.states]
    about = rng.choice(columns)
    label = _label(rng)
    if isinstance(about, State):
        return _state_case(rng, fam, about, names, new, label)
    ways = ["value"] * 5
    ways += ["back"] * 2 if about.back else []
    ways += ["compare"] * 3 + ["top"] * 3 if about.up else []
    ways += ["contrast", "merged", "merged"]
    way = rng.choice(ways)
    absent = label == UNSUPPORTED and (way in {"top"} or rng.random() < 0.5)
    if way == "merged" and label == UNSUPPORTED:
        absent = rng.random() < 0.7
    others = [c for c in columns if c is not about]
    rng.shuffle(others)
    shown: list[Attr | State] = others[: rng.choice((1, 1, 2))]
    if way == "merged" and not any(isinstance(c, Attr) for c in shown):
        shown = [next(c for c in others if isinstance(c, Attr)), *shown[:1]]
    told = shown if absent else [about, *shown]
    if len(told) * count > 15:
        raise _Skip
    style = rng.randrange(6)
    values: dict[str, list[Val]] = {}
    for c in {about.col: about, **{c.col: c for c in told}}.values():
        values[c.col] = _spread(rng, c, style, count)
    rows, said = _tell(rng, fam, names, told, values)
    evidence = _evidence(rng, fam.title, rows, said)
    mine = values[about.col]
    k = rng.randrange(count)
    bare = rng.random() < 0.4

    def put(v: Val) -> str:
        return rng.choice((v.text, v.text, *v.alts))

    def nearby() -> int:
        return rng.choice([j for j in range(count) if j != k])

    if way == "compare":
        rises = rng.random() < 0.5
        form = rng.choice(about.up if rises else about.down)
        i, j = k, nearby()
        holds = (mine[i].key > mine[j].key) == rises
        if label != UNSUPPORTED and holds != (label == SUPPORTED):
            i, j = j, i
        a, b = names[i], names[j]
        kind = "order" if about.kind == "date" else "number"
        if label == UNSUPPORTED:
            kind = "invented"
            if not absent:
                a, b = (_mark(new), b) if rng.random() < 0.5 else (a, _mark(new))
        elif label == CONTRADICTED:
            a, b = _mark(a), _mark(b)
        if bare:
            yes = rng.random() < 0.5
            if (label == CONTRADICTED and not yes) or (label == SUPPORTED and not yes):
                a, b = b, a
            return _done(_whether(form, _plain(a)[0], _plain(b)[0]), _short(rng, yes, "", ""), evidence, label, kind)
        text = _sentence(form.replace("{i}", a).replace("{j}", b))
        lead = _vague(rng, _plain(rng.choice((a, b)))[0]) if rng.random() < 0.5 else ""
        return _done(lead, text, evidence, label, kind)

    if way == "top":
        if count < 3:
            raise _Skip
        high = rng.random() < 0.5
        phrase = rng.choice(about.top if high else about.low)
        order = sorted(range(count), key=lambda n: mine[n].key, reverse=high)
        i = order[0] if label == SUPPORTED else rng.choice((order[1], order[-1], rng.choice(order[1:])))
        if label == UNSUPPORTED:
            i = k
        kind = "invented" if label == UNSUPPORTED else "order" if about.kind == "date" else "binding"
        name = names[i] if label == SUPPORTED else _mark(names[i])
        question = f"Which {fam.noun} {phrase}?"
        if bare:
            text = rng.choice((f"{_cap(name)}", f"{_cap(name)}.", f"That is {name}."))
            return _done(question, text, evidence, label, kind)
        form = rng.choice(
            (
                "of the {p}, {i} {v}",
                "{i} {v} of all the {p}",
                "the {n} that {v} is {i}",
                "among the {p}, it is {i} that {v}",
            )
        )
        form = form.replace("{p}", fam.plural).replace("{n}", fam.noun).replace("{v}", phrase).replace("{i}", name)
        if fam.item is _full:
            form = form.replace(f"the {fam.noun} that", f"the {fam.noun} who").replace(
                "that " + phrase, "who " + phrase
            )
        return _done(question if rng.random() < 0.5 else "", _sentence(form), evidence, label, kind)

    if way == "merged":
        other = next(c for c in told if isinstance(c, Attr) and c is not about)
        parts = [(about, mine[k]), (other, values[other.col][k])]
        rng.shuffle(parts)
        kind = ""
        if label == CONTRADICTED:
            at = rng.randrange(2)
            c = parts[at][0]
            wrong = values[c.col][nearby()]
            parts[at] = (c, Val(wrong.key, _mark(put(wrong))))
            kind = rng.choice(("binding", c.kind))
        elif label == UNSUPPORTED:
            kind = "invented"
            if absent:
                at = next(n for n in range(2) if parts[n][0] is about)
                parts[at] = (about, Val(0.0, _mark(parts[at][1].text)))
        name = _mark(new) if label == UNSUPPORTED and not absent else names[k]
        halves = [
            rng.choice(c.says).replace("{v}", v.text).replace("{i}", name if n == 0 else "\x04")
            for n, (c, v) in enumerate(parts)
        ]
        second = halves[1].replace("\x04", _plain(name)[0])
        if halves[1].startswith("\x04 ") and halves[0].startswith(name):
            second = halves[1][2:]
        text = _sentence(
            f"{halves[0]} and {second}"
            if second != halves[1].replace("\x04", _plain(name)[0])
            else f"{halves[0]}, and {second}"
        )
        lead = _vague(rng, _plain(name)[0]) if rng.random() < 0.5 else ""
        return _done(lead, text, evidence, label, kind)

    value = mine[k]
    name = names[k]
    kind = ""
    shown_value = put(value)
    if label == CONTRADICTED:
        wrong = mine[nearby()]
        if wrong.text == value.text:
            raise _Skip
        shown_value, kind = _mark(put(wrong)), rng.choice(("binding", about.kind))
        if bare and way == "value" and rng.random() < 0.12:
            shown_value = _mark(_values(rng, about.make, style, 1, mine)[0].text)
            kind = about.kind
    elif label == UNSUPPORTED:
        kind = "invented"
        if absent:
            shown_value = _mark(value.text)
        else:
            name = _mark(new)
            if rng.random() < 0.5:
                shown_value = _values(rng, about.make, style, 1, mine)[0].text

    if way == "contrast":
        j = nearby()
        if label == CONTRADICTED:
            first, second = _mark(names[j]), _mark(name)
        elif label == UNSUPPORTED and not absent:
            first, second = name, names[j]
            shown_value = _values(rng, about.make, style, 1, mine)[0].text
        else:
            first, second = name, names[j]
        if label == CONTRADICTED:
            shown_value = put(value)
        rest = [s for s in about.says if s.startswith("{i} ") and "{v}" in s]
        if not rest:
            raise _Skip
        clause = rng.choice(rest)[4:].replace("{v}", shown_value)
        that = "who" if fam.item is _full else "that"
        be = (
            "was"
            if re.match(
                r"(was|were|had|ran|stood|received|scored|missed|wrote|joined|reported|measured|saw|took)\b", clause
            )
            else "is"
        )
        text = rng.choice((f"it {be} {first}, not {second}, {that} {clause}", f"{first}, unlike {second}, {clause}"))
        return _done(
            _vague(rng, _plain(first)[0]) if rng.random() < 0.5 else "", _sentence(text), evidence, label, kind
        )

    if way == "back":
        form = rng.choice(about.back)
        if label == CONTRADICTED:
            shown_name, shown_value = _mark(names[nearby()]), put(value)
            kind = "binding"
        elif label == UNSUPPORTED and not absent:
            shown_name, shown_value = _mark(new), _values(rng, about.make, style, 1, mine)[0].text
        else:
            shown_name = name
        head, joint, _ = re.split(r"( is| was) \{i\}$", form)
        asker = "Who" if fam.item is _full else "Which one"
        question = f"{asker} {joint.strip()} " + head.replace("{v}", _plain(shown_value)[0]) + "?"
        if bare:
            if _SHUT not in shown_name and label == UNSUPPORTED:
                shown_name = _mark(shown_name)
            text = _cap(shown_name) + rng.choice(("", ".", "."))
            return _done(question, text, evidence, label, kind)
        text = _sentence(form.replace("{v}", shown_value).replace("{i}", shown_name))
        return _done(question if rng.random() < 0.5 else "", text, evidence, label, kind)

    question = rng.choice(about.ask).replace("{i}", _plain(name)[0])
    if bare:
        if rng.random() < 0.3:  # the same as a question to be answered with yes or no
            yes = rng.random() < 0.5
            asked = shown_value
            if label != UNSUPPORTED and not yes:
                asked = put(mine[nearby()]) if label == SUPPORTED else put(value)
                kind = kind and "negation"
            stem = rng.choice(about.says).replace("{i}", name).replace("{v}", asked)
            return _done(f"Is it correct that {_plain(stem)[0]}?", _short(rng, yes, "", ""), evidence, label, kind)
        clean = _plain(shown_value)[0]
        text = _answer(rng, clean if label == SUPPORTED else _mark(clean))
        return _done(question, text, evidence, label, kind)
    text = _sentence(rng.choice(about.says).replace("{i}", name).replace("{v}", shown_value))
    return _done(question if rng.random() < 0.5 else "", text, evidence, label, kind)


def _whether(form: str, a: str, b: str) -> str:
    return "Is it correct that " + form.replace("{i}", a).replace("{j}", b) + "?"


def _spread(rng: random.Random, column: Attr | State, style: int, count: int) -> list[Val]:
    if isinstance(column, Attr):
        return _values(rng, column.make, style, count)
    return [Val(float(n), column.cells[n].cell) for n in (rng.randrange(len(column.cells)) for _ in range(count))]


def _tell(
    rng: random.Random, fam: Fam, names: Sequence[str], columns: Sequence[Attr | State], values: dict[str, list[Val]]
) -> tuple[Rows, list[list[str]]]:
    rows: Rows = []
    said: list[list[str]] = []
    for k, name in enumerate(names):
        row = {fam.noun.capitalize(): name}
        group: list[str] = []
        for c in rng.sample(list(columns), len(columns)):
            value = values[c.col][k]
            form = (
                rng.choice(c.says).replace("{v}", value.text)
                if isinstance(c, Attr)
                else rng.choice(c.cells[int(value.key)].says)
            )
            if group and fam.item is not _full and form.startswith("{i} ") and rng.random() < 0.5:
                form = form.replace("{i}", "it")
            group.append(_sentence(form.replace("{i}", name)))
        for c in columns:
            row[c.col] = values[c.col][k].text
        rows.append(row)
        said.append(group)
    return rows, said


_NUMBER = ("None", "One", "Two", "Three", "Four", "Five", "Six", "Seven")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _state_case(rng: random.Random, fam: Fam, about: State, names: list[str], new: str, label: int) -> Made:
    count = len(names)
    way = rng.choice(("one", "one", "one", "yes", "yes", "which", "which", "count", "all"))
    if way in {"all", "which", "count"} and label == UNSUPPORTED:
        absent = True
    else:
        absent = label == UNSUPPORTED and rng.random() < 0.5
    cells = about.cells
    picked = rng.randrange(len(cells))
    cell = cells[picked]
    rest = [n for n in range(len(cells)) if n != picked]
    # how many have it is drawn for the claim's sake
    holders = {n for n in range(count) if rng.random() < 0.45}
    some = rng.random() < 0.5  # in "all": all of them against none of them
    if way == "all":
        good = label == SUPPORTED
        if some:
            holders = set(range(count)) if good else set(rng.sample(range(count), rng.randint(1, count - 1)))
        else:
            holders = set() if good else set(rng.sample(range(count), rng.randint(1, count - 1)))
    elif way == "which":
        holders = set(rng.sample(range(count), rng.choice((0, 1, 1, 2, 2, min(3, count), count))))
    elif way == "count":
        holders = set(rng.sample(range(count), rng.randint(0, count)))
    elif not holders or len(holders) == count:
        holders = {rng.randrange(count)}
    marks = [
        Val(float(picked), cell.cell) if n in holders else (lambda r: Val(float(r), cells[r].cell))(rng.choice(rest))
        for n in range(count)
    ]
    columns: list[Attr | State] = [*fam.attrs, *fam.states]
    others = [c for c in columns if c is not about]
    rng.shuffle(others)
    shown = others[: rng.choice((1, 1, 2))]
    told = shown if absent else [about, *shown]
    if len(told) * count > 15:
        raise _Skip
    values = {c.col: _spread(rng, c, rng.randrange(6), count) for c in shown}
    values[about.col] = marks
    rows, said = _tell(rng, fam, names, told, values)
    evidence = _evidence(rng, fam.title, rows, said)
    inside = [n for n in range(count) if n in holders]
    outside = [n for n in range(count) if n not in holders]
    question, aux = cell.asks
    flipped = aux.startswith("!")
    aux = aux.lstrip("!")

    if way in {"one", "yes"}:
        denied = rng.random() < 0.4 and way == "one"
        yes = rng.random() < 0.5
        if way == "yes":
            denied = yes == flipped  # the answer, as a statement on the cell
        # the statement: has the cell (or, denied, has not)
        if label == UNSUPPORTED:
            name = names[rng.randrange(count)] if absent else new
        else:
            pool = inside if (label == SUPPORTED) != denied else outside
            if not pool:
                raise _Skip
            name = names[rng.choice(pool)]
        kind = "invented" if label == UNSUPPORTED else rng.choice(("status", "binding")) if not denied else "negation"
        asked = question.replace("{i}", name)
        if way == "yes":
            return _done(asked, _short(rng, yes, name, aux), evidence, label, kind)
        form = rng.choice(cell.denies if denied else cell.says)
        if label == UNSUPPORTED and not absent:
            text = form.replace("{i}", _mark(name))
        elif label == SUPPORTED:
            text = form.replace("{i}", name)
        else:
            text = "".join(
                p if p == "{i}" or not p.strip() else _mark_inner(p) for p in re.split(r"(\{i\})", form)
            ).replace("{i}", name)
        return _done(asked if rng.random() < 0.5 else "", _sentence(text), evidence, label, kind)

    many = cell.many
    if way == "all":
        kind = "invented" if label == UNSUPPORTED else "generalised"
        head = (
            rng.choice(
                (
                    f"all {_NUMBER[count].lower()} {fam.plural}",
                    f"all the {fam.plural} listed",
                    f"all of the {fam.plural}",
                )
            )
            if some
            else rng.choice((f"none of the {fam.plural}", f"none of the {_NUMBER[count].lower()} {fam.plural}"))
        )
        lead = f"Which of the {fam.plural} {many}?"
        if rng.random() < 0.35:
            text = ("All of them" if some else "None of them") + rng.choice((".", ""))
            return _done(lead, text, evidence, label, kind)
        if many.startswith("do not") and not some:
            raise _Skip
        text = f"{_mark(head) if label != SUPPORTED else head} {many}"
        return _done(lead if rng.random() < 0.5 else "", _sentence(text), evidence, label, kind)

    if way == "count":
        right = len(inside)
        claimed = right
        if label == CONTRADICTED:
            claimed = rng.choice([n for n in (right - 1, right + 1, len(outside)) if 0 <= n <= count and n != right])
        kind = "invented" if label == UNSUPPORTED else "number"
        lead = f"How many of the {fam.plural} {many}?"
        word = _NUMBER[claimed]
        shown_word = word if label == SUPPORTED else _mark(word)
        if claimed == 1 or rng.random() < 0.5:
            return _done(lead, shown_word + rng.choice((".", "")), evidence, label, kind)
        return _done(
            lead if rng.random() < 0.5 else "", f"{shown_word} of the {fam.plural} {many}.", evidence, label, kind
        )

    lead = f"Which of the {fam.plural} {many}?"
    kind = "invented" if label == UNSUPPORTED else "binding"
    chosen = [names[n] for n in inside]
    if label != SUPPORTED:
        size = rng.choice((0, 1, 1, 2, 2, min(3, count), count))
        chosen = [names[n] for n in sorted(rng.sample(range(count), min(size, count)))]
        if label == CONTRADICTED and set(chosen) == {names[n] for n in inside}:
            raise _Skip
        if label == CONTRADICTED and chosen and set(chosen) <= {names[n] for n in inside} and len(chosen) < len(inside):
            only = True  # a part of the list is wrong only where it says that it is all
        else:
            only = False
    else:
        only = False
    if len(chosen) == count:
        text = "All of them."
        kind = kind and ("generalised" if label == CONTRADICTED else kind)
    elif not chosen:
        text = "None of them."
        kind = kind and ("negation" if label == CONTRADICTED else kind)
    elif only or rng.random() < 0.5:
        text = (
            f"Only {_listed(chosen)}."
            if len(chosen) == 1 or rng.random() < 0.5
            else f"{_NUMBER[len(chosen)]}: {_listed(chosen)}."
        )
    else:
        text = _cap(_listed(chosen)) + rng.choice((".", ""))
    return _done(lead, text, evidence, label, kind)


def _mark_inner(text: str) -> str:
    body = text.strip()
    return text.replace(body, _mark(body))


# ---------------------------------------------------------------- cases on the order of steps


def _step_case(rng: random.Random) -> Made:
    title, pool = rng.choice(_STEPS)
    steps = rng.sample(pool, rng.randint(3, 5))
    label = _label(rng)
    style = rng.choice(("then", "mixed", "list", "times", "backwards"))
    if style == "then":
        words = ["first", *rng.sample(("then", "after that", "next", "some time later"), len(steps) - 2), "finally"]
        block = " ".join(_sentence(f"{w}, {s}") for w, s in zip(words, steps, strict=True))
    elif style == "mixed":
        lines = [
            f"{a} before {b}" if rng.random() < 0.5 else f"{b} only after {a}" for a, b in itertools.pairwise(steps)
        ]
        lines = [
            rng.choice((f"before {b}, {a}", f"after {a}, {b}", line))
            for line, a, b in zip(lines, steps, steps[1:], strict=False)
        ]
        block = " ".join(_sentence(line) for line in lines)
    elif style == "list":
        block = "In this order:\n" + "\n".join(f"{k}. {_cap(s)}" for k, s in enumerate(steps, 1))
    elif style == "times":
        hours = sorted(rng.sample(range(6, 22), len(steps)))
        lines = [f"{h:02d}:{rng.choice((5, 10, 20, 35, 50)):02d} – {s}" for h, s in zip(hours, steps, strict=True)]
        if rng.random() < 0.6:
            rng.shuffle(lines)
        block = "\n".join(lines)
    else:
        block = _sentence(f"{steps[-1]} last of all")
        for a, b in reversed(list(itertools.pairwise(steps))):
            block += " " + _sentence(f"before {b}, {a}")
    evidence = _wrap(rng, title, block)
    unknown = [s for s in pool if s not in steps]
    earlier, later = sorted(rng.sample(range(len(steps)), 2))
    a, b = steps[earlier], steps[later]
    kind = "order"
    if rng.random() < 0.25:  # which came first or last
        end = rng.random() < 0.5
        right = steps[0] if end else steps[-1]
        question = f"What happened {'first' if end else 'last'}?"
        if label == UNSUPPORTED:
            raise _Skip
        text = right if label == SUPPORTED else _mark(rng.choice([s for s in steps if s != right]))
        form = rng.choice(("{s}", "{s}", "{e}, {s}"))
        text = form.replace("{s}", text).replace("{e}", "first" if end else "last of all")
        return _done(question, _sentence(text), evidence, label, kind)
    if label == CONTRADICTED:
        a, b = _mark(b), _mark(a)
    elif label == UNSUPPORTED:
        kind = "invented"
        if rng.random() < 0.5:
            a = _mark(rng.choice(unknown)) if unknown else a
        else:
            b = _mark(rng.choice(unknown)) if unknown else b
        if not unknown:
            raise _Skip
    form = rng.choice(
        (
            "{a} before {b}",
            "{b} after {a}",
            "before {b}, {a}",
            "after {a}, {b}",
            "{a}, and later {b}",
            "{b}, but before that, {a}",
        )
    )
    if rng.random() < 0.3:
        yes = rng.random() < 0.5
        if label != UNSUPPORTED and not yes:
            a, b = b, a
        stem = _plain(rng.choice(("{a} before {b}", "{b} after {a}")).replace("{a}", a).replace("{b}", b))[0]
        return _done(f"Is it correct that {stem}?", _short(rng, yes, "", ""), evidence, label, kind)
    text = _sentence(form.replace("{a}", a).replace("{b}", b))
    lead = (
        rng.choice(("What was the order of events?", "In which order was it done?", "What happened, and when?"))
        if rng.random() < 0.5
        else ""
    )
    return _done(lead, text, evidence, label, kind)


# ---------------------------------------------------------------- all


def made(count: int, seed: int = 0) -> Iterator[Made]:
    """Cases of all families, by chance; a draw that gives no clear label is drawn anew."""
    rng = random.Random(seed)
    given = 0
    while given < count:
        draw = rng.random()
        try:
            if draw < 0.5:
                group = rng.choice(_RELS)
                case = _rel_case(rng, group if isinstance(group, Rel) else rng.choice(group))
            elif draw < 0.94:
                case = _record_case(rng, rng.choice(_FAMS))
            else:
                case = _step_case(rng)
        except _Skip:
            continue
        given += 1
        yield case


def main() -> None:
    for case in made(12, seed=random.randrange(10**6)):
        wrong = [case.text[a:b] for a, b in case.wrong]
        print(f"--- label {case.label} {case.kind} {wrong}\nlead: {case.lead}\ntext: {case.text}\n{case.evidence}\n")


if __name__ == "__main__":
    main()
