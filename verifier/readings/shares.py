"""One notation for two texts: fractions of a whole, times of day, two units, a rough number."""

from __future__ import annotations

import re
from decimal import Decimal
from types import MappingProxyType

from spanproof.verifier.language.kept import keep_last
from spanproof.verifier.readings.limits import write_limits

_PARTS = MappingProxyType(
    {"half": 2, "halves": 2, "quarter": 4, "fourth": 4, "fifth": 5, "tenth": 10, "twentieth": 20}
)
_COUNTS = MappingProxyType(
    {"a": 1, "": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
    | {"eight": 8, "nine": 9}
)
#: "A quarter of the samples", "three-quarters of"; no fraction beyond a whole ("two and a half").
_FRACTION = re.compile(
    r"(?<!and )(?<!\d )\b(?:(?P<count>a|one|two|three|four|five|six|seven|eight|nine)[ -])?"
    r"(?P<part>half|halves|quarter|fourth|fifth|tenth|twentieth)s?(?: of)?(?= (?:the|all|its|their|"
    r"our|his|her|those|these|voters|patients|people|adults|children|women|men|households)\b)",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\b(1[0-2]|[1-9])(?:[:.]([0-5]\d))? ?([ap])\.?m\b\.?", re.IGNORECASE)
_NOON = 12
#: "Some 60 per cent" are about so many, not a part of them.
_SOME = re.compile(r"\b[Ss]ome (?=\d)")
_UNIT = re.compile(
    r"(?<![\d.,])(?P<number>\d{1,3}(?:,\d{3})++|\d++(?:\.\d++)?) "
    r"(?P<unit>cubic met(?:re|er)s?|m³|m3|hectares?|ha)(?!\w)"
)
#: To which unit, and how many of it.
_UNITS = MappingProxyType({"c": ("litres", "1000"), "m": ("litres", "1000"), "h": ("km2", "0.01")})
#: "1 250" with a space that no line ends at: what the International System writes for 1,250.
_GROUPS = re.compile(
    r"(?<![\d.,])\d{1,3}(?:[\u00a0\u202f\u2009]\d{3})+(?!\d|[\u00a0\u202f\u2009]\d)"
)
#: "Twice a day".
_DAILY = re.compile(r"\b(once|twice|\w+ times) (?:a|per|each) day\b")
_SQUARE = re.compile(r"(?<=\d )(?:square kilomet(?:re|er)s?|km²|sq\.? km)(?!\w)")


@keep_last
def write_alike(text: str) -> str:
    """The text in per cent, hours from 0 to 23, litres and square kilometres, where it has others.

    What is written so already stays as it is.
    """
    text = _GROUPS.sub(lambda found: re.sub(r"\s", ",", found.group()), text)
    text = write_limits(_DAILY.sub(r"\1 daily", text))
    text = _CLOCK.sub(_to_day, _FRACTION.sub(_to_share, text))
    return _SQUARE.sub("km2", _UNIT.sub(_convert, _SOME.sub("about ", text)))


def _convert(found: re.Match[str]) -> str:
    unit, factor = _UNITS[found["unit"][0]]
    number = Decimal(found["number"].replace(",", "")) * Decimal(factor)
    return f"{number.normalize():f} {unit}"


def _to_share(found: re.Match[str]) -> str:
    part = found["part"].lower()
    count = _COUNTS[(found["count"] or "").lower()]
    whole = _PARTS[part]
    # "The fifth of the shares", "fifth of all": an ordinal.
    if (found["count"] is None and part != "half") or count > whole:
        return found.group()
    return f"{count * 100 // whole} % of" if not count * 100 % whole else found.group()


def _to_day(found: re.Match[str]) -> str:
    hour = int(found[1]) % _NOON + (_NOON if found[3].lower() == "p" else 0)
    return f"{hour:02d}:{found[2] or '00'}"
