"""Documents that cannot be taken, made on the spot: one function for each way to be bad."""

from __future__ import annotations

from tests.ingest.pdf_bytes import PageSpec, build_pdf, lock_pdf, picture_pdf, text_at

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 64


def make_encrypted() -> bytes:
    """A PDF that opens only with its password."""
    return lock_pdf(build_pdf(PageSpec(content=text_at(72, 720, "Nobody reads this."))))


def make_pageless() -> bytes:
    """A well-formed PDF whose page tree is empty."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"]
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 3\n0000000000 65535 f \n"
    for offset in offsets:
        out += b"%010d 00000 n \n" % offset
    out += b"trailer\n<< /Size 3 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start
    return bytes(out)


def make_broken() -> bytes:
    """The beginning of a PDF and then nothing of one."""
    return b"%PDF-1.7\n" + b"no object here\n" * 20


def make_scanned() -> bytes:
    """A PDF whose only page is an image."""
    return picture_pdf(bytes([200]) * (40 * 40 * 3), 40, 40)
