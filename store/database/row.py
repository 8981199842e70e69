"""The root of the store's tables, wherever their rows are described."""

from __future__ import annotations

from sqlalchemy import MetaData
from sqlmodel import SQLModel

#: By SQLite's hidden row number ``INSERT OR REPLACE`` could reach a row past its key.
WITHOUT_ROWID = {"sqlite_with_rowid": False}


class Row(SQLModel):
    """The root of this store's tables."""

    metadata = MetaData()
