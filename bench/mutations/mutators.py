"""One change of one protected token of a quote, by kind; each is a lie that looks like the truth.

A mutator gets the quote and the span of its token and returns the quote with that token changed,
or None where it does not suit. What only the typesetting of a text may change (line ends, blanks,
hyphens at a line's end, ligatures, the style of quotation marks) is no mutation here.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from spanproof.core.span import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

Mutator = Callable[[random.Random, str, Span], str | None]

_DIGIT = re.compile(r"[0-9]")
_NUMBER = re.compile(r"[0-9]+")
_LONG_NUMBER = re.compile(r"[0-9]{2,}")
_MARK = re.compile(r"(?<=[0-9])[.,'’\u00a0\u202f\u2009](?=[0-9])")
_SIGNS = ("-", "+", "−", "±", "~")
_COMPARATORS = ("<", ">", "≤", "≥", "=", "≈")
_UNITS = (
    *("mg", "g", "kg", "km", "m", "cm", "mm", "miles", "feet", "tonnes", "litres", "ml"),
    *("seconds", "minutes", "hours", "days", "weeks", "months", "years", "kWh", "MW", "GB", "MB"),
)
_CURRENCIES = ("$", "€", "£", "¥", "₹")
_CURRENCY_WORDS = ("USD", "EUR", "GBP", "dollars", "euros", "pounds", "yen", "CHF")
_NEGATIONS = ("not", "no", "never", "without", "cannot", "nor")
_MODALS = ("must", "shall", "may", "might", "should", "would", "can", "could", "only", "unless")
_NUMBER_WORDS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve"),
    *("fifteen", "twenty", "thirty", "fifty", "hundred", "thousand", "million", "billion"),
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "tenth", "12th", "21st")
_LOOK_ALIKES: Mapping[str, str] = {
    **dict(zip("aceijopsxyABCEHIKMOPTX", "асеіјорѕхуАВСЕНІКМОРТХ", strict=True)),
    **dict(zip("vnotu", "νոօτս", strict=True)),
    **dict(zip("0123456789", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗", strict=True)),
    **dict(zip("lzgh", "ӏᴢɡһ", strict=True)),
}
_LIKE_DIGITS = ("０１２３４５６７８９", "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉", "٠١٢٣٤٥٦٧٨٩", "𝟘𝟙𝟚𝟛𝟜𝟝𝟞𝟟𝟠𝟡")
_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_ZERO_WIDTH = "\u034f\u180e\u200b\u200c\u200d\u2060\ufeff\u2061\u2062\u2063\u2064"
_SELECTORS = "\ufe00\ufe0e\ufe0f\U000e0100\U000e0041\u0301\u0332\u20e3"


def _put(quote: str, start: int, end: int, new: str) -> str:
    return quote[:start] + new + quote[end:]


def _other(rng: random.Random, options: tuple[str, ...] | str, old: str) -> str:
    return rng.choice([option for option in options if option.lower() != old.lower()])


def _one_of(rng: random.Random, pattern: re.Pattern[str], quote: str, token: Span) -> Span | None:
    found = [Span(*m.span()) for m in pattern.finditer(quote, token.start, token.end)]
    return rng.choice(found) if found else None


def _digit(rng: random.Random, quote: str, token: Span) -> str | None:
    place = _one_of(rng, _DIGIT, quote, token)
    if place is None:
        return None
    old = quote[place.start]
    new = rng.choice([_other(rng, "0123456789", old), "", old + rng.choice("0123456789")])
    return _put(quote, place.start, place.end, new)


def _sign(rng: random.Random, quote: str, token: Span) -> str | None:
    number = _NUMBER.search(quote, token.start, token.end)
    if number is None:
        return None
    at = number.start()
    if at and quote[at - 1] in _SIGNS:
        new = rng.choice(["", _other(rng, _SIGNS, quote[at - 1])])
        return _put(quote, at - 1, at, new)
    return _put(quote, at, at, rng.choice(_SIGNS))


def _comparator(rng: random.Random, quote: str, token: Span) -> str | None:
    number = _NUMBER.search(quote, token.start, token.end)
    if number is None:
        return None
    at = number.start()
    before = quote[:at].rstrip(" ")
    if before[-1:] in _COMPARATORS:
        new = rng.choice(["", _other(rng, _COMPARATORS, before[-1])])
        return _put(quote, len(before) - 1, len(before), new)
    return _put(quote, at, at, rng.choice(_COMPARATORS))


def _mark(rng: random.Random, quote: str, token: Span) -> str | None:
    place = _one_of(rng, _MARK, quote, token)
    if place is not None:
        old = quote[place.start]
        # One blank for another is no change that a reader sees.
        others = [] if old.isspace() else [mark for mark in ".,'\u00a0" if mark != old]
        return _put(quote, place.start, place.end, rng.choice(["", *others]))
    number = _one_of(rng, _LONG_NUMBER, quote, token)
    if number is None:
        return None
    at = rng.randrange(number.start + 1, number.end)
    return _put(quote, at, at, rng.choice(".,'"))


def _replace_with(*options: str, drop: bool = False) -> Mutator:
    """Another word of the kind in the token's place; with ``drop`` also none."""

    def mutate(rng: random.Random, quote: str, token: Span) -> str | None:
        old = quote[token.start : token.end]
        new = _other(rng, options, old)
        if drop and rng.random() < 0.4:
            # With the blank behind it, as somebody would who leaves a word out.
            end = token.end + (quote[token.end : token.end + 1] == " ")
            return _put(quote, token.start, end, "")
        return _put(quote, token.start, token.end, new.capitalize() if old[:1].isupper() else new)

    return mutate


def _unit(rng: random.Random, quote: str, token: Span) -> str | None:
    words = list(re.finditer(r"[A-Za-z]+", quote[token.start : token.end]))
    if not words:
        return None
    old = words[-1]
    start, end = token.start + old.start(), token.start + old.end()
    return _put(quote, start, end, _other(rng, _UNITS, old.group()))


def _currency(rng: random.Random, quote: str, token: Span) -> str | None:
    text = quote[token.start : token.end]
    mark = re.search(r"[$€£¥₹]", text)
    if mark:
        at = token.start + mark.start()
        return _put(quote, at, at + 1, rng.choice(["", _other(rng, _CURRENCIES, mark.group())]))
    word = re.search(r"[A-Za-z]{3,}$", text)
    if word is None:
        return None
    new = _other(rng, _CURRENCY_WORDS, word.group())
    return _put(quote, token.start + word.start(), token.end, new)


def _percent(rng: random.Random, quote: str, token: Span) -> str | None:
    mark = re.search(r"[%‰]|per ?cent|pct", quote[token.start : token.end], re.IGNORECASE)
    if mark is None:
        return None
    start, end = token.start + mark.start(), token.start + mark.end()
    return _put(quote, start, end, rng.choice(["", " points", "%‰"[mark.group() == "%"], "x"]))


def _insert_negation(rng: random.Random, quote: str, _: Span) -> str | None:
    blanks = [m.end() for m in re.finditer(r"(?<=[A-Za-z]) (?=[A-Za-z])", quote)]
    if not blanks:
        return None
    at = rng.choice(blanks)
    return _put(quote, at, at, rng.choice(_NEGATIONS[:3]) + " ")


def _name(rng: random.Random, quote: str, token: Span) -> str | None:
    old = quote[token.start : token.end]
    at = rng.randrange(len(old))
    if not old[at].isalpha():
        return None
    letter = _other(rng, "abcdefghiklmnoprstuvwz", old[at])
    letter = letter.upper() if old[at].isupper() else letter
    changed = (
        old[:at] + letter + old[at + 1 :],
        old[:at] + old[at + 1 :],
        old[: at + 1] + letter + old[at + 1 :],
        rng.choice(["Brandt", "Osei", "Kowalski", "Delacroix", "Nguyen"]),
    )
    return _put(quote, token.start, token.end, rng.choice(changed))


def _look_alike(rng: random.Random, quote: str, token: Span) -> str | None:
    places = [i for i in range(token.start, token.end) if quote[i] in _LOOK_ALIKES]
    if not places:
        return None
    at = rng.choice(places)
    return _put(quote, at, at + 1, _LOOK_ALIKES[quote[at]])


def _like_digit(rng: random.Random, quote: str, token: Span) -> str | None:
    place = _one_of(rng, _DIGIT, quote, token)
    if place is None:
        return None
    return _put(quote, place.start, place.end, rng.choice(_LIKE_DIGITS)[int(quote[place.start])])


def _insert(characters: str) -> Mutator:
    """One character put into the quote: half of the time into the protected token itself."""

    def mutate(rng: random.Random, quote: str, token: Span) -> str | None:
        inside = rng.random() < 0.5 and len(token) > 1
        low, high = (token.start + 1, token.end) if inside else (1, len(quote))
        at = rng.randrange(low, high)
        return _put(quote, at, at, rng.choice(characters))

    return mutate


#: Kinds of protected tokens that a mutator works on; None: any place of the quote will do.
_NUMERIC = frozenset({"number", "percent", "currency", "quantity", "date", "year", "ordinal"})
_WORDS = frozenset({"negation", "modal", "number_word", "quantifier", "name"})
MUTATORS: Mapping[str, tuple[frozenset[str], Mutator]] = {
    "digit": (_NUMERIC, _digit),
    "sign": (_NUMERIC, _sign),
    "comparator": (_NUMERIC, _comparator),
    "decimal or thousand mark": (_NUMERIC, _mark),
    "unit": (frozenset({"quantity"}), _unit),
    "currency": (frozenset({"currency"}), _currency),
    "percent": (frozenset({"percent"}), _percent),
    "negation changed": (frozenset({"negation"}), _replace_with(*_NEGATIONS, drop=True)),
    "negation put in": (_NUMERIC | _WORDS, _insert_negation),
    "modal": (frozenset({"modal"}), _replace_with(*_MODALS, drop=True)),
    "number word": (frozenset({"number_word"}), _replace_with(*_NUMBER_WORDS, drop=True)),
    "ordinal": (frozenset({"ordinal"}), _replace_with(*_ORDINALS)),
    "quantifier": (
        frozenset({"quantifier"}),
        _replace_with("all", "some", "most", "few", "every", "either", "almost", drop=True),
    ),
    "name": (frozenset({"name"}), _name),
    "look-alike letter or digit": (_NUMERIC | _WORDS, _look_alike),
    "digit of another kind": (_NUMERIC, _like_digit),
    "bidi control": (_NUMERIC | _WORDS, _insert(_BIDI)),
    "zero-width character": (_NUMERIC | _WORDS, _insert(_ZERO_WIDTH)),
    "variation selector or mark": (_NUMERIC | _WORDS, _insert(_SELECTORS)),
}
