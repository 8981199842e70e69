"""Blocks in reading order → canonical text: every block's text is a slice of it by construction.

Blocks stand on lines of their own, cells of a row are parted by a tab, and every page (a slide, a
sheet, a chapter; the whole document if there are none) ends with a form feed. These separators
are ours and flagged so; what a block's own text holds is the document's.
"""

from __future__ import annotations

import gc
from array import array
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.documents.blocks import NONE, NUMBERS, BlockColumns
from spanproof.core.documents.document import Extraction, Page
from spanproof.core.documents.layout import CharFlag, Layout
from spanproof.core.documents.text_block import Block, CellValue
from spanproof.core.errors import EmptyDocumentError
from spanproof.core.span import Span
from spanproof.core.text import CanonicalText
from spanproof.ingest.assembly.characters import count_flags, replace_forbidden
from spanproof.ingest.elements.inline import Mark
from spanproof.ingest.limits import check_limit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike

    from spanproof.core.documents.document import CharacterCounts, Document, PageStatus, Pipeline
    from spanproof.core.documents.packed_numbers import Ints
    from spanproof.core.documents.text_block import BlockKind, Place
    from spanproof.ingest.limits import Limits

LINE_END, CELL_END, PAGE_END = "\n", "\t", "\f"
_NO_TEXT_HINT = (
    "Open the file: it may be damaged or hold pictures only (those: save it as PDF, then --ocr)."
)
# A page is degraded when more of its characters than this are U+FFFD: a wrong charset was declared.
_UNMAPPED_SHARE = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Rows of a table that are written at once: the texts of each row's filled cells, one at least.

    ``numbers`` are those of the rows; the other columns have a number for each cell: its column,
    its ``flags``, how many rows and columns it takes (by the cell's index, where not one).
    ``values`` are what a workbook keeps of cells that show it otherwise.
    """

    texts: Sequence[Sequence[str]]
    numbers: Ints
    columns: Ints
    flags: Ints | None = None
    extents: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    values: Sequence[tuple[int, str | None, str | None]] = ()


@contextmanager
def pause_collection() -> Iterator[None]:
    """Make millions of blocks without Python's search for circles, which they cannot have.

    The search looks at all of them again and again, and takes half of a large table's time.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@dataclass(slots=True, kw_only=True)
class TextWriter:
    """Takes blocks one by one and makes an extraction of them."""

    limits: Limits
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _separators: array[int] = field(default_factory=lambda: array("q"))
    _blocks: BlockColumns = field(default_factory=BlockColumns)
    _values: list[CellValue] = field(default_factory=list)
    _labels: list[str | None] = field(default_factory=list)
    _flagged: list[Mark] = field(default_factory=list)
    _problems: list[tuple[PageStatus, str | None]] = field(default_factory=list)
    _starts: list[int] = field(default_factory=lambda: [0])
    _page_part: int = 0

    def write(  # noqa: PLR0913 - the fields of a block
        self,
        text: str,
        kind: BlockKind,
        *,
        level: int | None = None,
        name: str | None = None,
        place: Place | None = None,
        separator: str = LINE_END,
        hidden: bool = False,
        marks: Sequence[Mark] = (),
    ) -> None:
        """Add a block; a text without a readable character adds nothing.

        ``hidden`` text is in the document and not on what its program shows (a hidden sheet);
        ``marks`` are the flags of stretches of the text.
        """
        if not text.strip():
            return
        self._part(separator)
        start = self._length
        self._put(text)
        span = Span(start, self._length)
        if hidden:
            self._flagged.append(Mark(span.start, span.end, CharFlag.INVISIBLE))
        self._flagged += [Mark(start + m.start, start + m.end, m.flags) for m in marks]
        block = Block(kind=kind, span=span, level=level, name=name, place=place)
        self._blocks.put(self._blocks.reserve(), block)

    def write_rows(self, rows: Rows, *, sheet: str | None = None, counted: bool = False) -> None:
        """Add rows of a table; the same as ``nest`` around a ``write`` for each cell.

        The place of a row is its sheet or, where rows are ``counted``, its number.
        """
        if not rows.texts:
            return
        self._part(LINE_END)
        base, count = self._length, len(rows.columns)
        self._put(LINE_END.join(map(CELL_END.join, rows.texts)))
        lengths = np.fromiter(map(len, chain.from_iterable(rows.texts)), np.int64, count)
        held = np.fromiter(map(len, rows.texts), np.int64, len(rows.texts))
        # A separator stands behind each cell but the last.
        ends = base + np.cumsum(lengths + 1) - 1
        starts = ends - lengths
        self._separators.frombytes(ends[:-1].tobytes())
        last = np.cumsum(held) - 1
        grid = _Interleaved(held)
        columns = {
            "kind": grid.join(NUMBERS["row"], NUMBERS["cell"]),
            "start": grid.join(starts[last - held + 1], starts),
            "end": grid.join(ends[last], ends),
            "placed": grid.join(1, 1),
            "row": grid.join(NONE, np.repeat(rows.numbers, held)),
            "column": grid.join(NONE, rows.columns),
        }
        if counted:
            columns["paragraph"] = grid.join(rows.numbers, NONE)
        if sheet is not None:
            word = self._blocks.find_word(sheet)
            columns["sheet"] = grid.join(word, word)
        if rows.extents:
            wide = np.full((2, count), NONE)
            for at, extent in rows.extents.items():
                wide[:, at] = extent
            columns["rows"], columns["columns"] = (grid.join(NONE, each) for each in wide)
        self._blocks.extend(count + len(held), columns)
        if rows.flags is not None:
            for at in np.flatnonzero(rows.flags).tolist():
                carried = CharFlag(int(rows.flags[at]))
                self._flagged.append(Mark(int(starts[at]), int(ends[at]), carried))
        for at, raw, moment in rows.values:
            span = Span(int(starts[at]), int(ends[at]))
            self._values.append(CellValue(span=span, raw=raw, moment=moment))

    @contextmanager
    def nest(
        self,
        kind: BlockKind,
        *,
        level: int | None = None,
        name: str | None = None,
        place: Place | None = None,
    ) -> Iterator[None]:
        """Put all text written inside into one outer block; without text, make no block."""
        # The separator before the first inner block belongs to no block.
        start = self._length if self._at_line_start() else self._length + 1
        index = self._blocks.reserve()
        yield
        if len(self._blocks) > index + 1:
            span = Span(start, self._length)
            block = Block(kind=kind, span=span, level=level, name=name, place=place)
            self._blocks.put(index, block)
        else:
            self._blocks.drop_last()

    def page_text(self) -> str:
        """What the open page holds so far."""
        return "".join(self._parts[self._page_part :])

    def end_page(
        self, label: str | None = None, *, status: PageStatus = "ok", problem: str | None = None
    ) -> None:
        """Close a page; a page without text is the one form feed."""
        self._separate(PAGE_END)
        self._page_part = len(self._parts)
        self._labels.append(label)
        self._problems.append((status, problem))
        self._starts.append(self._length)

    def finish(self, document: Document, pipeline: Pipeline) -> Extraction:
        """The extraction; raise EmptyDocumentError where no block was written.

        A reader that finds nothing may have failed in silence: that is never an empty document.
        """
        if not self._blocks:
            msg = f"Expected text in a document of type {document.media_type}, got none."
            raise EmptyDocumentError(msg, hint=_NO_TEXT_HINT)
        if self._length > self._starts[-1]:
            self.end_page()
        points = np.frombuffer("".join(self._parts).encode("utf-32-le", "surrogatepass"), "<u4")
        points, flags, _, originals = replace_forbidden(points.astype(np.uint32))
        flags[np.frombuffer(self._separators, np.int64)] = np.uint16(CharFlag.SEPARATOR)
        for start, end, carried in self._flagged:
            flags[start:end] |= np.uint16(carried)
        counts = count_flags(flags, np.array(self._starts[:-1], np.int64))
        text = points.tobytes().decode("utf-32-le")
        judged = [_judge(*found) for found in zip(self._problems, counts, strict=True)]
        return Extraction(
            document=document,
            pipeline=pipeline,
            text=CanonicalText.of(text),
            pages=tuple(
                Page(
                    number=index + 1,
                    label=self._labels[index],
                    span=Span(start, end),
                    frame=None,
                    text_source="born_digital" if text[start:end].strip() else "none",
                    counts=counts[index],
                    status=judged[index][0],
                    problem=judged[index][1],
                )
                for index, (start, end) in enumerate(
                    zip(self._starts, self._starts[1:], strict=False)
                )
            ),
            layout=Layout.of_flags(flags),
            originals=tuple(originals),
            blocks=self._blocks.build(),
            cell_values=tuple(self._values),
        )

    def _at_line_start(self) -> bool:
        return self._length == self._starts[-1]

    def _part(self, separator: str) -> None:
        if not self._at_line_start():
            self._separate(separator)

    def _separate(self, separator: str) -> None:
        self._separators.append(self._length)
        self._put(separator)

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        check_limit(self._length, self.limits.max_characters, "characters")


class _Interleaved:
    """Columns in which each row stands before its cells."""

    def __init__(self, held: np.ndarray[Any, np.dtype[np.int64]]) -> None:
        count = len(held)
        self._cells = np.arange(int(held.sum())) + np.repeat(np.arange(1, count + 1), held)
        self._rows = np.cumsum(held) - held + np.arange(count)

    def join(self, rows: ArrayLike, cells: ArrayLike) -> Ints:
        """A column of what rows and what cells have, each a number or one for each of them."""
        column = np.empty(len(self._rows) + len(self._cells), np.int32)
        column[self._rows], column[self._cells] = rows, cells
        return column


def _judge(
    said: tuple[PageStatus, str | None], counts: CharacterCounts
) -> tuple[PageStatus, str | None]:
    if said[0] != "ok" or counts.unmapped <= _UNMAPPED_SHARE * counts.characters:
        return said
    return "degraded", f"{counts.unmapped} of {counts.characters} characters cannot be decoded."
