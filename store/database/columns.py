"""Column types that keep what Python holds, on SQLite and PostgreSQL alike."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import DateTime, LargeBinary, MetaData, Text
from sqlalchemy.types import TypeDecorator
from sqlmodel import SQLModel

from spanproof.core.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy import Dialect

#: PostgreSQL refuses NUL and UTF-8 cannot carry a lone surrogate; both are legal in a JSON string.
_UNSTORABLE = re.compile("[\\\\\x00\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(\\|u[0-9a-f]{4})")


def escape_text(text: str) -> str:
    """The text as a column holds it; one to one, and the same text where nothing needs escaping."""
    return _UNSTORABLE.sub(
        lambda m: "\\\\" if m[0] == "\\" else f"\\u{ord(m[0]):04x}",
        text,
    )


def unescape_text(stored: str) -> str:
    """The inverse of ``escape_text``."""
    return _ESCAPED.sub(lambda m: "\\" if m[1] == "\\" else chr(int(m[1][1:], 16)), stored)


class AnyText(TypeDecorator[str]):
    """Any Python string, NUL and lone surrogates included; equality in SQL is equality here."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """To the column."""
        del dialect
        return None if value is None else escape_text(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401
        """From the column; a value of another type, which SQLite would keep, is other text."""
        del dialect
        if value is None:
            return None
        return unescape_text(value) if isinstance(value, str) else repr(value)


class ExactBytes(TypeDecorator[bytes]):
    """Bytes. What somebody put there as text, which SQLite would keep, reads as other bytes."""

    impl = LargeBinary
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> bytes | None:  # noqa: ANN401
        """From the column."""
        del dialect
        if value is None or isinstance(value, bytes):
            return value
        # No digest that was taken of the bytes is that of this.
        return repr(value).encode("utf-8", "backslashreplace")


class UtcDateTime(TypeDecorator[datetime]):
    """A moment to the microsecond: UTC in the column, aware in Python; a naive one is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To the column."""
        if value is None:
            return None
        moment = to_utc(value)
        # SQLite keeps no zone; without one its text sorts as time does.
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """From the column."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def to_utc(moment: datetime) -> datetime:
    """The same moment in UTC; raise InputError for one without a zone."""
    if moment.tzinfo is None:
        msg = f"Expected a moment with its time zone, got {moment.isoformat()}."
        raise InputError(msg, hint="Give the offset from UTC.")
    return moment.astimezone(UTC)


#: By SQLite's hidden row number ``INSERT OR REPLACE`` could reach a row past its key.
WITHOUT_ROWID = {"sqlite_with_rowid": False}


class Row(SQLModel):
    """The root of this store's tables."""

    metadata = MetaData()
