"""Who looked: a line before anything is shown, a digest of each day, exports, retention."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from spanproof.core.errors import InputError, SpanproofError
from spanproof.operations import accesses as operation
from spanproof.operations.accesses import Access, list_accesses, list_days, log_digests
from spanproof.operations.fsck.kept import check_records
from spanproof.operations.fsck.store import check_store
from spanproof.operations.keeping.retention import apply_plan, list_due
from spanproof.receipt.statement.predicate import Actor
from tests.contexts import with_settings
from tests.operations.audited import codes, execute
from tests.operations.keeping.test_retention import make_plan

if TYPE_CHECKING:
    from spanproof.operations.context import Context

DAY = "2026-11-20"
TODAY = datetime.now(UTC).date().isoformat()
LOOKED = Access(door="api", kind="answer", subject="v1", actor=Actor("sp_a", None))


def add_old(context: Context, count: int = 2) -> None:
    """Lines of an earlier day, as they were written on it."""
    for number in range(count):
        line = json.dumps({"kind": "answer", "subject": f"v{number}"})
        context.store.accesses.add(lambda line=line: (DAY, line))  # type: ignore[misc]


def test_a_line_names_who_asked_for_what(kept_context: Context) -> None:
    context = with_settings(kept_context, access_log=True)
    operation.record_access(context, LOOKED)
    strange = Access(door="api", kind="document", subject="\ud800\x00,\n" + "x" * 900)
    operation.record_access(context, strange)
    first, second = list_accesses(context, TODAY)
    assert (first["door"], first["kind"], first["subject"]) == ("api", "answer", "v1")
    assert (first["key_id"], first["user"]) == ("sp_a", None)
    assert second["subject"] == strange.subject[:300]
    # By default nothing is written down.
    operation.record_access(kept_context, LOOKED)
    assert len(list_accesses(context, TODAY)) == 2
    with pytest.raises(InputError):
        list_accesses(context, "yesterday")


def test_each_day_that_is_over_gets_its_digest_once(kept_context: Context) -> None:
    context = with_settings(kept_context, access_log=True)
    add_old(context)
    # The first line of a new day logs the days before.
    operation.record_access(context, LOOKED)
    operation.record_access(context, LOOKED)
    assert log_digests(context) == 0
    (logged,) = operation.find_digests(context).values()
    assert (logged.day, logged.accesses) == (DAY, 2)
    assert [(each["day"], each["is_logged"]) for each in list_days(context)] == [
        (DAY, True),
        (TODAY, False),
    ]
    assert codes(check_store(context, None)) == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE access_line SET line = '{}' WHERE number = 1",
        "UPDATE access_line SET line = '' WHERE number = 1",
        "DELETE FROM access_line WHERE number = 2",
        "DELETE FROM access_line",
    ],
)
def test_fsck_finds_a_line_that_was_changed_or_left_out(context: Context, change: str) -> None:
    add_old(context)
    log_digests(context)
    execute(context, change)
    findings, _ = check_records(context.store, context.log.origin)
    assert [each.code for each in findings] == ["ACCESSES_MISMATCH"]


def test_fsck_finds_a_line_that_was_added_to_a_day_that_is_over(context: Context) -> None:
    add_old(context)
    log_digests(context)
    add_old(context, 1)
    findings, _ = check_records(context.store, context.log.origin)
    assert [each.code for each in findings] == ["ACCESSES_MISMATCH"]


def test_no_statement_changes_a_line(kept_context: Context) -> None:
    add_old(kept_context)
    for statement in (
        "UPDATE access_line SET line = ''",
        "UPDATE access_line SET line = 'x'",
        "DELETE FROM access_line",
    ):
        with (
            pytest.raises(SpanproofError),
            kept_context.store.database.connection("k") as connection,
        ):
            connection.execute(text(statement))


def test_retention_lets_a_day_go_behind_its_tombstone(kept_context: Context) -> None:
    context = kept_context
    add_old(context)
    log_digests(context)
    plan = make_plan({"name": "looks", "of": "accesses", "older_than_days": 30})
    assert list_due(context, plan, now=datetime(2026, 12, 1, tzinfo=UTC)).due == ()
    late = datetime(2026, 12, 1, tzinfo=UTC) + timedelta(days=30)
    (row,) = list_due(context, plan, now=late).due
    assert (row.kind, row.subject, row.fate) == ("accesses", DAY, "due")
    assert [each.subject for each in apply_plan(context, plan, now=late).erased] == [DAY]
    assert list_accesses(context, DAY) == []
    (day,) = list_days(context)
    assert (day["accesses"], day["is_erased"]) == (2, True)
    assert list_due(context, plan, now=late).due == ()
    # The digest of the day still fits: the digests of its lines stay.
    assert codes(check_store(context, None)) == []
