from __future__ import annotations

import random
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
import pytest
from sqlalchemy import text

from spanproof.core.digest import Digest
from spanproof.core.errors import ConflictError
from spanproof.store.documents import text_index
from spanproof.store.documents.fingerprints import (
    GUARANTEED,
    choose_fingerprints,
    to_row,
    to_rows,
    to_skeleton,
)
from spanproof.store.erasing.refusal import ErasureRecord
from tests.store.examples import NOON, SOURCE, add_plain
from tests.store.log.samples import open_log

if TYPE_CHECKING:
    from spanproof.store import Store

_WORDS = random.Random(7)  # noqa: S311 - a text, no secret


def make_text(words: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join("".join(_WORDS.choices(letters, k=_WORDS.randint(2, 9))) for _ in range(words))


def test_every_part_of_guaranteed_length_shares_its_fingerprints() -> None:
    whole = to_skeleton(make_text(300))
    chosen = set(choose_fingerprints(whole).tolist())
    for start in range(len(whole) - GUARANTEED + 1):
        own = choose_fingerprints(whole[start : start + GUARANTEED]).tolist()
        assert own
        assert chosen.issuperset(own)
    assert len(chosen) < len(whole) / 10
    assert not len(choose_fingerprints(whole[: GUARANTEED - 1]))


def test_the_rows_hold_every_fingerprint() -> None:
    chosen = choose_fingerprints(to_skeleton(make_text(2_000)))
    rows = dict(to_rows(chosen))
    assert sum(map(len, rows.values())) == 4 * len(chosen)
    for bucket, fingerprint in map(to_row, chosen):
        assert fingerprint in np.frombuffer(rows[bucket], dtype="S4")


def test_a_text_is_found_among_all_documents_not_only_the_newest(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = make_text(40)
    held = f"{make_text(500)}\n\n{wanted.replace(' ', chr(10))}\n\n{make_text(500)}"
    old = add_plain(store, held.encode(), added_at=NOON - timedelta(days=9))
    monkeypatch.setattr(text_index, "_NEWEST", 3)
    for number in range(4):
        add_plain(store, f"Note {number}. {make_text(5)}".encode())
    assert store.texts.find_holder(wanted) == old.document.doc_hash
    assert store.texts.find_holder(make_text(40)) is None
    # The same fingerprints at both ends and other words between them are another text.
    assert store.texts.find_holder(f"{wanted[:90]} not {wanted[90:]}") is None
    # Too short for fingerprints, and the newest documents lack it.
    assert store.texts.find_holder(wanted[:30]) is None
    add_plain(store, f"A copy: {wanted}".encode())
    assert store.texts.find_holder(wanted) is None


def test_texts_of_an_older_release_are_indexed_when_texts_are_searched(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = make_text(40)
    with monkeypatch.context() as patch:
        patch.setattr("spanproof.store.documents.documents.add_fingerprints", lambda *_: None)
        record = add_plain(store, f"Head. {wanted}. End.".encode())
        newer = add_plain(store, make_text(100).encode(), added_at=NOON + timedelta(hours=1))
        damaged = add_plain(store, make_text(100).encode(), added_at=NOON + timedelta(hours=2))
        store.blobs.remove(damaged.document.doc_hash)
        monkeypatch.setattr(text_index, "_MOST_FILLED", 10)
    for _ in range(2):
        assert store.texts.find_holder(wanted) is None, "the newest come first, one at a time"
    assert store.texts.find_holder(wanted) == record.document.doc_hash
    with store.database.reading() as session:
        rows = session.connection().execute(text("SELECT extraction_id FROM indexed_text"))
        assert {each.extraction_ids[0] for each in (newer, record)} == {
            Digest.parse(row.extraction_id) for row in rows
        }


def test_erasing_a_document_empties_its_fingerprints(store: Store) -> None:
    wanted = make_text(40)
    erased, other = (add_plain(store, f"{head}. {wanted}".encode()) for head in ("One", "Two"))
    subject = str(erased.document.doc_hash)
    empty = text("UPDATE text_fingerprint SET fingerprints = :nothing")
    with pytest.raises(ConflictError), store.database.connection() as connection:
        connection.execute(empty, {"nothing": b""})
    log = open_log(store)
    log.append_all([b"a tombstone"])
    store.erasures.record(
        ErasureRecord(
            kind="document",
            subject=subject,
            origin=log.origin,
            index=0,
            reason="asked for",
            erased_at=NOON,
        )
    )
    store.erasures.remove("document", subject)
    with store.database.reading() as session:
        held = session.connection().execute(
            text(
                "SELECT doc_hash, sum(length(fingerprints)) AS bytes FROM text_fingerprint"
                " JOIN indexed_text USING (number) JOIN extraction USING (extraction_id)"
                " GROUP BY doc_hash"
            )
        )
        sizes = {row.doc_hash: int(row.bytes) for row in held}
    assert sizes[subject] == 0
    assert sizes[str(other.document.doc_hash)] > 0
    assert store.texts.find_holder(wanted) == other.document.doc_hash


def test_a_text_in_too_many_documents_to_read_is_lifted_to_none(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_plain(store, SOURCE * 4)
    monkeypatch.setattr(text_index, "_MOST_READ", 10)
    assert store.texts.find_holder((SOURCE * 3).decode()) is None
