"""Sources: withdraw, reinstate or amend a document; its dates and labels; which answers it affects.

A change is a ``source-change`` statement in the tenant's log, and nothing else is stored: the
newest one about a document holds. Verifications read it from then on; kept verdicts stay as they
are, and ``list_affected`` lists those that would say something else now.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.documents.source_state import SourceState
from spanproof.core.errors import InputError
from spanproof.operations.documents.affected import list_affected_by
from spanproof.operations.documents.references import load_record
from spanproof.operations.documents.source_states import find_states, name_changes
from spanproof.operations.webhooks.endpoints import SOURCE_CHANGED, notify
from spanproof.receipt.statement.events import SourceChange
from spanproof.receipt.statement.predicate import NOBODY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanproof.core.digest import Digest
    from spanproof.operations.context import Context
    from spanproof.receipt.statement.events import SourceAction
    from spanproof.receipt.statement.predicate import Actor

MOST_REASON_CHARACTERS = 500
MOST_LABEL_CHARACTERS = 100
#: Verifications whose ids a webhook's message lists; all of them are one request away.
_TOLD = 100
_PAGE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOrder:
    """A change as it was asked for.

    ``since`` is from when a withdrawal or an amendment counts (None: now), ``by`` names the
    amending document. ``given`` are the dates and labels that ``set`` changes, None to remove one.
    """

    action: SourceAction
    reason: str
    since: datetime | None = None
    by: str | None = None
    given: Mapping[str, Any] | None = None


#: What ``set`` may change.
DATES = ("valid_from", "valid_until")
LABELS = ("licence", "confidentiality")


def change_source(
    context: Context, ref: str, order: SourceOrder, *, actor: Actor = NOBODY
) -> SourceChange:
    """Say something else of a document from now on; the log and the webhooks are told.

    Raises NotFoundError for a document that is not kept, InputError for an order that says nothing
    or contradicts itself, LogError where no leaf can be logged: then nothing is changed.
    """
    doc_hash = load_record(context, ref).document.doc_hash
    words = order.reason.strip()
    if not 0 < len(words) <= MOST_REASON_CHARACTERS:
        msg = f"Expected a reason of 1 to {MOST_REASON_CHARACTERS} characters, got {len(words)}."
        raise InputError(msg, hint="Give a short reason without names: it stays for ever.")
    # One process at a time: a change is of the state that it has read.
    with context.store.erasures.database_lock():
        before = find_states(context, [doc_hash]).get(doc_hash, SourceState())
        event = SourceChange(
            **context.issuer.make_head(),
            doc_hash=doc_hash,
            action=order.action,
            reason=words,
            state=_apply(context, before, order, doc_hash),
            actor=actor,
        )
        context.issuer.log_event(event, subject=name_changes(doc_hash))
    context.log.publish()
    _notify_webhooks(context, event)
    return event


def _apply(
    context: Context, before: SourceState, order: SourceOrder, doc_hash: Digest
) -> SourceState:
    since = order.since or datetime.now(UTC)
    if order.action == "withdraw":
        return replace(before, withdrawn_from=since)
    if order.action == "reinstate":
        if before.withdrawn_from is None and before.amended_from is None:
            msg = "Expected a document that is withdrawn or amended, got one that is neither."
            raise InputError(msg, hint="There is nothing to take back.")
        return replace(before, withdrawn_from=None, amended_from=None, amended_by=None)
    if order.action == "amend":
        if order.by is None:
            msg = "Expected the document that amends it, got none."
            raise InputError(msg, hint="Name a document that is kept here.")
        by = load_record(context, order.by).document.doc_hash
        if by == doc_hash:
            msg = f"Expected another document that amends {doc_hash}, got the same."
            raise InputError(msg, hint="Ingest the amended version, and name that.")
        return replace(before, amended_from=since, amended_by=by)
    return _set(before, dict(order.given or {}))


def _set(before: SourceState, given: dict[str, Any]) -> SourceState:
    if not given:
        msg = f"Expected one of {', '.join((*DATES, *LABELS))}, got none."
        raise InputError(msg, hint="Give a date or a label to set.")
    for name in LABELS:
        label = given.get(name)
        if label is not None and not 0 < len(label.strip()) <= MOST_LABEL_CHARACTERS:
            msg = f"Expected a {name} of 1 to {MOST_LABEL_CHARACTERS} characters, got {label!r}."
            raise InputError(msg, hint="Give a short label, such as 'internal'.")
    after = replace(before, **given)
    if after.valid_from and after.valid_until and after.valid_from >= after.valid_until:
        msg = f"Expected valid_from before valid_until, got {after.valid_from.isoformat()}."
        raise InputError(msg, hint="Give both dates in order.")
    return after


def _notify_webhooks(context: Context, event: SourceChange) -> None:
    """Send ids and figures to the webhooks. The log has the change already: nothing is lost."""
    if not any(each.wants(SOURCE_CHANGED) for each in context.store.deliveries.list_webhooks()):
        return
    ids: list[str] = []
    count, cursor = 0, None
    while True:
        page = list_affected_by(context, event.doc_hash, cursor, _PAGE)
        count += len(page.answers)
        ids += [each.verification.verification_id for each in page.answers]
        cursor = page.next_cursor
        if cursor is None:
            break
    data = {
        "doc_hash": str(event.doc_hash),
        "action": event.action,
        "affected": count,
        "verification_ids": ids[:_TOLD],
    }
    notify(context, SOURCE_CHANGED, data, event_id=event.event_id)
