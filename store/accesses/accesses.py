"""The access log: lines are added one by one, listed by day, and let go by day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func
from sqlmodel import col, select, update

from spanproof.core.digest import Digest
from spanproof.store.accesses.tables import AccessRemovalRow, AccessRow
from spanproof.store.log.tables import LogRow

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanproof.store.database.session import Database

_KEY = "accesses"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessDay:
    """The lines of a day: how many, and a digest over the digest of each, in their order.

    ``faults`` are the numbers of lines that are not what their digest says, or that are empty
    though no removal of the day is recorded.
    """

    day: str
    accesses: int
    digest: Digest
    removed_at: tuple[str, int] | None
    faults: tuple[int, ...] = ()


class Accesses:
    """The access log of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, make: Callable[[], tuple[str, str]]) -> int:
        """Add a line; its number among those of its day, from 1. Durable when this returns.

        ``make`` gives the day and the line under the lock, so that no line comes to a day that has
        its digest. One insert by key: no other row is read but the day's last number.
        """
        with self._database.writing(_KEY) as session:
            day, line = make()
            query = select(func.coalesce(func.max(AccessRow.number), 0)).where(AccessRow.day == day)
            number = int(session.exec(query).one()) + 1
            digest = str(Digest.of(line.encode("utf-8")))
            session.add(AccessRow(day=day, number=number, line=line, line_sha256=digest))
        return number

    def list_days(self) -> tuple[str, ...]:
        """The days that have lines, the oldest first."""
        query = select(AccessRow.day).distinct().order_by(col(AccessRow.day))
        with self._database.reading() as session:
            return tuple(session.exec(query))

    def list_lines(self, day: str) -> tuple[str, ...]:
        """The lines of a day, in their order; none of one whose lines were let go."""
        query = select(AccessRow.line).where(AccessRow.day == day).order_by(col(AccessRow.number))
        with self._database.reading() as session:
            return tuple(line for line in session.exec(query) if line)

    def describe(self, day: str) -> AccessDay:
        """Count and digest the lines of a day."""
        query = select(AccessRow).where(AccessRow.day == day).order_by(col(AccessRow.number))
        removal = (
            select(LogRow.origin, AccessRemovalRow.idx)
            .join(AccessRemovalRow, col(AccessRemovalRow.log_id) == LogRow.log_id)
            .where(AccessRemovalRow.day == day)
        )
        with self._database.reading() as session:
            rows = session.exec(query).all()
            removed = session.exec(removal).first()
            names = "".join(f"{row.line_sha256}\n" for row in rows)
            faults = tuple(
                row.number
                for row in rows
                if (row.line or removed is None)
                and str(Digest.of(row.line.encode("utf-8"))) != row.line_sha256
            )
        return AccessDay(
            day=day,
            accesses=len(rows),
            digest=Digest.of(names.encode()),
            removed_at=None if removed is None else (removed[0], removed[1]),
            faults=faults,
        )

    def remove(self, day: str, *, origin: str, index: int) -> int:
        """Empty the lines of a day whose removal is logged; how many were still there."""
        of_day = col(AccessRow.day) == day
        with self._database.erasing(_KEY) as session:
            if session.get(AccessRemovalRow, day) is None:
                log_id = session.exec(select(LogRow.log_id).where(LogRow.origin == origin)).one()
                session.add(AccessRemovalRow(day=day, log_id=log_id, idx=index))
                session.flush()
            count = session.exec(
                select(func.count()).select_from(AccessRow).where(of_day, col(AccessRow.line) != "")
            ).one()
            session.exec(update(AccessRow).where(of_day).values(line=""))
        return count
