"""Power loss, as the write-ahead log shows it: cut at every 512 bytes, with a torn tail or without.

The database file stands as it was at the last checkpoint of SQLite's, the WAL ends anywhere. What
was acknowledged while the WAL was that long or shorter must be there, in whole transactions; and
the mark outside the database, as it stood then, must let the log open and sign.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanproof.core.errors import LogRolledBackError
from spanproof.store import open_store
from spanproof.store.log.failpoints import Failpoint
from tests.faults.ledger import Acknowledged, check_store, issue, open_log
from tests.faults.report import Tally

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.store import Store

SECTOR = 512
_TABLES = ("log_leaf", "log_tile", "log_tree", "log_checkpoint", "log_statement", "receipt")
#: Checked as a stranger would, receipt by receipt; the other cuts by counting.
_WHOLE_EVERY = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """How long the WAL was when something was acknowledged, and what the mark held."""

    wal_bytes: int
    mark: bytes
    known: int
    counts: tuple[int, ...]


def run(folder: Path, *, receipts: int, seed: int, most_cuts: int | None = None) -> Tally:
    """Issue so many receipts into one WAL, then cut it (at ``most_cuts`` places, drawn)."""
    rng = random.Random(seed)  # noqa: S311 - repeatable, no secret
    tally = Tally(name="WAL cut at every 512 bytes")
    home, mark = folder / "home", folder / "outside" / "mark"
    known: list[Acknowledged] = []
    moments: list[_Moment] = []
    states: set[tuple[int, ...]] = set()
    wal = home / "spanproof.db-wal"
    with open_store(home) as store:

        def reach(point: Failpoint) -> None:
            if point in {Failpoint.TREE_COMMITTED, Failpoint.NOTE_COMMITTED}:
                states.add(_count_rows(home))

        log = open_log(store, mark, reach=reach)
        states.add(_count_rows(home))
        with store.database.reading() as session:
            # From here on the database file stays as it is.
            session.connection().exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        with closing(sqlite3.connect(home / "spanproof.db")) as held:
            # A reader of the state before all of it: no checkpoint can run past it.
            held.execute("BEGIN")
            held.execute("SELECT count(*) FROM log_leaf").fetchone()
            moments.append(_note(home, wal, mark, known))
            for number in range(receipts):
                known.append(issue(log, f"receipt {number}"))
                moments.append(_note(home, wal, mark, known))
            content = wal.read_bytes()
            original = (home / "spanproof.db").read_bytes()
    tally.count("bytes of WAL", len(content))
    tally.count("receipts acknowledged", len(known))
    cuts = [(at, torn) for at in range(0, len(content) + 1, SECTOR) for torn in (False, True)]
    if most_cuts is not None and len(cuts) > most_cuts:
        cuts = sorted(rng.sample(cuts, most_cuts))
    template = folder / "cut"
    shutil.copytree(home, template)
    for number, (at, is_torn) in enumerate(cuts):
        (template / "spanproof.db").write_bytes(original)
        (template / "spanproof.db-shm").unlink(missing_ok=True)
        tail = rng.randbytes(rng.randrange(1, SECTOR)) if is_torn else b""
        (template / "spanproof.db-wal").write_bytes(content[:at] + tail)
        last = max((each for each in moments if each.wal_bytes <= at), key=lambda each: each.known)
        (folder / "cut-mark").write_bytes(last.mark)
        _check_cut(template, last, states, at, tally)
        if number % _WHOLE_EVERY == 0:
            with open_store(template) as store:
                check_store(store, open_log(store, folder / "cut-mark"), known[: last.known], tally)
                _check_newer_mark(folder, store, moments, tally)
            tally.count("checked receipt by receipt")
        tally.count("cuts")
        tally.count("with a torn tail", int(is_torn))
    return tally


def _note(home: Path, wal: Path, mark: Path, known: list[Acknowledged]) -> _Moment:
    return _Moment(
        wal_bytes=wal.stat().st_size,
        mark=mark.read_bytes(),
        known=len(known),
        counts=_count_rows(home),
    )


def _check_cut(
    home: Path, last: _Moment, states: set[tuple[int, ...]], at: int, tally: Tally
) -> None:
    """What was acknowledged is there, and what is there are the first of the transactions."""
    with closing(sqlite3.connect(home / "spanproof.db")) as database:
        answer = database.execute("PRAGMA integrity_check").fetchone()[0]
        tally.demand(answer == "ok", f"cut at {at}: integrity_check says {answer}")
        broken = database.execute("PRAGMA foreign_key_check").fetchall()
        tally.demand(not broken, f"cut at {at}: a row without the one that it belongs to")
        leaves, most = database.execute("SELECT count(*), max(idx) FROM log_leaf").fetchone()
        head = database.execute("SELECT max(size) FROM log_tree").fetchone()[0]
        tally.demand(leaves == (-1 if most is None else most) + 1, f"cut at {at}: a gap")
        tally.demand(head == leaves, f"cut at {at}: {leaves} leaves under a head of {head}")
    counts = _count_rows(home)
    tally.demand(counts in states, f"cut at {at}: {counts} rows, half of a transaction")
    enough = all(now >= then for now, then in zip(counts, last.counts, strict=True))
    tally.demand(enough, f"cut at {at}: {counts} rows, {last.counts} were acknowledged")


def _check_newer_mark(folder: Path, store: Store, moments: list[_Moment], tally: Tally) -> None:
    """A mark that is ahead of what a cut left: the log must refuse to open."""
    with store.database.reading() as session:
        size = session.connection().exec_driver_sql("SELECT max(size) FROM log_tree").scalar()
    newest = moments[-1]
    if size is None or size >= 2 * newest.known:
        return
    ahead = folder / "ahead-mark"
    ahead.write_bytes(newest.mark)
    try:
        open_log(store, ahead)
        tally.violations.append(f"a log of {size} leaves opened under a mark that is ahead")
    except LogRolledBackError:
        tally.count("refused under a mark that is ahead")


def _count_rows(home: Path) -> tuple[int, ...]:
    with closing(sqlite3.connect(home / "spanproof.db")) as database:
        return tuple(
            database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - ours
            for table in _TABLES
        )
