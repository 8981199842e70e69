"""A backup that is cut off or altered is refused, and nothing of it is anywhere afterwards."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanproof.operations.backup.manifest import MANIFEST, SIGNATURE
from spanproof.operations.backup.restore import restore_backup
from spanproof.operations.errors import BackupRefusedError, DatabaseToolError
from spanproof.operations.log.key_folder import open_keys
from spanproof.receipt.check.report import LineStatus
from spanproof.receipt.keys.key_ring import KeyRing
from spanproof.receipt.keys.trust_file import parse_trust, write_trust
from spanproof.store.database.session import Database, to_url
from tests.store.examples import NOON

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spanproof.receipt.keys.trust_file import TrustFile
    from tests.operations.backup.conftest import Site

DATABASE = "home/spanproof.db"


def cut(folder: Path) -> None:
    path = folder / DATABASE
    path.write_bytes(path.read_bytes()[:-1])


def flip(folder: Path) -> None:
    path = folder / DATABASE
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def remove_blob(folder: Path) -> None:
    next(each for each in (folder / "home" / "blobs").rglob("*") if each.is_file()).unlink()


def add_file(folder: Path) -> None:
    (folder / "home" / "authorized").write_bytes(b"one more key")


def end_early(folder: Path) -> None:
    (folder / MANIFEST).unlink()


def edit_manifest(folder: Path) -> None:
    path = folder / MANIFEST
    path.write_bytes(path.read_bytes().replace(b'"document": 1', b'"document": 2'))


def lead_out(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_bytes())
    manifest["files"][0]["path"] = "home/../../../escaped"
    (folder / MANIFEST).write_text(json.dumps(manifest))


def damage_signature(folder: Path) -> None:
    (folder / SIGNATURE).write_text("{}")


@pytest.mark.parametrize(
    "damage",
    [cut, flip, remove_blob, add_file, end_early, edit_manifest, lead_out, damage_signature],
)
def test_every_change_is_refused(site: Site, damage: Callable[[Path], None]) -> None:
    folder = site.save().folder
    damage(folder)
    with pytest.raises(BackupRefusedError):
        site.restore()
    assert not site.new.home.exists()
    assert [each.name for each in site.folder.iterdir() if "restoring" in each.name] == []


def trust_of(keys: KeyRing) -> TrustFile:
    return parse_trust(write_trust(keys.keys.to_trust(keys.keys.all_log_keys[-1].key.name)))


def test_a_manifest_signed_by_another_is_refused_by_a_trust_file(
    site: Site, tmp_path: Path
) -> None:
    folder = site.save().folder
    other = KeyRing(tmp_path / "other")
    other.prepare("other.example", now=NOON)
    with pytest.raises(BackupRefusedError, match="signed by a known key"):
        restore_backup(site.new, folder, trust=trust_of(other))
    known = trust_of(open_keys(site.settings))
    (folder / SIGNATURE).rename(tmp_path / SIGNATURE)
    with pytest.raises(BackupRefusedError, match="without a signature"):
        restore_backup(site.new, folder, trust=known)
    (tmp_path / SIGNATURE).rename(folder / SIGNATURE)
    report = restore_backup(site.new, folder, trust=known, sample=0)
    assert report.outcome is LineStatus.OK
    assert "a key of the trust file" in report.lines[0].words


def test_nothing_is_written_over(site: Site) -> None:
    site.save()
    with pytest.raises(BackupRefusedError, match="empty folder"):
        site.save()
    with pytest.raises(BackupRefusedError, match="outside of the home"):
        site.save(str(site.settings.home / "backup"))
    site.new.home.mkdir()
    (site.new.home / "something").touch()
    with pytest.raises(BackupRefusedError, match="empty folder"):
        site.restore()
    assert [each.name for each in site.new.home.iterdir()] == ["something"]


def test_a_backup_of_sqlite_is_not_restored_into_postgresql(site: Site) -> None:
    site.save()
    site.new = site.new.model_copy(update={"database_url": "postgresql://nobody@localhost/none"})
    with pytest.raises(BackupRefusedError, match="SPANPROOF_DATABASE_URL to be unset"):
        site.restore()


@pytest.mark.long
def test_postgresql_is_restored_whole_or_not_at_all(
    fleet_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = fleet_site
    folder = site.save().folder
    dump = folder / "database.pgdump"
    whole = dump.read_bytes()
    dump.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BackupRefusedError):
        site.restore()
    dump.write_bytes(whole)
    database = Database(to_url(site.new.home, site.new.database_url))
    try:
        with database.connection() as connection:
            connection.exec_driver_sql("CREATE TABLE something (one int)")
        with pytest.raises(BackupRefusedError, match="got 1 tables"):
            site.restore()
        with database.connection() as connection:
            connection.exec_driver_sql("DROP TABLE something")
    finally:
        database.close()
    assert not site.new.home.exists()
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "")
        with pytest.raises(DatabaseToolError, match="Expected pg_restore in PATH"):
            site.restore()
        with pytest.raises(DatabaseToolError, match="Expected pg_dump in PATH"):
            site.save("second")
    assert not any((site.folder / "second").iterdir())
    assert site.restore().outcome is LineStatus.OK
