"""The moments of a log's life between which a process may die, by name.

Nothing happens at them. A test hands a function of its own to ``TransparencyLog.open`` (or to
``spanproof.store.log.shards.open_shard``): it is called at each and may kill the process or raise.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum


class Failpoint(StrEnum):
    """What has just been done."""

    #: A new log.
    LOG_WRITTEN = "log_written"
    LOG_COMMITTED = "log_committed"
    MARK_CREATED = "mark_created"
    #: (1) Leaves, tiles and the unsigned head, in one transaction.
    TRANSACTION_BEGUN = "transaction_begun"
    LEAVES_WRITTEN = "leaves_written"
    TILES_WRITTEN = "tiles_written"
    TREE_WRITTEN = "tree_written"
    TREE_COMMITTED = "tree_committed"
    #: The mark outside the database.
    MARK_LOCKED = "mark_locked"
    MARK_WRITTEN = "mark_written"
    MARK_SYNCED = "mark_synced"
    #: (2) The signature.
    CHECKPOINT_SIGNED = "checkpoint_signed"
    #: (3) The note and the receipts, in one transaction.
    NOTE_WRITTEN = "note_written"
    RECEIPTS_WRITTEN = "receipts_written"
    NOTE_COMMITTED = "note_committed"
    #: A log that is closed and the one that goes on.
    FREEZE_WRITTEN = "freeze_written"
    SHARD_WRITTEN = "shard_written"
    SHARD_COMMITTED = "shard_committed"
    MARK_REPLACED = "mark_replaced"


Reach = Callable[[Failpoint], None]


def hit(point: Failpoint) -> None:
    """What happens at every point of a log in service: nothing."""
    del point
