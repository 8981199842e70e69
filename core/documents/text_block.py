"""Blocks: what a stretch of canonical text is (title, cell, form field, …), and where it came from.

A block is an annotation over offsets: its text *is* the slice of the canonical text. Blocks may
nest (a table, its rows, their cells). Formats without page geometry say where a block stands by
its ``place``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from spanproof.core.span import Span

BlockKind = Literal[
    "title",
    "heading",
    "paragraph",
    "list_item",
    "table",
    "row",
    "cell",
    "caption",
    "code",
    "header",
    "footer",
    "footnote",
    "notes",
    "address",
    "attachment",
    "form_field",
    "annotation",
    "other",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a block appears in a format without page geometry; numbers count from 1.

    ``part`` names a part of the container: a MIME part (``1.2``), an EPUB chapter, a header of a
    DOCX. ``slide`` and ``sheet`` belong to presentations and workbooks, ``cell`` is ``B4``.
    ``paragraph`` counts the blocks of the same part, slide or document. A cell of a table may take
    several ``rows`` and ``columns`` and be a ``header``; None: one, and not that we know of.
    """

    part: str | None = None
    slide: int | None = None
    sheet: str | None = None
    cell: str | None = None
    paragraph: int | None = None
    rows: int | None = None
    columns: int | None = None
    header: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A kind, a span, and further details.

    ``level`` is the depth of a heading or list item (from 1); ``name`` is a form field's own name
    or an attachment's file name.
    """

    kind: BlockKind
    span: Span
    level: int | None = None
    name: str | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GlyphText:
    """What the page shows where the document's ActualText says something else.

    ``span`` holds the ActualText (the text to copy and search), ``glyphs`` the characters painted.
    """

    span: Span
    glyphs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CellValue:
    """What a workbook keeps of a cell whose text is that value as a number format shows it.

    ``raw`` is the number (``0.125`` for ``12.5%``), None where it is what the text says;
    ``moment`` the date, the date and time, or the time that it stands for, in ISO 8601.
    """

    span: Span
    raw: str | None = None
    moment: str | None = None

    @property
    def forms(self) -> tuple[str, ...]:
        """The ways to write the value: raw, date alone, date and time with a blank and a ``T``."""
        written = [] if self.raw is None else [self.raw]
        if self.moment is not None:
            date, mark, time = self.moment.partition("T")
            written += [date, f"{date} {time}", self.moment] if mark else [date]
        return tuple(written)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReading:
    """One page (from 1) as another engine reads it, and the name of that engine's pipeline."""

    page: int
    pipeline: str
    text: str
