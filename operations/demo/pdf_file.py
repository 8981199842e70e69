"""Placed lines → the bytes of a PDF 1.7 file: the same input gives the same bytes anywhere.

Nothing is compressed and nothing is dated: a deflater or a clock would change the document's hash.
The fonts are two of the standard fourteen with an encoding of our own, so that ligatures are single
glyphs, and a ToUnicode map that names them U+FB01 and U+FB02 (ISO 32000-2, 9.6.5 and 9.10.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.operations.demo.font_metrics import ASCII_WIDTHS, BASE_FONTS, EXTRA, encode, measure
from spanproof.operations.demo.typeset import PAGE_HEIGHT, PAGE_WIDTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanproof.operations.demo.font_metrics import FontName
    from spanproof.operations.demo.typeset import Line, Sheet

_MARK_SIZE, _MARK_RISE = 7.0, 4.0
#: Objects 1 to 3: catalogue, page tree, information; 4: encoding; 5: ToUnicode; then fonts.
_FIRST_FONT = 6


def write_pdf(sheets: Sequence[Sheet], *, title: str) -> bytes:
    """The whole file."""
    fonts = {name: _FIRST_FONT + index for index, name in enumerate(BASE_FONTS)}
    first_page = _FIRST_FONT + len(fonts)
    pages = [first_page + 2 * index for index in range(len(sheets))]
    kids = " ".join(f"{page} 0 R" for page in pages)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (en-GB) >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode("ascii"),
        f"<< /Title ({title}) /Producer (Spanproof demo) >>".encode("ascii"),
        _encoding(),
        _stream(_to_unicode()),
        *(_font(name) for name in fonts),
    ]
    names = " ".join(f"/{name} {number} 0 R" for name, number in fonts.items())
    for page, sheet in zip(pages, sheets, strict=True):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {PAGE_WIDTH:g} {PAGE_HEIGHT:g}] "
            f"/Resources << /Font << {names} >> >> /Contents {page + 1} 0 R >>".encode("ascii")
        )
        objects.append(_stream(_content(sheet)))
    return _assemble(objects)


def _content(sheet: Sheet) -> bytes:
    parts = [_show(line) for line in sheet.lines]
    parts.extend(
        f"0.5 w {x:g} {y:g} m {x + width:g} {y:g} l S".encode("ascii")
        for x, y, width in sheet.rules
    )
    return b"\n".join(parts)


def _show(line: Line) -> bytes:
    head = (
        f"BT /{line.font} {line.size:g} Tf {line.stretch:.4f} Tw "
        f"1 0 0 1 {line.x:g} {line.y:g} Tm ".encode("ascii")
    )
    shown = head + _literal(line.text) + b" Tj"
    if line.mark:
        width = measure(line.text, line.font, line.size) + line.stretch * line.text.count(" ")
        shown += (
            f" /{line.font} {_MARK_SIZE:g} Tf 1 0 0 1 {line.x + width:.3f} "
            f"{line.y + _MARK_RISE:g} Tm ".encode("ascii")
        )
        shown += _literal(line.mark) + b" Tj"
    return shown + b" ET"


def _literal(text: str) -> bytes:
    escaped = encode(text)
    for char in (b"\\", b"(", b")"):
        escaped = escaped.replace(char, b"\\" + char)
    return b"(" + escaped + b")"


def _encoding() -> bytes:
    first = min(code for code, _, _ in EXTRA.values())
    glyphs = " ".join(f"/{glyph}" for _, glyph, _ in EXTRA.values())
    return (
        f"<< /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [{first} {glyphs}] >>"
    ).encode("ascii")


def _font(name: FontName) -> bytes:
    widths = [*ASCII_WIDTHS[name], 0, *(width[name] for _, _, width in EXTRA.values())]
    listed = " ".join(map(str, widths))
    return (
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{BASE_FONTS[name]} /FirstChar 32 "
        f"/LastChar {32 + len(widths) - 1} /Widths [{listed}] /Encoding 4 0 R /ToUnicode 5 0 R >>"
    ).encode("ascii")


def _to_unicode() -> bytes:
    extra = "\n".join(f"<{code:02X}> <{ord(char):04X}>" for char, (code, _, _) in EXTRA.items())
    return f"""/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CMapName /Spanproof def
/CMapType 2 def
1 begincodespacerange
<00> <FF>
endcodespacerange
1 beginbfrange
<20> <7E> <0020>
endbfrange
{len(EXTRA)} beginbfchar
{extra}
endbfchar
endcmap
end
end""".encode("ascii")


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


def _assemble(objects: Sequence[bytes]) -> bytes:
    # The second line's high bytes say that the file is binary (ISO 32000-2, 7.5.2).
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for offset in offsets:
        out += b"%010d 00000 n \n" % offset
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 3 0 R >>\n" % (len(objects) + 1)
    out += b"startxref\n%d\n%%%%EOF\n" % start
    return bytes(out)
