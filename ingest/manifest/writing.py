"""Writing a manifest row by row: memory holds a few rows of a file of any length.

Until it is whole, the file bears another name: half a manifest must not look like all of it.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from spanproof.core.digest import Digest
from spanproof.core.errors import InputError
from spanproof.ingest.manifest.rows import GROUP_ROWS, HEADER_KEY, RowsDigest, make_schema, to_jcs

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from spanproof.ingest.manifest.rows import ManifestHeader, ManifestRow

# The header appears first and tells what comes last: so much room is kept for it.
_MOST_ROWS = 10**15
_ANY_DIGEST = Digest("0" * 64)


def write_manifest(
    path: Path, header: ManifestHeader, rows: Iterable[ManifestRow]
) -> ManifestHeader:
    """Write the rows as they come; returns the header with their number and digest.

    The suffix of the path decides: ``.jsonl`` or ``.parquet``.
    """
    writers = {".jsonl": _write_lines, ".parquet": _write_parquet}
    write = writers.get(path.suffix.lower())
    if write is None:
        msg = f"Expected a manifest named .jsonl or .parquet, got {path.name!r}."
        raise InputError(msg, hint="Give the output one of the two suffixes.")
    partial = path.with_name(path.name + ".partial")
    try:
        finished = write(partial, header, rows)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return finished


def _write_lines(path: Path, header: ManifestHeader, rows: Iterable[ManifestRow]) -> ManifestHeader:
    room = len(_line(replace(header, rows=_MOST_ROWS, rows_sha256=_ANY_DIGEST)))
    written = RowsDigest()
    with path.open("wb") as out:
        out.write(b" " * room + b"\n")
        for row in rows:
            line = to_jcs(row.to_json())
            written.add(line)
            out.write(line + b"\n")
        finished = _finish(header, written)
        out.seek(0)
        out.write(_line(finished).ljust(room))
        out.flush()
        os.fsync(out.fileno())
    return finished


def _write_parquet(
    path: Path, header: ManifestHeader, rows: Iterable[ManifestRow]
) -> ManifestHeader:
    import pyarrow as pa
    from pyarrow import parquet

    schema, waiting, written = make_schema(), iter(rows), RowsDigest()
    with path.open("wb") as out:
        with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
            while group := [row.to_json() for row in islice(waiting, GROUP_ROWS)]:
                for fields in group:
                    written.add(to_jcs(fields))
                writer.write_batch(pa.RecordBatch.from_pylist(group, schema))
            finished = _finish(header, written)
            writer.add_key_value_metadata({HEADER_KEY: _line(finished).decode("utf-8")})
        out.flush()
        os.fsync(out.fileno())
    return finished


def _finish(header: ManifestHeader, written: RowsDigest) -> ManifestHeader:
    return replace(header, rows=written.count, rows_sha256=written.digest)


def _line(header: ManifestHeader) -> bytes:
    return json.dumps(header.to_json(), ensure_ascii=False, separators=(",", ":")).encode("utf-8")
