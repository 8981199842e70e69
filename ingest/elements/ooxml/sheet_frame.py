"""What appears around the rows of a sheet and decides which of their cells are seen."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from spanproof.core.documents.cell_address import number_column
from spanproof.core.documents.layout import CharFlag
from spanproof.ingest.elements.ooxml.container import attribute, child, children, to_int
from spanproof.ingest.elements.ooxml.sheet_rows import is_closed, is_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.etree import _Element

    from spanproof.core.documents.blocks import Mask
    from spanproof.core.documents.packed_numbers import Ints

#: Its first column and row, its last column and row.
_Area: TypeAlias = tuple[int, int, int, int]
_RANGE_END = re.compile(r"\$?([A-Z]{1,3})\$?([1-9][0-9]{0,6})")
#: A column so narrow, in figures, shows nothing.
_NARROWEST = 0.3
#: Areas of one rule of conditional formatting that are looked at.
_MOST_AREAS = 1_000
#: A merged cell over more than these lies over a picture of a sheet, not over a table.
_MOST_COVERED = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetFrame:
    """The frame of one sheet.

    ``merged`` tells how many columns and rows a merged cell takes, by its first column and row,
    ``covered`` which cells are under such ones. ``shut``: rows are hidden unless they say no.
    ``ruled`` are areas in which a rule may hide text; whether it holds only the sheet's program
    knows.
    """

    merged: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    covered: frozenset[tuple[int, int]] = frozenset()
    hidden: frozenset[int] = frozenset()
    shut: bool = False
    ruled: tuple[tuple[_Area, CharFlag], ...] = ()

    @classmethod
    def read(cls, root: _Element, rule_flags: Sequence[CharFlag]) -> SheetFrame:
        """The frame of a sheet's markup."""
        merged, covered = _merged_cells(root)
        return cls(
            merged=merged,
            covered=covered,
            hidden=frozenset(_hidden_columns(root)),
            shut=is_set(child(root, "sheetFormatPr"), "zeroHeight"),
            ruled=tuple(_read_ruled(root, rule_flags)),
        )

    def find_unseen(self, columns: Ints, rows: Ints, unseen: Mask) -> Ints:
        """The flags of cells that columns, merged cells and rules hide, or that are ``unseen``."""
        unseen = unseen | np.isin(columns, list(self.hidden))
        if self.covered:
            places = zip(columns.tolist(), rows.tolist(), strict=True)
            unseen |= np.fromiter(map(self.covered.__contains__, places), np.bool_, len(rows))
        ruled = np.zeros(len(columns), np.int32)
        for (left, top, right, bottom), hiding in self.ruled:
            across = (left <= columns) & (columns <= right)
            ruled[across & (top <= rows) & (rows <= bottom)] |= int(hiding)
        return np.where(unseen, np.int32(CharFlag.INVISIBLE), ruled)


def _merged_cells(
    root: _Element,
) -> tuple[dict[tuple[int, int], tuple[int, int]], frozenset[tuple[int, int]]]:
    """The columns and rows that merged cells take, and the cells, by column and row, under them."""
    merged: dict[tuple[int, int], tuple[int, int]] = {}
    found: set[tuple[int, int]] = set()
    for node in children(child(root, "mergeCells"), "mergeCell"):
        corners = [_RANGE_END.fullmatch(end) for end in (attribute(node, "ref") or "").split(":")]
        if len(corners) != 2 or None in corners:
            continue
        (left, top), (right, bottom) = (
            (number_column(corner[1]), int(corner[2])) for corner in corners if corner
        )
        if (right - left + 1) * (bottom - top + 1) <= _MOST_COVERED:
            columns, rows = range(left, right + 1), range(top, bottom + 1)
            found.update((column, row) for column in columns for row in rows)
            found.discard((left, top))
            merged[left, top] = (right - left + 1, bottom - top + 1)
    return merged, frozenset(found)


def _read_ruled(root: _Element, flags: Sequence[CharFlag]) -> Iterator[tuple[_Area, CharFlag]]:
    """The areas in which a rule may hide text, and how."""
    for node in children(root, "conditionalFormatting"):
        places = [to_int(attribute(rule, "dxfId"), -1) for rule in children(node, "cfRule")]
        hiding = next((flags[at] for at in places if 0 <= at < len(flags) and flags[at]), None)
        for area in (attribute(node, "sqref") or "").split()[:_MOST_AREAS] if hiding else ():
            corners = [_RANGE_END.fullmatch(end) for end in area.split(":")]
            if hiding and None not in corners:
                ends = [(number_column(one[1]), int(one[2])) for one in corners if one]
                yield (*ends[0], *ends[-1]), hiding


def _hidden_columns(root: _Element) -> Iterator[int]:
    for node in children(child(root, "cols"), "col"):
        if is_closed(attribute(node, "hidden"), attribute(node, "width"), _NARROWEST):
            first, last = to_int(attribute(node, "min")), to_int(attribute(node, "max"))
            # A sheet has 16,384 columns.
            yield from range(max(first, 1), min(last, 16_384) + 1)
