"""Who looked: a line for each request of evidence, a digest of each day in the log, exports.

A line is durable before the evidence is shown: where it cannot be written, nothing is shown. Each
UTC day that is over gets an ``access-digest`` leaf, so that no line can be changed, added or left
out later.
"""

from __future__ import annotations

import getpass
import json
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Literal

from spanproof.core.errors import InputError
from spanproof.core.moment import write_signed_moment
from spanproof.receipt.statement.access_events import AccessDigest, AccessErasure
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.issuance import actor_to_json
from spanproof.receipt.statement.predicate import NOBODY
from spanproof.store.log.reading import list_events

if TYPE_CHECKING:
    from spanproof.operations.context import Context
    from spanproof.receipt.statement.predicate import Actor
    from spanproof.store.accesses.accesses import AccessDay

#: What evidence is: an answer with its verdicts, a list of them, the rows of a bulk run, a
#: document, an image of its page, a pack.
AccessKind = Literal["answer", "answers", "rows", "document", "page", "pack", "accesses"]
Door = Literal["api", "console", "command"]
COLUMNS = ("at", "door", "kind", "subject", "key_id", "oidc_sub_hash", "user")
#: A subject is an id, or as much of a caller's text as an id may have.
_MOST_SUBJECT_CHARACTERS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Something that somebody asked for; ``user`` is the account of the machine, of commands."""

    door: Door
    kind: AccessKind
    subject: str
    actor: Actor = NOBODY
    user: str | None = None


def record_access(context: Context, access: Access) -> None:
    """Write the line; nothing where the settings keep no access log.

    Raises StoreUnavailableError where it cannot be written: then show nothing.
    """
    if not context.settings.access_log:
        return

    def make() -> tuple[str, str]:
        now = datetime.now(UTC)
        row = {
            "at": write_signed_moment(now),
            "door": access.door,
            "kind": access.kind,
            "subject": access.subject[:_MOST_SUBJECT_CHARACTERS],
            **actor_to_json(access.actor),
            "user": access.user,
        }
        # Escaped: a caller's subject may hold what no canonical JSON can.
        return now.date().isoformat(), json.dumps(row, ensure_ascii=True, separators=(",", ":"))

    if context.store.accesses.add(make) == 1:
        log_digests(context)


def record_command(context: Context, kind: AccessKind, subject: str) -> None:
    """The same of a command, under the name of the account that runs it."""
    access = Access(door="command", kind=kind, subject=subject, user=_find_user())
    record_access(context, access)


def log_digests(context: Context) -> int:
    """Log the digest of each day that is over and has none; how many there were.

    Raises LogError where no leaf can be logged: the next call goes on.
    """
    today = datetime.now(UTC).date().isoformat()
    accesses = context.store.accesses
    open_days = [day for day in accesses.list_days() if day < today]
    if not open_days:
        return 0
    # One process at a time, so that a day gets one leaf.
    with context.store.erasures.database_lock():
        known = find_digests(context)
        wanted = [day for day in open_days if day not in known]
        for day in wanted:
            found = accesses.describe(day)
            event = AccessDigest(
                **context.issuer.make_head(),
                day=day,
                accesses=found.accesses,
                rows_digest=found.digest,
            )
            context.issuer.log_event(event, subject=f"{AccessDigest.KIND}:{day}")
    return len(wanted)


def find_digests(context: Context) -> dict[str, AccessDigest]:
    """The digests that the log has, by day."""
    events = (
        parse_event(each.statement.payload)
        for each in list_events(context.store.database, AccessDigest.KIND)
    )
    return {event.day: event for event in events if isinstance(event, AccessDigest)}


def list_days(context: Context) -> list[dict[str, Any]]:
    """Each day with its number of lines, and its digest where the log has it."""
    known = find_digests(context)
    rows = []
    for day in context.store.accesses.list_days():
        found = context.store.accesses.describe(day)
        rows.append(
            {
                "day": day,
                "accesses": found.accesses,
                "digest": str(found.digest),
                "is_logged": day in known,
                "is_erased": found.removed_at is not None,
            }
        )
    return rows


def list_accesses(context: Context, day: str) -> list[dict[str, Any]]:
    """The lines of a day; raise InputError for what is no day."""
    try:
        wanted = date.fromisoformat(day).isoformat()
    except ValueError as error:
        msg = "Expected a day like 2026-11-23, got another text."
        raise InputError(msg, hint="Give a day in UTC.") from error
    return [json.loads(line) for line in context.store.accesses.list_lines(wanted)]


def erase_day(context: Context, day: str, *, reason: str, actor: Actor = NOBODY) -> AccessDay:
    """Let the lines of a day go, behind a tombstone in the log; their digests stay."""
    accesses = context.store.accesses
    with context.store.erasures.database_lock():
        found = accesses.describe(day)
        if found.removed_at is None:
            event = AccessErasure(
                **context.issuer.make_head(),
                day=day,
                accesses=found.accesses,
                rows_digest=found.digest,
                reason=reason,
                actor=actor,
            )
            leaf = context.issuer.log_event(event, subject=f"{AccessErasure.KIND}:{day}")
            place = (event.origin, leaf.index)
        else:
            place = found.removed_at
        context.log.publish()
    accesses.remove(day, origin=place[0], index=place[1])
    return found


def check_day(day: AccessDay, logged: AccessDigest | None) -> str | None:
    """What is wrong with a day, in words; None where nothing is."""
    if day.faults:
        return f"Expected line {day.faults[0]} of {day.day} as its digest says, got another."
    if logged is None or (logged.accesses, logged.rows_digest) == (day.accesses, day.digest):
        return None
    return (
        f"Expected {logged.accesses} lines of digest {logged.rows_digest} on {day.day}, "
        f"got {day.accesses} of {day.digest}."
    )


def _find_user() -> str | None:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # An account without a name, as in some containers.
        return None
