"""Steps from line to line that a reader of a page takes, and that no line is skipped by.

Left to right along a row, down a column, to the next row's first line, and from a page's last line
to the next page's first. What a step passes over must have been read already: a figure of another
row is never the next one, and two lines that somebody swapped are not either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.documents.page_lines import PageLine, is_one_row, overlap_across

if TYPE_CHECKING:
    from collections.abc import Sequence


def may_follow(lines: Sequence[PageLine], path: Sequence[int], other: int) -> bool:
    """Whether a reader who has read the lines of ``path`` in this order may go on to ``other``.

    ``lines`` are those of a page or two in canonical order, ``path`` and ``other`` count in them.
    """
    one, used = path[-1], frozenset(path)
    if other == one + 1:
        return True
    here, there = lines[one], lines[other]
    left = [line for at, line in enumerate(lines) if at not in used and at != other]
    if here.page != there.page:
        below = any(line.page == here.page and _middle(line) > _middle(here) for line in left)
        above = any(line.page == there.page and _middle(line) < _middle(there) for line in left)
        return here.page < there.page and not (below or above)
    if is_one_row(here, there):
        return _is_next_in_row(here, there, left)
    return _middle(there) > _middle(here) and _is_next_below(here, there, left)


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
