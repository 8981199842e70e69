"""Rows ↔ values: copies the fields that have the same name in both; the caller gives the rest."""

# ruff: noqa: ANN401 - fields and columns are of any type
from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from spanproof.store.database.columns import to_utc

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from spanproof.store.database.columns import Row

    RowKind = TypeVar("RowKind", bound=Row)
    Value = TypeVar("Value", bound=DataclassInstance)


def to_value(kind: type[Value], row: object, /, **given: Any) -> Value:
    """The value (a dataclass) with the row's columns of its fields' names, and what is ``given``.

    A field of neither keeps its default.
    """
    names = (each.name for each in fields(kind) if each.name not in given)
    return kind(**{name: getattr(row, name) for name in names if hasattr(row, name)}, **given)


def to_row(kind: type[RowKind], value: object, /, **given: Any) -> RowKind:
    """The row with the value's fields of its columns' names, and what is ``given``."""
    return kind(**to_columns(kind, value, **given))


def to_columns(kind: type[Row], value: object, /, **given: Any) -> dict[str, Any]:
    """The same as columns by name; raise AttributeError where the value lacks one.

    Moments are in UTC; InputError for one without a zone.
    """
    found = {name: getattr(value, name) for name in kind.model_fields if name not in given}
    columns = (found | given).items()
    return {name: to_utc(each) if isinstance(each, datetime) else each for name, each in columns}
