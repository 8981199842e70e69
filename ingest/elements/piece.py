"""Pieces that a reader found in a file → blocks: one numbering and one rule for tables.

A piece without text is dropped, a cell that holds one plain paragraph is that paragraph. The blocks
of a part are numbered as they are written; inside a table they also tell their cell.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from spanproof.core.documents.text_block import Place
from spanproof.ingest.elements.writer import CELL_END, LINE_END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.text_block import BlockKind
    from spanproof.ingest.elements.inline import Mark
    from spanproof.ingest.elements.writer import TextWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A block to be: its text, or the pieces inside it.

    A cell has an address (``B4``), may take several rows and columns, and may be a header.
    """

    kind: BlockKind
    text: str = ""
    level: int | None = None
    name: str | None = None
    cell: str | None = None
    rows: int = 1
    columns: int = 1
    header: bool = False
    marks: tuple[Mark, ...] = ()
    inner: list[Piece] = field(default_factory=list)


def write_pieces(
    writer: TextWriter,
    pieces: Sequence[Piece],
    part: str | None = None,
    *,
    within: Place | None = None,
    hidden: bool = False,
) -> None:
    """Write the pieces of one part of a document in their order.

    ``within`` names the slide or sheet instead; ``hidden``: its program does not show the part.
    """
    within = within or Place(part=part)
    numbering = _Numbering(writer=writer, within=within, hidden=hidden)
    for piece in pieces:
        trimmed = _trim(piece)
        if trimmed is not None:
            numbering.write(trimmed, LINE_END, None)


def _trim(piece: Piece) -> Piece | None:
    if not piece.inner:
        return piece if piece.text.strip() else None
    inner = [kept for each in piece.inner if (kept := _trim(each)) is not None]
    if piece.kind == "cell" and len(inner) == 1 and inner[0].kind == "paragraph":
        return replace(piece, text=inner[0].text, marks=inner[0].marks, inner=[])
    return replace(piece, inner=inner) if inner else None


@dataclass(slots=True, kw_only=True)
class _Numbering:
    """Counts the blocks of one part as it writes them."""

    writer: TextWriter
    within: Place
    hidden: bool
    count: int = 0

    def write(self, piece: Piece, separator: str, cell: str | None) -> None:
        cell = piece.cell or cell
        if not piece.inner:
            self.count += 1
            place = replace(self._place_of(piece, cell), paragraph=self.count)
            self.writer.write(
                piece.text,
                piece.kind,
                level=piece.level,
                name=piece.name,
                place=place,
                separator=separator,
                hidden=self.hidden,
                marks=piece.marks,
            )
            return
        place = self._place_of(piece, cell)
        with self.writer.nest(piece.kind, level=piece.level, name=piece.name, place=place):
            for inner in piece.inner:
                self.write(inner, separator, cell)
                separator = CELL_END if piece.kind == "row" else LINE_END

    def _place_of(self, piece: Piece, cell: str | None) -> Place:
        return replace(
            self.within,
            cell=cell,
            rows=piece.rows if piece.rows > 1 else None,
            columns=piece.columns if piece.columns > 1 else None,
            header=piece.header or None,
        )
