"""A page of XHTML (or tag soup) → pieces, and the parts that its reader does not see."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanproof.core.documents.cell_address import name_cell
from spanproof.ingest.elements.inline import InlineText, Mark
from spanproof.ingest.elements.markup import is_entity, local_name, read_entity
from spanproof.ingest.elements.piece import Piece
from spanproof.ingest.elements.styles.seen import Seen, see
from spanproof.ingest.elements.styles.sheet import Node, Sheet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from spanproof.core.documents.text_block import BlockKind

_OPS = "{http://www.idpf.org/2007/ops}"
#: Elements whose text is not text of the page.
_NO_TEXT = frozenset({
    "annotation", "annotation-xml", "audio", "canvas", "case", "datalist", "defs", "desc", "head",
    "iframe", "metadata", "script", "style", "template", "textarea", "title", "video",
})  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "dl", "menu", "dir"})
_KINDS: dict[str, BlockKind] = {
    "li": "list_item",
    "dt": "list_item",
    "dd": "list_item",
    "pre": "code",
    "caption": "caption",
    "figcaption": "caption",
}
#: Elements that begin a block and end one; any other appears in a line of text.
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "center", "details", "dialog", "div",
    "fieldset", "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend", "main",
    "nav", "optgroup", "option", "p", "section", "summary", "svg", "tbody", "text", "tfoot",
    "thead",
})  # fmt: skip
_NAVIGATION = frozenset({"toc", "landmarks", "page-list", "doc-toc", "doc-pagelist"})
_NOTES = frozenset({"footnote", "endnote", "rearnote", "note", "doc-footnote", "doc-endnote"})
_NOTE_ELEMENTS = frozenset({"aside", "div", "li", "p", "section"})
_UNSEEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
# The caps of the HTML standard.
_MOST_COLUMNS, _MOST_ROWS = 1_000, 65_534


@dataclass(slots=True, kw_only=True)
class _Table:
    """Where the next cell of a table appears."""

    row: int = 0
    column: int = 0
    #: The last row that a cell from above reaches, by column.
    reach: dict[int, int] = field(default_factory=dict)

    def next_cell(self, element: _Element) -> Piece:
        """An empty cell at its place."""
        # A cell outside any row appears in the first.
        row = max(self.row, 1)
        while self.reach.get(self.column + 1, 0) >= row:
            self.column += 1
        columns = _span_of(element, "colspan", _MOST_COLUMNS)
        rows = _span_of(element, "rowspan", _MOST_ROWS)
        name = name_cell(self.column + 1, row)
        if rows > 1:
            for column in range(self.column + 1, self.column + columns + 1):
                self.reach[column] = row + rows - 1
        self.column += columns
        header = local_name(element) == "th"
        return Piece(kind="cell", cell=name, rows=rows, columns=columns, header=header)


class XhtmlReader:
    """Reads one page into ``pieces``; ``unseen`` counts the characters that it left out."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.unseen = 0
        self.unseen_texts: list[str] = []
        self.unknown_entities = 0
        self._sink = self.pieces
        self._text = InlineText()
        self._kind: BlockKind = "paragraph"
        self._level: int | None = None
        self._depth = 0
        self._tables: list[_Table] = []
        self._sheet = Sheet()
        self._seen = Seen()
        self._node: Node | None = None

    def read(self, root: _Element) -> None:
        """Read a whole page."""
        for element in root.iter():
            if local_name(element) == "style":
                self._sheet.add("".join(element.itertext()))
        self._visit(root)
        self._flush()

    def _visit(self, element: _Element) -> None:
        outer = self._node, self._seen
        self._node = Node(local_name(element), dict(element.attrib), self._node)
        self._seen = see(self._node, self._sheet, self._seen)
        self._text.flags = self._seen.text_flags
        self._read_element(element)
        self._node, self._seen = outer
        self._text.flags = self._seen.text_flags

    def _read_element(self, element: _Element) -> None:
        name = local_name(element)
        if name in _NO_TEXT or (name == "nav" and _roles_of(element) & _NAVIGATION):
            return
        if "hidden" in element.attrib or _UNSEEN.search(element.get("style", "")):
            unseen = [text.strip() for text in element.itertext()]
            self.unseen += sum(map(len, unseen))
            self.unseen_texts += unseen
            return
        if name == "br":
            self._text.break_line()
        elif name in _LISTS:
            self._depth += 1
            self._block(element, self._kind, self._level)
            self._depth -= 1
        elif not self._visit_table(element, name):
            self._visit_flow(element, name)

    def _visit_table(self, element: _Element, name: str) -> bool:
        """Read a table or a part of one; tell whether it was that."""
        if name == "table":
            self._tables.append(_Table())
            self._group(element, Piece(kind="table"))
            self._tables.pop()
        elif name == "tr" and self._tables:
            self._tables[-1].row += 1
            self._tables[-1].column = 0
            self._group(element, Piece(kind="row"))
        elif name in {"td", "th"} and self._tables:
            self._group(element, self._tables[-1].next_cell(element))
        else:
            return False
        return True

    def _visit_flow(self, element: _Element, name: str) -> None:
        if name in _NOTE_ELEMENTS and _roles_of(element) & _NOTES:
            self._block(element, "footnote", None)
        elif name in _HEADINGS:
            self._block(element, "heading", _HEADINGS[name])
        elif name in _KINDS:
            kind = _KINDS[name]
            self._block(element, kind, max(self._depth, 1) if kind == "list_item" else None)
        elif name in _BLOCKS:
            self._block(element, self._kind, self._level)
        else:
            self._inline(element)

    def _inline(self, element: _Element) -> None:
        self._add(element.text)
        for child in element:
            if is_entity(child):
                self._entity(child)
            else:
                self._visit(child)
            self._add(child.tail)

    def _add(self, text: str | None) -> None:
        if text and self._kind == "code":
            self._text.add_kept(text)
        elif text:
            self._text.add(text)

    def _entity(self, node: _Element) -> None:
        known = read_entity(node)
        self.unknown_entities += known is None
        self._add(known or node.text)

    def _block(self, element: _Element, kind: BlockKind, level: int | None) -> None:
        with self._apart(kind, level):
            self._inline(element)

    def _group(self, element: _Element, piece: Piece) -> None:
        with self._apart("paragraph", None):
            outer, self._sink = self._sink, piece.inner
            self._inline(element)
            self._flush()
            self._sink = outer
            outer.append(piece)

    @contextmanager
    def _apart(self, kind: BlockKind, level: int | None) -> Iterator[None]:
        """What is read inside appears in blocks of its own, of this kind."""
        self._flush()
        before = self._kind, self._level
        self._kind, self._level = kind, level
        yield
        self._flush()
        self._kind, self._level = before

    def _flush(self) -> None:
        text, marks = self._text.take_marked()
        shown = text.strip("\n")
        if shown:
            before = len(text) - len(text.lstrip("\n"))
            marks = tuple(
                Mark(max(start - before, 0), min(end - before, len(shown)), flags)
                for start, end, flags in marks
            )
            self._sink.append(Piece(kind=self._kind, text=shown, level=self._level, marks=marks))


def find_title(root: _Element) -> str | None:
    """The page's own title; None without one."""
    for element in root.iter():
        if local_name(element) == "body":
            return None
        if local_name(element) == "title":
            return " ".join("".join(element.itertext()).split()) or None
    return None


def _roles_of(element: _Element) -> frozenset[str]:
    words = (element.get(key, "") for key in (f"{_OPS}type", "epub:type", "role"))
    return frozenset(" ".join(words).split())


def _span_of(element: _Element, name: str, most: int) -> int:
    raw = element.get(name, "1").strip()
    # As many digits as the cap has: more would only be a number to choke on.
    return min(max(int(raw), 1), most) if raw.isascii() and raw.isdigit() and len(raw) < 6 else 1
