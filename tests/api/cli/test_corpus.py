from __future__ import annotations

from typing import TYPE_CHECKING

from tests.ingest.drawn_pdf import show, write_pdf
from tests.ingest.pdf_bytes import PageSpec

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.cli.program import Program


def test_a_corpus_is_checked_told_and_written_down(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    pages = (PageSpec(content=show("Some words.", 72, 700)), PageSpec())
    (folder / "words.pdf").write_bytes(write_pdf(*pages))
    page = tmp_path / "corpus.md"
    done = program.run("doctor", "--corpus", folder, "--output", page, "--json")
    assert done.code == 0
    assert done.body["met"] is True
    assert done.body["files"] == 1
    assert [row["invariant"] for row in done.body["invariants"]][:3] == ["I1", "I2", "I3"]
    written = page.read_text(encoding="utf-8")
    assert "Command: `spanproof doctor --corpus papers`" in written
    assert str(tmp_path) not in written
    assert "| I1 | every character has exactly one owner | 1 |" in written


def test_a_corpus_that_nobody_can_read_is_a_failure(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing of a file")
    done = program.run("doctor", "--corpus", folder)
    assert done.code == 1
    assert b"1 refused" in done.stdout


def test_a_sample_without_a_corpus_is_malformed(program: Program) -> None:
    done = program.run("doctor", "--sample", "3")
    assert done.code == 2
    assert "Expected --corpus DIR" in done.require_one_line("MALFORMED_INPUT")
