"""Statements that the driver carries out itself, within a transaction that is open already.

SQLAlchemy writes their text, once for each kind of database, and names the driver's errors; its own
way from a statement to the driver takes several times as long as the statement. For the few that
every leaf of a log needs.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, exc

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection, Dialect, Insert
    from sqlalchemy.engine.interfaces import DBAPICursor
    from sqlalchemy.types import TypeEngine

Convert = Callable[[Any], Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """A statement as one kind of database reads it, and how values go to it and come from it.

    ``given`` are the parameters in their order, with their conversions; ``constants`` those whose
    value appears in the statement itself. The driver takes them by name unless ``is_positional``.
    """

    sql: str
    given: tuple[tuple[str, Convert], ...]
    constants: Mapping[str, Any]
    found: tuple[Convert, ...]
    is_positional: bool

    def to_parameters(self, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - as the driver asks
        every = {**self.constants, **values}
        row = [
            every[name] if convert is None else convert(every[name]) for name, convert in self.given
        ]
        if self.is_positional:
            return row
        return {name: value for (name, _), value in zip(self.given, row, strict=True)}


class Prepared:
    """One statement; an INSERT is of all columns of its table."""

    def __init__(self, statement: Insert | Select[Any]) -> None:
        self.statement = statement
        self._texts: dict[str, _Text] = {}

    def add(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows; raises what SQLAlchemy would."""
        text = self._find_text(connection.dialect)
        with _cursor(connection) as cursor:
            for row in rows:
                cursor.execute(text.sql, text.to_parameters(row))

    def find(self, connection: Connection, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The first row of the answer, its columns in their order, or None."""
        text = self._find_text(connection.dialect)
        with _cursor(connection) as cursor:
            cursor.execute(text.sql, text.to_parameters(values))
            row = cursor.fetchone()
        if row is None:
            return None
        return tuple(
            value if convert is None else convert(value)
            for value, convert in zip(row, text.found, strict=True)
        )

    def _find_text(self, dialect: Dialect) -> _Text:
        found = self._texts.get(dialect.name)
        if found is None:
            found = self._texts[dialect.name] = _write(self.statement, dialect)
        return found


def _write(statement: Insert | Select[Any], dialect: Dialect) -> _Text:
    compiled = statement.compile(dialect=dialect)
    binds = {name: bind for bind, name in compiled.bind_names.items()}
    names = compiled.positiontup if compiled.positional else list(binds)
    columns = statement.selected_columns if isinstance(statement, Select) else ()
    return _Text(
        sql=str(compiled),
        given=tuple(
            (name, _as_known(binds[name].type, dialect).bind_processor(dialect))
            for name in names or ()
        ),
        constants={name: value for name, value in compiled.params.items() if value is not None},
        found=tuple(
            _as_known(column.type, dialect).result_processor(dialect, None) for column in columns
        ),
        is_positional=compiled.positional,
    )


def _as_known(kind: TypeEngine[Any], dialect: Dialect) -> TypeEngine[Any]:
    """A column's type as this kind of database has it."""
    return kind.dialect_impl(dialect)


@contextmanager
def _cursor(connection: Connection) -> Iterator[DBAPICursor]:
    """A cursor of the driver's, whose errors are SQLAlchemy's."""
    driver = connection.dialect.loaded_dbapi
    try:
        with closing(connection.connection.cursor()) as cursor:
            yield cursor
    except driver.Error as error:
        # Without the parameters: they are of documents and answers.
        raise exc.DBAPIError.instance(
            None, None, error, driver.Error, hide_parameters=True, dialect=connection.dialect
        ) from error
