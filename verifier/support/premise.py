"""A premise as the model reads it, put together from canonical slices, with the way back to each.

Most premises are one slice: the cited span. In context, headings or table headers stand before it;
jointly, the spans of several citations follow each other. A piece knows which citation it belongs
to (none: context), so that evidence is only taken from cited text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.documents.white_space.crossings import find_crossings
from spanproof.core.span import Span
from spanproof.verifier.quotes.on_page.touching import find_unseen
from spanproof.verifier.support.readable import Readable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanproof.core.documents.document import Extraction


#: What stands between two cells of a row that are laid out in words.
CELL_END = "; "


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Words of a canonical text from ``start`` on; ``citation`` None: context, not cited."""

    text: str
    start: int
    citation: int | None = None
    #: White space in it that the page does not show.
    unseen: tuple[Span, ...] = ()
    #: White space in it that parts cells or rows of a table.
    parting: tuple[Span, ...] = ()


def slice_of(extraction: Extraction, span: Span, *, citation: int | None = None) -> Slice:
    """The slice at ``span``, with what its page does not show of it."""
    unseen, parting = (
        tuple(one.shift(-span.start) for one in found(extraction, span))
        for found in (find_unseen, find_crossings)
    )
    return Slice(
        text=extraction.text.slice(span),
        start=span.start,
        citation=citation,
        unseen=unseen,
        parting=parting,
    )


def cut_words(extraction: Extraction, span: Span, *, citation: int | None = None) -> Slice:
    """The same without the blanks at its ends."""
    words = extraction.text.slice(span)
    start = span.start + len(words) - len(words.lstrip())
    return slice_of(extraction, Span(start, start + len(words.strip())), citation=citation)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Piece:
    """A slice as it stands in the premise at ``span``."""

    span: Span
    readable: Readable
    start: int
    citation: int | None

    def to_canonical(self, span: Span) -> Span | None:
        """The part of a premise's span that lies in this piece, in its document; or None."""
        inside = span.intersection(self.span)
        if not inside:
            return None
        return self.readable.to_slice(inside.shift(-self.span.start)).shift(self.start)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Premise:
    """The text handed over and the pieces in it; what lies between them is our own punctuation.

    ``parts`` are its slices and the words between them. ``cell_by_cell`` is the text with the cells
    and rows of tables each in a paragraph of its own: no sentence goes from one into another.
    """

    text: str
    pieces: tuple[Piece, ...]
    parts: tuple[Slice | str, ...]
    cell_by_cell: str

    @classmethod
    def of(cls, text: str, *, start: int, citation: int = 0) -> Premise:
        """One canonical slice, which begins at ``start``."""
        return cls.join([Slice(text=text, start=start, citation=citation)])

    @classmethod
    def of_span(cls, extraction: Extraction, span: Span, *, citation: int = 0) -> Premise:
        """The slice of a document at a span."""
        return cls.join([slice_of(extraction, span, citation=citation)])

    @classmethod
    def join(cls, parts: Iterable[Slice | str]) -> Premise:
        """Slices, and between them words of our own, in their order."""
        text, cell_by_cell, pieces, kept = "", "", [], tuple(parts)
        for part in kept:
            if isinstance(part, str):
                text += part
                cell_by_cell += f"{part}\n\n" if part == CELL_END else part
                continue
            readable = Readable.of(part.text, part.unseen)
            span = Span(len(text), len(text) + len(readable.text))
            pieces.append(
                Piece(span=span, readable=readable, start=part.start, citation=part.citation)
            )
            text += readable.text
            cells = "\n\n".join(Readable.of(cell).text for cell in _split_cells(part))
            cell_by_cell += cells if part.parting else readable.text
        return cls(text=text, pieces=tuple(pieces), parts=kept, cell_by_cell=cell_by_cell)

    def read_lines(self) -> str:
        """The text with the line ends of its slices, which tell the items of a list apart."""
        return "".join(
            part
            if isinstance(part, str)
            else "\n\n".join(
                "\n".join(Readable.of(line).text for line in cell.splitlines())
                for cell in _split_cells(part)
            )
            for part in self.parts
        )

    def locate(self, span: Span, citation: int) -> Span | None:
        """The part of one citation's span that a window covers; None if it does not touch it."""
        found = [
            place
            for piece in self.pieces
            if piece.citation == citation and (place := piece.to_canonical(span)) is not None
        ]
        if not found:
            return None
        return Span(min(place.start for place in found), max(place.end for place in found))

    def locate_in_document(self, span: Span, citation: int) -> Span | None:
        """Where words of the premise stand in the citation's document, its context included.

        None if they stand in another citation's span: its document may be another one.
        """
        for piece in self.pieces:
            if piece.span.contains(span) and piece.citation in {None, citation}:
                return piece.to_canonical(span)
        return None


def _split_cells(part: Slice) -> list[str]:
    """The slice cell by cell, without the white space that its page does not show."""
    cells, cell, done = [], "", 0
    for one in sorted((*part.unseen, *part.parting), key=lambda span: span.start):
        cell, done = cell + part.text[done : one.start], one.end
        if one in part.parting:
            cells.append(cell)
            cell = ""
    return [*cells, cell + part.text[done:]]
