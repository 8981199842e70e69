"""A claim's amounts, dates and contractions in one spelling, before a model reads the pair.

``5`` and ``five``, ``2024-03-05`` and ``March 5, 2024`` say the same, and a small model takes them
for different things. So it reads them as the premise writes them, and what the premise has in no
spelling in the one that texts prefer. Only spellings of one value are exchanged; whether values
agree is what the slot checks ask, of the claim as it was written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.verifier.entailment.encoding.plain_spelling import spell_count, spell_plainly
from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.slots.amounts import read_amount
from spanproof.verifier.slots.tokens import read_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.language.protected import ProtectedToken

#: Part of the runtime's name: another rule may give another verdict.
VERSION = 1
#: Longer premises are not searched: a span that somebody cites is far shorter.
MAX_PREMISE = 100_000
#: Words for so few are articles, pronouns and denials as often as they are amounts.
_SMALL = frozenset({0, 1})
_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_ORDINAL = re.compile(r"([1-9]\d*)(?:st|nd|rd|th)\b", re.IGNORECASE | re.ASCII)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*", re.ASCII)
_CODE = re.compile(r"\b([A-Z]{3})\s?$")
_FAMILIES = MappingProxyType(
    {
        "number": "number",
        "number_word": "number",
        "year": "number",
        "percent": "percent",
        "currency": "currency",
        "quantity": "quantity",
        "ordinal": "ordinal",
        "date": "date",
    }
)

#: What two spellings share: a family of kinds, and a value.
_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A stretch of a text and what its other spellings share with it."""

    start: int
    end: int
    key: _Key


def respell(claim: str, premise: str, *, locale: Locale = "en") -> str:
    """The claim as a model reads it beside this premise: the same values, in other words."""
    plain = spell_plainly(claim, locale=locale)
    ours = _find_spellings(plain, locale)
    if not ours:
        return plain
    known = _spellings_of(premise, locale) if len(premise) <= MAX_PREMISE else {}
    parts: list[str] = []
    at = 0
    for ways in ours:
        way = next((way for way in ways if way.key in known), ways[-1])
        if way.start < at:
            continue
        written = plain[way.start : way.end]
        parts += [plain[at : way.start], _choose(written, way, known, plain, locale)]
        at = way.end
    return "".join([*parts, plain[at:]])


def _choose(
    written: str,
    way: _Spelling,
    known: Mapping[_Key, tuple[str, ...]],
    text: str,
    locale: Locale,
) -> str:
    """The premise's first spelling, the claim's own where the premise has it too."""
    spellings = known.get(way.key)
    if spellings:
        is_shared = written.lower() in map(str.lower, spellings)
        return written if is_shared else spellings[0]
    if way.key[0] == "number":
        return spell_count(written, way.key[1], text[way.end :], locale=locale)
    return written


@lru_cache(maxsize=8)
def _spellings_of(premise: str, locale: Locale) -> Mapping[_Key, tuple[str, ...]]:
    """By value, how the premise writes it, in the order of its text."""
    found: dict[_Key, dict[str, None]] = {}
    for ways in _find_spellings(premise, locale):
        for way in ways:
            found.setdefault(way.key, {})[premise[way.start : way.end]] = None
    return {key: tuple(texts) for key, texts in found.items()}


def _find_spellings(text: str, locale: Locale) -> list[tuple[_Spelling, ...]]:
    """Each amount, ordinal and date: as a whole, and its bare number where it has a unit."""
    found = [
        _read_ways(text, token, family, locale)
        for token in read_tokens(text, locale)
        if (family := _FAMILIES.get(token.kind)) is not None
    ]
    return [ways for ways in found if ways]


def _read_ways(
    text: str, token: ProtectedToken, family: str, locale: Locale
) -> tuple[_Spelling, ...]:
    if family != "date":
        return _read_amounts(text, token, family, locale)
    key = _read_date(token.text, locale)
    return () if key is None else (_Spelling(token.span.start, token.span.end, key),)


def _read_amounts(
    text: str, token: ProtectedToken, family: str, locale: Locale
) -> tuple[_Spelling, ...]:
    start, end = token.span.start, token.span.end
    ordinal = _ORDINAL.match(token.text)
    if ordinal is not None:
        # "3rd year" is one token, and does not mean three years.
        return (_Spelling(start, start + ordinal.end(), ("ordinal", ordinal[1], "")),)
    values = read_amount(token)
    # "1.500" can be read as two values. A sign or a comparator is part of the meaning.
    is_bare = token.text[0].isalnum() or family == "currency"
    if len(values) != 1 or not is_bare or (family == "number" and values[0] in _SMALL):
        return ()
    amount = format(values[0].normalize(), "f")
    unit = token.value.partition(" ")[2]
    if family == "number" and (code := _CODE.search(text, 0, start)) is not None:
        currency = lexicon_of(locale).currencies.get(code[1].lower())
        if currency is not None:
            return (_Spelling(code.start(), end, ("currency", amount, currency.lower())),)
    whole = _Spelling(start, end, (family, amount, unit))
    digits = _DIGITS.match(token.text) if family == "quantity" and values[0] not in _SMALL else None
    if digits is None:
        return (whole,)
    return (whole, _Spelling(start, start + digits.end(), ("number", amount, "")))


def _read_date(text: str, locale: Locale) -> _Key | None:
    """Year, month and day; None where the month is missing or a part may mean two things."""
    months = [month[:3] for month in lexicon_of(locale).months]
    iso = _ISO_DATE.fullmatch(text)
    if iso is not None:
        year, month, day = map(int, iso.groups())
        return ("date", str(year), str(month), str(day))
    words = re.findall(r"\d+|[a-z]+", text.lower())
    named = [word[:3] for word in words if word[:3] in months]
    years = [int(word) for word in words if re.fullmatch(r"\d{4}", word)]
    days = [int(word) for word in words if re.fullmatch(r"\d{1,2}", word)]
    if len(named) != 1 or len(years) > 1 or len(days) > 1:
        return None
    year_part = str(years[0]) if years else ""
    day_part = str(days[0]) if days else ""
    return ("date", year_part, str(months.index(named[0]) + 1), day_part)
