"""Reading a manifest: its shape row by row, its number and digest of rows at the end.

A manifest of another tool may come without a header; then nothing vouches for its rows.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import MalformedManifestError, ManifestDigestError
from spanproof.core.json_reader import strict_json
from spanproof.ingest.manifest.parsing import is_header, parse_header, parse_row
from spanproof.ingest.manifest.rows import (
    GROUP_ROWS,
    HEADER_KEY,
    REQUIRED,
    RowsDigest,
    make_schema,
    to_jcs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from spanproof.ingest.manifest.rows import ManifestHeader, ManifestRow

_PARQUET_MAGIC = b"PAR1"
#: A line is a row: a longer one is refused.
_MOST_LINE_BYTES = 16 << 20
_COUNTED_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Manifest:
    """An open manifest: its header, where it has one, and its rows, which can be read once."""

    header: ManifestHeader | None
    rows: Iterator[ManifestRow]
    """Conclude nothing before the last row has come: only then number and digest are compared."""


@contextmanager
def open_manifest(path: Path) -> Iterator[Manifest]:
    """Open either format, told by its first bytes; raise MalformedManifestError for others."""
    with path.open("rb") as opened:
        magic = opened.read(len(_PARQUET_MAGIC))
        opened.seek(0)
        yield _open_parquet(opened) if magic == _PARQUET_MAGIC else _open_lines(opened)


def count_rows(path: Path) -> int:
    """The number of a manifest's rows, or of its lines with the header; all unchecked.

    Raises MalformedManifestError for Parquet that cannot be read.
    """
    with path.open("rb") as opened:
        is_parquet = opened.read(len(_PARQUET_MAGIC)) == _PARQUET_MAGIC
        opened.seek(0)
        if is_parquet:
            rows: int = _read_parquet(opened).metadata.num_rows
            return rows
        return sum(part.count(b"\n") for part in iter(partial(opened.read, _COUNTED_BYTES), b""))


def _open_lines(opened: BinaryIO) -> Manifest:
    first = _read_line(opened, 1)
    if first is None:
        msg = "Expected a manifest with a header or rows, got an empty file."
        raise MalformedManifestError(msg, hint="Write it again.")
    header = parse_header(first) if is_header(first) else None
    found = _lines(opened, None if header is not None else first)
    return Manifest(header=header, rows=_check(header, found))


def _lines(opened: BinaryIO, first: dict[str, Any] | None) -> Iterator[ManifestRow]:
    number = 1
    if first is not None:
        yield parse_row(first, "line 1")
    while (fields := _read_line(opened, number := number + 1)) is not None:
        yield parse_row(fields, f"line {number}")


def _read_line(opened: BinaryIO, number: int) -> dict[str, Any] | None:
    line = opened.readline(_MOST_LINE_BYTES + 1)
    if not line:
        return None
    what, hint = f"a JSON object at line {number}", "Write one object a line, in UTF-8."
    if len(line) > _MOST_LINE_BYTES:
        msg = f"Expected {what}, got more than {_MOST_LINE_BYTES} bytes."
        raise MalformedManifestError(msg, hint=hint)
    fields: Any = strict_json.parse(
        line, what=what, error=MalformedManifestError, hint=hint, limits=None
    )
    if not isinstance(fields, dict):
        raise MalformedManifestError(f"Expected {what}, got another value.", hint=hint)
    return fields


def _read_parquet(opened: BinaryIO) -> Any:  # noqa: ANN401 - an untyped library
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return parquet.ParquetFile(opened)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _unreadable(error) from error


def _unreadable(error: Exception) -> MalformedManifestError:
    msg = f"Expected a Parquet manifest, got a file that cannot be read ({error})."
    return MalformedManifestError(msg, hint="Write it again.")


def _open_parquet(opened: BinaryIO) -> Manifest:
    import pyarrow as pa

    file = _read_parquet(opened)
    try:
        described = (file.schema_arrow.metadata or {}) | (file.metadata.metadata or {})
        raw = described.get(HEADER_KEY.encode())
        header = None if raw is None else parse_header(_read_header(raw))
        names = file.schema_arrow.names
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _unreadable(error) from error
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        msg = f"Expected the columns {', '.join(REQUIRED)}, got none called {missing[0]}."
        raise MalformedManifestError(msg, hint="Add the column.")
    return Manifest(header=header, rows=_check(header, _groups(file)))


def _read_header(raw: bytes) -> Any:  # noqa: ANN401 - any JSON value
    return strict_json.parse(
        raw,
        what=f"a header as JSON in the metadata {HEADER_KEY!r}",
        error=MalformedManifestError,
        hint="Write it again.",
        limits=None,
    )


def _groups(file: Any) -> Iterator[ManifestRow]:  # noqa: ANN401 - an untyped library
    import pyarrow as pa

    known = [name for name in make_schema().names if name in file.schema_arrow.names]
    number = 0
    try:
        for batch in file.iter_batches(batch_size=GROUP_ROWS, columns=known):
            for fields in batch.to_pylist():
                number += 1
                yield parse_row(fields, f"row {number}")
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        msg = f"Expected rows of a Parquet manifest after row {number}, got an error ({error})."
        raise MalformedManifestError(msg, hint="Write it again.") from error


def _check(header: ManifestHeader | None, rows: Iterator[ManifestRow]) -> Iterator[ManifestRow]:
    read = RowsDigest()
    for row in rows:
        if header is not None:
            read.add(to_jcs(row.to_json()))
        yield row
    if header is None:
        return
    if (read.count, read.digest) != (header.rows, header.rows_sha256):
        msg = (
            f"Expected {header.rows} rows of digest {header.rows_sha256}, "
            f"got {read.count} of digest {read.digest}."
        )
        raise ManifestDigestError(msg, hint="Write the manifest again; this one was changed.")
