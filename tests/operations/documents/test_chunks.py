from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import DocumentNotFoundError, InputError
from spanproof.ingest import extract
from spanproof.ingest.chunking.chunk import ChunkChoice, chunk
from spanproof.ingest.manifest import open_manifest, write_manifest
from spanproof.operations.documents.chunks import (
    find_sources,
    finish_header,
    list_chunks,
    make_header,
    make_rows,
)
from spanproof.operations.documents.ingest import ingest_file
from tests.sources import make_pdf

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.ingest.manifest import ManifestRow
    from spanproof.operations.context import Context

CHOICE = ChunkChoice(max_characters=40, overlap=10)


def keep(context: Context, folder: Path, name: str, content: bytes) -> str:
    """Ingest a file of this content under its name; returns the name."""
    path = folder / name
    path.write_bytes(content)
    assert ingest_file(context, path, doc_id=name).status == "ok"
    return name


def cut(context: Context, *refs: str) -> list[ManifestRow]:
    sources = find_sources(context, refs)
    return list(make_rows(context, sources, CHOICE, with_text=True))


@pytest.fixture
def kept(context: Context, tmp_path: Path) -> list[str]:
    return [
        keep(context, tmp_path, "lease.txt", b"The tenant shall pay the rent. " * 5),
        keep(context, tmp_path, "offer.pdf", make_pdf()),
        keep(context, tmp_path, "notes.md", b"# Notes\n\nOf the tenant. " * 4),
    ]


def test_ids_do_not_change_with_order_or_company(context: Context, kept: list[str]) -> None:
    alone = {ref: cut(context, ref) for ref in kept}
    together = cut(context, *kept)
    assert together == [row for ref in kept for row in alone[ref]]
    turned = cut(context, *kept[::-1])
    assert sorted(row.chunk_id for row in turned) == sorted(row.chunk_id for row in together)
    without = cut(context, kept[0], kept[2])
    assert without == [row for row in together if row.doc_id != kept[1]]
    assert len({row.chunk_id for row in together}) == len(together)


def test_ids_need_no_store(context: Context, kept: list[str], tmp_path: Path) -> None:
    for ref in kept:
        extraction = extract((tmp_path / ref).read_bytes(), filename=ref)
        ids = [one.chunk_id for one in chunk(extraction, CHOICE)]
        assert [row.chunk_id for row in cut(context, ref)] == ids


def test_a_row_says_what_stands_at_its_offsets(context: Context, kept: list[str]) -> None:
    for ref in kept:
        for row in cut(context, ref):
            assert row.doc_id == ref
            assert row.extraction_id is not None
            text = context.store.documents.load_extraction(row.extraction_id).text
            assert row.text == "\n".join(text.slice(span) for span in row.spans)


def test_the_same_document_under_two_names_is_cut_once(context: Context, kept: list[str]) -> None:
    rows = cut(context, kept[0])
    assert cut(context, kept[0], str(rows[0].doc_hash), str(rows[0].extraction_id)) == rows


def test_an_unknown_document_is_refused_before_anything_is_written(
    context: Context, kept: list[str]
) -> None:
    with pytest.raises(DocumentNotFoundError):
        find_sources(context, [*kept, "unknown"])


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_the_manifest_holds_the_chunks_of_all_documents(
    context: Context, kept: list[str], tmp_path: Path, suffix: str
) -> None:
    sources, path = find_sources(context, kept), tmp_path / f"index{suffix}"
    moment = datetime(2026, 11, 20, 14, 0, tzinfo=UTC)
    header = make_header(sources, CHOICE, created_at=moment, name="agreements")
    made = make_rows(context, sources, CHOICE, with_text=True)
    finished = write_manifest(path, header, made)
    rows = cut(context, *kept)
    assert finished.rows == len(rows)
    assert finish_header(header, rows) == (finished, [row.to_json() for row in rows])
    with open_manifest(path) as manifest:
        assert manifest.header == finished
        assert list(manifest.rows) == rows
    assert len(finished.extraction_pipelines) == 2


def test_pages_together_are_all_chunks(context: Context, kept: list[str]) -> None:
    rows = cut(context, kept[0])
    found: list[ManifestRow] = []
    cursor = None
    while True:
        report = list_chunks(context, kept[0], CHOICE, with_text=True, cursor=cursor, limit=2)
        assert report.total == len(rows)
        found += report.rows
        cursor = report.next_cursor
        if cursor is None:
            break
    assert found == rows


@pytest.mark.parametrize("cursor", ["", "2", "x-" + "0" * 64, "2-" + "0" * 64])
def test_a_cursor_of_another_listing_is_refused(
    context: Context, kept: list[str], cursor: str
) -> None:
    with pytest.raises(InputError, match="next_cursor"):
        list_chunks(context, kept[0], CHOICE, cursor=cursor)
    first = list_chunks(context, kept[0], CHOICE, limit=1)
    for ref, choice in ((kept[2], CHOICE), (kept[0], ChunkChoice(max_characters=30))):
        with pytest.raises(InputError, match="next_cursor"):
            list_chunks(context, ref, choice, cursor=first.next_cursor)
