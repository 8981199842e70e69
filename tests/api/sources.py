"""Real documents for the doors' tests, made by PyMuPDF when they are asked for."""

from __future__ import annotations

import pymupdf

SENTENCE = "The supplier replaces defective goods within four business days of a written notice."
SECOND = "The buyer shall not withhold payment of undisputed invoices."
WIDE = "Prices are in euros: 1 200 € for each unit."


def make_pdf(*pages: str) -> bytes:
    """A PDF with these lines of text, one page each (a page of three lines by default)."""
    document = pymupdf.open()
    for text in pages or (f"{SENTENCE}\n{SECOND}\n{WIDE}",):
        document.new_page(width=595, height=842).insert_text((72, 100), text, fontsize=11)
    content: bytes = document.tobytes()
    document.close()
    return content


def make_encrypted_pdf() -> bytes:
    """A PDF that needs a password."""
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), SENTENCE)
    content: bytes = document.tobytes(
        encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="open", owner_pw="own"
    )
    document.close()
    return content


def make_scanned_pdf() -> bytes:
    """A PDF whose one page is an image of text."""
    with pymupdf.open(stream=make_pdf(), filetype="pdf") as written:
        image = written[0].get_pixmap(dpi=72).tobytes("png")
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    page.insert_image(page.rect, stream=image)
    content: bytes = document.tobytes()
    document.close()
    return content


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
