"""``restore``: a backup becomes a home, or nothing happens; then all that came back is checked.

1. MANIFEST: whole, and signed by a key of the trust file (without one: by a key of the backup,
   which shows damage, not an exchange of both).
2. FILES: each has the digest of the manifest, and there is no other. Only then is anything written
   to a database or an object store.
3. The database (in one transaction), the objects, and last the home, by renaming it into place.
4. ROWS, fsck, REPLAY, and LOG: does somebody know more of the log than this backup?
"""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError
from spanproof.operations.assembly import to_object_place
from spanproof.operations.backup.checking import check_restored
from spanproof.operations.backup.content_keys import put_keys, read_keys
from spanproof.operations.backup.databases import load_postgresql, require_empty
from spanproof.operations.backup.files import check_files, files_below, make_private, stage_home
from spanproof.operations.backup.manifest import DUMP, HOME, OBJECTS, read_manifest
from spanproof.operations.backup.save import require_new
from spanproof.operations.errors import BackupRefusedError
from spanproof.operations.fsck.report import FsckLine, combine_lines
from spanproof.receipt.check.report import LineStatus
from spanproof.receipt.keys.key_list import MAX_LIST_BYTES, parse_key_list
from spanproof.receipt.keys.key_ring import LIST_NAME
from spanproof.store.blobs.object_folder import ObjectFolder
from spanproof.store.blobs.staging import sync_path
from spanproof.store.database.session import Database, to_url

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from spanproof.operations.backup.manifest import Manifest, SignedManifest
    from spanproof.operations.settings import Settings
    from spanproof.receipt.keys.signing_keys import EntryKey
    from spanproof.receipt.keys.trust_file import TrustFile

#: How many verifications of each tenant are computed again.
SAMPLE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreReport:
    """What was restored, and the answer to each question about it."""

    home: Path
    manifest: Manifest
    lines: tuple[FsckLine, ...]

    @property
    def outcome(self) -> LineStatus:
        """FAILED where anything failed, else NOT CHECKED where anything was not, else OK."""
        return combine_lines(self.lines)

    def to_json(self) -> dict[str, Any]:
        """The document that ``--json`` prints."""
        return {
            "home": str(self.home),
            "made_at": self.manifest.made_at,
            "outcome": self.outcome.value,
            "lines": [line.to_json() for line in self.lines],
        }


def restore_backup(
    settings: Settings,
    folder: Path,
    *,
    trust: TrustFile | None = None,
    sample: int = SAMPLE,
    keys: Path | None = None,
) -> RestoreReport:
    """Restore a backup into the home, the database and the object store of the settings.

    ``keys`` is a file of content keys, without which encrypted contents stay unreadable.

    Raises BackupRefusedError for a backup that is cut off or altered, and for a home or a
    PostgreSQL database that is not empty: nothing was changed then.
    """
    signed = read_manifest(folder)
    manifest = signed.manifest
    home = settings.home.absolute()
    require_new(home)
    _require_same_kind(settings, manifest)
    content_keys = {} if keys is None else read_keys(keys)
    signature = _check_signature(signed, _list_keys(folder, trust), is_given=trust is not None)
    staged = home.with_name(f".{home.name}.restoring-{os.getpid()}")
    with ExitStack() as undone:
        undone.callback(shutil.rmtree, staged, ignore_errors=True)
        make_private(staged)
        check_files(folder, manifest)
        stage_home(folder, manifest, staged)
        if settings.database_url:
            _load_database(settings, settings.database_url, folder / DUMP)
        _put_objects(settings, folder, manifest)
        staged.rename(home)
        sync_path(home.parent)
    put_keys(settings, content_keys)
    words = f"{len(manifest.files)} files of {manifest.total_bytes} bytes are as in the manifest"
    files = FsckLine(question="FILES", status=LineStatus.OK, words=words)
    checked = check_restored(settings, manifest, sample=sample)
    return RestoreReport(home=home, manifest=manifest, lines=(signature, files, *checked))


def _require_same_kind(settings: Settings, manifest: Manifest) -> None:
    for is_there, wanted, name in (
        (settings.database_url is not None, manifest.database == "postgresql", "DATABASE_URL"),
        (settings.blobs is not None, manifest.has_objects, "BLOBS"),
    ):
        if is_there != wanted:
            state = "set" if wanted else "unset"
            msg = f"Expected SPANPROOF_{name} to be {state}, as it was for this backup."
            raise BackupRefusedError(msg, hint=f"Restore it with SPANPROOF_{name} {state}.")


def _list_keys(folder: Path, trust: TrustFile | None) -> Mapping[str, EntryKey]:
    if trust is not None:
        return {each.key.key_id: each.key for each in trust.signing_keys}
    try:
        with (folder / HOME / "keys" / LIST_NAME).open("rb") as file:
            listed = parse_key_list(file.read(MAX_LIST_BYTES + 1))
    except (FileNotFoundError, InputError):
        return {}
    return {each.key_id: each.key for each in listed.entry_keys}


def _check_signature(
    signed: SignedManifest, keys: Mapping[str, EntryKey], *, is_given: bool
) -> FsckLine:
    """The line of the manifest; raise BackupRefusedError for a signature that does not hold."""
    if signed.key_id is not None and not signed.is_signed_by(keys):
        msg = f"Expected a manifest signed by a known key, got one by {signed.key_id} or altered."
        raise BackupRefusedError(msg, hint="Take another backup, or give its issuer's trust file.")
    if is_given and signed.key_id is None:
        msg = "Expected a manifest signed by a key of the trust file, got one without a signature."
        raise BackupRefusedError(msg, hint="Restore it without --trust, if you know its digest.")
    if signed.key_id is None:
        by = "signed by nobody, for the home had no keys"
    else:
        whose = "the trust file" if is_given else "the backup itself; --trust tells an exchange"
        by = f"signed by {signed.key_id}, a key of {whose}"
    words = f"{signed.digest}, {by}"
    return FsckLine(question="MANIFEST", status=LineStatus.OK, words=words)


def _load_database(settings: Settings, url: str, dump: Path) -> None:
    database = Database(to_url(settings.home, url))
    try:
        database.check_reachable()
        with database.read_connection() as connection:
            require_empty(connection, database.name)
    finally:
        database.close()
    load_postgresql(url, dump)


def _put_objects(settings: Settings, folder: Path, manifest: Manifest) -> None:
    place = to_object_place(settings)
    if place is None:
        return
    objects = ObjectFolder(place)
    try:
        for each, key in files_below(manifest, OBJECTS):
            # A bucket that survived has them; fsck reads all of them afterwards.
            if objects.size_of(key) != each.bytes:
                objects.upload(folder / each.path, key, each.bytes)
    finally:
        objects.close()
