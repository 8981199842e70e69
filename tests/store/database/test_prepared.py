"""What the driver does itself is what SQLAlchemy would have had it do."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import bindparam, exc, select, text

from spanproof.core.errors import ConflictError
from spanproof.store.database.columns import Row
from spanproof.store.database.prepared import Prepared
from spanproof.store.tables import PayloadRow, VerificationRow
from tests.store.examples import NOON

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.store import Store

PAYLOADS, VERIFICATIONS = (
    Row.metadata.tables[str(row.__tablename__)] for row in (PayloadRow, VerificationRow)
)
ADD, ADD_PAYLOAD = Prepared(VERIFICATIONS.insert()), Prepared(PAYLOADS.insert())
FIND = Prepared(
    select(VERIFICATIONS, PAYLOADS.c.raw)
    .select_from(VERIFICATIONS.outerjoin(PAYLOADS))
    .where(VERIFICATIONS.c.verification_id == bindparam("name"))
    .where(VERIFICATIONS.c.verification_id == bindparam("name"))
    .order_by(VERIFICATIONS.c.verified_at)
    .limit(1)
)


def make_row(name: str, **given: Any) -> dict[str, Any]:
    row = {
        "verification_id": name,
        "answer_id": "a",
        "verified_at": NOON,
        "result": "pass",
        "level": "GREEN",
        "verdicts": 1,
        "generator_model": None,
        "prompt_id": None,
        "excerpt": "words",
    }
    return row | given


anything = st.text(st.characters(codec=None), min_size=1, max_size=40)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    name=anything,
    model=st.none() | anything,
    count=st.integers(0, 2**63 - 1),
    raw=st.binary(max_size=40),
    moment=st.timedeltas(timedelta(days=-20_000), timedelta(days=20_000)).map(NOON.__add__),
)
def test_what_is_added_is_found_as_sqlalchemy_finds_it(
    store: Store, name: str, model: str | None, count: int, raw: bytes, moment: datetime
) -> None:
    row = make_row(name, generator_model=model, verdicts=count, verified_at=moment)
    payload = {"verification_id": name, "raw": raw, "block": b"{}"}
    with store.database.connection() as connection:
        if FIND.find(connection, {"name": name}) is not None:
            return
        ADD.add(connection, [row])
        assert FIND.find(connection, {"name": name}) == (*row.values(), None)
        ADD_PAYLOAD.add(connection, [payload | {"raw_sha256": "", "block_sha256": ""}])
        found = FIND.find(connection, {"name": name})
        assert found == (*row.values(), raw)
        assert found == tuple(connection.execute(FIND.statement, {"name": name}).one())


def test_several_rows_are_added_in_their_order(store: Store) -> None:
    rows = [make_row(f"v{n}", verified_at=NOON + timedelta(hours=n)) for n in range(5)]
    with store.database.connection() as connection:
        ADD.add(connection, rows)
        ADD.add(connection, [])
    assert [item.verification_id for item in store.answers.list().items] == [
        f"v{n}" for n in reversed(range(5))
    ]


def test_a_row_without_a_column_is_refused_and_not_filled_up(store: Store) -> None:
    row = make_row("v1")
    del row["prompt_id"]
    with pytest.raises(KeyError, match="prompt_id"), store.database.connection() as connection:
        ADD.add(connection, [row])
    assert store.answers.list().items == ()


def test_a_row_of_a_known_key_is_an_error_of_sqlalchemys(store: Store) -> None:
    with store.database.connection() as connection:
        ADD.add(connection, [make_row("v1")])
        point = connection.begin_nested()
        with pytest.raises(exc.IntegrityError):
            ADD.add(connection, [make_row("v1")])
        point.rollback()
        ADD.add(connection, [make_row("v2")])
    assert len(store.answers.list().items) == 2


def test_a_drivers_error_shows_no_parameters(store: Store) -> None:
    with pytest.raises(ConflictError) as raised, store.database.connection() as connection:
        ADD.add(connection, [make_row("v1"), make_row("v1", excerpt="a secret word")])
    assert "secret" not in str(raised.value.__cause__)


@pytest.mark.parametrize("store_place", ["sqlite"], indirect=True)
def test_text_where_bytes_belong_is_found_as_other_bytes(store: Store) -> None:
    with store.database.connection() as connection:
        ADD.add(connection, [make_row("v1")])
        connection.execute(
            text(
                "INSERT INTO log (log_id, origin, vkey, opened_at) "
                "VALUES (0, 'log.example.com', NULL, '2026-01-01 00:00:00')"
            )
        )
        connection.execute(
            text("INSERT INTO log_tree (log_id, size, root) VALUES (0, 0, :root)"),
            {"root": "x" * 32},
        )
        trees = Row.metadata.tables["log_tree"]
        find = Prepared(select(trees.c.root).where(trees.c.log_id == bindparam("log_id")))
        assert find.find(connection, {"log_id": 0}) == (repr("x" * 32).encode(),)
