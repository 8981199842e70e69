from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.citation import Quote
from spanproof.core.errors import InputError, LimitExceededError, UnsupportedMediaTypeError
from spanproof.core.span import Span
from spanproof.core.verdicts.status import ExistenceStatus
from spanproof.ingest import Limits, extract
from spanproof.store.documents.intake import collect_flags
from spanproof.verifier.quotes.existence import check_existence

if TYPE_CHECKING:
    from spanproof.core.documents.document import Extraction


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1))
def test_the_text_is_the_bytes(text: str) -> None:
    data = text.encode()
    if data.startswith((b"%PDF-", b"PK\x03\x04", b"{\\rtf", b"%!PS")):
        return
    assert extract(data).text.text == text


def test_no_newline_is_translated_and_a_byte_order_mark_stays() -> None:
    extraction = extract(codecs.BOM_UTF8 + b"one\r\ntwo\rthree\n", filename="a.md")
    assert extraction.text.text == "\ufeffone\r\ntwo\rthree\n"
    assert extraction.document.media_type == "text/markdown"
    assert extraction.pages[0].counts.ignorable == 1
    assert extraction.pages[0].span == Span(0, 16)
    assert extraction.pages[0].frame is None
    assert extraction.layout is None


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_needs_its_byte_order_mark(codec: str) -> None:
    assert extract("\ufeffGröße".encode(codec)).text.text == "\ufeffGröße"
    with pytest.raises(UnsupportedMediaTypeError):
        extract("Gr".encode(codec))


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(UnsupportedMediaTypeError, match="UTF-16"):
        extract(codecs.BOM_UTF16_LE + b"\x00\xd8a\x00")


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1252", "Gemäß § 5 endet der Vertrag. Über die Kündigung entscheidet die Gesellschaft."),
        ("cp1252", "L’accord est terminé. La société a réalisé un bénéfice de 4 500 €, dit-elle."),
        ("cp1251", "Договор заключён на срок до 2025 года. Цена составляет пять тысяч рублей."),
        ("koi8_r", "Договор заключен на срок до 2025 года. Цена составляет пять тысяч рублей."),
        ("cp932", "この契約は二〇二五年まで有効です。価格は五千円とする。"),
    ],
)
@pytest.mark.parametrize("filename", ["a.txt", "a.md", "a.csv", "a.html"])
def test_an_encoding_that_is_not_declared_is_guessed_and_said_to_be(
    codec: str, text: str, filename: str
) -> None:
    extraction = extract(text.encode(codec), filename=filename)
    cells = text.replace(",", "\t")
    assert extraction.text.text.rstrip("\f") in {text, cells}
    assert extraction.pipeline.guessed_encoding == codec
    assert extraction.pipeline.name.endswith(f"+guessed-{codec}")
    assert extraction.pages[0].status == "ok"
    assert collect_flags(extraction)["encoding_guessed"] is True
    existence, codes = check_existence(Quote(text=text[:20]), extraction, ())
    assert existence.status is ExistenceStatus.EXACT
    assert "ENCODING_GUESSED" in codes
    declared = f"{extraction.document.media_type}; charset={codec.replace('_', '-')}"
    known = extract(text.encode(codec), filename=filename, media_type=declared)
    assert known.text.text == extraction.text.text
    assert known.pipeline.guessed_encoding is None


@pytest.mark.parametrize("filename", ["a.txt", "a.csv", "a.html"])
def test_a_guess_from_too_little_text_makes_the_page_degraded(filename: str) -> None:
    page = extract("name Größe".encode("cp1252"), filename=filename).pages[0]
    assert page.status == "degraded"
    assert page.problem is not None
    assert page.problem.startswith("No encoding is declared: read as cp1252")


def test_one_sign_late_in_a_long_text_is_decoded_too() -> None:
    text = "The price was paid in full by the tenant, as agreed. " * 4000 + "Über 5 £ – “no”."
    extraction = extract(text.encode("cp1252"), filename="a.txt")
    assert extraction.text.text == text


@pytest.mark.parametrize("data", [bytes(range(14, 256)) * 4, b"\xff\xfe\x01 words"])
def test_bytes_that_fit_no_encoding_are_refused(data: bytes) -> None:
    with pytest.raises(UnsupportedMediaTypeError) as caught:
        extract(data, filename="a.txt")
    assert caught.value.hint.startswith("Convert the file to UTF-8")


@pytest.mark.parametrize(
    ("data", "charset"), [(b"Gr\xf6\xdfe", "utf-8"), (b"a\x81b", "cp1252"), (b"words", "x-none")]
)
def test_a_declared_charset_is_decoded_strictly(data: bytes, charset: str) -> None:
    with pytest.raises(UnsupportedMediaTypeError):
        extract(data, media_type=f"text/plain; charset={charset}")


def test_what_was_declared_chooses_among_texts_and_never_contradicts_the_bytes() -> None:
    def declared(media_type: str, data: bytes = b"# Title") -> Extraction:
        return extract(data, media_type=media_type)

    assert declared("text/markdown").document.media_type == "text/markdown"
    assert declared("text/plain; charset=utf-8").document.media_type == "text/plain"
    assert declared("application/octet-stream").document.media_type == "text/plain"
    with pytest.raises(UnsupportedMediaTypeError):
        declared("application/pdf")
    assert declared("text/html").document.media_type == "text/html"
    with pytest.raises(UnsupportedMediaTypeError):
        declared("image/png")


def test_prose_about_pdf_in_a_text_file_is_text() -> None:
    prose = b"A file begins with %PDF-1.7 as a rule."
    assert extract(prose, filename="a.txt").document.media_type == "text/plain"


def test_a_nul_far_into_the_text_is_found() -> None:
    with pytest.raises(UnsupportedMediaTypeError, match="NUL at character 5000"):
        extract(b"a" * 5000 + b"\x00", filename="a.txt")


def test_white_space_alone_is_no_text() -> None:
    assert extract(b" \n\t ", filename="a.txt").text_source == "none"


def test_too_many_characters_are_refused() -> None:
    with pytest.raises(LimitExceededError, match="characters"):
        extract(b"abcdef", limits=Limits(max_characters=5))


def test_a_limit_is_positive() -> None:
    with pytest.raises(InputError, match="max_pages"):
        Limits(max_pages=0)
