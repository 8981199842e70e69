from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from spanproof.core.documents.extraction_record import from_record, to_record
from spanproof.core.documents.layout import CharFlag
from spanproof.core.documents.locate import locate_span
from spanproof.core.errors import (
    BrokenDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    ExtractionError,
    LimitExceededError,
    UnsupportedMediaTypeError,
)
from spanproof.core.span import Span
from spanproof.ingest import Limits, extract
from spanproof.ingest.engine.mupdf.library import load_pymupdf
from tests.engines import ENGINE, ENGINES, needs_mupdf
from tests.ingest.pdf_bytes import PageSpec, build_pdf, lock_pdf, text_at

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction

TWO_PAGES = build_pdf(
    PageSpec(content=text_at(72, 700, "One line") + text_at(72, 600, "and another")),
    PageSpec(),
    PageSpec(content=text_at(72, 700, "Last page")),
)


def _flags(extraction: Extraction, offset: int) -> CharFlag:
    assert extraction.layout is not None
    return CharFlag(int(extraction.layout.flags[offset]))


def test_lines_are_joined_by_newlines_and_every_page_ends_with_a_form_feed() -> None:
    extraction = extract(TWO_PAGES)
    assert extraction.text.text == "One line\nand another\f\fLast page\f"
    assert [page.span for page in extraction.pages] == [Span(0, 21), Span(21, 22), Span(22, 32)]
    assert [page.text_source for page in extraction.pages] == [
        "born_digital",
        "none",
        "born_digital",
    ]


def test_a_page_reads_the_same_whatever_stands_around_it() -> None:
    alone = extract(build_pdf(PageSpec(content=text_at(72, 700, "Last page"))))
    together = extract(TWO_PAGES)
    assert alone.text.text == together.text.slice(together.pages[2].span)


def test_hidden_text_is_kept_and_flagged() -> None:
    data = build_pdf(
        PageSpec(content=text_at(72, 700, "Seen") + text_at(72, 600, "un seen", mode=3))
    )
    extraction = extract(data)
    assert extraction.text.text == "Seen\nun seen\f"
    assert _flags(extraction, 0) == CharFlag(0)
    # pdfium draws every page, and so sees that nothing else stands there either.
    drawn = CharFlag.CONCEALED if ENGINE == "pdfium" else CharFlag(0)
    assert _flags(extraction, 5) == CharFlag.INVISIBLE | drawn
    # White space has no ink that could be hidden.
    assert _flags(extraction, 7) == CharFlag(0)
    assert extraction.pages[0].counts.invisible == 6
    assert extraction.pages[0].status == "degraded"


def test_hidden_text_over_a_covering_image_is_an_ocr_layer() -> None:
    image = (
        b"<</Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray"
        b"/Length 1>>stream\n\x80\nendstream"
    )
    content = b"q 600 0 0 800 0 0 cm /I Do Q\n" + text_at(72, 600, "scanned words", mode=3)
    data = build_pdf(
        PageSpec(content=content, entries=b"/Resources<</XObject<</I 6 0 R>>/Font<</F1 3 0 R>>>>"),
        extra=(image,),
    )
    extraction = extract(data)
    assert extraction.text_source == "ocr_layer"
    assert extraction.pages[0].status == "ok"
    assert not extraction.is_ocr


def test_a_gap_becomes_a_synthetic_space_without_a_box() -> None:
    content = b"BT /F1 20 Tf 100 400 Td (left) Tj 36 0 Td (right) Tj ET"
    extraction = extract(build_pdf(PageSpec(content=content)))
    assert extraction.text.text == "left right\f"
    assert _flags(extraction, 4) == CharFlag.SYNTHETIC
    assert locate_span(extraction, Span(4, 5)) == ()
    (whole,) = locate_span(extraction, Span(0, 10))
    assert len(whole.quads) == 1


def test_the_same_bytes_give_the_same_identity_in_a_fresh_process() -> None:
    code = (
        "import sys; from spanproof.ingest import extract;"
        f"sys.stdout.write(str(extract(sys.stdin.buffer.read(), engine={ENGINE!r}).extraction_id))"
    )
    fresh = subprocess.run(
        [sys.executable, "-c", code], input=TWO_PAGES, capture_output=True, check=True
    )
    assert fresh.stdout.decode() == str(extract(TWO_PAGES).extraction_id)


@needs_mupdf
def test_the_pipeline_names_both_engine_versions_and_no_limit() -> None:
    pymupdf = load_pymupdf()
    pipeline = extract(TWO_PAGES).pipeline
    assert pipeline.name == f"pymupdf@{pymupdf.VersionBind}+canon-1+flags-3+glyphs-1"
    assert f'"mupdf":"{pymupdf.mupdf_version}"' in pipeline.config_json
    assert "max_" not in pipeline.config_json
    narrow = extract(TWO_PAGES, limits=Limits(max_pages=3, max_characters=100))
    assert narrow.pipeline == pipeline


@needs_mupdf
def test_saving_the_document_again_leaves_its_text_and_layout_alone() -> None:
    with load_pymupdf().open(stream=TWO_PAGES, filetype="pdf") as opened:
        saved = opened.tobytes(garbage=3, deflate=True)
    first, second = extract(TWO_PAGES), extract(saved)
    assert first.document.doc_hash != second.document.doc_hash
    assert first.text == second.text
    assert first.layout is not None
    assert second.layout is not None
    assert first.layout.to_bytes() == second.layout.to_bytes()


def test_labels_and_repair_are_recorded() -> None:
    labels = b"/PageLabels<</Nums[0<</S/r>>2<</S/D/P(A-)>>]>>"
    data = build_pdf(PageSpec(), PageSpec(), PageSpec(), catalog=labels)
    assert [page.label for page in extract(data).pages] == ["i", "ii", "A-1"]
    assert [page.label for page in extract(TWO_PAGES).pages] == [None, None, None]
    assert extract(TWO_PAGES.replace(b"startxref\n", b"startxref\n9")).repaired
    assert not extract(TWO_PAGES).repaired


def test_a_page_that_raises_is_reported_and_the_others_are_read() -> None:
    broken = TWO_PAGES.replace(
        b"/Kids[4 0 R 6 0 R 8 0 R]/Count 3", b"/Kids[4 0 R 2 0 R 8 0 R]/Count 3"
    )
    extraction = extract(broken)
    assert extraction.pages[0].status == "ok"
    failed = next(page for page in extraction.pages if page.status == "error")
    assert failed.problem is not None
    assert "Expected a readable page" in failed.problem
    assert extraction.text.text.startswith("One line\nand another\f")


def test_undecodable_glyphs_are_said_to_be_so() -> None:
    font = (
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding"
        b"/Differences[65/glyphone/glyphtwo]>>>>"
    )
    extraction = extract(build_pdf(PageSpec(content=text_at(72, 700, "AB")), font=font))
    assert extraction.pages[0].counts.unmapped == 2
    assert extraction.text.text == "��\f"
    # pdfium draws nothing for a glyph that the font does not have, and says that too.
    blank = CharFlag.INVISIBLE | CharFlag.CONCEALED if ENGINE == "pdfium" else CharFlag(0)
    assert _flags(extraction, 0) == CharFlag.UNMAPPED | blank
    assert extraction.pages[0].status == "degraded"


@needs_mupdf
def test_an_empty_user_password_opens_and_is_remembered() -> None:
    pymupdf = load_pymupdf()
    with pymupdf.open(stream=TWO_PAGES, filetype="pdf") as opened:
        saved = opened.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner")
    assert extract(saved).text == extract(TWO_PAGES).text
    for engine in ENGINES:
        assert extract(saved, engine=engine).encrypted
        assert not extract(TWO_PAGES, engine=engine).encrypted


@pytest.mark.parametrize(
    ("data", "filename", "error"),
    [
        (b"", "a.pdf", EmptyDocumentError),
        (build_pdf(), "a.pdf", EmptyDocumentError),
        (b"%PDF-1.7\nnothing here", "a.pdf", BrokenDocumentError),
        (b"Plain text.", "a.pdf", UnsupportedMediaTypeError),
        (b"a\x00b", "a.txt", UnsupportedMediaTypeError),
        (b"PK\x03\x04rest", "a.docx", UnsupportedMediaTypeError),
        (b"PK\x03\x04rest", "a.pdf", UnsupportedMediaTypeError),
        (b"<html></html>", "a.html", EmptyDocumentError),
    ],
)
def test_each_refusal_has_its_class_a_code_and_one_next_step(
    data: bytes, filename: str, error: type[ExtractionError]
) -> None:
    with pytest.raises(error) as caught:
        extract(data, filename=filename)
    assert type(caught.value) is error
    assert caught.value.message.startswith("Expected ")
    assert ", got " in caught.value.message
    assert caught.value.hint.endswith(".")


def test_a_locked_document_is_refused_as_encrypted() -> None:
    with pytest.raises(EncryptedDocumentError, match="without a password"):
        extract(lock_pdf(TWO_PAGES))


@pytest.mark.parametrize(
    ("limits", "what"),
    [
        (Limits(max_bytes=100), "bytes"),
        (Limits(max_pages=2), "pages"),
        (Limits(max_characters=20), "characters"),
    ],
)
def test_too_much_of_anything_is_refused(limits: Limits, what: str) -> None:
    with pytest.raises(LimitExceededError, match=what):
        extract(TWO_PAGES, limits=limits)


def test_a_page_without_text_is_no_refusal() -> None:
    extraction = extract(build_pdf(PageSpec(content=b"0 0 100 100 re f")))
    assert extraction.text_source == "none"
    assert extraction.text.text == "\f"


def test_importing_the_package_loads_no_pdf_engine() -> None:
    # A module that is missing stands as None.
    code = (
        "import sys, ingest;"
        "assert not any(sys.modules.get(name) for name in ('pymupdf', 'pypdfium2'))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_record_of_an_extraction_reads_back_the_same() -> None:
    extraction = extract(TWO_PAGES)
    record = to_record(extraction)
    again = from_record(record)
    assert to_record(again) == record
    assert again.extraction_id == extraction.extraction_id
    assert extraction.layout is not None
    assert again.layout is not None
    assert np.array_equal(again.layout.left, extraction.layout.left)
