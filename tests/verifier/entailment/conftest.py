from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.verifier.entailment.tiny_models import build_folder, teach_canary

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model that passes the canary; read only."""
    return teach_canary(build_folder(tmp_path_factory.mktemp("models") / "taught"))


@pytest.fixture
def folder(taught: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may spoil."""
    return shutil.copytree(taught, tmp_path / "model")


@pytest.fixture(scope="session")
def embedded_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keeps what is derived from the embedded model, so that a run exports it once."""
    return tmp_path_factory.mktemp("embedded-cache")
