from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from spanproof.core import canonical_json
from spanproof.core.digest import Digest
from spanproof.core.documents.text_block import Place
from spanproof.core.errors import InputError, MalformedManifestError, ManifestDigestError
from spanproof.core.span import Span
from spanproof.ingest.chunking.chunk import ChunkChoice, chunk
from spanproof.ingest.manifest import ManifestHeader, ManifestRow, open_manifest, write_manifest
from spanproof.ingest.manifest.rows import HEADER_KEY, to_jcs, to_row
from tests.builders import make_extraction
from tests.strategies import unhurried

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUFFIXES = (".jsonl", ".parquet")
HEADER = ManifestHeader(
    created_at=datetime(2026, 11, 20, 14, 0, tzinfo=UTC),
    extraction_pipelines=("plain@1",),
    chunker=ChunkChoice().to_config(),
    name="agreements",
    embedding_model="bge-small",
)
names = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1)
maybe_text = st.none() | st.text(st.characters(codec="utf-8"))
digests = st.binary(max_size=4).map(Digest.of)
places = st.builds(
    Place,
    part=maybe_text,
    slide=st.none() | st.integers(1, 99),
    sheet=maybe_text,
    cell=maybe_text,
    paragraph=st.none() | st.integers(1, 99),
)


@st.composite
def rows(draw: st.DrawFn) -> ManifestRow:
    """A row with any of the optional fields."""
    edges = sorted(draw(st.lists(st.integers(0, 2**53 - 1), min_size=2, max_size=6)))
    spans = tuple(Span(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False))
    placed = draw(st.booleans())
    return ManifestRow(
        chunk_id=draw(names),
        doc_id=draw(names),
        doc_hash=draw(digests),
        char_start=spans[0].start if placed else None,
        char_end=spans[-1].end if placed else None,
        text_sha256=draw(digests),
        extraction_pipeline=draw(names),
        extraction_id=draw(st.none() | digests),
        spans=spans if placed else (),
        spans_sha256=draw(st.none() | digests),
        page_start=draw(st.none() | st.integers(1, 99)),
        page_end=draw(st.none() | st.integers(1, 99)),
        place=draw(st.none() | places),
        text=draw(maybe_text),
    )


def make_rows(count: int = 3) -> list[ManifestRow]:
    extraction = make_extraction("The tenant shall pay. " * count)
    chunks = chunk(extraction, ChunkChoice(max_characters=22))
    return [to_row(extraction, one, doc_id="lease", with_text=True) for one in chunks]


def read(path: Path) -> tuple[ManifestHeader | None, list[ManifestRow]]:
    with open_manifest(path) as manifest:
        return manifest.header, list(manifest.rows)


@pytest.mark.long
@given(st.lists(rows(), max_size=6))
@unhurried
def test_what_is_written_is_what_is_read_in_both_formats(
    tmp_path_factory: pytest.TempPathFactory, written: list[ManifestRow]
) -> None:
    folder = tmp_path_factory.mktemp("manifest")
    headers = []
    for suffix in SUFFIXES:
        path = folder / f"index{suffix}"
        finished = write_manifest(path, HEADER, iter(written))
        assert read(path) == (finished, written)
        assert finished.rows == len(written)
        headers.append(finished)
        assert list(folder.glob("*.partial")) == []
    # The digest is of the rows, not of the file.
    assert headers[0] == headers[1]


@given(rows())
@unhurried
def test_a_row_is_digested_as_jcs(row: ManifestRow) -> None:
    assert to_jcs(row.to_json()) == canonical_json.dumps(row.to_json())


def test_a_row_has_the_fields_of_the_contract() -> None:
    row = make_rows()[0].to_json()
    contract = "chunk_id doc_id doc_hash char_start char_end text_sha256 extraction_pipeline"
    assert list(row)[:7] == contract.split()
    said = "The tenant shall pay. "
    assert row["text"] == said
    assert row["text_sha256"] == str(Digest.of(said.encode()))
    assert "spans_sha256" not in row


def test_the_lines_are_a_header_and_a_row_each(tmp_path: Path) -> None:
    path = tmp_path / "index.jsonl"
    finished = write_manifest(path, HEADER, make_rows())
    first, *others = path.read_bytes().splitlines()
    assert json.loads(first) == finished.to_json()
    assert [json.loads(line) for line in others] == [row.to_json() for row in make_rows()]


def test_other_tools_read_the_parquet(tmp_path: Path) -> None:
    path = tmp_path / "index.parquet"
    finished = write_manifest(path, HEADER, make_rows())
    table = parquet.read_table(path)
    assert table.column("char_start").to_pylist() == [0, 22, 44]
    described = parquet.read_metadata(path).metadata
    assert json.loads(described[HEADER_KEY.encode()]) == finished.to_json()


def test_rows_come_while_they_are_read_and_are_written_while_they_come(tmp_path: Path) -> None:
    path = tmp_path / "index.jsonl"
    (row,) = make_rows(1)
    partial = tmp_path / "index.jsonl.partial"
    sizes = []

    def supply() -> Iterator[ManifestRow]:
        for number in range(2_000):
            yield replace(row, chunk_id=f"chunk-{number}")
            sizes.append(partial.stat().st_size)

    write_manifest(path, HEADER, supply())
    assert sizes[0] < sizes[len(sizes) // 2] < path.stat().st_size
    with open_manifest(path) as manifest:
        assert next(manifest.rows).chunk_id == "chunk-0"


def test_a_writer_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def supply() -> Iterator[ManifestRow]:
        yield from make_rows()
        raise OSError("no space left")

    for suffix in SUFFIXES:
        with pytest.raises(OSError, match="no space left"):
            write_manifest(tmp_path / f"index{suffix}", HEADER, supply())
    assert list(tmp_path.iterdir()) == []


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"index\.csv"):
        write_manifest(tmp_path / "index.csv", HEADER, [])


def test_a_manifest_of_another_tool_needs_no_header_and_no_offsets(tmp_path: Path) -> None:
    required = {
        name: value
        for name, value in make_rows()[0].to_json().items()
        if name in {"chunk_id", "doc_id", "doc_hash", "text_sha256", "extraction_pipeline"}
    }
    lines = tmp_path / "index.jsonl"
    lines.write_text(json.dumps(required | {"char_start": None, "score": 0.5}) + "\n")
    columns = tmp_path / "index.parquet"
    parquet.write_table(pa.Table.from_pylist([required]), columns)
    for path in (lines, columns):
        header, (row,) = read(path)
        assert header is None
        assert row.to_json() == required


ROW = make_rows()[0].to_json()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"chunk_id": None}, "chunk_id"),
        ({"chunk_id": ""}, "chunk_id"),
        ({"chunk_id": "a\nb"}, "chunk_id"),
        ({"doc_id": 7}, "doc_id"),
        ({"doc_hash": ROW["doc_hash"][:40]}, "doc_hash"),
        ({"text_sha256": ROW["text_sha256"].upper()}, "text_sha256"),
        ({"extraction_pipeline": []}, "extraction_pipeline"),
        ({"char_start": -1}, "char_start"),
        ({"char_start": 3.0}, "char_start"),
        ({"char_start": True}, "char_start"),
        ({"char_end": None}, "char_end"),
        ({"char_start": 9, "char_end": 8, "spans": None}, "char_end"),
        ({"spans": [[0, 5]]}, "spans"),
        ({"spans": [[0]]}, "spans"),
        ({"spans": [[5, 0], [0, 22]]}, "spans"),
        ({"page_start": 0}, "page_start"),
        ({"place": {"room": 1}}, "place/room"),
        ({"place": {"slide": "1"}}, "place/slide"),
        ({"text": 5}, "text"),
    ],
)
def test_a_row_of_another_shape_is_refused_by_its_field(
    tmp_path: Path, change: dict[str, Any], named: str
) -> None:
    path = tmp_path / "index.jsonl"
    path.write_text(json.dumps(ROW) + "\n" + json.dumps(ROW | change) + "\n")
    with pytest.raises(MalformedManifestError) as caught:
        read(path)
    assert f"as {named} at " in caught.value.message
    assert "line 2" in caught.value.message


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"[]\n", b"{\n", b"\xff\xfe\n", b"7\n", b"PAR1", b"PAR1 and no more", b"[" * 9999],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "index.jsonl"
    path.write_bytes(content)
    with pytest.raises(MalformedManifestError, match=r"Expected .* got "):
        read(path)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"format": "other"},
        {"rows": None},
        {"rows_sha256": "sha256:00"},
        {"created_at": "yesterday"},
        {"created_at": "0001-01-01T00:00:00+23:59"},
        {"created_at": "9999-12-31T23:59:59-23:59"},
        {"extraction_pipelines": "plain"},
        {"chunker": "chunk-1"},
    ],
)
def test_a_header_of_another_shape_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "index.jsonl"
    write_manifest(path, HEADER, make_rows())
    first, *others = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps(json.loads(first) | change), *others]) + "\n")
    with pytest.raises(MalformedManifestError, match=next(iter(change))):
        read(path)


@pytest.mark.parametrize(
    ("line", "got"),
    [
        # Python writes and reads NaN and Infinity; no answer over HTTP can hold them.
        ('{"format": NaN}', "NaN, which JSON does not have"),
        ('{"chunk_id": -Infinity}', "-Infinity, which JSON does not have"),
        ('{"doc_id": "\\ud800"}', "a lone surrogate"),
        ('{"doc_id": "a", "doc_id": "b"}', "the key 'doc_id' twice in one object"),
    ],
)
def test_a_line_that_two_readers_could_take_for_two_things_is_refused(
    tmp_path: Path, line: str, got: str
) -> None:
    path = tmp_path / "index.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(MalformedManifestError, match=f"at line 1, got {got}"):
        read(path)


def test_a_parquet_whose_text_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "index.parquet"
    table = pa.Table.from_pylist([ROW])
    broken = pa.array([b"\xed\xa0\x80"], pa.binary()).view(pa.string())
    index = table.schema.get_field_index("doc_id")
    parquet.write_table(table.set_column(index, "doc_id", broken), path)
    with pytest.raises(MalformedManifestError, match="after row 0"):
        read(path)


def test_a_parquet_without_a_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "index.parquet"
    parquet.write_table(pa.table({"chunk_id": ["a"]}), path)
    with pytest.raises(MalformedManifestError, match="doc_id"):
        read(path)


def test_rows_that_were_changed_taken_or_added_are_found(tmp_path: Path) -> None:
    path = tmp_path / "index.jsonl"
    write_manifest(path, HEADER, make_rows())
    first, *others = path.read_text().splitlines()
    moved = others[0].replace('"page_end":1', '"page_end":2')
    assert moved != others[0]
    for lines in ([moved, *others[1:]], others[1:], [*others, others[0]], others[::-1]):
        path.write_text("\n".join([first, *lines]) + "\n")
        with pytest.raises(ManifestDigestError, match="Expected 3 rows"):
            read(path)


def test_a_parquet_whose_rows_were_changed_is_found(tmp_path: Path) -> None:
    path = tmp_path / "index.parquet"
    finished = write_manifest(path, HEADER, make_rows())
    table = parquet.read_table(path)
    described = table.replace_schema_metadata({HEADER_KEY: json.dumps(finished.to_json())})
    parquet.write_table(described, path)
    assert read(path) == (finished, make_rows())
    parquet.write_table(described.slice(0, 2), path)
    with pytest.raises(ManifestDigestError, match="got 2 of"):
        read(path)


def test_a_parquet_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "index.parquet"
    write_manifest(path, HEADER, make_rows())
    content = path.read_bytes()
    for size in (len(content) // 2, len(content) - 4):
        path.write_bytes(content[:size])
        with pytest.raises(MalformedManifestError):
            read(path)
