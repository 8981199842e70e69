"""Units beyond those that are protected in quotations, some of which differ in their case alone."""

from __future__ import annotations

import re
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.verifier.language.lexicon import Lexicon

#: Symbols that mean what they mean in this case only: a mW is no MW, a Gb no GB.
_SYMBOLS = (
    "mW W kW MW GW Wh kWh MWh GWh TWh kb Mb Gb Tb kB KB MB GB TB PB Hz kHz MHz GHz V kV mV mA Pa"
    " hPa kPa MPa dB mmol mol ng IU kJ MJ kcal ml dl cl kbit Mbit Gbit"
)
_KNOWN_SYMBOLS = frozenset(_SYMBOLS.split())
#: How else a unit is written, in lower case.
_WORDS = MappingProxyType(
    {
        "mw": "MW", "kw": "kW", "gw": "GW", "kwh": "kWh", "mwh": "MWh", "gwh": "GWh", "twh": "TWh",
        "gb": "GB", "mb": "MB", "tb": "TB", "kb": "kB", "watt": "W", "watts": "W",
        "kilowatt": "kW", "kilowatts": "kW", "gigawatt": "GW", "gigawatts": "GW",
        "milliwatt": "mW", "milliwatts": "mW", "kilobyte": "kB", "kilobytes": "kB",
        "terabyte": "TB", "terabytes": "TB", "megabit": "Mb", "megabits": "Mb", "gigabit": "Gb",
        "gigabits": "Gb", "kilobit": "kb", "kilobits": "kb", "mbit": "Mb", "gbit": "Gb",
        "kbit": "kb", "hertz": "Hz", "khz": "kHz", "mhz": "MHz", "ghz": "GHz", "volt": "V",
        "volts": "V", "kilovolt": "kV", "kilovolts": "kV", "mcg": "µg", "µg": "µg", "μg": "µg",
        "microgram": "µg", "micrograms": "µg", "millisecond": "ms", "milliseconds": "ms",
        "ms": "ms", "microsecond": "µs", "microseconds": "µs", "pp": "percentage point",
        "pps": "percentage point", "bps": "basis point", "bp": "basis point", "yard": "yard",
        "yards": "yard", "gallon": "gallon", "gallons": "gallon", "pint": "pint", "pints": "pint",
        "ounce": "ounce", "ounces": "ounce", "oz": "ounce", "stone": "stone", "knot": "knot",
        "knots": "knot", "celsius": "°C", "fahrenheit": "°F", "kelvin": "K", "barrel": "barrel",
        "barrels": "barrel", "fortnight": "fortnight", "fortnights": "fortnight",
        "ppm": "ppm", "ppb": "ppb", "calories": "cal", "kilocalories": "kcal", "joules": "J",
    }
)  # fmt: skip
#: Symbols that name one unit in two ways.
_SAME = MappingProxyType({"KB": "kB", "kbit": "kb", "Mbit": "Mb", "Gbit": "Gb"})
_POINTS = re.compile(r"[\s-]*(percentage|basis)[\s-]points?\b", re.IGNORECASE)
_DEGREES = re.compile(r"\s?°\s?([CFK])\b")
#: By dimension: units that convert, each with how much of the base unit it is.
_FACTORS: Mapping[str, Mapping[str, int | str]] = MappingProxyType(
    {
        "time": {
            "µs": "0.000001", "ms": "0.001", "second": 1, "minute": 60, "hour": 3600, "day": 86_400,
            "week": 604_800, "fortnight": 1_209_600, "month": 2_629_800, "year": 31_557_600,
            "decade": 315_576_000, "century": 3_155_760_000,
        },
        "mass": {
            "ng": "0.000000001", "µg": "0.000001", "mg": "0.001", "g": 1, "ounce": "28.35",
            "lb": "453.6", "kg": 1000, "stone": 6350, "tonne": 1_000_000,
        },
        "length": {
            "mm": "0.001", "cm": "0.01", "inch": "0.0254", "foot": "0.3048", "yard": "0.9144",
            "m": 1, "km": 1000, "mile": "1609.3",
        },
        "volume": {"ml": "0.001", "cl": "0.01", "dl": "0.1", "litre": 1},
        "power": {"mW": "0.001", "W": 1, "kW": 1000, "MW": 10**6, "GW": 10**9},
        "energy": {"Wh": 1, "kWh": 1000, "MWh": 10**6, "GWh": 10**9, "TWh": 10**12},
        "data": {
            "kb": 125, "kB": 1000, "Mb": 125_000, "MB": 10**6, "Gb": 125_000_000, "GB": 10**9,
            "TB": 10**12,
        },
        "frequency": {"Hz": 1, "kHz": 1000, "MHz": 10**6, "GHz": 10**9},
        "voltage": {"mV": "0.001", "V": 1, "kV": 1000},
        "points": {"percentage point": 1, "basis point": "0.01"},
    }
)  # fmt: skip
#: Each of these units with its dimension and its factor.
SCALED: Mapping[str, tuple[str, Decimal]] = MappingProxyType(
    {
        unit: (dimension, Decimal(factor))
        for dimension, factors in _FACTORS.items()
        for unit, factor in factors.items()
    }
)
_PERIODS = MappingProxyType(
    {
        form: period
        for period, forms in {
            "second": "second seconds s sec",
            "minute": "minute minutes min",
            "hour": "hour hours h hr hourly",
            "day": "day days daily",
            "night": "night nights",
            "week": "week weeks weekly",
            "month": "month months monthly",
            "quarter": "quarter quarters quarterly",
            "year": "year years yearly annum annual annually",
        }.items()
        for form in forms.split()
    }
)
_WORD = re.compile(r"[a-z]+")
_RATE = re.compile(
    r"(?:[^\S\n]*[A-Za-z%°]+){0,2}?[^\S\n]*(?:\b(?:per|an?|each|every)\b|/)[^\S\n]?"
    r"(?:[a-z]{2,10} (?:and|per) )?([a-z]+)\b",
    re.IGNORECASE,
)
_SPEED = re.compile(r"[\s-]*(?:mph|kph|kmh)\b", re.IGNORECASE)
_ADVERB = re.compile(r"[^\S\n]+(?:[a-z]+[^\S\n]+)?([a-z]+ly)\b", re.IGNORECASE)
_BEFORE = re.compile(
    r"\b(hourly|daily|weekly|monthly|quarterly|yearly|annual)\s+(?:[a-z]+\s+){1,3}$", re.IGNORECASE
)


def read_unit(text: str, position: int, word: str, lexicon: Lexicon) -> str:
    """The unit that the words behind a number name; empty if they name none.

    ``word`` is the first of them as it is written.
    """
    points = _POINTS.match(text, position)
    if points is not None:
        return f"{points[1].lower()} point"
    degrees = _DEGREES.match(text, position)
    if degrees is not None:
        return f"°{degrees[1]}"
    return name_unit(word, lexicon)


def name_unit(word: str, lexicon: Lexicon) -> str:
    """One name for all spellings of a unit, as far as its case allows; empty for another word."""
    if word in _KNOWN_SYMBOLS:
        return _SAME.get(word, word)
    lower = word.lower()
    known = lexicon.units.get(lower)
    return _WORDS.get(known or lower) or known or ""


def read_rate(text: str, start: int, end: int) -> str:
    """The period for which an amount is told (per month, a year, daily); empty if for none."""
    if _SPEED.match(text, end):
        return "hour"
    for pattern in (_RATE, _ADVERB):
        found = pattern.match(text, end, end + 40)
        period = _PERIODS.get(found[1].lower()) if found else None
        if period:
            return period
    before = _BEFORE.search(text, max(0, start - 48), start)
    return _PERIODS[before[1].lower()] if before else ""


def name_periods(text: str) -> frozenset[str]:
    """Every period that a text names."""
    words = _WORD.findall(text.lower())
    return frozenset(_PERIODS[word] for word in words if word in _PERIODS)
