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
from pathlib import Path
from typing import Any, NamedTuple

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


# ---------------------------------------------------------------- the data file


def _seat(rng: random.Random, style: int) -> Val:
    return Val(0.0, f"{rng.choice('ABCDEF')}{rng.randint(1, 40)}")


def _bank_branch(rng: random.Random) -> str:
    return f"the {_place(rng)} branch"


def _medicine(rng: random.Random) -> str:
    return _root(rng) + _pick(rng, ("vastin", "pril", "zole", "mab", "cillin", "dipine", "xaban", "tinib"))


def _path(rng: random.Random) -> str:
    return f"/{_pick(rng, _PATHS)}"


def _treaty(rng: random.Random) -> str:
    return f"the Treaty of {_place(rng)}"


def _bridge(rng: random.Random) -> str:
    return f"the {_pick(rng, _ROOT)} bridge"


def _project(rng: random.Random) -> str:
    return f"project {_pick(rng, _THING)}"


def _planet(rng: random.Random) -> str:
    return f"{_root(rng)}{_pick(rng, ('os', 'ia', 'us', 'on'))} {_pick(rng, ('b', 'c', 'd', 'e'))}"


def _division(rng: random.Random) -> str:
    return f"the {_pick(rng, _BRANCHES)} division"


def _concert(rng: random.Random) -> str:
    return f"the {_pick(rng, _THING)} concert"


_BY_NAME: dict[str, Any] = {
    "Cell": Cell,
    "Fam": Fam,
    "State": State,
    "LAND": _LAND,
    "amount": _amount,
    "attr": _attr,
    "bank_branch": _bank_branch,
    "be": _be,
    "bridge": _bridge,
    "clock": _clock,
    "company": _company,
    "concert": _concert,
    "course": _course,
    "day": _day,
    "division": _division,
    "does": _does,
    "full": _full,
    "item": _item,
    "medicine": _medicine,
    "money": _money,
    "named": _named,
    "numbered": _numbered,
    "path": _path,
    "place": _place,
    "planet": _planet,
    "product": _product,
    "project": _project,
    "seat": _seat,
    "state": _state,
    "three": _three,
    "treaty": _treaty,
    "verbs": _verbs,
    "who": _who,
    "year": _year,
}
"""What `bindings.json` names: functions that make a family, an attribute, a value, a name."""


def _built(data: Any) -> Any:
    """The value that the data file describes: a call as {"make", "with", "named"}, a function as {"use"}."""
    if isinstance(data, list):
        return tuple(map(_built, data))
    if not isinstance(data, dict):
        return data
    if "use" in data:
        return _BY_NAME[data["use"]]
    named = {name: _built(value) for name, value in data.get("named", {}).items()}
    return _BY_NAME[data["make"]](*_built(data.get("with", [])), **named)


_DATA = json.loads(Path(__file__).with_name("bindings.json").read_text(encoding="utf-8"))
_RELS: tuple[Rel | tuple[Rel, ...], ...] = _built(_DATA["relations"])
_FAMS: tuple[Fam, ...] = _built(_DATA["families"])
_STEPS: tuple[tuple[str, tuple[str, ...]], ...] = _built(_DATA["steps"])


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
