"""Dates and times of a workbook: a count of days, shown by a number format's letters."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Token = tuple[str, str]

#: Kinds of tokens that only dates and times have.
DATE_TOKEN = frozenset({"date", "ampm"})
_EPOCH, _EPOCH_1904 = dt.datetime(1899, 12, 30), dt.datetime(1904, 1, 1)  # noqa: DTZ001 - no zone
# Lotus 1-2-3 thought 1900 a leap year and Excel keeps to it: days before March 1900 are off by one.
_FALSE_LEAP_DAY = 60
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAY_SECONDS = 86_400


def format_date(value: float, tokens: Sequence[Token], *, from_1904: bool) -> str | None:
    """A count of days by the tokens of a format; None if it is not a date (negative, too large)."""
    finest = max((_fraction_digits(text) for kind, text in tokens if kind == "date"), default=0)
    seconds = round(value * _DAY_SECONDS, finest)
    epoch = _EPOCH_1904 if from_1904 else _EPOCH
    if not from_1904 and value < _FALSE_LEAP_DAY:
        epoch += dt.timedelta(days=1)
    try:
        moment = epoch + dt.timedelta(seconds=seconds)
    except OverflowError:
        return None
    if value < 0:
        return None
    halves = any(kind == "ampm" for kind, _ in tokens)
    return "".join(
        _show(index, tokens, moment, seconds, halves=halves) for index in range(len(tokens))
    )


def read_moment(value: float, tokens: Sequence[Token], *, from_1904: bool) -> str | None:
    """The date, date and time, or time of a count of days in ISO 8601, to the millisecond.

    None for what has none: a duration, a date before the first one, the leap day that never was, a
    time whose format hides its date.
    """
    if any(kind == "bracket" and _is_elapsed(text) for kind, text in tokens):
        return None
    has_date = any(
        kind == "date" and (text[0] in "yYdD" or (text[0] in "mM" and not _is_minute(at, tokens)))
        for at, (kind, text) in enumerate(tokens)
    )
    first = 0 if from_1904 else 1
    is_false = not from_1904 and _FALSE_LEAP_DAY <= value < _FALSE_LEAP_DAY + 1
    if is_false or (value < first if has_date else not 0 <= value < 1):
        return None
    epoch = _EPOCH_1904 if from_1904 else _EPOCH
    if not from_1904 and value < _FALSE_LEAP_DAY:
        epoch += dt.timedelta(days=1)
    try:
        moment = epoch + dt.timedelta(milliseconds=round(value * _DAY_SECONDS * 1000))
    except OverflowError:
        return None
    return moment.isoformat() if has_date else moment.time().isoformat()


def _is_elapsed(text: str) -> bool:
    letters = text.lower()
    return bool(letters) and not letters.strip(letters[0]) and letters[0] in "hms"


def _show(
    index: int, tokens: Sequence[Token], moment: dt.datetime, seconds: float, *, halves: bool
) -> str:
    kind, text = tokens[index]
    letters = text.lower()
    if kind == "bracket":
        return _elapsed(letters, seconds)
    if kind == "ampm":
        half = "AM" if moment.hour < 12 else "PM"
        return half if len(text) > 3 else half[0]
    if kind != "date":
        return "" if kind in {"room", "fill", "figures", "exponent"} or text == "@" else text
    if letters[0] == "m" and _is_minute(index, tokens):
        return f"{moment.minute:0{min(len(letters), 2)}d}"
    if letters[0] == "h":
        hour = (moment.hour % 12 or 12) if halves else moment.hour
        return f"{hour:0{min(len(letters), 2)}d}"
    if letters[0] == "s":
        return _second(letters, moment)
    return _calendar(letters, moment)


def _calendar(letters: str, moment: dt.datetime) -> str:
    if letters[0] == "y":
        return f"{moment.year:04d}" if len(letters) > 2 else f"{moment.year % 100:02d}"
    number, name = (
        (moment.month, _MONTHS[moment.month - 1])
        if letters[0] == "m"
        else (moment.day, _DAYS[moment.weekday()])
    )
    match len(letters):
        case 1:
            return str(number)
        case 2:
            return f"{number:02d}"
        case 3:
            return name[:3]
        case 5:
            return name[0]
        case _:
            return name


def _second(letters: str, moment: dt.datetime) -> str:
    digits = _fraction_digits(letters)
    whole = letters.partition(".")[0]
    text = f"{moment.second:0{min(len(whole), 2)}d}"
    return f"{text}.{f'{moment.microsecond:06d}'[:digits]}" if digits else text


def _elapsed(letters: str, seconds: float) -> str:
    """Hours, minutes or seconds beyond a day; a colour or a language shows nothing."""
    if not _is_elapsed(letters):
        return ""
    unit = {"h": 3600, "m": 60, "s": 1}[letters[0]]
    return f"{int(seconds // unit):0{len(letters)}d}"


def _is_minute(index: int, tokens: Sequence[Token]) -> bool:
    """Whether an ``m`` follows hours or precedes seconds, without a part of a date between."""

    def is_time(token: Token, letter: str) -> bool:
        return token[0] in {"date", "bracket"} and token[1].lower().startswith(letter)

    def is_letter(token: Token) -> bool:
        return token[0] == "date" or (
            token[0] == "bracket" and token[1][:1].lower() in {"h", "m", "s"}
        )

    before = next((token for token in reversed(tokens[:index]) if is_letter(token)), None)
    after = next((token for token in tokens[index + 1 :] if is_letter(token)), None)
    return (before is not None and is_time(before, "h")) or (
        after is not None and is_time(after, "s")
    )


def _fraction_digits(letters: str) -> int:
    return min(len(letters.partition(".")[2]), 6)
