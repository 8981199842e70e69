"""The rows that a bulk verification has made, read in the order of its input."""

from __future__ import annotations

import json
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spanproof.core.errors import IntegrityError
from spanproof.operations.bulk.parts import read_description
from spanproof.operations.errors import JobNotFoundError, JobUnfinishedError
from spanproof.operations.jobs import JobState

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path
    from typing import BinaryIO

    import pyarrow as pa

    from spanproof.operations.context import Context

KIND = "bulk_verification"
#: Of a job's folder the part that holds rows.
FOLDER = "rows"
_COPIED_BYTES = 1 << 20
_ROWS_AT_ONCE = 1_000


def find_parts(context: Context, job_id: str) -> tuple[Path, ...]:
    """The files of rows of a bulk verification, in order.

    Raises JobNotFoundError for a job of another kind, JobUnfinishedError for one that is not done,
    IntegrityError where rows are missing that it made, StoreUnavailableError.
    """
    job = context.jobs.find(job_id)
    if job.kind != KIND:
        msg = f"Expected the job of a bulk verification, got {job_id!r}, which is of {job.kind!r}."
        raise JobNotFoundError(msg, hint="Its own result says what it made.")
    if job.state is not JobState.DONE:
        msg = f"Expected a job that is done, got {job_id!r}, which is {job.state}."
        raise JobUnfinishedError(msg, hint="Wait until it is done, then ask again.")
    files = context.jobs.outputs.list_files(job_id, FOLDER)
    parts = tuple(each for each in files if each.suffix == ".parquet")
    described = [read_description(each) for each in parts]
    rows = sum(each["rows"] for each in described if each is not None)
    wanted = 0 if job.result is None else job.result["rows"]
    if None in described or rows != wanted:
        msg = f"Expected the {wanted} rows of job {job_id!r}, got {rows}."
        raise IntegrityError(msg, hint="Restore the home from a backup, or verify them again.")
    return parts


def write_lines(parts: tuple[Path, ...]) -> Iterator[bytes]:
    """The rows as JSON Lines, some hundred kilobytes at a time."""
    for batch in _read_batches(parts):
        lines = (
            json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            for row in batch.to_pylist()
        )
        yield "".join(f"{line}\n" for line in lines).encode()


def write_parquet(parts: tuple[Path, ...], scratch: Path) -> Iterator[bytes]:
    """The rows as one Parquet file without a name, which is in ``scratch`` meanwhile."""
    with _merged(parts, scratch) as merged:
        while chunk := merged.read(_COPIED_BYTES):
            yield chunk


@contextmanager
def _merged(parts: tuple[Path, ...], scratch: Path) -> Generator[BinaryIO, None, None]:
    from pyarrow import parquet

    with tempfile.TemporaryFile(dir=scratch) as merged:
        with parquet.ParquetFile(parts[0]) as first:
            # Labels hold for all; what the first part was made of does not.
            kept = {
                name: value
                for name, value in (first.schema_arrow.metadata or {}).items()
                if name == b"spanproof.labels"
            }
            schema = first.schema_arrow.with_metadata(kept)
        with parquet.ParquetWriter(merged, schema, compression="zstd") as writer:
            for batch in _read_batches(parts):
                writer.write_batch(batch.replace_schema_metadata(kept))
        merged.seek(0)
        yield merged


def _read_batches(parts: tuple[Path, ...]) -> Iterator[pa.RecordBatch]:
    from pyarrow import parquet

    for part in parts:
        with parquet.ParquetFile(part) as opened:
            yield from opened.iter_batches(_ROWS_AT_ONCE)
