from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.api.cli.program import Program

if TYPE_CHECKING:
    from pathlib import Path

SENTENCE = "Approved invoices are paid within four business days of their receipt."
TEXT = f"1. Payment\n{SENTENCE}\nThe rate is 𝑉 = 3.5 per cent.\n"


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program on a fresh home."""
    return Program(home=tmp_path / "home")


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """A plain text file with one sentence to quote."""
    path = tmp_path / "rules.txt"
    path.write_bytes(TEXT.encode())
    return path


@pytest.fixture
def doc_hash(program: Program, rules: Path) -> str:
    """The hash of that file, ingested."""
    done = program.run("ingest", rules, "--json")
    assert done.code == 0, done.stderr
    return str(done.body["documents"][0]["doc_hash"])
