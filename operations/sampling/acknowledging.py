"""Alarms and incidents that somebody has seen: signed statements in the log, nothing else.

Acknowledging changes no alarm: a breached budget stays breached until its contract changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from spanproof.core.digest import Digest
from spanproof.core.errors import ConflictError, InputError, NotFoundError
from spanproof.operations.decisions import MOST_REASON_CHARACTERS
from spanproof.receipt.statement.decision_events import Acknowledgement
from spanproof.receipt.statement.event_statement import parse_event
from spanproof.receipt.statement.predicate import NOBODY
from spanproof.store.log.reading import list_events

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanproof.operations.context import Context
    from spanproof.operations.sampling.rates import RatesReport
    from spanproof.receipt.statement.predicate import Actor

_NAMED_BY = {
    "alarm": ("stratum", "version", "alarm", "samples"),
    "incident": ("answer_id", "verdict", "kind", "raised_at"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """An alarm or incident as the rates show it, and who has acknowledged it, oldest first."""

    kind: Literal["alarm", "incident"]
    digest: Digest
    shown: Mapping[str, Any]
    acknowledged: tuple[Acknowledgement, ...]


def list_raised(context: Context, report: RatesReport) -> tuple[Raised, ...]:
    """The alarms and the incidents of a report, those that nobody has acknowledged first."""
    known: dict[Digest, list[Acknowledgement]] = {}
    for stored in list_events(context.store.database, Acknowledgement.KIND):
        event = parse_event(stored.statement.payload)
        if isinstance(event, Acknowledgement):
            known.setdefault(event.raised_digest, []).append(event)
    return tuple(
        sorted(
            (*_join("alarm", report.raised, known), *_join("incident", report.incidents, known)),
            key=lambda each: bool(each.acknowledged),
        )
    )


def acknowledge(
    context: Context, report: RatesReport, digest: Digest, *, reason: str, actor: Actor
) -> Acknowledgement:
    """Sign and log that ``actor`` has seen it; the same again changes nothing.

    Raises ConflictError without an identity, InputError without a reason, NotFoundError for what
    the report does not show, and LogError where no leaf can be logged.
    """
    if actor == NOBODY:
        msg = "Expected an acknowledgement by a key or an OpenID subject, got one by nobody."
        raise ConflictError(msg, hint="Make a key ('spanproof keys create'), and sign in with it.")
    words = reason.strip()
    if not 0 < len(words) <= MOST_REASON_CHARACTERS:
        msg = f"Expected a reason of 1 to {MOST_REASON_CHARACTERS} characters, got {len(words)}."
        raise InputError(msg, hint="Say what is done about it, without names: it stays for ever.")
    head = context.issuer.make_head()
    # One process at a time: a form may be sent twice.
    with context.store.erasures.database_lock():
        found = next((e for e in list_raised(context, report) if e.digest == digest), None)
        if found is None:
            msg = "Expected an alarm or incident that is listed, got another."
            raise NotFoundError(msg, hint="Load the page of alarms again.")
        for each in found.acknowledged:
            if (each.actor, each.reason) == (actor, words):
                return each
        event = Acknowledgement(
            **head, raised=found.kind, raised_digest=digest, reason=words, actor=actor
        )
        context.issuer.log_event(event, subject=str(digest))
    context.log.publish()
    return event


def _join(
    kind: Literal["alarm", "incident"],
    rows: Iterable[Mapping[str, Any]],
    known: Mapping[Digest, list[Acknowledgement]],
) -> Iterable[Raised]:
    for shown in rows:
        name = "/".join([kind, *(str(shown[part]) for part in _NAMED_BY[kind])])
        digest = Digest.of(name.encode("utf-8", "surrogatepass"))
        yield Raised(
            kind=kind, digest=digest, shown=shown, acknowledged=tuple(known.get(digest, ()))
        )
