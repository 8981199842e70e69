"""Running lines: headers, footers and page numbers, which readers give first, last or not at all.

A line runs if it is in one of the first two or last two rows of its page and the same letters, but
for figures, stand at the same height of a page near it, with a gap to the body. So does the
page's number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.documents.match_views import MatchView
from spanproof.core.documents.page_lines import is_one_row, lines_of, overlap_across

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from spanproof.core.documents.document import Extraction, Page
    from spanproof.core.documents.page_lines import PageLine

#: Rows at a page's top and at its bottom, pages to either side, points of height that may differ.
_ROWS, _NEAR, _SHIFT = 2, 2, 4.0
#: A line of the body stands nearer to the next one, in heights of its letters.
_GAP = 0.5
#: Digits of a page's number.
_MOST_DIGITS = 4


def find_running(extraction: Extraction, page: Page) -> frozenset[int]:
    """The starts of the lines of a page that run from page to page."""
    lines = lines_of(extraction)
    near = [
        (line, _letters(extraction, line))
        for other in extraction.pages[max(0, page.number - 1 - _NEAR) : page.number + _NEAR]
        if other.number != page.number
        for line in _at_edges(lines.of_page(extraction, other))
    ]
    own = lines.of_page(extraction, page)
    edges = {line: _letters(extraction, line) for line in _at_edges(own)}
    running = [
        line
        for line, letters in edges.items()
        if letters
        and any(letters == theirs and _same_height(line, at) for at, theirs in near)
        and not _is_of_body(line, own, edges)
    ]
    numbers = [
        line
        for line, letters in edges.items()
        if not letters
        and len(extraction.text.slice(line.span).strip()) <= _MOST_DIGITS
        and any(not theirs and _same_height(line, at) for at, theirs in near)
        and all(other in (line, *running) for other in own if is_one_row(line, other))
    ]
    return frozenset(line.span.start for line in (*running, *numbers))


def _is_of_body(line: PageLine, own: Sequence[PageLine], edges: Container[PageLine]) -> bool:
    """Whether the next line of a paragraph stands close below or above."""
    return any(
        overlap_across(line.box, other.box)
        and max(other.box.y0 - line.box.y1, line.box.y0 - other.box.y1) < _GAP * line.height
        for other in own
        if other not in edges
    )


def _at_edges(lines: Sequence[PageLine]) -> Iterator[PageLine]:
    by_height = sorted(lines, key=lambda line: line.box.y0 + line.box.y1)
    for ordered in (by_height, by_height[::-1]):
        row, rows = ordered[:1], 0
        for line in ordered:
            if not is_one_row(line, row[0]):
                row, rows = [line], rows + 1
            if rows == _ROWS:
                break
            yield line


def _letters(extraction: Extraction, line: PageLine) -> str:
    letters = MatchView.of(extraction.text.slice(line.span)).text
    return "".join(letter for letter in letters if not letter.isdigit())


def _same_height(one: PageLine, other: PageLine) -> bool:
    return abs(one.box.y0 - other.box.y0) <= _SHIFT
