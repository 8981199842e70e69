"""What the code believes of the log's tables is what the migrations made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import inspect
from sqlmodel import SQLModel

from spanproof.store.log import tables
from spanproof.store.log.records import LogStatement

if TYPE_CHECKING:
    from spanproof.store import Store


def test_rows_are_told_apart_by_the_keys_of_their_tables(store: Store) -> None:
    rows = [
        found
        for found in vars(tables).values()
        if isinstance(found, type) and issubclass(found, SQLModel) and hasattr(found, "__table__")
    ]
    assert len(rows) >= 6
    with store.database.connection() as connection:
        inspector = inspect(connection)
        for row in rows:
            declared = row.__table__
            made = inspector.get_pk_constraint(declared.name)
            assert made["constrained_columns"] == [each.name for each in declared.primary_key]


def test_a_statement_is_an_in_toto_statement_unless_it_says_another_type() -> None:
    made = LogStatement(kind="result", subject="v1", payload=b"{}", signature=b"")
    assert made.payload_type == "application/vnd.in-toto+json"
