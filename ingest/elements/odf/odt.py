"""OpenDocument text: the page headers, the body in order, the page footers; one page.

``content.xml`` holds the text, ``styles.xml`` headers, footers and styles; a flat file is both in
one. Hidden text is left out and counted; deletions of tracked changes are not text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core.errors import BrokenDocumentError, EncryptedDocumentError
from spanproof.ingest.elements.archive import Archive
from spanproof.ingest.elements.markup import markup_pipeline, require_xml
from spanproof.ingest.elements.odf.odt_style import (
    MANIFEST,
    OFFICE,
    STYLE,
    find_groups,
    read_styles,
)
from spanproof.ingest.elements.odf.odt_text import OdtReader
from spanproof.ingest.elements.piece import write_pieces
from spanproof.ingest.elements.writer import TextWriter

if TYPE_CHECKING:
    from lxml.etree import _Element

    from spanproof.core.documents.document import Document, Extraction
    from spanproof.ingest.elements.piece import Piece
    from spanproof.ingest.limits import Limits

#: Raised by one with every change of what this reader makes of a document.
VERSION = "1"
_MANIFEST = "META-INF/manifest.xml"
_CONTENT, _STYLES = "content.xml", "styles.xml"
_ZIP_MAGIC = b"PK"


def read(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read a text document; raise ExtractionError where it is encrypted, broken or too large."""
    del charset
    content, styles = _open(data, limits)
    margins = OdtReader(read_styles(find_groups(styles, automatic=True)), limits)
    groups = [*find_groups(styles, automatic=False), *find_groups(content, automatic=True)]
    body = OdtReader(read_styles(groups), limits)
    text = content.find(f"{OFFICE}body/{OFFICE}text")
    if text is None:
        msg = "Expected an OpenDocument text, got a file without 'office:text'."
        raise BrokenDocumentError(msg, hint="Save it as ODT, DOCX or PDF.")
    writer = TextWriter(limits=limits)
    write_pieces(writer, _read_margins(margins, styles, "header"), "header")
    write_pieces(writer, body.read(text))
    write_pieces(writer, _read_margins(margins, styles, "footer"), "footer")
    hidden, objects = body.hidden + margins.hidden, body.objects + margins.objects
    problems = [f"{hidden} hidden characters are left out"] if hidden else []
    if objects:
        problems.append(f"{objects} embedded charts or formulas are not read")
    problem = "; ".join(problems) or None
    writer.end_page(status="degraded" if problem else "ok", problem=problem)
    return writer.finish(document, markup_pipeline("odt", VERSION))


def _open(data: bytes, limits: Limits) -> tuple[_Element, _Element]:
    """The roots that hold the text and the styles."""
    if not data.startswith(_ZIP_MAGIC):
        root = require_xml(data, "the flat document")
        return root, root
    archive = Archive(data, limits)
    if _MANIFEST in archive:
        manifest = require_xml(archive.read(_MANIFEST), _MANIFEST)
        if next(manifest.iter(f"{MANIFEST}encryption-data"), None) is not None:
            msg = "Expected a document that opens without a password, got an encrypted one."
            raise EncryptedDocumentError(msg, hint="Save a copy without a password.")
    content = require_xml(archive.read(_CONTENT), _CONTENT)
    if _STYLES not in archive:
        return content, content
    return content, require_xml(archive.read(_STYLES), _STYLES)


def _read_margins(reader: OdtReader, styles: _Element, name: str) -> list[Piece]:
    """The headers or footers of every master page; the same words appear once."""
    found: dict[tuple[str, ...], list[Piece]] = {}
    for master in styles.iterfind(f"{OFFICE}master-styles/{STYLE}master-page"):
        for margin in master:
            # header, header-left, header-first.
            is_wanted = str(margin.tag).startswith(f"{STYLE}{name}")
            if is_wanted and margin.get(f"{STYLE}display") != "false":
                pieces = reader.read(margin, "header" if name == "header" else "footer")
                found.setdefault(tuple(margin.itertext()), pieces)
    return [piece for pieces in found.values() for piece in pieces]
