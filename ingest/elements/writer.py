"""Blocks in reading order → canonical text: every block's text is a slice of it by construction.

Blocks stand on lines of their own, cells of a row are parted by a tab, and every page (a slide, a
sheet, a chapter; the whole document if there are none) ends with a form feed. These separators
are ours and flagged so; what a block's own text holds is the document's.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

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
    from collections.abc import Iterator, Sequence

    from spanproof.core.documents.document import CharacterCounts, Document, PageStatus, Pipeline
    from spanproof.core.documents.text_block import BlockKind, Place
    from spanproof.ingest.limits import Limits

LINE_END, CELL_END, PAGE_END = "\n", "\t", "\f"
_NO_TEXT_HINT = (
    "Open the file: it may be damaged or hold pictures only (those: save it as PDF, then --ocr)."
)
# A page is degraded when more of its characters than this are U+FFFD: a wrong charset was declared.
_UNMAPPED_SHARE = 0.2


class Cell(NamedTuple):
    """A cell with text: a row of many of them is written at once.

    ``raw`` and ``moment`` are what a workbook keeps of a value that the text shows otherwise.
    """

    text: str
    place: Place
    flags: CharFlag = CharFlag(0)
    raw: str | None = None
    moment: str | None = None


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
    _separators: list[int] = field(default_factory=list)
    _blocks: list[Block] = field(default_factory=list)
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
        self._blocks.append(Block(kind=kind, span=span, level=level, name=name, place=place))

    def write_row(self, cells: Sequence[Cell], place: Place) -> None:
        """Add a row of a table, all of its cells at once; none where no cell has text.

        The same as ``nest`` around a ``write`` for each cell, for tables of millions of cells.
        """
        if not cells:
            return
        self._part(LINE_END)
        start = at = self._length
        text = CELL_END.join([cell.text for cell in cells])
        self._put(text)
        self._blocks.append(Block(kind="row", span=Span(start, start + len(text)), place=place))
        for shown, cell_place, flags, raw, moment in cells:
            if at > start:
                self._separators.append(at)
                at += len(CELL_END)
            end = at + len(shown)
            if flags:
                self._flagged.append(Mark(at, end, flags))
            span = Span(at, end)
            self._blocks.append(Block(kind="cell", span=span, place=cell_place))
            if raw is not None or moment is not None:
                self._values.append(CellValue(span=span, raw=raw, moment=moment))
            at = end

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
        index = len(self._blocks)
        yield
        if len(self._blocks) > index:
            span = Span(start, self._length)
            block = Block(kind=kind, span=span, level=level, name=name, place=place)
            self._blocks.insert(index, block)

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
        flags[self._separators] = np.uint16(CharFlag.SEPARATOR)
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
            blocks=tuple(self._blocks),
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


def _judge(
    said: tuple[PageStatus, str | None], counts: CharacterCounts
) -> tuple[PageStatus, str | None]:
    if said[0] != "ok" or counts.unmapped <= _UNMAPPED_SHARE * counts.characters:
        return said
    return "degraded", f"{counts.unmapped} of {counts.characters} characters cannot be decoded."
