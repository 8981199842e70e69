"""The content of a text, word by word: what each word shares with words that say the same.

Two words of two texts say the same if they share a key: a root, a group of synonyms, a number, a
date, an abbreviation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from spanproof.verifier.language.kept import keep_last
from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.language.paraphrases import keys_of, kinds_of, read_paraphrases
from spanproof.verifier.language.plain_words import (
    ABBREVIATIONS,
    DENIALS,
    EMPTY,
    LINKS,
    PLAIN_DENIALS,
)
from spanproof.verifier.language.protected import read_decimal
from spanproof.verifier.language.word_forms import roots_of
from spanproof.verifier.slots.dates import find_dates
from spanproof.verifier.slots.quantities import find_quantities
from spanproof.verifier.slots.tokens import read_tokens
from spanproof.verifier.slots.words import read_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from decimal import Decimal

    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.language.paraphrases import Phrase
    from spanproof.verifier.slots.dates import CalendarDate
    from spanproof.verifier.slots.quantities import Quantity
    from spanproof.verifier.slots.words import Word, Words

_PERCENT_WORDS = frozenset({"per", "cent", "percent", "pct"})
_PERCENT = re.compile(r"%|\bper\s?cent\b|\bpct\b", re.IGNORECASE)
_NUMERIC_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})|(\d{1,2})[./](\d{1,2})[./](\d{4})")
_SIGNS = frozenset({"minus", "negative"})
#: How the scale of a temperature is written behind its degrees.
_TEMPERATURES: Mapping[str, str] = MappingProxyType(
    {"c": "unit:°C", "celsius": "unit:°C", "f": "unit:°F", "fahrenheit": "unit:°F"}
)
#: A name has at most so many words.
_MAX_NAME = 8
_MONTHS_OF_A_YEAR = 12


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """The words of a text with their keys.

    ``same[i]`` are the keys of word ``i`` as a word of either side. ``places`` are those of every
    key that a source gives: there the keys of particular words (a dog is an animal), of phrases and
    of rougher dates stand, too. ``sentences`` numbers the sentences; ``empty[i]`` is whether word
    ``i`` says nothing of its own. ``amounts`` are the quantities with the words of each. A phrase
    or a name of which a key stands for the whole has that key at every word.
    """

    words: Words
    same: tuple[frozenset[str], ...]
    places: Mapping[str, tuple[int, ...]]
    sentences: tuple[int, ...]
    empty: tuple[bool, ...]
    amounts: tuple[tuple[Quantity, tuple[int, ...]], ...]
    #: The half-open ranges of words of each sentence.
    bounds: tuple[tuple[int, int], ...]


@keep_last
def read_content(text: str, locale: Locale = "en") -> Content:
    """Read a text; the last few are kept, since one premise meets many claims."""
    return _Reader(read_words(text, locale), locale).read()


def find_phrases(words: Words, index: int) -> list[tuple[int, str]]:
    """The phrases of the table that begin at a word: how many words, and the group's key."""
    every = words.words
    if index + 1 == len(every):
        return []
    found = []
    for phrase in _list_phrases(every[index].text, every[index + 1].text):
        last = index + len(phrase.roots)
        if last <= len(every) and all(
            wanted in roots_of(word.text)
            for wanted, word in zip(phrase.roots[2:], every[index + 2 : last], strict=True)
        ):
            found.append((len(phrase.roots), phrase.key))
    return sorted(found, reverse=True) if found else found


@lru_cache(maxsize=65_536)
def _list_phrases(word: str, other: str) -> tuple[Phrase, ...]:
    """The phrases of the table that begin with two words."""
    table, seconds = read_paraphrases().phrases, roots_of(other)
    return tuple(
        phrase
        for root in roots_of(word)
        for phrase in table.get(root, ())
        if phrase.roots[1] in seconds
    )


def find_initials(words: Words, index: int) -> tuple[int, str] | None:
    """The capitalised words from an index on: how many words, and their initials."""
    every = words.words
    if not every[index].capital:
        return None
    initials, last = every[index].text[0], index
    for place in range(index + 1, min(len(every), index + _MAX_NAME)):
        word = every[place]
        if word.sentence != every[index].sentence or words.is_cut_after(place - 1):
            break
        if word.capital:
            initials += word.text[0]
            last = place
        elif word.text not in LINKS:
            break
    return (last - index + 1, initials) if len(initials) > 1 else None


class _Reader:
    """Reads one text: ``same`` are keys of both sides, ``given`` those that a source gives."""

    def __init__(self, words: Words, locale: Locale) -> None:
        self._words = words
        self._locale = locale
        self._lexicon = lexicon_of(locale)
        self._same: list[frozenset[str]] = []
        self._given: list[frozenset[str]] = []
        self._empty: list[bool] = []

    def read(self) -> Content:
        for word in self._words.words:
            self._add_word(word)
        amounts = tuple(self._add_amounts())
        self._add_dates()
        self._add_phrases()
        places: dict[str, list[int]] = {}
        for index, keys in enumerate(self._same):
            given = self._given[index]
            for key in keys | given if given else keys:
                places.setdefault(key, []).append(index)
        sentences = _number_sentences(self._words)
        return Content(
            words=self._words,
            same=tuple(self._same),
            places={key: tuple(found) for key, found in places.items()},
            sentences=sentences,
            bounds=tuple(_list_bounds(sentences)),
            empty=tuple(self._empty),
            amounts=amounts,
        )

    def _add_phrases(self) -> None:
        for index in range(len(self._words.words)):
            for length, key in find_phrases(self._words, index):
                for place in range(index, index + length):
                    self._given[place] |= {key}
            run = find_initials(self._words, index)
            if run is None:
                continue
            # "The World Health Organization Director": initials may end before the capitals do.
            length, initials = run
            capitals = (p for p in range(index, index + length) if self._words.words[p].capital)
            for number, place in enumerate(capitals, start=1):
                ends = range(max(2, number), len(initials) + 1)
                self._given[place] |= {f"ab:{initials[:end]}" for end in ends}

    def _add_word(self, word: Word) -> None:
        raw = self._words.text[word.start : word.end]
        is_upper = len(raw) > 1 and raw.isupper()
        same, given, empty = _read_word(word.text.removesuffix("'s"), is_upper=is_upper)
        self._same.append(same)
        self._given.append(given)
        # "In May of 1993": a month, not the verb, unless it begins a sentence.
        opens = len(self._same) == 1 or self._words.is_cut_after(len(self._same) - 2)
        self._empty.append(empty and not (word.text == "may" and word.capital and not opens))

    def _add_amounts(self) -> Iterable[tuple[Quantity, tuple[int, ...]]]:
        text = self._words.text
        is_percent = _PERCENT.search(text) is not None
        for quantity in find_quantities(text, read_tokens(text, self._locale), locale=self._locale):
            first, last = self._words.within(quantity.span)
            values = _write_values(quantity.values)
            if first >= last:
                continue
            if quantity.group.startswith("ordinal"):
                self._same[first] |= {f"{value}th" for value in values}
                continue
            same = frozenset(key for key in self._same[first] if not key.startswith("#"))
            shares = {f"{value}%" for value in values}
            if quantity.group == "percent":
                self._same[first] = same | shares
                self._given[first] |= values
            else:
                self._same[first] = same | values
                self._given[first] |= shares if is_percent else set()
            self._empty[first] = self._words.words[first].text == "one"
            self._clear_before(quantity, first)
            yield quantity, self._read_unit(quantity, first, last)

    def _clear_before(self, quantity: Quantity, first: int) -> None:
        """What stands before an amount as a part of it: EUR 50, minus 5."""
        before = self._words.words[first - 1].text if first else ""
        money = quantity.group.startswith("currency:") and before in self._lexicon.currencies
        if money or (before in _SIGNS and quantity.values[0] < 0):
            self._empty[first - 1] = True

    def _read_unit(self, quantity: Quantity, first: int, last: int) -> tuple[int, ...]:
        """The words of an amount; what only writes its number or currency says nothing besides."""
        lexicon, words = self._lexicon, self._words.words
        while last < len(words) and (
            words[last].text in _PERCENT_WORDS
            or quantity.group == _TEMPERATURES.get(words[last].text)
        ):
            last += 1
        numerals = (
            lexicon.cardinals.keys() | lexicon.scales.keys() | lexicon.short_scales.keys()
        ) | _PERCENT_WORDS
        money = quantity.group.startswith("currency:")
        found = [first]
        for index in range(first + 1, min(len(words), last + 1)):
            text = words[index].text
            inside = index < last and text in numerals
            if inside or (text in lexicon.currencies and (money or index < last)):
                self._empty[index] = True
            elif quantity.group.startswith("unit:") and (
                text in lexicon.units or quantity.group == _TEMPERATURES.get(text)
            ):
                found.append(index)
        return tuple(found)

    def _add_dates(self) -> None:
        """Every word of a date stands for the whole of it, in whichever order it is written."""
        text = self._words.text
        months = [month[:3] for month in self._lexicon.months]
        for date in find_dates(text, read_tokens(text, self._locale), locale=self._locale):
            year, month, day = _read_parts(date, months)
            if month is None:
                continue
            rough = {f"d:{year}-{month}-None", f"d:None-{month}-{day}", f"d:None-{month}-None"}
            if year is not None:
                rough.add(f"#{year}")
            for index in range(*self._words.within(date.span)):
                word = self._words.words[index].text
                is_day = word.isdigit() and word != str(year)
                self._same[index] -= _write_values(read_decimal(word)) if is_day else set()
                self._same[index] |= {f"d:{year}-{month}-{day}"}
                self._given[index] |= rough


@lru_cache(maxsize=65_536)
def _read_word(word: str, *, is_upper: bool) -> tuple[frozenset[str], frozenset[str], bool]:
    """The keys of both sides, those that a source gives besides, and whether it says nothing."""
    # A number is its value, not its digits: 12 % is not 12.
    same = set() if word[0].isdigit() else set(keys_of(word, is_upper=is_upper))
    given = set(kinds_of(word))
    denies = word.endswith("n't")
    if is_upper:
        same.add(f"ab:{word}")
    if denies or word in DENIALS:
        given.add("not")
    if denies or word in PLAIN_DENIALS:
        same.add("not")
    if word[0].isdigit():
        same |= _write_values(read_decimal(word))
    return frozenset(same), frozenset(given), word in EMPTY and not is_upper


def _write_values(values: Iterable[Decimal]) -> set[str]:
    return {f"#{format(value.normalize(), 'f')}" for value in values}


def _read_parts(date: CalendarDate, months: list[str]) -> tuple[int | None, str | None, int | None]:
    """Year, month and day; of a numeric date only the year where two readings are possible."""
    match = _NUMERIC_DATE.fullmatch(date.text)
    if match is None:
        return date.year, date.month, date.day
    if match[1]:
        year, month, day = int(match[1]), int(match[2]), int(match[3])
    else:
        year, day, month = int(match[6]), int(match[4]), int(match[5])
        if day != month and max(day, month) <= _MONTHS_OF_A_YEAR:
            return year, None, None
        if month > _MONTHS_OF_A_YEAR:
            day, month = month, day
    if not 1 <= month <= _MONTHS_OF_A_YEAR:
        return year, None, None
    return year, months[month - 1], day


def _number_sentences(words: Words) -> tuple[int, ...]:
    """As the words count them, but no abbreviation ends a sentence, nor a stop within one."""
    numbers: list[int] = []
    number = 0
    before: Word | None = None
    for word in words.words:
        if before is not None and word.sentence != before.sentence:
            gap = words.text[before.end : word.start]
            number += "\n" in gap or not _goes_on(gap, before, word)
        numbers.append(number)
        before = word
    return tuple(numbers)


def _list_bounds(numbers: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    start = 0
    for index in range(1, len(numbers) + 1):
        if index == len(numbers) or numbers[index] != numbers[start]:
            yield start, index
            start = index


def _goes_on(gap: str, before: Word, word: Word) -> bool:
    """Whether a stop between two words is one of an abbreviation."""
    if gap.strip(" \t)\"'”’") != ".":
        return False
    if before.text in ABBREVIATIONS or (len(before.text) == 1 and before.text.isalpha()):
        return True
    return word.text[0].isalpha() and not word.capital
