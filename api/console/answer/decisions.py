"""The decisions on an answer as its page shows them, and the form that records one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from spanproof.api.console.forms import read_form
from spanproof.core.errors import InputError
from spanproof.operations.access.principal import name_actor
from spanproof.operations.decisions import OPENING, DecisionOrder, find_standing
from spanproof.receipt.statement.predicate import NOBODY

if TYPE_CHECKING:
    from spanproof.api.console.links import Links
    from spanproof.operations.decisions import Standing, StoredDecision
    from spanproof.receipt.statement.decision_events import DecisionAction
    from spanproof.receipt.statement.predicate import Actor

_ACTIONS: Final[tuple[DecisionAction, ...]] = ("accept", "reject", "waive", "confirm", "withdraw")
#: What stands on the page for each state of a citation.
_SAID: Final = {
    "accepted": "accepted by a person",
    "rejected": "rejected by a person",
    "waived": "waived by two persons",
    "proposed": "waiver waits for a second person",
    "expired": "waiver has expired",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRow:
    """One decision of the history; ``who`` is a key's id or the digest of an OpenID subject."""

    stored: StoredDecision
    who: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionView:
    """What one card shows: what holds, the history, and what this reader may do about it."""

    citation: int
    said: str | None
    standing: Standing | None
    rows: tuple[DecisionRow, ...]
    action: str
    can_decide: bool
    can_confirm: bool


def make_decision_views(
    decisions: tuple[StoredDecision, ...],
    citations: int,
    actor: Actor,
    links: Links,
    verification_id: str,
) -> tuple[DecisionView, ...]:
    """A view for each citation of the answer, in order."""
    now = datetime.now(UTC)
    views = []
    for citation in range(citations):
        standing = find_standing(decisions, citation, now)
        is_proposed = standing is not None and standing.word == "proposed"
        views.append(
            DecisionView(
                citation=citation,
                said=None if standing is None else _SAID[standing.word],
                standing=standing,
                rows=tuple(
                    DecisionRow(stored=each, who=name_actor(each.event.actor))
                    for each in decisions
                    if each.event.citation == citation
                ),
                action=links.decisions(verification_id),
                can_decide=actor != NOBODY,
                can_confirm=is_proposed
                and standing is not None
                and standing.decision.event.actor != actor,
            )
        )
    return tuple(views)


def read_decision_form(raw: bytes) -> DecisionOrder:
    """Parse the form that a browser sends; a waiver lasts to the end of its day (UTC)."""
    given = {name: value.strip() for name, value in read_form(raw).items()}
    action = next((each for each in _ACTIONS if each == given.get("action")), None)
    citation = given.get("citation", "")
    if action is None or not (citation.isascii() and citation.isdigit() and len(citation) <= 6):
        msg = "Expected an action on a citation, got another form."
        raise InputError(msg, hint="Use the buttons of the page.")
    is_opening = action in OPENING
    return DecisionOrder(
        action=action,
        reason=given.get("reason", ""),
        citation=int(citation) if is_opening else None,
        about=None if is_opening else given.get("about") or None,
        expires=_read_day(given.get("expires", "")) if action == "waive" else None,
    )


def _read_day(day: str) -> datetime | None:
    try:
        chosen = datetime.strptime(day, "%Y-%m-%d")  # noqa: DTZ007 - the zone follows
    except ValueError:
        return None
    return datetime.combine(chosen.date(), time(0), UTC) + timedelta(days=1)
