"""The keys of one folder: made at first use, changed while others go on signing with them.

``keys.json`` says which key signs; it is read again whenever it was replaced, so that a running
service takes up a rotation at its next signature. Every change is made under one lock, and is one
replaced file: a crash in between leaves the list as it was.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import threading
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from spanproof.core.errors import KeyUnavailableError
from spanproof.receipt.forms.checkpoint_note import format_checkpoint
from spanproof.receipt.forms.signed_note import Signature, write_note
from spanproof.receipt.keys.key_files import (
    load_entry_private,
    load_log_private,
    replace_file,
    sync_folder,
    write_private_key,
)
from spanproof.receipt.keys.key_list import (
    MAX_LIST_BYTES,
    KeyList,
    ListedEntryKey,
    ListedKey,
    ListedLogKey,
    parse_key_list,
    write_key_list,
)
from spanproof.receipt.keys.signing_keys import EntryKey, LocalEntryKey, LocalLogKey
from spanproof.receipt.keys.trusted_root import ValidFor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from spanproof.core.log.checkpoint import Checkpoint

LIST_NAME = "keys.json"
_LOCK_NAME = ".lock"
#: How long a retired key's window stays open, and how much earlier that of its follower begins: a
#: statement gets its moment before it is signed, and clocks of two machines may differ so much.
OVERLAP = timedelta(seconds=300)
_RESTORE = "Restore the folder from a backup of the keys."

PrivateKey = LocalEntryKey | LocalLogKey


class KeyRing:
    """The keys in a folder; safe for several threads and processes."""

    def __init__(self, folder: Path, *, passphrase: str | None = None) -> None:
        self.folder = folder
        self._passphrase = passphrase
        self._path = str(folder / LIST_NAME)
        self._lock = threading.Lock()
        self._seen: tuple[int, int, int] | None = None
        self._listed = KeyList()
        self._loaded: dict[str, PrivateKey] = {}

    def prepare(self, origin: str | None, *, now: datetime) -> None:
        """Make the folder, the key for statements and the named log's key if they are missing."""
        if not self._find_missing(self.keys, origin):
            return
        with self._changing() as change:
            listed = self.keys
            for make in self._find_missing(listed, origin):
                private = make()
                # A crash may have come between the first key's file and the first list.
                fresh = None if listed.version else self._find_unlisted(private)
                if fresh is None:
                    fresh = _list_key(private)
                    self._write_key(private, fresh)
                listed = listed.with_key(replace(fresh, valid_for=ValidFor(start=now)))
            change(listed)

    @property
    def keys(self) -> KeyList:
        """The list as it is now; KeyUnavailableError where it cannot be read."""
        with self._lock:
            self._refresh()
            return self._listed

    def find_entry_key(self) -> LocalEntryKey:
        """The key that signs statements now; ask again for each, since it may be changed."""
        with self._lock:
            self._refresh()
            for listed in reversed(self._listed.entry_keys):
                if listed.is_open:
                    return self._load_entry(listed)
        msg = f"Expected a key for statements in {str(self.folder)!r}, got none in use."
        raise KeyUnavailableError(msg, hint=_RESTORE)

    def find_log_keys(self, origin: str) -> tuple[LocalLogKey, ...]:
        """The keys that sign a log's heads now: one, or two while one takes over, the newest last.

        KeyUnavailableError for a log without.
        """
        with self._lock:
            self._refresh()
            found = [each for each in self._listed.log_keys(origin) if each.is_open]
            if found:
                return tuple(self._load_log(each) for each in found)
        msg = f"Expected a key for the log {origin!r} in {str(self.folder)!r}, got none in use."
        raise KeyUnavailableError(msg, hint=_RESTORE)

    def find_start(self, origin: str) -> datetime:
        """From when on all keys count that sign now; KeyUnavailableError where one is missing."""
        self.find_entry_key()
        self.find_log_keys(origin)
        listed = self.keys
        entry = next(each for each in reversed(listed.entry_keys) if each.is_open)
        signing = [entry, *(each for each in listed.log_keys(origin) if each.is_open)]
        return max(each.valid_for.start for each in signing if each.valid_for is not None)

    def log_signer(self, origin: str) -> RingLogSigner:
        """The signer of a log's heads; it uses the keys that are current when it signs."""
        return RingLogSigner(self, origin)

    def stage(self, make: Callable[[], PrivateKey]) -> ListedKey:
        """Make a key that is listed and not in use yet; one that was left staged is taken again."""
        with self._changing() as change:
            listed, private = self.keys, make()
            fresh = _list_key(private)
            for each in listed.keys:
                if each.valid_for is None and _signs_same(each, fresh):
                    return each
            self._write_key(private, fresh)
            change(listed.with_key(fresh))
            return fresh

    def activate(self, key_id: str, *, now: datetime) -> None:
        """Let a staged key sign from now on, beside those in use."""
        with self._changing() as change:
            listed = self._require(key_id)
            if listed.valid_for is None:
                change(self.keys.with_key(replace(listed, valid_for=ValidFor(start=now))))

    def retire(self, key_id: str, *, now: datetime, overlap: timedelta = OVERLAP) -> None:
        """Stop signing with a key; its signatures until now, and ``overlap`` longer, count."""
        with self._changing() as change:
            change(self._close(self.keys, key_id, now + overlap))

    def replace_entry_key(self, old_id: str, new_id: str, *, now: datetime) -> None:
        """Let a staged key for statements take over in one step, so that one always signs."""
        with self._changing() as change:
            fresh = replace(self._require(new_id), valid_for=ValidFor(start=now - OVERLAP))
            change(self._close(self.keys.with_key(fresh), old_id, now + OVERLAP))

    def change(self, alter: Callable[[KeyList], KeyList]) -> None:
        """Put another list in the place of this one."""
        with self._changing() as change:
            change(alter(self.keys))

    def _close(self, listed: KeyList, key_id: str, end: datetime) -> KeyList:
        old = self._require(key_id)
        if old.valid_for is None or old.valid_for.end is not None:
            msg = f"Expected a key in use, got {key_id}."
            raise KeyUnavailableError(msg, hint="List the keys: 'spanproof audit trust'.")
        window = ValidFor(start=old.valid_for.start, end=max(end, old.valid_for.start))
        return listed.with_key(replace(old, valid_for=window))

    def _require(self, key_id: str) -> ListedKey:
        found = self.keys.find(key_id)
        if found is None:
            msg = f"Expected the id of a key in {str(self.folder)!r}, got {key_id!r}."
            raise KeyUnavailableError(msg, hint="List the keys: 'spanproof audit trust'.")
        return found

    def _find_missing(self, listed: KeyList, origin: str | None) -> list[Callable[[], PrivateKey]]:
        makers: list[Callable[[], PrivateKey]] = []
        if not listed.entry_keys:
            makers.append(LocalEntryKey.generate)
        if origin is not None and not listed.log_keys(origin):
            makers.append(lambda: LocalLogKey.generate(origin))
        return makers

    @contextmanager
    def _changing(self) -> Iterator[Callable[[KeyList], None]]:
        """Hold the folder's lock; the yielded list replaces the stored one."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # The folder's own entry must be as durable as what is in it.
            sync_folder(self.folder.parent)
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            descriptor = os.open(self.folder / _LOCK_NAME, flags, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                yield self._write
            finally:
                os.close(descriptor)
        except OSError as exc:
            msg = f"Expected a folder that can be written, got {str(self.folder)!r} ({exc})."
            raise KeyUnavailableError(msg, hint="Check its permissions and the disk.") from exc

    def _write(self, listed: KeyList) -> None:
        content = write_key_list(replace(listed, version=listed.version + 1))
        replace_file(self.folder / LIST_NAME, content, mode=0o644)

    def _write_key(self, private: PrivateKey, listed: ListedKey) -> None:
        write_private_key(self.folder / listed.file, private.private, self._passphrase)

    def _find_unlisted(self, wanted: PrivateKey) -> ListedKey | None:
        """The one key of this kind whose file is here without a list.

        Several were listed once: to begin again with another would make every receipt of the old
        ones worthless.
        """
        files = sorted(self.folder.glob(f"{_name_kind(wanted)}-*.pem"))
        if not files:
            return None
        if len(files) > 1:
            msg = f"Expected {LIST_NAME} beside {len(files)} private keys, got none."
            raise KeyUnavailableError(msg, hint=_RESTORE)
        if isinstance(wanted, LocalEntryKey):
            private: PrivateKey = LocalEntryKey(load_entry_private(files[0], self._passphrase))
        else:
            private = LocalLogKey(load_log_private(files[0], self._passphrase), wanted.origin)
        return replace(_list_key(private), file=files[0].name)

    def _refresh(self) -> None:
        """Read the list again if it was replaced since it was read last."""
        path = self._path
        try:
            found = os.stat(path)  # noqa: PTH116 - before each signature: a Path takes longer
            seen = (found.st_ino, found.st_mtime_ns, found.st_size)
            if seen == self._seen:
                return
            with open(path, "rb") as file:  # noqa: PTH123 - the same path
                raw = file.read(MAX_LIST_BYTES + 1)
        except FileNotFoundError:
            self._seen, self._listed = None, KeyList()
            return
        except OSError as exc:
            msg = f"Expected a list of keys in {path!r}, got {exc.strerror}."
            raise KeyUnavailableError(msg, hint=_RESTORE) from exc
        self._listed = parse_key_list(raw)
        self._seen = seen

    def _load_entry(self, listed: ListedEntryKey) -> LocalEntryKey:
        key = self._loaded.get(listed.key_id)
        if not isinstance(key, LocalEntryKey):
            key = LocalEntryKey(load_entry_private(self.folder / listed.file, self._passphrase))
            self._save(listed, key)
        return key

    def _load_log(self, listed: ListedLogKey) -> LocalLogKey:
        key = self._loaded.get(listed.key_id)
        if not isinstance(key, LocalLogKey):
            private = load_log_private(self.folder / listed.file, self._passphrase)
            key = LocalLogKey(private, listed.key.name)
            self._save(listed, key)
        return key

    def _save(self, listed: ListedKey, private: PrivateKey) -> None:
        if _list_key(private).key_id != listed.key_id:
            msg = f"Expected the key {listed.key_id} in {listed.file!r}, got another."
            raise KeyUnavailableError(msg, hint=_RESTORE)
        self._loaded[listed.key_id] = private


@dataclass(frozen=True, slots=True)
class RingLogSigner:
    """Signs the heads of one log with the keys that are in use; a CheckpointSigner.

    While one key takes over from another both sign, so that auditors who know either can go on.
    """

    ring: KeyRing
    origin: str

    def sign(self, checkpoint: Checkpoint) -> str:
        """The signed note; ValueError for a checkpoint of another log."""
        if checkpoint.origin != self.origin:
            msg = f"Expected a checkpoint of {self.origin!r}, got {checkpoint.origin!r}."
            raise ValueError(msg)
        text = format_checkpoint(checkpoint)
        message = text.encode("utf-8")
        return write_note(
            text,
            [
                Signature(
                    name=self.origin,
                    key_id=key.verifier.key_id,
                    content=key.private.sign(message),
                )
                for key in self.ring.find_log_keys(self.origin)
            ],
        )


def _name_kind(private: PrivateKey) -> str:
    return "entry" if isinstance(private, LocalEntryKey) else "log"


def _list_key(private: PrivateKey) -> ListedKey:
    """A key as it is listed before it is in use."""
    listed: ListedKey
    if isinstance(private, LocalEntryKey):
        listed = ListedEntryKey(key=EntryKey(private.public_key), file="", valid_for=None)
    else:
        listed = ListedLogKey(key=private.verifier, file="", valid_for=None)
    digits = hashlib.sha256(listed.spki).hexdigest()[:16]
    return replace(listed, file=f"{_name_kind(private)}-{digits}.pem")


def _signs_same(one: ListedKey, other: ListedKey) -> bool:
    """Whether both sign statements, or the heads of one log."""
    if isinstance(one, ListedLogKey) and isinstance(other, ListedLogKey):
        return one.key.name == other.key.name
    return type(one) is type(other)
