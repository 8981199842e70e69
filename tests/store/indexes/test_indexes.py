from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from spanproof.core.chunk_facts import CHUNK_FACTS, to_id
from spanproof.core.digest import Digest
from spanproof.core.errors import (
    BlobDigestMismatchError,
    ConflictError,
    IndexNotFoundError,
    InputError,
    IntegrityError,
)
from spanproof.core.span import Span
from spanproof.core.verdicts.reanchoring import Channels, Reanchored, ReanchorStatus
from spanproof.store.erasing.refusal import ErasureRecord
from spanproof.store.indexes.indexes import DuplicateChunkError
from tests.store.examples import (
    HOUR,
    NOON,
    add,
    add_index,
    add_plain,
    add_reanchored,
    make_block,
    make_laid_out,
    make_payload,
    make_plain,
    make_record,
    make_verdict,
)
from tests.store.log.samples import make_leaf, open_log

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.store import Store
    from spanproof.store.indexes.index_rows import IndexVersion


def test_a_version_is_found_again_as_it_was_registered(store: Store) -> None:
    records = [make_record(f"c{number}") for number in range(300)]
    added, is_new = add_index(store, records=records, manifest=b"300 rows")
    assert is_new
    assert store.indexes.load("contracts", "v1") == added
    assert (added.position, added.rows, added.byte_length) == (1, 300, 8)
    assert added.registered_at == NOON
    assert added.to_json()["registered_at"] == "2026-11-20T12:00:00Z"
    assert store.indexes.manifest_of(added).read_bytes() == b"300 rows"
    facts = store.indexes.map_facts(added)
    keys = list(zip(facts["id_high"].tolist(), facts["id_low"].tolist(), strict=True))
    assert keys == sorted(to_id(f"c{number}") for number in range(300))


def test_the_same_manifest_again_changes_nothing_and_another_conflicts(store: Store) -> None:
    first, _ = add_index(store)
    assert add_index(store, registered_at=NOON + HOUR) == (first, False)
    with pytest.raises(ConflictError, match=r"got 'v1', which is recorded with manifest sha256:"):
        add_index(store, manifest=b"other rows")
    assert store.indexes.list() == [first]


def test_versions_are_listed_by_name_newest_first(store: Store) -> None:
    for name, version in (("b", "v1"), ("a", "v2"), ("a", "v10")):
        add_index(store, name=name, version=version)
    assert [(each.name, each.version) for each in store.indexes.list()] == [
        ("a", "v10"),
        ("a", "v2"),
        ("b", "v1"),
    ]
    assert [each.position for each in store.indexes.list("a")] == [2, 1]
    assert store.indexes.list("c") == []


def test_what_is_not_registered_is_told_with_what_is(store: Store) -> None:
    with pytest.raises(IndexNotFoundError, match="got no index of that name"):
        store.indexes.load("contracts", "v1")
    add_index(store)
    with pytest.raises(IndexNotFoundError, match="got versions 'v1'"):
        store.indexes.load("contracts", "v2")


@pytest.mark.parametrize("name", ["", "n" * 600])
def test_a_name_that_cannot_be_kept_is_refused(store: Store, name: str) -> None:
    with pytest.raises(InputError):
        add_index(store, name=name)
    assert store.indexes.list() == []


def test_two_chunks_of_one_id_are_refused_and_leave_nothing(store: Store) -> None:
    records = [make_record("c1"), make_record("c2"), make_record("c1", b"other words")]
    with pytest.raises(DuplicateChunkError) as caught:
        add_index(store, records=records)
    assert caught.value.key == to_id("c1")
    assert [each for each in (store.home / "blobs").rglob("*") if each.is_file()] == []


def test_an_index_of_nothing_has_no_records(store: Store) -> None:
    added, _ = add_index(store, records=[])
    assert added.rows == 0
    assert store.indexes.map_facts(added).dtype == CHUNK_FACTS
    assert len(store.indexes.map_facts(added)) == 0


def find_facts(store: Store, version: IndexVersion) -> Path:
    digest = version.facts_sha256.hex
    return store.home / "blobs" / digest[:2] / digest


def test_records_that_were_changed_are_not_read(store: Store) -> None:
    added, _ = add_index(store)
    path = find_facts(store, added)
    path.chmod(0o600)
    path.write_bytes(make_record("c2"))
    with pytest.raises(BlobDigestMismatchError, match="got other bytes under its name"):
        store.indexes.map_facts(added)
    path.unlink()
    with pytest.raises(IntegrityError, match="got none"):
        store.indexes.map_facts(added)


def verify(store: Store, verification_id: str, *verdicts: dict[str, object], **given: str) -> None:
    citations = [{"anchor": 1} | given, {"anchor": 2}]
    store.answers.add(
        make_payload(citations=citations),
        make_block(*verdicts),
        verification_id=verification_id,
        answer_id="a1",
        verified_at=NOON,
    )


def test_citations_are_those_of_the_version_or_of_none_each_once(store: Store) -> None:
    add_plain(store, b"first")
    first = make_plain(b"first").extraction_id
    verdict = make_verdict(doc_hash=Digest.of(b"first"), extraction_id=first)
    second = make_verdict(doc_hash=Digest.of(b"second"), citation=1)
    nowhere = make_verdict(doc_hash=Digest.of(b"first"))
    nowhere["existence"] = {"status": "ABSENT", "char_start": None, "char_end": None}
    verify(store, "v1", verdict, verdict, second, index_version="2026-10", chunk_id="c1")
    verify(store, "v2", verdict, index_version="2026-11")
    verify(store, "v3", nowhere, index_version="2026-10")
    found = list(store.indexes.citations_of("2026-10"))
    assert [(each.verification_id, each.citation) for each in found] == [("v1", 0), ("v1", 1)]
    assert (found[0].chunk_id, found[0].pipeline) == ("c1", "plain@1+canon-1")
    assert (found[0].start, found[0].end) == (4, 12)
    assert (found[1].chunk_id, found[1].pipeline) == (None, None)
    assert [each.verification_id for each in store.indexes.citations_in(first)] == ["v1", "v2"]


def test_a_reanchor_is_a_row_of_its_own_kept_once(store: Store) -> None:
    add_plain(store, b"first")
    laid_out = make_laid_out()
    add(store, laid_out, b"%PDF-1.7 not really")
    first = make_plain(b"first").extraction_id
    verify(store, "v1", make_verdict(doc_hash=Digest.of(b"first"), extraction_id=first))
    assert add_reanchored(store, first, laid_out.extraction_id) == 1
    assert add_reanchored(store, first, laid_out.extraction_id) == 0
    with store.database.reading() as session:
        (row,) = session.connection().execute(text("SELECT * FROM reanchor")).all()
    assert (row.verification_id, row.position, row.source_start, row.source_end) == ("v1", 0, 4, 12)
    assert (row.char_start, row.char_end, row.status) == (6, 14, "MOVED")
    assert row.detail_json == '{"folds": [], "candidates": [[0, 1]], "difference": null}'


def test_no_word_of_an_erased_verification_comes_back(store: Store) -> None:
    add_plain(store, b"first")
    laid_out = make_laid_out()
    add(store, laid_out, b"%PDF-1.7 not really")
    first = make_plain(b"first").extraction_id
    for name in ("v1", "v2"):
        store.answers.add(
            make_payload(),
            make_block(make_verdict(doc_hash=Digest.of(b"first"), extraction_id=first)),
            verification_id=name,
            answer_id=name,
            verified_at=NOON,
        )
    stale = list(store.indexes.citations_in(first))
    assert {each.verification_id for each in stale} == {"v1", "v2"}
    open_log(store).include_all([make_leaf(1)])
    store.erasures.record(
        ErasureRecord(
            kind="verification",
            subject="v1",
            origin="log.example.com",
            index=0,
            reason="asked for",
            erased_at=NOON,
        )
    )
    assert {each.verification_id for each in store.indexes.citations_in(first)} == {"v2"}
    found = [
        (
            each,
            Reanchored(
                status=ReanchorStatus.MOVED,
                channels=Channels.TEXT_ONLY,
                span=Span(0, 1),
                candidates=(),
                reason="unique",
            ),
        )
        for each in stale
    ]
    added = store.indexes.add_reanchored(
        found, source=first, target=laid_out.extraction_id, added_at=NOON
    )
    assert added == 1
