"""Alembic's entry: runs the revisions on the connection that ``store.migration`` hands over."""

from __future__ import annotations

from alembic import context

from spanproof.store.tables import Row

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Row.metadata,
    # SQLite's DDL is transactional too if the transaction is started by hand, as the store does.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
