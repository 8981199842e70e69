from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from spanproof.core.documents.extraction_record import to_record
from spanproof.core.documents.locate import locate_span
from spanproof.core.errors import (
    BrokenDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    LimitExceededError,
    PageNotFoundError,
    UnsupportedMediaTypeError,
)
from spanproof.core.geometry import Quad
from spanproof.core.span import Span
from spanproof.ingest import Limits, extract
from spanproof.ingest.cage.exchange import error_from_head
from spanproof.ingest.render import Highlight
from spanproof.ingest.sandbox import Parser
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = build_pdf(PageSpec(content=text_at(72, 700, "In a cage")))


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with Parser() as opened:
        yield opened


def test_the_child_gives_what_the_function_gives(parser: Parser) -> None:
    text = "Größe".encode()
    for data, filename in ((DATA, None), (text, "a.md")):
        level = parser.check_cage()
        read = replace(extract(data, filename=filename), sandbox=level)
        assert to_record(parser.extract(data, filename=filename)) == to_record(read)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", EmptyDocumentError),
        (b"a\x00b", UnsupportedMediaTypeError),
        (b"%PDF-1.4 broken", BrokenDocumentError),
    ],
)
def test_refusals_cross_with_their_class_and_hint(
    parser: Parser, data: bytes, error: type[Exception]
) -> None:
    with pytest.raises(error) as here:
        extract(data)
    with pytest.raises(error) as there:
        parser.extract(data)
    assert str(there.value) == str(here.value)


def test_too_many_bytes_never_reach_the_child() -> None:
    with Parser(Limits(max_bytes=10)) as small, pytest.raises(LimitExceededError, match="bytes"):
        small.extract(DATA)


def test_pictures_come_from_the_child_too(parser: Parser) -> None:
    (locator,) = locate_span(extract(DATA), Span(0, 9))
    mark = Highlight(quads=locator.quads, outcome="pass")
    assert parser.render_page(DATA, 1, [mark]).startswith(b"\x89PNG")
    assert b"/Highlight" in parser.annotate_pdf(DATA, {1: [mark]})
    with pytest.raises(PageNotFoundError):
        parser.render_page(DATA, 2)


def test_threads_take_turns(parser: Parser) -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(parser.extract(DATA).text.text))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["In a cage\f"] * 8


def test_a_highlight_crosses_unchanged() -> None:
    quad = Quad(ul=(0.5, 2.0), ur=(3.0, 2.0), lr=(3.0, 1.0), ll=(0.5, 1.0))
    mark = Highlight(quads=(quad,), outcome="fail")
    assert Highlight.from_json(mark.to_json()) == mark


def test_a_child_cannot_raise_what_it_likes() -> None:
    forged = error_from_head({"error": {"code": "STORE_INTEGRITY", "message": "m", "hint": "h"}})
    assert type(forged) is BrokenDocumentError
    known = error_from_head({"error": {"code": "DOCUMENT_ENCRYPTED", "message": "m", "hint": "h"}})
    assert type(known) is EncryptedDocumentError
    assert error_from_head({}) is None
