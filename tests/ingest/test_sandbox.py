from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from core.errors import (
    BrokenDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    LimitExceededError,
    PageNotFoundError,
    SettingsError,
    UnsupportedMediaTypeError,
)
from core.extraction_record import to_record
from core.geometry import Quad
from core.locate import locate_span
from core.span import Span
from ingest import Limits, extract
from ingest.exchange import error_from_head
from ingest.render import Highlight
from ingest.sandbox import Parser
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = build_pdf(PageSpec(content=text_at(72, 700, "In a cage")))


def _bomb(millions: int) -> bytes:
    """So many characters printed one over the other: seconds of work, gigabytes of boxes."""
    line = b"(%s) Tj\n" % (b"x" * 50_000)
    return build_pdf(PageSpec(content=b"BT /F1 1 Tf 10 10 Td\n" + line * (20 * millions) + b"ET"))


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with Parser() as opened:
        yield opened


def _child_pid(parser: Parser) -> int:
    assert parser._child is not None
    return parser._child._process.pid


def test_the_child_gives_what_the_function_gives(parser: Parser) -> None:
    assert to_record(parser.extract(DATA)) == to_record(extract(DATA))
    text = "Größe".encode()
    assert to_record(parser.extract(text, filename="a.md")) == to_record(
        extract(text, filename="a.md")
    )


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


def test_the_same_child_takes_the_next_document(parser: Parser) -> None:
    parser.extract(DATA)
    before = _child_pid(parser)
    with pytest.raises(BrokenDocumentError):
        parser.extract(b"%PDF-1.4 broken")
    parser.extract(DATA)
    assert _child_pid(parser) == before


def test_a_child_that_dies_is_reported_and_replaced(parser: Parser) -> None:
    parser.extract(DATA)
    killed = _child_pid(parser)
    # A crash while it works: the signal comes when the document has kept it busy for a moment.
    threading.Timer(0.5, os.kill, (killed, signal.SIGSEGV)).start()
    with pytest.raises(BrokenDocumentError, match="survives"):
        parser.extract(_bomb(18))
    assert parser.extract(DATA).text.text == "In a cage\f"
    assert _child_pid(parser) != killed
    with pytest.raises(ProcessLookupError):
        os.kill(killed, 0)


def test_a_child_that_died_at_rest_is_no_documents_fault(parser: Parser) -> None:
    parser.extract(DATA)
    killed = _child_pid(parser)
    os.kill(killed, signal.SIGKILL)
    os.waitid(os.P_PID, killed, os.WEXITED | os.WNOWAIT)
    assert parser.extract(DATA).text.text == "In a cage\f"


def test_a_parser_that_cannot_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with Parser() as parser, pytest.raises(SettingsError, match="starts"):
        parser.extract(DATA)


def test_a_document_that_takes_too_long_is_refused_in_time_and_the_next_call_works() -> None:
    with Parser(Limits(seconds=2)) as short:
        short.extract(DATA)
        began = time.monotonic()
        with pytest.raises(LimitExceededError, match="2 s"):
            short.extract(_bomb(18))
        assert time.monotonic() - began < 10
        assert short.extract(DATA).text.text == "In a cage\f"


def test_a_document_that_needs_too_much_memory_is_refused() -> None:
    with Parser(Limits(memory_bytes=512 << 20)) as small:
        small.extract(DATA)
        with pytest.raises((LimitExceededError, BrokenDocumentError)):
            small.extract(_bomb(6))
        assert small.extract(DATA).text.text == "In a cage\f"


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
