"""What pdfium does of its own to text, and what becomes of it here."""

from __future__ import annotations

import subprocess
import sys
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.locate import locate_span
from spanproof.core.errors import (
    BrokenDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    ExtractionError,
    LimitExceededError,
    OcrUnavailableError,
)
from spanproof.core.span import Span
from spanproof.ingest import Limits, extract
from spanproof.ingest.engine.choice import load_engine
from spanproof.ingest.engine.pdfium.library import versions
from spanproof.ingest.limits import OcrChoice
from tests.ingest.pdf_bytes import (
    PageSpec,
    build_pdf,
    lock_pdf,
    text_at,
    turned_text,
    write_objects,
)

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

TWO_PAGES = build_pdf(
    PageSpec(content=text_at(72, 700, "One line") + text_at(72, 600, "and another")),
    PageSpec(),
    PageSpec(content=text_at(72, 700, "Last page")),
)


def _read(content: bytes, *, entries: bytes = b"", **of_document: Any) -> Extraction:
    page = PageSpec(content=content, entries=entries)
    return extract(build_pdf(page, **of_document), engine="pdfium")


def _flags(extraction: Extraction, offset: int) -> CharFlag:
    assert extraction.layout is not None
    return CharFlag(int(extraction.layout.flags[offset]))


def _to_unicode(*rows: bytes) -> dict[str, Any]:
    """A font whose character codes mean what the rows say."""
    table = (
        b"/CIDInit /ProcSet findresource begin begincmap /CMapType 2 def\n"
        b"1 begincodespacerange <00> <FF> endcodespacerange\n"
        b"%d beginbfchar\n%s\nendbfchar endcmap end" % (len(rows), b"\n".join(rows))
    )
    font = (
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 6 0 R>>"
    )
    return {
        "font": font,
        "extra": (b"<</Length %d>>stream\n%s\nendstream" % (len(table), table),),
    }


def test_its_line_ends_are_one_newline_and_an_empty_page_is_a_form_feed() -> None:
    extraction = extract(TWO_PAGES, engine="pdfium")
    assert extraction.text.text == "One line\nand another\f\fLast page\f"
    assert _flags(extraction, 8) == CharFlag.SEPARATOR


def test_a_made_up_space_is_synthetic_and_has_no_box() -> None:
    extraction = _read(b"BT /F1 20 Tf 100 400 Td (left) Tj 76 0 Td (right) Tj ET")
    assert extraction.text.text == "left right\f"
    assert _flags(extraction, 4) == CharFlag.SYNTHETIC
    assert locate_span(extraction, Span(4, 5)) == ()


def test_a_space_of_the_page_is_none_that_was_made_up() -> None:
    extraction = _read(text_at(72, 700, "two words"))
    assert _flags(extraction, 3) == CharFlag(0)
    assert len(locate_span(extraction, Span(3, 4))) == 1


@pytest.mark.parametrize("hyphen", ["-", "\xad"])
def test_the_hyphen_at_a_line_end_is_a_hyphen_and_ends_the_line(hyphen: str) -> None:
    extraction = _read(text_at(72, 700, f"dis{hyphen}") + text_at(72, 676, "cover it"))
    assert extraction.text.text == "dis-\ncover it\f"
    assert extraction.pages[0].counts.control == 0
    (mark,) = locate_span(extraction, Span(3, 4))
    assert 695 < mark.quads[0].ll[1] < mark.quads[0].ul[1] < 720


def test_surrogate_pairs_are_one_character_and_halves_are_replaced() -> None:
    extraction = _read(
        text_at(72, 700, "xABCD"),
        **_to_unicode(b"<41> <D835DC49>", b"<42> <D800>", b"<43> <0000>", b"<44> <FB01>"),
    )
    # The ligature is written out by the library: two characters, one place.
    assert extraction.text.text == "x\U0001d449��fi\f"
    assert _flags(extraction, 2) == CharFlag.REPLACED
    assert _flags(extraction, 3) == CharFlag.UNMAPPED
    assert extraction.originals == ((2, 0xD800),)
    f, i = (locate_span(extraction, Span(at, at + 1))[0].quads for at in (4, 5))
    assert f == i


def test_glyphs_without_a_meaning_are_said_to_be_so() -> None:
    font = (
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding"
        b"/Differences[65/glyphone/glyphtwo]>>>>"
    )
    extraction = _read(text_at(72, 700, "AB"), font=font)
    assert extraction.text.text == "��\f"
    assert extraction.pages[0].counts.unmapped == 2
    assert extraction.pages[0].status == "degraded"


@pytest.mark.parametrize("mode", [3, 7])
def test_text_that_is_not_painted_is_invisible(mode: int) -> None:
    extraction = _read(text_at(72, 700, "Seen") + text_at(72, 600, "un seen", mode=mode))
    assert extraction.text.text == "Seen\nun seen\f"
    assert CharFlag.INVISIBLE in _flags(extraction, 5)
    assert _flags(extraction, 7) == CharFlag(0)
    assert extraction.pages[0].counts.invisible == 6


def _stream(entries: bytes, content: bytes) -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(content), content)


def test_hidden_text_under_an_image_within_forms_is_an_ocr_layer() -> None:
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>"
    grey = b"/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray"
    extraction = _read(
        b"q 100 0 0 100 0 0 cm /X Do Q\n" + text_at(72, 600, "scanned words", mode=3),
        entries=b"/Resources<</XObject<</X 6 0 R>>/Font<</F1 3 0 R>>>>",
        extra=(
            _stream(form % 7 + b"/Matrix[2 0 0 2 0 0]", b"q .5 0 0 .5 0 0 cm /X Do Q"),
            _stream(form % 8, b"q 6 0 0 8 0 0 cm /X Do Q"),
            _stream(b"/Type/XObject" + grey, b"\x80"),
        ),
    )
    assert extraction.text_source == "ocr_layer"
    assert extraction.pages[0].status == "ok"


def test_text_outside_the_page_is_kept_and_flagged() -> None:
    extraction = _read(text_at(-300, 700, "left of it") + text_at(72, 600, "on it"))
    assert extraction.text.text == "left of it\non it\f"
    assert _flags(extraction, 0) == CharFlag.OFFPAGE
    assert _flags(extraction, 11) == CharFlag(0)


def test_text_of_another_direction_is_a_line_of_its_own() -> None:
    content = text_at(300, 400, "level") + turned_text("0 1 -1 0 360 400", "upright")
    extraction = _read(content)
    assert sorted(extraction.text.text.rstrip("\f").split("\n")) == ["level", "upright"]
    start = extraction.text.text.index("upright")
    (mark,) = locate_span(extraction, Span(start, start + 7))
    (quad,) = mark.quads
    assert quad.ul[0] == pytest.approx(quad.ur[0])
    assert quad.ur[1] > quad.ul[1]


def test_actual_text_of_marked_content_is_the_text_and_its_glyphs_are_told() -> None:
    content = (
        b"BT /F1 20 Tf 72 700 Td (see ) Tj /Span <</ActualText (Xyz)>> BDC (aaaa) Tj EMC"
        b" ( end) Tj ET"
    )
    extraction = _read(content)
    assert extraction.text.text == "see Xyz end\f"
    assert [_flags(extraction, at) for at in (3, 4, 6, 7)] == [
        CharFlag(0),
        CharFlag.ACTUALTEXT,
        CharFlag.ACTUALTEXT,
        CharFlag(0),
    ]
    (told,) = extraction.glyph_texts
    assert (told.span, told.glyphs) == (Span(4, 7), "aaaa")
    (mark,) = locate_span(extraction, Span(4, 7))
    assert mark.bbox.x1 - mark.bbox.x0 == pytest.approx(4 * 11.12, abs=2)


def test_two_pages_share_a_property_list_and_both_have_its_actual_text() -> None:
    content = b"BT /F1 20 Tf 72 700 Td /Span /P BDC (aaaa) Tj EMC ET"
    page = PageSpec(
        content=content, entries=b"/Resources<</Font<</F1 3 0 R>>/Properties<</P 8 0 R>>>>"
    )
    data = build_pdf(page, page, extra=(b"<</ActualText(Xyz)>>",))
    extraction = extract(data, engine="pdfium")
    assert extraction.text.text == "Xyz\fXyz\f"
    assert [one.glyphs for one in extraction.glyph_texts] == ["aaaa", "aaaa"]


def test_a_form_is_read_without_running_anything_of_it() -> None:
    field = (
        b"<</Type/Annot/Subtype/Widget/Rect[72 600 272 620]/FT/Tx/T(name)/V(Smith)/P 4 0 R"
        b"/AA<</C<</S/JavaScript/JS(event.value='Jones')>>>>>>"
    )
    extraction = _read(
        text_at(72, 700, "Form"),
        entries=b"/Annots[6 0 R]",
        catalog=b"/AcroForm<</Fields[6 0 R]/CO[6 0 R]>>",
        extra=(field,),
    )
    assert extraction.text.text == "Form\nSmith\f"
    (block,) = extraction.blocks
    assert (block.kind, block.name) == ("form_field", "name")


def test_labels_and_repair_are_recorded() -> None:
    labels = b"/PageLabels<</Nums[0<</S/r>>2<</S/D/P(A-)>>]>>"
    data = build_pdf(PageSpec(), PageSpec(), PageSpec(), catalog=labels)
    assert [page.label for page in extract(data, engine="pdfium").pages] == ["i", "ii", "A-1"]
    assert not extract(TWO_PAGES, engine="pdfium").repaired
    assert extract(TWO_PAGES.replace(b"startxref\n", b"startxref\n9"), engine="pdfium").repaired


def test_a_page_that_cannot_be_loaded_is_reported_and_the_others_are_read() -> None:
    broken = TWO_PAGES.replace(b"/Kids[4 0 R 6 0 R 8 0 R]", b"/Kids[4 0 R 3 0 R 8 0 R]")
    extraction = extract(broken, engine="pdfium")
    assert extraction.text.text.startswith("One line\nand another\f")
    assert extraction.text.text.endswith("Last page\f")
    assert len(extraction.pages) == 3


def test_only_the_pages_asked_for_are_read() -> None:
    engine = load_engine("pdfium")
    whole = extract(TWO_PAGES, engine="pdfium")
    some = engine.read(whole.document, TWO_PAGES, Limits(), only=frozenset({3}))
    assert some.text.text == "\f\fLast page\f"
    assert len(some.pages) == 3


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", EmptyDocumentError),
        (build_pdf(), EmptyDocumentError),
        (b"%PDF-1.7\nnothing here", BrokenDocumentError),
        (lock_pdf(TWO_PAGES), EncryptedDocumentError),
        (lock_pdf(TWO_PAGES).replace(b"/Filter/Standard", b"/Filter/Unknown!"), ExtractionError),
    ],
)
def test_each_refusal_is_of_its_class(data: bytes, error: type[ExtractionError]) -> None:
    with pytest.raises(error) as caught:
        extract(data, filename="a.pdf", engine="pdfium")
    assert caught.value.message.startswith("Expected ")
    assert caught.value.hint.endswith(".")


@pytest.mark.parametrize(
    ("limits", "what"),
    [(Limits(max_pages=2), "pages"), (Limits(max_characters=20), "characters")],
)
def test_too_much_is_refused_and_the_very_limit_is_not(limits: Limits, what: str) -> None:
    with pytest.raises(LimitExceededError, match=what):
        extract(TWO_PAGES, engine="pdfium", limits=limits)
    characters = len(extract(TWO_PAGES, engine="pdfium").text)
    just = Limits(max_pages=3, max_characters=characters)
    assert len(extract(TWO_PAGES, engine="pdfium", limits=just).text) == characters


def test_ocr_is_refused_by_name() -> None:
    with pytest.raises(OcrUnavailableError, match="pdfium"):
        extract(TWO_PAGES, engine="pdfium", ocr=OcrChoice())


def _pack(data: list[bytes], packed: range) -> bytes:
    """The same objects, some of them in a compressed object stream."""
    plain = write_objects(data)
    bodies = [data[number - 1] for number in packed]
    places = [sum(len(body) + 1 for body in bodies[:i]) for i in range(len(bodies))]
    index = b" ".join(b"%d %d" % pair for pair in zip(packed, places, strict=True)) + b"\n"
    stream = zlib.compress(index + b"\n".join(bodies))
    head = b"%%PDF-1.7\n%s" % plain[9:15]
    out, rows = bytearray(head), [(0, 0, 65535)]
    pack_number, table_number = len(data) + 1, len(data) + 2
    for number, body in enumerate(data, 1):
        if number in packed:
            rows.append((2, pack_number, number - packed.start))
            continue
        rows.append((1, len(out), 0))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    rows.append((1, len(out), 0))
    out += b"%d 0 obj\n<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>stream\n" % (
        pack_number,
        len(bodies),
        len(index),
        len(stream),
    )
    out += stream + b"\nendstream\nendobj\n"
    start = len(out)
    rows.append((1, start, 0))
    table = b"".join(
        kind.to_bytes(1, "big") + where.to_bytes(4, "big") + more.to_bytes(2, "big")
        for kind, where, more in rows
    )
    out += b"%d 0 obj\n<</Type/XRef/Size %d/W[1 4 2]/Root 1 0 R/Length %d>>stream\n" % (
        table_number,
        table_number + 1,
        len(table),
    )
    return bytes(out + table + b"\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n" % start)


@pytest.mark.parametrize(("unit", "wanted"), [(b"2.5", 2.5), (b"6 0 R", 3.0), (b"-1", 1.0)])
def test_a_user_unit_is_found_in_compressed_objects_too(unit: bytes, wanted: float) -> None:
    content = text_at(150, 250, "A") + b"% /UserUnit 7"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[4 0 R]/Count 1/MediaBox[0 0 600 800]>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Type/Page/Parent 2 0 R/Contents 5 0 R/Resources<</Font<</F1 3 0 R>>>>/UserUnit %s>>"
        % unit,
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"3",
    ]
    packed = _pack(objects, range(1, 5))
    assert unit == b"6 0 R" or b"/UserUnit " + unit not in packed
    for data in (write_objects(objects), packed):
        extraction = extract(data, engine="pdfium")
        frame = extraction.pages[0].frame
        assert frame is not None
        assert frame.user_unit == wanted
        (mark,) = locate_span(extraction, Span(0, 1))
        assert mark.quads[0].ll[0] == pytest.approx(150, abs=0.02)


def test_the_pipeline_names_both_versions_and_what_makes_the_text() -> None:
    pipeline = extract(TWO_PAGES, engine="pdfium").pipeline
    assert pipeline.name == f"pypdfium2@{versions()['pypdfium2']}+canon-1+glyphs-1"
    for setting in ('"system_fonts":false', f'"pdfium":"{versions()["pdfium"]}"', '"ocr":null'):
        assert setting in pipeline.config_json


def test_nothing_of_it_needs_pymupdf() -> None:
    code = (
        "import sys; sys.modules['pymupdf'] = None;"
        "from spanproof.ingest import extract;"
        "from spanproof.ingest.render import annotate_pdf, render_page;"
        "data = sys.stdin.buffer.read();"
        "sys.stdout.write(extract(data, engine='pdfium').text.text);"
        "render_page(data, 1, engine='pdfium'); annotate_pdf(data, {}, engine='pdfium')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=TWO_PAGES, capture_output=True, check=True
    )
    assert done.stdout == b"One line\nand another\f\fLast page\f"
