"""Every flag and every status of a page, each from a PDF drawn to have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.citation import Quote
from spanproof.core.documents.document import CharacterCounts
from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.locate import locate_span
from spanproof.core.span import Span
from spanproof.ingest import extract
from spanproof.verifier.quotes.existence import check_existence
from tests.engines import needs_mupdf
from tests.ingest.pdf_bytes import HELVETICA, PageSpec, build_pdf, text_at, turned_text

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.core.documents.document import Extraction

_VERTICAL = (
    b"<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light/Encoding/UniJIS-UTF16-V"
    b"/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light"
    b"/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 6>>"
    b"/FontDescriptor<</Type/FontDescriptor/FontName/Ryumin-Light/Flags 4/FontBBox[0 -200 1000 900]"
    b"/ItalicAngle 0/Ascent 880/Descent -120/CapHeight 700/StemV 80>>>>]>>"
)


def _says(*points: str) -> bytes:
    """A page whose signs ¡, ¢, £… are these characters, by the font's own table."""
    rows = b"".join(b"<%02X><%s>\n" % (0xA1 + i, p.encode()) for i, p in enumerate(points))
    table = (
        b"/CIDInit/ProcSet findresource begin 12 dict begin begincmap/CMapName/X def\n"
        b"/CMapType 2 def 1 begincodespacerange<00><FF>endcodespacerange\n"
        b"%d beginbfchar\n%sendbfchar\nendcmap end end" % (len(points), rows)
    )
    font = HELVETICA.replace(b">>", b"/ToUnicode 6 0 R>>")
    shown = "".join(chr(0xA1 + i) for i in range(len(points)))
    stream = b"<</Length %d>>stream\n%s\nendstream" % (len(table), table)
    return build_pdf(PageSpec(content=text_at(72, 700, shown)), font=font, extra=(stream,))


def _counted(extraction: Extraction) -> CharacterCounts:
    (page,) = extraction.pages
    return page.counts


@needs_mupdf
@pytest.mark.parametrize(
    ("point", "name", "flag"),
    [
        ("00AD", "soft_hyphen", CharFlag.SOFT_HYPHEN),
        ("200B", "ignorable", CharFlag.IGNORABLE),
        ("202E", "ignorable", CharFlag.IGNORABLE),
        ("E123", "private_use", CharFlag.PRIVATE_USE),
        ("FFFD", "unmapped", CharFlag.UNMAPPED),
    ],
)
def test_a_character_is_flagged_and_counted(point: str, name: str, flag: CharFlag) -> None:
    extraction = extract(_says("0061", point, "0062"))
    assert extraction.text.text == f"a{chr(int(point, 16))}b\f"
    assert extraction.layout is not None
    assert CharFlag(int(extraction.layout.flags[1])) == flag
    assert _counted(extraction) == CharacterCounts(characters=4, **{name: 1})


@needs_mupdf
def test_half_a_character_is_replaced_and_remembered() -> None:
    extraction = extract(_says("0061", "D800", "0062"))
    assert extraction.text.text == "a\ufffdb\f"
    assert extraction.originals == ((1, 0xD800),)
    assert _counted(extraction).replaced == 1


@needs_mupdf
def test_a_control_character_of_the_document_is_no_separator() -> None:
    content = b"/Span<</ActualText<FEFF0007>>>BDC\n%sEMC\n" % text_at(72, 700, " ")
    extraction = extract(build_pdf(PageSpec(content=content)))
    assert extraction.text.text == "\x07\f"
    assert _counted(extraction).control == 1


def test_text_outside_the_page_is_kept_and_flagged() -> None:
    content = text_at(72, 700, "seen") + text_at(-300, 700, "away")
    extraction = extract(build_pdf(PageSpec(content=content)))
    assert _counted(extraction).offpage == len("away")
    quote = Quote(text="away")
    assert "HIDDEN_TEXT" in check_existence(quote, extraction, ())[1]


def test_invisible_text_without_a_picture_over_it_is_degraded_and_never_passes() -> None:
    content = text_at(72, 700, "ignore all of this", mode=3) + text_at(72, 600, "seen")
    extraction = extract(build_pdf(PageSpec(content=content)))
    (page,) = extraction.pages
    assert (page.status, page.text_source) == ("degraded", "born_digital")
    assert "invisible" in (page.problem or "")
    quote = Quote(text="ignore all of this")
    assert "HIDDEN_TEXT" in check_existence(quote, extraction, ())[1]


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param((PageSpec(), PageSpec()), id="nothing"),
        pytest.param((PageSpec(content=text_at(72, 700, "   ")),), id="white space"),
        pytest.param((PageSpec(content=b"0 0 600 800 re f"),), id="a drawing"),
    ],
)
def test_a_document_without_text_is_unverifiable_and_never_absent(
    pages: tuple[PageSpec, ...],
) -> None:
    extraction = extract(build_pdf(*pages))
    assert extraction.text_source == "none"
    existence, _ = check_existence(Quote(text="anything at all"), extraction, ())
    assert existence.status == "UNVERIFIABLE"


def test_a_document_of_broken_pages_is_unverifiable() -> None:
    data = build_pdf(PageSpec(content=text_at(72, 700, "lost")), PageSpec())
    broken = data.replace(b"/Kids[4 0 R 6 0 R]", b"/Kids[2 0 R 2 0 R]")
    extraction = extract(broken)
    assert {page.status for page in extraction.pages} == {"error"}
    existence, _ = check_existence(Quote(text="lost"), extraction, ())
    assert existence.status == "UNVERIFIABLE"


def test_a_page_that_is_not_there_is_an_error_and_no_blank_page() -> None:
    data = build_pdf(PageSpec(content=text_at(72, 700, "first")), PageSpec())
    extraction = extract(data.replace(b"/Kids[4 0 R 6 0 R]", b"/Kids[4 0 R 9 0 R]"))
    assert extraction.text.text == "first\f\f"
    assert [page.status for page in extraction.pages] == ["ok", "error"]


@needs_mupdf
def test_columns_of_vertical_writing_are_lines() -> None:
    columns = ("\u3042\u3044\u3046\u3048\u304a", "\u65e5\u672c\u8a9e")
    content = b"".join(
        b"BT /F1 20 Tf %d 700 Td <%s> Tj ET\n" % (x, column.encode("utf-16-be").hex().encode())
        for x, column in zip((400, 360), columns, strict=True)
    )
    extraction = extract(build_pdf(PageSpec(content=content), font=_VERTICAL))
    assert extraction.text.text == "\n".join(columns) + "\f"
    assert extraction.layout is not None
    # One run a column, read downwards.
    assert extraction.layout.run_sin.tolist() == [-1.0, -1.0]
    # A glyph hangs below the point that the page names, half of it on either side.
    (first,) = locate_span(extraction, Span(0, 1))
    assert first.quads[0].to_list() == pytest.approx([410, 700, 410, 680, 390, 680, 390, 700], 0.01)


@needs_mupdf
def test_quotes_along_real_columns_are_contiguous(test_data: Path) -> None:
    folder = test_data / "documents" / "pdf" / "pdf.js"
    for name, quote in (
        ("vertical.pdf", "\u3042\u3044\u3046\u3048\u304a"),
        ("issue6387.pdf", "\u306e\u3059\u304d\u3068\u304a\u3063\u305f\u98a8"),
    ):
        path = folder / name
        if path.exists():
            assert quote in extract(path.read_bytes()).text.text


def test_turned_text_is_not_vertical_writing() -> None:
    content = turned_text("0 1 -1 0 300 300", "upwards") + turned_text("0 -1 1 0 200 500", "down")
    extraction = extract(build_pdf(PageSpec(content=content)))
    assert extraction.text.text == "upwards\ndown\f"
