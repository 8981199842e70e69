"""A pack of one of three verifications, its files and what a check finds in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.api.operations.export import export_pack
from tests.api.audited import fill

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.api.operations.fsck import FsckReport
    from spanproof.api.wiring import Services


def list_files(pack: Path) -> dict[str, bytes]:
    return {
        path.relative_to(pack).as_posix(): path.read_bytes()
        for path in pack.rglob("*")
        if path.is_file()
    }


def codes(report: FsckReport) -> list[tuple[str, str]]:
    return [(found.code, found.place) for found in report.findings]


@pytest.fixture
def pack(services: Services, tmp_path: Path) -> Path:
    """A pack of one of three verifications."""
    *_, wanted = fill(services)
    export_pack(services, [wanted], tmp_path / "pack")
    return tmp_path / "pack"
