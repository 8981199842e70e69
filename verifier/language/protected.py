"""Protected tokens: the parts of a text that may not change by a character.

Numbers with what belongs to them (sign, comparator, decimal and thousand marks, per cent,
currency, unit), dates, number words and ordinals, negations, modals, quantifiers and names. Every
pattern here runs in linear time: no quantifier is nested in another over the same characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Literal

from spanproof.core.span import Span
from spanproof.verifier.language.lexicon import Lexicon, Locale, lexicon_of

ProtectedKind = Literal[
    "number",
    "percent",
    "currency",
    "quantity",
    "date",
    "year",
    "number_word",
    "ordinal",
    "negation",
    "modal",
    "quantifier",
    "name",
]

#: Kinds that carry a number or a date.
NUMERIC_KINDS = frozenset(
    {"number", "percent", "currency", "quantity", "date", "year", "number_word", "ordinal"}
)
#: Characters that belong to a number wherever they stand next to one.
NUMBER_SIGNS = frozenset("+−±×÷=<>≤≥≠≈~%‰°§$€£¥₹¢₽₩")
#: Spaces that group thousands (ISO 31-0 asks for a thin one; people type a plain one).
_THIN = "\u00a0\u202f\u2009 "
_DIGITS = rf"\d+(?:[.,]\d+)*(?:(?<=\d)[{_THIN}'’]\d{{3}}(?!\d))*(?:[.,]\d+)?"
_SIGN = r"(?:[<>≤≥=≈~±+−]\s?|(?<![\w)-])-)?"
#: No number that people write takes more words; a longer run would only grow without bound.
_MAX_NUMBER_WORDS = 12
#: Longer numbers are compared as they are written: nothing is rounded.
_MAX_DIGITS = 24
_PERCENT = r"%|‰|percent\b|per\ cent\b|pct\b"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectedToken:
    """One protected token; ``value`` is what two spellings of it share."""

    kind: ProtectedKind
    span: Span
    text: str
    value: str


@dataclass(frozen=True, slots=True)
class _Patterns:
    date: re.Pattern[str]
    number: re.Pattern[str]
    words: re.Pattern[str]
    name: re.Pattern[str]


def find_protected(text: str, *, locale: Locale = "en") -> tuple[ProtectedToken, ...]:
    """Every protected token of the text, in order, none overlapping another."""
    lexicon, patterns = lexicon_of(locale), _patterns(locale)
    found: list[ProtectedToken] = []
    taken = bytearray(len(text))

    def take(kind: ProtectedKind, span: Span, value: str) -> None:
        if any(taken[span.start : span.end]):
            return
        taken[span.start : span.end] = b"\x01" * len(span)
        found.append(
            ProtectedToken(
                kind=kind, span=span, text=text[span.start : span.end], value=value.lower()
            )
        )

    for match in patterns.date.finditer(text):
        take("date", Span(*match.span()), _date_value(match.group(), lexicon))
    for match in patterns.number.finditer(text):
        kind, value = _read_number(match, lexicon)
        take(kind, Span(*match.span()), value)
    for start, end, number in _number_words(text, lexicon):
        take("number_word", Span(start, end), str(number))
    for match in patterns.words.finditer(text):
        word = match.group().lower().replace("’", "'")
        word_kind = _word_kind(word, lexicon)
        if word_kind is not None:
            ordinal = lexicon.ordinals.get(word)
            take(word_kind, Span(*match.span()), word if ordinal is None else str(ordinal))
    for match in patterns.name.finditer(text):
        if match.group().lower() not in lexicon.function_words:
            take("name", Span(*match.span()), match.group())
    return tuple(sorted(found, key=lambda token: token.span))


@cache
def unfoldable_words(locale: Locale = "en") -> frozenset[str]:
    """Lower-case words in or next to which no fold is allowed."""
    return lexicon_of(locale).unfoldable


def is_number_character(character: str) -> bool:
    """Whether a character is a digit of any script, a sign, a comparator or a currency mark."""
    return character.isnumeric() or character in NUMBER_SIGNS


def read_decimal(digits: str) -> tuple[Decimal, ...]:
    """Possible values of digits with marks: 1,500 has one in English, 1.500 has two."""
    plain = re.sub(rf"[{_THIN}'’]", "", digits)
    readings: list[str] = []
    if len(plain) > _MAX_DIGITS or not plain.isascii():
        return ()
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", plain):
        readings.append(plain.replace(",", ""))
    elif re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", plain):
        if plain.count(".") == 1 and "," not in plain:
            readings.append(plain)
        readings.append(plain.replace(".", "").replace(",", "."))
    elif re.fullmatch(r"\d+,\d+", plain):
        readings.append(plain.replace(",", "."))
    elif re.fullmatch(r"\d+(?:\.\d+)?", plain):
        readings.append(plain)
    return tuple(Decimal(reading) for reading in readings)


def _read_number(match: re.Match[str], lexicon: Lexicon) -> tuple[ProtectedKind, str]:
    readings = read_decimal(match["digits"])
    value = format(readings[0].normalize(), "f") if readings else match["digits"]
    sign = (match["sign"] or "").strip().replace("−", "-")
    scale = lexicon.scales.get((match["scale"] or "").lower())
    scale = scale or lexicon.short_scales.get((match["short"] or "").lower())
    if scale and readings:
        value = format((readings[0] * scale).normalize(), "f")
    mark = match["mark"] or match["code"]
    if match["percent"]:
        return "percent", f"{sign}{value} %"
    if mark:
        # "US$", and "US" before any other sign; the code "USD" stays whole.
        currency = lexicon.currencies[re.sub(r"^us(?=\W)", "", mark.strip().lower())]
        return "currency", f"{sign}{value} {currency}"
    if match["unit"]:
        return "quantity", f"{sign}{value} {lexicon.units[match['unit'].lower()]}"
    if match["ordinal"]:
        return "ordinal", value
    plain_year = not sign and re.fullmatch(r"1[0-9]{3}|20[0-9]{2}", match["digits"])
    return ("year" if plain_year else "number"), f"{sign}{value}"


def _date_value(text: str, lexicon: Lexicon) -> str:
    parts = []
    for part in re.findall(r"\d+|[^\W\d_]+", text.lower()):
        if part.isdigit():
            parts.append(str(int(part)))
        elif part[:3] in {month[:3] for month in lexicon.months}:
            parts.append(part[:3])
    return "-".join(sorted(parts))


def _word_kind(word: str, lexicon: Lexicon) -> ProtectedKind | None:
    if word in lexicon.negations or word.endswith("n't"):
        return "negation"
    if word in lexicon.modals:
        return "modal"
    if word in lexicon.quantifiers:
        return "quantifier"
    return "ordinal" if word in lexicon.ordinals else None


def _number_words(text: str, lexicon: Lexicon) -> list[tuple[int, int, int]]:
    """Runs of number words (``one hundred and twenty-five``) with their values."""
    known = {**lexicon.cardinals, **lexicon.scales}
    runs: list[list[re.Match[str]]] = []
    for match in re.finditer(r"[A-Za-z]+", text):
        if match.group().lower() not in known:
            continue
        gap = text[runs[-1][-1].end() : match.start()].lower() if runs else None
        if gap in {" ", "-", " and "} and len(runs[-1]) < _MAX_NUMBER_WORDS:
            runs[-1].append(match)
        else:
            runs.append([match])
    return [
        (run[0].start(), run[-1].end(), _sum_words([m.group().lower() for m in run], lexicon))
        for run in runs
    ]


def _sum_words(words: list[str], lexicon: Lexicon) -> int:
    total = current = 0
    for word in words:
        if word in lexicon.cardinals:
            current += lexicon.cardinals[word]
        elif lexicon.scales[word] <= 100:
            current = max(current, 1) * lexicon.scales[word]
        else:
            total += max(current, 1) * lexicon.scales[word]
            current = 0
    return total + current


@cache
def _patterns(locale: Locale) -> _Patterns:
    lexicon = lexicon_of(locale)

    def either(words: list[str]) -> str:
        return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))

    months = either([*lexicon.months, *(month[:3] for month in lexicon.months), "sept"]) + r")\b\.?"
    marks = either([word for word in lexicon.currencies if not word.isalpha()])
    codes = either([word for word in lexicon.currencies if word.isalpha()])
    date = (
        rf"\b\d{{4}}-\d{{2}}-\d{{2}}\b|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b"
        rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?(?:{months}(?:,?\s\d{{4}}\b)?"
        rf"|\b(?:{months}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}}\b)?"
        rf"|\b(?:{months}\s\d{{4}}\b"
    )
    number = (
        rf"(?P<sign>{_SIGN})(?P<mark>(?:US)?(?:{marks})\s?)?(?<![A-Za-z\d])(?P<digits>{_DIGITS})"
        rf"(?P<ordinal>(?:st|nd|rd|th)\b)?"
        rf"(?:[\s-]?(?P<scale>{either(list(lexicon.scales))})s?\b|(?P<short>{either(list(lexicon.short_scales))})\b)?"
        rf"(?:\s?(?P<percent>{_PERCENT})|\s?(?P<code>(?:{marks})|(?:{codes})\b)"
        rf"|[\s-]?(?P<unit>{either(list(lexicon.units))})\b)?"
    )
    return _Patterns(
        date=re.compile(date, re.IGNORECASE),
        number=re.compile(number, re.IGNORECASE),
        words=re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?"),
        # Not at a sentence's start, where a capital has no meaning.
        name=re.compile(r"(?<=[\w,;:)] )[A-Z][\w’'-]+"),
    )
