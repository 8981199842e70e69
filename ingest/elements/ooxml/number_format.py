"""A cell's number as its workbook shows it (ECMA-376 Part 1, 18.8.31), for English settings.

Understood: sections by sign, figures and thousands, decimals, per cent, scaling, scientific, quoted
and escaped text, currency, dates, times, elapsed time. A format beyond these (fractions, other
calendars) shows the number as ``General`` does. Column widths are not looked at: no ``####``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from spanproof.ingest.elements.ooxml.dates import DATE_TOKEN, format_date, read_moment

# A number is kept with 15 digits and shown with 11; the 15 are what a reader of the cell gets.
_DIGITS = 15
_MOST_DECIMALS = 30
_LARGEST, _SMALLEST = 1e21, 1e-9
#: Formats by their number alone (18.8.30); the others come from the workbook.
BUILT_IN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%",
    11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm",
    17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "m/d/yyyy h:mm", 37: "#,##0_);(#,##0)", 38: "#,##0_);(#,##0)", 39: "#,##0.00_);(#,##0.00)",
    40: "#,##0.00_);(#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0",
    5: '"$"#,##0_);("$"#,##0)', 6: '"$"#,##0_);("$"#,##0)', 7: '"$"#,##0.00_);("$"#,##0.00)',
    8: '"$"#,##0.00_);("$"#,##0.00)', 41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
    42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
    49: "@",
}  # fmt: skip
_TOKEN = re.compile(
    r"""
    "(?P<quoted>[^"]*)" | \\(?P<escaped>.) | _(?P<room>.) | \*(?P<fill>.)
    | \[(?P<bracket>[^\]]*)\] | (?P<general>General) | (?P<ampm>AM/PM|A/P)
    | (?P<exponent>E[+-]0+) | (?P<figures>[0\#?][0\#?,]*(?:\.[0\#?]*)?,*|\.[0\#?]+)
    | (?P<date>y+|m+|d+|h+|s+(?:\.0+)?) | (?P<other>.)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_CURRENCY = re.compile(r"\$([^-]*)")
_CONDITION = re.compile(r"[<>=]")
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """One part of a format, in tokens ``(kind, text)``; ``is_known``: it can be followed."""

    tokens: tuple[tuple[str, str], ...]
    is_date: bool
    is_known: bool
    percents: int
    exponent: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figures:
    """Figures of a format (``#,##0.00,``) in parts; ``least`` of the whole ones are shown."""

    whole: str
    decimals: str
    scale: Decimal
    least: int
    has_point: bool


def format_number(value: float, code: str, *, from_1904: bool = False) -> str:
    """A number as the format shows it."""
    whole = value
    section, value = _section_for(value, code)
    if not section.is_known or abs(value) >= _LARGEST:
        return format_general(whole)
    if section.is_date:
        return format_date(value, section.tokens, from_1904=from_1904) or format_general(whole)
    return _fill(value, section)


def find_moment(value: float, code: str, *, from_1904: bool = False) -> str | None:
    """The date or time, in ISO 8601, of a number that the format shows as one."""
    section, shown = _section_for(value, code)
    if not (section.is_known and section.is_date) or shown != value:
        return None
    return read_moment(value, section.tokens, from_1904=from_1904)


def format_text(text: str, code: str) -> str:
    """A text as the format shows it: a fourth section may put something around it."""
    sections = code.split(";")
    if len(sections) < 4 or "@" not in sections[3]:
        return text
    tokens = _sections_of(code)[-1].tokens
    return "".join(text if token == ("other", "@") else _literal(*token) for token in tokens)


def format_general(value: float) -> str:
    """A number without a format: up to 15 digits, an exponent only where it is very large."""
    if value == int(value) and abs(value) < _LARGEST:
        return str(int(float(f"{value:.{_DIGITS}g}")))
    text = f"{value:.{_DIGITS}g}"
    if "e" in text and _SMALLEST <= abs(value) < _LARGEST:
        return f"{Decimal(text):f}"
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}E{exponent}" if exponent else text


def _section_for(value: float, code: str) -> tuple[_Section, float]:
    """The section of a format that shows a number, and the number that it shows."""
    sections = _sections_of(code)
    if len(sections) > 1 and value < 0:
        return sections[1], -value
    return sections[2 if len(sections) > 2 and value == 0 else 0], value


@lru_cache(maxsize=1024)
def _sections_of(code: str) -> tuple[_Section, ...]:
    sections: list[list[tuple[str, str]]] = [[]]
    for found in _TOKEN.finditer(code):
        kind = found.lastgroup or "other"
        text = found.group(kind)
        if kind == "other" and text == ";":
            sections.append([])
        else:
            sections[-1].append((kind, text))
    return tuple(_judge(tokens) for tokens in sections)


def _judge(tokens: list[tuple[str, str]]) -> _Section:
    elapsed = [t for kind, t in tokens if kind == "bracket" and _ELAPSED.fullmatch(t)]
    is_date = bool(elapsed) or any(kind in DATE_TOKEN for kind, _ in tokens)
    figures = sum(kind == "figures" for kind, _ in tokens)
    conditions = any(kind == "bracket" and _CONDITION.match(t) for kind, t in tokens)
    fraction = any(token == ("other", "/") for token in tokens) and not is_date
    return _Section(
        tokens=tuple(tokens),
        is_date=is_date,
        is_known=not conditions and not fraction and (is_date or figures <= 1),
        percents=sum(token == ("other", "%") for token in tokens),
        exponent=next((text for kind, text in tokens if kind == "exponent"), None),
    )


def _fill(value: float, section: _Section) -> str:
    negative = value < 0
    number = abs(Decimal(f"{value:.{_DIGITS}g}"))
    if section.percents:
        number *= Decimal(100) ** section.percents
    parts: list[str] = []
    for kind, text in section.tokens:
        if kind == "figures":
            parts.append(_figures(number, text, section.exponent))
        elif kind == "general":
            parts.append(format_general(float(number)))
        elif kind != "exponent":
            parts.append("" if (kind, text) == ("other", "@") else _literal(kind, text))
    shown = "".join(parts)
    return f"-{shown}" if negative and any(c in "123456789" for c in shown) else shown


def _figures(number: Decimal, text: str, exponent: str | None) -> str:
    parts = _parts_of(text)
    if parts.scale != 1:
        number /= parts.scale
    if exponent is not None:
        return _scientific(number, parts.whole, parts.decimals, exponent)
    rounded = _round(number, len(parts.decimals))
    figures, _, rest = f"{rounded:f}".partition(".")
    figures = figures.lstrip("0").rjust(parts.least, "0")
    if "," in parts.whole:
        figures = f"{int(figures):,}".rjust(parts.least, "0") if figures else ""
    while rest and parts.decimals[len(rest) - 1] in "#?" and rest.endswith("0"):
        rest = rest[:-1]
    return f"{figures}.{rest}" if parts.has_point else figures


@lru_cache(maxsize=1024)
def _parts_of(text: str) -> _Figures:
    whole, _, decimals = text.partition(".")
    scale = len(text) - len(text.rstrip(","))
    whole = whole.rstrip(",")
    return _Figures(
        whole=whole,
        decimals=decimals.rstrip(","),
        scale=Decimal(1000) ** scale,
        least=whole.count("0"),
        has_point="." in text.rstrip(","),
    )


def _scientific(number: Decimal, whole: str, decimals: str, exponent: str) -> str:
    power = number.adjusted() if number else 0
    # As many figures before the point as the format has: the exponent is a multiple of them.
    step = max(len(whole), 1)
    power -= power % step
    mantissa = _round(number.scaleb(-power), len(decimals))
    sign = "-" if power < 0 else "+" if "+" in exponent else ""
    return f"{mantissa:f}E{sign}{abs(power):0{exponent.count('0')}d}"


def _round(number: Decimal, decimals: int) -> Decimal:
    if number.adjusted() > _DIGITS * 2:
        return number
    return number.quantize(Decimal(1).scaleb(-min(decimals, _MOST_DECIMALS)), ROUND_HALF_UP)


def _literal(kind: str, text: str) -> str:
    """What a token other than a figure shows; colours, room and fillers show nothing."""
    if kind == "bracket":
        currency = _CURRENCY.match(text)
        return currency.group(1) if currency else ""
    return "" if kind in {"room", "fill"} else text
