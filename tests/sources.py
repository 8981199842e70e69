"""Real documents for the doors' tests, made when they are asked for."""

from __future__ import annotations

from spanproof.ingest.engine.choice import load_engine
from tests.engines import ENGINE
from tests.ingest.pdf_bytes import PageSpec, build_pdf, lock_pdf, picture_pdf, text_at

SENTENCE = "The supplier replaces defective goods within four business days of a written notice."
SECOND = "The buyer shall not withhold payment of undisputed invoices."
WIDE = "Prices are in euros: 1 200 € for each unit."


def make_pdf(*pages: str) -> bytes:
    """A PDF with these lines of text, one page each (a page of three lines by default)."""
    return build_pdf(
        *(
            PageSpec(
                content=b"".join(
                    text_at(72, 742 - 15 * number, line, size=11)
                    for number, line in enumerate(text.splitlines())
                )
            )
            for text in pages or (f"{SENTENCE}\n{SECOND}\n{WIDE}",)
        ),
        inherited=b"/MediaBox[0 0 595 842]",
    )


def make_encrypted_pdf() -> bytes:
    """A PDF that needs a password."""
    return lock_pdf(make_pdf(SENTENCE))


def make_scanned_pdf() -> bytes:
    """A PDF whose one page is an image of text."""
    with load_engine(ENGINE).open_drawing(make_pdf()) as drawing:
        pixels = drawing.draw(1, 1.0)
    return picture_pdf(pixels.tobytes(), pixels.shape[1], pixels.shape[0])


def make_pageless_pdf() -> bytes:
    """A PDF whose page tree is empty."""
    objects = (
        b"1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n",
        b"2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\n",
    )
    content = b"%PDF-1.7\n"
    offsets = []
    for part in objects:
        offsets.append(len(content))
        content += part
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(content)
    return content + (
        b"xref\n0 3\n0000000000 65535 f \n" + table + b"trailer\n<< /Size 3 /Root 1 0 R >>\n"
        b"startxref\n%d\n%%%%EOF\n" % start
    )


def make_broken_pdf() -> bytes:
    """Something that begins as a PDF and is none."""
    return b"%PDF-1.7\n" + bytes(range(256)) * 8
