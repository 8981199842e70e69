from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from tests.api.cli.program import Program
from tests.conftest import copy_home

if TYPE_CHECKING:
    from pathlib import Path

SENTENCE = "Approved invoices are paid within four business days of their receipt."
TEXT = f"1. Payment\n{SENTENCE}\nThe rate is 𝑉 = 3.5 per cent.\n"


@pytest.fixture
def program(tmp_path: Path, migrated_home: Path) -> Program:
    """The program on a home that was started and has read with the model, and holds nothing."""
    return Program(home=copy_home(migrated_home, tmp_path / "home"))


@pytest.fixture
def fresh_program(tmp_path: Path) -> Program:
    """The program where no home has ever been."""
    return Program(home=tmp_path / "home")


@pytest.fixture(scope="module")
def shared_program(tmp_path_factory: pytest.TempPathFactory, migrated_home: Path) -> Program:
    """The program on a home that the tests of a module share, because they must leave nothing."""
    home = tmp_path_factory.mktemp("shared") / "home"
    return Program(home=copy_home(migrated_home, home))


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """A plain text file with one sentence to quote."""
    path = tmp_path / "rules.txt"
    path.write_bytes(TEXT.encode())
    return path


@pytest.fixture(scope="session")
def stocked_home(tmp_path_factory: pytest.TempPathFactory, migrated_home: Path) -> Path:
    """A home that holds that file, made once; tests work on copies."""
    folder = tmp_path_factory.mktemp("stocked")
    path = folder / "rules.txt"
    path.write_bytes(TEXT.encode())
    home = copy_home(migrated_home, folder / "home")
    done = Program(home=home).run("ingest", path)
    assert done.code == 0, done.stderr
    return home


@pytest.fixture
def doc_hash(program: Program, stocked_home: Path) -> str:
    """The hash of that file, which the program's home now holds."""
    shutil.rmtree(program.home)
    shutil.copytree(stocked_home, program.home)
    return str(Digest.of(TEXT.encode()))
