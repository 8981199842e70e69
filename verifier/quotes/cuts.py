"""Spans whose edge cuts a word or a number, and those whose words then say something else."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.language.protected import NUMBER_SIGNS

if TYPE_CHECKING:
    from spanproof.core.span import Span
    from spanproof.verifier.language.lexicon import Locale

#: Characters outside an edge that are looked at.
_LOOK = 16
#: Marks inside a number.
_MARKS = ".,'’"
_SIGN = re.compile(r"(?:(?<![\w).])[-−±]|[<>≤≥]\s?|\bminus\s)$", re.IGNORECASE)
_DECIMALS = re.compile(r"[.,'’\u00a0\u202f\u2009]\d")
# Right before the edge: the word "in" that ends the line above is no prefix.
_PREFIX = re.compile(
    r"(?<![^\W\d_])"
    r"(?:(?:un|in|im|il|ir|dis|mis|non|anti)(?:-\n)?|(?:un|non|anti|ex|quasi|pseudo)-\n?)\Z",
    re.IGNORECASE,
)
_ENDING = re.compile(r"(?:less|not|n['’]t|['’]t|-?free)\b", re.IGNORECASE)


def cuts_token(text: str, span: Span) -> bool:
    """Whether an edge of the span falls inside a word or a number (``lawful`` in ``unlawful``)."""
    before = text[span.start - 2 : span.start] if span.start > 1 else text[: span.start]
    after = text[span.end : span.end + 2]
    inside = text[span.start : span.end]
    if not inside:
        return False
    first, last = inside[0], inside[-1]
    head = bool(before) and (_joined(before[-1], first) or _number_goes_on(before[::-1], first))
    tail = bool(after) and (_joined(last, after[0]) or _number_goes_on(after, last))
    return head or tail or _cuts_at_mark(inside, before, after)


def _cuts_at_mark(inside: str, before: str, after: str) -> bool:
    """Whether an edge is a number's own mark: ``1,500.`` and ``.25`` of ``1,500.25``."""
    last = inside[-2:-1].isdigit() and inside[-1] in _MARKS and after[:1].isdigit()
    return last or (before[-1:].isdigit() and inside[0] in _MARKS and inside[1:2].isdigit())


def cuts_meaning(text: str, span: Span, locale: Locale = "en") -> bool:
    """Whether what is cut off a word or a number makes the rest say something else.

    A digit or a sign (``3 %`` of ``13 %``), a scale (``45`` of ``45 million``), a negating prefix
    or ending (``able`` of ``unable``, ``can`` of ``cannot``).
    """
    if not span.start < span.end <= len(text):
        return False
    first, last = text[span.start], text[span.end - 1]
    before = text[max(0, span.start - _LOOK) : span.start]
    after = text[span.end : span.end + _LOOK]
    return bool(
        _cuts_at_mark(text[span.start : span.end], before, after)
        or (first.isdigit() and (_cuts_digits(before[::-1]) or _SIGN.search(before)))
        or (first.isalpha() and _PREFIX.search(before))
        or (last.isdigit() and (_cuts_digits(after) or _scales(locale).match(after)))
        or (last.isalpha() and _ENDING.match(after))
    )


@cache
def _scales(locale: Locale) -> re.Pattern[str]:
    scales = "|".join(lexicon_of(locale).scales)
    return re.compile(rf"[ \u00a0-]?(?:(?:{scales}|bn|mn|per ?cent)\b|[%‰])", re.IGNORECASE)


def _cuts_digits(outside: str) -> bool:
    """Whether a number goes on, read away from the edge."""
    return outside[:1].isdigit() or bool(_DECIMALS.match(outside))


def _joined(left: str, right: str) -> bool:
    # Scripts without letter case mostly write without spaces: any cut is between words there.
    cased = left.lower() != left.upper() and right.lower() != right.upper()
    return cased or (left.isdigit() and right.isdigit())


def _number_goes_on(outside: str, edge: str) -> bool:
    """Whether a number at the edge goes on outside: ``outside`` reads away from the edge."""
    if not edge.isdigit():
        return False
    marked = outside[0] in ".,'’" and outside[1:2].isdigit()
    return marked or outside[0] in NUMBER_SIGNS or outside[0] == "-"
