"""PDFs written by hand, byte by byte: what a test says of a page is what stands in the file."""

from __future__ import annotations

from dataclasses import dataclass

HELVETICA = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSpec:
    """One page: its content stream and what else its dictionary holds."""

    content: bytes = b""
    entries: bytes = b""


def text_at(x: float, y: float, text: str, *, size: float = 20, mode: int = 0) -> bytes:
    """Operators that show a text with its base line's start at a point of user space."""
    shown = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT {mode} Tr /F1 {size} Tf {x} {y} Td ({shown}) Tj ET\n".encode("cp1252")


def turned_text(matrix: str, text: str, *, size: float = 20) -> bytes:
    """Operators that show a text by a whole text matrix."""
    return f"BT /F1 {size} Tf {matrix} Tm ({text}) Tj ET\n".encode()


def build_pdf(
    *pages: PageSpec,
    inherited: bytes = b"/MediaBox[0 0 600 800]",
    catalog: bytes = b"",
    font: bytes = HELVETICA,
    extra: tuple[bytes, ...] = (),
) -> bytes:
    """A PDF 1.7 of these pages; ``extra`` objects follow, numbered from ``4 + 2 * len(pages)``."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * i) for i in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R" + catalog + b">>",
        b"<</Type/Pages/Kids[%s]/Count %d%s>>" % (kids, len(pages), inherited),
        font,
    ]
    for index, page in enumerate(pages):
        objects.append(
            b"<</Type/Page/Parent 2 0 R/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>%s>>"
            % (5 + 2 * index, page.entries)
        )
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(page.content), page.content))
    objects.extend(extra)
    return write_objects(objects)


def write_objects(objects: list[bytes]) -> bytes:
    """Number the objects from 1 and write them with header, table and trailer."""
    out = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%s"
        b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, len(objects) + 1, len(out))
    )


def lock_pdf(data: bytes) -> bytes:
    """A PDF of ours with a lock that no password opens, least of all the empty one."""
    lock = b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>" % (b"41" * 32, b"42" * 32)
    return data.replace(b"trailer<<", b"trailer<</ID[<01><01>]" + lock)


def picture_pdf(pixels: bytes, width: int, height: int) -> bytes:
    """A PDF whose only page is one image, RGB."""
    head = b"<</Type/XObject/Subtype/Image/Width %d/Height %d" % (width, height)
    head += b"/BitsPerComponent 8/ColorSpace/DeviceRGB/Length %d>>" % len(pixels)
    return build_pdf(
        PageSpec(
            content=b"q 595 0 0 842 0 0 cm /I Do Q", entries=b"/Resources<</XObject<</I 6 0 R>>>>"
        ),
        inherited=b"/MediaBox[0 0 595 842]",
        extra=(head + b"stream\n" + pixels + b"\nendstream",),
    )
