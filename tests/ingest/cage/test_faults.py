"""What goes wrong in a child costs one request a typed error, and nothing else."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spanproof.core.documents.document import Extraction
from spanproof.core.errors import (
    BrokenDocumentError,
    ExtractionError,
    LimitExceededError,
    SettingsError,
    SpanproofError,
)
from spanproof.ingest import Limits
from spanproof.ingest.sandbox import Parser
from tests.engines import ENGINE
from tests.ingest.cage.bombs import BOMBS, million_kids, overprint
from tests.ingest.pdf_bytes import PageSpec, build_pdf, text_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DATA = build_pdf(PageSpec(content=text_at(72, 700, "In a cage")))
#: A bomb is a matter of seconds and of the child's memory, not of ours.
MOST_SECONDS = 30.0
MOST_GROWTH = 200 << 20
#: These are read for seconds before they end.
HEAVY = {"overprint", "flate_bomb"}


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with Parser(Limits(seconds=20, memory_bytes=1 << 30)) as opened:
        opened.extract(DATA)
        yield opened


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.long if name in HEAVY else ()) for name in BOMBS],
)
def test_a_bomb_ends_in_time_and_the_next_request_works(parser: Parser, name: str) -> None:
    data = BOMBS[name]()
    before, began = _resident_bytes(), time.monotonic()
    try:
        found: Extraction | SpanproofError = parser.extract(data)
    except ExtractionError as error:
        found = error
    assert time.monotonic() - began < MOST_SECONDS
    assert isinstance(found, Extraction) or found.hint
    assert _resident_bytes() - before < MOST_GROWTH
    assert parser.extract(DATA).text.text == "In a cage\f"


def test_the_overprinted_bomb_is_small() -> None:
    assert len(overprint(3.3)) < 20_000


@pytest.mark.long
def test_fewer_pages_than_claimed_are_refused_by_their_number() -> None:
    with Parser(Limits(max_pages=10)) as strict, pytest.raises(ExtractionError):
        strict.extract(million_kids())


def test_a_page_that_ends_the_parser_is_an_error_and_the_others_are_read(
    probing_parser: Parser,
) -> None:
    pages = [PageSpec(content=text_at(72, 700, f"Page {number}")) for number in range(1, 6)]
    data = build_pdf(*pages) + b"\n%CRASH-AT 2 4\n"
    extraction = probing_parser.extract(data)
    assert [page.status for page in extraction.pages] == ["ok", "error", "ok", "error", "ok"]
    assert extraction.text.text == "Page 1\f\fPage 3\f\fPage 5\f"
    assert "SIGSEGV" in str(extraction.pages[1].problem)
    assert extraction.sandbox == "landlock+seccomp"


def test_more_such_pages_than_three_are_left_to_the_second_engine(probing_parser: Parser) -> None:
    pages = [PageSpec(content=text_at(72, 700, f"Page {number}")) for number in range(1, 7)]
    data = build_pdf(*pages) + b"\n%CRASH-AT 1 2 3 4\n"
    if ENGINE == "mupdf":
        assert probing_parser.extract(data).pipeline.name.startswith("pypdfium2@")
    else:
        with pytest.raises(BrokenDocumentError, match="SIGSEGV"):
            probing_parser.extract(data)
    assert probing_parser.extract(DATA).text.text == "In a cage\f"


@pytest.mark.long
def test_a_zygote_that_is_killed_is_replaced() -> None:
    with Parser() as parser:
        parser.extract(DATA)
        killed = parser._cage._zygotes[ENGINE].pid
        os.kill(killed, signal.SIGKILL)
        assert parser.extract(DATA).text.text == "In a cage\f"
        assert parser._cage._zygotes[ENGINE].pid != killed


def test_a_spare_child_that_is_killed_at_rest_is_no_documents_fault() -> None:
    with Parser() as parser:
        parser.extract(DATA)
        zygote = parser._cage._zygotes[ENGINE].pid
        (spare,) = _wait_for_one_child(zygote)
        os.kill(spare, signal.SIGKILL)
        assert parser.extract(DATA).text.text == "In a cage\f"
        assert parser._cage._zygotes[ENGINE].pid == zygote


def test_no_process_outlives_its_parser() -> None:
    parser = Parser()
    parser.extract(DATA)
    zygote = parser._cage._zygotes[ENGINE].pid
    family = [zygote, *_wait_for_one_child(zygote)]
    parser.close()
    for pid in family:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.long
def test_closing_ends_what_is_being_read_and_starts_nothing_anew() -> None:
    parser = Parser(Limits(seconds=60))
    parser.extract(DATA)
    zygote = parser._cage._zygotes[ENGINE].pid
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(parser.extract, overprint(18))
        _wait_for(lambda: len(_children_of(zygote)) > 1)
        began = time.monotonic()
        parser.close()
        with pytest.raises(SettingsError, match="closed while it read"):
            reading.result()
    assert time.monotonic() - began < 5
    assert parser.zygotes == ()
    assert parser.extract(DATA).text.text == "In a cage\f"
    parser.close()


def test_a_parser_that_cannot_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with Parser() as parser, pytest.raises(SettingsError, match="starts"):
        parser.extract(DATA)


@pytest.mark.long
def test_a_document_that_takes_too_long_is_refused_in_time() -> None:
    with Parser(Limits(seconds=1)) as short:
        short.extract(DATA)
        began = time.monotonic()
        with pytest.raises(LimitExceededError, match="1 s"):
            short.extract(overprint(18))
        assert time.monotonic() - began < 10
        assert short.extract(DATA).text.text == "In a cage\f"


@pytest.mark.long
def test_a_document_that_needs_too_much_memory_is_refused() -> None:
    with Parser(Limits(memory_bytes=64 << 20)) as small:
        small.extract(DATA)
        if ENGINE == "mupdf":
            # pdfium folds glyphs printed over one another, and reads this one.
            with pytest.raises((LimitExceededError, BrokenDocumentError)):
                small.extract(overprint(6))
        with pytest.raises((LimitExceededError, BrokenDocumentError)):
            small.extract(DATA + bytes(90 << 20))
        assert small.extract(DATA).text.text == "In a cage\f"


@pytest.mark.long
def test_files_and_processes_stay_as_many_after_many_documents(parser: Parser) -> None:
    _check_flat(parser, 60)


@pytest.mark.slow
def test_files_and_processes_stay_as_many_after_a_thousand_documents(parser: Parser) -> None:
    _check_flat(parser, 1000)


def _check_flat(parser: Parser, documents: int) -> None:
    parser.extract(DATA)
    # The other engine, which is asked for what this one refuses, stands from now on too.
    with pytest.raises(ExtractionError):
        parser.extract(b"%PDF-1.4 broken")
    zygote = parser._cage._zygotes[ENGINE].pid
    _wait_for_one_child(zygote)
    before = _count_settled(zygote)
    for number in range(documents):
        if number % 3:
            parser.extract(DATA)
        else:
            with pytest.raises(ExtractionError):
                parser.extract(b"%PDF-1.4 broken")
    _wait_for(lambda: _count(zygote) == before)
    assert _count(zygote) == before


def _count(zygote: int) -> tuple[int, int, int]:
    """Our open files, the zygote's, and its children."""
    ours = len([*Path("/proc/self/fd").iterdir()])
    theirs = len([*Path(f"/proc/{zygote}/fd").iterdir()])
    return ours, theirs, len(_children_of(zygote))


def _count_settled(zygote: int) -> tuple[int, int, int]:
    """The same, once it has stayed as it is for half a second: a child that starts holds more."""
    counted = _count(zygote)
    alike = 0
    while alike < 10:
        time.sleep(0.05)
        now = _count(zygote)
        alike = alike + 1 if now == counted else 0
        counted = now
    return counted


def _children_of(pid: int) -> list[int]:
    """Its children, those too that are dead and not yet buried."""
    return [*map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split())]


def _wait_for_one_child(pid: int) -> list[int]:
    """The spare one: those that worked are buried."""
    _wait_for(lambda: len(_children_of(pid)) == 1)
    children = _children_of(pid)
    assert len(children) == 1
    return children


def _wait_for(is_there: Callable[[], bool]) -> None:
    """Wait until it is so, or a while."""
    deadline = time.monotonic() + 10
    while not is_there() and time.monotonic() < deadline:
        time.sleep(0.02)


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize()
