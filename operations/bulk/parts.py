"""The files of a bulk run's output: each is whole or missing, and names its own input."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow as pa

#: The key of a part's metadata: JSON.
METADATA_KEY = b"spanproof.bulk"
FORMAT = 1
_PARTIAL = ".partial"


def read_description(path: Path) -> dict[str, Any] | None:
    """The metadata of a complete part; None for a missing part or another file."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as opened:
            found = json.loads((opened.schema_arrow.metadata or {})[METADATA_KEY])
            is_whole = opened.metadata.num_rows == found["rows"]
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    is_ours = isinstance(found.get("outcomes"), dict) and found.get("format") == FORMAT
    return found if is_ours and is_whole else None


def write_part(
    path: Path, batch: pa.RecordBatch, described: dict[str, Any], labels: Sequence[str]
) -> None:
    """Write the part under another name, synchronise it, give it its own."""
    import pyarrow as pa
    from pyarrow import parquet

    metadata = {
        METADATA_KEY: json.dumps(described, sort_keys=True),
        b"spanproof.labels": json.dumps(list(labels)),
    }
    table = pa.Table.from_batches([batch]).replace_schema_metadata(metadata)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial, stream = _create_locked(path)
    try:
        with stream:
            parquet.write_table(table, stream, compression="zstd")
            stream.flush()
            os.fsync(stream.fileno())
            partial.replace(path)
        _sync(path.parent)
    finally:
        partial.unlink(missing_ok=True)


def _create_locked(path: Path) -> tuple[Path, IO[bytes]]:
    """A file beside ``path`` to write into; the lock tells a sweep that its writer lives."""
    while True:
        partial = path.with_name(f".{path.name}.{secrets.token_hex(8)}{_PARTIAL}")
        stream = partial.open("xb")
        # A file system without locks has no sweep either: there nothing can be locked.
        with suppress(OSError):
            fcntl.flock(stream.fileno(), fcntl.LOCK_EX)
        if os.fstat(stream.fileno()).st_nlink:
            return partial, stream
        # A sweep came between the creation and the lock: begin again under another name.
        stream.close()


def sweep(folder: Path) -> None:
    """Remove what killed runs were writing; what another run writes now is locked."""
    for path in folder.rglob(f".*{_PARTIAL}"):
        with suppress(OSError), path.open("rb") as stream:
            fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
