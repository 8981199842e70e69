"""One flow of an RTF document (body, header, footnote, text box) → pieces."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanproof.core.documents.cell_address import name_cell
from spanproof.core.errors import LimitExceededError
from spanproof.ingest.elements.piece import Piece
from spanproof.ingest.elements.rtf.charset import join_pairs

if TYPE_CHECKING:
    from spanproof.core.documents.text_block import BlockKind

#: Word nests tables some tens deep; every level costs a frame of the writer's.
MAX_TABLE_DEPTH = 64
#: ``outlinelevel`` of a paragraph that is not a heading.
BODY_TEXT = 9


#: What the paragraphs of a style are, by the style's number: kind and level.
StyleKinds = dict[int, tuple["BlockKind", "int | None"]]


@dataclass(slots=True)
class Paragraph:
    """The properties that decide a paragraph's kind; every group has its own copy."""

    table_depth: int = 0
    outline: int | None = None
    style: int | None = None
    is_item: bool = False
    item_level: int = 1

    def apply(self, name: str, number: int) -> None:
        """Change a property; an unknown word changes nothing."""
        if name == "intbl":
            self.table_depth = max(self.table_depth, 1)
        elif name == "itap":
            self.table_depth = max(number, 0)
        elif name == "outlinelevel":
            self.outline = number + 1 if 0 <= number < BODY_TEXT else None
        elif name == "s":
            self.style = number
        elif name == "ls":
            self.is_item = number > 0
        elif name == "ilvl":
            self.item_level = max(number, 0) + 1


@dataclass(slots=True)
class _Level:
    """An open table: its rows so far, the cells of the row at hand, the cell at hand."""

    rows: list[Piece] = field(default_factory=list)
    cells: list[Piece] = field(default_factory=list)
    content: list[Piece] = field(default_factory=list)
    column: int = 0

    def end_cell(self) -> None:
        self.column += 1
        name = name_cell(self.column, len(self.rows) + 1)
        self.cells.append(Piece(kind="cell", cell=name, inner=self.content))
        self.content = []

    def end_row(self) -> None:
        if self.content:
            self.end_cell()
        self.rows.append(Piece(kind="row", inner=self.cells))
        self.cells, self.column = [], 0

    def close(self) -> Piece:
        if self.cells or self.content:
            self.end_row()
        return Piece(kind="table", inner=self.rows)


@dataclass(slots=True)
class Story:
    """Takes characters and the ends of paragraphs, cells and rows."""

    kind: BlockKind | None = None
    name: str | None = None
    pieces: list[Piece] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    #: What appears apart from the line: footnotes, text boxes; they follow their paragraph.
    after: list[Piece] = field(default_factory=list)
    levels: list[_Level] = field(default_factory=list)

    def end_paragraph(self, paragraph: Paragraph, styles: StyleKinds) -> None:
        """Close the paragraph at hand; an empty one leaves nothing but what appeared apart."""
        if self.text or self.after:
            self._reach(paragraph.table_depth)
            sink = self.levels[-1].content if self.levels else self.pieces
            text = join_pairs("".join(self.text))
            kind, level = self._kind_of(paragraph, styles)
            sink.append(Piece(kind=kind, text=text, level=level, name=self.name))
            sink.extend(self.after)
            self.text, self.after = [], []

    def end_cell(self, depth: int) -> None:
        """Close the cell at hand of the table at this depth (from 1)."""
        self._reach(depth)
        self.levels[-1].end_cell()

    def end_row(self, depth: int) -> None:
        """Close the row at hand of the table at this depth (from 1)."""
        self._reach(depth)
        self.levels[-1].end_row()

    def close(self) -> list[Piece]:
        """The pieces, every table closed."""
        self._reach(0)
        return self.pieces

    def _reach(self, depth: int) -> None:
        """Open and close tables until so many are open."""
        if depth > MAX_TABLE_DEPTH:
            msg = f"Expected tables nested at most {MAX_TABLE_DEPTH} deep, got {depth}."
            raise LimitExceededError(msg, hint="Take the tables apart.")
        while len(self.levels) > depth:
            table = self.levels.pop().close()
            (self.levels[-1].content if self.levels else self.pieces).append(table)
        while len(self.levels) < depth:
            self.levels.append(_Level())

    def _kind_of(self, paragraph: Paragraph, styles: StyleKinds) -> tuple[BlockKind, int | None]:
        if self.kind is not None:
            return self.kind, None
        if paragraph.outline is not None:
            return "heading", paragraph.outline
        if paragraph.style in styles:
            return styles[paragraph.style]
        if paragraph.is_item:
            return "list_item", paragraph.item_level
        return "paragraph", None


_HEADING = re.compile(r"heading ([1-9])\b")
_KINDS: dict[str, BlockKind] = {"title": "title", "caption": "caption"}


class StyleSheet:
    """Takes the words and characters of one style after the other."""

    def __init__(self) -> None:
        self.kinds: StyleKinds = {}
        self._begin()

    def apply(self, name: str, number: int) -> None:
        """A word of the style at hand."""
        if name == "s":
            self._number = number
        elif name == "outlinelevel" and 0 <= number < BODY_TEXT:
            self._outline = number + 1

    def put(self, text: str) -> None:
        """Characters of the style's name."""
        self._name.append(text)

    def end(self) -> None:
        """Close the style at hand."""
        name = "".join(self._name).strip().rstrip(";").lower()
        # The built-in names are English in every language of Word.
        heading = _HEADING.match(name)
        if heading or self._outline:
            self.kinds[self._number] = "heading", int(heading[1]) if heading else self._outline
        elif name in _KINDS:
            self.kinds[self._number] = _KINDS[name], None
        self._begin()

    def _begin(self) -> None:
        self._number = self._outline = 0
        self._name: list[str] = []
