"""Alembic's scripts; they are in the package so that an installed wheel migrates by itself."""

#: The newest revision; a home at this one opens without loading Alembic.
HEAD = "0010"
