"""Format-only changes of a claim, by rule: the meaning stays, the writing changes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from training.variants.mutation_words import MONTHS, NUMBER_WORDS, ORDINALS
from training.variants.mutations import Mutation

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    Change = Callable[[re.Match[str]], str]

_MONTH = "|".join(MONTHS)
_WORDS = "|".join(sorted(NUMBER_WORDS[2:], key=len, reverse=True))
_COUNTED = r"(?=[ -](?:[a-z]+ )?[a-z]+s\b)"
_SPELLINGS = {
    "km": "kilometres",
    "kilometres": "km",
    "kilometers": "km",
    "kg": "kilograms",
    "kilograms": "kg",
    "mg": "milligrams",
    "milligrams": "mg",
    "ml": "millilitres",
    "cm": "centimetres",
    "mm": "millimetres",
    "metres": "meters",
    "meters": "metres",
    "hours": "hrs",
    "hour": "hr",
    "minutes": "min",
    "years": "yrs",
    "feet": "ft",
    "miles": "mi",
    "pounds": "lbs",
}
_CODES = {"$": "USD", "€": "EUR", "£": "GBP"}
_NAMED = {"$": "dollars", "€": "euros", "£": "pounds"}
_CONTRACTIONS = {
    "is not": "isn't",
    "are not": "aren't",
    "was not": "wasn't",
    "were not": "weren't",
    "does not": "doesn't",
    "do not": "don't",
    "did not": "didn't",
    "has not": "hasn't",
    "have not": "haven't",
    "had not": "hadn't",
    "will not": "won't",
    "would not": "wouldn't",
    "should not": "shouldn't",
    "could not": "couldn't",
    "cannot": "can't",
}
_EXPANSIONS = {short: full for full, short in _CONTRACTIONS.items()}


def reformat(claim: str, rng: random.Random) -> Iterator[Mutation]:
    """One change of each kind for which the claim has a place, in the order of ``_RULES``."""
    for kind, pattern, change in _RULES:
        made = []
        for match in pattern.finditer(claim):
            new = change(match)
            if new != match.group():
                made.append(
                    Mutation(
                        kind=kind,
                        text=claim[: match.start()] + new + claim[match.end() :],
                        original=match.group(),
                        changed=new,
                        start=match.start(),
                    )
                )
        if made:
            yield rng.choice(made)


def _spell(match: re.Match[str]) -> str:
    value = int(match.group())
    return NUMBER_WORDS[value] if 2 <= value < len(NUMBER_WORDS) else match.group()


def _count(match: re.Match[str]) -> str:
    return str(NUMBER_WORDS.index(match.group().lower()))


def _group(match: re.Match[str]) -> str:
    return f"{int(match.group()):,}"


def _ungroup(match: re.Match[str]) -> str:
    return match.group().replace(",", "")


def _turn_date(match: re.Match[str]) -> str:
    month, day, year = (
        (match["m1"], match["d1"], match["y1"])
        if match["m1"]
        else (match["m2"], match["d2"], match["y2"])
    )
    if match["m1"]:
        return f"{int(day)} {month} {year}"
    return f"{month} {int(day)}, {year}"


def _iso_date(match: re.Match[str]) -> str:
    month, day, year = (
        (match["m1"], match["d1"], match["y1"])
        if match["m1"]
        else (match["m2"], match["d2"], match["y2"])
    )
    return f"{year}-{MONTHS.index(month) + 1:02}-{int(day):02}"


def _code(match: re.Match[str]) -> str:
    return f"{_CODES[match.group(1)]} {match.group(2)}"


def _name_currency(match: re.Match[str]) -> str:
    return f"{match.group(2)} {_NAMED[match.group(1)]}"


def _ordinal(match: re.Match[str]) -> str:
    word = match.group().lower()
    row, other = ORDINALS if word in ORDINALS[0] else (ORDINALS[1], ORDINALS[0])
    return other[row.index(word)]


def _look_up(table: dict[str, str]) -> Change:
    def change(match: re.Match[str]) -> str:
        new = table[match.group().lower().replace("’", "'")]
        return new.capitalize() if match.group()[0].isupper() else new

    return change


def _constant(new: str) -> Change:
    return lambda _: new


def _any_of(words: dict[str, str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)})\b")


_DATE = re.compile(
    rf"\b(?:(?P<m1>{_MONTH}) (?P<d1>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y1>\d{{4}})"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)? (?P<m2>{_MONTH}),? (?P<y2>\d{{4}}))\b"
)
_MONEY = re.compile(
    r"(?<![A-Za-z])([$€£])(\d[\d.,]*\d(?: (?:million|billion))?|\d(?: (?:million|billion))?)\b"
)
_RULES: tuple[tuple[str, re.Pattern[str], Change], ...] = (
    ("digits_to_words", re.compile(r"(?<![\w.,$€£/:-])\d{1,2}" + _COUNTED), _spell),
    ("words_to_digits", re.compile(rf"\b(?:{_WORDS}){_COUNTED}", re.IGNORECASE), _count),
    ("marks_dropped", re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?!\w|[.,]\d)"), _ungroup),
    ("marks_added", re.compile(r"(?<![\w.,$€£/:-])(?:\d{5,7}|[3-9]\d{3})(?= [a-z])"), _group),
    ("percent_word", re.compile(r"(?<=\d) ?%"), _constant(" percent")),
    ("percent_sign", re.compile(r"(?<=\d) (?:percent|per cent)\b"), _constant("%")),
    ("percent_space", re.compile(r"(?<=\d)%"), _constant(" %")),
    ("date_turned", _DATE, _turn_date),
    ("date_iso", _DATE, _iso_date),
    ("month_short", re.compile(rf"\b(?:{_MONTH})(?= \d)"), lambda m: m.group()[:3]),
    (
        "unit_spelling",
        re.compile(rf"(?<=\d )(?:{'|'.join(sorted(_SPELLINGS, key=len, reverse=True))})\b"),
        _look_up(_SPELLINGS),
    ),
    ("currency_code", _MONEY, _code),
    ("currency_name", _MONEY, _name_currency),
    ("ordinal", re.compile(rf"\b(?:{'|'.join((*ORDINALS[0], *ORDINALS[1]))})\b"), _ordinal),
    ("contraction", _any_of(_CONTRACTIONS), _look_up(_CONTRACTIONS)),
    ("expansion", _any_of(_EXPANSIONS), _look_up(_EXPANSIONS)),
    ("white_space", re.compile(r"(?<=\w) (?=\w)"), _constant("  ")),
    ("no_break_space", re.compile(r"(?<=\d) (?=[a-z])"), _constant("\u00a0")),
    ("quotes", re.compile(r"(?<=\w)'(?=s\b|t\b)"), _constant("’")),
    ("dash", re.compile(r" - | – "), _constant(" — ")),
    ("hyphen", re.compile(r"(?<=\d)-(?=[a-z])"), _constant(" ")),
    ("final_stop", re.compile(r"(?<=\w)\.$"), _constant("")),
)
#: The kinds of change, in the order in which they are made.
KINDS = tuple(kind for kind, _, _ in _RULES)
