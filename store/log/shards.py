"""Closing a log for ever, and opening the one that continues it.

A log whose database lost signed leaves can never sign again: an auditor with the lost checkpoint
would hold a proof of two histories. So it is closed as it is, and a log of another origin
begins with a signed statement that names the old one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from spanproof.core.errors import ConflictError, NotFoundError
from spanproof.core.log.checkpoint import Checkpoint
from spanproof.core.log.merkle import EMPTY_ROOT
from spanproof.store.log import rows, writing
from spanproof.store.log.commit_queue import Submission
from spanproof.store.log.failpoints import Failpoint, Reach, hit
from spanproof.store.log.frontier import Frontier
from spanproof.store.log.mark import HighWaterMark
from spanproof.store.log.opening import LOGS_KEY, check_origin, to_key, wrapped_mark_errors
from spanproof.store.log.records import LogFreeze, LogState, NewLeaf, NewLog
from spanproof.store.log.transparency import TransparencyLog

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from spanproof.core.log.checkpoint import CheckpointSigner
    from spanproof.store.database.session import Database

_NUMBERED = re.compile(r"(.*?)(?:-([1-9][0-9]{0,8}))?", re.ASCII | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class OldLog:
    """The newest log of a database, with its last head, and the mark beside it.

    A ``mark`` above the head, or of another root or origin, is what the database has lost.
    ``is_begun``: nothing of this log is signed yet: a crash came right after it was opened.
    """

    state: LogState
    mark: Checkpoint | None
    successor: str
    is_begun: bool

    @property
    def head(self) -> Checkpoint:
        """The last head in the database, signed or not."""
        return Checkpoint(origin=self.state.origin, size=self.state.size, root=self.state.root)


#: The statement that is to be leaf 0 of the new log.
WriteFirstLeaf = Callable[[OldLog], NewLeaf]


def find_old_log(database: Database, mark: Path) -> OldLog:
    """The log that would be closed, and an origin for the next; NotFoundError without a log."""
    with wrapped_mark_errors():
        known = HighWaterMark(mark).read()
    with database.reading() as session:
        states = tuple(rows.list_states(session))
        is_signed = bool(states) and rows.find_note(session, states[-1].log_id) is not None
    if not states:
        msg = "Expected a log to close, got a store without one."
        raise NotFoundError(msg, hint="Verify an answer first: that opens a log.")
    used = {state.origin for state in states}
    # A restored database does not know the logs after its own; the mark knows the newest.
    newest = states[-1].origin if known is None or known.origin in used else known.origin
    return OldLog(
        state=states[-1],
        mark=known,
        successor=name_successor(newest, used | {newest}),
        is_begun=len(states) > 1 and not is_signed,
    )


def name_successor(origin: str, used: AbstractSet[str]) -> str:
    """An origin that is not used: the first label with the next number behind it."""
    label, dot, rest = origin.partition(".")
    found = _NUMBERED.fullmatch(label)
    name, number = (found[1], int(found[2] or 1)) if found else (label, 1)
    while (successor := f"{name}-{number + 1}{dot}{rest}") in used:
        number += 1
    return successor


def open_shard(  # noqa: PLR0913 - two logs, why, and who watches
    database: Database,
    signer: CheckpointSigner,
    mark: Path,
    *,
    reason: str,
    write_leaf: WriteFirstLeaf,
    new: NewLog | None = None,
    reach: Reach = hit,
) -> TransparencyLog:
    """Close the newest log and open the signer's after it, whose leaf 0 ``write_leaf`` gives.

    Closing, opening and leaf 0 are one transaction; what a crash leaves to do after it, the mark
    and the signature, the next opening does. Raises ConflictError for an origin that was used
    before, and where the old log grew meanwhile. For the origin of an existing log (see OldLog)
    it only finishes.
    """
    check_origin(signer.origin)
    new = new or NewLog(opened_at=datetime.now(UTC))
    old = find_old_log(database, mark)
    if old.is_begun and old.head.origin == signer.origin:
        return _finish(database, signer, mark, reach)
    if old.mark is not None and old.mark.origin == signer.origin:
        raise _used(signer.origin)
    # Made before the lock is taken: a key service may be slow.
    leaf = write_leaf(old)
    with database.writing(LOGS_KEY, to_key(old.state.log_id)) as session:
        if rows.find_log(session, signer.origin) is not None:
            raise _used(signer.origin)
        if rows.read_head(session, old.state.log_id, old.head.origin) != old.head:
            msg = f"Expected a log that rests at {old.head.size} leaves, got one that grew."
            raise ConflictError(msg, hint="Stop every service of this store, then try again.")
        freeze = LogFreeze(
            size=old.head.size,
            root=old.head.root,
            reason=reason,
            successor=signer.origin,
            frozen_at=new.opened_at,
        )
        writing.add_freeze(session, old.state.log_id, freeze)
        reach(Failpoint.FREEZE_WRITTEN)
        row = writing.add_log(session, signer.origin, new)
        writing.add_batch(
            session.connection(),
            Frontier(),
            [Submission(leaves=(leaf,))],
            log=writing.LogNames(row.log_id, signer.origin),
            reach=reach,
        )
        reach(Failpoint.SHARD_WRITTEN)
    reach(Failpoint.SHARD_COMMITTED)
    return _finish(database, signer, mark, reach)


def _finish(
    database: Database, signer: CheckpointSigner, mark: Path, reach: Reach
) -> TransparencyLog:
    """The mark and the first signature of a log that has neither."""
    with wrapped_mark_errors():
        held = HighWaterMark(mark, reach)
        held.create(Checkpoint(origin=signer.origin, size=0, root=EMPTY_ROOT))
    reach(Failpoint.MARK_REPLACED)
    return TransparencyLog.open(database, signer, mark, reach=reach)


def _used(origin: str) -> ConflictError:
    msg = f"Expected an origin that no log has had, got {origin!r}."
    return ConflictError(msg, hint="Give another: '--origin NEW'.")
