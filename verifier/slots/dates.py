"""Dates and years of a claim against those of its source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.slots.negations import is_negated_before
from spanproof.verifier.slots.quantities import RANGE_JOINT
from spanproof.verifier.slots.tokens import read_tokens
from spanproof.verifier.slots.words import Likeness, to_veto

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.core.verdicts.verdict import Veto
    from spanproof.verifier.language.lexicon import Locale
    from spanproof.verifier.language.protected import ProtectedToken
    from spanproof.verifier.slots.alignment import Alignment, Doubt
    from spanproof.verifier.slots.words import Words


_BOUND = re.compile(
    r"(?:before|after|since|by|until|till|prior to|from|past|than|over|around|about|circa|least"
    r"|most)\s+$"
)
_BOUND_BEFORE = re.compile(r"([A-Za-z]+)-\Z")
_BOUND_AFTER = re.compile(r"-[A-Za-z]")
#: 2024-04-03, or 03/04/2024 with its mark.
_FIGURES = re.compile(r"\d{4}-(\d{2})-(\d{2})|(\d{1,2})([./])(\d{1,2})[./]\d{2,4}")
_MAX_DAY = 31
_PARTS_OF_YEAR = frozenset(
    {"early", "mid", "late", "pre", "post", "spring", "summer", "autumn", "fall", "winter", "fy"}
)
#: A year alone needs a place that is a little alike; a day or month is seldom derived.
_YEAR_ALIKE = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarDate:
    """The parts of a date that a text gives; ``until`` is a year range's last year.

    03/04/2024 has no month and no day for sure, but two ``orders``: (mar, 4) and (apr, 3).
    """

    span: Span
    text: str
    year: int | None
    month: str | None
    day: int | None
    until: int | None = None
    bound: bool = False
    decade: bool = False
    orders: tuple[tuple[str, int], ...] = ()

    def conflicts(self, other: CalendarDate) -> bool:
        """Whether a part that both give differs."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return any(a is not None and b is not None and a != b for a, b in pairs)


def find_dates(
    text: str, protected: tuple[ProtectedToken, ...], *, locale: Locale
) -> tuple[CalendarDate, ...]:
    """Every date and year of the text."""
    ordered = [month[:3] for month in lexicon_of(locale).months]
    months = set(ordered)
    found: list[CalendarDate] = []
    for token in protected:
        if token.kind not in {"date", "year"}:
            continue
        if token.kind == "year" and _is_of_a_name(text, token.span, months):
            continue
        before = text[max(0, token.span.start - 16) : token.span.start].lower()
        words = re.findall(r"\d+|[a-z]+", token.text.lower())
        year = next((int(word) for word in words if re.fullmatch(r"\d{4}", word)), None)
        month = next((word[:3] for word in words if word[:3] in months), None)
        days = [int(word) for word in words if re.fullmatch(r"\d{1,2}", word)]
        day = days[0] if month is not None and len(days) == 1 else None
        orders = _read_figures(token.text, ordered)
        if len(orders) == 1:
            ((month, day),), orders = orders, ()
        if found and RANGE_JOINT.fullmatch(text[found[-1].span.end : token.span.start]):
            last = found[-1]
            if last.year is not None and year is not None and last.month is None and month is None:
                found[-1] = _with_end(last, token, year, text)
                continue
        bound = _BOUND.search(before)
        decade = text[token.span.end : token.span.end + 2].lstrip("'’").startswith("s")
        found.append(
            CalendarDate(
                span=token.span,
                text=token.text,
                year=year,
                month=month,
                day=day,
                until=year + 9 if year is not None and decade else None,
                bound=bound is not None or decade,
                decade=decade,
                orders=orders,
            )
        )
    return tuple(found)


def _read_figures(text: str, months: list[str]) -> tuple[tuple[str, int], ...]:
    """The month and day of a date in figures: two readings for 05/06/2020, by the Atlantic's side.

    2020-06-05 and 05.06.2020 have one.
    """
    figures = _FIGURES.fullmatch(text)
    if figures is None:
        return ()
    if figures[1]:
        pairs = [(int(figures[1]), int(figures[2]))]
    else:
        first, second = int(figures[3]), int(figures[5])
        pairs = [(second, first)] if figures[4] == "." else [(first, second), (second, first)]
    found = [(months[m - 1], d) for m, d in pairs if 1 <= m <= len(months) and 1 <= d <= _MAX_DAY]
    return tuple(dict.fromkeys(found))


def _is_of_a_name(text: str, span: Span, months: set[str]) -> bool:
    """``mRNA-1273``, ``2019-nCoV``: four digits that a hyphen joins to letters are not a year.

    But those of ``mid-2019`` and ``Jan-2019`` are.
    """
    before = _BOUND_BEFORE.search(text, max(0, span.start - 16), span.start)
    if before is not None:
        word = before.group(1).lower()
        return word not in _PARTS_OF_YEAR and word[:3] not in months
    return _BOUND_AFTER.match(text, span.end) is not None


def _with_end(date: CalendarDate, token: ProtectedToken, year: int, text: str) -> CalendarDate:
    span = Span(date.span.start, token.span.end)
    return CalendarDate(
        span=span,
        text=text[span.start : span.end],
        year=date.year,
        month=date.month,
        day=date.day,
        until=year,
        bound=True,
    )


def compare_dates(claim: Words, premise: Words, locale: Locale) -> list[Veto]:
    """A veto for each date of the claim that no date of the premise admits and one conflicts."""
    ours = find_dates(claim.text, read_tokens(claim.text, locale), locale=locale)
    if not ours:
        return []
    known = find_dates(premise.text, read_tokens(premise.text, locale), locale=locale)
    vetoes = []
    for date in ours:
        if is_negated_before(claim, date.span.start, locale):
            continue
        rivals = _find_rivals(date, known)
        nearest = max(
            ((Likeness.of(claim, date.span, premise, other.span).total, other) for other in rivals),
            key=lambda found: (found[0], -found[1].span.start),
            default=None,
        )
        if nearest is not None and (date.month or nearest[0] >= _YEAR_ALIKE):
            vetoes.append(to_veto("date", claim, date.span, premise, nearest[1].span))
    return vetoes


def _find_rivals(date: CalendarDate, known: tuple[CalendarDate, ...]) -> list[CalendarDate]:
    if date.until is not None and date.year is not None and not date.decade:
        # A span of years: one end is the source's, the other is not.
        return [
            other
            for other in known
            if other.until is not None
            and not other.decade
            and (other.year == date.year) != (other.until == date.until)
        ]
    if date.bound or any(_same_date(date, other) for other in known):
        return []
    return [other for other in known if other.conflicts(date)]


def _same_date(date: CalendarDate, other: CalendarDate) -> bool:
    if other.year is not None and other.until is not None and date.year is not None:
        return other.year <= date.year <= other.until
    return other.bound or not date.conflicts(other)


def doubt_dates(alignment: Alignment, locale: Locale) -> Iterator[Doubt]:
    """Dates in figures that may be read both ways, if claim and source write them differently."""
    claim, premise = alignment.claim.text, alignment.premise.text
    ours = find_dates(claim, read_tokens(claim, locale), locale=locale)
    theirs = find_dates(premise, read_tokens(premise, locale), locale=locale) if ours else ()
    for date in ours:
        if not date.orders and date.day is None:
            continue
        known = [other for other in theirs if date.year is None or other.year in {None, date.year}]
        if any(other.text == date.text or _is_sure(date, other) for other in known):
            continue
        rival = next((other for other in known if other.orders or date.orders), None)
        if rival is not None and (rival.orders or rival.day is not None):
            yield alignment.doubt("likely", "unconfirmed_date", date.span, rival.span)


def _is_sure(date: CalendarDate, other: CalendarDate) -> bool:
    """Whether both name one day, and neither may mean another."""
    return not date.orders and (date.month, date.day) == (other.month, other.day)
