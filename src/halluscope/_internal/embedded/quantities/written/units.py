"""Units of measure: which words name one, what they measure, and how they convert.

Everything is brought to one base unit per dimension, so that 2.5 hours and 150 minutes are the same
quantity. Months and years are durations too, with their mean lengths: comparing them with weeks is then
a matter of tolerance, which is decided elsewhere.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["CURRENCY_BEFORE", "SCALES", "Unit", "UnitFound", "currency", "unit_at", "unit_of"]


class Unit(NamedTuple):
    """What a unit measures, and `base = value * factor + offset`."""

    dimension: str
    factor: float
    offset: float = 0.0


_PREFIXES = {
    "n": ("nano", 1e-9), "µ": ("micro", 1e-6), "μ": ("micro", 1e-6), "m": ("milli", 1e-3), "c": ("centi", 0.01),
    "d": ("deci", 0.1), "": ("", 1.0), "k": ("kilo", 1e3), "M": ("mega", 1e6), "G": ("giga", 1e9), "T": ("tera", 1e12),
}  # fmt: skip
_METRIC = (
    ("duration", "s", "second", "n µ μ m"),
    ("length", "m", "metre meter", "n µ μ m c k"),
    ("mass", "g", "gram gramme", "µ μ m k"),
    ("volume", "l", "litre liter", "m c d"),
    ("data", "B", "byte", "k M G T"),
    ("power", "W", "watt", "k M G"),
    ("energy", "Wh", "watt-hour", "k M G T"),
    ("frequency", "Hz", "hertz", "k M G"),
    ("voltage", "V", "volt", "k"),
)
"""Dimension, sign, names and prefixes of the units that take prefixes."""
_OTHERS = """
duration: 1: sec|secs
duration: 0.001: msec
duration: 60: min|mins|minute|minutes
duration: 3600: h|hr|hrs|hour|hours
duration: 86400: day|Day|DAY|days|night|nights
duration: 604800: week|weeks|wk|wks
duration: 1209600: fortnight|fortnights
duration: 2629800: month|months
duration: 7889400: quarters
duration: 31557600: year|years|yr|yrs|year-old|years-old
duration: 315576000: decade|decades
duration: 3155760000: century|centuries
length: 0.0254: inch|inches
length: 1e-6: micron|microns
length: 0.3048: ft|foot|feet
length: 0.9144: yard|yards|yd|yds
length: 1000: Km|KM|kms
length: 1609.344: mile|miles|mi
length: 1852: nautical mile|nautical miles|nmi
length: 9.4607e15: light-year|light-years|light year|light years
mass: 1e-6: mcg
mass: 28.3495: oz|ounce|ounces
mass: 453.592: lb|lbs|LBS
mass: 1000: Kg|KG|kgs|kilo|kilos
mass: 6350.29: stone
mass: 907184.74: ton|Ton|tons
mass: 1e6: tonne|tonnes|metric ton|metric tons|metric tonnes
volume: 0.001: cc|mL
volume: 0.473176: pint|pints
volume: 1: L
volume: 3.78541: gallon|gallons
volume: 28.3168: cubic foot|cubic feet|cu ft
volume: 158.987: barrel|barrels
volume: 1000: m³|m3|cubic metre|cubic metres|cubic meter|cubic meters
area: 0.092903: sq ft|square foot|square feet
area: 1: m²|m2|sqm|square metre|square metres|square meter|square meters
area: 4046.86: acre|acres
area: 1e4: ha|hectare|hectares
area: 1e6: km²|km2|square kilometre|square kilometres|square kilometer|square kilometers
area: 2589988: square mile|square miles|sq mi
data: 1e3: KB
data: 1e15: PB|petabyte|petabytes
data: 1024: KiB
data: 1048576: MiB
data: 1073741824: GiB
data: 1099511627776: TiB
data rate: 1e3: kbps|kbit/s
data rate: 1e6: Mbps|Mbit/s
data rate: 8e6: MB/s
data rate: 1e9: Gbps|Gbit/s
data rate: 8e9: GB/s
speed: 0.2777777777777778: km/h|kph|kmh|km per hour|kilometres per hour|kilometers per hour|kilometres an hour
speed: 0.44704: mph|miles per hour|miles an hour
speed: 0.514444: knot|knots
speed: 1: m/s|metres per second|meters per second
power: 745.7: hp|HP|horsepower
energy: 0.000277778: joule|joules
energy: 0.277778: kJ|kilojoule|kilojoules
energy: 1.163: kcal|calories
energy: 1e3: kilowatt hours
energy: 1e6: megawatt hours
energy: 1e9: gigawatt hours
energy: 1e12: terawatt hours
current: 1: A|amp|amps|ampere|amperes
charge: 1e-3: mAh
pressure: 100: hPa|mbar|millibar|millibars
pressure: 6894.76: psi
pressure: 1e5: bar
sound: 1: dB|decibel|decibels
pixels: 1: MP|megapixel|megapixels
frame rate: 1: fps|frames per second
angle: 1: °|deg|degree|degrees
temperature: 1: °C|° C|℃|celsius|degrees Celsius|degrees C|degree C|degree Celsius|degrees centigrade
rotation: 1: rpm|revolutions per minute
brightness: 1: nits
concentration: 1: ppm|parts per million
percent: 1: %|percent|per cent|pct|per-cent
percentage points: 1: percentage points|percentage point|pp|ppt|points of percentage
times: 1: times|fold|-fold|x|×
"""
"""All others: dimension, factor and names."""
_SHIFTED = (
    (5 / 9, -160 / 9, "°F|° F|℉|fahrenheit|degrees Fahrenheit|degrees F|degree F|degree Fahrenheit"),
    (1, -273.15, "kelvin"),
)
"""Temperatures whose zero is another one: factor, offset and names."""


def _units() -> dict[str, Unit]:
    """All units by their names."""
    found: dict[str, Unit] = {}
    for dimension, sign, names, prefixes in _METRIC:
        for prefix in ("", *prefixes.split()):
            before, factor = _PREFIXES[prefix]
            spelled = (f"{before}{name}{ending}" for name in names.split() for ending in ("", "s"))
            found |= dict.fromkeys((prefix + sign, *spelled), Unit(dimension, factor))
    for line in _OTHERS.strip().splitlines():
        dimension, value, listed = line.split(": ")
        found |= dict.fromkeys(listed.split("|"), Unit(dimension, float(value)))
    for factor, offset, listed in _SHIFTED:
        found |= dict.fromkeys(listed.split("|"), Unit("temperature", factor, offset))
    return found


_TABLE = _units()

_CURRENCIES = {
    "USD": "$|US$|usd|dollar|dollars|us dollar|us dollars|u.s. dollars|cent|cents",
    "EUR": "€|eur|euro|euros",
    "GBP": "£|gbp|pound|pounds|pounds sterling|pence|p",
    "JPY": "¥|jpy|yen",
    "CNY": "cny|rmb|yuan|renminbi",
    "INR": "₹|inr|rupee|rupees|rs",
    "CHF": "chf|swiss franc|swiss francs|franc|francs",
    "NOK": "nok|norwegian krone|norwegian kroner",
    "SEK": "sek|swedish krona|swedish kronor|kronor",
    "DKK": "dkk|danish krone|danish kroner|kroner|krone",
    "PLN": "pln|zloty|zlotys|złoty",
    "CZK": "czk|koruna|korunas|crowns|czech crowns",
    "CAD": "c$|ca$|cad|canadian dollars",
    "AUD": "a$|au$|aud|australian dollars",
    "NZD": "nz$|nzd",
    "KRW": "₩|krw|won",
    "BRL": "r$|brl|reais",
    "RUB": "₽|rub|roubles|rubles",
    "ZAR": "zar|rand",
    "MXN": "mxn|pesos",
    "TRY": "₺|try|lira",
    "HUF": "huf|forint|forints",
    "BTC": "btc|bitcoin|bitcoins",
}
_CURRENCY = {name: code for code, names in _CURRENCIES.items() for name in names.split("|")}
_MINOR = {"cent": 0.01, "cents": 0.01, "pence": 0.01, "p": 0.01}

SCALES: dict[str, float] = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
    "hundreds": 1e2, "thousands": 1e3, "millions": 1e6, "billions": 1e9, "trillions": 1e12,
    "k": 1e3, "K": 1e3, "M": 1e6, "mn": 1e6, "m": 1e6, "bn": 1e9, "B": 1e9, "b": 1e9, "tn": 1e12,
    "T": 1e12, "dozen": 12, "dozens": 12, "lakh": 1e5, "crore": 1e7,
}  # fmt: skip

_AFTER = {n for n in _CURRENCY if n not in ("won", "try", "rs", "rand")} | set(_CURRENCIES)
_LEAD = re.compile(r"[^\W\d_]+|[^\w\s]")
_SLASH = re.compile(r"\s?/\s?")


def _by_lead() -> dict[str, tuple[str, ...]]:
    """The names of units under their first word or sign, the longest first."""
    found: dict[str, list[str]] = {}
    for name in sorted({*_TABLE, *_AFTER}, key=lambda name: (-len(name), name)):
        lead = _LEAD.match(name)
        if lead:
            found.setdefault(lead.group().lower(), []).append(name)
    return {lead: tuple(names) for lead, names in found.items()}


_BY_LEAD = _by_lead()
_LONGEST = 26


class UnitFound(NamedTuple):
    """The name of a unit as the table has it, and where it ends in the text."""

    name: str
    end: int


def unit_at(text: str, place: int) -> UnitFound | None:
    """The longest name of a unit that begins at this place.

    Single letters and other short names are case sensitive: 5 M is five million, 5 m five metres.
    """
    lead = _LEAD.match(text, place)
    names = _BY_LEAD.get(lead.group().lower()) if lead else None
    if not names:
        return None
    piece = text[place : place + _LONGEST]
    tight = _SLASH.sub("/", piece, count=1) if "/" in piece else piece
    for name in names:
        if not (tight.startswith(name) or (len(name) > 3 and tight[: len(name)].lower() == name.lower())):
            continue
        after = tight[len(name) : len(name) + 1]
        if (name[-1].isalnum() or name[-1] in "²³") and (after.isalnum() or after in ("_", "²", "³")):
            continue
        widened = len(piece) - len(tight) if "/" in name else 0
        return UnitFound(name, place + len(name) + widened)
    return None


_UNIT_FOLDED = {name.lower(): unit for name, unit in _TABLE.items() if len(name) > 3}

CURRENCY_BEFORE = re.compile(
    r"(?:US\$|CA?\$|AU?\$|NZ\$|R\$|[$€£¥₹₩₽₺]"
    r"|\b(?:USD|EUR|GBP|JPY|CNY|RMB|INR|CHF|NOK|SEK|DKK|PLN|CZK|CAD|AUD|NZD|KRW|BRL|RUB|ZAR|MXN|HUF|Rs\.?))\s?$"
)


def unit_of(name: str) -> Unit | None:
    """The unit a word or sign names, or None."""
    return _TABLE.get(name) or _UNIT_FOLDED.get(name.lower())


def currency(name: str) -> tuple[str, float] | None:
    """The currency a word or sign names, with the factor of its minor unit (cents), or None."""
    key = name.strip().rstrip(".").lower()
    code = _CURRENCY.get(key)
    return (code, _MINOR.get(key, 1.0)) if code else None
