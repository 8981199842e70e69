"""A disk that was full stops nothing: once it has room, the same process takes work again."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from spanproof.operations.fsck.store import check_store
from spanproof.operations.verification.verify import verify_payload
from spanproof.receipt.check.report import LineStatus
from spanproof.store.errors import StoreFullError
from spanproof.store.log.failpoints import Failpoint
from tests.databases import on_sqlite
from tests.operations.receipts.conftest import make_payload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.operations.context import Context

#: More answers than the free part of any page can take.
_MOST = 60


@contextmanager
def full_disk(context: Context) -> Iterator[None]:
    """SQLite has no page more, and refuses as on a disk without room."""
    with context.store.database.connection() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        before = connection.exec_driver_sql("PRAGMA max_page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    try:
        yield
    finally:
        with context.store.database.connection() as connection:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {before}")


def check_whole(context: Context) -> None:
    assert context.log.open_intakes() == ()
    assert context.log.find_unreceipted() == ()
    report = check_store(context, None)
    assert report.outcome is LineStatus.OK, report.to_json()


@on_sqlite
def test_a_disk_that_was_full_takes_work_again_without_a_restart(kept: Context) -> None:
    verify_payload(kept, make_payload())

    def verify_many() -> None:
        for _ in range(_MOST):
            verify_payload(kept, make_payload())

    with full_disk(kept), pytest.raises(StoreFullError, match="got a full disk"):
        verify_many()
    assert verify_payload(kept, make_payload()).receipt is not None
    check_whole(kept)


@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.parametrize(
    "point", [Failpoint.LEAVES_WRITTEN, Failpoint.TREE_WRITTEN, Failpoint.RECEIPTS_WRITTEN]
)
def test_wherever_the_room_ended_what_was_left_open_is_closed(
    kept: Context, point: Failpoint, turn: int
) -> None:
    verify_payload(kept, make_payload())
    reached = 0

    def reach(at: Failpoint) -> None:
        # From here on there is no room, also not for the leaf that says so.
        nonlocal reached
        reached += at is point
        if at is point and turn <= reached < turn + 2:
            raise StoreFullError("Expected room, got a full disk.", hint="Make room.")

    kept.issuer.log._reach = reach
    refused = 0
    while reached < turn + 1:
        try:
            verify_payload(kept, make_payload())
        except StoreFullError:
            refused += 1
    assert refused
    assert verify_payload(kept, make_payload()).receipt is not None
    check_whole(kept)
