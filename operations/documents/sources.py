"""Sources: withdraw, reinstate or amend a document; its dates and labels; which answers it affects.

A change is a ``source-change`` statement in the tenant's log, and nothing else is stored: the
newest one about a document holds. Verifications read it from then on; kept verdicts stay as they
are, and ``list_affected`` lists those that would say something else now.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.documents.source_state import SourceState
from spanproof.core.errors import InputError, IntegrityError, VerificationErasedError
from spanproof.core.moment import write_moment, write_signed_moment
from spanproof.operations.documents.references import load_record
from spanproof.operations.webhooks.endpoints import SOURCE_CHANGED, notify
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.events import SourceChange
from spanproof.receipt.statement.issuance import actor_to_json
from spanproof.receipt.statement.predicate import NOBODY
from spanproof.store.log.reading import list_events
from spanproof.store.records import VerificationFilter
from spanproof.verifier.formats.registry import parse_payload
from spanproof.verifier.identity.standing import check_standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanproof.core.digest import Digest
    from spanproof.core.documents.document import Library
    from spanproof.operations.context import Context
    from spanproof.receipt.statement.events import SourceAction
    from spanproof.receipt.statement.predicate import Actor
    from spanproof.store.records import VerificationSummary

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


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedAnswer:
    """A kept verification that cites the document; ``codes`` are what a new one would add."""

    verification: VerificationSummary
    generated_at: datetime | None
    codes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """A row of the list."""
        kept, made = self.verification, self.generated_at
        return {
            "verification_id": kept.verification_id,
            "answer_id": kept.answer_id,
            "verified_at": write_moment(kept.verified_at),
            "generated_at": None if made is None else write_moment(made),
            "result": kept.result,
            "codes": list(self.codes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedPage:
    """A page of them; ``next_cursor`` is None on the last. A page may have fewer rows than asked.

    ``looked_at`` counts the verifications of this page that cite the document.
    """

    answers: tuple[AffectedAnswer, ...]
    looked_at: int
    next_cursor: str | None

    def to_json(self) -> dict[str, Any]:
        """The list as it is sent."""
        return {
            "affected": [each.to_json() for each in self.answers],
            "looked_at": self.looked_at,
            "next_cursor": self.next_cursor,
        }


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
        context.issuer.log_event(event, subject=_name(doc_hash))
    context.log.publish()
    _tell(context, event)
    return event


def list_changes(context: Context, doc_hash: Digest) -> tuple[SourceChange, ...]:
    """Everything that was said of a document, the oldest first."""
    return tuple(_read_changes(context, [doc_hash]))


def find_states(
    context: Context, doc_hashes: Iterable[Digest], *, until: datetime | None = None
) -> dict[Digest, SourceState]:
    """What holds of these documents, or held at a moment; none for one of which nothing was said.

    One query by index.
    """
    wanted = list(dict.fromkeys(doc_hashes))
    return {
        change.doc_hash: change.state
        for change in _read_changes(context, wanted)
        if until is None or change.time <= until
    }


def with_states(context: Context, library: Library, *, until: datetime) -> Library:
    """The library with what was said of its documents by a moment."""
    hashes = [each.document.doc_hash for each in library.sources if not each.is_snippet]
    states = find_states(context, hashes, until=until) if hashes else {}
    if not states:
        return library
    sources = tuple(
        replace(each, state=states.get(each.document.doc_hash)) for each in library.sources
    )
    return replace(library, sources=sources)


def list_affected(
    context: Context, ref: str, *, cursor: str | None = None, limit: int = 50
) -> AffectedPage:
    """The kept verifications that a new look at the document would judge by other codes.

    Of an erased answer the moment is that of its verification.
    """
    doc_hash = load_record(context, ref).document.doc_hash
    return _list_affected(context, doc_hash, cursor, limit)


def _list_affected(
    context: Context, doc_hash: Digest, cursor: str | None, limit: int
) -> AffectedPage:
    state = find_states(context, [doc_hash]).get(doc_hash)
    page = context.store.answers.list(VerificationFilter(doc_hash=doc_hash), cursor, limit)
    found, now = [], datetime.now(UTC)
    for each in page.items:
        made, told = _read_kept(context, each, doc_hash)
        codes = check_standing(state, generated_at=made or each.verified_at, verified_at=now)
        fresh = tuple(code for code in codes if code not in told)
        if fresh:
            found.append(AffectedAnswer(verification=each, generated_at=made, codes=fresh))
    return AffectedPage(
        answers=tuple(found), looked_at=len(page.items), next_cursor=page.next_cursor
    )


def state_to_json(state: SourceState | None) -> dict[str, Any] | None:
    """A state as it is sent; None where nothing was said."""
    if state is None:
        return None
    return {
        name: write_moment(value)
        if isinstance(value, datetime)
        else (value if value is None else str(value))
        for name, value in asdict(state).items()
    }


def change_to_json(change: SourceChange) -> dict[str, Any]:
    """A change as it is sent."""
    return {
        "doc_hash": str(change.doc_hash),
        "action": change.action,
        "reason": change.reason,
        "time": write_signed_moment(change.time),
        "actor": actor_to_json(change.actor),
        "source_state": state_to_json(change.state),
    }


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


def _tell(context: Context, event: SourceChange) -> None:
    """The webhooks: ids and figures. The log has the change already, so nothing is lost."""
    if not any(each.wants(SOURCE_CHANGED) for each in context.store.deliveries.list_webhooks()):
        return
    ids: list[str] = []
    count, cursor = 0, None
    while True:
        page = _list_affected(context, event.doc_hash, cursor, _PAGE)
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


def _read_kept(
    context: Context, summary: VerificationSummary, doc_hash: Digest
) -> tuple[datetime | None, frozenset[str]]:
    """When the answer was made, and the codes that its kept verdicts on the document have."""
    try:
        stored = context.store.answers.load(summary.verification_id)
    except VerificationErasedError:
        return None, frozenset()
    verdicts = stored.block["verdicts"]
    told = {
        code
        for verdict in verdicts
        if verdict["identity"]["doc_hash"] == str(doc_hash)
        for code in verdict["codes"]
    }
    answer = parse_payload(stored.raw, stored.block["import"]["format"]).answer
    return answer.generated_at, frozenset(told)


def _read_changes(context: Context, doc_hashes: list[Digest]) -> list[SourceChange]:
    stored = list_events(
        context.store.database, SourceChange.KIND, [_name(each) for each in doc_hashes]
    )
    found = [parse_event(each.statement.payload) for each in stored]
    if not all(isinstance(each, SourceChange) for each in found):
        msg = "Expected statements of source changes in the log, got another."
        raise IntegrityError(msg, hint="Run 'spanproof audit fsck'.")
    return [each for each in found if isinstance(each, SourceChange)]


def _name(doc_hash: Digest) -> str:
    return f"{SourceChange.KIND}:{doc_hash}"
