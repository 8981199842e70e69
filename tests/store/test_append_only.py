# ruff: noqa: S608 - the tables' names are our own
from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from spanproof.core.digest import Digest
from spanproof.core.errors import ConflictError
from spanproof.core.span import Span
from spanproof.store.erasing.refusal import ErasureRecord
from spanproof.store.log.cosignatures import Cosignatures, StoredCosignature
from spanproof.store.samples.records import ClaimLabel
from spanproof.store.sealing.document_blobs import SealedBlobRow
from spanproof.store.tables import Row
from tests.conftest import DATABASES, copy_migrated
from tests.store.accounts.samples import add_accounts
from tests.store.deliveries.samples import add_deliveries
from tests.store.examples import (
    NOON,
    SOURCE,
    add,
    add_cross_check,
    add_index,
    add_plain,
    add_reanchored,
    make_block,
    make_laid_out,
    make_payload,
    make_plain,
    make_verdict,
)
from tests.store.log.samples import make_leaf, open_log, open_next
from tests.store.samples.examples import fill_samples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.store import Store

TABLES = sorted(Row.metadata.tables)


@pytest.fixture(scope="module", params=DATABASES)
def full_store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    """At least one row in every table; one store for all, as no test may change it."""
    with (
        copy_migrated(request, tmp_path_factory.mktemp("full") / "home") as place,
        place.open() as store,
    ):
        _fill(store)
        yield store


def _fill(store: Store) -> None:
    add_plain(store, b"first", doc_id="handbook", title="Handbook")
    # Long enough for fingerprints.
    add_plain(store, SOURCE * 4)
    laid_out = make_laid_out()
    add(store, laid_out, b"%PDF-1.7 not really", doc_id="handbook")
    add_cross_check(store, laid_out, Span(0, 1))
    first = make_plain(b"first").extraction_id
    verdict = make_verdict(
        doc_hash=Digest.of(b"first"), extraction_id=first, codes=("MOVED",), pages=(1, 2)
    )
    store.answers.add(
        make_payload(citations=[{"anchor": 1, "chunk_id": "c1"}]),
        make_block(verdict),
        verification_id="v1",
        answer_id="a1",
        verified_at=NOON,
    )
    add_index(store, name="contracts", version="v1")
    add_reanchored(store, first, laid_out.extraction_id)
    log = open_log(store)
    log.append_all([b"a whole tile"] * 256)
    log.include_all([make_leaf(1)])
    cosigned = StoredCosignature(size=log.latest()[0].size, witness="w+1+AA", line="— w AAAA")
    Cosignatures(store.database, log.log_id).add(cosigned, added_at=NOON)
    # Of another verification: the rows of an erased one take one change, which is tested beside it.
    store.erasures.record(
        ErasureRecord(
            kind="verification",
            subject="v0",
            origin=log.origin,
            index=0,
            reason="asked for",
            erased_at=NOON,
        )
    )
    sealed = {"sealed_digest": str(Digest.of(b"sealed")), "key_name": "k1"}
    with store.database.writing() as session:
        session.add(SealedBlobRow(digest=str(Digest.of(b"first")), position=1, **sealed))
    store.accesses.add(lambda: ("2026-11-22", "{}"))
    # Of another day, for the same reason.
    store.accesses.remove("2026-11-20", origin=log.origin, index=1)
    store.configuration.set(
        "citations.chunk@production",
        "off",
        actor_key_id="k1",
        actor_sub=None,
        since=NOON,
        announce=lambda _: None,
    )
    open_next(store)
    add_accounts(store)
    add_deliveries(store)
    fill_samples(store)
    reviews, claim = store.samples.reviews, ClaimLabel(start=0, end=4, label="wrong")
    assert reviews.assign("ben", places=9, since=NOON, at=NOON) == "sampled"
    reviews.add_label(
        "sampled", "wrong", reviewer="ben", note=None, labelled_at=NOON, claims=(claim,)
    )


def read_all(store: Store) -> dict[str, list[Any]]:
    with store.database.reading() as session:
        return {
            table: sorted(map(repr, session.connection().execute(text(f"SELECT * FROM {table}"))))
            for table in TABLES
        }


def statements(table: str, *, is_postgresql: bool) -> list[str]:
    columns = [column.name for column in Row.metadata.tables[table].columns]
    keys = [column.name for column in Row.metadata.tables[table].primary_key.columns]
    last = columns[-1]
    row = ", ".join(columns)
    target = ", ".join(keys)
    change = f"UPDATE {table} SET {last} = {last}"
    upsert = (
        f"INSERT INTO {table} ({row}) SELECT {row} FROM {table} WHERE true"
        f" ON CONFLICT ({target}) DO UPDATE SET {last} = excluded.{last}"
    )
    common = [change, f"{change} WHERE {keys[0]} IS NOT NULL", f"DELETE FROM {table}", upsert]
    if is_postgresql:
        return [*common, f"TRUNCATE {table} CASCADE"]
    copy = f"({row}) SELECT {row} FROM {table}"
    return [
        *common,
        f"INSERT OR REPLACE INTO {table} {copy}",
        f"REPLACE INTO {table} {copy}",
        f"UPDATE OR REPLACE {table} SET {last} = {last}",
        f"INSERT INTO {table} {copy}",
    ]


@pytest.mark.parametrize("table", TABLES)
def test_no_statement_changes_a_row(full_store: Store, table: str) -> None:
    before = read_all(full_store)
    assert before[table], "a rule about rows needs a row"
    for statement in statements(table, is_postgresql=full_store.database.is_postgresql):
        with (
            pytest.raises(ConflictError, match="Nothing was changed"),
            full_store.database.connection() as connection,
        ):
            connection.execute(text(statement))
    assert read_all(full_store) == before


@pytest.mark.parametrize("full_store", ["sqlite"], indirect=True)
@pytest.mark.parametrize("table", TABLES)
def test_no_connection_without_our_settings_changes_a_row(full_store: Store, table: str) -> None:
    before = read_all(full_store)
    path = full_store.home / "spanproof.db"
    for statement in statements(table, is_postgresql=False):
        with closing(sqlite3.connect(path)) as connection:
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(statement)
            connection.rollback()
    # Without a row number there is no second door to a row.
    with (
        closing(sqlite3.connect(path)) as connection,
        pytest.raises(sqlite3.OperationalError, match="no such column"),
    ):
        connection.execute(f"SELECT rowid FROM {table}")
    assert read_all(full_store) == before


def test_an_extraction_cannot_take_the_place_of_another(full_store: Store) -> None:
    columns = [c.name for c in Row.metadata.tables["extraction"].columns]
    values = ", ".join("'other'" if name == "extraction_id" else name for name in columns)
    replace = "INSERT" if full_store.database.is_postgresql else "INSERT OR REPLACE"
    before = read_all(full_store)
    with pytest.raises(ConflictError), full_store.database.connection() as connection:
        connection.execute(
            text(
                f"{replace} INTO extraction ({', '.join(columns)})"
                f" SELECT {values} FROM extraction WHERE position = 1"
            )
        )
    assert read_all(full_store) == before


def test_rows_of_what_is_not_kept_are_refused(full_store: Store) -> None:
    with pytest.raises(ConflictError), full_store.database.connection() as connection:
        connection.execute(
            text(
                "INSERT INTO document_name (doc_id, position, doc_hash, since)"
                " SELECT 'ghost', 1, 'sha256:ghost', since FROM document_name"
            )
        )
