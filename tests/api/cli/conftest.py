from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from core.digest import Digest
from tests.api.cli.program import Program

SENTENCE = "Approved invoices are paid within four business days of their receipt."
TEXT = f"1. Payment\n{SENTENCE}\nThe rate is 𝑉 = 3.5 per cent.\n"


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program on a fresh home."""
    return Program(home=tmp_path / "home")


@pytest.fixture(scope="module")
def shared_program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program on a home that the tests of a module share, because they must leave nothing."""
    return Program(home=tmp_path_factory.mktemp("shared") / "home")


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """A plain text file with one sentence to quote."""
    path = tmp_path / "rules.txt"
    path.write_bytes(TEXT.encode())
    return path


@pytest.fixture(scope="session")
def stocked_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that holds that file and the exported model, made once; tests work on copies."""
    folder = tmp_path_factory.mktemp("stocked")
    path = folder / "rules.txt"
    path.write_bytes(TEXT.encode())
    done = Program(home=folder / "home").run("ingest", path)
    assert done.code == 0, done.stderr
    pairs = folder / "pairs.jsonl"
    pairs.write_text('{"premise": "It rains.", "hypothesis": "It rains."}\n')
    # The first reading exports the model, which takes seconds: once is enough.
    read = Program(home=folder / "home").run("entail", pairs, "--output", folder / "read.jsonl")
    assert read.code == 0, read.stderr
    return folder / "home"


@pytest.fixture
def doc_hash(program: Program, stocked_home: Path) -> str:
    """The hash of that file, which the program's home now holds."""
    shutil.copytree(stocked_home, program.home, copy_function=_copy_or_link)
    return str(Digest.of(TEXT.encode()))


def _copy_or_link(source: str, target: str) -> None:
    # What is exported is never written in place, and is large.
    copy = os.link if "models" in Path(source).parts else shutil.copy2
    copy(source, target)
