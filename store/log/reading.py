"""A log as its auditors read it: heads, tiles, entries and proofs; nothing is signed here."""

from __future__ import annotations

import hmac
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from sqlmodel import col, select

from spanproof.core.errors import NotFoundError
from spanproof.core.log import merkle
from spanproof.core.log.tiles import Tile, TileReader
from spanproof.store.log import rows
from spanproof.store.log.tables import LeafRow, StatementRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlmodel import Session

    from spanproof.core.log.checkpoint import Checkpoint
    from spanproof.core.log.merkle import ConsistencyProof, InclusionProof
    from spanproof.store.database.session import Database
    from spanproof.store.log.records import LogFreeze, LogState, StoredStatement

#: How many entries are read from the database at once.
_CHUNK = 1024
#: Subjects of one IN list.
_BATCH = 500


def list_logs(database: Database) -> tuple[LogState, ...]:
    """Every log of the database, in the order in which they were opened."""
    with database.reading() as session:
        return tuple(rows.list_states(session))


def find_current_origin(database: Database) -> str | None:
    """The origin that takes leaves: of the newest log that is not frozen; None without one."""
    opened = [state.origin for state in list_logs(database) if state.freeze is None]
    return opened[-1] if opened else None


def list_events(
    database: Database, kind: str, subjects: Sequence[str] | None = None
) -> tuple[StoredStatement, ...]:
    """The statements of one kind in every log of the database, in the order in which they came.

    With ``subjects`` those about one of these.
    """
    queries = [select(StatementRow).where(StatementRow.kind == kind)]
    if subjects is not None:
        queries = [
            queries[0].where(col(StatementRow.subject).in_(subjects[start : start + _BATCH]))
            for start in range(0, len(subjects), _BATCH)
        ]
    with database.reading() as session:
        found = [row for query in queries for row in session.exec(query)]
        found.sort(key=lambda row: (row.log_id, row.idx))
        return tuple(map(rows.to_statement, found))


class LogReader:
    """One log of the database. Safe for several threads."""

    def __init__(self, database: Database, log_id: int, origin: str) -> None:
        self._database = database
        self._log_id = log_id
        self._origin = origin

    @classmethod
    def find(cls, database: Database, origin: str) -> LogReader:
        """The log of that origin; raise NotFoundError if it is missing."""
        with database.reading() as session:
            row = rows.find_log(session, origin)
        if row is None:
            msg = f"Expected a log that is kept here, got origin {origin!r}."
            raise NotFoundError(msg, hint="Verify an answer first, or name the right home.")
        return LogReader(database, row.log_id, origin)

    @property
    def origin(self) -> str:
        """The log's name."""
        return self._origin

    @property
    def log_id(self) -> int:
        """The log's number in this database."""
        return self._log_id

    def head(self) -> Checkpoint:
        """The newest head, which nothing may have signed yet."""
        with self._reading() as session:
            return self._read_head(session)

    def latest(self) -> tuple[Checkpoint, str]:
        """The newest signed head and its note."""
        return self._find_note(None)

    def note(self, size: int) -> str:
        """The note of the head of that size; NotFoundError where that one was never signed."""
        return self._find_note(size)[1]

    def checkpoints(self) -> Iterator[tuple[Checkpoint, str]]:
        """Every signed head, the smallest first; one page of them in memory at a time."""
        after = -1
        while True:
            with self._reading() as session:
                page = rows.list_notes(session, self._log_id, after, _CHUNK)
            for row in page:
                yield rows.to_checkpoint(row, self._origin), row.note
            if len(page) < _CHUNK:
                return
            after = page[-1].size

    def has_checkpoint(self, start: int, end: int) -> bool:
        """Whether a head of a size in [start, end) was signed."""
        with self._reading() as session:
            found = rows.list_notes(session, self._log_id, start - 1, 1)
        return bool(found) and found[0].size < end

    def find_freeze(self) -> LogFreeze | None:
        """How the log was closed; None while it takes leaves."""
        with self._reading() as session:
            return rows.find_freeze(session, self._log_id)

    def read_tile(self, tile: Tile) -> bytes:
        """The hashes of a tile, or the entries of a bundle; NotFoundError beyond the head."""
        with self._reading() as session:
            size = self._read_head(session).size
            if not rows.has_tile(tile, size):
                raise rows.not_logged(f"{tile.path!r}", size)
            return rows.read_tile(session, self._log_id, tile)

    def read_leaf(self, index: int) -> tuple[bytes, bytes]:
        """The entry of a leaf and its hash as it is stored; NotFoundError beyond the head."""
        with self._reading() as session:
            # The head first: a leaf that comes between the two looks is not damage.
            size = self._read_head(session).size
            row = session.get(LeafRow, (self._log_id, index))
        if row is not None:
            return row.entry, row.leaf_hash
        if 0 <= index < size:
            raise rows.missing_leaf(index, index + 1)
        raise rows.not_logged(f"leaf {index}", size)

    def read_entry(self, index: int) -> bytes:
        """The bytes of a leaf; NotFoundError beyond the head."""
        return self.read_leaf(index)[0]

    def entries(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes of the leaves [start, end), some at a time; NotFoundError beyond the head."""
        size = self.head().size
        if not 0 <= start <= end <= size:
            raise rows.not_logged(f"the leaves [{start}, {end})", size)
        for first in range(start, end, _CHUNK):
            with self._reading() as session:
                chunk = rows.read_entries(session, self._log_id, first, min(end, first + _CHUNK))
            yield from chunk

    def find_statement(self, index: int) -> StoredStatement | None:
        """The statement behind a leaf; None for a leaf without one."""
        with self._reading() as session:
            row = session.get(StatementRow, (self._log_id, index))
            return None if row is None else rows.to_statement(row)

    def find_statements(self, subject: str) -> tuple[StoredStatement, ...]:
        """The statements about a subject, in the order of their leaves."""
        query = select(StatementRow).where(
            StatementRow.log_id == self._log_id, StatementRow.subject == subject
        )
        with self._reading() as session:
            found = session.exec(query.order_by(col(StatementRow.idx))).all()
            return tuple(map(rows.to_statement, found))

    def find_leaf(self, leaf_hash: bytes) -> int | None:
        """The index of the first leaf with this hash; None where the log has none."""
        with self._reading() as session:
            return rows.find_leaf_hash(session, self._log_id, leaf_hash)

    def list_statements(self, kinds: Sequence[str]) -> tuple[StoredStatement, ...]:
        """The statements of these kinds, in the order of their leaves."""
        query = select(StatementRow).where(
            StatementRow.log_id == self._log_id, col(StatementRow.kind).in_(kinds)
        )
        with self._reading() as session:
            found = session.exec(query.order_by(col(StatementRow.idx))).all()
            return tuple(map(rows.to_statement, found))

    def open_intakes(
        self, kind: str = "intake", *, subject: str | None = None
    ) -> tuple[StoredStatement, ...]:
        """The intakes that nothing has answered: in work, or cut off by a crash.

        With ``subject`` those about it alone.
        """
        with self._reading() as session:
            size = self._read_head(session).size
            return rows.list_open(session, self._log_id, size, (kind,), subject=subject)

    def find_unreceipted(
        self, kind: str = "result", *, subject: str | None = None
    ) -> tuple[StoredStatement, ...]:
        """The statements of that kind whose receipt is not kept: a crash came before it.

        With ``subject`` those about it alone.
        """
        with self._reading() as session:
            size = self._read_head(session).size
            return rows.list_unreceipted(session, self._log_id, size, (kind,), subject=subject)

    def prove_inclusion(self, index: int, size: int | None = None) -> InclusionProof:
        """That the leaf appears in the tree of ``size``: by default, of the newest signed one."""
        with self._reading() as session:
            wanted = self._to_size(session, size)
            if not 0 <= index < wanted:
                raise rows.not_logged(f"leaf {index}", wanted)
            return merkle.prove_inclusion(self._tiles(session, wanted), index, wanted)

    def prove_consistency(self, old: int, new: int | None = None) -> ConsistencyProof:
        """That the tree of ``new`` leaves (the newest signed one) begins with that of ``old``."""
        with self._reading() as session:
            wanted = self._to_size(session, new)
            if not 0 < old <= wanted:
                raise rows.not_logged(f"a tree of {old}", wanted)
            return merkle.prove_consistency(self._tiles(session, wanted), old, wanted)

    def read_root(self, size: int) -> bytes:
        """The root above the first ``size`` leaves, from their tiles."""
        with self._reading() as session:
            wanted = self._to_size(session, size)
            return merkle.read_root(self._tiles(session, wanted), wanted)

    def holds(self, checkpoint: Checkpoint) -> bool:
        """Whether a head that somebody kept is a beginning of this log.

        False for a head of another log, of a fork, and of leaves that this database has lost.
        """
        with self._reading() as session:
            size = self._read_head(session).size
            if checkpoint.origin != self._origin or checkpoint.size > size:
                return False
            root = merkle.read_root(self._tiles(session, checkpoint.size), checkpoint.size)
        return hmac.compare_digest(root, checkpoint.root)

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        with self._database.reading() as session:
            yield session

    def _read_head(self, session: Session) -> Checkpoint:
        return rows.read_head(session, self._log_id, self._origin)

    def _find_note(self, size: int | None) -> tuple[Checkpoint, str]:
        with self._reading() as session:
            row = rows.find_note(session, self._log_id, size)
        if row is None:
            got = "none" if size is None else f"none of size {size}"
            msg = f"Expected a signed checkpoint of {self._origin!r}, got {got}."
            raise NotFoundError(msg, hint="Ask for the newest checkpoint and prove from it.")
        return rows.to_checkpoint(row, self._origin), row.note

    def _to_size(self, session: Session, size: int | None) -> int:
        if size is None:
            row = rows.find_note(session, self._log_id)
            return 0 if row is None else row.size
        head = self._read_head(session).size
        if not 0 <= size <= head:
            raise rows.not_logged(f"a tree of {size}", head)
        return size

    def _tiles(self, session: Session, size: int) -> TileReader:
        return TileReader(partial(rows.read_tile, session, self._log_id), size)
