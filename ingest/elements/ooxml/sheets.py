"""XLSX → canonical text: one page a sheet, its filled cells row by row, comments and charts after.

A cell shows what its program kept of it, by its number format. Formulas are not computed: one
without a kept value makes its page degraded. Hidden sheets, rows and columns are kept, flagged
invisible.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.text_block import Place
from spanproof.ingest.elements.ooxml.cell_value import (
    ShownValue,
    hides_text,
    is_shown_as_kept,
    show_value,
)
from spanproof.ingest.elements.ooxml.container import attribute, child, children, local, to_int
from spanproof.ingest.elements.ooxml.graphics import read_graphic
from spanproof.ingest.elements.ooxml.number_format import format_text
from spanproof.ingest.elements.ooxml.plain_rows import LAST_ROW, NotPlainError
from spanproof.ingest.elements.ooxml.sheet_frame import SheetFrame
from spanproof.ingest.elements.ooxml.sheet_rows import (
    WalkedSheet,
    is_closed,
    read_plain_sheet,
)
from spanproof.ingest.elements.ooxml.variant import to_usual
from spanproof.ingest.elements.ooxml.word_text import read_paragraph
from spanproof.ingest.elements.ooxml.workbook import read_workbook, text_of
from spanproof.ingest.elements.partition import Reading, partition
from spanproof.ingest.elements.piece import Piece, write_pieces
from spanproof.ingest.elements.pipeline import unstructured_pipeline
from spanproof.ingest.elements.styles.seen import VISIBILITY
from spanproof.ingest.elements.writer import Rows, TextWriter, pause_collection
from spanproof.ingest.limits import check_limit
from spanproof.ingest.media_type import XLSX

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.etree import _Element

    from spanproof.core.documents.document import Document, Extraction, Pipeline
    from spanproof.ingest.elements.ooxml.container import Package
    from spanproof.ingest.elements.ooxml.plain_rows import RawCell, RawRow
    from spanproof.ingest.elements.ooxml.workbook import Sheet, Workbook
    from spanproof.ingest.limits import Limits

#: A row so low, in points, shows nothing.
_LOWEST = 2.0
_NUMBERS = frozenset({None, "n"})
#: Any text: what a format makes of it shows what it makes of others.
_ANY = "a"
_TEXT_KINDS = frozenset({"s", "str", "inlineStr"})
#: A larger workbook is not given to unstructured, which compares its cells with each other; nor is
#: one whose cells lie far apart, because it walks all of the area around them.
_MOST_CELLS, _WIDEST_AREA = 10_000, 200_000
#: Rows that are written at once.
_ROWS_AT_ONCE = 1 << 13


@pause_collection()
def read(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read a workbook; raise ExtractionError where it is broken, too large or without text."""
    del charset
    from spanproof.ingest.elements.ooxml.container import Package

    book = read_workbook(Package(data, limits))
    check_limit(len(book.sheets), limits.max_pages, "sheets")
    sheets = [_SheetReader(book=book, sheet=sheet) for sheet in book.sheets]
    for sheet in sheets:
        sheet.read()
    reading = Reading()
    if all(sheet.is_small for sheet in sheets) and sum(len(s.texts) for s in sheets) <= _MOST_CELLS:
        reading = partition(XLSX, to_usual(book.package, data), pages=True)
    writer = TextWriter(limits=limits)
    for number, sheet in enumerate(sheets, start=1):
        sheet.write(writer)
        problem = sheet.find_problem() or reading.find_problem(writer.page_text(), number)
        writer.end_page(
            sheet.sheet.name, status="ok" if problem is None else "degraded", problem=problem
        )
    return writer.finish(document, _pipeline())


def _pipeline() -> Pipeline:
    return unstructured_pipeline(
        "xlsx", ("lxml", "openpyxl"), visibility=f"{VISIBILITY}+comments-1"
    )


class _Row(NamedTuple):
    """A row with text: where its cells begin, and whether it is hidden or has no height.

    ``is_open``: it says that it is shown.
    """

    number: int
    is_shut: bool
    is_open: bool
    first: int


class _Style(NamedTuple):
    """What a cell's style makes of it: whether numbers have no format, and texts none of theirs."""

    code: str
    flags: CharFlag
    #: The flags of a text, which the format may hide.
    text_flags: CharFlag
    is_general: bool
    keeps_text: bool


@dataclass(slots=True, kw_only=True)
class _SheetReader:
    """Reads one sheet; ``unkept`` counts formulas without a kept value."""

    book: Workbook
    sheet: Sheet
    rows: list[_Row] = field(default_factory=list)
    #: By cell: its text, column and flags; and what is kept of those that show something else.
    texts: list[str] = field(default_factory=list)
    columns: array[int] = field(default_factory=lambda: array("i"))
    flags: array[int] = field(default_factory=lambda: array("i"))
    values: list[tuple[int, str | None, str | None]] = field(default_factory=list)
    unkept: int = 0
    #: Whether a row claims a number that no sheet has.
    astray: bool = False
    frame: SheetFrame = field(default_factory=SheetFrame)
    _styles: dict[str | None, _Style] = field(default_factory=dict)

    @property
    def is_small(self) -> bool:
        """Whether the area around the cells is small enough to be walked."""
        last = max((row.number for row in self.rows), default=0)
        widest = max(self.columns, default=0)
        return not self.astray and last * widest <= _WIDEST_AREA

    def read(self) -> None:
        """Read the rows, and what appears around them and decides which cells are seen."""
        try:
            root, rows = read_plain_sheet(self.book.package, self.sheet.part)
            self._take_rows(rows)
        except NotPlainError:
            self.rows, self.texts, self.values, self.unkept = [], [], [], 0
            self.columns, self.flags = array("i"), array("i")
            walked = WalkedSheet(self.book.package, self.sheet.part)
            self._take_rows(walked.rows())
            root, self.astray = walked.root, self.astray or walked.astray
        self.frame = SheetFrame.read(root, self.book.rule_flags)

    def _take_rows(self, rows: Iterator[RawRow]) -> None:
        number = 0
        for row in rows:
            # Both kinds of address may be left out: then it is the next one.
            number = self._row_number(row.number, number + 1)
            first = len(self.texts)
            self._take_cells(row.cells)
            if len(self.texts) > first:
                is_shut = is_closed(row.hidden, row.height, _LOWEST)
                self.rows.append(_Row(number, is_shut, row.hidden in {"0", "false"}, first))

    def _take_cells(self, cells: Sequence[RawCell]) -> None:
        texts, styles, column = self.texts, self._styles, 0
        add_text, add_column, add_flags = texts.append, self.columns.append, self.flags.append
        for at, named, kind, formula, value, inline in cells:
            column = at or column + 1
            style = styles.get(named) or self._style_of(named)
            text: str | None
            # The usual cells first: what they keep is what they show.
            if kind in _NUMBERS and value and style.is_general and is_shown_as_kept(value):
                text, flags = value, style.flags
            elif kind == "inlineStr":
                text, flags = inline, style.text_flags
            elif kind == "s" and value and style.keeps_text:
                text, flags = self._shared_text(value), style.text_flags
            else:
                text, raw, moment = self._show(kind or "n", formula, value or "", style.code)
                flags = style.text_flags if kind in _TEXT_KINDS else style.flags
                if (raw is not None or moment is not None) and text and not text.isspace():
                    self.values.append((len(texts), raw, moment))
            if text and not text.isspace():
                add_text(text)
                add_column(column)
                add_flags(flags)

    def _row_number(self, declared: str | None, following: int) -> int:
        if declared is None:
            return following
        number = to_int(declared)
        if 0 < number <= LAST_ROW:
            return number
        self.astray = True
        return following

    def write(self, writer: TextWriter) -> None:
        """Write the table of all filled cells, then the sheet's attachments."""
        place = Place(sheet=self.sheet.name)
        with writer.nest("table", place=place):
            for start in range(0, len(self.rows), _ROWS_AT_ONCE):
                writer.write_rows(self._to_rows(start, start + _ROWS_AT_ONCE), sheet=place.sheet)
        self.rows, self.texts, self.values = [], [], []
        for pieces, is_folded in self._hanging():
            hidden = is_folded or self.sheet.is_hidden
            write_pieces(writer, pieces, within=place, hidden=hidden)

    def _to_rows(self, start: int, end: int) -> Rows:
        """Some of the rows, with what is seen of them."""
        rows = self.rows[start:end]
        behind = self.rows[end].first if end < len(self.rows) else len(self.texts)
        edges = [*(row.first for row in rows), behind]
        first, held = edges[0], np.diff(edges)
        numbers = np.array([row.number for row in rows], np.int32)
        columns = np.array(self.columns[first:behind], np.int32)
        is_hidden = [
            self.sheet.is_hidden or row.is_shut or (self.frame.shut and not row.is_open)
            for row in rows
        ]
        each = np.repeat(numbers, held)
        flags = np.array(self.flags[first:behind], np.int32)
        flags |= self.frame.find_unseen(columns, each, np.repeat(is_hidden, held))
        values = [self.values[at] for at in self._values_of(first, behind)]
        places = zip(columns.tolist(), each.tolist(), strict=True) if self.frame.merged else ()
        return Rows(
            texts=[self.texts[one:other] for one, other in pairwise(edges)],
            numbers=numbers,
            columns=columns,
            flags=flags,
            extents={
                at: self.frame.merged[place][::-1]
                for at, place in enumerate(places)
                if place in self.frame.merged
            },
            values=[(at - first, raw, moment) for at, raw, moment in values],
        )

    def _values_of(self, first: int, behind: int) -> range:
        low, high = (bisect_left(self.values, at, key=itemgetter(0)) for at in (first, behind))
        return range(low, high)

    def find_problem(self) -> str | None:
        """What this sheet cannot show."""
        if self.astray:
            return f"A row claims a number over {LAST_ROW:,}; it is counted behind the one before."
        if not self.unkept:
            return None
        return f"{self.unkept} formulas have no kept value: open and save it in its program."

    def _show(self, kind: str, formula: object, kept: str, code: str) -> ShownValue:
        """What a cell of a kind (``s``: a shared text) and number format shows."""
        if not kept:
            self.unkept += formula is not None and kind != "str"
            return ShownValue("")
        if kind == "s":
            kept = self._shared_text(kept)
        return show_value(kept, kind, code, from_1904=self.book.from_1904)

    def _shared_text(self, kept: str) -> str:
        index = to_int(kept, -1)
        return self.book.texts[index] if 0 <= index < len(self.book.texts) else ""

    def _style_of(self, named: str | None) -> _Style:
        """The number format of a cell, and what its font and fill make of its text."""
        index, formats, flags = to_int(named), self.book.formats, self.book.flags
        code = formats[index] if 0 <= index < len(formats) else "General"
        own = flags[index] if 0 <= index < len(flags) else CharFlag(0)
        hidden = CharFlag.INVISIBLE if hides_text(code) else CharFlag(0)
        keeps_text = format_text(_ANY, code) == _ANY
        style = _Style(code, own, own | hidden, code == "General", keeps_text)
        self._styles[named] = style
        return style

    def _hanging(self) -> Iterator[tuple[list[Piece], bool]]:
        """Comments and what is drawn; True for what a reader has to open first."""
        package, part = self.book.package, self.sheet.part
        threads = package.related(part, "threadedComment")
        for target in threads:
            yield _read_threads(package.root(target)), True
        for target in package.related(part, "comments"):
            yield _read_comments(package.root(target), threaded=bool(threads)), True
        for target in package.related(part, "drawing"):
            yield _read_drawing(package, target), False


def _read_comments(root: _Element, *, threaded: bool) -> list[Piece]:
    pieces: list[Piece] = []
    for node in children(child(root, "commentList"), "comment"):
        text = text_of(node)
        # For older programs a thread is kept again as a comment that explains itself.
        if not (threaded and text.startswith("[Threaded comment]")):
            pieces.append(Piece(kind="annotation", text=text, cell=attribute(node, "ref")))
    return pieces


def _read_threads(root: _Element) -> list[Piece]:
    return [
        Piece(kind="annotation", text=text.text or "", cell=attribute(node, "ref"))
        for node in children(root, "threadedComment")
        for text in children(node, "text")
    ]


def _read_drawing(package: Package, part: str) -> list[Piece]:
    """The text boxes, charts and diagrams that lie on a sheet."""
    pieces: list[Piece] = []
    relations = package.relations_of(part)
    for node in package.root(part).iter():
        name = local(node)
        if name == "txBody":
            texts = (read_paragraph(inner).text for inner in children(node, "p"))
            pieces += [Piece(kind="paragraph", text=text) for text in texts]
        elif name in {"chart", "relIds"}:
            relation = relations.get(attribute(node, "dm" if name == "relIds" else "id") or "")
            root = package.find_root(relation.target) if relation is not None else None
            if root is not None:
                pieces += read_graphic(root)
    return pieces
