from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanproof.core.errors import InputError, LimitExceededError, UnsupportedMediaTypeError
from spanproof.core.span import Span
from spanproof.ingest import Limits, extract

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


def test_other_encodings_are_refused_with_the_byte_that_shows_it() -> None:
    with pytest.raises(UnsupportedMediaTypeError, match="at byte 2") as caught:
        extract(b"Gr\xf6\xdfe", filename="a.txt")
    assert caught.value.hint == "Convert the file to UTF-8."
    with pytest.raises(UnsupportedMediaTypeError, match="iso-8859-1 declared"):
        extract(b"Gr\xf6\xdfe", media_type="text/plain; charset=ISO-8859-1")


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
