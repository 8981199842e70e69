"""The possible values of a token's number, and its place."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from spanproof.verifier.language.protected import read_decimal

if TYPE_CHECKING:
    from spanproof.verifier.language.lexicon import Lexicon
    from spanproof.verifier.language.protected import ProtectedToken

_MINUS = re.compile(r"(?<![\d%] )\b(?:minus|negative)\s$", re.IGNORECASE)
_AND_HALF = re.compile(r"\s+and\s+a\s+half\b(?:\s+([a-z]+))?", re.IGNORECASE)
_HALF = re.compile(r"\b(and\s+a\s+)?half\s+(?:an?\s+)?$", re.IGNORECASE)
#: Behind one of these an amount may be what a minus says elsewhere ("fell by 3 %": -3 %).
_FALLING = re.compile(
    r"\b(?:f[ae]ll(?:s|ing|en)?|declin\w*|decreas\w*|drop\w*|down|loss(?:es)?|lost|shr[au]nk"
    r"|reduc\w*|slid|slump\w*|plung\w*|dipp?\w*|contract(?:ed|ion)|negative)\b[^.;!?\n]{0,20}$",
    re.IGNORECASE,
)
#: The code of a currency before an amount (USD 5 million).
_CODE = re.compile(r"\b([A-Z]{3})\s$")
#: Letters that scale an amount of money ($5m, £2b); without money "5m" may be metres too.
_MONEY_SCALE = re.compile(r"\d(?:\s?(m)|(b)|(tn))\b", re.IGNORECASE)
_MONEY_SCALES = (Decimal(10**6), Decimal(10**9), Decimal(10**12))
_MILLIONS = re.compile(r"\dm$", re.IGNORECASE)


def read_amount(token: ProtectedToken) -> tuple[Decimal, ...]:
    """The possible values of a token's number; empty if it cannot be read exactly."""
    amount = token.value.partition(" ")[0].lstrip("<>≤≥=≈~±+")
    if not re.fullmatch(r"-?\d+(?:\.\d+)?", amount) or len(amount) > 24:
        return ()
    value = Decimal(amount)
    digits = re.search(r"\d[\d.,'’\s]*\d|\d", token.text)
    readings = read_decimal(digits.group()) if digits is not None else ()
    return readings if value in readings else (value,)


def read_values(text: str, token: ProtectedToken, lexicon: Lexicon) -> tuple[Decimal, ...]:
    """The values at the token's place, with signs and scales around it; the likeliest first.

    "minus 5" is -5, "half a million" 500,000, "$5m" and "USD 5m" are five million. "5m" alone may
    be metres or millions, and "fell by 3 %" is also -3 %.
    """
    values = read_amount(token)
    start = token.span.start
    before = text[max(0, start - 48) : start]
    if _MINUS.search(before):
        return tuple(-value for value in values)
    if token.kind in {"number", "number_word"}:
        added = _AND_HALF.match(text, token.span.end)
        if added is not None:
            scale = lexicon.scales.get((added[1] or "").lower(), 1)
            return tuple((value + Decimal("0.5")) * scale for value in values)
    half = _HALF.search(before) if token.text.lower() in lexicon.scales else None
    if half is not None:
        # "Two and a half million" was read with the two.
        return () if half[1] else tuple(value / 2 for value in values)
    is_bare = is_bare_m(token)
    if token.kind == "currency" or (is_bare and find_currency(text, token, lexicon)):
        end = token.span.end
        letter = _MONEY_SCALE.search(text, start, end + 4)
        if letter is not None and letter.lastindex and letter.start() < end:
            values = tuple(value * _MONEY_SCALES[letter.lastindex - 1] for value in values)
    elif is_bare:
        return (*values, *(value * _MONEY_SCALES[0] for value in values))
    if token.kind in {"currency", "percent"} and _FALLING.search(before):
        return (*values, *(-value for value in values))
    return values


def is_bare_m(token: ProtectedToken) -> bool:
    """Whether an amount ends in an "m" that may be metres or millions."""
    return token.kind == "quantity" and _MILLIONS.search(token.text) is not None


def find_currency(text: str, token: ProtectedToken, lexicon: Lexicon) -> str | None:
    """The currency whose code stands before an amount."""
    start = token.span.start
    code = _CODE.search(text, max(0, start - 5), start)
    return lexicon.currencies.get(code[1].lower()) if code else None
