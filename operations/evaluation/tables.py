"""The rows of a file of cases, whatever holds them: JSON, JSON lines, CSV, Parquet or Arrow.

Each comes as the bytes of one JSON object, with its number from 1. A folder is a data set that
Hugging Face ``datasets`` saved: its Arrow files are read in their order.
"""

from __future__ import annotations

import csv
import json
from typing import IO, TYPE_CHECKING, Any

from spanproof.core.errors import InputError, MalformedCasesError
from spanproof.core.extras import is_installed, need_extra

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: What a line may have beside its payload.
MARGIN_BYTES = 64 * 1024
#: A JSON array is read whole, in bytes.
MAX_JSON_BYTES = 256 * 1024**2
_KINDS = ".jsonl, .json, .csv or .parquet, or the folder of a data set"
_HINT = f"Give a file of the kind {_KINDS}."
_TABLE_ROWS = 1000


def read_rows(path: Path, *, most_bytes: int) -> Iterator[tuple[int, bytes]]:
    """Each row with its number; of a line that is too long, a beginning that is too long.

    Raises InputError for a path that cannot be read, MalformedCasesError for a file of another
    kind than its name says, ExtraMissingError for Parquet and Arrow without the extra ``server``.
    """
    suffix = path.suffix.lower()
    if path.is_dir():
        yield from _number(_read_data_set(path))
    elif suffix == ".parquet":
        yield from _number(_read_parquet(path))
    elif suffix == ".csv":
        yield from _number(_read_csv(path, most_bytes))
    elif suffix == ".json":
        yield from _number(_read_array(path))
    else:
        yield from _read_lines(path, most_bytes)


def _number(rows: Iterator[dict[str, Any]]) -> Iterator[tuple[int, bytes]]:
    for number, row in enumerate(rows, start=1):
        # A table has every column in every row: null is a value that is not given.
        given = {name: value for name, value in row.items() if value is not None}
        yield number, json.dumps(given, ensure_ascii=False, default=str).encode()


def _read_lines(path: Path, most_bytes: int) -> Iterator[tuple[int, bytes]]:
    longest = most_bytes + MARGIN_BYTES
    number = 0
    with _open(path) as stream:
        while line := stream.readline(longest + 1):
            number += 1
            yield number, line
            while len(line) > longest and not line.endswith(b"\n"):
                line = stream.readline(longest + 1)


def _read_array(path: Path) -> Iterator[dict[str, Any]]:
    from spanproof.core.json_reader.object_reader import load_json

    with _open(path) as stream:
        raw = stream.read(MAX_JSON_BYTES + 1)
    if len(raw) > MAX_JSON_BYTES:
        msg = f"Expected a JSON file of at most {MAX_JSON_BYTES} bytes, got a larger one."
        raise MalformedCasesError(msg, hint="Write one case a line (.jsonl).")
    rows = load_json(raw)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        msg = f"Expected a JSON array of objects, got another value in {str(path)!r}."
        raise MalformedCasesError(msg, hint="Write an array of cases, or one case a line (.jsonl).")
    yield from rows


def _read_csv(path: Path, most_bytes: int) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(most_bytes + MARGIN_BYTES)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            for row in csv.DictReader(stream, strict=True):
                if None in row or None in row.values():
                    msg = f"Expected as many cells as columns, got a row of {str(path)!r} without."
                    raise MalformedCasesError(msg, hint="Quote cells that hold a comma.")
                yield {name: _read_cell(cell) for name, cell in row.items()}
    except OSError as error:
        raise _to_unreadable(path, error) from error
    except (csv.Error, UnicodeDecodeError) as error:
        msg = f"Expected a CSV file in UTF-8, got {str(path)!r} ({error})."
        raise MalformedCasesError(msg, hint="Save it again as CSV in UTF-8.") from error


def _read_cell(cell: str) -> Any:  # noqa: ANN401 - any JSON value
    """A list or an object is written as JSON in a cell; everything else is a text."""
    if cell.lstrip()[:2] in {'["', "[]", "[{", '{"', "{}"}:
        try:
            return json.loads(cell)
        except ValueError:
            return cell
    return cell or None


def _read_parquet(path: Path) -> Iterator[dict[str, Any]]:
    _need_arrow("a Parquet file")
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as opened:
            for batch in opened.iter_batches(batch_size=_TABLE_ROWS):
                yield from batch.to_pylist()
    except OSError as error:
        raise _to_unreadable(path, error) from error
    except pa.ArrowException as error:
        msg = f"Expected a Parquet file, got {str(path)!r} ({type(error).__name__})."
        raise MalformedCasesError(msg, hint=_HINT) from error


def _read_data_set(folder: Path) -> Iterator[dict[str, Any]]:
    _need_arrow("a data set")
    import pyarrow as pa
    from pyarrow import ipc

    if (folder / "dataset_dict.json").is_file():
        splits = sorted(each.name for each in folder.iterdir() if each.is_dir())
        msg = f"Expected one split of a data set, got the folder of {', '.join(splits)}."
        raise InputError(msg, hint=f"Give one of them: {folder.name}/{splits[0]}.")
    files = sorted(folder.glob("*.arrow"))
    if not files:
        msg = f"Expected a data set that datasets saved, got {str(folder)!r} without .arrow files."
        raise InputError(msg, hint="Give the folder that save_to_disk wrote.")
    for path in files:
        try:
            with path.open("rb") as stream, ipc.open_stream(stream) as batches:
                for batch in batches:
                    yield from batch.to_pylist()
        except OSError as error:
            raise _to_unreadable(path, error) from error
        except pa.ArrowException as error:
            msg = f"Expected an Arrow file, got {str(path)!r} ({type(error).__name__})."
            raise MalformedCasesError(msg, hint="Save the data set again.") from error


def _need_arrow(what: str) -> None:
    if not is_installed("server"):
        why = f"{what} is read by pyarrow"
        raise need_extra(why, extra="server")


def _open(path: Path) -> IO[bytes]:
    if not path.is_file():
        msg = f"Expected a file of cases, got {str(path)!r}."
        raise InputError(msg, hint=_HINT)
    try:
        return path.open("rb")
    except OSError as error:
        raise _to_unreadable(path, error) from error


def _to_unreadable(path: Path, error: OSError) -> InputError:
    msg = f"Expected a file of cases, got {str(path)!r} ({error.strerror or error})."
    return InputError(msg, hint=_HINT)
