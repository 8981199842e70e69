"""What a bulk run has to do: files of pairs, cut into parts of fixed size, dealt out to shards.

A part is a range of rows of one file. Its place in the list of all parts says which shard has it,
and its name which rows it holds, so that any number of machines agree without talking.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.errors import InputError, MalformedBulkError
from spanproof.core.shown import show_value
from spanproof.operations.bulk.pair_ids import PairIds
from spanproof.operations.bulk.rows import check_rows, check_schema
from spanproof.operations.errors import UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

#: Rows of a part: what a kill costs at most, and what is in memory at once.
PART_ROWS = 1_000
#: A group of rows is decoded whole: the columns that are read may not be larger than this.
MAX_GROUP_BYTES = 2 * 1024**3
#: More machines than this share no run; and a typing error does not make a million shards.
MAX_SHARDS = 100_000
_SHARD = re.compile(r"([0-9]{1,6})/([0-9]{1,6})", re.ASCII)
_ROWS_AT_ONCE = 8_192


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One of ``count`` runs beside each other; ``index`` counts from 0."""

    index: int = 0
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``i/n``; raise InputError for anything but 0 <= i < n."""
        match = _SHARD.fullmatch(text)
        index, count = (int(part) for part in match.groups()) if match else (0, 0)
        if not index < count <= MAX_SHARDS:
            msg = f"Expected a shard i/n with 0 <= i < n <= {MAX_SHARDS}, got {text!r}."
            raise InputError(msg, hint="Shards count from 0: the first of four is 0/4.")
        return cls(index=index, count=count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Rows ``[start, end)`` of a file; ``name`` is that of its output in the output's folder."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFile:
    """A file of pairs: its name within the input, its rows, and the parts that a shard has."""

    path: Path
    name: str
    rows: int
    parts: tuple[Part, ...]

    @property
    def stem(self) -> str:
        """What the names of all its parts begin with."""
        return self.name.removesuffix(".parquet")


def plan_files(source: Path, shard: Shard, *, part_rows: int = PART_ROWS) -> tuple[InputFile, ...]:
    """The files with a part in the shard, in the order of their names.

    Raises UnreadableFileError or MalformedBulkError where one cannot be read, or none has a row.
    Of each file only the footer is read.
    """
    files: list[InputFile] = []
    position = total = 0
    for path, name in _list_files(source):
        rows = _read_footer(path)
        total += rows
        starts = range(0, max(rows, 1), part_rows)
        own = tuple(
            Part(
                name=f"{name.removesuffix('.parquet')}.{start:012d}.parquet",
                start=start,
                end=min(start + part_rows, rows),
            )
            for number, start in enumerate(starts, position)
            if number % shard.count == shard.index
        )
        position += len(starts)
        if own:
            files.append(InputFile(path=path, name=name, rows=rows, parts=own))
    if not total:
        msg = f"Expected rows in {str(source)!r}, got none."
        raise MalformedBulkError(msg, hint="Write the pairs that are to be verified.")
    return tuple(files)


def check_files(files: Sequence[InputFile], scratch: Path) -> dict[str, str]:
    """Read every row once and check it; returns the SHA-256 (hex) of each file by its name.

    Raises MalformedBulkError where a row is not well formed or a pair_id stands twice. What the
    check of ids needs stands in nameless files of ``scratch`` meanwhile.
    """
    digests: dict[str, str] = {}
    with PairIds(scratch) as ids:
        kind: Any = None
        for file in files:
            digests[file.name] = _digest(file.path)
            for first, batch in read_all(file):
                column = check_rows(batch, file.name, first=first).column("pair_id")
                kind = kind or column.type
                if column.type != kind:
                    msg = f"Expected pair_id of one type in all files, got {column.type} too."
                    raise MalformedBulkError(msg, hint="Write the column with one type.")
                ids.add(column)
        twice = ids.find_duplicate()
    if twice is not None:
        raise _name_duplicate(files, twice)
    return digests


def read_parts(
    file: InputFile, parts: Sequence[Part] | None = None
) -> Iterator[tuple[Part, pa.RecordBatch]]:
    """The rows of these parts of a file (default: all of its parts), in their order.

    In one pass, in which groups of rows that no part needs are left out; memory holds one part.
    Raises MalformedBulkError where the file no longer has all rows of a part.
    """
    import pyarrow as pa

    waiting = deque(file.parts if parts is None else parts)
    with _open(file.path) as opened:
        schema = check_schema(opened.schema_arrow, file.name)
        held: list[Any] = []
        for first, batch in _read_rows(opened, tuple(waiting), schema.names, file.name):
            end = first + len(batch)
            while waiting and waiting[0].start < end:
                start = max(waiting[0].start - first, 0)
                held.append(batch.slice(start, min(waiting[0].end - first, len(batch)) - start))
                if waiting[0].end > end:
                    break
                rows = pa.Table.from_batches(held).combine_chunks()
                held = []
                yield waiting.popleft(), rows.to_batches()[0]
        for part in waiting:
            if part.start != part.end:
                msg = f"Expected rows {part.start + 1} to {part.end} in {file.name}, got fewer."
                hint = "Leave the input as it is while it is verified, then run it again."
                raise MalformedBulkError(msg, hint=hint)
            # The one part of a file without rows.
            arrays = [pa.array([], field.type) for field in schema]
            yield part, pa.RecordBatch.from_arrays(arrays, schema=schema)


def read_all(file: InputFile) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Every row of a file, a few thousand at a time, each batch with the number of its first."""
    with _open(file.path) as opened:
        names = check_schema(opened.schema_arrow, file.name).names
        whole = Part(name=file.name, start=0, end=file.rows)
        yield from _read_rows(opened, [whole], names, file.name)


def _read_rows(
    opened: Any,  # noqa: ANN401 - an untyped library
    parts: Sequence[Part],
    names: Sequence[str],
    where: str,
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """A few thousand rows at a time, with the number of the first, of groups that are needed."""
    import pyarrow as pa

    first = 0
    for group in range(opened.num_row_groups):
        end = first + opened.metadata.row_group(group).num_rows
        if any(part.start < end and first < part.end for part in parts):
            try:
                for batch in opened.iter_batches(
                    _ROWS_AT_ONCE, row_groups=[group], columns=list(names)
                ):
                    yield first, batch
                    first += len(batch)
            except (pa.ArrowException, OSError) as error:
                raise _unreadable(where, error) from error
        first = end


def _list_files(source: Path) -> list[tuple[Path, str]]:
    if source.is_file():
        return [(source, source.name)]
    if not source.is_dir():
        msg = f"Expected a Parquet file or a folder of them, got {str(source)!r}."
        raise UnreadableFileError(msg, hint="Check the path.")
    found = sorted(
        (path.relative_to(source).as_posix(), path)
        for path in source.rglob("*.parquet")
        # What begins with a dot or a line is another tool's, or half-written.
        if path.is_file()
        and not any(part.startswith((".", "_")) for part in path.relative_to(source).parts)
    )
    if not found:
        msg = f"Expected files named .parquet in {str(source)!r}, got none."
        raise UnreadableFileError(msg, hint="Check the path.")
    return [(path, name) for name, path in found]


def _read_footer(path: Path) -> int:
    with _open(path) as opened:
        wanted = set(check_schema(opened.schema_arrow, path.name).names)
        for group in range(opened.num_row_groups):
            described = opened.metadata.row_group(group)
            columns = (described.column(at) for at in range(described.num_columns))
            size = sum(
                column.total_uncompressed_size
                for column in columns
                if column.path_in_schema.partition(".")[0] in wanted
            )
            if size > MAX_GROUP_BYTES:
                msg = f"Expected row groups of at most {MAX_GROUP_BYTES} bytes in {path.name}"
                raise MalformedBulkError(
                    f"{msg}, got one of {size}.", hint="Write it with smaller row groups."
                )
        return int(opened.metadata.num_rows)


def _open(path: Path) -> Any:  # noqa: ANN401 - an untyped library
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return parquet.ParquetFile(path)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _unreadable(path.name, error) from error


def _unreadable(name: str, error: Exception) -> MalformedBulkError:
    why = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
    msg = f"Expected a Parquet file, got {name!r}, which cannot be read ({why})."
    return MalformedBulkError(msg, hint="Write the pairs as Parquet.")


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(path.name, error) from error


def _name_duplicate(files: Sequence[InputFile], key: tuple[int, int]) -> MalformedBulkError:
    found: list[str] = []
    value: object = None
    for file in files:
        for first, batch in read_all(file):
            column = check_rows(batch, file.name, first=first).column("pair_id")
            for row, each in enumerate(PairIds.to_keys(column).tolist()):
                if tuple(each) == key and len(found) < 2:
                    value = column[row].as_py()
                    found.append(f"row {first + row + 1} of {file.name}")
    shown = show_value(value)
    msg = f"Expected each pair_id once, got {shown} in {' and '.join(found)}."
    return MalformedBulkError(msg, hint="Give each pair an id of its own.")
