"""Quantities of a text: numbers with what they count and their bounds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.verifier.language.lexicon import Locale, lexicon_of, stem
from spanproof.verifier.slots.amounts import find_currency, is_bare_m, read_values
from spanproof.verifier.slots.measures.units import SCALED, name_unit, read_rate, read_unit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from spanproof.core.span import Span
    from spanproof.verifier.language.lexicon import Lexicon
    from spanproof.verifier.language.protected import ProtectedToken

#: Words after which a number is a name (Section 3, Phase 2), not an amount.
_LABELS = frozenset(
    {"act", "annex", "appendix", "article", "channel", "chapter", "clause", "class", "figure"}
    | {"fig", "episode", "grade", "highway", "item", "level", "line", "no", "no.", "number", "page"}
    | {"paragraph", "part", "phase", "room", "route", "rule", "season", "section", "step", "stage"}
    | {"table", "type", "version", "volume"}
)
#: Words between a number and what it counts.
_FILLERS = frozenset(
    {"additional", "business", "calendar", "consecutive", "different", "full", "further", "more"}
    | {"new", "other", "separate", "such", "total", "whole", "working"}
)
_LOWER = re.compile(
    r"(?:at least|(?<!no )(?<!not )(?:more|greater) than|over|above|exceed(?:s|ed|ing)?|not? "
    r"(?:less|fewer) than|minimum(?: of)?|upwards of|[>≥])\s*(?:the\s|a\s)?(?-i:[A-Z]{3}\s)?$",
    re.IGNORECASE,
)
_UPPER = re.compile(
    r"(?:at most|less than|fewer than|under|below|up to|no(?:t)? more than|no later than|within|"
    r"maximum(?: of)?|[<≤])\s*(?:the\s|a\s)?(?-i:[A-Z]{3}\s)?$",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:about|around|approximately|approx\.?|nearly|almost|roughly|some|circa|ca\.?|close to|[~≈])"
    r"\s*(?:the\s|a\s)?(?-i:[A-Z]{3}\s)?$",
    re.IGNORECASE,
)
#: What joins the two ends of a range.
RANGE_JOINT = re.compile(r"\s*(?:[-–—]|to|and|or|through|until)\s*(?:[$€£]\s?)?$", re.IGNORECASE)
_NEXT_WORD = re.compile(r"[\s-]*(?:\(\s*\d+\s*\)\s*)?(?:U\.?S\.?\s(?=dollar))?([A-Za-zµμ%]+)")
#: The scale of a temperature behind its degrees.
_SCALE = re.compile(r"[^\S\n](C|F|Celsius|Fahrenheit|celsius|fahrenheit)\b")
_LAST_WORD = re.compile(r"[A-Za-zµμ]+$")
#: Speeds in one word, by the unit of the way.
_SPEEDS: Mapping[str, str] = MappingProxyType({"mph": "mile", "kph": "km", "kmh": "km"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One amount: its possible values, its unit, and how far it is only a bound.

    ``group`` is ``percent``, ``currency:USD``, ``unit:day``, ``count:member``, ``ordinal:floor`` or
    ``number`` (counts nothing that is named next to it). ``low`` and ``high`` are the bounds that
    the words around it set (equal for a plain amount, None for no bound on that side).
    """

    span: Span
    text: str
    group: str
    values: tuple[Decimal, ...]
    low: Decimal | None
    high: Decimal | None
    about: bool = False
    rate: str = ""

    @property
    def open(self) -> bool:
        """Whether it has no bound: one end of a range that could not be read."""
        return self.low is None and self.high is None

    @property
    def plain(self) -> bool:
        """Whether it states one amount, neither a bound nor a range."""
        return self.low is not None and self.low == self.high

    @property
    def scaled(self) -> tuple[str, Decimal] | None:
        """The dimension and the amount in its base unit, if the unit has one."""
        known = SCALED.get(self.group.removeprefix("unit:"))
        return (known[0], known[1] * self.values[0]) if known and self.values else None


def find_quantities(
    text: str, protected: tuple[ProtectedToken, ...], *, locale: Locale = "en"
) -> tuple[Quantity, ...]:
    """Every amount of the text; list numbers, labels and reference marks do not count."""
    lexicon = lexicon_of(locale)
    tokens = [
        token
        for token in protected
        if token.kind in {"number", "percent", "currency", "quantity", "number_word", "ordinal"}
        and not _is_label(text, token)
    ]
    found = [q for token in tokens if (q := _to_quantity(text, token, lexicon)) is not None]
    return tuple(_join_ranges(text, found))


def _is_label(text: str, token: ProtectedToken) -> bool:
    start, end = token.span.start, token.span.end
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if token.kind == "number" and not line.strip() and text[end : end + 1] in {".", ")"}:
        return True
    if text[start - 1 : start] in {"[", "#"} or (text[start - 1 : start].isalnum() and start):
        return True
    if start > 1 and text[start - 1] in "-‐‑" and text[start - 2].isalpha():
        return True  # COVID-19
    if token.kind == "number" and text[end : end + 1].isalpha():
        return True
    previous = re.search(r"([A-Za-z.]+)\s*$", text[max(0, start - 16) : start])
    return previous is not None and previous.group(1).lower() in _LABELS


def _to_quantity(text: str, token: ProtectedToken, lexicon: Lexicon) -> Quantity | None:
    values = read_values(text, token, lexicon)
    if not values:
        return None
    unit = token.value.partition(" ")[2]
    group = _group(text, token, unit, lexicon)
    before = text[max(0, token.span.start - 24) : token.span.start]
    signed = before + token.text[: len(token.text) - len(token.text.lstrip("<>≤≥~≈ "))]
    low: Decimal | None = values[0]
    high: Decimal | None = values[0]
    if _LOWER.search(signed):
        high = None
    elif _UPPER.search(signed):
        low = None
    return Quantity(
        span=token.span,
        text=token.text,
        group=group,
        values=values,
        low=low,
        high=high,
        about=_ABOUT.search(signed) is not None,
        rate=read_rate(text, token.span.start, token.span.end),
    )


def _group(text: str, token: ProtectedToken, unit: str, lexicon: Lexicon) -> str:
    if token.kind == "percent":
        return "unit:per mille" if "‰" in token.text else "percent"
    if token.kind == "currency":
        return f"currency:{unit.upper()}"
    ordinal = token.kind == "ordinal"
    if not ordinal and (token.kind != "quantity" or is_bare_m(token)):
        currency = find_currency(text, token, lexicon)
        if currency is not None:
            return f"currency:{currency}"
    if token.kind == "quantity":
        scale = _SCALE.match(text, token.span.end) if unit == "degree" else None
        if scale is not None:
            return f"unit:°{scale[1][0].upper()}"
        written = _LAST_WORD.search(token.text)
        return f"unit:{(written and name_unit(written[0], lexicon)) or unit}"
    written_word = _counted_word(text, token.span.end, lexicon)
    if not ordinal and (measure := _measure(text, token.span.end, written_word, lexicon)):
        return measure
    word = written_word.lower()
    if ordinal:
        return f"ordinal:{stem(word)}"
    return f"count:{stem(word)}" if word else "number"


def _counted_word(text: str, position: int, lexicon: Lexicon) -> str:
    """The word that a number before ``position`` counts; empty if there is none."""
    for _ in range(3):
        match = _NEXT_WORD.match(text, position)
        word = match.group(1) if match else ""
        if match is None or word.lower() in lexicon.function_words:
            return ""
        if word.lower() not in _FILLERS:
            return word
        position = match.end()
    return ""


def _measure(text: str, position: int, word: str, lexicon: Lexicon) -> str:
    lower = word.lower()
    if lower in {"percent", "pct"} or word == "%":
        return "percent"
    if lower in _SPEEDS:
        return f"unit:{_SPEEDS[lower]}"
    unit = read_unit(text, position, word, lexicon)
    if unit:
        return f"unit:{unit}"
    return f"currency:{lexicon.currencies[lower]}" if lower in lexicon.currencies else ""


def _join_ranges(text: str, found: list[Quantity]) -> list[Quantity]:
    """``80 % to 90 %``, ``between 3 and 5``: each end carries the whole range."""
    joined = list(found)
    for index in range(len(found) - 1):
        left, right = found[index], found[index + 1]
        gap = text[left.span.end : right.span.start]
        before = text[max(0, left.span.start - 12) : left.span.start].lower()
        named = re.search(r"(?:between|from)\s+(?:[$€£]\s?)?$", before)
        joint = RANGE_JOINT.fullmatch(gap)
        sure = joint and (named or gap.strip().lower() in {"-", "–", "—", "to"})
        if not sure:
            continue
        # "75 cm to 2 metres" is a range too, but not of these figures.
        read = left.values[0] <= right.values[0]
        group = right.group if left.group == "number" else left.group
        for place in (index, index + 1):
            old = joined[place]
            joined[place] = Quantity(
                span=old.span,
                text=old.text,
                group=group,
                values=old.values,
                low=left.values[0] if read else None,
                high=right.values[0] if read else None,
                rate=old.rate,
            )
    return joined
