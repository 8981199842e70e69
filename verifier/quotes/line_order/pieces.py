"""What may stand between two pieces of a chunk, and where one piece goes on.

Between two pieces the chunk has a blank. A reader that writes none between two cells
(``12,500.00DIRECTOR``) may set them side by side where no number and no word can be read out of
both. Of the lines that pieces begin and end, nothing is left out but at the chunk's own ends: a
raised figure (``dollars),4``) is read by every program. A bullet may stand elsewhere.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanproof.core.documents.match_views import DASHES, WHITE_SPACE, MatchView
from spanproof.core.documents.white_space.crossings import find_crossing
from spanproof.verifier.language.joined_words import may_be_other_word
from spanproof.verifier.language.protected import is_number_character, unfoldable_words
from spanproof.verifier.quotes.side_by_side import (
    LINE_END_HYPHENS,
    first_word,
    last_word,
    month_names,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Extraction
    from spanproof.core.span import Span

_BLANKS = re.compile(f"[{''.join(sorted(WHITE_SPACE))}]+")
#: What ends a line of a page, and a page.
_ENDS = frozenset("\n\f")
#: What says nothing: marks of list items, which some readers set apart from what they mark, and the
#: sign of a blank. Circles and squares are none: tables say yes by them.
SILENT = "\u2022\u2023\u25aa\u25e6\uf06e\uf076\uf0a7\uf0b7\uf0d8\u2423"
#: A whole date of two, two and four digits: no other number begins or ends in it.
_DATE_ENDS = re.compile(r"(?<![\d/.,\-])\d{2}([/.])\d{2}\1\d{4}$")
_DATE_BEGINS = re.compile(r"\d{2}([/.])\d{2}\1\d{4}(?![\d/.,\-])")
#: What begins something of its own behind a point or a comma.
_OPENS = frozenset("\\([{")
_ABBREVIATION = re.compile(r"(?:[A-Z]\.){2}")
#: Letters of a word that may stand beside another cell's without a blank; longer than any unit.
_LEAST_WORD, _LEAST_WORD_BY_NUMBER = 3, 4


def goes_on(between: str, extraction: Extraction, one: Span, start: int) -> bool:
    """Whether a stretch goes on at an offset behind it, in the text and in the chunk."""
    if not one.end <= start:
        return False
    source = extraction.text.text[one.end : start]
    if MatchView.of(source).text or not source:
        return False
    hyphen = not LINE_END_HYPHENS.isdisjoint(source)
    blank = any(character in WHITE_SPACE for character in between)
    crosses = any(
        find_crossing(extraction, one.end + run.start(), one.end + run.end()) is not None
        for run in _BLANKS.finditer(source)
    )
    return not crosses and (blank or hyphen)


def leaves_out(extraction: Extraction, spans: Sequence[Span], lost: Sequence[int]) -> bool:
    """Whether a line goes on before or behind a piece with something that no piece has.

    ``lost`` are the offsets of glyphs that the chunk has no character for.
    The first piece may begin, and the last one end, inside a line: there the chunk was cut.
    """
    text = extraction.text.text
    read = {at for span in spans for at in range(span.start, span.end)} | set(lost)
    # Where the chunk begins or ends inside a line, the rest of that line is not its own.
    first, last = spans[0].start, spans[-1].end
    before = [
        (max(_line_start(text, span.start), first if first < span.start else 0), span.start)
        for span in spans[1:]
    ]
    behind = [
        (span.end, min(_line_end(text, span.end), last if last > span.end else len(text)))
        for span in spans[:-1]
    ]

    def left(edge: tuple[int, int]) -> str:
        return MatchView.of("".join(text[at] for at in range(*edge) if at not in read)).text

    return any(left(edge).strip(SILENT) for edge in (*before, *behind))


def _line_start(text: str, at: int) -> int:
    return max(text.rfind(mark, 0, at) for mark in _ENDS) + 1


def _line_end(text: str, at: int) -> int:
    ends = (text.find(mark, at) for mark in _ENDS)
    return min((end for end in ends if end >= 0), default=len(text))


def may_touch(before: str, after: str) -> bool:
    """Whether two pieces may stand side by side in a chunk without a blank."""
    left, right = before[-1], after[0]
    head, tail = last_word(before[-_reach(before[::-1]) :]), first_word(after[: _reach(after)])
    if is_number_character(left) and is_number_character(right):
        return bool(_DATE_ENDS.search(before[-11:]) and _DATE_BEGINS.match(after))
    known = unfoldable_words()
    if is_number_character(left):
        whole = len(tail) >= _LEAST_WORD_BY_NUMBER or tail in month_names()
        return right.isupper() and whole and tail not in known
    if is_number_character(right):
        return left.isalpha() and len(head) >= _LEAST_WORD_BY_NUMBER and head not in known
    if not (left.isalpha() and right.isalpha()):
        parts_of_words = set("'’/") if right in _OPENS else set(".,'’/")
        return left not in DASHES and right not in DASHES and not {left, right} & parts_of_words
    # "EnquiriesEU", "DistrictU.S.": capitals behind a word of small letters are no ending of it.
    abbreviates = after[1:2].isupper() or _ABBREVIATION.match(after) is not None
    capitals = len(head) >= _LEAST_WORD_BY_NUMBER and left.islower() and abbreviates
    short = min(len(head), len(tail)) < _LEAST_WORD and not capitals
    other = may_be_other_word(head, tail) or not known.isdisjoint({head, tail, head + tail})
    return right.isupper() and not short and not other


def _reach(text: str) -> int:
    return next((at for at, mark in enumerate(text) if mark in WHITE_SPACE), len(text))
