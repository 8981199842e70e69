from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from bench.corpus.report import INVARIANTS, CorpusFile, CorpusReport
from bench.corpus.run import check_corpus
from bench.corpus.view import to_markdown
from bench.invariants.caged import CheckingParser
from bench.invariants.document import INVARIANTS_OF
from bench.invariants.finding import Finding, Violation
from spanproof.core.errors import InputError, LimitExceededError
from spanproof.core.span import Span
from tests.ingest.drawn_pdf import show, write_pdf
from tests.ingest.pdf_bytes import PageSpec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bench.invariants.document import Family

FULL = b"".join(show(f"line {i} of a page with words", 60, 760 - 14 * i) for i in range(50))
PDF = write_pdf(PageSpec(content=FULL), PageSpec(content=FULL))


@pytest.fixture(scope="module")
def parser() -> Iterator[CheckingParser]:
    """One for all tests of this module: starting its processes takes seconds."""
    with CheckingParser(workers=2) as started:
        yield started


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents that are read, one in a folder below, and one that is refused."""
    root = tmp_path / "corpus"
    (root / "below").mkdir(parents=True)
    (root / "full.pdf").write_bytes(PDF)
    (root / "below" / "words.txt").write_text("Some words.\n", encoding="utf-8")
    (root / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing of a file")
    return root


def _report(*files: CorpusFile) -> CorpusReport:
    return CorpusReport(
        taken_at=datetime(2026, 11, 21, tzinfo=UTC),
        engine="mupdf",
        cage="limits",
        workers=2,
        files=files,
        seconds=1.0,
    )


def _file(*findings: Finding, path: str = "a.pdf") -> CorpusFile:
    return CorpusFile(path=path, status="ok", media_type="application/pdf", findings=findings)


@pytest.mark.long
def test_a_folder_is_read_and_held_against_every_invariant(
    parser: CheckingParser, folder: Path
) -> None:
    started: list[int] = []
    done: list[str] = []
    report = check_corpus(
        parser,
        folder,
        on_start=started.append,
        on_file=lambda file: done.append(file.path),
    )
    assert started == [3]
    assert done == ["below/words.txt", "broken.pdf", "full.pdf"]
    assert report.statuses() == {"ok": {"-": 2}, "degraded": {}, "refused": {"DOCUMENT_BROKEN": 1}}
    assert report.is_met, report.violations
    assert not report.skips
    rows = {row.invariant: row for row in report.rows}
    assert list(rows) == list(INVARIANTS)
    without_a_case = {name for name, row in rows.items() if not row.checked}
    # Neither document has a block.
    assert without_a_case == {"I10"}
    assert rows["I4"].checked == 2
    assert rows["I14"].files == 1


def test_a_sample_is_spread_evenly(parser: CheckingParser, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for turn in range(9):
        (folder / f"{turn}.txt").write_text("Some words.\n", encoding="utf-8")
    report = check_corpus(parser, folder, sample=3)
    assert [file.path for file in report.files] == ["0.txt", "3.txt", "6.txt"]


class _ShyParser(CheckingParser):
    """A parser that is late whenever it is asked to draw."""

    def check_invariants(
        self, data: bytes, families: Sequence[Family], *, filename: str | None = None
    ) -> tuple[Finding, ...]:
        if "pictures" in families:
            raise LimitExceededError("Expected a page that is drawn in time.", hint="-")
        return super().check_invariants(data, families, filename=filename)


@pytest.mark.long
def test_a_check_that_takes_too_long_costs_itself_and_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "words.pdf").write_bytes(write_pdf(PageSpec(content=show("Words.", 60, 700))))
    with _ShyParser() as shy:
        report = check_corpus(shy, folder)
    assert report.skips == (("words.pdf", "I15", "Expected a page that is drawn in time."),)
    checked = {row.invariant for row in report.rows if row.checked}
    assert checked == set(INVARIANTS) - {"I10", "I14", "I15"}


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_a_folder_without_files_is_refused(
    parser: CheckingParser, tmp_path: Path, name: str
) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="Expected a folder with files"):
        check_corpus(parser, tmp_path / name)


def test_one_violation_misses_a_target_of_none() -> None:
    violation = Violation(invariant="I9", detail="a|b\n<i>[x](y)", page=2, span=Span(3, 4))
    sound = Finding.of("characters", 1000, (), invariant="I9")
    broken = Finding.of("characters", 1000, (violation,), invariant="I9")
    assert _report(_file(sound)).is_met
    report = _report(_file(sound), _file(broken, path="b.pdf"))
    assert not report.is_met
    assert [row.word for row in report.rows if row.checked] == ["missed"]
    assert report.violations == (("b.pdf", violation),)
    page = to_markdown(report, command="python -m bench.corpus documents")
    # What a document holds neither ends a cell nor a row, and is no markup.
    assert "| I9 | b.pdf | page 2, 3..4 | a&#124;b\ufffd&#60;i>&#91;x&#93;(y) |" in page


@pytest.mark.parametrize(("violated", "met"), [(10, True), (11, False)])
@pytest.mark.parametrize("invariant", ["I7", "I16"])
def test_a_share_of_ninety_nine_in_a_hundred_is_enough(
    invariant: str, violated: int, met: bool
) -> None:
    finding = Finding(invariant=invariant, unit="spans", checked=1000, violated=violated)
    assert _report(_file(finding)).is_met is met


def test_ink_is_reported_and_held_to_nothing() -> None:
    finding = Finding(invariant="I15", unit="runs", checked=10, violated=9)
    assert _report(_file(finding)).is_met
    assert [row.word for row in _report(_file(finding)).rows if row.checked] == ["reported"]


def test_nothing_checked_is_not_a_pass() -> None:
    assert not _report().is_met
    refused = CorpusFile(path="a.pdf", status="refused", code="DOCUMENT_BROKEN")
    assert not _report(refused).is_met
    assert not _report(_file(Finding.skip("I12", "pages", "cannot be written"))).is_met


def test_a_check_that_could_not_be_made_is_told() -> None:
    skipped = Finding.skip("I12", "pages", "cannot be written")
    report = _report(_file(Finding.of("pages", 3, (), invariant="I11"), skipped))
    assert report.skips == (("a.pdf", "I12", "cannot be written"),)
    assert "cannot be written" in to_markdown(report, command="-")


def test_counts_are_added_up_and_the_farthest_is_kept() -> None:
    first = Finding.of("pages", 1, (), invariant="I12", counts={"farthest, 1/1000": 7, "n": 1})
    second = replace(first, counts={"farthest, 1/1000": 5, "n": 2})
    (row,) = (row for row in _report(_file(first), _file(second)).rows if row.checked)
    assert row.counts == {"farthest, 1/1000": 7, "n": 3}


def test_every_invariant_is_found_by_some_check_and_only_once() -> None:
    found = [name for names in INVARIANTS_OF.values() for name in names]
    assert sorted([*found, "I4"]) == sorted(INVARIANTS)
