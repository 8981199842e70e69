"""RTF: the page headers, the body in the file's order, the page footers; one page.

Read by RTF 1.9.1. A list's numbers appear in the file and are text, its bullets are not; nor are
instructions of fields, pictures, hidden text (it is counted) and deletions. What a reader may
ignore and this one does not know is ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.core import canonical_json
from spanproof.core.documents.document import Pipeline
from spanproof.core.errors import BrokenDocumentError
from spanproof.ingest.assembly.characters import CANON
from spanproof.ingest.elements.piece import write_pieces
from spanproof.ingest.elements.rtf.reader import RtfReader
from spanproof.ingest.elements.writer import TextWriter

if TYPE_CHECKING:
    from spanproof.core.documents.document import Document, Extraction
    from spanproof.ingest.elements.piece import Piece
    from spanproof.ingest.limits import Limits

#: Raised by one with every change of what this reader makes of a document.
VERSION = "2"
_MAGIC = b"{\\rtf"


def read(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read a document; raise ExtractionError if it is malformed or holds no text."""
    del charset
    if not data.startswith(_MAGIC):
        msg = f"Expected an RTF document, got bytes that begin with {data[:5]!r}."
        raise BrokenDocumentError(msg, hint="Open the file in its program and save it as RTF.")
    reader = RtfReader(limits)
    reader.read(data)
    writer = TextWriter(limits=limits)
    write_pieces(writer, _once(reader.headers), "header")
    write_pieces(writer, reader.body.close())
    write_pieces(writer, _once(reader.footers), "footer")
    problems = ["the file ends within a group"] if reader.is_cut else []
    if reader.hidden:
        problems.append(f"{reader.hidden} hidden characters are left out")
    writer.end_page(status="degraded" if problems else "ok", problem="; ".join(problems) or None)
    return writer.finish(document, _pipeline())


def _once(margins: list[list[Piece]]) -> list[Piece]:
    """Headers or footers; the same words of several sections appear once."""
    distinct = {str(pieces): pieces for pieces in margins}
    return [piece for pieces in distinct.values() for piece in pieces]


def _pipeline() -> Pipeline:
    config = {
        "engine": {"rtf": VERSION},
        "name": "rtf",
        "normaliser": CANON,
        "separators": {"cell": "\t", "line": "\n", "page": "\f"},
    }
    return Pipeline(
        name=f"rtf@{VERSION}+{CANON}",
        config_json=canonical_json.dumps(config).decode("utf-8"),
    )
