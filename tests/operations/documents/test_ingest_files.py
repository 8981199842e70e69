from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import SandboxUnavailableError
from spanproof.ingest.sandbox import Parser
from spanproof.operations.assembly import open_context
from spanproof.operations.documents.ingest import ingest_files
from tests.contexts import with_parts
from tests.ingest.cage.bombs import overprint
from tests.sources import make_pdf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.operations.context import Context
    from spanproof.operations.settings import Settings


@pytest.fixture(scope="module")
def two_readers() -> Iterator[Parser]:
    """A parser that reads two documents at once."""
    with Parser(workers=2) as parser:
        yield parser


@pytest.fixture
def two_at_once(settings: Settings, two_readers: Parser) -> Iterator[Context]:
    """A context with that parser, whose home is fresh."""
    with open_context(settings.model_copy(update={"workers": 2}), parser=two_readers) as context:
        yield context


def _write(folder: Path, count: int) -> list[Path]:
    paths = []
    for number in range(count):
        path = folder / f"{number:02}.txt"
        # The first are the longest: they would come last, were the order that of being done.
        path.write_text(f"Document {number}. " * (20_000 if number < 2 else 1), encoding="utf-8")
        paths.append(path)
    return paths


def test_reports_come_in_the_order_of_the_paths(two_at_once: Context, tmp_path: Path) -> None:
    paths = _write(tmp_path, 8)
    done: list[int] = []
    lock = threading.Lock()

    def count() -> None:
        with lock:
            done.append(1)

    reports = list(ingest_files(two_at_once, paths, on_done=count))
    assert [report.path for report in reports] == [str(path) for path in paths]
    assert {report.status for report in reports} == {"ok"}
    assert len(done) == len(paths)


def test_one_bad_file_never_stops_the_others(two_at_once: Context, tmp_path: Path) -> None:
    good = tmp_path / "good.pdf"
    good.write_bytes(make_pdf())
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.4 broken")
    empty = tmp_path / "empty.txt"
    empty.touch()
    nowhere = tmp_path / "nowhere.txt"
    # Opens and cannot be read.
    bad = [broken, empty, nowhere, tmp_path]
    paths = [path for one in bad for path in (one, good)]
    reports = list(ingest_files(two_at_once, paths))
    assert [report.status for report in reports] == ["refused", "ok"] * len(bad)
    assert all(report.problem for report in reports[::2])


@pytest.mark.skipif(os.name != "posix", reason="names that are no text exist on POSIX only")
def test_a_name_that_is_no_text_is_ingested(two_at_once: Context, tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt")
    with open(path, "wb") as file:  # noqa: PTH123 - bytes of the name matter
        file.write(b"A sentence.")
    (report,) = ingest_files(two_at_once, [tmp_path / os.path.basename(path)])  # noqa: PTH119
    assert report.status == "ok"


def test_a_second_run_stores_nothing(two_at_once: Context, tmp_path: Path) -> None:
    paths = _write(tmp_path, 6)
    first = list(ingest_files(two_at_once, paths))
    again = list(ingest_files(two_at_once, paths))
    assert [report.is_new for report in first] == [True] * 6
    assert [report.is_new for report in again] == [False] * 6
    assert [r.extraction_id for r in again] == [r.extraction_id for r in first]


@pytest.mark.long
def test_whoever_stops_early_waits_for_no_document(settings: Settings, tmp_path: Path) -> None:
    paths = _write(tmp_path, 1)
    for number in range(3):
        path = tmp_path / f"slow{number}.pdf"
        path.write_bytes(overprint(18) + b"%%%d" % number)
        paths.append(path)
    # A parser of its own: the slow documents would hold up other tests.
    with open_context(settings.model_copy(update={"workers": 2})) as context:
        reports = ingest_files(context, paths)
        assert next(reports).status == "ok"
        began = time.monotonic()
        reports.close()
        assert time.monotonic() - began < 5


def test_of_the_same_bytes_at_the_same_moment_one_is_new(
    two_at_once: Context, tmp_path: Path
) -> None:
    paths = []
    for number in range(12):
        path = tmp_path / f"{number:02}.txt"
        # Equal in pairs: the two readers take both of a pair at once.
        path.write_text(f"Pair {number // 2}.", encoding="utf-8")
        paths.append(path)
    reports = list(ingest_files(two_at_once, paths))
    assert [a.is_new + b.is_new for a, b in zip(reports[::2], reports[1::2], strict=True)] == [
        1
    ] * 6


def test_what_is_not_one_files_fault_ends_the_run(two_at_once: Context, tmp_path: Path) -> None:
    with Parser(cage="required", without=["landlock"]) as parser:
        without = with_parts(two_at_once, parser=parser)
        with pytest.raises(SandboxUnavailableError):
            list(ingest_files(without, _write(tmp_path, 4)))
