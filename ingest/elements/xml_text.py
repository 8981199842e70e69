"""XML → canonical text: the characters of each element that has some, in document order.

Nothing is fetched and no declared entity is expanded: a document whose text uses one is refused,
because a reader of it would see text that appears elsewhere. Names of characters that HTML or
ISO 8879 defines are those characters; an unknown name stays, on a degraded page. Attributes are not
text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from spanproof.core.errors import BrokenDocumentError, UnsupportedMediaTypeError
from spanproof.ingest.elements.entities import find_character, resolve_references
from spanproof.ingest.elements.inline import InlineText
from spanproof.ingest.elements.markup import MarkupError, is_entity, local_name, parse_xml
from spanproof.ingest.elements.partition import partition
from spanproof.ingest.elements.piece import Piece, write_pieces
from spanproof.ingest.elements.pipeline import unstructured_pipeline
from spanproof.ingest.elements.writer import TextWriter
from spanproof.ingest.media_type import XML

if TYPE_CHECKING:
    from spanproof.core.documents.document import Document, Extraction
    from spanproof.ingest.limits import Limits

#: Raised by one with every change of what this reader makes of a document.
_REVISION = "2"


def read(
    document: Document, data: bytes, limits: Limits, *, charset: str | None = None
) -> Extraction:
    """Read a document; raise ExtractionError where it is not well-formed or uses own entities."""
    del charset
    try:
        root = parse_xml(data)
    except MarkupError as error:
        msg = f"Expected well-formed XML, got a fault ({error})."
        raise BrokenDocumentError(msg, hint="Correct the document, or give it as .txt.") from error
    _refuse_entities(root)
    reading = partition(XML, resolve_references(etree.tostring(root, encoding="unicode")).encode())
    writer = TextWriter(limits=limits)
    write_pieces(writer, _read_pieces(root))
    problem = _find_unknown(root) or reading.find_problem(writer.page_text())
    writer.end_page(status="ok" if problem is None else "degraded", problem=problem)
    return writer.finish(document, unstructured_pipeline("xml", ("lxml",), revision=_REVISION))


def _refuse_entities(root: etree._Element) -> None:
    declared = root.getroottree().docinfo.internalDTD
    names = {entity.name for entity in declared.iterentities()} if declared is not None else set()
    used = next((node.name for node in root.iter(etree.Entity) if node.name in names), None)
    if used is not None:
        msg = f"Expected XML that uses no entity of its own, got {used!r} used."
        raise UnsupportedMediaTypeError(msg, hint="Expand the entities and save it again.")


def _find_unknown(root: etree._Element) -> str | None:
    unknown = sum(find_character(node.name) is None for node in root.iter(etree.Entity))
    return f"{unknown} unknown entities are left as they are." if unknown else None


def _read_pieces(root: etree._Element) -> list[Piece]:
    """A block for each stretch of characters between two tags, named by its element."""
    pieces: list[Piece] = []
    inline = InlineText()

    def flush(name: str) -> None:
        text = inline.take()
        if text:
            pieces.append(Piece(kind="paragraph", text=text, name=name))

    names: list[str] = []
    for event, node in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event == "start" and is_entity(node):
            inline.add(find_character(node.name) or str(node.text))
        elif event == "start":
            flush(names[-1] if names else "")
            names.append(local_name(node))
            inline.add(node.text or "")
        elif event == "end" and not is_entity(node):
            flush(names.pop())
        if event != "start" and node is not root:
            inline.add(node.tail or "")
    return pieces
