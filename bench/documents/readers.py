"""How each peer reads a PDF's bytes, in its natural fastest way; run in the peers' environment.

``read`` is timed, from the bytes to what the peer gives; ``text_of`` then says what it saw.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

# These libraries download files or send telemetry unless disabled before the first import.
os.environ |= {"DO_NOT_TRACK": "1", "UNSTRUCTURED_DISABLE_NOTICE": "1", "HF_HUB_OFFLINE": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A way of reading; ``boxes``: whether every character comes with its place."""

    name: str
    boxes: bool
    #: Opens the library and returns what reads a document's bytes.
    load: Callable[[], Callable[[bytes], Any]]
    text_of: Callable[[Any], str]
    #: Read on fewer files: it takes ten times as long or more.
    slow: bool = False


def load_ours() -> Callable[[bytes], Any]:
    """Spanproof, in this process: canonical text, a place and flags for each character."""
    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Document
    from spanproof.ingest.engine.mupdf.engine import MupdfEngine
    from spanproof.ingest.limits import Limits

    engine, limits = MupdfEngine(), Limits()

    def read(data: bytes) -> Any:  # noqa: ANN401 - what a peer gives is its own
        digest = Digest.of(data)
        document = Document(doc_hash=digest, media_type="application/pdf", byte_length=len(data))
        return engine.read(document, data, limits)

    return read


def load_pymupdf_text() -> Callable[[bytes], Any]:
    """``page.get_text('text')``: no places."""
    from spanproof.ingest.engine.mupdf.library import load_pymupdf

    pymupdf = load_pymupdf()

    def read(data: bytes) -> list[str]:
        with pymupdf.open(stream=data, filetype="pdf") as opened:
            return [page.get_text("text") for page in opened]

    return read


def load_rawdict(*, images: bool) -> Callable[[bytes], Any]:
    """``page.get_text('rawdict')``: a dictionary for each character."""
    from spanproof.ingest.engine.mupdf.library import load_pymupdf

    pymupdf = load_pymupdf()
    flags = pymupdf.TEXTFLAGS_RAWDICT
    flags = flags if images else flags & ~pymupdf.TEXT_PRESERVE_IMAGES

    def read(data: bytes) -> list[Any]:
        with pymupdf.open(stream=data, filetype="pdf") as opened:
            return [page.get_text("rawdict", flags=flags) for page in opened]

    return read


def text_of_rawdict(pages: list[Any]) -> str:
    """The characters of the dictionaries."""
    return "".join(
        char["c"]
        for page in pages
        for block in page["blocks"]
        for line in block.get("lines", ())
        for span in line["spans"]
        for char in span["chars"]
    )


def load_pdfium(*, boxes: bool) -> Callable[[bytes], Any]:
    """pypdfium2: a page's text, and where asked for a box for each of its characters."""
    import pypdfium2

    def read(data: bytes) -> list[tuple[str, list[Any]]]:
        found = []
        document = pypdfium2.PdfDocument(data)
        for page in document:
            text_page = page.get_textpage()
            text = text_page.get_text_range()
            count = text_page.count_chars() if boxes else 0
            found.append((text, [text_page.get_charbox(index) for index in range(count)]))
            text_page.close()
            page.close()
        document.close()
        return found

    return read


def load_pdfminer() -> Callable[[bytes], Any]:
    """pdfminer.six: layout analysis, then every LTChar."""
    from pdfminer.high_level import extract_pages
    from pdfminer.layout import LTChar

    def walk(item: Any) -> Any:  # noqa: ANN401 - an untyped library
        if isinstance(item, LTChar):
            yield item.get_text(), item.bbox
        elif hasattr(item, "__iter__"):
            for inner in item:
                yield from walk(inner)

    return lambda data: [char for page in extract_pages(BytesIO(data)) for char in walk(page)]


def load_pdfplumber() -> Callable[[bytes], Any]:
    """pdfplumber: ``page.chars``."""
    import pdfplumber

    def read(data: bytes) -> list[Any]:
        with pdfplumber.open(BytesIO(data)) as opened:
            return [(char["text"], char["x0"]) for page in opened.pages for char in page.chars]

    return read


def load_docling() -> Callable[[bytes], Any]:
    """docling-parse: character cells only."""
    from docling_parse.pdf_parser import ContentConfig, ContentLevel, DoclingPdfParser

    parser, skip = DoclingPdfParser(), ContentLevel.SKIP
    config = ContentConfig(
        word_cells_content_level=skip,
        line_cells_content_level=skip,
        shapes_content_level=skip,
        bitmaps_content_level=skip,
        include_bitmap_bytes=False,
    )

    def read(data: bytes) -> list[Any]:
        opened = parser.load(BytesIO(data))
        pages = opened.iterate_pages(content_config=config)
        return [(cell.text, cell.rect) for _, page in pages for cell in page.char_cells]

    return read


def load_unstructured() -> Callable[[bytes], Any]:
    """unstructured, strategy "fast": elements, with a place each and none for a character."""
    import spacy
    from unstructured.nlp import tokenize

    # It would fetch a model at its first call; a blank pipeline changes labels, not the text.
    blank = spacy.blank("en")
    blank.add_pipe("sentencizer")
    tokenize.__dict__["_get_nlp"] = lambda: blank
    from unstructured.partition.pdf import partition_pdf

    def read(data: bytes) -> list[Any]:
        found = partition_pdf(file=BytesIO(data), strategy="fast", languages=["eng"])
        if not found:
            msg = "no elements"
            raise ValueError(msg)
        return [(element.text, element.metadata.coordinates) for element in found]

    return read


def text_of_pairs(found: list[Any]) -> str:
    """The first of each pair: its text."""
    return "".join(text for text, _ in found)


#: The first is what the others are compared with.
READERS = (
    Reader(
        name="PyMuPDF text",
        boxes=False,
        load=load_pymupdf_text,
        text_of="".join,
    ),
    Reader(
        name="spanproof: canonical text, boxes, flags",
        boxes=True,
        load=load_ours,
        text_of=lambda extraction: extraction.text.text,
    ),
    Reader(
        name="PyMuPDF rawdict, default flags",
        boxes=True,
        load=lambda: load_rawdict(images=True),
        text_of=text_of_rawdict,
    ),
    Reader(
        name="PyMuPDF rawdict, no images",
        boxes=True,
        load=lambda: load_rawdict(images=False),
        text_of=text_of_rawdict,
    ),
    Reader(
        name="pypdfium2 text",
        boxes=False,
        load=lambda: load_pdfium(boxes=False),
        text_of=text_of_pairs,
    ),
    Reader(
        name="pypdfium2 text and a box a character",
        boxes=True,
        load=lambda: load_pdfium(boxes=True),
        text_of=text_of_pairs,
    ),
    Reader(
        name="pdfminer.six LTChar", boxes=True, load=load_pdfminer, text_of=text_of_pairs, slow=True
    ),
    Reader(
        name="pdfplumber chars", boxes=True, load=load_pdfplumber, text_of=text_of_pairs, slow=True
    ),
    Reader(
        name="docling-parse char cells",
        boxes=True,
        load=load_docling,
        text_of=text_of_pairs,
        slow=True,
    ),
    Reader(
        name="unstructured fast",
        boxes=False,
        load=load_unstructured,
        text_of=text_of_pairs,
        slow=True,
    ),
)
