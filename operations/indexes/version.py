"""A version of an index, registered by its manifest."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from spanproof.core.chunk_facts import pack_chunk, to_id
from spanproof.core.errors import ConflictError, MalformedManifestError
from spanproof.core.shown import shorten
from spanproof.ingest.manifest import open_manifest
from spanproof.operations.errors import (
    DigestMismatchError,
    ManifestTooLargeError,
    UnreadableFileError,
)
from spanproof.store.indexes.indexes import DuplicateChunkError
from spanproof.store.names import check_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from spanproof.core.digest import Digest
    from spanproof.ingest.manifest import ManifestHeader, ManifestRow
    from spanproof.operations.context import Context
    from spanproof.store.blobs.port import StagedBlob
    from spanproof.store.indexes.index_rows import IndexVersion, NewVersion

_COPIED_BYTES = 1 << 20
#: So many rows pass between two reports of progress.
_ROWS_PER_PROGRESS = 10_000


def register_file(
    context: Context,
    new: NewVersion,
    path: Path,
    *,
    progress: Callable[[int], None] | None = None,
) -> tuple[IndexVersion, bool]:
    """Register the manifest in a file, as ``register`` does."""
    with context.store.blobs.stage() as staged:
        try:
            with path.open("rb") as source:
                while chunk := source.read(_COPIED_BYTES):
                    staged.write(chunk)
        except OSError as error:
            msg = f"Expected a manifest that can be read, got {str(path)!r} ({error.strerror})."
            raise UnreadableFileError(msg, hint="Check the path.") from error
        return register(context, new, staged, progress=progress)


def register(
    context: Context,
    new: NewVersion,
    staged: StagedBlob,
    *,
    expected: Digest | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[IndexVersion, bool]:
    """Keep a staged manifest as a version of an index; returns it, and whether it is new.

    ``expected`` is what the caller says that its bytes digest to: DigestMismatchError otherwise.
    ``progress`` is called now and then with the rows that were read. Of more rows than the setting
    allows is raised ManifestTooLargeError.

    Its shape is checked row by row, its words never. The same again changes nothing; another
    manifest under a recorded version raises ConflictError, two rows of one id
    MalformedManifestError. Nothing is kept unless all rows are well formed.
    """
    name, version = new.name, new.version
    check_name("name", name)
    check_name("version", version)
    if expected is not None and staged.digest != expected:
        msg = f"Expected bytes of {expected}, got {staged.size} of {staged.digest}."
        raise DigestMismatchError(msg, hint="Send the manifest again, whole.")
    indexes = context.store.indexes
    known = indexes.find(name, version)
    if known is not None and known.manifest_sha256 == staged.digest:
        return known, False
    if known is not None:
        msg = f"Expected a new version of index {name!r}, got {version!r}, which is recorded."
        raise ConflictError(msg, hint="Register it under a version of its own.")
    counted = _Counted(most=context.settings.max_manifest_rows, progress=progress)
    try:
        with open_manifest(staged.path) as manifest:
            header = manifest.header
            records = indexes.sort_records(counted.pack(manifest.rows), context.store.home)
    except DuplicateChunkError as error:
        raise _name_duplicate(staged.path, error.key) from error
    with records:
        return indexes.add(
            new,
            staged,
            records,
            rows_with_offsets=counted.with_offsets,
            header=_to_header(header),
        )


@dataclass(slots=True)
class _Counted:
    """Packs rows and counts those with offsets as they pass; refuses more than ``most``."""

    most: int
    progress: Callable[[int], None] | None = None
    with_offsets: int = 0

    def pack(self, rows: Iterator[ManifestRow]) -> Iterator[bytes]:
        for number, row in enumerate(rows, 1):
            if number > self.most:
                msg = f"Expected at most {self.most} rows, got more."
                hint = "Register the index in parts, or raise SPANPROOF_MAX_MANIFEST_ROWS."
                raise ManifestTooLargeError(msg, hint=hint)
            self.with_offsets += row.char_start is not None
            if self.progress is not None and number % _ROWS_PER_PROGRESS == 0:
                self.progress(number)
            yield _pack(row)


def _pack(row: ManifestRow) -> bytes:
    return pack_chunk(
        chunk_id=row.chunk_id,
        doc_id=row.doc_id,
        doc_hash=row.doc_hash,
        text_sha256=row.text_sha256,
        spans_sha256=row.spans_sha256,
        extraction_pipeline=row.extraction_pipeline,
        start=row.char_start,
        end=row.char_end,
    )


def _to_header(header: ManifestHeader | None) -> dict[str, Any] | None:
    return None if header is None else header.to_json()


def _name_duplicate(path: Path, key: tuple[int, int]) -> MalformedManifestError:
    with open_manifest(path) as manifest:
        twice = ((i, row) for i, row in enumerate(manifest.rows, 1) if to_id(row.chunk_id) == key)
        (first, row), (second, _) = islice(twice, 2)
    msg = (
        f"Expected each chunk_id once, got {shorten(row.chunk_id)!r} in rows {first} and {second}"
        " (counted from 1, without the header)."
    )
    return MalformedManifestError(msg, hint="Give each chunk an id of its own.")
