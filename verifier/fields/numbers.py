"""Numeric fields: a number of the prose equals the value, as it stands or as a percentage.

There is no tolerance: numbers are compared as decimals, after their notation is read.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from spanproof.core.span import Span
from spanproof.verifier.fields.types import FieldMatch
from spanproof.verifier.fields.words import is_word_character

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    _Places = dict[Decimal, list[Any]]

#: Confidence of a number as it stands, and of a share that is said as a percentage.
NUMERIC, PERCENT = 0.95, 0.85
#: More digits than anyone writes; a run of them is not read as a number.
_MAX_CHARACTERS = 64
#: Places of one value that are examined: a hundred thousand would not say more.
MAX_PLACES = 200
_GROUP = (
    "[,'\N{RIGHT SINGLE QUOTATION MARK}\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}]"
)
_MINUS = "-\N{MINUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}"
_NUMBER = re.compile(rf"\d{{1,3}}(?:{_GROUP}\d{{3}})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+")
_PERCENT = re.compile(r"\s?(?:%|\N{FULLWIDTH PERCENT SIGN}|per\s?cent(?!\w))", re.IGNORECASE)
#: Between two numbers these make one of them: dates, times, versions, ranges, ratios.
_JOINS = frozenset(".,:/'-\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}\N{FRACTION SLASH}")
_DASHES = frozenset("-\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}\N{MINUS SIGN}")


def to_decimal(value: Any) -> Decimal | None:  # noqa: ANN401 - any JSON value
    """The number that a value is, a string that is one included; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        # A float as it was written, not as it is stored: 0.07 is not 0.07000000000000000666.
        return _parse(repr(value)) if abs(value) < 1e30 else None
    if isinstance(value, str) and len(value) <= _MAX_CHARACTERS:
        text = value.strip()
        sign = "-" if text[:1] and text[0] in _MINUS else ""
        body = text[1:] if sign or text.startswith("+") else text
        match = _NUMBER.fullmatch(body)
        return None if match is None else _parse(sign + _plain(body))
    return None


class NumberIndex:
    """The numbers of a text by value, read once when the first number is asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: tuple[_Places, _Places] | None = None

    def find(self, number: Decimal) -> tuple[Span, ...]:
        """Where the number stands, before a percent sign or not."""
        plain, percents = self._read()
        return tuple(sorted([*plain.get(number, ()), *self._bare(percents.get(number, ()))]))

    def find_without_unit(self, number: Decimal) -> tuple[Span, ...]:
        """The places where it is not a percentage."""
        return tuple(self._read()[0].get(number, ()))

    def find_percent(self, number: Decimal) -> tuple[Span, ...]:
        """Where it stands as a percentage; the sign or word is in the span."""
        return tuple(span for span, _ in self._read()[1].get(number, ()))

    @staticmethod
    def _bare(places: Iterable[tuple[Span, Span]]) -> list[Span]:
        return [bare for _, bare in places]

    def _read(self) -> tuple[_Places, _Places]:
        if self._found is None:
            plain: dict[Decimal, list[Any]] = {}
            percents: dict[Decimal, list[Any]] = {}
            for number, span, unit_end in find_numbers(self._text):
                if unit_end is None:
                    plain.setdefault(number, []).append(span)
                else:
                    percents.setdefault(number, []).append((Span(span.start, unit_end), span))
            self._found = plain, percents
        return self._found


def match_number(value: Any, numbers: NumberIndex) -> FieldMatch | None:  # noqa: ANN401 - JSON
    """Places where the number stands; its percentages only if it does not itself.

    A value from 0 to 1 is a share: ``0.85%`` is another number than 0.85.
    """
    wanted = to_decimal(value)
    if wanted is None:
        return None
    is_share = 0 <= wanted <= 1
    plain = numbers.find_without_unit(wanted) if is_share else numbers.find(wanted)
    if plain:
        return FieldMatch(method="numeric", confidence=NUMERIC, spans=plain[:MAX_PLACES])
    percents = numbers.find_percent(wanted * 100) if is_share else ()
    if percents:
        return FieldMatch(method="percent", confidence=PERCENT, spans=percents[:MAX_PLACES])
    return None


def find_numbers(text: str) -> Iterator[tuple[Decimal, Span, int | None]]:
    """Numbers that stand by themselves, with the end of a percent sign or word after them."""
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        if end - start > _MAX_CHARACTERS or _is_part(text, start, end):
            continue
        number = _parse(_plain(match[0]))
        if number is None:
            continue
        if start and text[start - 1] in _MINUS and _is_sign(text, start - 1):
            start, number = start - 1, -number
        unit = _PERCENT.match(text, end)
        yield number, Span(start, end), None if unit is None else unit.end()


def _is_part(text: str, start: int, end: int) -> bool:
    """Whether the digits are a part of a longer word, number, date or range."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before and is_word_character(before) and not _is_ideograph(before):
        return True
    if after and is_word_character(after) and not _is_ideograph(after):
        return True
    if before in _JOINS and start > 1:
        far = text[start - 2]
        # "COVID-19", "2014-05-14"; but "(-14)" and ". 14" are numbers of their own.
        if far.isdecimal() or (before in _DASHES and is_word_character(far)):
            return True
    return after in _JOINS and text[end + 1 : end + 2].isdecimal()


def _is_ideograph(character: str) -> bool:
    # 第14章: a numeral beside Han, kana or Thai stands by itself.
    return 0x0E00 <= ord(character) <= 0x0EFF or 0x3040 <= ord(character) <= 0x9FFF


def _is_sign(text: str, place: int) -> bool:
    return place == 0 or not (is_word_character(text[place - 1]) or text[place - 1] in ")]%")


def _plain(text: str) -> str:
    """Digits and one point: group marks away, a decimal comma as a point."""
    if re.fullmatch(rf"\d{{1,3}}(?:{_GROUP}\d{{3}})+(?:\.\d+)?", text):
        return re.sub(_GROUP, "", text)
    return text.replace(",", ".")


def _parse(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
