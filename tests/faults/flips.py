"""Every byte of a log changed in turn, by somebody who owns the database: fsck names each.

The triggers are dropped first, as such a person would.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from spanproof.core.errors import SpanproofError
from spanproof.store import open_store
from spanproof.store.database.session import Database, to_url
from spanproof.store.log.fsck import FsckChecks, fsck_log
from spanproof.store.log.reading import LogReader
from spanproof.store.log.records import LogStatement, NewLeaf
from tests.faults.ledger import ORIGIN, check_kept_note, open_log
from tests.faults.report import Tally

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.store.log.fsck import LogAudit

#: What a log is made of, column by column; what stands beside its leaves has checks of its own.
_COLUMNS = (
    ("log_leaf", "leaf_hash", "idx"),
    ("log_leaf", "entry", "idx"),
    ("log_tree", "root", "size"),
    ("log_checkpoint", "root", "size"),
    ("log_checkpoint", "note", "size"),
)
_BATCH = 8


def run(folder: Path, *, leaves: int, step: int = 1) -> Tally:
    """A log of so many leaves; every ``step``-th byte of it is changed and put back."""
    tally = Tally(name=f"every byte of a log of {leaves} leaves")
    home = folder / "home"
    with open_store(home) as store:
        log = open_log(store, folder / "mark")
        for first in range(0, leaves, _BATCH):
            log.include_all([NewLeaf(entry=b"leaf %d" % n) for n in range(first, first + _BATCH)])
    _drop_triggers(home)
    database = Database(to_url(home, None))
    audit = _check(database)
    tally.demand(audit is not None and audit.is_sound, "a log that nobody touched is not sound")
    with closing(sqlite3.connect(home / "spanproof.db", isolation_level=None)) as forger:
        for number, (table, column, key, at) in enumerate(_list_bytes(forger)):
            if number % step:
                continue
            kept = forger.execute(
                f"SELECT {column} FROM {table} WHERE {key} = ?",  # noqa: S608 - names of ours
                (at[0],),
            ).fetchone()[0]
            _put(forger, table, column, key, at[0], _flip(kept, at[1]))
            audit = _check(database)
            found = audit is None or not audit.is_sound
            tally.count("bytes changed")
            tally.count("found", int(found))
            tally.demand(found, f"{table}.{column} of {at[0]}, byte {at[1]}: nothing was found")
            _put(forger, table, column, key, at[0], kept)
    database.close()
    return tally


def run_dropped(folder: Path, *, results: int, drops: int) -> Tally:
    """Results that are left out: each intake without an answer, and each missing leaf, is named."""
    tally = Tally(name=f"one of {results:,} results left out")
    home = folder / "home"
    missing = [1 + number * results // drops for number in range(drops)]
    with open_store(home) as store:
        log = open_log(store, folder / "mark")
        intakes = log.append_all(
            [_leaf("intake", number, answers=None) for number in range(results)]
        )
        log.append_all(
            [
                _leaf("result", number, answers=intakes[number].index)
                for number in range(results)
                if number not in missing
            ]
        )
        log.publish()
        audit = fsck_log(store.database, LogReader.find(store.database, ORIGIN), _CHECKS)
        named = audit.open_intakes == tuple(intakes[number].index for number in missing)
        tally.demand(named, f"left out {missing}, named {audit.open_intakes}")
        tally.count("results left out", drops)
        tally.count("named by index", len(audit.open_intakes))
    _drop_triggers(home)
    database = Database(to_url(home, None))
    with closing(sqlite3.connect(home / "spanproof.db", isolation_level=None)) as forger:
        for index in missing:
            row = forger.execute("SELECT * FROM log_leaf WHERE idx = ?", (index,)).fetchone()
            forger.execute("DELETE FROM log_leaf WHERE idx = ?", (index,))
            audit = fsck_log(database, LogReader.find(database, ORIGIN), _CHECKS)
            places = {fault.place for fault in audit.faults if fault.kind == "LEAF"}
            tally.demand(f"leaf {index}" in places, f"deleted leaf {index}, named {places}")
            tally.count("leaves deleted")
            forger.execute("INSERT INTO log_leaf VALUES (?, ?, ?, ?)", row)
    database.close()
    return tally


_CHECKS = FsckChecks(note=check_kept_note, results=())


def _check(database: Database) -> LogAudit | None:
    """What fsck finds; None where it, or a note, refuses by a typed error."""
    try:
        return fsck_log(database, LogReader.find(database, ORIGIN), _CHECKS)
    except SpanproofError:
        return None


def _leaf(kind: str, number: int, *, answers: int | None) -> NewLeaf:
    statement = LogStatement(
        kind=kind,
        subject=f"v{number}",
        payload=b"payload",
        signature=b"signature",
        intake_index=answers,
    )
    return NewLeaf(entry=f"{kind} {number}".encode(), statement=statement)


def _list_bytes(forger: sqlite3.Connection) -> list[tuple[str, str, str, tuple[int, int]]]:
    found = []
    for table, column, key in _COLUMNS:
        query = f"SELECT {key}, CAST({column} AS BLOB) FROM {table}"  # noqa: S608 - names of ours
        for number, content in forger.execute(query).fetchall():
            found += [(table, column, key, (number, at)) for at in range(len(content))]
    return found


def _flip(content: bytes | str, at: int) -> bytes | str:
    if isinstance(content, str):
        # As many characters and still text, so that it is the note that is judged.
        raw = bytearray(content.encode("utf-8"))
        raw[at] ^= 1
        return raw.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode()
    changed = bytearray(content)
    changed[at] ^= 1
    return bytes(changed)


def _put(
    forger: sqlite3.Connection, table: str, column: str, key: str, row: int, value: object
) -> None:
    forger.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (value, row))  # noqa: S608


def _drop_triggers(home: Path) -> None:
    with closing(sqlite3.connect(home / "spanproof.db", isolation_level=None)) as forger:
        names = forger.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in names:
            forger.execute(f"DROP TRIGGER {name}")
