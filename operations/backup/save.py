"""``backup``: everything that an installation keeps, as it stood at one moment, into one folder.

1. The databases, each as of one moment: SQLite by its online backup, PostgreSQL by pg_dump.
2. Then the files and objects. A row names a blob only once it is durable, so what the databases
   name is there; where something was erased meanwhile, everything is taken again.
3. Every file is read back, and the manifest is written last.

Left out: the log's mark, which must not go back with the log, a witness's folder, and what is made
anew (copies of objects, readings of the model, weights of registered models).
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from spanproof.core.errors import ConflictError, SettingsError
from spanproof.core.moment import write_moment
from spanproof.operations.assembly import to_object_place
from spanproof.operations.backup.databases import (
    copy_sqlite,
    count_rows,
    dump_postgresql,
    open_copy,
    read_position,
)
from spanproof.operations.backup.files import (
    DATABASES,
    check_files,
    copy_file,
    digest_file,
    list_home,
    make_private,
)
from spanproof.operations.backup.manifest import (
    DUMP,
    HOME,
    OBJECTS,
    Manifest,
    TenantState,
    list_files,
    write_manifest,
)
from spanproof.operations.context import DEFAULT_TENANT
from spanproof.operations.errors import BackupRefusedError
from spanproof.operations.log.key_folder import open_keys
from spanproof.operations.tenants import Tenants
from spanproof.operations.versions import find_versions
from spanproof.store.blobs.object_folder import ObjectFolder
from spanproof.store.blobs.staging import sync_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy import Connection

    from spanproof.core.digest import Digest
    from spanproof.operations.backup.manifest import BackupFile
    from spanproof.operations.settings import Settings

#: Erasing is rare: a third that comes while a backup is taken is not waited for.
_TRIES = 3
_ERASURES = "erasure"


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """A backup that was taken; ``is_signed`` is false of a home that has no keys yet."""

    folder: Path
    manifest: Manifest
    digest: Digest
    is_signed: bool

    def to_json(self) -> dict[str, Any]:
        """The document that ``--json`` prints."""
        manifest = self.manifest
        return {
            "folder": str(self.folder),
            "made_at": manifest.made_at,
            "manifest_digest": str(self.digest),
            "signed": self.is_signed,
            "database": manifest.database,
            "files": len(manifest.files),
            "bytes": manifest.total_bytes,
            "tenants": [
                {
                    "name": each.name,
                    "documents": each.rows.get("document", 0),
                    "verifications": each.rows.get("verification", 0),
                    "log": each.log and {"origin": each.log.origin, "size": each.log.size},
                }
                for each in manifest.tenants
            ],
        }


def save_backup(settings: Settings, folder: Path, *, now: datetime) -> BackupReport:
    """Take a backup into a folder that is new or empty, while the service goes on.

    Raises BackupRefusedError for another folder, SettingsError where there is no home, and
    DatabaseToolError without PostgreSQL's client tools.
    """
    if not settings.home.is_dir():
        msg = f"Expected a home to back up, got no folder {str(settings.home)!r}."
        raise SettingsError(msg, hint="Set SPANPROOF_HOME.")
    if folder.resolve().is_relative_to(settings.home.resolve()):
        msg = f"Expected a folder outside of the home, got {str(folder)!r}."
        raise BackupRefusedError(msg, hint="Name a folder on another disk.")
    require_new(folder)
    make_private(folder)
    tenants = Tenants(settings)
    try:
        manifest = _copy_all(tenants, settings, folder, now)
        check_files(folder, manifest)
        keys = open_keys(settings)
        signer = keys.find_entry_key() if keys.keys.entry_keys else None
        digest = write_manifest(folder, manifest, signer)
    except BaseException:
        _empty(folder)
        raise
    finally:
        tenants.close()
    return BackupReport(
        folder=folder, manifest=manifest, digest=digest, is_signed=signer is not None
    )


def require_new(folder: Path) -> None:
    """Raise BackupRefusedError unless a folder is empty or not there."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        msg = f"Expected a new or an empty folder, got {str(folder)!r}."
        raise BackupRefusedError(msg, hint="Name another folder.")


def _copy_all(tenants: Tenants, settings: Settings, folder: Path, now: datetime) -> Manifest:
    for _ in range(_TRIES):
        states = (_copy_postgresql if settings.database_url else _copy_sqlite)(tenants, folder)
        files = [*_copy_home(settings.home.absolute(), folder), *_copy_objects(settings, folder)]
        if all(_count_erased(tenants, each) == each.rows[_ERASURES] for each in states):
            break
        _empty(folder)
    else:
        msg = f"Expected a moment without erasing to back up, got none in {_TRIES} tries."
        raise ConflictError(msg, hint="Take the backup when nothing is being erased.")
    known = {each.path for each in files}
    for path in list_files(folder):
        if path not in known:
            sync_path(folder / path)
            files.append(digest_file(folder, path))
    return Manifest(
        made_at=write_moment(now),
        version=find_versions(["spanproof"])["spanproof"],
        database="postgresql" if settings.database_url else "sqlite",
        has_objects=settings.blobs is not None,
        tenants=states,
        files=tuple(sorted(files, key=lambda each: each.path)),
    )


def _copy_sqlite(tenants: Tenants, folder: Path) -> tuple[TenantState, ...]:
    states = []
    for name in tenants.names():
        with tenants.using(name) as context:
            home = context.store.home
            own = folder / HOME / ("." if name == DEFAULT_TENANT else f"tenants/{name}")
            for database in DATABASES:
                if (home / database).exists():
                    target = own / database
                    make_private(target.parent)
                    target.touch(mode=0o600)
                    copy_sqlite(home / database, target)
            with open_copy(own / DATABASES[0]) as connection:
                states.append(_read_state(connection, name))
    return tuple(states)


def _copy_postgresql(tenants: Tenants, folder: Path) -> tuple[TenantState, ...]:
    """One dump of all schemas, and the counts that the same moment has."""
    names = []
    for name in tenants.names():
        # Opening one migrates its schema, before the moment that is dumped.
        with tenants.using(name) as context:
            _ = context.store
            names.append((name, context.store.database.schema))
    database = tenants.default.store.database
    with database.snapshot() as session:
        connection = session.connection()
        snapshot = connection.execute(text("SELECT pg_export_snapshot()")).scalar_one()
        states = []
        for name, schema in names:
            with _seeing(connection, schema):
                states.append(_read_state(connection, name))
        url = str(tenants.default.settings.database_url)
        dump_postgresql(url, folder / DUMP, snapshot=snapshot)
    return tuple(states)


@contextmanager
def _seeing(connection: Connection, schema: str) -> Iterator[None]:
    # The name is one that the database told us.
    connection.execute(text(f'SET LOCAL search_path TO "{schema}"'))
    yield


def _read_state(connection: Connection, name: str) -> TenantState:
    return TenantState(name=name, rows=count_rows(connection), log=read_position(connection))


def _copy_home(home: Path, folder: Path) -> Iterator[BackupFile]:
    for path in list_home(home):
        try:
            yield copy_file(home / path, folder, f"{HOME}/{path}")
        except FileNotFoundError:
            # A file of a job that has ended, or of a document that was just erased: that is asked.
            (folder / HOME / path).unlink(missing_ok=True)


def _copy_objects(settings: Settings, folder: Path) -> Iterator[BackupFile]:
    place = to_object_place(settings)
    if place is None:
        return
    objects = ObjectFolder(place)
    try:
        for key in objects.walk():
            path = f"{OBJECTS}/{key}"
            size = objects.size_of(key)
            if key.startswith("probes/") or size is None:
                continue
            target = folder / path
            make_private(target.parent)
            try:
                with target.open("wb") as file:
                    for part in objects.read_parts(key, size):
                        file.write(part)
            except FileNotFoundError:
                target.unlink()
                continue
            sync_path(target)
            yield digest_file(folder, path)
    finally:
        objects.close()


def _count_erased(tenants: Tenants, state: TenantState) -> int:
    with (
        tenants.using(state.name) as context,
        context.store.database.read_connection() as connection,
    ):
        return int(connection.execute(text(f"SELECT count(*) FROM {_ERASURES}")).scalar_one())  # noqa: S608 - a constant


def _empty(folder: Path) -> None:
    for each in folder.iterdir():
        if each.is_dir():
            shutil.rmtree(each)
        else:
            each.unlink()
