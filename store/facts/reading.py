"""Reads the facts of all answers, and later only those that are new."""

from __future__ import annotations

import json
import threading
from datetime import UTC
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, select
from sqlmodel import col

from spanproof.core.moment import write_moment
from spanproof.store.answers.filters import to_conditions
from spanproof.store.database.columns import Row
from spanproof.store.erasing.tables import ErasureRow
from spanproof.store.facts.columns import FactColumn, Facts, Sets
from spanproof.store.facts.tables import AnswerFactRow
from spanproof.store.facts.words import find_numbers
from spanproof.store.tables import VerificationRow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from spanproof.store.database.session import Database
    from spanproof.store.records import VerificationFilter

_FACTS = Row.metadata.tables[str(AnswerFactRow.__tablename__)]
#: The facts by name, and the columns that they stand in; a list of JSON has several values.
COLUMNS = {
    "result": "result",
    "code": "codes_json",
    "generator_model": "generator_model",
    "prompt_id": "prompt_id",
    "index_version": "index_versions_json",
    "doc_hash": "documents_json",
    "policy": "policy",
    "label": "labels_json",
    "outcome": "outcomes_json",
}


class AnswerFacts:
    """The facts of one store's answers. Safe for several threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._read = _NothingRead()

    def load(self) -> Facts:
        """The facts as they are now: what was read before is kept, what is new is added."""
        with self._lock, self._database.read_connection() as connection:
            newest = connection.execute(select(func.max(_FACTS.c.number))).scalar() or 0
            erased = connection.execute(select(func.count()).select_from(ErasureRow)).scalar_one()
            if erased != self._read.erased:
                # An erased answer has lost its labels.
                self._read = _NothingRead(erased)
            if newest > self._read.newest:
                # Numbers are given in the order of the commits: none before this one is to come.
                query = select(_FACTS).where(_FACTS.c.number > self._read.newest)
                rows = connection.execute(query.order_by(_FACTS.c.number))
                for some in rows.mappings().partitions(10_000):
                    self._read.add(some)
                self._read.close(newest)
            return self._read.facts

    def find_words(self, asked: str) -> list[int]:
        """The numbers of the answers that have every word and every "phrase in quotes"."""
        with self._database.read_connection() as connection:
            return find_numbers(connection, asked)

    def find_filtered(self, filters: VerificationFilter) -> list[int]:
        """The numbers of the answers that pass a filter of one verdict, a page or a span."""
        mine = _FACTS.c.verification_id == VerificationRow.verification_id
        query = select(_FACTS.c.number).join(VerificationRow, mine).where(*to_conditions(filters))
        with self._database.read_connection() as connection:
            return list(connection.execute(query).scalars())

    def find(self, numbers: Sequence[int]) -> list[tuple[str, datetime]]:
        """The verifications of these numbers, in their order, and when each was made."""
        columns = _FACTS.c.number, _FACTS.c.verification_id, _FACTS.c.verified_at
        with self._database.read_connection() as connection:
            query = select(*columns).where(_FACTS.c.number.in_(numbers))
            found = {number: (name, moment) for number, name, moment in connection.execute(query)}
        return [found[number] for number in numbers if number in found]

    def list(self, numbers: Sequence[int]) -> list[dict[str, Any]]:
        """The facts of these numbers, in their order, and how each answer begins."""
        mine = _FACTS.c.verification_id == VerificationRow.verification_id
        query = select(_FACTS, col(VerificationRow.excerpt)).join(VerificationRow, mine)
        with self._database.read_connection() as connection:
            rows = connection.execute(query.where(_FACTS.c.number.in_(numbers))).mappings()
            found = {row["number"]: row for row in rows}
        return [_to_values(dict(found[number])) for number in numbers if number in found]


class _NothingRead:
    """What was read so far; ``erased`` erasures were recorded then."""

    def __init__(self, erased: int = 0) -> None:
        self.erased = erased
        self.newest = 0
        self._sets = {name: Sets() for name in COLUMNS}
        self.facts = Facts(
            numbers=np.empty(0, np.int64),
            seconds=np.empty(0, np.float64),
            failed=np.empty(0, np.int64),
            columns={},
        )
        self._found: dict[str, list[Any]] = _make_lists()
        self.close(0)

    def add(self, rows: Sequence[Any]) -> None:
        """Number the values of rows."""
        for row in rows:
            self._found["numbers"].append(row["number"])
            self._found["seconds"].append(row["verified_at"].astimezone(UTC).timestamp())
            self._found["failed"].append(row["failed"])
        for name, column in COLUMNS.items():
            split = _remembered(_split_list if column.endswith("_json") else _split_one)
            number = self._sets[name].number
            self._found[name] += [number(split(row[column])) for row in rows]

    def close(self, newest: int) -> None:
        """Put what was added behind what was there."""
        before, found = self.facts, self._found
        self.facts = Facts(
            numbers=_join(before.numbers, found["numbers"]),
            seconds=np.concatenate([before.seconds, np.array(found["seconds"], np.float64)]),
            failed=_join(before.failed, found["failed"]),
            columns={
                name: FactColumn(
                    values=tuple(sets.values),
                    members=tuple(sets.members),
                    sets=_join(
                        before.columns[name].sets if before.columns else np.empty(0, np.int64),
                        found[name],
                    ),
                )
                for name, sets in self._sets.items()
            },
        )
        self._found, self.newest = _make_lists(), newest


def _to_values(row: Mapping[str, Any]) -> dict[str, Any]:
    """Columns by name; a list of JSON is a list under the name without its ending."""
    return {
        name.removesuffix("_json"): json.loads(value) if name.endswith("_json") else value
        for name, value in row.items()
    } | {"verified_at": write_moment(row["verified_at"])}


def _make_lists() -> dict[str, list[Any]]:
    return {name: [] for name in ("numbers", "seconds", "failed", *COLUMNS)}


def _join(before: Any, added: list[int]) -> Any:  # noqa: ANN401 - arrays of int64
    return np.concatenate([before, np.array(added, dtype=np.int64)])


def _split_one(value: str | None) -> tuple[str, ...]:
    return () if value is None else (value,)


def _split_list(value: str) -> tuple[str, ...]:
    return tuple(json.loads(value))


def _remembered(split: Callable[[Any], tuple[str, ...]]) -> Callable[[Any], tuple[str, ...]]:
    """The same function, which parses equal text once."""
    known: dict[Any, tuple[str, ...]] = {}

    def remember(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - as split
        found = known.get(value)
        if found is None:
            found = known[value] = split(value)
        return found

    return remember
