"""A small PDF that makes an engine load what most documents make it load."""

from __future__ import annotations

import zlib

_FONTS = ("Helvetica", "Times-Roman", "Courier", "Helvetica-Bold", "Times-Italic", "Symbol")
#: Setting a colour makes the engine compute its conversion, once a process: grey, RGB, CMYK.
_COLOURS = (b"0.2 g", b"0.1 0.2 0.6 rg", b"0 0.2 0.4 0.6 k")


def make_specimen(*, pages: int, lines: int) -> bytes:
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
