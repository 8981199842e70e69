"""Documents and their extractions come back as they were kept, or not at all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.core.documents.extraction_record import to_record
from spanproof.core.errors import (
    BlobDigestMismatchError,
    ExtractionNotFoundError,
    InputError,
    IntegrityError,
)
from spanproof.core.span import Span
from spanproof.store.database.cursor import Position, to_cursor
from tests.store.documents.names import history_of
from tests.store.examples import (
    HOUR,
    NOON,
    SOURCE,
    add,
    add_cross_check,
    add_plain,
    blob_files,
    make_laid_out,
    make_pipeline,
    make_plain,
)

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.store import Store
    from tests.conftest import StorePlace

PDF = b"%PDF-1.7 not really"


def blob_path(store: Store, digest: Digest) -> Path:
    return store.home / "blobs" / digest.hex[:2] / digest.hex


def test_an_extraction_with_layout_comes_back_byte_for_byte(store: Store) -> None:
    extraction = make_laid_out(PDF)
    record = add(store, extraction, PDF)
    loaded = store.documents.load_extraction(extraction.extraction_id)
    assert to_record(loaded) == to_record(extraction)
    assert loaded.originals == ((1, 0),)
    assert record.document == extraction.document
    assert record.current_extraction.pipeline == "pymupdf@2.0+canon-1"
    assert record.current_extraction.flags == {"invisible": 1, "pages_without_text": 1}


def test_a_record_that_is_written_otherwise_is_not_put_beside_the_one_that_is_named(
    store: Store,
) -> None:
    extraction = make_laid_out(PDF)
    add(store, extraction, PDF)
    kept = sorted((store.home / "blobs").rglob("*"))
    other = replace(extraction, sandbox="landlock")
    assert to_record(other).meta != to_record(extraction).meta
    add(store, other, PDF)
    assert sorted((store.home / "blobs").rglob("*")) == kept
    loaded = store.documents.load_extraction(extraction.extraction_id)
    assert to_record(loaded) == to_record(extraction)
    # A lost one is put again.
    blob_path(store, Digest.of(to_record(extraction).meta)).unlink()
    add(store, extraction, PDF)
    assert sorted((store.home / "blobs").rglob("*")) == kept


def test_an_extraction_without_layout_comes_back(store: Store) -> None:
    extraction = make_plain(SOURCE)
    add(store, extraction, SOURCE)
    loaded = store.documents.load_extraction(extraction.extraction_id)
    assert loaded.layout is None
    assert loaded.text.text == SOURCE.decode()


def test_what_is_degraded_is_kept_with_its_reason(store: Store) -> None:
    record = add(store, make_plain(SOURCE, text="", text_source="none"), SOURCE)
    summary = record.current_extraction
    assert (summary.status, summary.text_source) == ("degraded", "none")
    assert summary.problem is not None
    assert summary.problem.code == "NO_TEXT_LAYER"


def test_the_source_comes_back_byte_for_byte(store: Store) -> None:
    record = add_plain(store, SOURCE)
    assert store.documents.read_source(record.document.doc_hash) == SOURCE


def test_the_level_of_the_first_reading_is_kept(store: Store) -> None:
    first = replace(make_plain(SOURCE), sandbox="landlock")
    assert add(store, first, SOURCE).current_extraction.sandbox == "landlock"
    again = add(store, replace(first, sandbox="limits"), SOURCE)
    assert again.current_extraction.sandbox == "landlock"


def test_a_witness_report_stands_beside_its_extraction(store: Store) -> None:
    extraction = make_laid_out(PDF)
    record = add(store, extraction, PDF)
    assert record.current_extraction.cross_check is None
    assert store.documents.find_cross_check(extraction.extraction_id) is None
    report = add_cross_check(store, extraction, Span(0, 1))
    assert store.documents.find_cross_check(extraction.extraction_id) == report
    found = store.documents.find(str(extraction.extraction_id))
    assert found is not None
    assert found.current_extraction.cross_check == report


def test_the_same_witness_is_kept_once(store: Store) -> None:
    extraction = make_laid_out(PDF)
    add(store, extraction, PDF)
    first = add_cross_check(store, extraction, Span(0, 1))
    add_cross_check(store, extraction, added_at=NOON + HOUR)
    assert store.documents.find_cross_check(extraction.extraction_id) == first


def test_a_witness_of_an_extraction_that_is_not_kept_is_refused(store: Store) -> None:
    with pytest.raises(ExtractionNotFoundError):
        add_cross_check(store, make_laid_out(PDF))


def test_adding_twice_stores_once(store: Store) -> None:
    first = add(store, make_laid_out(PDF), PDF, doc_id="handbook", title="Handbook")
    files = blob_files(store)
    again = add(
        store, make_laid_out(PDF), PDF, doc_id="handbook", title="Handbook", added_at=NOON + HOUR
    )
    assert again == first
    assert blob_files(store) == files
    assert len(history_of(store, "handbook")) == 1


def test_one_document_may_have_several_extractions_newest_first(store: Store) -> None:
    # The same moment for all: the order is the one in which they came.
    extractions = [make_plain(SOURCE, pipeline=f"plain@{version}") for version in (1, 2, 3)]
    record = [add(store, extraction, SOURCE) for extraction in extractions][-1]
    newest_first = tuple(each.extraction_id for each in reversed(extractions))
    assert record.extraction_ids == newest_first
    assert store.documents.extractions_of(record.document.doc_hash) == newest_first
    assert record.current_extraction.pipeline == "plain@3"


def test_ocr_is_current_only_where_there_is_nothing_else(store: Store) -> None:
    ocr = make_plain(SOURCE, pipeline="ocr@1", text_source="ocr")
    assert add(store, ocr, SOURCE).current_extraction.pipeline == "ocr@1"
    assert add_plain(store, SOURCE).current_extraction.pipeline == "plain@1+canon-1"
    again = add(store, make_plain(SOURCE, pipeline="ocr@2", text_source="ocr"), SOURCE)
    assert again.current_extraction.pipeline == "plain@1+canon-1"


@pytest.mark.parametrize("title", ["Handbook\x00", "H\ud800", "C:\\new\\u0041", "Größe 💥"])
def test_any_title_and_media_type_survive(store: Store, title: str) -> None:
    record = add_plain(store, SOURCE, title=title)
    assert record.title == title
    assert store.documents.find(str(record.document.doc_hash)) == record


def test_a_new_title_is_shown_and_none_takes_nothing_away(store: Store) -> None:
    assert add_plain(store, SOURCE).title is None
    assert add_plain(store, SOURCE, title="Draft").title == "Draft"
    assert add_plain(store, SOURCE, title="Final").title == "Final"
    assert add_plain(store, SOURCE).title == "Final"


@pytest.mark.parametrize("source", [SOURCE + b"!", SOURCE[:-1], b""])
def test_bytes_that_are_not_those_of_the_extraction_are_refused(
    store: Store, source: bytes
) -> None:
    with pytest.raises(IntegrityError, match="Ingest the document again"):
        add(store, make_plain(SOURCE), source)
    assert store.documents.find(str(Digest.of(SOURCE))) is None
    assert blob_files(store) == set()


def test_the_list_is_newest_first_and_stays_put_while_documents_come(store: Store) -> None:
    hashes = [
        add_plain(
            store, f"document {n}".encode(), added_at=NOON + (n // 2) * HOUR
        ).document.doc_hash
        for n in range(7)
    ]
    seen: list[Digest] = []
    cursor = None
    while True:
        page = store.documents.list(cursor, limit=2)
        seen.extend(item.document.doc_hash for item in page.items)
        cursor = page.next_cursor
        if cursor is None:
            break
        add_plain(store, f"newcomer {len(seen)}".encode(), added_at=NOON + 100 * HOUR)
    assert sorted(map(str, seen)) == sorted(map(str, hashes))
    assert seen[0] == hashes[6]
    assert {str(doc_hash) for doc_hash in seen[-2:]} == {str(hashes[0]), str(hashes[1])}


@pytest.mark.parametrize("key", ["\x00", "\ud800", "\\"])
def test_a_cursor_may_say_anything(store: Store, key: str) -> None:
    cursor = to_cursor(Position(moment=NOON, key=key), "documents")
    assert store.documents.list(cursor).items == ()


def test_a_cursor_that_is_none_is_refused(store: Store) -> None:
    with pytest.raises(InputError, match="cursor"):
        store.documents.list("nonsense")


def test_a_moment_is_kept_to_the_microsecond(store: Store) -> None:
    assert add_plain(store, SOURCE, added_at=NOON).added_at == NOON
    assert store.documents.list().items[0].added_at == NOON


@pytest.mark.parametrize("part", ["meta", "text", "layout"])
@pytest.mark.parametrize("damage", ["flip", "truncate", "remove"])
def test_a_damaged_part_is_never_an_extraction(store: Store, part: str, damage: str) -> None:
    extraction = make_laid_out(PDF)
    add(store, extraction, PDF)
    content: bytes = getattr(to_record(extraction), part)
    path = blob_path(store, Digest.of(content))
    path.chmod(0o600)
    if damage == "flip":
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif damage == "truncate":
        path.write_bytes(content[:-1])
    else:
        path.unlink()
    expected = IntegrityError if damage == "remove" else BlobDigestMismatchError
    with pytest.raises(expected):
        store.documents.load_extraction(extraction.extraction_id)
    with pytest.raises(expected):
        store.documents.load_library([extraction.document.doc_hash], [])


def test_a_damaged_source_is_never_handed_out(store: Store) -> None:
    doc_hash = add_plain(store, SOURCE).document.doc_hash
    path = blob_path(store, doc_hash)
    path.chmod(0o600)
    path.write_bytes(SOURCE.replace(b"four", b"nine"))
    with pytest.raises(BlobDigestMismatchError):
        store.documents.read_source(doc_hash)


def test_the_whole_pipeline_is_kept_by_its_digest(store: Store) -> None:
    record = add_plain(store, SOURCE)
    pipeline = make_pipeline()
    assert record.current_extraction.pipeline_digest == pipeline.digest
    loaded = store.documents.load_extraction(record.current_extraction.extraction_id)
    assert loaded.pipeline == pipeline


def test_another_process_sees_what_was_added(store: Store, store_place: StorePlace) -> None:
    record = add_plain(store, SOURCE, doc_id="handbook")
    with store_place.open() as other:
        assert other.documents.find("handbook") == record
