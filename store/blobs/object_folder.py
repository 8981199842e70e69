"""One prefix of an object store, by fsspec: few verbs, each with a time limit and one error.

A name appears when its object is whole, and a confirmed write is durable: S3 and stores with its
protocol, Google Cloud Storage and Azure do so. Nothing here trusts the bytes: the reader digests.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spanproof.store.errors import ObjectStoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanproof.store.blobs.object_place import ObjectPlace

#: Read and written at once: what one transfer holds in memory, twice over at most.
PART_BYTES = 8 * 1024**2
#: A slower line is taken for one that hangs.
_BYTES_A_SECOND = 1024**2
_CONNECT_SECONDS = 5.0
#: How often what may be a passing fault is tried: by botocore, and by s3fs above it.
_TRIES = 2
#: For a list of all objects, a thousand of which come with each answer.
_LISTING_SECONDS = 3600.0
_CHECK = "Check the object store of SPANPROOF_BLOBS, its credentials and the way to it."


class ObjectFolder:
    """The objects below one address. Safe for several threads; a forked child connects again."""

    def __init__(self, place: ObjectPlace) -> None:
        self.url = place.url.rstrip("/")
        self._seconds = place.seconds
        self._lock = threading.Lock()
        self._filesystem: Any = None
        self._root = ""
        self._process_id = 0

    def size_of(self, key: str) -> int | None:
        """How many bytes an object has, or None."""
        with _wrapped_errors("ask for an object"):
            try:
                found = self._call("info", self._path(key))
            except FileNotFoundError:
                return None
            return int(found["size"]) if found["type"] == "file" else None

    def read_parts(self, key: str, size: int) -> Iterator[bytes]:
        """The first ``size`` bytes of an object, a part at a time; fewer where it is shorter.

        Raises FileNotFoundError where it is gone.
        """
        for start in range(0, size, PART_BYTES):
            end = min(start + PART_BYTES, size)
            with _wrapped_errors("read an object"):
                part: bytes = self._call("cat_file", self._path(key), start=start, end=end)
            yield part
            if len(part) < end - start:
                return

    def upload(self, source: Path, key: str, size: int) -> None:
        """Make a file an object, in place of one of that name."""
        seconds = self._seconds + size / _BYTES_A_SECOND
        work = "write an object"
        with _wrapped_errors(work):
            options = {"chunksize": PART_BYTES} if self._is_s3() else {}
            self._make_parents(key)
            try:
                self._call("put_file", str(source), self._path(key), seconds=seconds, **options)
            except FileNotFoundError as error:
                # The bucket is meant: the file is ours.
                raise _to_unavailable(work, error) from error

    def delete(self, key: str) -> None:
        """Take an object away; it may be gone already."""
        with _wrapped_errors("delete an object"):
            try:
                self._call("rm_file", self._path(key))
            except FileNotFoundError:
                return

    def list(self, key: str) -> tuple[str, ...]:
        """The last parts of the names one level below this one; for folders of few."""
        with _wrapped_errors("list objects"):
            try:
                found = self._call("ls", self._path(key), detail=False)
            except FileNotFoundError:
                return ()
        return tuple(sorted(each.rstrip("/").rpartition("/")[2] for each in found))

    def walk(self) -> Iterator[str]:
        """The names of all objects, for a copy of everything; of many it takes its time."""
        with _wrapped_errors("list objects"):
            try:
                found = self._call("find", self._path("").rstrip("/"), seconds=_LISTING_SECONDS)
            except FileNotFoundError:
                return
        for each in sorted(found):
            yield each.removeprefix(f"{self._root}/")

    def close(self) -> None:
        """Let go of the connections; the next call opens them again."""
        with self._lock:
            # s3fs ends its session when nothing holds it any more.
            self._filesystem = None

    def _path(self, key: str) -> str:
        self._open()
        return f"{self._root}/{key}"

    def _is_s3(self) -> bool:
        return "s3" in _to_protocols(self._open())

    def _make_parents(self, key: str) -> None:
        # Folders are of file systems only; an object store's are what its names look like.
        filesystem = self._open()
        if not filesystem.async_impl:
            filesystem.makedirs(self._path(key).rpartition("/")[0], exist_ok=True)

    def _call(self, verb: str, *given: Any, seconds: float | None = None, **named: Any) -> Any:  # noqa: ANN401 - fsspec's own
        """One of fsspec's verbs, given up after its time."""
        filesystem = self._open()
        if not filesystem.async_impl:
            return getattr(filesystem, verb)(*given, **named)
        from fsspec.asyn import sync

        work = getattr(filesystem, f"_{verb}")
        return sync(filesystem.loop, work, *given, timeout=seconds or self._seconds, **named)

    def _open(self) -> Any:  # noqa: ANN401 - of a class that the address chooses
        with self._lock:
            if self._filesystem is None or self._process_id != os.getpid():
                self._filesystem, self._root = _open_filesystem(self.url, self._seconds)
                self._process_id = os.getpid()
            return self._filesystem


def _open_filesystem(url: str, seconds: float) -> tuple[Any, str]:
    import fsspec

    protocol = url.partition("://")[0]
    # A shared instance caches listings, and would miss the writes of another host.
    options: dict[str, Any] = {"skip_instance_cache": True, "use_listings_cache": False}
    try:
        if protocol in {"s3", "s3a"}:
            timeouts = {"connect_timeout": min(_CONNECT_SECONDS, seconds), "read_timeout": seconds}
            options |= {
                "config_kwargs": timeouts | {"retries": {"total_max_attempts": _TRIES}},
                "default_block_size": PART_BYTES,
                "max_concurrency": 1,
            }
        filesystem = fsspec.filesystem(protocol, **options)
    except (ImportError, ValueError) as error:
        msg = f"Expected a package for {protocol!r} stores, but none is installed."
        hint = "Install it (for s3: 'pip install spanproof[s3]'), or correct SPANPROOF_BLOBS."
        raise ObjectStoreUnavailableError(msg, hint=hint) from error
    if "s3" in _to_protocols(filesystem):
        filesystem.retries = _TRIES
    return filesystem, filesystem._strip_protocol(url).rstrip("/")  # noqa: SLF001 - fsspec's own word


def _to_protocols(filesystem: Any) -> tuple[str, ...]:  # noqa: ANN401 - as _open
    found = filesystem.protocol
    return (found,) if isinstance(found, str) else tuple(found)


@contextmanager
def _wrapped_errors(work: str) -> Iterator[None]:
    """Raise ObjectStoreUnavailableError for any error of an object store's client.

    FileNotFoundError passes: it may be an answer.
    """
    try:
        yield
    except (FileNotFoundError, ObjectStoreUnavailableError):
        raise
    except Exception as error:
        # Of many libraries, without a common class.
        raise _to_unavailable(work, error) from error


def _to_unavailable(work: str, error: Exception) -> ObjectStoreUnavailableError:
    # The class only: a store's words may hold the name of a key, or of somebody else's bucket.
    msg = f"Expected the object store to {work}, got {_describe(error)}."
    return ObjectStoreUnavailableError(msg, hint=_CHECK)


def _describe(error: Exception) -> str:
    from fsspec.exceptions import FSTimeoutError

    if isinstance(error, FSTimeoutError | TimeoutError):
        return "no answer in time"
    if isinstance(error, PermissionError):
        return "a refusal of our credentials"
    if isinstance(error, FileNotFoundError):
        return "no such bucket"
    return type(error).__name__
