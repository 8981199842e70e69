from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from bench.corpus.__main__ import main
from tests.ingest.drawn_pdf import show, write_pdf
from tests.ingest.pdf_bytes import PageSpec

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder for documents."""
    made = tmp_path / "papers"
    made.mkdir()
    return made


@pytest.mark.long
def test_a_corpus_is_checked_printed_and_written_down(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = (PageSpec(content=show("Some words.", 72, 700)), PageSpec())
    (folder / "words.pdf").write_bytes(write_pdf(*pages))
    page = tmp_path / "corpus.md"
    assert main([str(folder), "--output", str(page), "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["met"] is True
    assert body["files"] == 1
    assert [row["invariant"] for row in body["invariants"]][:3] == ["I1", "I2", "I3"]
    written = page.read_text(encoding="utf-8")
    assert "Command: `python -m bench.corpus papers`" in written
    assert str(tmp_path) not in written
    assert "| I1 | every character has exactly one owner | 1 |" in written


@pytest.mark.long
def test_a_corpus_of_unreadable_files_is_a_failure(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing of a file")
    assert main([str(folder)]) == 1
    assert "1 refused" in capsys.readouterr().out


def test_an_empty_folder_is_malformed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder)]) == 2
    assert "MALFORMED_INPUT: Expected a folder with files" in capsys.readouterr().err


def test_a_sample_has_at_least_one_file(folder: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([str(folder), "--sample", "0"])
