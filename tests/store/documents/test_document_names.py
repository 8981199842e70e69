"""Names of documents, their versions, and what a library finds by them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import DocumentNotFoundError, ExtractionNotFoundError, InputError
from tests.store.documents.names import history_of
from tests.store.examples import HOUR, NOON, SOURCE, add, add_plain, blob_files, make_plain

if TYPE_CHECKING:
    from spanproof.store import Store


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
    assert history_of(store, ref) == ()


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
    history = history_of(store, "handbook")
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
    assert len(history_of(store, "handbook")) == 3


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
