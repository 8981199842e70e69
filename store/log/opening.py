"""Opening a log: the database and the mark must agree first."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spanproof.core.errors import LogRolledBackError, LogStoppedError, SettingsError
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import EMPTY_ROOT
from spanproof.store.log import rows
from spanproof.store.log.failpoints import Failpoint
from spanproof.store.log.mark import missing_mark
from spanproof.store.log.refusal import to_frozen
from spanproof.store.log.writing import add_log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlmodel import Session

    from spanproof.store.database.session import Database
    from spanproof.store.log.failpoints import Reach
    from spanproof.store.log.mark import HighWaterMark
    from spanproof.store.log.records import NewLog
    from spanproof.store.log.tables import LogRow

#: Writers that add a log or close one.
LOGS_KEY = "logs"
#: What can appear in a note as a key's name, and in one sector with the rest of a mark.
_ORIGIN = re.compile(r"[!-*,-~]{1,253}", re.ASCII)
_RECOVER = "Restore the newest database, or close this log: 'spanproof log recover --new-shard'."


def open_log(
    database: Database, origin: str, mark: HighWaterMark, *, new: NewLog, reach: Reach
) -> int:
    """The number of the log: made where neither the database nor the mark knows one."""
    check_origin(origin)
    with wrapped_mark_errors():
        known = mark.read()
    with database.reading() as session:
        row = rows.find_log(session, origin)
        is_signed = row is not None and rows.find_note(session, row.log_id) is not None
        freeze = None if row is None else rows.find_freeze(session, row.log_id)
        is_successor = known is not None and _is_successor(session, known.origin, origin)
    if freeze is not None:
        raise to_frozen(origin, freeze)
    if is_signed and (known is None or known.origin != origin):
        # Another process may have opened it, and signed, between the two looks.
        with wrapped_mark_errors():
            known = mark.read()
    if known is None and is_signed:
        raise missing_mark(mark.path)
    # A crash may have come between the shard and its mark.
    if known is not None and known.origin != origin and (is_signed or not is_successor):
        raise origin_mismatch(known, origin)
    if row is None:
        if known is not None and known.size:
            raise rolled_back(known, 0)
        row = _add_log(database, origin, new, reach)
    if known is None or known.origin != origin:
        with wrapped_mark_errors():
            mark.create(Checkpoint(origin=origin, size=0, root=EMPTY_ROOT))
    return row.log_id


def _is_successor(session: Session, old: str, new: str) -> bool:
    row = rows.find_log(session, old)
    freeze = None if row is None else rows.find_freeze(session, row.log_id)
    return freeze is not None and freeze.successor == new


def _add_log(database: Database, origin: str, new: NewLog, reach: Reach) -> LogRow:
    with database.writing(LOGS_KEY) as session:
        # Another process may have been first.
        row = rows.find_log(session, origin)
        if row is None:
            row = add_log(session, origin, new)
        session.expunge(row)
        reach(Failpoint.LOG_WRITTEN)
    reach(Failpoint.LOG_COMMITTED)
    return row


def to_key(log_id: int) -> str:
    """What the writers of one log take turns by."""
    return f"log {log_id}"


def check_origin(origin: str) -> None:
    """Raise SettingsError for a name that no note or no mark can carry."""
    if not _ORIGIN.fullmatch(origin):
        msg = f"Expected an origin of 1 to 253 printable characters without '+', got {origin!r}."
        raise SettingsError(msg, hint="Give a host name, such as log.example.com.")


def rolled_back(mark: Checkpoint, size: int) -> LogRolledBackError:
    """That the database has lost leaves which were signed."""
    msg = f"Expected a log of at least {mark.size} leaves, as its mark says, got {size}."
    return LogRolledBackError(msg, hint=_RECOVER)


def history_mismatch(mark: Checkpoint) -> LogRolledBackError:
    """That the database holds other leaves than those which were signed."""
    msg = f"Expected the root that was signed at size {mark.size}, got another."
    return LogRolledBackError(msg, hint=_RECOVER)


def origin_mismatch(mark: Checkpoint, origin: str) -> LogRolledBackError:
    """That the mark is of a log which this database does not follow."""
    msg = f"Expected a mark of the log {origin!r}, got one of {mark.origin!r}."
    return LogRolledBackError(msg, hint=_RECOVER)


@contextmanager
def wrapped_mark_errors() -> Iterator[None]:
    """Raise LogStoppedError for a mark that the disk did not give or take."""
    try:
        yield
    except OSError as error:
        msg = f"Expected a mark that can be read and written, got {error.strerror!r}."
        hint = "Fix the disk or the folder's rights, then start again."
        raise LogStoppedError(msg, hint=hint) from error
