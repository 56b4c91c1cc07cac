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


_DAY = 86400.0
_TABLE: dict[str, Unit] = {}


def _add(dimension: str, factor: float, names: str, offset: float = 0.0) -> None:
    for name in names.split("|"):
        _TABLE[name] = Unit(dimension, factor, offset)


for _factor, _names in (
    (0.001, "ms|millisecond|milliseconds|msec"),
    (1e-6, "µs|μs|microsecond|microseconds"),
    (1e-9, "ns|nanosecond|nanoseconds"),
    (1, "s|sec|secs|second|seconds"),
    (60, "min|mins|minute|minutes"),
    (3600, "h|hr|hrs|hour|hours"),
    (_DAY, "day|Day|DAY|days|night|nights"),
    (7 * _DAY, "week|weeks|wk|wks"),
    (30.4375 * _DAY, "month|months"),
    (365.25 * _DAY, "year|years|yr|yrs|year-old|years-old"),
    (3652.5 * _DAY, "decade|decades"),
    (36525 * _DAY, "century|centuries"),
    (14 * _DAY, "fortnight|fortnights"),
    (91.3125 * _DAY, "quarters"),
):
    _add("duration", _factor, _names)
for _factor, _names in (
    (1e-9, "nm|nanometre|nanometres|nanometer|nanometers"),
    (1e-6, "µm|μm|micron|microns|micrometre|micrometres|micrometer|micrometers"),
    (0.001, "mm|millimetre|millimetres|millimeter|millimeters"),
    (0.01, "cm|centimetre|centimetres|centimeter|centimeters"),
    (1, "m|metre|metres|meter|meters"),
    (1000, "km|Km|KM|kms|kilometre|kilometres|kilometer|kilometers"),
    (0.0254, "inch|inches"),
    (0.3048, "ft|foot|feet"),
    (0.9144, "yard|yards|yd|yds"),
    (1609.344, "mile|miles|mi"),
    (1852, "nautical mile|nautical miles|nmi"),
    (9.4607e15, "light-year|light-years|light year|light years"),
):
    _add("length", _factor, _names)
for _factor, _names in (
    (1e-6, "µg|μg|mcg|microgram|micrograms"),
    (0.001, "mg|milligram|milligrams"),
    (1, "g|gram|grams|gramme|grammes"),
    (1000, "kg|Kg|KG|kgs|kilo|kilos|kilogram|kilograms|kilogramme|kilogrammes"),
    (1e6, "tonne|tonnes|metric ton|metric tons|metric tonnes"),
    (907184.74, "ton|Ton|tons"),
    (28.3495, "oz|ounce|ounces"),
    (453.592, "lb|lbs|LBS"),
    (6350.29, "stone"),
):
    _add("mass", _factor, _names)
for _factor, _names in (
    (0.001, "cc|ml|mL|millilitre|millilitres|milliliter|milliliters"),
    (0.01, "cl|centilitre|centilitres"),
    (0.1, "dl|decilitre|decilitres"),
    (1, "l|L|litre|litres|liter|liters"),
    (3.78541, "gallon|gallons"),
    (0.473176, "pint|pints"),
    (28.3168, "cubic foot|cubic feet|cu ft"),
    (1000, "m³|m3|cubic metre|cubic metres|cubic meter|cubic meters"),
    (158.987, "barrel|barrels"),
):
    _add("volume", _factor, _names)
for _factor, _names in (
    (1, "m²|m2|sqm|square metre|square metres|square meter|square meters"),
    (1e6, "km²|km2|square kilometre|square kilometres|square kilometer|square kilometers"),
    (1e4, "ha|hectare|hectares"),
    (4046.86, "acre|acres"),
    (2589988.0, "square mile|square miles|sq mi"),
    (0.092903, "sq ft|square foot|square feet"),
):
    _add("area", _factor, _names)
for _factor, _names in (
    (1, "B|byte|bytes"),
    (1e3, "kB|KB|kilobyte|kilobytes"),
    (1e6, "MB|megabyte|megabytes"),
    (1e9, "GB|gigabyte|gigabytes"),
    (1e12, "TB|terabyte|terabytes"),
    (1e15, "PB|petabyte|petabytes"),
    (2**10, "KiB"),
    (2**20, "MiB"),
    (2**30, "GiB"),
    (2**40, "TiB"),
):
    _add("data", _factor, _names)
for _factor, _names in ((1e3, "kbps|kbit/s"), (1e6, "Mbps|Mbit/s"), (1e9, "Gbps|Gbit/s"), (8e6, "MB/s"), (8e9, "GB/s")):
    _add("data rate", _factor, _names)
for _factor, _names in (
    (1, "m/s|metres per second|meters per second"),
    (1 / 3.6, "km/h|kph|kmh|km per hour|kilometres per hour|kilometers per hour|kilometres an hour"),
    (0.44704, "mph|miles per hour|miles an hour"),
    (0.514444, "knot|knots"),
):
    _add("speed", _factor, _names)
for _factor, _names in (
    (1, "W|watt|watts"),
    (1e3, "kW|kilowatt|kilowatts"),
    (1e6, "MW|megawatt|megawatts"),
    (1e9, "GW|gigawatt|gigawatts"),
    (745.7, "hp|HP|horsepower"),
):
    _add("power", _factor, _names)
for _factor, _names in (
    (1, "Wh|watt-hour|watt-hours"),
    (1e3, "kWh|kilowatt-hour|kilowatt-hours|kilowatt hours"),
    (1e6, "MWh|megawatt-hour|megawatt-hours|megawatt hours"),
    (1e9, "GWh|gigawatt-hour|gigawatt-hours|gigawatt hours"),
    (1e12, "TWh|terawatt-hour|terawatt-hours|terawatt hours"),
    (1.163, "kcal|calories"),
    (0.000277778, "joule|joules"),
    (0.277778, "kJ|kilojoule|kilojoules"),
):
    _add("energy", _factor, _names)
for _factor, _names in (
    (1, "Hz|hertz"),
    (1e3, "kHz|kilohertz"),
    (1e6, "MHz|megahertz"),
    (1e9, "GHz|gigahertz"),
):
    _add("frequency", _factor, _names)
_add("voltage", 1, "V|volt|volts")
_add("voltage", 1e3, "kV|kilovolt|kilovolts")
_add("current", 1, "A|amp|amps|ampere|amperes")
_add("charge", 1e-3, "mAh")
_add("pressure", 1e5, "bar")
_add("pressure", 100, "hPa|mbar|millibar|millibars")
_add("pressure", 6894.76, "psi")
_add("sound", 1, "dB|decibel|decibels")
_add("pixels", 1, "MP|megapixel|megapixels")
_add("frame rate", 1, "fps|frames per second")
_add("angle", 1, "°|deg|degree|degrees")
_add("temperature", 1, "°C|° C|℃|celsius|degrees Celsius|degrees C|degree C|degree Celsius|degrees centigrade")
_add("temperature", 5 / 9, "°F|° F|℉|fahrenheit|degrees Fahrenheit|degrees F|degree F|degree Fahrenheit", -160 / 9)
_add("temperature", 1, "kelvin", -273.15)
_add("rotation", 1, "rpm|revolutions per minute")
_add("brightness", 1, "nits")
_add("concentration", 1, "ppm|parts per million")
_add("percent", 1, "%|percent|per cent|pct|per-cent")
_add("percentage points", 1, "percentage points|percentage point|pp|ppt|points of percentage")
_add("times", 1, "times|fold|-fold|x|×")

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
