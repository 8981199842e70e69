"""Named values with their history: what holds now is the newest row of a name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import BigInteger, Text, bindparam, select
from sqlmodel import Field

from spanproof.store.database.columns import WITHOUT_ROWID, Row, UtcDateTime, to_utc
from spanproof.store.database.copying import to_value
from spanproof.store.database.prepared import Prepared

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.store.database.session import Database


class ConfigurationValueRow(Row, table=True):
    """The value of a name from a moment on, and who set it; the last position counts."""

    __tablename__ = "configuration_value"
    __table_args__ = WITHOUT_ROWID

    name: str = Field(primary_key=True, sa_type=Text)
    position: int = Field(primary_key=True, sa_type=BigInteger)
    value: str = Field(sa_type=Text)
    actor_key_id: str | None = Field(sa_type=Text)
    actor_sub: str | None = Field(sa_type=Text)
    since: datetime = Field(sa_type=UtcDateTime)


_VALUES = ConfigurationValueRow.__table__  # type: ignore[attr-defined]
_COLUMNS = tuple(_VALUES.c.keys())
#: Every verification asks for one value.
_NEWEST = Prepared(
    select(_VALUES)
    .where(_VALUES.c.name == bindparam("name"))
    .order_by(_VALUES.c.position.desc())
    .limit(1)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredValue:
    """A value, its number among those of its name, and who set it when (without keys: no one)."""

    name: str
    position: int
    value: str
    actor_key_id: str | None
    actor_sub: str | None
    since: datetime


class Configuration:
    """The configuration of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, name: str) -> ConfiguredValue | None:
        """What holds now; None where nothing was ever set."""
        with self._database.read_connection() as connection:
            found = _NEWEST.find(connection, {"name": name})
        return None if found is None else ConfiguredValue(**dict(zip(_COLUMNS, found, strict=True)))

    def list(self, prefix: str) -> tuple[ConfiguredValue, ...]:
        """What holds now of every name that begins so, in the order of the names."""
        begins = _VALUES.c.name.startswith(prefix, autoescape=True)
        query = select(_VALUES).where(begins).order_by(_VALUES.c.name, _VALUES.c.position)
        with self._database.read_connection() as connection:
            # The last position of a name replaces those before it.
            newest = {row.name: to_value(ConfiguredValue, row) for row in connection.execute(query)}
        return tuple(newest.values())

    def set(  # noqa: PLR0913 - the fields of a row
        self,
        name: str,
        value: str,
        *,
        actor_key_id: str | None,
        actor_sub: str | None,
        since: datetime,
        announce: Callable[[str | None], None],
    ) -> tuple[ConfiguredValue, bool]:
        """Set a value; the value that holds already changes nothing. Returns whether it is new.

        ``announce`` is told the value before, and its leaf is durable before the row is: after a
        crash between the two there is a leaf too many, never a change that no leaf knows.
        """
        before = self.find(name)
        if before is not None and before.value == value:
            return before, False
        announce(None if before is None else before.value)
        with self._database.writing(f"configuration {name}") as session:
            newest = self.find(name)
            row = ConfigurationValueRow(
                name=name,
                position=1 if newest is None else newest.position + 1,
                value=value,
                actor_key_id=actor_key_id,
                actor_sub=actor_sub,
                since=to_utc(since),
            )
            session.add(row)
            session.flush()
            return to_value(ConfiguredValue, row), True
