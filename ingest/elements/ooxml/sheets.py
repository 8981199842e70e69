"""XLSX → canonical text: one page a sheet, its filled cells row by row, comments and charts after.

A cell shows what its program kept of it, by its number format. Formulas are not computed: one
without a kept value makes its page degraded. Hidden sheets, rows and columns are kept, flagged
invisible.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.text_block import Place
from spanproof.ingest.elements.ooxml.cell_value import ShownValue, hides_text, show_value
from spanproof.ingest.elements.ooxml.container import attribute, child, children, local, to_int
from spanproof.ingest.elements.ooxml.graphics import read_graphic
from spanproof.ingest.elements.ooxml.variant import to_usual
from spanproof.ingest.elements.ooxml.word_text import read_paragraph
from spanproof.ingest.elements.ooxml.workbook import read_workbook, text_of
from spanproof.ingest.elements.partition import Reading, partition
from spanproof.ingest.elements.piece import Piece, name_cell, write_pieces
from spanproof.ingest.elements.pipeline import unstructured_pipeline
from spanproof.ingest.elements.styles.seen import VISIBILITY
from spanproof.ingest.elements.writer import Cell, TextWriter, pause_collection
from spanproof.ingest.limits import check_limit
from spanproof.ingest.media_type import XLSX

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.etree import _Element

    from spanproof.core.documents.document import Document, Extraction, Pipeline
    from spanproof.ingest.elements.ooxml.container import Package
    from spanproof.ingest.elements.ooxml.workbook import Sheet, Workbook
    from spanproof.ingest.limits import Limits

_ADDRESS = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
_RANGE_END = re.compile(r"\$?([A-Z]{1,3})\$?([1-9][0-9]{0,6})")
# A row so low, in points, or a column so narrow, in figures, shows nothing.
_LOWEST, _NARROWEST = 2.0, 0.3
# A merged cell over more than these lies over a picture of a sheet, not over a table.
# Areas of one rule of conditional formatting that are looked at.
_MOST_AREAS = 1_000
_MOST_COVERED = 100_000
_TEXT_KINDS = frozenset({"s", "str", "inlineStr"})
#: A larger workbook is not given to unstructured, which compares its cells with each other; nor is
#: one whose cells lie far apart, because it walks all of the area around them.
_MOST_CELLS, _WIDEST_AREA = 10_000, 200_000
# What Excel has (ECMA-376 leaves it open): a number beyond is damage, or an attack on readers.
_LAST_ROW = 1_048_576


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
    if all(sheet.is_small for sheet in sheets) and sum(s.cells for s in sheets) <= _MOST_CELLS:
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


#: Its first column and row, its last column and row.
_Area: TypeAlias = tuple[int, int, int, int]


class _Cell(NamedTuple):
    shown: ShownValue
    column: int
    flags: CharFlag


class _Row(NamedTuple):
    """A row with text; whether it is hidden or has no height, and whether it says it is shown."""

    number: int
    is_shut: bool
    is_open: bool
    cells: list[_Cell]


@dataclass(slots=True, kw_only=True)
class _SheetReader:
    """Reads one sheet; ``unkept`` counts formulas without a kept value."""

    book: Workbook
    sheet: Sheet
    rows: list[_Row] = field(default_factory=list)
    unkept: int = 0
    #: Whether a row claims a number that no sheet has.
    astray: bool = False
    #: How many columns and rows a merged cell takes, by its first column and row.
    merged: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    #: Cells under merged ones, hidden columns, and whether rows are hidden unless they say no.
    covered: frozenset[tuple[int, int]] = frozenset()
    hidden: frozenset[int] = frozenset()
    shut: bool = False
    #: Areas in which a rule may hide text. Whether it holds only the sheet's program knows.
    ruled: tuple[tuple[_Area, CharFlag], ...] = ()
    _styles: dict[str | None, tuple[str, CharFlag]] = field(default_factory=dict)

    @property
    def cells(self) -> int:
        """How many cells have text."""
        return sum(len(row.cells) for row in self.rows)

    @property
    def is_small(self) -> bool:
        """Whether the area around the cells is small enough to be walked."""
        last = max((row.number for row in self.rows), default=0)
        widest = max((row.cells[-1].column for row in self.rows), default=0)
        return not self.astray and last * widest <= _WIDEST_AREA

    def read(self) -> None:
        number, table = 0, None
        for node in self.book.package.walk(self.sheet.part, "{*}row"):
            outer = node.getparent()
            if outer is None:
                self._read_frame(node)
            elif (outer is table) if table is not None else _is_table(outer):
                table = outer
                # Both kinds of address may be left out: then it is the next one.
                number = self._row_number(attribute(node, "r"), number + 1)
                self._read_row(node, number)

    def _read_frame(self, root: _Element) -> None:
        """What appears around the rows and decides which of their cells are seen."""
        self.hidden = frozenset(_hidden_columns(root))
        self.merged, self.covered = _merged_cells(root)
        self.shut = _is_on(child(root, "sheetFormatPr"), "zeroHeight")
        self.ruled = tuple(_read_ruled(root, self.book.rule_flags))

    def _read_row(self, row: _Element, number: int) -> None:
        cells: list[_Cell] = []
        column = 0
        for node in row.iterchildren("{*}c"):
            address = node.get("r")
            named = _ADDRESS.fullmatch(address) if address else None
            column = _column_number(named.group(1)) if named else column + 1
            # unstructured walks the area that the addresses span, row by row.
            self.astray |= bool(address) and (named is None or int(named.group(2)) > _LAST_ROW)
            kind = node.get("t") or "n"
            code, flags = self._style_of(node.get("s"))
            shown = self._show(node, kind, code)
            if shown.text and not shown.text.isspace():
                if kind in _TEXT_KINDS and hides_text(code):
                    flags |= CharFlag.INVISIBLE
                cells.append(_Cell(shown, column, flags))
        if cells:
            is_open = attribute(row, "hidden") in {"0", "false"}
            self.rows.append(_Row(number, _is_shut(row, "ht", _LOWEST), is_open, cells))

    def _row_number(self, declared: str | None, following: int) -> int:
        if declared is None:
            return following
        number = to_int(declared)
        if 0 < number <= _LAST_ROW:
            return number
        self.astray = True
        return following

    def write(self, writer: TextWriter) -> None:
        """Write the table of all filled cells, then the sheet's attachments."""
        place = Place(sheet=self.sheet.name)
        rows, self.rows = self.rows, []
        with writer.nest("table", place=place):
            for row in rows:
                is_hidden = self.sheet.is_hidden or row.is_shut or (self.shut and not row.is_open)
                writer.write_row(
                    [
                        Cell(
                            cell.shown.text,
                            self._place_of(cell.column, row.number),
                            self._seen(cell, row.number, is_hidden=is_hidden),
                            cell.shown.raw,
                            cell.shown.moment,
                        )
                        for cell in row.cells
                    ],
                    place,
                )
        for pieces, is_closed in self._hanging():
            hidden = is_closed or self.sheet.is_hidden
            write_pieces(writer, pieces, within=place, hidden=hidden)

    def _seen(self, cell: _Cell, row: int, *, is_hidden: bool) -> CharFlag:
        column = cell.column
        if is_hidden or column in self.hidden or (column, row) in self.covered:
            return cell.flags | CharFlag.INVISIBLE
        flags = cell.flags
        for (left, top, right, bottom), hiding in self.ruled:
            if left <= column <= right and top <= row <= bottom:
                flags |= hiding
        return flags

    def _place_of(self, column: int, row: int) -> Place:
        address = name_cell(column, row)
        if (column, row) not in self.merged:
            return Place(sheet=self.sheet.name, cell=address)
        columns, rows = self.merged[column, row]
        return Place(sheet=self.sheet.name, cell=address, rows=rows, columns=columns)

    def find_problem(self) -> str | None:
        """What this sheet cannot show."""
        if self.astray:
            return f"A row claims a number over {_LAST_ROW:,}; it is counted behind the one before."
        if not self.unkept:
            return None
        return f"{self.unkept} formulas have no kept value: open and save it in its program."

    def _show(self, node: _Element, kind: str, code: str) -> ShownValue:
        """What a cell of a kind (``s``: a shared text) and number format shows."""
        if kind == "inlineStr":
            inline = child(node, "is")
            return ShownValue("" if inline is None else text_of(inline))
        value = next(node.iterchildren("{*}v"), None)
        kept = "" if value is None else value.text or ""
        if not kept:
            self.unkept += child(node, "f") is not None and kind != "str"
            return ShownValue("")
        if kind == "s":
            index = to_int(kept, -1)
            kept = self.book.texts[index] if 0 <= index < len(self.book.texts) else ""
        return show_value(kept, kind, code, from_1904=self.book.from_1904)

    def _style_of(self, named: str | None) -> tuple[str, CharFlag]:
        """The number format of a cell, and what its font and fill make of its text."""
        found = self._styles.get(named)
        if found is None:
            index, formats, flags = to_int(named), self.book.formats, self.book.flags
            found = self._styles[named] = (
                formats[index] if 0 <= index < len(formats) else "General",
                flags[index] if 0 <= index < len(flags) else CharFlag(0),
            )
        return found

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


def _is_table(node: _Element) -> bool:
    """Whether a node is the table of its sheet: ``row`` is also the name of a picture's corner."""
    root = node.getparent()
    return root is not None and root.getparent() is None and child(root, "sheetData") is node


def _is_on(node: _Element | None, name: str) -> bool:
    return node is not None and attribute(node, name) in {"1", "true"}


def _is_shut(node: _Element, size: str, least: float) -> bool:
    """Whether a row or column is hidden, or has hardly a height or width."""
    if _is_on(node, "hidden"):
        return True
    try:
        return float(attribute(node, size) or least) < least
    except ValueError:
        return False


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
            (_column_of(f"{corner[1]}1"), int(corner[2])) for corner in corners if corner
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
                ends = [(_column_of(f"{one[1]}1"), int(one[2])) for one in corners if one]
                yield (*ends[0], *ends[-1]), hiding


def _hidden_columns(root: _Element) -> Iterator[int]:
    for node in children(child(root, "cols"), "col"):
        if _is_shut(node, "width", _NARROWEST):
            first, last = to_int(attribute(node, "min")), to_int(attribute(node, "max"))
            # A sheet has 16,384 columns.
            yield from range(max(first, 1), min(last, 16_384) + 1)


def _column_of(address: str | None) -> int:
    found = _ADDRESS.fullmatch(address or "")
    return _column_number(found.group(1)) if found else 0


@lru_cache(maxsize=1 << 15)
def _column_number(letters: str) -> int:
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column


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
