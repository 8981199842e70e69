"""The characters of some pages as an engine gave them: columns, in the engine's order and frame."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float32]]
Points = np.ndarray[Any, np.dtype[np.uint32]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CharStream:
    """Pages → lines → characters, flattened.

    Quads are eight rows (x and y of upper left, upper right, lower left, lower right); like origins
    (two rows) and directions they are in the frame of the unrotated page: y down, times UserUnit.
    """

    page_lines: Ints
    line_length: Ints
    line_direction: Floats
    line_vertical: Mask
    points: Points
    synthetic: Mask
    invisible: Mask
    #: Whose glyphs are pictures (Type 3 fonts): drawn, and not as text.
    drawn: Mask
    quads: Floats
    origins: Floats
    sizes: Floats

    def __len__(self) -> int:
        return len(self.points)

    def char_ends(self) -> list[int]:
        """The number of characters up to the end of each page."""
        lines = np.concatenate([[0], np.cumsum(self.line_length)])
        ends: list[int] = lines[np.cumsum(self.page_lines)].tolist()
        return ends

    def page(self, index: int) -> CharStream:
        """The characters of one page; the columns are views of these."""
        lines = np.concatenate([[0], np.cumsum(self.page_lines)])[index : index + 2].tolist()
        line = slice(*lines)
        chars = np.concatenate([[0], np.cumsum(self.line_length)])[lines].tolist()
        char = slice(*chars)
        return CharStream(
            page_lines=self.page_lines[index : index + 1],
            line_length=self.line_length[line],
            line_direction=self.line_direction[line],
            line_vertical=self.line_vertical[line],
            points=self.points[char],
            synthetic=self.synthetic[char],
            invisible=self.invisible[char],
            drawn=self.drawn[char],
            quads=self.quads[:, char],
            origins=self.origins[:, char],
            sizes=self.sizes[char],
        )


def put_together(stream: CharStream, others: Mapping[int, CharStream]) -> CharStream:
    """The same pages, those of the given indexes by other streams of one page each."""
    if not others:
        return stream
    count = len(stream.page_lines)
    pages = [others[i] if i in others else stream.page(i) for i in range(count)]
    columns = {}
    for one in fields(CharStream):
        parts = [getattr(page, one.name) for page in pages]
        columns[one.name] = np.concatenate(
            parts, axis=parts[0].ndim - 1 if one.name in _ROWS else 0
        )
    return CharStream(**columns)


#: The columns whose characters are along their second axis.
_ROWS = frozenset({"quads", "origins"})
