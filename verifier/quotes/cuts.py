"""Spans whose edge cuts a word or a number, and those whose words then say something else."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from spanproof.core.span import Span
from spanproof.verifier.language.lexicon import lexicon_of
from spanproof.verifier.language.protected import NUMBER_SIGNS
from spanproof.verifier.language.word_forms import root_of

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    r"(?:(?:un|in|im|il|ir|dis|mis|non|anti)(?:-\n|\u00ad\n?)?|(?:un|non|anti|ex|quasi|pseudo)-\n?)\Z",
    re.IGNORECASE,
)
_ENDING = re.compile(r"(?:less|not|n['’]t|['’]t|-?free)\b", re.IGNORECASE)
#: A hyphen that a line's end, or none, shows: the word before an edge goes on behind it.
_BREAK = r"(?:-\n|\u00ad\n?)"
_BROKEN_BEFORE = re.compile(rf"[^\W\d_]{_BREAK}\Z")
_BROKEN_AFTER = re.compile(rf"{_BREAK}([^\W\d_])")
#: The letters of a word, away from an edge; no word that people write is longer.
_LETTERS = rf"(?:[^\W\d_]|[\u0300-\u036f]|(?<=[^\W\d_]){_BREAK}(?=[^\W\d_]))+"
_ENDS_WITH, _BEGINS_WITH = re.compile(rf"{_LETTERS}\Z"), re.compile(_LETTERS)
_LONGEST = 64
_PART = r"(?:[^\W\d_][\u0300-\u036f]*)+"
_WORD = re.compile(rf"{_PART}(?:-{_PART})*")


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


def cuts_at_hyphen(text: str, span: Span) -> bool:
    """Whether an edge stands where a line's end or a soft hyphen breaks a word (``re-`` ``port``).

    The hyphen may be the word's own, too (``well-`` ``known``).
    """
    inside = text[span.start : span.end]
    behind = span.end - (inside[-1:] == "-")
    after = _BROKEN_AFTER.match(text[behind : behind + _LOOK])
    head = _BROKEN_BEFORE.search(text[max(0, span.start - _LOOK) : span.start])
    return bool(
        (head and inside[:1].islower())
        or (after and after[1].islower() and inside.rstrip("-")[-1:].isalpha())
    )


def repeats_cut(text: str, span: Span, claim: str, locale: Locale = "en") -> bool:
    """Whether the claim takes a cut word for a whole one: ``house`` of ``storehouse``.

    Not where it has the whole word too, or where what is cut off only inflects (``contracts``), or
    where the rest stands whole in the span as well. Nor where words were set without a blank:
    before a capital, or if the rest is a small word (``inthe``).
    """
    lexicon = lexicon_of(locale)
    small = lexicon.function_words - lexicon.unfoldable
    cut = tuple(_cut_words(text, span))
    start = max((rest.end for rest, _ in cut if rest.start == span.start), default=span.start)
    end = min((rest.start for rest, _ in cut if rest.end == span.end), default=span.end)
    said, kept = _roots(claim), _roots(text[start:end])
    for rest, whole in cut:
        if _roots(whole) & said:
            continue
        left, uncut = (
            _plain(each).replace("-", "") for each in (text[rest.start : rest.end], whole)
        )
        glued = left in small and uncut not in lexicon.unfoldable
        if len(left) > 1 and root_of(left) in said - kept and not glued:
            return True
    return False


def _cut_words(text: str, span: Span) -> Iterator[tuple[Span, str]]:
    """What each edge leaves of a word that it cuts, and the whole word."""
    for at in (span.start, span.end):
        left = _ENDS_WITH.search(text[max(0, at - _LONGEST) : at])
        right = _BEGINS_WITH.match(text[at : at + _LONGEST])
        if left is None or right is None or not _joined(left[0][-1], right[0][0]):
            continue
        if left[0][-1].islower() and right[0][0].isupper():
            continue  # Two words without the blank between them, or a name of code.
        if at == span.start:
            rest = Span(at, min(at + len(right[0]), span.end))
        else:
            rest = Span(max(at - len(left[0]), span.start), at)
        yield rest, left[0] + right[0]


def _roots(text: str) -> set[str]:
    """The roots of the words of a text; of a word with a hyphen, also without it and in parts."""
    words = [match[0] for match in _WORD.finditer(_plain(text))]
    parts = {part for word in words for part in (*word.split("-"), word.replace("-", ""))}
    return {root_of(part) for part in parts}


def _plain(words: str) -> str:
    """The words in small letters, without soft hyphens and the ends of lines behind hyphens."""
    joined = re.sub(r"\u00ad\n?", "", words).replace("-\n", "-")
    return unicodedata.normalize("NFKC", joined).lower()


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
    return (_is_cased(left) and _is_cased(right)) or (left.isdigit() and right.isdigit())


def _is_cased(character: str) -> bool:
    # The accent of a decomposed letter belongs to it.
    return character.lower() != character.upper() or "\u0300" <= character <= "\u036f"


def _number_goes_on(outside: str, edge: str) -> bool:
    """Whether a number at the edge goes on outside: ``outside`` reads away from the edge."""
    if not edge.isdigit():
        return False
    marked = outside[0] in ".,'’" and outside[1:2].isdigit()
    return marked or outside[0] in NUMBER_SIGNS or outside[0] == "-"
