"""Steps from line to line that a reader of a page takes, and that no line is skipped by.

Left to right along a row, down a column, to the next row's first line, from a column's last line up
to the next column's first, and from a page's last line to the next page's first. What a step passes
over must have been read already: a figure of another row is never the next one, and two lines that
somebody swapped are not either. Running lines (``running_lines``) may be read where a page begins
or ends, or not at all. From the end of a column of several lines a reader may also go to the
beginning of another that stands beside it.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING

from spanproof.core.documents.page_lines import PageLine, is_one_row, overlap_across

if TYPE_CHECKING:
    from collections.abc import Sequence

#: A column ends where the next line stands farther off than this many of its widest gaps; where one
#: line alone was read, than this many of its heights.
_GAPS, _HEIGHTS = 1.5, 3.0
#: Lines of a column from whose end a reader may go to the beginning of any other.
LEAST_COLUMN = 3
#: A line this many times higher than wide is written upwards, beside the rows of the page.
_UPRIGHT = 2.0


class PageMoves:
    """The lines of a page or two in canonical order, and which of them (by number) run."""

    def __init__(self, lines: Sequence[PageLine], running: frozenset[int]) -> None:
        self._lines, self._running = lines, running

    def may_follow(self, path: Sequence[int], other: int) -> bool:
        """Whether a reader who has read the lines of ``path`` in this order may go on there."""
        one, used = path[-1], frozenset(path)
        if other == one + 1:
            return True
        left = [
            at
            for at in range(len(self._lines))
            if at not in used and at not in self._running and at != other
            if not _is_upright(self._lines[at])
        ]
        if one < other and not any(one < at < other for at in left):
            return True  # The next in the text that was not read yet.
        body = [at for at in path if at not in self._running]
        unread = [self._lines[at] for at in left]
        there = self._lines[other]
        if not body:
            return other in self._running or not _has_above(there, unread)
        here = self._lines[body[-1]]
        if other in self._running:
            return here.page <= there.page and not _has_below(here, unread)
        if here.page != there.page:
            passed = _has_below(here, unread) or _has_above(there, unread)
            return here.page < there.page and not passed
        if is_one_row(here, there):
            return _is_next_in_row(here, there, unread)
        read = [self._lines[at] for at in body]
        if _is_next_in_sweep(here, there, unread):
            return not _leaves_a_cell(read, there, unread)
        if _middle(there) > _middle(here):
            in_column = overlap_across(here.box, there.box)
            whole = in_column or not _leaves_a_cell(read, there, unread)
            return whole and _is_next_below(here, there, unread)
        return _is_next_column(read, there, unread)

    def may_jump(self, path: Sequence[int], other: int) -> bool:
        """Whether a column ends here and another one, beside it, begins there.

        Readers take the columns of a table in orders of their own. Only for columns of
        ``LEAST_COLUMN`` lines or more: a cell alone proves none.
        """
        used, there = frozenset(path), self._lines[other]
        column = self._column([at for at in path if at not in self._running])
        if len(column) < LEAST_COLUMN or column[0].page != there.page or other in self._running:
            return False
        left = [
            line
            for at, line in enumerate(self._lines)
            if at not in used and at != other and line.page == there.page
            if at not in self._running and not _is_upright(line)
        ]
        below = [
            line
            for line in left
            if _middle(line) > _middle(there) and overlap_across(line.box, there.box)
        ]
        if not below or any(overlap_across(line.box, there.box) for line in column):
            return False
        gap = min(line.box.y0 for line in below) - there.box.y1
        far = max(_GAPS * gap, there.height / 2)
        read = [self._lines[at] for at in path if self._lines[at].page == there.page]
        above = max(
            (
                _middle(line)
                for line in read
                if overlap_across(line.box, there.box) and _middle(line) < _middle(there)
            ),
            default=-inf,
        )
        begins = not any(
            overlap_across(line.box, there.box)
            and _middle(line) < _middle(there)
            and (there.box.y0 - line.box.y1 <= far or _middle(line) > above > -inf)
            for line in left
        )
        return begins and not _goes_on(column, left)

    def goes_down(self, one: int, other: int) -> bool:
        """Whether the second line stands below the first, in its column."""
        here, there = self._lines[one], self._lines[other]
        below = here.page == there.page and _middle(there) > _middle(here)
        return below and overlap_across(here.box, there.box)

    def _column(self, body: Sequence[int]) -> list[PageLine]:
        return _column_of([self._lines[at] for at in body])


def _has_below(here: PageLine, left: list[PageLine]) -> bool:
    return any(line.page == here.page and _middle(line) > _middle(here) for line in left)


def _has_above(there: PageLine, left: list[PageLine]) -> bool:
    return any(line.page == there.page and _middle(line) < _middle(there) for line in left)


def _is_next_in_row(here: PageLine, there: PageLine, left: list[PageLine]) -> bool:
    if there.box.x0 < here.box.x0:
        return False
    return not any(
        is_one_row(line, here) and here.box.x0 <= line.box.x0 < there.box.x0 for line in left
    )


def _is_next_below(here: PageLine, there: PageLine, left: list[PageLine]) -> bool:
    top, bottom = _middle(here), _middle(there)
    between = [
        line
        for line in left
        if line.page == here.page
        and top < _middle(line) < bottom
        and not is_one_row(line, here)
        and not is_one_row(line, there)
    ]
    if overlap_across(here.box, there.box):
        # Also what stands in the one's row over the other: "no" behind "yes", above a wide line.
        beside = any(
            (is_one_row(line, here) and overlap_across(line.box, there.box))
            or (is_one_row(line, there) and overlap_across(line.box, here.box))
            for line in left
        )
        return not beside and not any(
            overlap_across(line.box, here.box) or overlap_across(line.box, there.box)
            for line in between
        )
    if there.box.x0 > here.box.x0:
        return False
    # To the next row's first line: nothing is left in this row, nor before that one, nor between.
    passed = any(is_one_row(line, here) and line.box.x0 > here.box.x0 for line in left)
    before = any(is_one_row(line, there) and line.box.x0 < there.box.x0 for line in left)
    inside = any(line.box.x0 < here.box.x1 and line.box.x1 > there.box.x0 for line in between)
    return not (passed or before or inside)


def _middle(line: PageLine) -> float:
    return (line.box.y0 + line.box.y1) / 2


def _is_next_in_sweep(here: PageLine, there: PageLine, left: list[PageLine]) -> bool:
    """Whether nothing is left between the two for one who reads the page by heights alone."""
    if there.box.y0 <= here.box.y0:
        return False
    return not any(
        line.page == here.page
        and here.box.y0 <= line.box.y0 <= there.box.y0
        and not (line.box.y0 == here.box.y0 and line.box.x0 < here.box.x0)
        and not (line.box.y0 == there.box.y0 and line.box.x0 > there.box.x0)
        for line in left
    )


def _leaves_a_cell(read: list[PageLine], there: PageLine, left: list[PageLine]) -> bool:
    """Whether a row above, of which some was read, goes on to the right with what was not."""
    return any(
        _middle(line) < _middle(there)
        and any(is_one_row(line, one) and one.box.x0 < line.box.x0 for one in read)
        for line in left
    )


def _is_next_column(body: list[PageLine], there: PageLine, left: list[PageLine]) -> bool:
    """Whether the lines read last are a column's, to its end, and the next column begins there."""
    here, column = body[-1], _column_of(body)
    right, top = max(line.box.x1 for line in column), column[-1].box.y0
    if there.box.x0 < right:
        return False
    far = _far(column)
    own = [line for line in left if line.page == here.page]
    begins_above = any(
        _middle(line) < _middle(there)
        and there.box.y0 - line.box.y1 <= far
        and overlap_across(line.box, there.box)
        and line.box.x0 >= right
        for line in own
    )
    between = any(
        right <= line.box.x0 < there.box.x0
        and line.box.y1 > min(top, there.box.y0)
        and line.box.y0 < here.box.y1
        for line in own
    )
    return not (begins_above or between or _goes_on(column, own))


def _column_of(body: list[PageLine]) -> list[PageLine]:
    """The lines read last, as long as each stands above the next; the last one first."""
    column = body[-1:]
    for line in body[-2::-1]:
        above = line.page == column[-1].page and _middle(line) < _middle(column[-1])
        if not above or not overlap_across(line.box, column[-1].box):
            break
        column.append(line)
    return column


def _goes_on(column: list[PageLine], left: list[PageLine]) -> bool:
    """Whether the next line of the column was not read yet."""
    here, far = column[0], _far(column)
    return any(
        _middle(line) > _middle(here)
        and line.box.y0 - here.box.y1 <= far
        and any(overlap_across(line.box, each.box) for each in column)
        for line in left
    )


def _far(column: list[PageLine]) -> float:
    gaps = [low.box.y0 - high.box.y1 for low, high in pairwise(column)]
    height = column[0].height
    return max(_GAPS * max(gaps), height / 2) if gaps else _HEIGHTS * height


def _is_upright(line: PageLine) -> bool:
    return len(line.span) > 2 and line.height > _UPRIGHT * (line.box.x1 - line.box.x0)
