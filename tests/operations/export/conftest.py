"""A pack of one of three verifications, its files and what a check finds in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.operations.export.pack import export_pack
from tests.operations.audited import fill

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context
    from spanproof.operations.fsck.report import FsckReport


def list_files(pack: Path) -> dict[str, bytes]:
    return {
        path.relative_to(pack).as_posix(): path.read_bytes()
        for path in pack.rglob("*")
        if path.is_file()
    }


def codes(report: FsckReport) -> list[tuple[str, str]]:
    return [(found.code, found.place) for found in report.findings]


@pytest.fixture
def pack(context: Context, tmp_path: Path) -> Path:
    """A pack of one of three verifications."""
    *_, wanted = fill(context)
    export_pack(context, [wanted], tmp_path / "pack")
    return tmp_path / "pack"
