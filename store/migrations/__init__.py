"""Alembic's scripts; they are in the package so that an installed wheel can migrate.

A new store is made from the rows' tables as they are now and needs no script; a script brings the
store of an earlier release there, with ``spanproof.store.triggers`` for a table that it adds.
"""

#: The newest revision; a home at this one opens without loading Alembic.
HEAD = "0018"
