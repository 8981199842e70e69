"""Content-addressed bytes: durable before they are named, checked when read.

What the rest of the store asks of them, wherever they are: in a folder
(``spanproof.store.blobs.folder_blobs``) or in an object store (``spanproof.store.blobs``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType

    from spanproof.core.digest import Digest


class StagedBlob(Protocol):
    """Bytes on their way in, hashed while they are written; gone unless ``commit`` is called."""

    @property
    def digest(self) -> Digest:
        """SHA-256 of the bytes written so far."""

    @property
    def size(self) -> int:
        """How many bytes were written so far."""

    @property
    def path(self) -> Path:
        """A local file that holds the bytes."""

    def write(self, chunk: bytes) -> None:
        """Add bytes; raise ValueError after ``commit`` or ``close``."""

    def commit(self) -> Digest:
        """Make the bytes a blob that survives a power cut; committing twice does nothing more."""

    def close(self) -> None:
        """Let go of the file; uncommitted bytes are removed."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


class Blobs(Protocol):
    """Bytes by their SHA-256. Safe for several threads, and for several processes and machines.

    Every method raises StoreUnavailableError where the disk or the object store does not serve;
    then nothing is wrong with the data, and nothing of the request was done.
    """

    def stage(self) -> StagedBlob:
        """A blob to write; use it in a ``with`` statement."""

    def put(self, content: bytes) -> Digest:
        """Keep these bytes; keeping them twice stores them once."""

    def has(self, digest: Digest) -> bool:
        """Whether a blob of that name is there (its bytes are checked when they are read)."""

    def check(self, digest: Digest) -> Path:
        """A local file of a blob, read once to check its digest; for blobs too large for memory.

        It is never written again, so what was just checked may be mapped or read as a stream.
        Raises as ``read``.
        """

    def read(self, digest: Digest) -> bytes:
        """The bytes, digested again.

        Raises IntegrityError if there are none, BlobDigestMismatchError where they are others.
        """

    def remove(self, digest: Digest) -> bool:
        """Remove a blob for ever, once a leaf of the log says so; whether it was here."""

    def probe(self) -> str:
        """What was seen when a blob was tried; raise StoreUnavailableError."""

    def answer(self) -> str:
        """As ``probe``, as cheaply as can be asked every few seconds."""

    def forget(self, digests: Iterable[Digest]) -> None:
        """Drop local copies; the blobs stay."""

    def forget_all(self) -> None:
        """Drop every local copy, so that the next read asks the store."""

    def close(self) -> None:
        """Let go of connections; the next use opens them again."""
