"""PPTX → canonical text: one page a slide, its shapes in drawing order, then notes and comments.

What layouts and masters paint behind every slide (a logo's text, a date) is not text of the slide.
A hidden slide is kept, flagged invisible.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from spanproof.core.documents.cell_address import name_cell
from spanproof.core.documents.text_block import Place
from spanproof.ingest.elements.ooxml.container import (
    Package,
    attribute,
    child,
    children,
    local,
    shown_branch,
    to_int,
)
from spanproof.ingest.elements.ooxml.graphics import read_graphic
from spanproof.ingest.elements.ooxml.slide_look import Frame, SlideLook
from spanproof.ingest.elements.ooxml.variant import to_usual
from spanproof.ingest.elements.ooxml.word_text import read_paragraph
from spanproof.ingest.elements.partition import partition
from spanproof.ingest.elements.piece import Piece, write_pieces
from spanproof.ingest.elements.pipeline import unstructured_pipeline
from spanproof.ingest.elements.styles.seen import VISIBILITY
from spanproof.ingest.elements.writer import TextWriter
from spanproof.ingest.limits import check_limit
from spanproof.ingest.media_type import PPTX

if TYPE_CHECKING:
    from lxml.etree import _Element

    from spanproof.core.documents.document import Document, Extraction
    from spanproof.core.documents.text_block import BlockKind
    from spanproof.ingest.elements.partition import Reading
    from spanproof.ingest.limits import Limits

#: By the type of a placeholder; in these no paragraph is a list item.
_PLACEHOLDERS: dict[str, BlockKind] = {
    "title": "title",
    "ctrTitle": "title",
    "subTitle": "heading",
    "dt": "footer",
    "ftr": "footer",
    "sldNum": "footer",
    "hdr": "header",
}
#: Placeholders whose paragraphs have bullets unless they say otherwise.
_LISTS = frozenset({"body", "obj"})
_BULLETS = frozenset({"buChar", "buAutoNum", "buBlip"})


def read(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read a PPTX; raise ExtractionError where it is broken, too large or without text."""
    del charset
    package = Package(data, limits)
    main = package.main_part()
    slides = _slides_of(package, main)
    check_limit(len(slides), limits.max_pages, "slides")
    reading = partition(PPTX, to_usual(package, data), pages=True)
    writer = TextWriter(limits=limits)
    for number, part in enumerate(slides, start=1):
        look = SlideLook(package, main, part)
        reader = _SlideReader(package=package, part=part, reading=reading, look=look)
        _write_slide(writer, reader, number)
        problem = reading.find_problem(writer.page_text(), number)
        writer.end_page(status="ok" if problem is None else "degraded", problem=problem)
    libraries = ("lxml", "python-pptx")
    return writer.finish(document, unstructured_pipeline("pptx", libraries, visibility=VISIBILITY))


def _slides_of(package: Package, main: str) -> list[str]:
    """The slides' parts in the order of the presentation."""
    relations = package.relations_of(main)
    nodes = children(child(package.root(main), "sldIdLst"), "sldId")
    ids = (_relation_of(node) for node in nodes)
    named = (relations[one].target for one in ids if one in relations)
    return [target for target in named if target in package]


def _relation_of(node: _Element) -> str:
    """The id of the relation that a node names; a slide also has an id of its own."""
    return next((str(v) for k, v in node.attrib.items() if k.endswith("}id")), "")


def _write_slide(writer: TextWriter, reader: _SlideReader, number: int) -> None:
    root = reader.package.root(reader.part)
    hidden = attribute(root, "show") in {"0", "false"}
    place = Place(slide=number)
    reader.shapes(child(child(root, "cSld"), "spTree"))
    write_pieces(writer, reader.pieces, within=place, hidden=hidden)
    for part in reader.package.related(reader.part, "notesSlide"):
        notes = _read_notes(reader.package.root(part))
        write_pieces(writer, notes, within=replace(place, part="notes"), hidden=hidden)
    for part in reader.package.related(reader.part, "comments"):
        comments = _read_comments(reader.package.root(part))
        write_pieces(writer, comments, within=replace(place, part="comments"), hidden=hidden)


@dataclass(slots=True, kw_only=True)
class _SlideReader:
    """Reads the shapes of one slide."""

    package: Package
    part: str
    reading: Reading
    look: SlideLook
    frame: Frame = field(default_factory=Frame)
    pieces: list[Piece] = field(default_factory=list)

    def shapes(self, tree: _Element | None) -> None:
        for node in () if tree is None else tree:
            name = local(node)
            if name == "sp":
                self._shape(node)
            elif name == "grpSp":
                outer, self.frame = self.frame, self.frame.inside(node)
                self.shapes(node)
                self.frame = outer
            elif name == "AlternateContent":
                self.shapes(shown_branch(node))
            elif name == "graphicFrame":
                self._frame(node)
            elif name in {"pic", "cxnSp"}:
                self._paragraphs(node, "")

    def _shape(self, node: _Element) -> None:
        self._paragraphs(node, _placeholder_of(node))

    def _paragraphs(self, shape: _Element, placeholder: str | None) -> None:
        body, flags_of = child(shape, "txBody"), self.look.flags_of(shape, self.frame)
        fixed = _PLACEHOLDERS.get(placeholder or "")
        for node in children(body, "p"):
            found = read_paragraph(node, flags_of)
            text, seen = found.text, found.marks
            properties = child(node, "pPr")
            marks = {local(inner) for inner in properties} if properties is not None else set()
            listed = marks & _BULLETS or (placeholder in _LISTS and "buNone" not in marks)
            if fixed is not None or not listed:
                kind = fixed or self._guess(text)
                self.pieces.append(Piece(kind=kind, text=text, marks=seen))
            else:
                depth = to_int(attribute(properties, "lvl")) if properties is not None else 0
                level = max(depth, 0) + 1
                self.pieces.append(Piece(kind="list_item", text=text, level=level, marks=seen))

    def _guess(self, text: str) -> BlockKind:
        # Its list items are guesses from the look of a placeholder that the markup has denied.
        kind = self.reading.kind_of(text)
        return "paragraph" if kind in {None, "list_item"} else kind

    def _frame(self, node: _Element) -> None:
        for inner in node.iter():
            name = local(inner)
            if name == "tbl":
                self.pieces.append(self._table(inner))
                return
            if name in {"chart", "relIds"}:
                target = attribute(inner, "dm" if name == "relIds" else "id") or ""
                relation = self.package.relations_of(self.part).get(target)
                root = self.package.find_root(relation.target) if relation is not None else None
                if root is not None:
                    self.pieces += read_graphic(root)
                return

    def _table(self, node: _Element) -> Piece:
        table = Piece(kind="table")
        for row, line in enumerate(children(node, "tr"), start=1):
            cells: list[Piece] = []
            for column, cell in enumerate(children(line, "tc"), start=1):
                texts = (read_paragraph(p).text for p in children(child(cell, "txBody"), "p"))
                inner = [Piece(kind="paragraph", text=text) for text in texts]
                cells.append(Piece(kind="cell", cell=name_cell(column, row), inner=inner))
            table.inner.append(Piece(kind="row", inner=cells))
        return table


def _placeholder_of(node: _Element) -> str | None:
    """A placeholder's type; None for any other shape."""
    for name in ("nvSpPr", "nvPicPr"):
        found = child(child(child(node, name), "nvPr"), "ph")
        if found is not None:
            return attribute(found, "type") or "obj"
    return None


def _read_notes(root: _Element) -> list[Piece]:
    """The speaker's notes: the body of the notes page, without its header, date and number."""
    shapes = (node for node in root.iter() if local(node) == "sp")
    bodies = (child(s, "txBody") for s in shapes if _placeholder_of(s) in {"body", "obj", None})
    texts = (read_paragraph(node).text for body in bodies for node in children(body, "p"))
    return [Piece(kind="notes", text=text) for text in texts]


def _read_comments(root: _Element) -> list[Piece]:
    """Comments of both kinds: a plain text, or paragraphs with answers below."""
    pieces: list[Piece] = []
    for node in root.iter():
        if local(node) == "text":
            pieces.append(Piece(kind="annotation", text=node.text or ""))
        elif local(node) == "txBody":
            texts = (read_paragraph(inner).text for inner in children(node, "p"))
            pieces.append(Piece(kind="annotation", text="\n".join(texts)))
    return pieces
