"""What a zygote loads before it forks: its children then find everything in memory.

Each zygote loads one set only: reading a PDF needs 70 MB and no document library, the readers of
the other formats need 270 MB and no PDF engine.
"""

from __future__ import annotations

import importlib
import sys
import zlib
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from spanproof.core.errors import SpanproofError
from spanproof.ingest.cage.extraction_parts import to_parts
from spanproof.ingest.elements import READERS
from spanproof.ingest.elements.library import load_unstructured
from spanproof.ingest.extraction import extract
from spanproof.ingest.media_detection import is_pdf_or_plain
from spanproof.ingest.render import render_page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanproof.ingest.limits import EngineName

Preload = Literal["mupdf", "pdfium", "elements"]

_FONTS = ("Helvetica", "Times-Roman", "Courier", "Helvetica-Bold", "Times-Italic", "Symbol")
#: Setting a colour makes the engine compute its conversion, once a process: grey, RGB, CMYK.
_COLOURS = (b"0.2 g", b"0.1 0.2 0.6 rg", b"0 0.2 0.4 0.6 k")


def make_sample_pdf(*, pages: int, lines: int) -> bytes:
    """Pages of text in the standard fonts and every device colour space, streams deflated."""
    written = []
    for number in range(lines):
        font, colour = number % len(_FONTS), _COLOURS[number % len(_COLOURS)]
        words = b"Words \\(line %d\\) to warm up: caf\\351, \\223quoted\\224, 12.5 %%" % number
        place = b"1 0 0 1 50 %d Tm" % (780 - 18 * number)
        written.append(b"BT %s /F%d 11 Tf %s (%s) Tj ET" % (colour, font, place, words))
    content = zlib.compress(b"\n".join(written))
    fonts = b" ".join(b"/F%d %d 0 R" % (number, 4 + number) for number in range(len(_FONTS)))
    first = 4 + len(_FONTS)
    kids = b" ".join(b"%d 0 R" % (first + number) for number in range(pages))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 3 0 R /Resources"
    encoded = b"/Encoding /WinAnsiEncoding"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages),
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(content), content),
        *(
            b"<< /Type /Font /Subtype /Type1 /BaseFont /%s %s >>"
            % (name.encode(), b"" if name == "Symbol" else encoded)
            for name in _FONTS
        ),
        *([page + b" << /Font << %s >> >> >>" % fonts] * pages),
    ]
    out, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % table)


_SAMPLE = make_sample_pdf(pages=2, lines=40)
#: For a child that waits: shorter, because every child reads it.
_SHORT_SAMPLE = make_sample_pdf(pages=1, lines=1)
_ELEMENT_SAMPLES = (
    ("warm.html", b"<html><body><h1>Warm</h1><p>A sentence to read.</p></body></html>"),
    ("warm.csv", b"a,b\n1,2\n"),
    ("warm.eml", b"From: a@b.c\nSubject: Warm\n\nA sentence to read.\n"),
)


def choose_preload(
    data: bytes, filename: str | None, media_type: str | None, engine: EngineName
) -> Preload:
    """The zygote whose child reads this: a child of the other kind lacks the modules for it."""
    return engine if is_pdf_or_plain(data, filename, media_type) else "elements"


def load_engine(engine: EngineName) -> None:
    """The engine, the tables of characters, and all that a first document makes them load."""
    _read(b"warm", None, engine)
    _read(_SAMPLE, None, engine)
    with suppress(SpanproofError):
        render_page(_SAMPLE, 1, engine=engine)


def load_elements() -> None:
    """The readers of the other formats and the libraries that they use."""
    import mimetypes

    # Its tables lie in /etc, which a caged child cannot read.
    mimetypes.init()
    # spaCy would load it where it is installed: seconds and memory for what no reader computes.
    sys.modules.setdefault("torch", None)  # type: ignore[arg-type]
    # By its own door only, which closes the network before the import.
    with suppress(SpanproofError):
        load_unstructured()
    for module in READERS.values():
        importlib.import_module(module)
    for name, sample in _ELEMENT_SAMPLES:
        _read(sample, name, "mupdf")


def _read(data: bytes, filename: str | None, engine: EngineName) -> None:
    # A library that is missing is the matter of the first document that needs it.
    with suppress(SpanproofError):
        to_parts(extract(data, filename=filename, engine=engine, alone=True))


PRELOADS: Mapping[Preload, Callable[[], None]] = MappingProxyType(
    {
        "mupdf": partial(load_engine, "mupdf"),
        "pdfium": partial(load_engine, "pdfium"),
        "elements": load_elements,
    }
)


def touch_memory(preload: Preload) -> None:
    """Read a sample in a waiting child: this copies the shared pages that it will write."""
    if preload != "elements":
        _read(_SHORT_SAMPLE, None, preload)
