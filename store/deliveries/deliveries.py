"""Webhooks, messages and tries, kept as rows that never change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlmodel import col, func, select

from spanproof.core.errors import WebhookNotFoundError
from spanproof.core.moment import write_moment
from spanproof.store.database.columns import to_utc
from spanproof.store.database.copying import to_row, to_value
from spanproof.store.deliveries.tables import (
    WebhookMessageRow,
    WebhookRow,
    WebhookStateRow,
    WebhookTryRow,
)

if TYPE_CHECKING:
    from datetime import datetime

    from sqlmodel import Session

    from spanproof.store.database.session import Database

WebhookState = Literal["enabled", "disabled", "removed"]
#: How a try ended; all but the first are failures.
TryOutcome = Literal["delivered", "status", "redirect", "timeout", "unreachable", "fenced"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An endpoint as it is now; ``events`` are types, or ``*`` for every one."""

    webhook_id: str
    url: str
    events: tuple[str, ...]
    created_at: datetime
    state: WebhookState
    reason: str
    since: datetime

    def wants(self, event_type: str) -> bool:
        """Whether it receives such an event."""
        return self.state == "enabled" and ("*" in self.events or event_type in self.events)

    def to_json(self) -> dict[str, Any]:
        """The webhook as both doors show it, without its secret."""
        return {
            "webhook_id": self.webhook_id,
            "url": self.url,
            "events": list(self.events),
            "state": self.state,
            "reason": self.reason,
            "since": write_moment(self.since),
            "created_at": write_moment(self.created_at),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookMessage:
    """An event as it is sent."""

    message_id: str
    event_type: str
    body: str
    occurred_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryTry:
    """One try to deliver a message to a webhook."""

    message_id: str
    webhook_id: str
    attempt: int
    tried_at: datetime
    milliseconds: int
    outcome: TryOutcome
    status: int | None
    next_at: datetime | None

    def to_json(self) -> dict[str, Any]:
        """The try as both doors show it."""
        return {
            "message_id": self.message_id,
            "webhook_id": self.webhook_id,
            "attempt": self.attempt,
            "tried_at": write_moment(self.tried_at),
            "milliseconds": self.milliseconds,
            "outcome": self.outcome,
            "status": self.status,
            "next_at": None if self.next_at is None else write_moment(self.next_at),
        }


class Deliveries:
    """What is kept of webhooks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_webhook(
        self, webhook_id: str, *, url: str, events: tuple[str, ...], moment: datetime
    ) -> Webhook:
        """Keep an endpoint, enabled from now on."""
        moment = to_utc(moment)
        with self._database.writing(f"webhook {webhook_id}") as session:
            row = WebhookRow(
                webhook_id=webhook_id, url=url, events=" ".join(events), created_at=moment
            )
            session.add(row)
            session.flush()
            state = _add_state(session, webhook_id, "enabled", "created", moment)
            return _to_webhook(row, state)

    def set_state(
        self, webhook_id: str, state: WebhookState, *, reason: str, moment: datetime
    ) -> bool:
        """Say that an endpoint is in another state now; False where it was in it already.

        One that was removed stays removed. Raises WebhookNotFoundError.
        """
        with self._database.writing(f"webhook {webhook_id}") as session:
            last = _find_state(session, webhook_id)
            if last is None or last.state == "removed":
                raise _not_found(webhook_id)
            if last.state == state:
                return False
            _add_state(session, webhook_id, state, reason, to_utc(moment))
            return True

    def load_webhook(self, webhook_id: str) -> Webhook:
        """An endpoint; raise WebhookNotFoundError if it is missing or removed."""
        with self._database.reading() as session:
            row = session.get(WebhookRow, webhook_id)
            state = None if row is None else _find_state(session, webhook_id)
            if row is None or state is None or state.state == "removed":
                raise _not_found(webhook_id)
            return _to_webhook(row, state)

    def list_webhooks(self) -> tuple[Webhook, ...]:
        """The endpoints that were not removed, in the order of their making."""
        last = (
            select(WebhookStateRow.webhook_id, func.max(WebhookStateRow.position).label("position"))
            .group_by(col(WebhookStateRow.webhook_id))
            .subquery()
        )
        query = (
            select(WebhookRow, WebhookStateRow)
            .join(WebhookStateRow, col(WebhookStateRow.webhook_id) == WebhookRow.webhook_id)
            .join(
                last,
                (last.c.webhook_id == WebhookStateRow.webhook_id)
                & (last.c.position == WebhookStateRow.position),
            )
            .where(col(WebhookStateRow.state) != "removed")
            .order_by(col(WebhookRow.created_at), col(WebhookRow.webhook_id))
        )
        with self._database.reading() as session:
            return tuple(_to_webhook(row, state) for row, state in session.exec(query).all())

    def add_message(
        self, message_id: str, *, event_type: str, body: str, occurred_at: datetime
    ) -> WebhookMessage:
        """Keep a message; the one that is kept already, where its id is there."""
        with self._database.writing(f"message {message_id}") as session:
            row = session.get(WebhookMessageRow, message_id)
            if row is None:
                row = WebhookMessageRow(
                    message_id=message_id,
                    event_type=event_type,
                    body=body,
                    occurred_at=to_utc(occurred_at),
                )
                session.add(row)
                session.flush()
            return to_value(WebhookMessage, row)

    def find_message(self, message_id: str) -> WebhookMessage | None:
        """A message, or None."""
        with self._database.reading() as session:
            row = session.get(WebhookMessageRow, message_id)
            return None if row is None else to_value(WebhookMessage, row)

    def add_try(self, made: DeliveryTry) -> None:
        """Keep a try; one of the same number that is kept already stays as it is."""
        key = (made.message_id, made.webhook_id, made.attempt)
        with self._database.writing(f"try {key}") as session:
            if session.get(WebhookTryRow, key) is None:
                session.add(to_row(WebhookTryRow, made))

    def find_try(self, message_id: str, webhook_id: str, attempt: int) -> DeliveryTry | None:
        """One try; None where it was not made."""
        with self._database.reading() as session:
            row = session.get(WebhookTryRow, (message_id, webhook_id, attempt))
            return None if row is None else to_value(DeliveryTry, row)

    def list_tries(
        self, webhook_id: str, *, message_id: str | None = None, limit: int = 100
    ) -> tuple[DeliveryTry, ...]:
        """The tries of an endpoint, newest first."""
        query = select(WebhookTryRow).where(WebhookTryRow.webhook_id == webhook_id)
        if message_id is not None:
            query = query.where(WebhookTryRow.message_id == message_id)
        order = (col(WebhookTryRow.tried_at).desc(), col(WebhookTryRow.attempt).desc())
        with self._database.reading() as session:
            rows = session.exec(query.order_by(*order).limit(limit)).all()
            return tuple(to_value(DeliveryTry, row) for row in rows)

    def has_delivered_since(self, webhook_id: str, moment: datetime) -> bool:
        """Whether anything reached the endpoint since then."""
        query = select(WebhookTryRow.attempt).where(
            WebhookTryRow.webhook_id == webhook_id,
            WebhookTryRow.outcome == "delivered",
            WebhookTryRow.tried_at >= to_utc(moment),
        )
        with self._database.reading() as session:
            return session.exec(query.limit(1)).first() is not None


def _add_state(
    session: Session, webhook_id: str, state: str, reason: str, moment: datetime
) -> WebhookStateRow:
    last = _find_state(session, webhook_id)
    row = WebhookStateRow(
        webhook_id=webhook_id,
        position=0 if last is None else last.position + 1,
        state=state,
        reason=reason,
        since=moment,
    )
    session.add(row)
    session.flush()
    return row


def _find_state(session: Session, webhook_id: str) -> WebhookStateRow | None:
    query = select(WebhookStateRow).where(WebhookStateRow.webhook_id == webhook_id)
    return session.exec(query.order_by(col(WebhookStateRow.position).desc()).limit(1)).first()


def _not_found(webhook_id: str) -> WebhookNotFoundError:
    msg = f"Expected a webhook of this home, got {webhook_id[:80]!r}."
    return WebhookNotFoundError(msg, hint="Give an id that 'webhooks list' shows.")


def _to_webhook(row: WebhookRow, state: WebhookStateRow) -> Webhook:
    events = tuple(row.events.split())
    return to_value(
        Webhook, row, events=events, state=state.state, reason=state.reason, since=state.since
    )
