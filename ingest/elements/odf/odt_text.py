"""OpenDocument's paragraphs, lists, tables, notes and frames → pieces."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from spanproof.core.documents.cell_address import name_cell
from spanproof.ingest.elements.inline import InlineText
from spanproof.ingest.elements.markup import is_entity
from spanproof.ingest.elements.odf.odt_style import CREATOR, DRAW, OFFICE, SVG, TABLE, TEXT
from spanproof.ingest.elements.piece import Piece
from spanproof.ingest.limits import check_limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from spanproof.core.documents.text_block import BlockKind
    from spanproof.ingest.elements.odf.odt_style import Styles
    from spanproof.ingest.limits import Limits

#: Rows and cells with text that stand for more than one: a writer's table has few, a bomb many.
MAX_COPIES = 10_000
_NO_TEXT = frozenset(
    {
        # Deletions appear here; insertions appear in the text.
        f"{TEXT}tracked-changes",
        f"{TEXT}script",
        f"{OFFICE}forms",
        f"{OFFICE}binary-data",
        f"{OFFICE}event-listeners",
        f"{SVG}title",
        f"{SVG}desc",
    }
)
_HEADING, _PARAGRAPH = f"{TEXT}h", f"{TEXT}p"
# An embedded chart or formula is a document of its own.
_OBJECT = f"{DRAW}object"
_ROW_GROUPS = frozenset(
    f"{TABLE}{name}" for name in ("table-header-rows", "table-rows", "table-row-group")
)


class OdtReader:
    """Reads elements that hold blocks.

    ``hidden`` counts characters that were left out, ``objects`` embedded charts and formulas.
    """

    def __init__(self, styles: Styles, limits: Limits) -> None:
        self.hidden = 0
        self.objects = 0
        self._styles = styles
        self._limits = limits
        self._kind: BlockKind | None = None
        self._name: str | None = None
        self._characters = 0
        self._copies = 0

    def read(self, element: _Element, kind: BlockKind | None = None) -> list[Piece]:
        """The pieces inside an element; ``kind`` is that of its every paragraph, if given."""
        found: list[Piece] = []
        with self._as(kind, None):
            self._blocks(element, found, 0)
        return found

    @contextmanager
    def _as(self, kind: BlockKind | None, name: str | None) -> Iterator[None]:
        before = self._kind, self._name
        self._kind, self._name = kind, name
        yield
        self._kind, self._name = before

    def _blocks(self, element: _Element, sink: list[Piece], depth: int) -> None:
        for child in element:
            self._block(child, sink, depth)

    def _block(self, element: _Element, sink: list[Piece], depth: int) -> None:
        tag = element.tag
        if tag in {_PARAGRAPH, _HEADING}:
            self._paragraph(element, sink, depth)
        elif tag == f"{TEXT}list":
            self._blocks(element, sink, depth + 1)
        elif tag == f"{TABLE}table":
            table = Piece(kind="table")
            self._rows(element, table.inner, 1)
            sink.append(table)
        elif tag == f"{TEXT}section" and _is_hidden(element):
            self.hidden += _length(element)
        elif tag == _OBJECT:
            self.objects += 1
        elif not self._is_no_text(element):
            self._blocks(element, sink, depth)

    def _paragraph(self, element: _Element, sink: list[Piece], depth: int) -> None:
        inline = InlineText()
        after: list[Piece] = []
        marks = element.iter(f"{TEXT}hidden-paragraph")
        if self._styles.hides(element, "paragraph") or any(_is_hidden(mark) for mark in marks):
            self.hidden += _length(element)
            return
        self._inline(element, inline, after)
        text = inline.take()
        self._count(len(text))
        kind, level = self._kind_of(element, depth)
        sink.append(Piece(kind=kind, text=text, level=level, name=self._name))
        sink.extend(after)

    def _kind_of(self, element: _Element, depth: int) -> tuple[BlockKind, int | None]:
        if self._kind is not None:
            return self._kind, None
        if element.tag == _HEADING:
            return "heading", max(_number(element, f"{TEXT}outline-level"), 1)
        if depth:
            return "list_item", depth
        return self._styles.kind_of(element), None

    def _inline(self, element: _Element, inline: InlineText, after: list[Piece]) -> None:
        """The characters of a paragraph; what appears apart from its line goes to ``after``."""
        inline.add(element.text or "")
        for child in element:
            self._inline_element(child, inline, after)
            inline.add(child.tail or "")

    def _inline_element(self, element: _Element, inline: InlineText, after: list[Piece]) -> None:
        tag = element.tag
        if is_entity(element):
            inline.add(element.text or "")
        elif tag == f"{TEXT}s":
            count = _number(element, f"{TEXT}c")
            self._count(count)
            inline.add_kept(" " * count)
        elif tag == f"{TEXT}tab":
            inline.add_kept("\t")
        elif tag == f"{TEXT}line-break":
            inline.add_kept("\n")
        elif tag == f"{TEXT}note":
            citation = element.findtext(f"{TEXT}note-citation")
            with self._as("footnote", citation):
                self._blocks(element, after, 0)
        elif tag == f"{OFFICE}annotation":
            with self._as("annotation", element.findtext(CREATOR)):
                self._blocks(element, after, 0)
        elif str(tag).startswith(DRAW):
            self._block(element, after, 0)
        elif self._styles.hides(element, "text") or _is_hidden(element):
            self.hidden += _length(element)
        elif not self._is_no_text(element):
            self._inline(element, inline, after)

    def _rows(self, element: _Element, sink: list[Piece], number: int) -> int:
        """Read the rows inside an element, from this row number on; return the next number."""
        for child in element:
            if child.tag in _ROW_GROUPS:
                number = self._rows(child, sink, number)
            elif child.tag == f"{TABLE}table-row":
                repeats = _number(child, f"{TABLE}number-rows-repeated")
                row = self._row(child, number)
                sink.append(row)
                copies = self._check_copies(repeats) if row.inner else 1
                sink.extend(self._row(child, number + copy) for copy in range(1, copies))
                number += repeats
        return number

    def _row(self, element: _Element, number: int) -> Piece:
        row = Piece(kind="row")
        column = 1
        for child in element:
            repeats = _number(child, f"{TABLE}number-columns-repeated")
            if child.tag == f"{TABLE}covered-table-cell":
                # It lies under a merged cell: its content is not shown.
                self.hidden += _length(child)
            elif child.tag == f"{TABLE}table-cell":
                for copy in range(self._check_copies(repeats) if _length(child) else 0):
                    inner: list[Piece] = []
                    self._blocks(child, inner, 0)
                    cell = name_cell(column + copy, number)
                    row.inner.append(Piece(kind="cell", cell=cell, inner=inner))
            else:
                continue
            column += repeats
        return row

    def _check_copies(self, repeats: int) -> int:
        self._copies += repeats - 1
        check_limit(self._copies, MAX_COPIES, "repeated rows and cells")
        return repeats

    def _count(self, characters: int) -> None:
        self._characters += characters
        check_limit(self._characters, self._limits.max_characters, "characters")

    @staticmethod
    def _is_no_text(element: _Element) -> bool:
        tag = str(element.tag)
        # How an index is made, and the declarations of fields: no text of the document.
        makes = tag.startswith(TEXT) and tag.endswith(("-source", "-decls"))
        return makes or tag in _NO_TEXT


def _is_hidden(element: _Element) -> bool:
    displays, is_hidden = element.get(f"{TEXT}display"), element.get(f"{TEXT}is-hidden")
    return bool(displays == "none" or is_hidden == "true")


def _length(element: _Element) -> int:
    return sum(len(text.strip()) for text in element.itertext())


def _number(element: _Element, name: str) -> int:
    """A count of an attribute: 1 where it is missing or no number."""
    raw = element.get(name, "1").strip()
    # Nine digits hold every count; more would only be a number to choke on.
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 10 else 1
