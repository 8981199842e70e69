"""A pack is there whole or not at all, as a folder and as an archive."""

from __future__ import annotations

import os
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.core.errors import InputError, OutputError, VerificationNotFoundError
from spanproof.operations.export.folder import PackFolder, staged_pack
from spanproof.operations.export.pack import export_pack
from tests.operations.audited import fill
from tests.operations.export.conftest import list_files
from tests.receipt.statements import MOMENT

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context


def test_a_pack_that_cannot_be_made_leaves_nothing(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (verification_id,) = fill(context, 1)
    output = tmp_path / "out" / "pack"
    output.parent.mkdir()
    with pytest.raises(VerificationNotFoundError):
        export_pack(context, ["never"], output)
    with pytest.raises(InputError):
        export_pack(context, [], output)
    with pytest.raises(OutputError):
        export_pack(context, [verification_id], tmp_path / "nowhere" / "pack")
    written = PackFolder.write

    def fail_late(folder: PackFolder, path: str, content: bytes) -> str:
        if path == "manifest.json":
            raise OSError(28, os.strerror(28))
        return written(folder, path, content)

    monkeypatch.setattr(PackFolder, "write", fail_late)
    for is_zip in (False, True):
        with pytest.raises(OutputError, match="No space"):
            export_pack(context, [verification_id], output, is_zip=is_zip)
    assert list(output.parent.iterdir()) == []


@pytest.mark.parametrize("is_zip", [False, True])
def test_nothing_that_is_there_is_replaced(tmp_path: Path, is_zip: bool) -> None:
    output = tmp_path / "pack"
    output.mkdir()
    with pytest.raises(OutputError, match="Expected no file"), staged_pack(output, is_zip=is_zip):
        pass
    other = tmp_path / "other"
    # Nor what came while the pack was made.
    staging = staged_pack(other, is_zip=is_zip)
    staging.__enter__().write("a", b"a")
    other.mkdir()
    with pytest.raises(OutputError):
        staging.__exit__(None, None, None)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "pack"]
    assert list(other.iterdir()) == []


def test_a_file_is_written_once_and_nowhere_else(tmp_path: Path) -> None:
    with staged_pack(tmp_path / "pack", is_zip=False) as folder:
        folder.write("a/b", b"1")
        for path in ("a/b", "../c", "/etc/x"):
            with pytest.raises(ValueError, match="plain relative"):
                folder.write(path, b"2")
    assert list_files(tmp_path / "pack") == {"a/b": b"1"}
    assert (tmp_path / "pack" / "a" / "b").stat().st_mode & 0o777 == 0o600


def test_an_archive_holds_the_same_files(context: Context, tmp_path: Path) -> None:
    (verification_id,) = fill(context, 1)
    moments = iter([MOMENT, MOMENT])
    made: Any = {"clock": lambda: next(moments)}
    export_pack(context, [verification_id], tmp_path / "pack", **made)
    export_pack(context, [verification_id], tmp_path / "pack.zip", is_zip=True, **made)
    with zipfile.ZipFile(tmp_path / "pack.zip") as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    # A marked copy has a moment and an id of its own.
    files = list_files(tmp_path / "pack")
    assert packed.keys() == files.keys()
    same = {path for path in files if packed[path] == files[path]}
    assert {path.partition("/")[0] for path in files.keys() - same} <= {
        "marked",
        "manifest.json",
        "manifest.dsse.json",
    }
