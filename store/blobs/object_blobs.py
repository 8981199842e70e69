"""Blobs in an object store: what every host of a fleet sees, with checked copies on each disk.

A blob is an object ``blobs/ab/abcd…`` (its SHA-256) below the address, named as the file in a home
would be. It is written whole, read back and digested before anybody is told that it is kept, and
digested again whenever it is used, from the store or from a copy.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import BlobDigestMismatchError, IntegrityError
from spanproof.store.blobs.object_cache import ObjectCache
from spanproof.store.blobs.object_folder import ObjectFolder
from spanproof.store.blobs.staging import StagedFile, wrapped_disk_errors
from spanproof.store.errors import ObjectStoreUnavailableError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from spanproof.store.blobs.object_place import ObjectPlace

#: Tells a store without this blob from a bucket that is not ours, or not there.
MARK = "spanproof-blobs"
_MARK_CONTENT = b"Blobs of Spanproof, each named by its SHA-256.\n"
_PROBE_BYTES = 64
#: How often copies of what another host erased are looked for.
_FORGET_SECONDS = 3_600.0
_RESTORE = "Restore the blob from a backup, or ingest the document again."
_CHECK = "Check the bucket and the prefix of SPANPROOF_BLOBS: 'spanproof doctor'."


class ObjectStagedBlob(StagedFile):
    """Bytes that become an object, and a copy of it here."""

    def __init__(self, blobs: ObjectBlobs, cache: ObjectCache) -> None:
        super().__init__(cache.staging)
        self._blobs = blobs
        self._cache = cache
        self._is_kept = False

    def commit(self) -> Digest:
        """Make the bytes a blob that survives this host; committing twice does nothing more."""
        if self._is_kept:
            return self.digest
        self._check_open()
        try:
            self._blobs.put_file(self._path, self.digest, self._size)
            self._path = self._cache.adopt(self._path, self.digest, self._size)
            self._is_kept = True
        finally:
            self.close()
        return self.digest


class ObjectBlobs:
    """The blobs below one address of an object store."""

    def __init__(
        self,
        place: ObjectPlace,
        copies: Path,
        *,
        find_erased: Callable[[], Iterable[Digest]] = tuple,
    ) -> None:
        """``copies`` is this host's folder; ``find_erased`` names blobs that it may not hold.

        Nothing is asked of the store yet: one that is down stops no start.
        """
        self._objects = ObjectFolder(place)
        self._cache = ObjectCache(copies, place.cache_bytes)
        self._find_erased = find_erased
        self._lock = threading.Lock()
        self._next_forget = 0.0
        self._is_marked = False

    def stage(self) -> ObjectStagedBlob:
        """A blob to write; use it in a ``with`` statement."""
        return ObjectStagedBlob(self, self._cache)

    def put(self, content: bytes) -> Digest:
        """Keep these bytes; keeping them twice stores them once."""
        with self.stage() as staged:
            staged.write(content)
            return staged.commit()

    def has(self, digest: Digest) -> bool:
        """Whether the store has a blob of that name; a copy here counts for nothing."""
        if self._objects.size_of(_to_key(digest)) is not None:
            return True
        self._require_mark()
        return False

    def check(self, digest: Digest) -> Path:
        """A local file of a blob, read once and digested again; raises as ``read``."""
        self._forget_erased()
        path = self._cache.check(digest)
        if path is not None:
            return path
        with self._fetch(digest) as fetched:
            return self._cache.adopt(fetched.path, digest, fetched.size)

    def read(self, digest: Digest) -> bytes:
        """The bytes, digested again.

        Raises IntegrityError if there are none, BlobDigestMismatchError where they are others.
        """
        self._forget_erased()
        content = self._cache.read(digest)
        if content is not None:
            return content
        with self._fetch(digest) as fetched:
            with wrapped_disk_errors("read a copy"):
                content = fetched.path.read_bytes()
            if Digest.of(content) != digest:
                msg = f"Expected the copy of {digest} as it was written, got other bytes."
                raise StoreUnavailableError(msg, hint="Check the disk that holds SPANPROOF_HOME.")
            self._cache.adopt(fetched.path, digest, fetched.size)
        return content

    def remove(self, digest: Digest) -> bool:
        """Remove a blob for ever, here and in the store; whether the store had it."""
        self._cache.drop([digest])
        if not self.has(digest):
            return False
        key = _to_key(digest)
        self._objects.delete(key)
        if self._objects.size_of(key) is not None:
            msg = f"Expected {digest} to be deleted, got an object store that has it still."
            raise ObjectStoreUnavailableError(
                msg, hint="Check what deletes are allowed; erase it again."
            )
        return True

    def put_file(self, path: Path, digest: Digest, size: int) -> None:
        """Make a file an object, durable and read back when this returns.

        An intact one is left alone; one that went bad makes room for the good bytes at hand.
        """
        self._forget_erased()
        key = _to_key(digest)
        self._ensure_mark()
        if self._is_intact(key, digest, size):
            return
        self._objects.upload(path, key, size)
        if not self._is_intact(key, digest, size):
            msg = f"Expected the object store to give {digest} back, got other bytes."
            raise ObjectStoreUnavailableError(
                msg, hint="Try again; if it stays, see the store's log."
            )

    def probe(self) -> str:
        """Put, read and delete an object; the address where that was done."""
        self._ensure_mark(anew=True)
        content = secrets.token_bytes(_PROBE_BYTES)
        key = f"probes/{secrets.token_hex(16)}"
        try:
            self._write(key, content)
            if not self._is_intact(key, Digest.of(content), len(content)):
                msg = "Expected the object store to give a probe back, got other bytes."
                raise ObjectStoreUnavailableError(msg, hint=_CHECK)
        finally:
            self._objects.delete(key)
        if self._objects.size_of(key) is not None:
            msg = "Expected a probe to be deleted, got an object store that has it still."
            raise ObjectStoreUnavailableError(msg, hint="Allow deletes below SPANPROOF_BLOBS.")
        return f"{self._objects.url}: a probe was put, read and deleted"

    def answer(self) -> str:
        """Ask the store for one small object."""
        self._ensure_mark(anew=True)
        return "the object store answers"

    def forget(self, digests: Iterable[Digest]) -> None:
        """Drop local copies; the blobs stay."""
        self._cache.drop(digests)

    def forget_all(self) -> None:
        """Drop every local copy, so that the next read asks the store."""
        self._cache.drop_all()

    def close(self) -> None:
        """Let go of connections; the next use opens them again."""
        self._objects.close()

    def _fetch(self, digest: Digest) -> StagedFile:
        """The object as a staged file of that digest; the caller adopts it or closes it."""
        key = _to_key(digest)
        size = self._objects.size_of(key)
        if size is None:
            raise self._to_missing(digest)
        fetched = StagedFile(self._cache.staging)
        try:
            for part in self._objects.read_parts(key, size):
                fetched.write(part)
        except FileNotFoundError as error:
            fetched.close()
            raise self._to_missing(digest) from error
        except BaseException:
            fetched.close()
            raise
        if fetched.digest != digest:
            fetched.close()
            msg = f"Expected a blob {digest}, got {fetched.size} bytes of {fetched.digest}."
            raise BlobDigestMismatchError(msg, hint=_RESTORE)
        return fetched

    def _is_intact(self, key: str, digest: Digest, size: int) -> bool:
        if self._objects.size_of(key) != size:
            return False
        found = hashlib.sha256()
        try:
            for part in self._objects.read_parts(key, size):
                found.update(part)
        except FileNotFoundError:
            return False
        return found.hexdigest() == digest.hex

    def _to_missing(self, digest: Digest) -> IntegrityError:
        self._require_mark()
        return IntegrityError(f"Expected a blob {digest}, got none.", hint=_RESTORE)

    def _require_mark(self) -> None:
        if self._objects.size_of(MARK) is None:
            msg = (
                f"Expected an object {MARK!r} in the object store, got none: is it another bucket?"
            )
            raise ObjectStoreUnavailableError(msg, hint=_CHECK)

    def _ensure_mark(self, *, anew: bool = False) -> None:
        if self._is_marked and not anew:
            return
        if self._objects.size_of(MARK) is None:
            self._write(MARK, _MARK_CONTENT)
        self._is_marked = True

    def _write(self, key: str, content: bytes) -> None:
        with StagedFile(self._cache.staging) as staged:
            staged.write(content)
            self._objects.upload(staged.path, key, staged.size)

    def _forget_erased(self) -> None:
        """Drop copies of blobs that another host has erased, once an hour."""
        with self._lock:
            if time.monotonic() < self._next_forget:
                return
            self._next_forget = time.monotonic() + _FORGET_SECONDS
        try:
            self._cache.drop(self._find_erased())
        except BaseException:
            # Not done is not done: the next use tries again.
            self._next_forget = 0.0
            raise


def _to_key(digest: Digest) -> str:
    return f"blobs/{digest.hex[:2]}/{digest.hex}"
