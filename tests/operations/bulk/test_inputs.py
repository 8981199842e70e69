"""What a bulk run takes as rows, and what it refuses whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from spanproof.core.errors import InputError, MalformedBulkError, SpanproofError
from spanproof.operations.bulk.plan import Shard, plan_files, read_parts
from spanproof.operations.errors import UnreadableFileError
from tests.operations.bulk.conftest import make_rows, read_output, run, write

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.operations.context import Context


def bad_inputs(rows: list[dict[str, Any]]) -> dict[str, tuple[Any, str]]:
    """Inputs that are none, each with what its error says."""

    def change(at: int, **given: Any) -> list[dict[str, Any]]:
        return [row | given if number == at else row for number, row in enumerate(rows)]

    table = pa.Table.from_pylist(rows)
    latin = pa.array([b"caf\xe9"] * len(rows), pa.binary()).view(pa.string())
    return {
        "no column": (table.drop_columns(["claim"]), "got no 'claim'"),
        "a type": (table.set_column(2, "char_start", pa.array(["1"] * len(rows))), "whole numbers"),
        "a float id": (table.set_column(0, "pair_id", pa.array([1.5] * len(rows))), "'pair_id'"),
        "bytes": (table.set_column(4, "span_text", latin.view(pa.binary())), "strings in column"),
        "another encoding": (table.set_column(4, "span_text", latin), "UTF-8"),
        "twice the column": (table.append_column("claim", table["claim"]), "one column 'claim'"),
        "twice the id": (change(7, pair_id=3), "got 3 in row 4 of in.parquet and row 8 of"),
        "no id": (change(7, pair_id=None), "a value in column 'pair_id', row 8 of in.parquet"),
        "half a span": (change(5, char_end=None), "both offsets or neither.*row 6"),
        "reversed": (change(5, char_start=9, char_end=3), "row 6"),
        "negative": (change(5, char_start=-1), "row 6"),
        "a short hash": (change(5, doc_hash="sha256:12"), "64 lower-case.*row 6.*got 'sha256:12'"),
        "a hash and more": (change(5, doc_hash="sha256:" + "0" * 64 + "\n"), "row 6"),
        "a blank claim": (change(5, claim=" \n"), "a claim with a word.*row 6"),
        "a huge quote": (change(5, span_text="x" * (1024**2 + 1)), "at most 1048576 bytes.*row 6"),
        "a unit": ([row | {"unit": "line"} for row in rows], "codepoint, utf16, utf8.*row 1"),
        "a policy": ([row | {"policy": "kind"} for row in rows], "balanced, strict, review"),
        "no rows": (table.slice(0, 0), "Expected rows"),
    }


CASES = sorted(
    bad_inputs(
        [
            dict.fromkeys(
                ("pair_id", "doc_hash", "char_start", "char_end", "span_text", "claim"), "x"
            )
        ]
        * 9
    )
)


@pytest.mark.parametrize("case", CASES)
def test_a_malformed_input_is_refused_whole(
    context: Context, doc_hash: str, tmp_path: Path, case: str
) -> None:
    content, says = bad_inputs(make_rows(doc_hash, 60))[case]
    source = tmp_path / "in.parquet"
    table = content if isinstance(content, pa.Table) else pa.Table.from_pylist(content)
    parquet.write_table(table, source)
    with pytest.raises(MalformedBulkError, match=says):
        run(context, source, tmp_path / "out")
    assert not list((tmp_path / "out").rglob("*"))


def test_a_path_that_is_none_is_refused(context: Context, doc_hash: str, tmp_path: Path) -> None:
    source = write(tmp_path / "in" / "in.parquet", make_rows(doc_hash, 3))
    text = tmp_path / "in.csv"
    text.write_text("pair_id,claim\n")
    (tmp_path / "empty").mkdir()
    cases: list[tuple[Path, Path, type[SpanproofError]]] = [
        (tmp_path / "none", tmp_path / "out", UnreadableFileError),
        (tmp_path / "empty", tmp_path / "out", UnreadableFileError),
        (text, tmp_path / "out", MalformedBulkError),
        (tmp_path / "in", tmp_path / "in", InputError),
        (tmp_path / "in", tmp_path / "in" / "out", InputError),
        (source, text, InputError),
    ]
    for given, output, error in cases:
        with pytest.raises(error):
            run(context, given, output)
    for text_of in ("1/1", "-1/2", "x", "1/0", "1/2/3", "0/1000000"):
        with pytest.raises(InputError, match="0 <= i < n"):
            Shard.parse(text_of)
    assert Shard.parse("3/4") == Shard(index=3, count=4)


def test_a_part_that_its_file_no_longer_has_is_not_empty(doc_hash: str, tmp_path: Path) -> None:
    source = write(tmp_path / "in.parquet", make_rows(doc_hash, 100))
    (file,) = plan_files(source, Shard(), part_rows=40)
    assert [len(batch) for _, batch in read_parts(file)] == [40, 40, 20]
    for rows in (90, 80, 10):
        write(source, make_rows(doc_hash, rows))
        with pytest.raises(MalformedBulkError, match=r"rows (81 to 100|1 to 40)"):
            list(read_parts(file))


def test_other_types_that_mean_the_same_are_taken(
    context: Context, doc_hash: str, tmp_path: Path
) -> None:
    table = pa.Table.from_pylist(make_rows(doc_hash, 40))
    run(context, write(tmp_path / "a.parquet", make_rows(doc_hash, 40)), tmp_path / "a")
    for name, kind in (
        ("doc_hash", pa.dictionary(pa.int32(), pa.string())),
        ("char_start", pa.uint16()),
        ("claim", pa.large_string()),
    ):
        at = table.schema.names.index(name)
        table = table.set_column(at, name, table[name].cast(kind))
    table = table.append_column("unit", pa.nulls(40)).append_column("more", pa.nulls(40))
    parquet.write_table(table, tmp_path / "b.parquet")
    run(context, tmp_path / "b.parquet", tmp_path / "b")
    assert read_output(tmp_path / "a") == read_output(tmp_path / "b")
