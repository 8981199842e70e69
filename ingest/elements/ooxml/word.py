"""DOCX → canonical text: headers, body, notes, comments, footers, each in the order of its part.

The characters come from the document's markup, what a paragraph is from its style and, where that
is silent, from unstructured. There are no pages: Word makes them again for every printer.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from spanproof.core.documents.cell_address import name_cell
from spanproof.ingest.elements.ooxml.container import (
    Package,
    attribute,
    child,
    is_on,
    local,
    shown_branch,
    to_int,
    value_of,
)
from spanproof.ingest.elements.ooxml.graphics import read_graphic
from spanproof.ingest.elements.ooxml.numbering import Numbering
from spanproof.ingest.elements.ooxml.variant import to_usual
from spanproof.ingest.elements.ooxml.word_look import (
    Ground,
    RunLook,
    cell_ground,
    frame_ground,
    row_ground,
    table_ground,
)
from spanproof.ingest.elements.ooxml.word_style import Styles
from spanproof.ingest.elements.ooxml.word_text import read_paragraph
from spanproof.ingest.elements.partition import partition
from spanproof.ingest.elements.piece import Piece, write_pieces
from spanproof.ingest.elements.pipeline import unstructured_pipeline
from spanproof.ingest.elements.styles.seen import VISIBILITY
from spanproof.ingest.elements.writer import TextWriter
from spanproof.ingest.media_type import DOCX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from spanproof.core.documents.document import Document, Extraction, Pipeline
    from spanproof.core.documents.text_block import BlockKind
    from spanproof.ingest.elements.partition import Reading
    from spanproof.ingest.limits import Limits

#: Containers that a program shows as if their content appeared outside them.
_TRANSPARENT = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "Choice"})
_NOTES: tuple[tuple[str, BlockKind], ...] = (
    ("footnotes", "footnote"),
    ("endnotes", "footnote"),
    ("comments", "annotation"),
)
# A cell may claim to be as wide as it likes.
_MOST_COLUMNS = 16_384


def read(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read a DOCX; raise ExtractionError where it is broken, too large or without text."""
    del charset
    package = Package(data, limits)
    main = package.main_part()
    root = package.root(main)
    reading = partition(DOCX, to_usual(package, data))
    styles = Styles(package.find_root(next(iter(package.related(main, "styles")), None)))
    numbering = Numbering(package.find_root(next(iter(package.related(main, "numbering")), None)))
    writer = TextWriter(limits=limits)
    hidden: list[str] = []
    imported: list[str] = []

    def reader_of(part: str) -> _PartReader:
        return _PartReader(
            package=package,
            part=part,
            styles=styles,
            numbering=numbering,
            reading=reading,
            hidden=hidden,
            imported=imported,
        )

    def write_margin(part: str, kind: BlockKind) -> None:
        pieces = reader_of(part).read(package.root(part))
        name = part.rpartition("/")[2].partition(".")[0]
        write_pieces(writer, [_as_kind(piece, kind) for piece in pieces], name)

    for part in _margins(package, main, root, "header"):
        write_margin(part, "header")
    body = child(root, "body")
    write_pieces(writer, reader_of(main).read(root if body is None else body))
    for name, kind in _NOTES:
        for part in package.related(main, name):
            write_pieces(writer, _read_notes(reader_of(part), kind), name)
    for part in _margins(package, main, root, "footer"):
        write_margin(part, "footer")
    problem = reading.find_problem(writer.page_text(), unseen=" ".join(filter(None, hidden)))
    if imported:
        unread = f"{len(imported)} imported documents are not read ({imported[0]} …)."
        problem = unread if problem is None else f"{unread} {problem}"
    writer.end_page(status="ok" if problem is None else "degraded", problem=problem)
    return writer.finish(document, _pipeline())


def _pipeline() -> Pipeline:
    return unstructured_pipeline("docx", ("lxml", "python-docx"), visibility=VISIBILITY)


def _margins(package: Package, main: str, root: _Element, which: str) -> list[str]:
    """The header or footer parts in the order in which the sections name them."""
    relations = package.relations_of(main)
    found: dict[str, None] = {}
    for node in root.iter():
        if local(node) == f"{which}Reference":
            relation = relations.get(attribute(node, "id") or "")
            if relation is not None and relation.target in package:
                found[relation.target] = None
    return list(found)


def _read_notes(reader: _PartReader, kind: BlockKind) -> list[Piece]:
    """Footnotes, endnotes or comments in the order of their part; comments name their author."""
    pieces: list[Piece] = []
    for node in reader.package.root(reader.part):
        # Separators between text and notes are notes of a special type.
        if attribute(node, "type") in {None, "normal"}:
            author = attribute(node, "author")
            pieces += [_as_kind(piece, kind, author) for piece in reader.read(node)]
    return pieces


def _as_kind(piece: Piece, kind: BlockKind, name: str | None = None) -> Piece:
    """A paragraph of a margin or a note is that; its tables stay tables."""
    return piece if piece.inner else replace(piece, kind=kind, level=None, name=name)


@dataclass(slots=True, kw_only=True)
class _PartReader:
    """Reads the blocks of one part; a text box or a chart follows the paragraph that holds it."""

    package: Package
    part: str
    styles: Styles
    numbering: Numbering
    reading: Reading
    hidden: list[str]
    #: Whole documents that Word takes in when it opens this one; they are not read.
    imported: list[str]
    ground: Ground = field(default_factory=Ground)

    def read(self, node: _Element) -> list[Piece]:
        pieces: list[Piece] = []
        self._blocks(node, pieces)
        return pieces

    @contextmanager
    def _on(self, ground: Ground) -> Iterator[None]:
        """What is read inside stands on this."""
        outer, self.ground = self.ground, ground
        yield
        self.ground = outer

    def _blocks(self, node: _Element, pieces: list[Piece]) -> None:
        for inner in node:
            name = local(inner)
            if name == "p":
                self._paragraph(inner, pieces)
            elif name == "tbl":
                pieces.append(self._table(inner))
            elif name == "AlternateContent":
                branch = shown_branch(inner)
                if branch is not None:
                    self._blocks(branch, pieces)
            elif name == "altChunk":
                relation = self.package.relations_of(self.part).get(attribute(inner, "id") or "")
                self.imported.append("no part" if relation is None else relation.target)
            elif name in _TRANSPARENT:
                self._blocks(inner, pieces)

    def _paragraph(self, node: _Element, pieces: list[Piece]) -> None:
        found = read_paragraph(node, RunLook(self.styles, node, self.ground).flags_of)
        style = self.styles.of(node)
        text, kind, marks = found.text, style.kind, found.marks
        self.hidden.append(found.hidden)
        # An empty paragraph of a list shows its number too, but says nothing.
        if text.strip():
            if kind is None:
                kind = self.reading.kind_of(text) or "paragraph"
            if style.number_id is not None and style.number_id in self.numbering:
                label = self.numbering.label(style.number_id, style.number_level)
                text, marks = label + text, tuple(mark.moved(len(label)) for mark in marks)
            pieces.append(Piece(kind=kind, text=text, level=style.level, marks=marks))
        for frame in found.frames:
            with self._on(frame_ground(frame, self.ground)):
                self._blocks(frame, pieces)
        relations = self.package.relations_of(self.part) if found.graphics else {}
        for name in found.graphics:
            relation = relations.get(name)
            root = self.package.find_root(relation.target) if relation is not None else None
            if root is not None:
                pieces += read_graphic(root)

    def _table(self, node: _Element) -> Piece:
        table = Piece(kind="table")
        with self._on(table_ground(node, self.ground, self.styles)):
            self._rows(node, table.inner)
        return table

    def _rows(self, node: _Element, rows: list[Piece]) -> None:
        for inner in node:
            name = local(inner)
            if name == "tr":
                # A deleted row stays in the file until the deletion is accepted.
                if child(child(inner, "trPr"), "del") is None:
                    row = Piece(kind="row")
                    header = is_on(child(inner, "trPr"), "tblHeader")
                    before = to_int(value_of(child(inner, "trPr"), "gridBefore"))
                    with self._on(row_ground(inner, self.ground)):
                        self._cells(inner, row.inner, len(rows) + 1, max(before, 0) + 1, header)
                    rows.append(row)
            elif name in _TRANSPARENT:
                self._rows(inner, rows)

    def _cells(
        self,
        node: _Element,
        cells: list[Piece],
        row: int,
        column: int,
        header: bool,  # noqa: FBT001 - of the whole row
    ) -> int:
        for inner in node:
            name = local(inner)
            if name == "tc":
                columns = max(to_int(value_of(child(inner, "tcPr"), "gridSpan"), 1), 1)
                cell = Piece(
                    kind="cell",
                    cell=name_cell(min(column, _MOST_COLUMNS), row),
                    columns=min(columns, _MOST_COLUMNS),
                    header=header,
                )
                with self._on(cell_ground(inner, self.ground)):
                    self._blocks(inner, cell.inner)
                cells.append(cell)
                column += columns
            elif name in _TRANSPARENT:
                column = self._cells(inner, cells, row, column, header)
        return column
