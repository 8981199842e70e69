from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from core.digest import Digest
from core.errors import (
    BlobDigestMismatchError,
    DocumentNotFoundError,
    ExtractionNotFoundError,
    InputError,
    IntegrityError,
)
from core.extraction_record import to_record
from core.span import Span
from tests.store.samples import (
    HOUR,
    NOON,
    add,
    add_plain,
    add_witness,
    make_laid_out,
    make_pipeline,
    make_plain,
)

if TYPE_CHECKING:
    from pathlib import Path

    from store import Store
    from tests.conftest import StorePlace

SOURCE = b"Refunds take four business days.\n"
PDF = b"%PDF-1.7 not really"


def blob_files(store: Store) -> set[str]:
    return {path.name for path in (store.home / "blobs").rglob("*") if path.is_file()}


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
    assert record.current_extraction.witness is None
    assert store.documents.find_witness(extraction.extraction_id) is None
    report = add_witness(store, extraction, Span(0, 1))
    assert store.documents.find_witness(extraction.extraction_id) == report
    found = store.documents.find(str(extraction.extraction_id))
    assert found is not None
    assert found.current_extraction.witness == report


def test_the_same_witness_is_kept_once(store: Store) -> None:
    extraction = make_laid_out(PDF)
    add(store, extraction, PDF)
    first = add_witness(store, extraction, Span(0, 1))
    add_witness(store, extraction, added_at=NOON + HOUR)
    assert store.documents.find_witness(extraction.extraction_id) == first


def test_a_witness_of_an_extraction_that_is_not_kept_is_refused(store: Store) -> None:
    with pytest.raises(ExtractionNotFoundError):
        add_witness(store, make_laid_out(PDF))


def test_adding_twice_stores_once(store: Store) -> None:
    first = add(store, make_laid_out(PDF), PDF, doc_id="handbook", title="Handbook")
    files = blob_files(store)
    again = add(
        store, make_laid_out(PDF), PDF, doc_id="handbook", title="Handbook", added_at=NOON + HOUR
    )
    assert again == first
    assert blob_files(store) == files
    assert len(store.documents.history_of("handbook")) == 1


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


def test_a_document_is_found_by_hash_name_and_extraction(store: Store) -> None:
    old, new = make_plain(SOURCE, pipeline="plain@1"), make_plain(SOURCE, pipeline="plain@2")
    add(store, old, SOURCE, doc_id="handbook")
    record = add(store, new, SOURCE)
    assert store.documents.find(str(record.document.doc_hash)) == record
    assert store.documents.find("handbook") == record
    assert store.documents.find(str(new.extraction_id)) == record
    by_old = store.documents.find(str(old.extraction_id))
    assert by_old is not None
    assert by_old.current_extraction.extraction_id == old.extraction_id
    assert replace(by_old, current_extraction=record.current_extraction) == record


@pytest.mark.parametrize(
    "ref",
    ["", "unknown", "sha256:12", "\x00", "\ud800", "x" * 100_000, str(Digest.of(b"unknown"))],
)
def test_what_is_unknown_is_not_found_and_harms_nothing(store: Store, ref: str) -> None:
    assert store.documents.find(ref) is None
    assert store.documents.history_of(ref) == ()


def test_a_hash_in_capitals_or_cut_short_finds_nothing(store: Store) -> None:
    doc_hash = str(add_plain(store, SOURCE).document.doc_hash)
    assert store.documents.find(doc_hash) is not None
    for ref in (doc_hash.upper(), doc_hash[:-1], doc_hash[:15], doc_hash.removeprefix("sha256:")):
        assert store.documents.find(ref) is None


def test_what_is_not_kept_is_named(store: Store) -> None:
    unknown = Digest.of(b"unknown")
    with pytest.raises(ExtractionNotFoundError, match=str(unknown)):
        store.documents.load_extraction(unknown)
    with pytest.raises(DocumentNotFoundError, match=str(unknown)):
        store.documents.read_source(unknown)
    assert store.documents.extractions_of(unknown) == ()


def test_a_name_given_to_other_bytes_gets_a_version_and_keeps_the_old_one(store: Store) -> None:
    first = add_plain(store, b"version one", doc_id="handbook", added_at=NOON)
    second = add_plain(store, b"version two", doc_id="handbook", added_at=NOON + HOUR)
    found = store.documents.find("handbook")
    assert found == second
    old = store.documents.find(str(first.document.doc_hash))
    assert old is not None
    assert old.doc_ids == ("handbook", str(first.document.doc_hash))
    history = store.documents.history_of("handbook")
    assert [name.doc_hash for name in history] == [
        second.document.doc_hash,
        first.document.doc_hash,
    ]
    assert [name.since for name in history] == [NOON + HOUR, NOON]


def test_a_name_may_come_back_to_an_older_version(store: Store) -> None:
    record = [
        add_plain(store, source, doc_id="handbook", added_at=NOON + hours * HOUR)
        for hours, source in enumerate([b"one", b"two", b"one"])
    ][-1]
    assert store.documents.find("handbook") == record
    assert record.doc_ids == ("handbook", str(Digest.of(b"one")))
    assert len(store.documents.history_of("handbook")) == 3


def test_a_clock_that_went_back_does_not_reorder_the_history(store: Store) -> None:
    add_plain(store, b"one", doc_id="handbook", added_at=NOON)
    newest = add_plain(store, b"two", doc_id="handbook", added_at=NOON - HOUR)
    assert store.documents.find("handbook") == newest
    library = store.documents.load_library([], ["handbook"])
    assert library.resolve("handbook") == newest.document.doc_hash
    assert library.resolve("handbook", at=NOON) == Digest.of(b"one")


def test_the_name_that_is_the_hash_may_be_given_or_left_out(store: Store) -> None:
    doc_hash = Digest.of(SOURCE)
    first = add_plain(store, SOURCE)
    assert add_plain(store, SOURCE, doc_id=str(doc_hash)) == first
    assert first.doc_ids == (str(doc_hash),)


def test_a_name_that_is_another_documents_hash_is_refused_and_nothing_is_kept(
    store: Store,
) -> None:
    with pytest.raises(InputError, match="doc_id"):
        add_plain(store, SOURCE, doc_id=str(Digest.of(b"the other")))
    assert store.documents.list().items == ()
    assert blob_files(store) == set()


@pytest.mark.parametrize("source", [SOURCE + b"!", SOURCE[:-1], b""])
def test_bytes_that_are_not_those_of_the_extraction_are_refused(
    store: Store, source: bytes
) -> None:
    with pytest.raises(IntegrityError, match="Ingest the document again"):
        add(store, make_plain(SOURCE), source)
    assert store.documents.find(str(Digest.of(SOURCE))) is None
    assert blob_files(store) == set()


def test_the_library_holds_every_version_of_a_name_and_every_extraction(store: Store) -> None:
    first = make_plain(b"version one")
    add(store, first, b"version one", doc_id="handbook", title="Handbook")
    again = make_plain(b"version one", pipeline="plain@2")
    add(store, again, b"version one")
    add_plain(store, b"version two", doc_id="handbook", added_at=NOON + HOUR)
    add_plain(store, b"unrelated", doc_id="other")
    library = store.documents.load_library([], ["handbook", "handbook", "unknown", "\x00"])
    assert {source.document.doc_hash for source in library.sources} == {
        Digest.of(b"version one"),
        Digest.of(b"version two"),
    }
    source = library.find(Digest.of(b"version one"))
    assert source is not None
    assert source.title == "Handbook"
    found = [each.extraction_id for each in source.extractions]
    assert found == [again.extraction_id, first.extraction_id]
    assert library.resolve("handbook") == Digest.of(b"version two")
    assert library.resolve("handbook", at=NOON) == Digest.of(b"version one")
    assert library.resolve("other") is None


def test_the_library_knows_all_names_of_the_documents_asked_for_by_hash(store: Store) -> None:
    old, new = Digest.of(b"version one"), Digest.of(b"version two")
    add_plain(store, b"version one", doc_id="handbook")
    add_plain(store, b"version two", doc_id="handbook", added_at=NOON + HOUR)
    library = store.documents.load_library([old, Digest.of(b"unknown")], [])
    assert [source.document.doc_hash for source in library.sources] == [old]
    # That the name has moved on since is part of its history.
    assert library.resolve("handbook") == new
    assert library.names_of(old) == {"handbook", str(old)}


def test_the_library_resolves_a_document_by_its_own_hash_as_a_name(store: Store) -> None:
    doc_hash = add_plain(store, SOURCE).document.doc_hash
    library = store.documents.load_library([], [str(doc_hash)])
    assert library.resolve(str(doc_hash)) == doc_hash
    assert library.find(doc_hash) is not None


def test_the_library_takes_any_number_of_names(store: Store) -> None:
    doc_hash = add_plain(store, SOURCE, doc_id="handbook").document.doc_hash
    hashes = [Digest.of(str(n).encode()) for n in range(1_200)]
    names = [f"name {n}" for n in range(1_200)]
    library = store.documents.load_library([*hashes, doc_hash], [*names, "handbook"])
    assert [source.document.doc_hash for source in library.sources] == [doc_hash]


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
