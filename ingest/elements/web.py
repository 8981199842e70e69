"""HTML → canonical text: the title, then the body as a browser without style sheets shows it.

White space is collapsed as browsers do, ``pre`` keeps it, ``br`` is a line break. Scripts, styles,
elements marked ``hidden`` or ``display:none`` and descriptions of pictures are not text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spanproof.core.errors import BrokenDocumentError, EmptyDocumentError
from spanproof.ingest.elements.decoding import decode_markup
from spanproof.ingest.elements.markup import MarkupError, parse_html_text
from spanproof.ingest.elements.partition import partition
from spanproof.ingest.elements.piece import Piece, write_pieces
from spanproof.ingest.elements.pipeline import unstructured_pipeline
from spanproof.ingest.elements.styles.seen import VISIBILITY
from spanproof.ingest.elements.writer import TextWriter
from spanproof.ingest.elements.xhtml import XhtmlReader, find_title
from spanproof.ingest.media_type import HTML

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.core.documents.document import Document, Extraction
    from spanproof.ingest.elements.partition import Reading
    from spanproof.ingest.limits import Limits


def read(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read a page; raise ExtractionError where it has no text or cannot be parsed whole."""
    text, guess = decode_markup(data, charset)
    page = read_page(text)
    reading = partition(HTML, text.encode("utf-8", "replace"))
    writer = TextWriter(limits=limits)
    title = [Piece(kind="title", text=page.title)] if page.title else []
    write_pieces(writer, [*title, *label_pieces(page.pieces, reading)])
    problem = (guess and guess.problem) or reading.find_problem(
        writer.page_text(), unseen=page.unseen
    )
    writer.end_page(status="ok" if problem is None else "degraded", problem=problem)
    pipeline = unstructured_pipeline("html", ("lxml",), visibility=VISIBILITY)
    return writer.finish(document, pipeline if guess is None else guess.mark(pipeline))


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPage:
    """A page's title, its pieces, and the characters that a browser does not show."""

    title: str | None
    pieces: list[Piece]
    unseen: str


def read_page(text: str) -> WebPage:
    """Read a page's characters."""
    if not text.strip():
        msg = "Expected a web page, got white space."
        raise EmptyDocumentError(msg, hint="Save the page again.")
    try:
        root = parse_html_text(text)
    except MarkupError as error:
        msg = f"Expected a web page that can be parsed whole, got {error}."
        hint = "Open the page in a browser and save it again."
        raise BrokenDocumentError(msg, hint=hint) from error
    reader = XhtmlReader()
    reader.read(root)
    unseen = " ".join(filter(None, reader.unseen_texts))
    return WebPage(title=find_title(root), pieces=reader.pieces, unseen=unseen)


def label_pieces(pieces: Sequence[Piece], reading: Reading) -> list[Piece]:
    """The pieces; unstructured decides the kind of paragraphs that the markup leaves open."""
    return [
        replace(piece, kind=reading.kind_of(piece.text) or "paragraph")
        if piece.kind == "paragraph" and not piece.inner
        else piece
        for piece in pieces
    ]
